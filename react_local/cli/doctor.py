"""``doctor``: what is ready, what is missing, and how to fix it."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING

import click

from react_local.cli.common import Failure, as_json, index_option, print_json, size
from react_local.cli.model_options import ModelOptions, model_options
from react_local.errors import ReactLocalError
from wiki_index.errors import WikiIndexError

if TYPE_CHECKING:
    from pathlib import Path

    from react_local.home import Home
    from react_local.models.llama import LlamaModel
    from wiki_index.layout import Manifest

_ROOM = 1_000_000_000  # bytes of free disk below which a build may run out of space


@dataclass(frozen=True)
class Check:
    """The result of one check. ``ask`` works only if every `needed` check is `ok`."""

    name: str
    ok: bool
    text: str
    advice: str = ""
    needed: bool = False


@click.command()
@index_option
@model_options
@as_json
def doctor(index: str | None, options: ModelOptions, as_json: bool) -> None:
    """Check whether ask would work, and say how to fix what is missing.

    Exit codes: 0 if ask would work, else 1 with one line on standard error.

    \b
    Example:
      react-local doctor
    """
    from react_local.home import Home

    home = Home.find()
    checks = []
    for check in _checks(home, index, options):
        checks.append(check)
        if not as_json:
            _show(check)
    missing = [check.name for check in checks if check.needed and not check.ok]
    if as_json:
        print_json({"ready": not missing, "checks": [asdict(check) for check in checks]})
    if missing:
        raise Failure(f"ask would not work yet: see {' and '.join(missing)} above")
    if not as_json:
        click.echo("\nask would work.")


def _show(check: Check) -> None:
    mark = "ok" if check.ok else "NO" if check.needed else "--"
    click.echo(f"{mark}  {check.name:<8}{check.text}")
    if check.advice:
        click.echo(f"            {check.advice}")


def _checks(home: Home, index: str | None, options: ModelOptions) -> Iterator[Check]:
    yield Check("Python", True, platform.python_version(), needed=True)
    yield from _model(home, options)
    yield from _index(home, index)
    yield _disk(home)


def _model(home: Home, options: ModelOptions) -> Iterator[Check]:
    """Whether the model file loads, and how and where the model would run."""
    try:
        weights = options.find(home)
        model = options.load(weights)
    except ReactLocalError as error:
        yield Check("Model", False, str(error), needed=True)
        return
    header, form = model.header, "chat template" if model.is_chat else "plain transcript"
    yield Check(
        "Model",
        True,
        f"{model.name} loads: {header.quantisation or 'unknown quantisation'}, "
        f"{size(header.model_bytes)}, context of {model.context_length:,} tokens, {form} "
        f"({weights})",
        needed=True,
    )
    yield _run_as(model)
    yield _memory(header.model_bytes + model.options.cache_bytes(header, model.context_length))
    yield _gpu(model.gpu_layers, (header.layers or 0) + 1)


def _memory(wanted: int) -> Check:
    from react_local.models.memory import free_memory

    free = free_memory()
    if free is None:
        return Check("Memory", True, f"the model needs about {size(wanted)}")
    text = f"{size(free)} free besides the model, which needs about {size(wanted)}"
    if free > wanted // 10:
        return Check("Memory", True, text)
    return Check("Memory", False, text, "Close other programs, or use a smaller model or --ctx.")


def _run_as(model: LlamaModel) -> Check:
    """How the model would run with these options on this machine."""
    asked = model.options
    prompts = f" ({asked.threads_batch} for prompts)" if asked.threads_batch else ""
    said = [
        f"threads: {model.threads}{prompts}",
        f"flash attention {asked.flash_attention(model.header, model.gpu_layers)}",
        f"cache {asked.cache_type_k}/{asked.cache_type_v}",
        ("mapped" if asked.mmap else "read") + (" and locked" if asked.mlock else ""),
    ]
    if asked.tensor_split:
        said.append(f"shares of the GPUs {':'.join(f'{share:g}' for share in asked.tensor_split)}")
    if asked.main_gpu is not None:
        said.append(f"on GPU {asked.main_gpu} alone")
    said += [f"adapter {file} × {scale:g}" for file, scale in asked.lora]
    said += [f"layers at {', '.join(asked.rpc)}"] if asked.rpc else []
    return Check("Run", True, ", ".join(said))


def _gpu(on_gpu: int, layers: int) -> Check:
    from react_local.models.hardware import backends, gpus

    kinds = backends()
    build = f"llama.cpp build {metadata.version('llama-cpp-python')}"
    build += f" ({', '.join(kinds)})" if kinds else ""
    if found := gpus():
        names = ", ".join(
            f"{number}: {gpu.name} ({size(gpu.free)} free)" for number, gpu in enumerate(found)
        )
        return Check("GPU", True, f"{build} sees {names}; {on_gpu} of {layers} layers are there")
    if set(kinds) - {"RPC"}:
        return Check("GPU", False, f"{build} sees no GPU", "Check the driver (nvidia-smi).")
    return Check(
        "GPU",
        False,
        f"{build} runs on the CPU only",
        "With an NVIDIA GPU and the CUDA toolkit, scripts/quickstart --cuda rebuilds it.",
    )


def _index(home: Home, name: str | None) -> Iterator[Check]:
    """Whether the index opens, and whether it has vectors."""
    from wiki_index import WikiIndex

    try:
        directory = home.index(name)
        with WikiIndex.open(directory) as wiki:
            manifest = wiki.manifest
    except (ReactLocalError, WikiIndexError) as error:
        yield Check("Index", False, str(error), needed=True)
        return
    text = f"{manifest.articles:,} articles from {manifest.dump} ({directory})"
    yield Check("Index", True, text, needed=True)
    yield _vectors(directory, manifest)


def _vectors(directory: Path, manifest: Manifest) -> Check:
    from wiki_index import DenseUnavailable
    from wiki_index.encoder import is_quick
    from wiki_index.layout import IndexLayout
    from wiki_index.semantic import model_for

    if manifest.vectors is None:
        advice = (
            "For retrieve --mode dense, build it without --no-dense; ask does not need vectors."
        )
        return Check("Vectors", False, "the index has none", advice)
    try:
        quick = is_quick(model_for(IndexLayout.at(directory), manifest))
    except DenseUnavailable as error:
        return Check(
            "Vectors", False, f"the index has vectors, but their model is missing: {error}"
        )
    if not quick:
        advice = "Install react-local[onnx] to find similar titles by their meaning, too."
        return Check(
            "Vectors", True, "the index has vectors, and their model is installed (torch)", advice
        )
    return Check(
        "Vectors", True, "the index has vectors, and their model is installed (ONNX Runtime)"
    )


def _disk(home: Home) -> Check:
    place = next(path for path in (home.path, *home.path.parents) if path.exists())
    free = shutil.disk_usage(place).free
    text = f"{size(free)} free at {home.path}"
    if not os.access(place, os.W_OK):
        return Check(
            "Disk",
            False,
            f"{home.path} cannot be written",
            "Set REACT_LOCAL_HOME to another place.",
        )
    if free < _ROOM:
        return Check(
            "Disk", False, text, "Free some space, or set REACT_LOCAL_HOME to another disk."
        )
    return Check("Disk", True, text)
