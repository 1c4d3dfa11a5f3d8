"""How a model is run: its memory, its devices, its threads, its adapters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal

from react_local.errors import ModelError
from react_local.models.gguf import GGUFHeader, read_header

CACHE_TYPES = {
    "f32": (0, 4.0), "f16": (1, 2.0), "bf16": (30, 2.0), "q8_0": (8, 34 / 32),
    "q5_1": (7, 24 / 32), "q5_0": (6, 22 / 32), "q4_1": (3, 20 / 32), "q4_0": (2, 18 / 32),
    "iq4_nl": (20, 18 / 32),
}  # fmt: skip
"""Types of a cache's numbers: ggml's number, and bytes each takes."""

_NARROW = 64  # numbers in a key of an attention head
_QUANTISED = 2.0  # bytes, below which a type is made of blocks
_MOST_THREADS = 512  # ggml's GGML_MAX_N_THREADS


@dataclass(frozen=True)
class RuntimeOptions:
    """How llama.cpp runs a model. The defaults suit a machine that nobody has measured.

    Raises:
        ModelError: the values cannot be had together.
    """

    context: int | Literal["auto"] | None = None
    """Tokens; None takes the model's own length, at most `DEFAULT_CONTEXT`; "auto" as many as fit
    the memory."""
    gpu_layers: int | Literal["auto"] = "auto"
    """Layers to put on GPUs; "auto" as many as their free memory holds."""
    threads: int | None = None
    """Threads that generate; None takes the physical cores that stand idle at loading."""
    threads_batch: int | None = None
    """Threads that evaluate prompts; None takes as many as generate."""
    flash_attn: Literal["auto", "on", "off"] = "auto"
    """"auto" leaves it to llama.cpp, but for narrow heads on a CPU (`flash_attention`)."""
    cache_type_k: str = "f16"
    """What keys are kept as, of `CACHE_TYPES`."""
    cache_type_v: str = "f16"
    """What values are kept as; quantised ones need flash attention."""
    tensor_split: tuple[float, ...] = ()
    """The share of each GPU, in the order in which `doctor` lists them; empty: by the memory that
    they have to spare."""
    main_gpu: int | None = None
    """The GPU, from 0, that has all the layers; None: they are split over all GPUs."""
    mmap: bool = True
    """Map the file into memory; else read it."""
    mlock: bool = False
    """Keep the weights from being swapped out."""
    lora: tuple[tuple[str, float], ...] = ()
    """LoRA adapters, GGUF files, with their scales."""
    rpc: tuple[str, ...] = ()
    """Machines (host:port) that run llama.cpp's rpc-server, to put layers on. They are trusted
    with everything, unencrypted: for trusted networks only."""

    def __post_init__(self) -> None:
        if problem := next(self._problems(), None):
            raise ModelError(problem)
        for endpoint in self.rpc:
            parse_endpoint(endpoint)

    def _problems(self) -> Iterator[str]:
        for name in (self.cache_type_k, self.cache_type_v):
            if name not in CACHE_TYPES:
                yield f"no cache type {name!r}: there are {', '.join(CACHE_TYPES)}"
        if CACHE_TYPES[self.cache_type_v][1] < _QUANTISED and self.flash_attn == "off":
            yield (
                f"values kept as {self.cache_type_v} need flash attention: leave it on, or keep "
                "them as f16"
            )
        for count in (self.threads, self.threads_batch):
            if count is not None and not 0 < count <= _MOST_THREADS:
                yield f"a model runs on 1 to {_MOST_THREADS} threads, and not on {count}"
        for share in self.tensor_split:
            if not isfinite(share) or share < 0:
                yield f"a GPU has a share of 0 or more, and not of {share}"
        if self.tensor_split and not any(self.tensor_split):
            yield "some GPU must have a share of more than 0"
        if self.tensor_split and self.main_gpu is not None:
            yield "the layers go to the main GPU, or each GPU has its share: leave out one of both"
        for file, scale in self.lora:
            if not isfinite(scale):
                yield f"the scale of the adapter {file} is {scale}: name a finite number"

    def flash_attention(self, header: GGUFHeader, gpu_layers: int) -> Literal["auto", "on", "off"]:
        """What to ask llama.cpp for.

        On a CPU its flash attention goes over few rows one by one. With heads of 64 numbers
        (SmolLM2) 20 samples over 1,800 tokens took 320 ms with it and 198 without; only over a few
        tokens were many samples faster with it, 21 of them by 145 ms to 150.
        """
        narrow = header.key_length is not None and header.key_length <= _NARROW
        needed = CACHE_TYPES[self.cache_type_v][1] < _QUANTISED
        if self.flash_attn == "auto" and narrow and not (gpu_layers or needed):
            return "off"
        return self.flash_attn

    def cache_bytes(self, header: GGUFHeader, tokens: int) -> int:
        """Bytes of the cache for `tokens`; 0 where the header lacks a size."""
        numbers = (header.cache_bytes(tokens) or 0) / 4  # of keys, and as many of values
        return int(
            numbers * (CACHE_TYPES[self.cache_type_k][1] + CACHE_TYPES[self.cache_type_v][1])
        )


def parse_endpoint(endpoint: str) -> tuple[str, int]:
    """Host and port of an rpc-server.

    Raises:
        ModelError: it is not of the form HOST:PORT.
    """
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise ModelError(f"{endpoint!r} is no address of an rpc-server: write HOST:PORT")
    return host, int(port)


def check_adapter(path: Path, model: GGUFHeader) -> None:
    """Raise ModelError, saying why, unless the file is a LoRA adapter for `model`."""
    if not path.exists():
        raise ModelError(f"no adapter file {path}: name a LoRA adapter in GGUF form")
    none = ModelError(f"{path} is no LoRA adapter: name one that was converted to GGUF")
    try:
        header = read_header(path)
    except ModelError:
        raise none from None
    kind = header.metadata.get("general.type"), header.metadata.get("adapter.type")
    if kind != ("adapter", "lora"):
        raise none
    if header.is_truncated:
        raise ModelError(f"{path} breaks off: fetch it again")
    if header.architecture != model.architecture:
        raise ModelError(
            f"{path} is an adapter for {header.architecture}, and {model.name} is a "
            f"{model.architecture}: name one that was made for this model"
        )
