"""Chat templates: the pieces of a prompt as turns, with the template's text between them.

Templates are in Jinja2, rendered as by the `transformers` library
(https://huggingface.co/docs/transformers/chat_templating). They are rendered with placeholders for
the contents, and the result is split at these. This separates the template's text, in which control
tokens are recognised, from the contents, in which they must never be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from react_local.models.base import Piece, Role, Tool

if TYPE_CHECKING:
    from jinja2 import Template

# Private-use characters, which no template contains.
_PLACEHOLDER = "\ue000{}\ue001"
_PLACEHOLDERS = re.compile("\ue000([0-9]+)\ue001")
_SAID = [_PLACEHOLDER.format(index) for index in range(3)]


class TemplateError(Exception):
    """The template cannot be used with these turns."""


@dataclass(frozen=True)
class Turn:
    role: Role
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template and the texts of the two special tokens that it may use."""

    source: str
    bos_token: str = ""
    eos_token: str = ""

    def spell(self, prompt: Sequence[Piece]) -> list[str | Piece]:
        """The prompt as the model reads it: texts of the template and pieces, in order.

        Adjacent pieces with the same role form one turn. If the last turn is the assistant's, it is
        left open; otherwise the template's opening of such a turn is added. For a template without
        a system role, the system's pieces are put at the beginning of the first user turn.

        Raises:
            TemplateError: the template does not render, or loses or reorders contents.
        """
        tools = next((piece.tools for piece in prompt if piece.tools), ())
        try:
            return self._spell(turns(prompt), tools)
        except TemplateError:
            if all(piece.role is not Role.SYSTEM for piece in prompt):
                raise
        return self._spell(turns([_as_user(piece) for piece in prompt]), tools)

    def around_call(self, tools: Sequence[Tool]) -> tuple[str, str] | None:
        """The text before and after a call of one of `tools` in our JSON format.

        None if the template has no tools, or writes their calls in another format.
        """
        name, key = "name", "key"
        call = {"type": "function", "function": {"name": name, "arguments": {key: _SAID[1]}}}
        json_head = f'{{"name": "{name}", "arguments": {{"{key}": "'
        try:
            called = self._conversation(_SAID[0], tools, tool_calls=[call])
            said = self._conversation(_SAID[0], tools)
            before, after = _between(called, *_SAID[:2]), _between(called, *_SAID[1:])
            end = _between(said, _SAID[0], _SAID[2])
            before, after = before.removesuffix(json_head), after.removeprefix('"}}')
            after = after.removesuffix(end)
            whole = f'{_SAID[0]}{before}{json_head}{_SAID[1]}"}}}}{after}'
            is_ours = called == self._conversation(whole, tools)
        except (TemplateError, ValueError):
            return None
        is_apart = (
            before.startswith("\n") and "{" not in before
        )  # separate from the thought and the JSON
        return (before, after) if is_ours and is_apart else None

    def _conversation(self, said: str, tools: Sequence[Tool], **fields: Any) -> str:
        """A rendered question, what the assistant `said`, and a tool's response."""
        messages = [
            {"role": "user", "content": "question"},
            {"role": "assistant", "content": said, **fields},
            {"role": "tool", "content": _SAID[2]},
        ]
        return self._render(messages, tools, add_generation_prompt=True)

    def _spell(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> list[str | Piece]:
        is_open = bool(turns) and turns[-1].role is Role.ASSISTANT
        messages = [
            {"role": str(turn.role), "content": _PLACEHOLDER.format(index)}
            for index, turn in enumerate(turns)
        ]
        texts = _PLACEHOLDERS.split(
            self._render(messages, tools, add_generation_prompt=not is_open)
        )
        if [int(index) for index in texts[1::2]] != list(range(len(turns))):
            raise TemplateError("the template loses, repeats or reorders turns")
        if is_open:
            texts[-1] = ""
        spelt: list[str | Piece] = [texts[0]]
        for turn, after in zip(turns, texts[2::2], strict=True):
            spelt += [*(p.text if p.is_control else p for p in turn.pieces), after]
        return [part for part in spelt if part != ""]

    def _render(
        self, messages: list[dict[str, Any]], tools: Sequence[Tool], **options: bool
    ) -> str:
        try:
            return self._compiled.render(
                messages=messages,
                bos_token=self.bos_token,
                eos_token=self.eos_token,
                tools=list(tools) or None,
                documents=None,
                enable_thinking=False,
                **options,
            )
        except Exception as error:  # a template is third-party code
            raise TemplateError(f"the template does not render: {error}") from error

    @cached_property
    def _compiled(self) -> Template:
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        # `transformers` has a tag of its own for the assistant's part, which prints nothing.
        source = re.sub(r"(\{%-?\s*)generation(\s*-?%\})", r"\1if true\2", self.source)
        source = re.sub(r"(\{%-?\s*)endgeneration(\s*-?%\})", r"\1endif\2", source)
        return environment.from_string(source)


def turns(prompt: Sequence[Piece]) -> list[Turn]:
    """Turns of one role each, without the line breaks between turns of the plain format."""
    runs = (Turn(role, tuple(_trimmed(list(run)))) for role, run in groupby(prompt, _role))
    return [turn for turn in runs if turn.pieces]


def _between(text: str, left: str, right: str) -> str:
    """The text between `left` and `right`.

    Raises:
        ValueError: they do not occur exactly once each.
    """
    _, between, _ = re.split(f"{left}|{right}", text)
    return between


def _role(piece: Piece) -> Role:
    return piece.role


def _as_user(piece: Piece) -> Piece:
    return replace(piece, role=Role.USER) if piece.role is Role.SYSTEM else piece


def _trimmed(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces without blanks at both ends of the turn; generated ones are not changed."""
    last = len(pieces) - 1
    for index, piece in enumerate(pieces):
        if piece.tokens is None:
            text = piece.text.lstrip() if index == 0 else piece.text
            piece = replace(piece, text=text.rstrip() if index == last else text)
        if piece.text:
            yield piece


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)


def _raise(message: str) -> None:
    from jinja2 import TemplateError as JinjaError

    raise JinjaError(message)
