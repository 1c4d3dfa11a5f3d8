"""Find the pages of the dump that other pages transclude, and what is transcluded of them.

Sources: https://www.mediawiki.org/wiki/Transclusion, https://www.mediawiki.org/wiki/Help:Templates.
Lua modules (``#invoke``) are not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from wiki_index import templates
from wiki_index.languages import TEMPLATE, Site, redirect_target
from wiki_index.titles import normalise

MAX_DEPTH = 20
"""The deepest nesting of template pages. MediaWiki's own limit is 40."""
MAX_CHARACTERS = 200_000
"""The most characters of template pages that are read for one page."""
MAX_BARS = 30_000
"""The most bars in these template pages. An argument takes about 30 µs to parse."""
MAX_SUBSTITUTED = 2_000_000
"""The most characters of arguments that are substituted on one page. MediaWiki's own limit."""
_MOST_REDIRECTS = 3

_BRACKETS = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+")
_OPENERS = {"}": "{", "]": "["}
_CALLED_PAGE = re.compile(r"\{\{:([^{}|\[\]<>#\n]+)")
_ONLY = re.compile(r"<onlyinclude\s*>(.*?)(?:</onlyinclude\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_NOT = re.compile(r"<noinclude\s*>.*?(?:</noinclude\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_INCLUDE_TAG = re.compile(r"</?(?:includeonly|noinclude|onlyinclude)\s*/?>", re.IGNORECASE)
# Elements beside the prose: hatnotes, boxes, messages, pictures.
_BOX = re.compile(
    r"\s*(?:<(?:div|span|table)\b|\{\|)[^>\n]*"
    r"\b(?:hatnote|dablink|navbox|vertical-navbox|sidebar|infobox|noprint|metadata|[a-z]?mbox|"
    r"thumb|tright|tleft|floatright|floatleft)\b",
    re.IGNORECASE,
)


def page_key(title: str, site: Site) -> str:
    """The key of a page for what transcludes it: ``big Text`` is ``Template:Big Text``'s, ``:Big
    Text`` that of the article."""
    if site.namespace(title) == TEMPLATE:
        return templates.normalise(title.partition(":")[2])
    return ":" + normalise(title, site.case)


def called_key(name: str, site: Site) -> str:
    """The key of the page that ``{{name}}`` transcludes."""
    if name.startswith(":"):
        return page_key(name[1:], site)
    return page_key(name, site) if site.namespace(name) == TEMPLATE else templates.normalise(name)


def called_pages(wikitext: str, site: Site) -> set[str]:
    """The keys of the pages other than templates that a page's wikitext transcludes."""
    if "{{:" not in wikitext:
        return set()
    keys = (page_key(title, site) for title in _CALLED_PAGE.findall(wikitext))
    return {key for key in keys if key.startswith(":")}


def redirected(key: str, pages: Mapping[str, str], site: Site) -> str:
    """The key that redirects lead to from this one."""
    for _ in range(_MOST_REDIRECTS):
        target = redirect_target(pages.get(key, ""), site)
        if target is None:
            break
        key = page_key(target, site)
    return key


def includable(source: str) -> str:
    """The part of a template page that is transcluded: the ``onlyinclude`` elements if there are
    any, else everything outside ``noinclude``.

    An element that is never closed extends to the end, which keeps the search linear.
    """
    only = _ONLY.findall(source) if "</onlyinclude" in source.lower() else []
    kept = "".join(only) if only else _NOT.sub("", source)
    return _INCLUDE_TAG.sub("", kept)


def is_tame(source: str) -> bool:
    """Whether all brackets are closed in order and the nesting is not too deep.

    The parser backtracks at each bracket that is never closed, which takes quadratic time or more.
    """
    open_now: list[str] = []
    for run in _BRACKETS.finditer(source):
        opener = _OPENERS.get(run[0][0])
        if opener is None:
            open_now += run[0]
        elif open_now[-len(run[0]) :] != [opener] * len(run[0]):
            return False
        else:
            del open_now[-len(run[0]) :]
        if len(open_now) > 2 * MAX_DEPTH:
            return False
    return not open_now


def is_box(wikitext: str) -> bool:
    """Whether the text of a template begins with an element beside the prose."""
    return _BOX.match(wikitext) is not None
