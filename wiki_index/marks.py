"""Control characters that stand for something while a page is being read.

XML 1.0 allows none of them in a dump, so they cannot be mistaken for a page's own text. The
idea is that of MediaWiki's strip markers
(https://www.mediawiki.org/wiki/Strip_marker).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

DROPPED = "\x04"
"""Something was left out here; what it leaves behind (`` ,``, ``()``) is to be mended."""
BREAK = "\x07"
"""A line break within a paragraph, ``<br>``."""
SEAM = "\x15"
"""A tag or a link's bracket stood here, between apostrophes that are not one mark together."""
ASIDE = "\x16"
"""A paragraph of a box beside the text begins, which never opens an article."""
FRACTION = "\x17"
"""A fraction begins; a number right before it is its whole part, ``5{{frac|1|2}}``."""
EQUALS = "\x18"
"""An equals sign of a link's label, which names no argument of the template around the link."""
_WHOLE_PART = re.compile(f"(?<=[0-9]){FRACTION}")
# Text that a template rendered is no markup any more: these would be read as such.
_PROTECTED = {"'": "\x05", "&": "\x06", "[": "\x0e", "]": "\x0f", "<": "\x10"}
# Headings, lists, tables, addresses, tags and entities, for a parser that is not to find them.
_OTHER_MARKUP = re.compile(r"\n(?=[=*#:;{-])|:(?=//)|&")
_LONE_BRACKET = re.compile(r"(?<!\[)\[(?!\[)")
_CONTROLS = "".join(chr(c) for c in range(32) if chr(c) not in "\t\n\r") + "\x7f"
_NO_CONTROLS = dict.fromkeys(map(ord, _CONTROLS))
_PROTECT = str.maketrans(_PROTECTED)
_ANGLES = str.maketrans("<>", "\x13\x14")


def without_marks(text: str) -> str:
    """The page's source, without control characters and with one kind of line end."""
    text = text.replace("\r\n", "\n")
    return text.translate(_NO_CONTROLS) if any(c in text for c in _CONTROLS) else text


def protect(text: str) -> str:
    """Hide the characters of finished text that would be read as markup again."""
    return text.translate(_PROTECT)


def unprotect(text: str) -> str:
    """Undo `protect`; the marks within text have done their work."""
    if text.isprintable():  # and so without marks
        return text
    text = text.replace(SEAM, "").replace(ASIDE, "")
    if FRACTION in text:
        text = _WHOLE_PART.sub(" ", text).replace(FRACTION, "")
    for character, mark in (*_PROTECTED.items(), ("=", EQUALS)):
        text = text.replace(mark, character)
    return text


def shield(source: str) -> str:
    """`source` with nothing for a parser to find but templates, their arguments, and links."""
    source = _OTHER_MARKUP.sub("\\g<0>\x11", source)
    return _LONE_BRACKET.sub("\x12", source).translate(_ANGLES)


def unshield(text: str) -> str:
    """Undo `shield`."""
    text = text.replace("\x13", "<").replace("\x14", ">")
    return text.replace("\x12", "[").replace("\x11", "")


class Stash:
    """Pieces of a page that are set aside under a mark and put back later."""

    def __init__(self, kind: Literal["literal", "template", "table"]) -> None:
        self._pieces: list[str] = []
        self._open = "\x02" + kind[:2]
        self._mark = re.compile(f"{self._open}([0-9]+)\x03")

    def put(self, piece: str) -> str:
        """The mark that stands for `piece`."""
        self._pieces.append(piece)
        return f"{self._open}{len(self._pieces) - 1}\x03"

    def restore(self, text: str, show: Callable[[str], str] = str) -> str:
        """`text` with its marks replaced by what `show` makes of their pieces."""
        if self._open not in text:
            return text
        return self._mark.sub(lambda mark: show(self._pieces[int(mark[1])]), text)
