"""Sections of an article by the anchors that links and redirects use.

Source: https://www.mediawiki.org/wiki/Manual:$wgFragmentMode (the ``legacy`` and ``html5`` forms).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from wiki_index.titles import fold
from wiki_index.types import Article, Section

_LEGACY_BYTE = re.compile(r"\.(?=[0-9A-F]{2})")
_NUMBERED = re.compile(r"(.+)_([0-9]+)")


def section_of(article: Article, anchor: str) -> tuple[Section, ...]:
    """The section of this anchor with those below it; empty where there is none with any prose.

    Headings are compared folded; ``History_2`` is the second of that heading.
    """
    numbered = _NUMBERED.fullmatch(anchor.strip().replace(" ", "_"))
    tries = [(anchor, 1)] + ([(numbered[1], int(numbered[2]))] if numbered else [])
    for text, number in tries:
        found = _find(article, _keys(text), number)
        if any(section.paragraphs for section in found):
            return found
    return ()


def _keys(anchor: str) -> set[str]:
    """The folded heading that an anchor may stand for: as it is, or decoded."""
    texts = {anchor, unquote(anchor), unquote(_LEGACY_BYTE.sub("%", anchor))}
    return {fold(text.replace("_", " ")) for text in texts} - {""}


def _find(article: Article, keys: set[str], number: int) -> tuple[Section, ...]:
    sections = article.sections
    places = [i for i, s in enumerate(sections) if s.heading and fold(s.heading) in keys]
    if len(places) < number:
        return ()
    start = places[number - 1]
    end = start + 1
    while end < len(sections) and sections[end].level > sections[start].level:
        end += 1
    return sections[start:end]
