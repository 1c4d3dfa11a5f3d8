"""A grammar that excludes arguments, with the faster way to hold a text to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

from grammars.notation import Notation

_ALMOST_FULL = 100
"""Bytes from which on an argument may no longer be a repeat: 20 are left to make it another."""


class Grammar(str):
    """A grammar in Lark of texts that end with an argument, some of which are excluded.

    The string is the whole grammar. Compiling it takes milliseconds, most of them for what is
    excluded, which is other text at each step. `shape` is the grammar without the exclusions, the
    same for many steps; with `excludes` it allows the same texts, except that an argument cannot
    pass through a repeat of more than `_ALMOST_FULL` bytes.
    """

    shape: str
    _excluded: Mapping[str, Callable[[str], bool]]
    _notation: Notation

    def __new__(
        cls,
        whole: str,
        shape: str,
        excluded: Mapping[str, Callable[[str], bool]],
        notation: Notation,
    ) -> Self:
        """`excluded` tells of an argument whether it is, by what stands before it in its line."""
        grammar = super().__new__(cls, whole)
        grammar.shape, grammar._excluded, grammar._notation = shape, excluded, notation
        return grammar

    def excludes(self, text: str) -> bool:
        """Whether `text`, which begins a text of `shape`, begins none of the grammar."""
        line = text.rpartition("\n")[2]
        for before, is_excluded in self._excluded.items():
            if (place := line.find(before)) >= 0:
                argument, is_whole = self._notation.written(line[place + len(before) :])
                if is_whole or len(argument.encode()) >= _ALMOST_FULL:
                    return is_excluded(argument)
        return False
