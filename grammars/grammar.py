"""A grammar in Lark, and the arguments that it excludes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from grammars.notation import Notation
from grammars.repeats import is_repeat

_ALMOST_FULL = 100
"""Bytes from which on an argument may no longer be a repeat: 20 are left to make it another."""


class Grammar(str):
    """A grammar in Lark of texts that end with an argument, some of which are excluded.

    What is excluded differs from step to step, and compiling it would take milliseconds, so it is
    not part of the grammar: `excludes` compares the arguments themselves (see `repeats`). The
    string is what is compiled, `shape`, after a comment for each excluded argument.
    """

    shape: str
    _excluded: Mapping[str, Sequence[str]]
    _notation: Notation

    def __new__(cls, shape: str, excluded: Mapping[str, Sequence[str]], notation: Notation) -> Self:
        """`excluded` lists arguments by what stands before them in their line."""
        written = {before: [*map(notation.escaped, excluded[before])] for before in excluded}
        texts = (
            f"{before}{text}{notation.closing}" for before in written for text in written[before]
        )
        comments = (f"// not again: {' '.join(text.splitlines())}\n" for text in texts)
        grammar = super().__new__(cls, "".join(comments) + shape)
        grammar.shape, grammar._excluded, grammar._notation = shape, written, notation
        return grammar

    def excludes(self, text: str) -> bool:
        """Whether `text`, which begins a text of `shape`, begins none of the grammar.

        Its argument may be an excluded one, but neither end so nor fill its room so.
        """
        line = text.rpartition("\n")[2]
        for before, excluded in self._excluded.items():
            if (place := line.find(before)) >= 0:
                argument, is_whole = self._notation.written(line[place + len(before) :])
                if is_whole or len(argument.encode()) >= _ALMOST_FULL:
                    return is_repeat(argument, excluded)
        return False
