"""The grammar of a line beside the steps of a run, and its way back."""

from __future__ import annotations

from grammars.parse import LABEL
from grammars.react import lark_file, quoted, text_file, thought_lengths

REMARK_TOKENS = 320
"""Tokens that a remark may take, unless said otherwise."""


def remark(label: str, *, max_tokens: int = REMARK_TOKENS) -> str:
    """The grammar of the line ``label: …``, its line end with it.

    Every text of it is at most `max_tokens` bytes, as in `react_step`.
    """
    room = max_tokens - len(f"{label}: \n".encode())
    parts = [
        text_file(),
        lark_file("remark.lark"),
        f"LABEL: {quoted(label)}",
        thought_lengths(room),
    ]
    return "\n".join(parts) + "\n"


def parse_remark(text: str) -> str:
    """What a remark says, without its label.

    Raises:
        ValueError: `text` is not of the form that `remark` describes.
    """
    label, colon, said = text.partition(": ")
    line = said.removesuffix("\n")
    if not (label and colon and said.endswith("\n") and line) or line != line.strip():
        raise ValueError(f"not a line of the form 'Plan: …': {text!r}")
    if "\n" in line or LABEL.search(line):
        raise ValueError(f"a label or a line end stands inside the text: {text!r}")
    return line
