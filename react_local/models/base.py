"""The seam between methods and models: one method that generates a step under a grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from react_local.types import Usage


class Role(StrEnum):
    """Who speaks a piece of a prompt; a chat template turns it into turns."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """What a tool answers, for models that call tools."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a prompt: text, and its tokens where a model generated it.

    A prompt is a sequence of pieces. A base model reads their texts one after the other, as they
    stand (each piece carries its own newlines); an instruction model reads the same pieces as the
    turns of its chat template. A piece is tokenised by itself and without special tokens, so a
    prompt that grows at its end keeps the tokens it had, and no text can forge the model's own
    control tokens.
    """

    role: Role
    text: str
    tokens: tuple[int, ...] | None = None
    stable: bool = False
    """Whether every prompt of this kind begins with it (instruction, exemplars): a model may
    keep what it made of such pieces."""
    is_control: bool = False
    """Whether it is text of the model's own template, whose control tokens are meant."""
    tools: tuple[Tool, ...] = ()
    """What may be called, for the template to tell; with the first piece."""


Tool = Mapping[str, Any]
"""A function as chat templates take it: ``{"type": "function", "function": {"name": …}}``."""


@dataclass(frozen=True)
class ToolCall:
    """How a chat template writes a tool's call in an assistant's turn.

    The turn is a thought, `before`, the call in JSON (`grammars.Calls`), `after`.
    """

    before: str
    after: str
    grammar: str
    """`before` in Lark, with the model's own control tokens."""


@dataclass(frozen=True)
class Generation:
    """What a model wrote: text that the grammar accepts, the tokens it is made of, its cost."""

    text: str
    tokens: tuple[int, ...]
    usage: Usage


@dataclass(frozen=True)
class Scores:
    """How likely a model finds each of some texts, in their order, and what that cost."""

    log_probabilities: tuple[float, ...]
    """Natural logarithms, of whole texts."""
    lengths: tuple[int, ...]
    """Tokens of each text."""
    usage: Usage


@runtime_checkable
class CallsTools(Protocol):
    """A model whose chat template may have a form for tools."""

    def tool_call(self, tools: Sequence[Tool]) -> ToolCall | None:
        """How it writes calls of these `tools`; None where it has no form of its own that ours
        fits."""
        ...


class LanguageModel(Protocol):
    """What a method needs of a model. `LlamaModel` is the real one, `ScriptedModel` the fake."""

    name: str
    context_length: int
    """Tokens that prompt and generation may take together."""

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

        The text is always whole: the grammar is closed within `max_tokens`. A model that draws
        draws by `seed` alone, whatever it drew before. `on_text` is given each new stretch of
        text as it is decoded. The prompt's longest prefix that the model still holds is not
        evaluated again.

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
        """`n` independent texts of `grammar` after `prompt`, drawn at `temperature`.

        The i-th is drawn by `seed` + i: which others are drawn with it does not matter, beyond
        the rounding of a batch. Costs that all share are told with the first.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
        """
        ...

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        """The model's own probability that `prompt` goes on with each of `texts`.

        Raises:
            ContextTooSmall: prompt and a text exceed `context_length`.
        """
        ...

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """Tokens that `prompt` takes in the context."""
        ...
