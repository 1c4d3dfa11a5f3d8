"""A model's vocabulary: tokenisation and detokenisation, byte for byte."""

from __future__ import annotations

import ctypes
import re
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from grammars.react import quoted
from react_local.models.library import llama

if TYPE_CHECKING:
    from llguidance import LLTokenizer

_LONGEST_TOKEN = 16_384  # bytes
_BRACKETED = re.compile(rb"<[^<>\s]+>|\[[^\[\]\s]+\]")
_ANY_BRACKETED = re.compile(rb"(?=(%b))" % _BRACKETED.pattern)  # also nested ones


class Vocabulary:
    """The tokeniser of one loaded model."""

    def __init__(self, model: ctypes.c_void_p) -> None:
        self._library = llama()
        self._handle = self._library.llama_model_get_vocab(model)
        self.size = self._library.llama_vocab_n_tokens(self._handle)

    @cached_property
    def texts(self) -> list[bytes]:
        """The bytes of each token in UTF-8, which may begin and end inside a character.

        Empty for control tokens, and for those that look like text but that models are trained to
        treat as control tokens (``<think>``, ``<start_of_image>``).
        """
        read, handle = self._library.llama_token_to_piece, self._handle
        buffer = ctypes.create_string_buffer(_LONGEST_TOKEN)
        texts = [
            buffer[: max(read(handle, token, buffer, _LONGEST_TOKEN, 0, False), 0)]
            for token in range(self.size)
        ]
        for token, text in enumerate(texts):
            if text[:1] in (b"<", b"[") and self._is_control_like(token, text):
                texts[token] = b""
        return texts

    @cached_property
    def constraint_tokenizer(self) -> LLTokenizer:
        """The vocabulary for llguidance, byte for byte, so that no token is lost."""
        from llguidance import LLTokenizer

        marked = [text or b"\xff<%d>" % token for token, text in enumerate(self.texts)]
        library = self._library.llama_cpp._lib
        return LLTokenizer.from_llamacpp(
            tokens=marked,
            vocab_ptr=self._handle,
            tokenize_fptr=ctypes.cast(library.llama_tokenize, ctypes.c_void_p).value,
            eos_token=self._library.llama_vocab_eos(self._handle),
            slices=[],  # for unbounded strings, and cost half a second at 262,144 tokens
        )

    def bos(self) -> int | None:
        """The token at the beginning of every text, if the vocabulary requires one."""
        if not self._library.llama_vocab_get_add_bos(self._handle):
            return None
        return self._library.llama_vocab_bos(self._handle)

    def name_of(self, token: int) -> str:
        """The text of a control token in templates; empty if there is no such token."""
        text = self._library.llama_vocab_get_text(self._handle, token) if token >= 0 else b""
        return text.decode(errors="replace")

    def control_names(self) -> tuple[str, str]:
        """The texts of the tokens that begin and end a text."""
        bos = self._library.llama_vocab_bos(self._handle)
        return self.name_of(bos), self.name_of(self._library.llama_vocab_eos(self._handle))

    def read_template(self, text: str) -> list[int]:
        """The tokens of a template's text, including control tokens."""
        return self._tokenise(text.encode(), special=True)

    def as_grammar(self, text: str) -> str:
        """A template's text as a Lark expression, with control tokens by their ids."""
        runs = groupby(self.read_template(text), key=lambda token: bool(self.texts[token]))
        parts = []
        for is_text, tokens in runs:
            if is_text:
                parts.append(quoted(b"".join(self.texts[token] for token in tokens).decode()))
            else:
                parts += [f"<[{token}]>" for token in tokens]
        return " ".join(parts)

    def read(self, text: str) -> list[int]:
        """The tokens of plain text, none of which is a control token."""
        tokens = []
        for part in self._unforged(text.encode(errors="replace")):
            tokens += self._tokenise(part, special=False)
        return tokens

    def _unforged(self, text: bytes) -> list[bytes]:
        """`text` split inside everything that llama.cpp would take for a control-like token."""
        cuts = [m.start() + 1 for m in _ANY_BRACKETED.finditer(text) if m[1] in self._control_like]
        return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    @cached_property
    def _control_like(self) -> frozenset[bytes]:
        """Texts of user-defined tokens in brackets, which llama.cpp recognises in any text."""
        return frozenset(
            self._library.llama_vocab_get_text(self._handle, token)
            for token, text in enumerate(self.texts)
            if not text
        )

    def _is_control_like(self, token: int, text: bytes) -> bool:
        attributes = self._library.llama_vocab_get_attr(self._handle, token)
        user_defined = attributes & self._library.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(user_defined and _BRACKETED.fullmatch(text))

    def _tokenise(self, text: bytes, *, special: bool) -> list[int]:
        # Some vocabularies put a blank before any text. A line break before the text, which is a
        # token of its own there, takes the blank, and both are removed again.
        prefix = self._prefix
        tokens = self._call(prefix[0] + text, special)
        return tokens[prefix[1] :]

    @cached_property
    def _prefix(self) -> tuple[bytes, int]:
        plain, broken = self._call(b"a", False), self._call(b"\na", False)
        if b"".join(self.texts[token] for token in plain) == b"a":
            return b"", 0
        head = self._call(b"\n", False)
        return (b"\n", len(head)) if broken[: len(head)] == head else (b"", 0)

    def _call(self, text: bytes, special: bool) -> list[int]:
        room = len(text) + 8
        while True:
            array = (self._library.llama_token * room)()
            count = self._library.llama_tokenize(
                self._handle, text, len(text), array, room, False, special
            )
            if count >= 0:
                return array[:count]
            room = -count
