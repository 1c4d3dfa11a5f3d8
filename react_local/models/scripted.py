"""A model that follows a script: the public test double, for testing code that uses this package.

    from react_local import ScriptedModel, react

    model = ScriptedModel(
        [
            "Thought 1: I need to search Rome.\\nAction 1: Search[Rome]",
            "Thought 2: Rome lies on the Tiber.\\nAction 2: Finish[Tiber]",
        ]
    )

It is deterministic, needs no file, and has one token per byte. Like `LlamaModel`, it caches the
prefix of its prompt and raises an error if the context is full. A text that the grammar of the step
does not allow is rejected, so a script cannot test what cannot happen. If a step is generated in
parts, its script is returned in parts: each as far as the grammar of the part goes, and again if
the next prompt does not continue it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING

from grammars import Grammar
from grammars.repeats import fold
from react_local.models.base import Generation, Piece, Scores
from react_local.models.context import check_fits, common_prefix
from react_local.types import Usage

if TYPE_CHECKING:
    from llguidance import LLTokenizer

Script = Sequence[str] | Callable[[Sequence[Piece]], str]


class ScriptedModel:
    """A `LanguageModel` that returns scripted texts, one per call.

    Args:
        script: the texts in order, or a function from the prompt to the next text.
        context_length: the maximum number of bytes of prompt and text together.
    """

    def __init__(
        self, script: Script, *, name: str = "scripted", context_length: int = 65_536
    ) -> None:
        self.name = name
        self.context_length = context_length
        self.notes: tuple[str, ...] = ()
        self.prompts: list[tuple[Piece, ...]] = []
        """The prompts it was called with, for tests to inspect."""
        self._next = script if callable(script) else _in_turn(script)
        self._held: tuple[int, ...] = ()
        self._rest = ""
        """The rest of a text after the parts that were returned."""
        self._trial: tuple[tuple[Piece, ...], str] | None = None
        """The last part that was returned, unless it was a first one, and the prompt before it."""

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """The script's next text. See `LanguageModel.generate`.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
            ValueError: the script has ended, or its text is not allowed by `grammar` or longer than
                `max_tokens`.
        """
        started = perf_counter()
        tokens = _tokens(prompt)
        check_fits(len(tokens), max_tokens, self.context_length)
        self.prompts.append(tuple(prompt))
        is_later_part = self._has_rest(prompt)
        text = self._rest or self._next(prompt)
        if len(text.encode()) > max_tokens:
            raise ValueError(f"the scripted text is longer than {max_tokens} bytes: {text!r}")
        text, self._rest = first_part(text, grammar)
        self._trial = (tuple(prompt), text) if is_later_part else None
        written = tuple(text.encode())
        if on_text is not None:
            for character in text:
                on_text(character)
        kept = min(common_prefix(tokens, self._held), max(len(tokens) - 1, 0))
        self._held = tokens + written[:-1]
        usage = Usage(len(tokens) - kept, kept, len(written), perf_counter() - started)
        return Generation(text, written, usage)

    def sample(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        n: int,
        *,
        temperature: float,
        seed: int,
        max_tokens: int,
    ) -> list[Generation]:
        """The script's next `n` texts. See `LanguageModel.sample`."""
        return [
            self.generate(prompt, grammar, max_tokens=max_tokens, seed=seed + place)
            for place in range(n)
        ]

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        """0 for the text that the script continues with, less for others. See
        `LanguageModel.score`.

        Raises:
            ValueError: the script continues with none of `texts`.
        """
        if not self._has_rest(prompt):
            self._rest = self._next(prompt)
        said = fold(self._rest)
        found = tuple(0.0 if fold(text) == said else -100.0 for text in texts)
        if 0.0 not in found:
            raise ValueError(f"the script continues with {self._rest!r}, which is none of {texts}")
        return Scores(found, tuple(len(text.encode()) for text in texts), Usage())

    def _has_rest(self, prompt: Sequence[Piece]) -> bool:
        """Whether a text is continued; a part after the same prompt was a trial and is put back."""
        if self._trial is not None and self._trial[0] == tuple(prompt):
            self._rest = self._trial[1] + self._rest
        self._trial = None
        return bool(self._rest)

    def spell(self, tokens: Sequence[int]) -> str:
        """The text of these bytes. See `LlamaModel.spell`."""
        return bytes(token for token in tokens if 0 <= token < 256).decode(errors="replace")

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """Bytes of the prompt."""
        return len(_tokens(prompt))


def check_form(text: str, grammar: str) -> None:
    """Raise ValueError, saying where it differs, unless `text` is a complete text of `grammar`."""
    written, rest = first_part(text, grammar)
    if rest:
        raise ValueError(f"the grammar does not allow {rest!r} after {written!r} in {text!r}")


def first_part(text: str, grammar: str) -> tuple[str, str]:
    """`text` split where a complete text of `grammar` must end.

    Raises:
        ValueError: it differs from the grammar before, or ends before.
    """
    from llguidance import LLMatcher

    matcher = LLMatcher(_byte_tokenizer(), grammar, log_level=0)
    if matcher.is_error():
        raise ValueError(f"the grammar does not compile: {matcher.get_error().splitlines()[0]}")
    written = text.encode()
    accepted = matcher.try_consume_tokens(list(written))
    consumed = written[:accepted].decode(errors="ignore")
    before = _not_excluded(consumed, grammar)
    if before != consumed or (accepted < len(written) and not matcher.is_stopped()):
        raise ValueError(
            f"the grammar does not allow {text[len(before) :]!r} after {before!r} in {text!r}"
        )
    if not matcher.is_accepting():
        raise ValueError(f"the text is not complete by the grammar: {text!r}")
    return before, text[len(before) :]


def _not_excluded(text: str, grammar: str) -> str:
    """`text` as far as `grammar` does not exclude it."""
    ends = range(1, len(text) + 1) if isinstance(grammar, Grammar) else ()
    return next((text[: end - 1] for end in ends if grammar.excludes(text[:end])), text)


def _tokens(prompt: Sequence[Piece]) -> tuple[int, ...]:
    return tuple(
        token for piece in prompt for token in (piece.tokens or tuple(piece.text.encode()))
    )


def _in_turn(texts: Sequence[str]) -> Callable[[Sequence[Piece]], str]:
    remaining: Iterator[str] = iter(texts)

    def following(_: Sequence[Piece]) -> str:
        text = next(remaining, None)
        if text is None:
            raise ValueError(f"the script has ended: all its {len(texts)} texts were used")
        return text

    return following


class _Bytes:
    """A vocabulary of 256 bytes and an end token, in the form that llguidance expects."""

    eos_token_id = 256
    bos_token_id = None
    tokens = (*(bytes([i]) for i in range(256)), b"<end>")
    special_token_ids = (256,)

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@lru_cache(maxsize=1)
def _byte_tokenizer() -> LLTokenizer:
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(_Bytes()))
