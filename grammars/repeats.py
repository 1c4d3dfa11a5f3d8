"""What counts as the same argument again, as a terminal.

A ban on the bare string is dodged at once by another case, a blank, a full stop, or by writing the
same twice, so arguments are compared as titles are: by their letters, digits and symbols alone,
without case and diacritics.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain

# Letters that Unicode does not decompose, with what a keyboard without them writes.
_LETTERS = str.maketrans(
    {
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h",
        "ı": "i", "ŋ": "n", "ŧ": "t", "ĸ": "k", "ə": "e", "ɛ": "e", "ɔ": "o", "ɓ": "b", "ɗ": "d",
        "ƙ": "k", "ƴ": "y", "ɨ": "i", "ʉ": "u",
    }
)  # fmt: skip

# What is ignored besides punctuation, blanks and formats (P, Z, C): accents and apostrophes that
# stand alone, and the marks that Latin, Greek, Cyrillic, Hebrew and Arabic are read without; other
# scripts' marks are letters. IGNORED_SIGN of text.lark is the same.
_SIGNS = re.compile(
    r"[`\xa8\xaf\xb4\xb8\u02b9\u02bb\u02bc\u02be\u02bf\u02d8-\u02dd\u0374\u0384\u0385\u1fbd"
    r"\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd\u1ffe\ufc5e-\ufc63\ufe70\ufe72"
    r"\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uff40\uffe3\u0300-\u0344\u0346-\u036f\u0591-\u05c7"
    r"\u064b-\u065f\u0670]"
)

# The alphabets, their letters in circles, as numerals and so on, and those of full and half width.
_ALPHABETS = (range(0x2500), range(0xFF00, 0xFFF0))


def fold(text: str) -> str:
    """`text` without case, diacritics, punctuation and blanks (Unicode, UAX #15 and 5.18).

    Symbols stay: C is not C++; so do the marks of scripts in which they are letters.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold()).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not _is_ignored(c)))


def _is_ignored(character: str) -> bool:
    return unicodedata.category(character)[0] in "PZC" or bool(_SIGNS.match(character))


def key(argument: str) -> str:
    """What two arguments share that are the same: what folding leaves, or themselves."""
    return fold(argument) or argument


def is_repeat(argument: str, tried: Iterable[str]) -> bool:
    """Whether `argument` is one of `tried`, or one of them several times with signs between."""
    keys = set(map(key, tried))
    letters = "".join(character if fold(character) else " " for character in argument)
    words = [fold(word) for word in letters.split()]
    return key(argument) in keys or any(_is_several(words, each) for each in keys)


def _is_several(words: Iterable[str], key: str) -> bool:
    part = ""
    for word in words:
        part = word if part == key else part + word
        if not key.startswith(part):
            return False
    return part == key


def anything_but(tried: Iterable[str], name: str) -> str:
    """The terminal `name`: an argument that is none of `tried`, however they are written.

    What folds to one of them is out, and so is the same twice: ``X, X`` and ``X (X)``. Only signs
    for several letters that none of `tried` has (``№``, ``Ⅷ``) are taken for others.
    """
    keys = dict.fromkeys(map(key, tried))
    letters = _Letters(tried, name)
    old = [f"{name}_NOT_{i}: {letters.pattern(key)}" for i, key in enumerate(keys)]
    new = " ".join(["ARGUMENT", *(f"& ~{name}_NOT_{i}" for i in range(len(keys)))])
    return "\n".join([f"{name}: {new}", *old, *letters.terminals])


class _Letters:
    """Terminals for the letters of some arguments, each with what is ignored after it."""

    def __init__(self, arguments: Iterable[str], name: str) -> None:
        self.terminals: list[str] = []
        self._name = name
        self._names: dict[str, str] = {}
        self._rare = defaultdict(set)
        for character in {character for argument in arguments for character in argument}:
            self._rare[fold(character)].add(character)
        self._longest = max(_longest(), *map(len, self._rare), 0)

    def pattern(self, key: str) -> str:
        """The body of a terminal for what folds to `key`, or is `key` where nothing folds to it."""
        if not fold(key):
            return " ".join(map(_one_of, key))
        rest = [""] * (len(key) + 1)
        for place in reversed(range(len(key))):
            ends = range(place + 2, min(place + self._longest, len(key)) + 1)
            pieces = [key[place:end] for end in ends if self._spellings(key[place:end])]
            ways = [f"{self._letter(p)} {rest[place + len(p)]}" for p in [key[place], *pieces]]
            rest[place] = ways[0] if len(ways) == 1 else self._named(" | ".join(ways))
        return f"IGNORED {rest[0]} (IGNORED_SIGN {rest[0]})*"

    def _letter(self, piece: str) -> str:
        """The name of a terminal for characters that fold to `piece`."""
        if piece not in self._names:
            spelt = _one_of(self._spellings(piece) | frozenset(piece if len(piece) == 1 else ()))
            apart = unicodedata.normalize("NFD", piece)
            if len(piece) == 1 < len(apart):
                spelt = f"({spelt} | {' IGNORED '.join(map(_one_of, apart))})"
            self._names[piece] = self._named(f"{spelt} IGNORED")
        return self._names[piece]

    def _spellings(self, piece: str) -> frozenset[str]:
        """The characters that fold to `piece`, of the common alphabets and of the arguments."""
        return _unfolded().get(piece, frozenset()) | self._rare.get(piece, frozenset())

    def _named(self, body: str) -> str:
        self.terminals.append(f"{self._name}_LETTER_{len(self.terminals)}: {body}")
        return self.terminals[-1].partition(":")[0]


@lru_cache(maxsize=1)
def _unfolded() -> Mapping[str, frozenset[str]]:
    """Folded characters -> the characters that fold to them, of the common alphabets."""
    table = defaultdict(set)
    for character in map(chr, chain(*_ALPHABETS)):
        folded = fold(character)
        if len(folded) == 1 or (folded and unicodedata.category(character)[0] == "L"):
            table[folded].add(character)
    return {folded: frozenset(characters) for folded, characters in table.items()}


@lru_cache(maxsize=1)
def _longest() -> int:
    return max(map(len, _unfolded()))


@lru_cache(maxsize=4096)
def _one_of(characters: str | frozenset[str]) -> str:
    """The regular expression of one of `characters`."""
    return f"/(?u:[{''.join(map(_literal, sorted(characters)))}])/"


def _literal(character: str) -> str:
    plain = character.isascii() and character.isalnum()
    return character if plain else rf"\x{{{ord(character):x}}}"
