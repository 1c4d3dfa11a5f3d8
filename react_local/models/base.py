"""The interface between methods and models: the protocol `LanguageModel` and its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from react_local.types import Usage


class Role(StrEnum):
    """The speaker of a piece of a prompt; a chat template makes turns of them."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """The response of a tool, for models that call tools."""


@dataclass(frozen=True)
class Piece:
    """A part of a prompt: text, and its tokens if a model generated it.

    A prompt is a sequence of pieces. A base model reads their concatenated texts (each piece has
    its own newlines); a chat model reads the same pieces as the turns of its chat template. Each
    piece is tokenised separately and without special tokens, so a prompt that grows at its end
    keeps its tokens, and no text can forge the model's control tokens.
    """

    role: Role
    text: str
    tokens: tuple[int, ...] | None = None
    stable: bool = False
    """Whether it belongs to the beginning that all prompts of this kind share (instruction,
    exemplars), whose evaluated state a model may keep."""
    is_control: bool = False
    """Whether it is text of the model's template, in which control tokens are recognised."""
    tools: tuple[Tool, ...] = ()
    """The tools that may be called, for the template; given with the first piece."""


Tool = Mapping[str, Any]
"""A function as chat templates expect it: ``{"type": "function", "function": {"name": …}}``."""


@dataclass(frozen=True)
class ToolCall:
    """The format of a tool call in an assistant's turn of a chat template.

    The turn consists of a thought, `before`, the call in JSON (`grammars.Calls`), and `after`.
    """

    before: str
    after: str
    grammar: str
    """`before` as a Lark expression, with the model's control tokens."""


@dataclass(frozen=True)
class Generation:
    """A generated text that the grammar accepts, its tokens, and its cost."""

    text: str
    tokens: tuple[int, ...]
    usage: Usage


@dataclass(frozen=True)
class Scores:
    """The probabilities of several texts, in order, and the cost of computing them."""

    log_probabilities: tuple[float, ...]
    """Natural logarithms, for whole texts."""
    lengths: tuple[int, ...]
    """The number of tokens of each text."""
    usage: Usage


@runtime_checkable
class CallsTools(Protocol):
    """A model whose chat template may have a tool format."""

    def tool_call(self, tools: Sequence[Tool]) -> ToolCall | None:
        """The format of calls of these `tools`; None without one that fits our calls."""
        ...


class LanguageModel(Protocol):
    """What a method needs from a model; see `LlamaModel`, and `ScriptedModel` for tests."""

    name: str
    context_length: int
    """The maximum number of tokens of prompt and generated text together."""

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """Continue `prompt` with a text of `grammar` (Lark, llguidance's dialect).

        The text is always complete: the grammar is closed within `max_tokens`. Sampling depends
        only on `seed`, not on what was sampled before. `on_text` is called with each new part of
        the text as it is decoded. The longest prefix of the prompt that is still in the model's
        cache is not evaluated again.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
        """
        ...

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
        """Sample `n` independent texts of `grammar` after `prompt` at `temperature`.

        The i-th is sampled with `seed` + i, independently of the others except for rounding in a
        batch. Costs that all share are included in the usage of the first.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
        """
        ...

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        """The probability that the model continues `prompt` with each of `texts`.

        Raises:
            ContextTooSmall: prompt and a text exceed `context_length`.
        """
        ...

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """The number of tokens of `prompt` in the context."""
        ...
