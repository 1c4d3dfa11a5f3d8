"""The header of a GGUF file: the model's metadata, and whether the file is complete.

The layout is that of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.
Only the header is read; arrays (such as the vocabulary) are skipped.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

from react_local.errors import ModelError

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i",
    6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_MAX_KEY, _MAX_DIMENSIONS = 65_535, 8

# ggml's types: id -> (weights per block, bytes per block).
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip

# llama.cpp's `general.file_type`.
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M",
    30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip

_ENCODERS = {
    "bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "modern-bert",
    "neo-bert", "nomic-bert", "nomic-bert-moe", "t5", "t5encoder", "wavtokenizer-dec",
}  # fmt: skip
_DIFFUSION = {"dream", "llada", "llada-moe", "rnd1"}
_VOCABULARIES = {"gpt2", "llama", "plamo2", "rwkv"}
_BASE_WORDS = {"base", "pretrain", "pretrained", "pt"}
_TUNED_WORDS = {"assistant", "chat", "instruct", "it"}


@dataclass(frozen=True)
class GGUFHeader:
    """The content of a GGUF header; `metadata` does not include arrays."""

    path: Path
    file_size: int
    """Bytes."""
    expected_size: int
    """Bytes up to the end of the last tensor; more than `file_size` if the file is truncated."""
    tensor_count: int
    parameters: int
    """The number of weights in all tensors of this file."""
    metadata: Mapping[str, str | int | float | bool]
    vocabulary_size: int
    """The number of tokens; 0 if the file has none."""

    input_bytes: int
    """Bytes of the tensor that embeds tokens."""
    output_bytes: int
    """Bytes of the tensor that computes logits; 0 if that is the one that embeds tokens."""

    @cached_property
    def model_bytes(self) -> int:
        """Bytes of the file, or of all parts of a split model that are there."""
        count, name = self.metadata.get("split.count", 1), re.split(r"-\d{5}-of-", self.path.name)
        if not isinstance(count, int) or len(name) != 2:
            return self.file_size
        parts = (self.path.with_name(f"{name[0]}-{n + 1:05}-of-{name[1]}") for n in range(count))
        return sum(part.stat().st_size for part in parts if part.exists())

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    @property
    def name(self) -> str:
        return str(self.metadata.get("general.name") or self.path.stem)

    @property
    def context_length(self) -> int | None:
        """The number of tokens the model was trained for; None if unknown."""
        return self._of_architecture("context_length")

    @property
    def layers(self) -> int | None:
        return self._of_architecture("block_count")

    @property
    def heads(self) -> int | None:
        """The number of heads of an attention layer."""
        return self._of_architecture("attention.head_count")

    @property
    def sliding_window(self) -> int | None:
        return self._of_architecture("attention.sliding_window")

    @property
    def quantisation(self) -> str | None:
        number = self.metadata.get("general.file_type")
        return None if number is None else _FILE_TYPES.get(number, f"type {number}")

    @property
    def chat_template(self) -> str | None:
        template = self.metadata.get("tokenizer.chat_template")
        return str(template) if template else None

    @property
    def split_part(self) -> int:
        """The part of a split model that this is, from 1; 1 for a model in one file."""
        number = self.metadata.get("split.no")
        return number + 1 if isinstance(number, int) else 1

    @property
    def is_truncated(self) -> bool:
        return self.file_size < self.expected_size

    @cached_property
    def is_chat(self) -> bool:
        """Whether to use the model's chat template by default.

        Having a template is not enough, since base models often carry the template of their
        instruction-tuned sibling. So neither the names nor `finetune` may say that it is a base
        model, and in families that do not mark base models (Gemma) they must say that it is tuned.
        """
        said = (self.metadata.get(f"general.{k}", "") for k in ("name", "basename", "finetune"))
        words = set(re.split(r"[^a-z0-9]+", " ".join([*map(str, said), self.path.stem]).lower()))
        if self.chat_template is None or words & _BASE_WORDS:
            return False
        return not self.architecture.startswith("gemma") or bool(words & _TUNED_WORDS)

    @property
    def key_length(self) -> int | None:
        """The key length of an attention head; None if unknown."""
        width = self._of_architecture("embedding_length")
        return self._of_architecture("attention.key_length") or (
            width // self.heads if self.heads and width else None
        )

    def cache_bytes(self, tokens: int) -> int | None:
        """Bytes of a 16-bit key-value cache for `tokens`; None if the header lacks a size.

        An upper bound for models with sliding windows or shared cells.
        """
        heads = self.heads
        kv_heads = self._of_architecture("attention.head_count_kv") or heads
        width = self._of_architecture("embedding_length")
        if not (heads and kv_heads and width and self.layers):
            return None
        value = self._of_architecture("attention.value_length") or width // heads
        return 2 * tokens * self.layers * kv_heads * (self.key_length + value)

    def _of_architecture(self, key: str) -> int | None:
        value = self.metadata.get(f"{self.architecture}.{key}")
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def read_header(path: str | Path) -> GGUFHeader:
    """Read the header of a GGUF file, which may be truncated after it.

    Raises:
        ModelError: the file does not exist, is not a GGUF file, or ends inside its header.
    """
    path = Path(path)
    if path.is_dir():
        raise ModelError(f"{path} is a directory: name the .gguf file in it")
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if file.read(4) != b"GGUF":
                raise ModelError(f"{path} is not a GGUF file: llama.cpp's models end in .gguf")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(path, data, size).header()
    except FileNotFoundError:
        raise ModelError(
            f"no model file {path}: `react-local models` lists what there is"
        ) from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from None


def check_usable(header: GGUFHeader) -> None:
    """Raise ModelError, saying why, unless the file is a complete model that generates text."""
    path, metadata, architecture = header.path, header.metadata, header.architecture
    kind = metadata.get("general.type", "model")
    if header.is_truncated:
        missing = header.expected_size - header.file_size
        raise ModelError(f"{path} is truncated: {missing:,} bytes are missing, download it again")
    if architecture == "clip" or kind == "mmproj":
        raise ModelError(f"{path} is the projector of a vision model: name the model's own file")
    if kind != "model":
        raise ModelError(f"{path} is of type {kind!r}, not a model: name the model's own file")
    if header.split_part > 1:
        raise ModelError(f"{path} is part {header.split_part} of a model: name the first part")
    if architecture in _ENCODERS or metadata.get(f"{architecture}.pooling_type"):
        raise ModelError(
            f"{path} ({architecture}) computes embeddings: name a model that generates text"
        )
    if architecture in _DIFFUSION or metadata.get(f"{architecture}.attention.causal") is False:
        raise ModelError(
            f"{path} ({architecture}) does not generate from left to right: name another model"
        )
    if header.tensor_count == 0:
        raise ModelError(
            f"{path} contains only a vocabulary, without weights: name a complete model"
        )
    vocabulary = metadata.get("tokenizer.ggml.model", "none")
    if vocabulary not in _VOCABULARIES:
        raise ModelError(f"{path} has a vocabulary of kind {vocabulary!r}, which is not supported")


class _Reader:
    """A cursor over the mapped file that never reads or allocates beyond its end."""

    def __init__(self, path: Path, data: mmap.mmap, size: int) -> None:
        self.path, self.data, self.size, self.at = path, data, size, 4

    def header(self) -> GGUFHeader:
        version = self.scalar("<I")
        if not 0 < version < 100:  # which was never a version
            raise self.damaged()
        if version not in (2, 3):
            raise ModelError(
                f"{self.path} is in GGUF version {version}: only versions 2 and 3 are supported"
            )
        tensor_count, entries = self.count(24), self.count(13)
        metadata, lengths = {}, {}
        for _ in range(entries):
            key = self.string(_MAX_KEY)
            if (kind := self.scalar("<I")) == _ARRAY:
                lengths[key] = self.skip_array()
            else:
                metadata[key] = self.value(kind)
        ends, parameters, outer = [0], 0, {"token_embd.weight": 0, "output.weight": 0}
        for _ in range(tensor_count):
            name, weights, begin, end = self.tensor()
            parameters += weights
            if name in outer:
                outer[name] = end - begin
            ends.append(end)
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            raise self.damaged()
        start = -(-self.at // alignment) * alignment
        expected = start + max(ends) if tensor_count else self.at
        vocabulary = lengths.get("tokenizer.ggml.tokens", 0)
        return GGUFHeader(
            self.path,
            self.size,
            expected,
            tensor_count,
            parameters,
            metadata,
            vocabulary,
            *outer.values(),
        )

    def tensor(self) -> tuple[str, int, int, int]:
        """A tensor's name and number of weights; begin and end in bytes from the first tensor."""
        name = self.string(_MAX_KEY)
        dimensions = self.scalar("<I")
        if dimensions > _MAX_DIMENSIONS:
            raise self.damaged()
        weights = prod(self.scalar("<Q") for _ in range(dimensions))
        kind, offset = self.scalar("<I"), self.scalar("<Q")
        in_block, block_bytes = _BLOCKS.get(kind, (1, 0))
        return name, weights, offset, offset + weights // in_block * block_bytes

    def value(self, kind: int) -> str | int | float | bool:
        """The value at the cursor, which is not an array."""
        if kind == _STRING:
            return self.string(self.size)
        if kind not in _SCALARS:
            raise self.damaged()
        return self.scalar(_SCALARS[kind])

    def skip_array(self) -> int:
        """Skip the array at the cursor, and return its length."""
        kind = self.scalar("<I")
        if kind in _SCALARS:
            width = struct.calcsize(_SCALARS[kind])
            length = self.count(width)
            self.at += length * width
            return length
        if kind != _STRING:
            raise self.damaged()
        length = self.count(8)
        at, unpack, data = self.at, struct.Struct("<Q").unpack_from, self.data
        try:
            for _ in range(length):
                at += 8 + unpack(data, at)[0]
        except (struct.error, OverflowError):
            raise self.damaged() from None
        if at > self.size:
            raise self.damaged()
        self.at = at
        return length

    def string(self, longest: int) -> str:
        length = self.count(1)
        if length > longest:
            raise self.damaged()
        self.at += length
        return self.data[self.at - length : self.at].decode(errors="replace")

    def count(self, width: int) -> int:
        """A number of items of at least `width` bytes each, checked against the file size."""
        number = self.scalar("<Q")
        if number * width > self.size - self.at:
            raise self.damaged()
        return number

    def scalar(self, form: str) -> int | float | bool:
        try:
            (value,) = struct.unpack_from(form, self.data, self.at)
        except struct.error:
            raise self.damaged() from None
        self.at += struct.calcsize(form)
        return value

    def damaged(self) -> ModelError:
        return ModelError(f"{self.path} is damaged or truncated in its header: download it again")
