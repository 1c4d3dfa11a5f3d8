"""Prompt lookup: drafts for speculative decoding that are copied from the prompt.

A step copies names and phrases from the question, the observations and its own earlier steps
(Saxena 2023, https://github.com/apoorvumang/prompt-lookup-decoding).
"""

from __future__ import annotations

from collections.abc import Iterable

_SIZES = (8, 4, 3)
"""Numbers of last tokens to look for, in this order."""


def as_text(tokens: Iterable[int]) -> str:
    """One character per token: Python finds a string in microseconds, a list in milliseconds."""
    return "".join(map(chr, tokens))


def draft(text: str, length: int) -> list[int]:
    """Up to `length` tokens that followed the end of `text`, of `as_text`, where it came before.

    The last such place counts, and more equal tokens count for more.
    """
    for size in _SIZES:
        if (place := text.rfind(text[-size:], 0, -1)) >= 0:
            return [*map(ord, text[place + size : place + size + length])]
    return []
