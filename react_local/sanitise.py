"""Text from outside (a question, a page) made safe to stand on one line of a transcript."""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"  # they spell words in Persian and Hindi, and join emoji
_LABEL = re.compile(r"\b(Thought|Action|Observation|Question|Claim|Answer)( ?\d*) ?:")


def sanitise(text: str) -> str:
    """Return `text` as one line that cannot pass for a line of the transcript.

    In Unicode's form C; control characters and line ends become blanks, runs of blanks one;
    invisible format characters (direction overrides, zero-width blanks, tag characters) and
    unpaired surrogates go, the joiners that spell words stay. The transcript's own labels get a
    blank before their colon: ``Action 1: Search[x]`` reads ``Action 1 : Search[x]``, which a
    reader hardly sees, which title and answer comparison ignore, and which is no label.
    Idempotent.
    """
    text = "".join(_visible(character) for character in unicodedata.normalize("NFC", text))
    return _LABEL.sub(r"\1\2 :", " ".join(text.split()))


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
