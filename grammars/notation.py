"""The notation of actions: ``Search[Rome]``, or a call in JSON.

    {"name": "search", "arguments": {"entity": "Rome"}}

Grammars apply to the written text. In JSON, only quotes and backslashes of an argument are escaped,
so each argument has exactly one spelling, and all constraints on arguments (words, lengths, labels,
earlier arguments, spans of a text) can be applied to the spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Notation:
    """The paper's notation, ``Search[Rome]``."""

    closing = "]"
    """The text after the argument."""
    spelling = ""
    """Additional terminals that the argument must match, as ``& …``."""
    before_call = ""
    """A Lark expression for the text between thought and action; empty for the labels of a
    transcript."""

    def opening(self, action: str) -> str:
        """The text before the argument."""
        return f"{action}["

    def escaped(self, argument: str) -> str:
        """The written form of the argument."""
        return argument

    def unescaped(self, written: str) -> str:
        """The argument with this written form.

        Raises:
            ValueError: there is none.
        """
        return written

    def written(self, text: str) -> tuple[str, bool]:
        """The argument that `text` begins with, as it is written, and whether it is whole."""
        argument, end, _ = text.partition(self.closing[0])
        return argument, bool(end)

    def spelt(self, action: str, argument: str) -> str:
        """The written form of the whole action."""
        return f"{self.opening(action)}{self.escaped(argument)}{self.closing}"

    def read(self, text: str, actions: Iterable[str]) -> tuple[str, str]:
        """The action and the argument of a text made by `spelt`.

        Raises:
            ValueError: `text` is not one of these `actions`.
        """
        for action in actions:
            opening = self.opening(action)
            if text.startswith(opening) and text.endswith(self.closing):
                written = text[len(opening) : len(text) - len(self.closing)]
                return action, self.unescaped(written)
        raise ValueError(f"no step has an action of this form: {text!r}")


BRACKETS = Notation()

_ESCAPED = re.compile(r'(?:[^"\\]|\\["\\])*')


@dataclass(frozen=True)
class Calls(Notation):
    """Tool calls: JSON objects that follow the schemas of `parameters`."""

    arguments: Mapping[str, str]
    """The name of the argument of each action."""
    before_call: str = ""

    closing = '"}}'
    spelling = "& JSON_TEXT"

    def opening(self, action: str) -> str:
        key = self.arguments.get(action, "argument")
        return f'{{"name": "{action.lower()}", "arguments": {{"{key}": "'

    def escaped(self, argument: str) -> str:
        return argument.replace("\\", "\\\\").replace('"', '\\"')

    def written(self, text: str) -> tuple[str, bool]:
        argument = _ESCAPED.match(text)[0]
        return argument, text.startswith(self.closing[0], len(argument))

    def unescaped(self, written: str) -> str:
        if not _ESCAPED.fullmatch(written):
            raise ValueError(f"no text of JSON: {written!r}")
        return re.sub(r'\\(["\\])', r"\1", written)

    def parameters(self, action: str) -> dict[str, object]:
        """The JSON schema of the arguments of `action`."""
        key = self.arguments.get(action, "argument")
        return {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
