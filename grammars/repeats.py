"""What counts as the same argument again.

A ban on the bare string is dodged at once by another case, a blank, a full stop, or by writing the
same twice, so arguments are compared as titles are: by their letters, digits and symbols alone,
without case and diacritics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
# scripts' marks are letters.
_SIGNS = re.compile(
    r"[`\xa8\xaf\xb4\xb8\u02b9\u02bb\u02bc\u02be\u02bf\u02d8-\u02dd\u0374\u0384\u0385\u1fbd"
    r"\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd\u1ffe\ufc5e-\ufc63\ufe70\ufe72"
    r"\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uff40\uffe3\u0300-\u0344\u0346-\u036f\u0591-\u05c7"
    r"\u064b-\u065f\u0670]"
)


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
