"""The grammar and the parser of a remark: a plan or a review, on a line of its own."""

from __future__ import annotations

from grammars.parse import LABEL
from grammars.react import lark_file, quoted, text_file, thought_lengths

REMARK_TOKENS = 320
"""The default maximum number of tokens of a remark."""


def remark(label: str, *, max_tokens: int = REMARK_TOKENS) -> str:
    """The grammar of the line ``label: …`` including its line end.

    Every text of the grammar has at most `max_tokens` bytes, as in `react_step`.
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
    """The text of a remark without its label.

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
