"""Control characters used as marks while a page is read.

XML 1.0 does not allow them in a dump, so no page contains them. MediaWiki's strip markers work in
the same way (https://www.mediawiki.org/wiki/Strip_marker).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

DROPPED = "\x04"
"""Something was removed here. What remains around it (`` ,``, ``()``) has to be mended."""
BREAK = "\x07"
"""A line break within a paragraph, ``<br>``."""
SEAM = "\x15"
"""A tag or a link's bracket was removed here. Apostrophes on both sides are separate marks."""
ASIDE = "\x16"
"""Start of a paragraph in a box beside the text. Such a paragraph never opens an article."""
FRACTION = "\x17"
"""Start of a fraction. A number right before it is its whole part: ``5{{frac|1|2}}``."""
EQUALS = "\x18"
"""An equals sign in a link's label. It does not name an argument of the enclosing template."""
_WHOLE_PART = re.compile(f"(?<=[0-9]){FRACTION}")
# Rendered text is not markup. These characters would be read as markup again.
_PROTECTED = {"'": "\x05", "&": "\x06", "[": "\x0e", "]": "\x0f", "<": "\x10"}
# Headings, lists, tables, addresses and entities, hidden from the parser.
_OTHER_MARKUP = re.compile(r"\n(?=[=*#:;{-])|:(?=//)|&")
_LONE_BRACKET = re.compile(r"(?<!\[)\[(?!\[)")
_CONTROLS = "".join(chr(c) for c in range(32) if chr(c) not in "\t\n\r") + "\x7f"
_NO_CONTROLS = dict.fromkeys(map(ord, _CONTROLS))
_PROTECT = str.maketrans(_PROTECTED)
_ANGLES = str.maketrans("<>", "\x13\x14")


def without_marks(text: str) -> str:
    """The page's source without control characters, with LF as line ends."""
    text = text.replace("\r\n", "\n")
    return text.translate(_NO_CONTROLS) if any(c in text for c in _CONTROLS) else text


def protect(text: str) -> str:
    """Replace the characters of rendered text that would be read as markup again."""
    return text.translate(_PROTECT)


def unprotect(text: str) -> str:
    """Undo `protect`, and remove the marks that are no longer needed."""
    if text.isprintable():  # and so without marks
        return text
    text = text.replace(SEAM, "").replace(ASIDE, "")
    if FRACTION in text:
        text = _WHOLE_PART.sub(" ", text).replace(FRACTION, "")
    for character, mark in (*_PROTECTED.items(), ("=", EQUALS)):
        text = text.replace(mark, character)
    return text


def shield(source: str) -> str:
    """`source` with all markup hidden but templates, arguments and links."""
    source = _OTHER_MARKUP.sub("\\g<0>\x11", source)
    return _LONE_BRACKET.sub("\x12", source).translate(_ANGLES)


def unshield(text: str) -> str:
    """Undo `shield`."""
    text = text.replace("\x13", "<").replace("\x14", ">")
    return text.replace("\x12", "[").replace("\x11", "")


class Stash:
    """Pieces of a page that are replaced by marks and restored later."""

    def __init__(self, kind: Literal["literal", "template", "table"]) -> None:
        self._pieces: list[str] = []
        self._open = "\x02" + kind[:2]
        self._mark = re.compile(f"{self._open}([0-9]+)\x03")

    def put(self, piece: str) -> str:
        """The mark that stands for `piece`."""
        self._pieces.append(piece)
        return f"{self._open}{len(self._pieces) - 1}\x03"

    def restore(self, text: str, show: Callable[[str], str] = str) -> str:
        """`text` with each mark replaced by `show` of its piece."""
        if self._open not in text:
            return text
        return self._mark.sub(lambda mark: show(self._pieces[int(mark[1])]), text)
