"""How a model is run: its memory, devices, threads and adapters."""

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
"""Types of cached numbers: ggml's id of the type, and bytes per number."""

_NARROW = 64  # key length of an attention head
_QUANTISED = 2.0  # bytes per number, below which a type is quantised in blocks
_MOST_THREADS = 512  # ggml's GGML_MAX_N_THREADS


@dataclass(frozen=True)
class RuntimeOptions:
    """How llama.cpp runs a model. The defaults adapt to the machine.

    Raises:
        ModelError: a value is not valid, or two exclude each other.
    """

    context: int | Literal["auto"] | None = None
    """Context length in tokens. None: the model's training length, at most `DEFAULT_CONTEXT`;
    "auto": as many as fit in memory."""
    gpu_layers: int | Literal["auto"] = "auto"
    """Layers to put on GPUs; "auto": as many as fit in their free memory."""
    threads: int | None = None
    """Threads for generating; None: the number of idle physical cores at loading."""
    threads_batch: int | None = None
    """Threads for evaluating prompts; None: the same as for generating."""
    flash_attn: Literal["auto", "on", "off"] = "auto"
    """Flash attention; "auto" leaves it to llama.cpp, except for narrow heads on a CPU
    (`flash_attention`)."""
    cache_type_k: str = "f16"
    """The type of cached keys, one of `CACHE_TYPES`."""
    cache_type_v: str = "f16"
    """The type of cached values; quantised types need flash attention."""
    tensor_split: tuple[float, ...] = ()
    """The proportion of each GPU, in the order in which `doctor` lists them; empty: by their free
    memory."""
    main_gpu: int | None = None
    """The GPU, counted from 0, that gets all layers; None: they are split over all GPUs."""
    mmap: bool = True
    """Whether to map the file into memory instead of reading it."""
    mlock: bool = False
    """Whether to lock the weights in memory, so that they are never swapped out."""
    lora: tuple[tuple[str, float], ...] = ()
    """LoRA adapters (GGUF files) with their scales."""
    rpc: tuple[str, ...] = ()
    """Addresses (HOST:PORT) of llama.cpp's rpc-servers to put layers on. All data is sent to them
    unencrypted, so use them only on a trusted network."""

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
                f"values cached as {self.cache_type_v} need flash attention: leave it on, or use "
                "f16"
            )
        for count in (self.threads, self.threads_batch):
            if count is not None and not 0 < count <= _MOST_THREADS:
                yield f"a model runs on 1 to {_MOST_THREADS} threads, not on {count}"
        for share in self.tensor_split:
            if not isfinite(share) or share < 0:
                yield f"the share of a GPU is 0 or more, not {share}"
        if self.tensor_split and not any(self.tensor_split):
            yield "at least one GPU must have a share above 0"
        if self.tensor_split and self.main_gpu is not None:
            yield "layers go either to the main GPU or to all GPUs by share: leave one option out"
        for file, scale in self.lora:
            if not isfinite(scale):
                yield f"the scale of the adapter {file} is {scale}: use a finite number"

    def flash_attention(self, header: GGUFHeader, gpu_layers: int) -> Literal["auto", "on", "off"]:
        """The setting to pass to llama.cpp.

        On a CPU, its flash attention processes small numbers of rows one by one. With a key length
        of 64 (SmolLM2), 20 samples over 1,800 tokens took 320 ms with it and 198 ms without; only
        over a few tokens were many samples faster with it: 145 ms instead of 150 for 21.
        """
        narrow = header.key_length is not None and header.key_length <= _NARROW
        needed = CACHE_TYPES[self.cache_type_v][1] < _QUANTISED
        if self.flash_attn == "auto" and narrow and not (gpu_layers or needed):
            return "off"
        return self.flash_attn

    def cache_bytes(self, header: GGUFHeader, tokens: int) -> int:
        """Bytes of the cache for `tokens`; 0 if the header lacks a size."""
        numbers = (header.cache_bytes(tokens) or 0) / 4  # numbers in keys, and as many in values
        return int(
            numbers * (CACHE_TYPES[self.cache_type_k][1] + CACHE_TYPES[self.cache_type_v][1])
        )


def parse_endpoint(endpoint: str) -> tuple[str, int]:
    """The host and the port of an rpc-server.

    Raises:
        ModelError: it is not of the form HOST:PORT.
    """
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise ModelError(f"{endpoint!r} is not the address of an rpc-server: write HOST:PORT")
    return host, int(port)


def check_adapter(path: Path, model: GGUFHeader) -> None:
    """Raise ModelError, saying why, unless the file is a LoRA adapter for `model`."""
    if not path.exists():
        raise ModelError(f"no adapter file {path}: name a LoRA adapter in GGUF form")
    none = ModelError(f"{path} is not a LoRA adapter: name one that was converted to GGUF")
    try:
        header = read_header(path)
    except ModelError:
        raise none from None
    kind = header.metadata.get("general.type"), header.metadata.get("adapter.type")
    if kind != ("adapter", "lora"):
        raise none
    if header.is_truncated:
        raise ModelError(f"{path} is truncated: download it again")
    if header.architecture != model.architecture:
        raise ModelError(
            f"{path} is an adapter for {header.architecture}, and {model.name} is a "
            f"{model.architecture}: name one that was made for this model"
        )
