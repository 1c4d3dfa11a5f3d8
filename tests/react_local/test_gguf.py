"""The reader of GGUF headers: what it reads, what it refuses, and that nothing gets it down."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path
from typing import Any

import pytest
from gguf_files import TINY, changed, gguf, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starters import starter_path

from react_local.errors import ModelError
from react_local.models.gguf import _BLOCKS, check_usable, read_header


def test_it_reads_what_a_file_says_of_itself(tmp_path: Path) -> None:
    data = gguf()
    header = read_header(write(tmp_path / "tiny.gguf", data))
    assert (header.name, header.architecture, header.quantisation) == (
        "Tiny Chat",
        "llama",
        "Q4_K_M",
    )
    assert (header.context_length, header.layers, header.tensor_count) == (2048, 2, 2)
    assert (header.vocabulary_size, header.heads, header.key_length) == (3, 4, 16)
    assert header.parameters == 64 * 3 + 64 * 4
    assert header.chat_template == "{{ messages }}"
    assert "tokenizer.ggml.tokens" not in header.metadata
    assert header.file_size == header.expected_size == len(data)
    assert header.cache_bytes(100) == 2 * 100 * 2 * 2 * (16 + 16)
    assert (header.input_bytes, header.output_bytes) == (64 * 3 * 4, 64 * 4 // 32 * 18)
    check_usable(header)


def test_a_split_model_has_the_bytes_of_all_its_parts(tmp_path: Path) -> None:
    data = gguf(changed(split__no=0, split__count=3))
    names = [f"a[1]-0000{number}-of-00003.gguf" for number in (1, 2)]
    paths = [write(tmp_path / name, data) for name in names]
    assert read_header(paths[0]).model_bytes == 2 * len(data)  # the third part is not there
    assert read_header(write(tmp_path / "b.gguf", data)).model_bytes == len(data)


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data, path = gguf(), tmp_path / "cut.gguf"
    tensors = len(data) - 4 * 64 * 3 - 18 * 2 * 4
    for length in (*range(tensors), *range(tensors, len(data), 97), len(data) - 1):
        with pytest.raises(ModelError, match=r"GGUF|damaged|truncated") as error:
            check_usable(read_header(write(path, data[:length])))
        assert "\n" not in str(error.value)


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_damage_is_an_error_of_ours_or_none(data: st.DataObject, tmp_path: Path) -> None:
    bytes_ = bytearray(gguf())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(4, len(bytes_) - 1))
        patch = data.draw(st.binary(min_size=1, max_size=12) | st.just(b"\xff" * 8))
        bytes_[start : start + len(patch)] = patch
    try:
        header = read_header(write(tmp_path / "damaged.gguf", bytes(bytes_)))
        check_usable(header)
    except ModelError:
        return
    said = (header.name, header.quantisation, header.is_chat, header.cache_bytes(4096))
    assert len(said) == 4


@given(data=st.binary(max_size=400))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        check_usable(read_header(write(tmp_path / "random.gguf", b"GGUF" + data)))


@pytest.mark.parametrize("count", [2**63, 2**40, 2**64 - 1])
@pytest.mark.parametrize("at", [8, 16])
def test_huge_counts_cost_nothing(tmp_path: Path, count: int, at: int) -> None:
    data = bytearray(gguf())
    data[at : at + 8] = struct.pack("<Q", count)
    with pytest.raises(ModelError, match="damaged"):
        read_header(write(tmp_path / "huge.gguf", bytes(data)))


def test_what_is_no_model_file_is_said_in_a_line(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path / "none.gguf", "no model file"),
        (tmp_path, "is a directory"),
        (write(tmp_path / "empty.gguf", b""), "is not a GGUF file"),
        (write(tmp_path / "page.gguf", b"<html>"), "is not a GGUF file"),
        (write(tmp_path / "old.gguf", gguf(version=1)), "version 1"),
        (write(tmp_path / "garbled.gguf", gguf(version=3 << 24)), "is damaged"),
        (write(tmp_path / "zeros.gguf", b"GGUF" + bytes(100)), "is damaged"),
    ):
        with pytest.raises(ModelError, match=says):
            read_header(path)


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        (changed(general__architecture="bert"), "computes embeddings"),
        (changed(general__architecture="nomic-bert"), "computes embeddings"),
        (changed(general__architecture="jina-bert-v2"), "computes embeddings"),
        (changed(general__architecture="t5encoder"), "computes embeddings"),
        (changed(llama__pooling_type=3), "computes embeddings"),
        (changed(llama__attention__causal=False), "left to right"),
        (changed(general__architecture="clip"), "projector"),
        (changed(general__type="mmproj"), "projector"),
        (changed(general__type="adapter"), "of type 'adapter'"),
        (changed(split__no=1, split__count=3), "part 2 of a model"),
        (changed(tokenizer__ggml__model="t5"), "vocabulary of kind 't5'"),
        (changed(tokenizer__ggml__model=None), "vocabulary of kind 'none'"),
    ],
)
def test_what_writes_no_text_is_refused(
    tmp_path: Path, metadata: dict[str, Any], says: str
) -> None:
    with pytest.raises(ModelError, match=says):
        check_usable(read_header(write(tmp_path / "other.gguf", gguf(metadata))))


def test_a_vocabulary_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="only a vocabulary"):
        check_usable(read_header(write(tmp_path / "vocabulary.gguf", gguf(TINY, tensors=()))))


@pytest.mark.parametrize(
    ("metadata", "file", "is_chat"),
    [
        ({}, "tiny.gguf", True),
        ({"tokenizer__chat_template": None}, "tiny.gguf", False),
        ({"general__name": "Qwen3 4B"}, "Qwen3-4B.gguf", True),
        ({"general__name": "Qwen3 4B Base"}, "Qwen3.gguf", False),
        ({"general__name": "Tiny", "general__finetune": "Base"}, "tiny.gguf", False),
        ({"general__architecture": "gemma3", "general__name": "Gemma 3 270m"}, "g.gguf", False),
        ({"general__architecture": "gemma3", "general__name": "Gemma 3 4b It"}, "g.gguf", True),
        ({"general__architecture": "gemma3", "general__name": "x"}, "gemma-3-4b-it-Q4.gguf", True),
        ({"general__architecture": "gemma3", "general__finetune": "pt"}, "gemma-it.gguf", False),
    ],
)
def test_a_base_model_is_told_from_a_chat_model(
    tmp_path: Path, metadata: dict[str, Any], file: str, is_chat: bool
) -> None:
    header = read_header(write(tmp_path / file, gguf(changed(**metadata))))
    assert header.is_chat is is_chat


def test_the_sizes_of_blocks_are_ggmls() -> None:
    from llama_cpp._ggml import libggml

    libggml.ggml_type_size.restype = ctypes.c_size_t
    libggml.ggml_blck_size.restype = ctypes.c_int64
    for kind, (weights, size) in _BLOCKS.items():
        assert (libggml.ggml_blck_size(kind), libggml.ggml_type_size(kind)) == (weights, size), kind


@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "quantisation", "context", "layers", "is_chat"),
    [("gemma", "Q4_K_M", 32_768, 18, False), ("smollm2", "Q4_1", 8192, 30, True)],
)
def test_the_starter_models(
    pytestconfig: pytest.Config,
    name: str,
    quantisation: str,
    context: int,
    layers: int,
    is_chat: bool,
) -> None:
    header = read_header(starter_path(name, pytestconfig.cache))
    check_usable(header)
    assert (header.quantisation, header.context_length) == (quantisation, context)
    assert (header.layers, header.is_chat) == (layers, is_chat)
    assert header.file_size == header.expected_size
