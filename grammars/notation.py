"""How an action is written: ``Search[Rome]``, or as a call in JSON.

    {"name": "search", "arguments": {"entity": "Rome"}}

A grammar speaks of what is written. In JSON an argument's quotes and backslashes are escaped and
nothing else is, so that each argument has one spelling; whatever an argument is held to (words,
lengths, labels, what was tried, a text's spans) holds of its spelling, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Notation:
    """``Search[Rome]``, the paper's."""

    closing = "]"
    """What stands after the argument."""
    spelling = ""
    """Terminals that the argument is held to besides, as ``& …``."""
    before_call = ""
    """A Lark expression for what parts the thought from the action; empty for the labels of a
    transcript."""

    def opening(self, action: str) -> str:
        """What stands before the argument."""
        return f"{action}["

    def escaped(self, argument: str) -> str:
        """The argument as it is written."""
        return argument

    def unescaped(self, written: str) -> str:
        """The argument that is written so.

        Raises:
            ValueError: none is.
        """
        return written

    def written(self, text: str) -> tuple[str, bool]:
        """The argument that `text` begins with, as it is written, and whether it is whole."""
        argument, end, _ = text.partition(self.closing[0])
        return argument, bool(end)

    def spelt(self, action: str, argument: str) -> str:
        """The whole action."""
        return f"{self.opening(action)}{self.escaped(argument)}{self.closing}"

    def read(self, text: str, actions: Iterable[str]) -> tuple[str, str]:
        """The action and the argument of what `spelt` gives.

        Raises:
            ValueError: `text` is none of these `actions`.
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
    """Calls of tools: JSON objects under the schemas of `parameters`."""

    arguments: Mapping[str, str]
    """What the argument of each action is called."""
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
