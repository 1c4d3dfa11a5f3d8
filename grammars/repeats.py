"""What counts as the same argument again, as a terminal.

A ban on the bare string is dodged at once by another case, a blank or a full stop, so arguments
are compared as titles are: by their letters, digits and symbols alone, without case and
diacritics.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

# General categories that do not tell two arguments apart: punctuation, blanks, marks, formats.
# Symbols do: C is not C++.
_IS_IGNORED = frozenset("PZMC")

# Letters with diacritics of Latin, Greek, Cyrillic and their neighbours lie below this one.
_LAST_ALPHABET = 0x1FFF


def fold(text: str) -> str:
    """`text` without case, diacritics, punctuation and blanks (Unicode, UAX #15 and 5.18)."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in decomposed if unicodedata.category(c)[0] not in _IS_IGNORED)
    return unicodedata.normalize("NFC", "".join(kept)).casefold()


def same_argument(argument: str) -> str:
    """The body of a Lark terminal for `argument` and whatever folds to the same.

    It always matches `argument` itself, also where nothing of it is left by folding.
    """
    if not fold(argument):
        return " ".join(map(_one_of, argument))
    parts = ["IGNORED"]
    for character in argument:
        if fold(character):
            parts += [_same_character(character), "IGNORED"]
        elif not character.isascii():
            parts += [f"{_one_of(character)}?", "IGNORED"]  # it may be none of IGNORED's
    return " ".join(parts)


def _same_character(character: str) -> str:
    """A terminal's part for what folds to the same as `character`, which is not ignored."""
    folded = fold(character)
    if len(folded) == 1:
        return _one_of({character, folded, *_unfolded().get(folded, ())})
    spelt = " IGNORED ".join(map(_same_character, folded))
    return f"({_one_of(character)} | {spelt})"


def _one_of(characters: Iterable[str]) -> str:
    return f"/(?u:[{''.join(map(_literal, sorted(characters)))}])/"


@lru_cache(maxsize=1)
def _unfolded() -> dict[str, set[str]]:
    """Folded character -> the characters that fold to it."""
    table = defaultdict(set)
    for code in range(_LAST_ALPHABET + 1):
        folded = fold(chr(code))
        if len(folded) == 1:
            table[folded].add(chr(code))
    return dict(table)


def _literal(character: str) -> str:
    plain = character.isascii() and character.isalnum()
    return character if plain else rf"\x{{{ord(character):x}}}"
