"""Sanitising external text (a question, a page) for use in one line of a transcript."""

from __future__ import annotations

import unicodedata

from grammars import LABEL

_JOINERS = "\u200c\u200d"  # needed to spell words in Persian and Hindi, and to join emoji
_COLON = "\uff1a"  # looks like a colon and folds to one, but does not end a label


def sanitise(text: str) -> str:
    """Return `text` as one line that cannot be mistaken for a line of the transcript.

    The result is in Unicode's form C. Control characters and line ends become blanks, and runs of
    blanks become one; invisible format characters (direction overrides, zero-width blanks, tag
    characters) and unpaired surrogates are removed, except joiners that are part of words. In the
    transcript's own labels (`grammars.LABEL`) the colon is replaced by a full-width one:
    ``Action 1: Search[x]`` becomes ``Action 1： Search[x]``, which looks almost the same and finds
    the same title, but is not a label. Idempotent.
    """
    text = " ".join(visible(unicodedata.normalize("NFC", text)).split())
    return LABEL.sub(lambda label: label[0].removesuffix(":") + _COLON, text)


def visible(text: str) -> str:
    """Return `text` without invisible characters, which a terminal might interpret."""
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cs":
            return ""
        case "Cf":
            return character if character in _JOINERS else ""
        case _:
            return character
