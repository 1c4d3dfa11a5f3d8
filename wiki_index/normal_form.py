"""Unicode's normal form NFC, in a time that grows with the text and no faster.

To put combining marks in order takes a time that grows with the square of a run of them. Unicode
allows for this with its Stream-Safe Text Format (UAX #15, section 13): no run is longer than 30.
"""

from __future__ import annotations

import re
import unicodedata

_JOINER = "\N{COMBINING GRAPHEME JOINER}"
_LONGEST_RUN = 30
_RUN = re.compile(rf"[^\w\s\x00-\x7f]{{{_LONGEST_RUN + 1},}}")
"""What may be a run of marks: they are neither letters, digits, blanks nor in ASCII."""


def nfc(text: str) -> str:
    """`text` in NFC; a joiner that nobody sees divides runs of more than 30 combining marks."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _RUN.sub(_divided, text))


def _divided(run: re.Match[str]) -> str:
    shown: list[str] = []
    marks = 0
    for character in run[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _LONGEST_RUN:
            shown.append(_JOINER)
            marks = 1
        shown.append(character)
    return "".join(shown)
