"""Small GGUF files, written from the format's description for the tests of its reader."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

F32, Q4_0 = 0, 2
TINY = {
    "general.architecture": "llama",
    "general.name": "Tiny Chat",
    "general.file_type": 15,
    "llama.context_length": 2048,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["a", "b", "é"],
    "tokenizer.ggml.scores": [0.5, 1.5, -1.0],
    "tokenizer.chat_template": "{{ messages }}",
}
ADAPTER = {
    "general.type": "adapter",
    "adapter.type": "lora",
    "adapter.lora.alpha": 4.0,
    "general.architecture": "llama",
}
TENSORS = (("token_embd.weight", (64, 3), F32), ("output.weight", (64, 4), Q4_0))


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def value(thing: Any) -> bytes:
    """A metadata value with its type."""
    if isinstance(thing, bool):
        return struct.pack("<I?", 7, thing)
    if isinstance(thing, int):
        return struct.pack("<II", 4, thing)
    if isinstance(thing, float):
        return struct.pack("<If", 6, thing)
    if isinstance(thing, str):
        return struct.pack("<I", 8) + string(thing)
    parts = [value(element) for element in thing]
    kind = struct.unpack("<I", parts[0][:4])[0] if parts else 4
    kind = 5 if kind == 4 else kind  # whole numbers are signed in arrays
    return struct.pack("<IIQ", 9, kind, len(parts)) + b"".join(part[4:] for part in parts)


def gguf(
    metadata: Mapping[str, Any] = TINY,
    tensors: Sequence[tuple[str, tuple[int, ...], int]] = TENSORS,
    version: int = 3,
) -> bytes:
    """The bytes of a file whose tensors are all zero."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    header += b"".join(string(key) + value(thing) for key, thing in metadata.items())
    offset = 0
    for name, shape, kind in tensors:
        header += string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        header += struct.pack("<IQ", kind, offset)
        weights = 1
        for dimension in shape:
            weights *= dimension
        offset += weights * 4 if kind == F32 else weights // 32 * 18
    return header.ljust(-(-len(header) // 32) * 32, b"\0") + bytes(offset)


def changed(**metadata: Any) -> dict[str, Any]:
    """`TINY` with some keys (dots as double underscores) set, or taken out where None."""
    new = {key.replace("__", "."): thing for key, thing in metadata.items()}
    return {key: thing for key, thing in {**TINY, **new}.items() if thing is not None}


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6
WORDS = (
    "\u2581",
    "a",
    "b",
    "o",
    "\u2581a",
    "\u2581b",
    "ab",
    "\u2581ab",
    "th",
    "\u2581th",
    "東",
    "é",
)


def vocabulary_file(directory: Path, *, blank_first: bool) -> Path:
    """A file with a SentencePiece vocabulary alone: control tokens, a control-like one, bytes and a
    few words."""
    metadata = {**_words(), "tokenizer.ggml.add_space_prefix": blank_first}
    return write(directory / "vocabulary.gguf", gguf(metadata, tensors=()))


def model_file(directory: Path) -> Path:
    """A model of one layer over that vocabulary that llama.cpp runs; its weights are random."""
    metadata = {**_words(), "general.name": "Tiny", "llama.context_length": 4096}
    size = len(metadata["tokenizer.ggml.tokens"])
    shapes = {"token_embd": (32, size), "output": (32, size), "output_norm": (32,)}
    shapes |= {f"blk.0.{name}_norm": (32,) for name in ("attn", "ffn")}
    shapes |= {f"blk.0.attn_{name}": (32, 32) for name in ("q", "k", "v", "output")}
    shapes |= {f"blk.0.ffn_{name}": (32, 32) for name in ("gate", "up", "down")}
    tensors = [(f"{name}.weight", shape, F32) for name, shape in shapes.items()]
    return write(directory / "tiny.gguf", filled(gguf(metadata, tensors), tensors))


def adapter_file(
    path: Path, architecture: str, shape: tuple[int, int], *, spread: float = 0.5
) -> Path:
    """A LoRA adapter of rank 4 over the values of the first layer; its weights are random."""
    (into, out_of), name = shape, "blk.0.attn_v.weight"
    tensors = [(f"{name}.lora_a", (into, 4), F32), (f"{name}.lora_b", (4, out_of), F32)]
    data = gguf({**ADAPTER, "general.architecture": architecture}, tensors)
    return write(path, filled(data, tensors, spread))


def filled(data: bytes, tensors: Sequence[tuple], spread: float = 1.0) -> bytes:
    """`data` with random numbers in its tensors, which are of 32 bits."""
    count = sum(prod(shape) for _, shape, _ in tensors)
    numbers = np.random.default_rng(3).normal(size=count).astype(np.float32) * np.float32(spread)
    return data[: -numbers.nbytes] + numbers.tobytes()


def _words() -> dict[str, Any]:
    tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), ("<think>", USER)]
    tokens += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    tokens += [(word, NORMAL) for word in WORDS]
    return {
        "general.architecture": "llama",
        "llama.context_length": 64,
        "llama.embedding_length": 32,
        "llama.block_count": 1,
        "llama.feed_forward_length": 32,
        "llama.attention.head_count": 1,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [text for text, _ in tokens],
        "tokenizer.ggml.scores": [-float(i) for i in range(len(tokens))],
        "tokenizer.ggml.token_type": [kind for _, kind in tokens],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
