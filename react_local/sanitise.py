"""Text from outside (a question, a page) made safe to stand on one line of a transcript."""

from __future__ import annotations

import unicodedata

from grammars import LABEL

_JOINERS = "\u200c\u200d"  # they spell words in Persian and Hindi, and join emoji
_COLON = "\uff1a"  # looks like a colon and compares like one once folded, but ends no label


def sanitise(text: str) -> str:
    """Return `text` as one line that cannot pass for a line of the transcript.

    In Unicode's form C; control characters and line ends become blanks, runs of blanks one;
    invisible format characters (direction overrides, zero-width blanks, tag characters) and
    unpaired surrogates go, the joiners that spell words stay. The transcript's own labels
    (`grammars.LABEL`) get a full-width colon: ``Action 1: Search[x]`` reads
    ``Action 1： Search[x]``, which a reader hardly notices, which finds the same title, and which
    is no label. Idempotent.
    """
    text = " ".join(visible(unicodedata.normalize("NFC", text)).split())
    return LABEL.sub(lambda label: label[0].removesuffix(":") + _COLON, text)


def visible(text: str) -> str:
    """Return `text` without what a reader cannot see and a terminal might obey."""
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
