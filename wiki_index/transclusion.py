"""Template pages of the dump itself: what of them is transcluded, and under which name.

Sources: https://www.mediawiki.org/wiki/Transclusion, https://www.mediawiki.org/wiki/Help:Templates.
Templates in Lua (``#invoke``) are not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from wiki_index.languages import Site, redirect_target
from wiki_index.templates import normalise

MAX_DEPTH = 20
"""Templates within templates; MediaWiki's own limit is 40."""
MAX_CHARACTERS = 200_000
"""How much of template pages is read for one page, which bounds the time it takes."""
_MOST_REDIRECTS = 3

_ONLY = re.compile(r"<onlyinclude\s*>(.*?)</onlyinclude\s*>", re.DOTALL | re.IGNORECASE)
_NOT = re.compile(r"<noinclude\s*>.*?(?:</noinclude\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_INCLUDE_TAG = re.compile(r"</?(?:includeonly|noinclude|onlyinclude)\s*/?>", re.IGNORECASE)
# What stands beside the prose: notes above it, boxes, messages, pictures.
_BOX = re.compile(
    r"\s*(?:<(?:div|span|table)\b|\{\|)[^>\n]*"
    r"\b(?:hatnote|dablink|navbox|vertical-navbox|sidebar|infobox|noprint|metadata|[a-z]?mbox|"
    r"thumb|tright|tleft|floatright|floatleft)\b",
    re.IGNORECASE,
)


def body_of(name: str, pages: Mapping[str, str], site: Site) -> str | None:
    """What a template page shows where it is transcluded, redirects followed; None without one.

    `pages` has the wikitext of template pages by their `template_name`.
    """
    for _ in range(_MOST_REDIRECTS):
        source = pages.get(normalise(name))
        if source is None:
            return None
        target = redirect_target(source, site)
        if target is None:
            return includable(source)
        name = template_name(target)
    return None


def template_name(title: str) -> str:
    """The name by which a template page of this title is called: ``Template:Big Text``'s is
    ``big Text``."""
    return normalise(title.partition(":")[2] or title)


@lru_cache(maxsize=4096)
def includable(source: str) -> str:
    """The part of a template page that is transcluded: of ``onlyinclude`` these alone, else all
    but ``noinclude``."""
    only = _ONLY.findall(source)
    kept = "".join(only) if only else _NOT.sub("", source)
    return _INCLUDE_TAG.sub("", kept)


def is_box(wikitext: str) -> bool:
    """Whether the text of a template begins with an element that stands beside the prose."""
    return _BOX.match(wikitext) is not None
