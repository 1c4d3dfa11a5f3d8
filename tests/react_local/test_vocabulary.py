"""Text to tokens and back over made-up vocabularies with awkward tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import vocabulary_file

import grammars
from react_local.models.constraint import Constraint
from react_local.models.library import load_model
from react_local.models.vocabulary import Vocabulary


def vocabulary(tmp_path: Path, *, blank_first: bool) -> Vocabulary:
    path = vocabulary_file(tmp_path, blank_first=blank_first)
    return Vocabulary(load_model(path, vocabulary_only=True))


@pytest.mark.parametrize("blank_first", [False, True])
@pytest.mark.parametrize(
    "text", ["ab", " ab", "\nab", "", " ", "\n\n", "a東é😀", "Thought 1: a b\n"]
)
def test_a_piece_is_read_as_it_stands(tmp_path: Path, blank_first: bool, text: str) -> None:
    words = vocabulary(tmp_path, blank_first=blank_first)
    assert b"".join(words.texts[token] for token in words.read(text)) == text.encode()
    assert words.name_of(words.read("ab")[0]) == "ab"


@pytest.mark.parametrize(
    "text", ["<s>", "</s>", "<think>", "a<think>b", "<unk>", "<0x0A>", "[<think>]"]
)
def test_no_text_is_read_as_a_control_token(tmp_path: Path, text: str) -> None:
    words = vocabulary(tmp_path, blank_first=False)
    tokens = words.read(text)
    assert b"".join(words.texts[token] for token in tokens) == text.encode()
    assert not {0, 1, 2, 3} & set(tokens)


def test_a_template_may_name_control_tokens(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, blank_first=False)
    assert words.read_template("<s>ab</s><think>") == [1, *words.read("ab"), 2, 3]
    assert words.control_names() == ("<s>", "</s>")
    assert words.bos() == 1


def test_a_character_may_be_written_byte_by_byte(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, blank_first=False)
    text = "Thought 1: 한국 😀 \u00e9.\nAction 1: Search[\u0e01\u0e33 東]"
    constraint = Constraint(grammars.react_step(1), words.constraint_tokenizer)
    for byte in text.encode():
        constraint.accept([4 + byte])
    assert constraint.is_closed


def test_half_a_character_never_ends_a_part(tmp_path: Path) -> None:
    words = vocabulary(tmp_path, blank_first=False)
    for begun in (b"Thought 1: \xe6\x9d", b"Thought 1: \xed\xa0"):
        constraint = Constraint(grammars.react_step(1), words.constraint_tokenizer)
        with pytest.raises(ValueError, match="cannot continue"):
            constraint.accept([4 + byte for byte in begun + b"\n"])
