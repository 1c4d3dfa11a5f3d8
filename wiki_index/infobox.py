"""Read the fields of an infobox, which are kept as data beside the prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wiki_index.fallback import Argument
from wiki_index.marks import BREAK, Stash
from wiki_index.prose import clean

_PICTURE_FIELD = re.compile(
    r"(?:^|[_ ])(?:(?:image|img|photo|picture|pic|logo|map)[a-z]*|caption|alt|upright|signature|"
    r"flag|coat|seal|cover|coordinates|style|background|embed|module|child)(?:$|[_ 0-9])",
    re.IGNORECASE,
)
_PICTURE_VALUE = re.compile(r"(?:px|\.(?:jpe?g|png|svg|gif|tiff?|og[gv]|webm))$", re.IGNORECASE)


def shown_fields(arguments: Iterable[Argument], stash: Stash) -> Iterator[tuple[str, str]]:
    """Names and values of the fields with text. Pictures and their captions are left out."""
    for field, text in arguments:
        value = clean(_one_line(text), stash)
        is_picture = _PICTURE_FIELD.search(field or "") or _PICTURE_VALUE.search(value)
        if field and value and not is_picture:
            yield field, value


def _one_line(text: str) -> str:
    """The lines of a field, joined by commas, but not before a parenthesis."""
    lines = (line.strip(" *#:;,") for line in text.replace(BREAK, "\n").split("\n"))
    return ", ".join(filter(None, lines)).replace(", (", " (")
