"""Links between pages: where they lead and what they show.

Source: https://www.mediawiki.org/wiki/Help:Links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from wiki_index.languages import CATEGORY, Site, is_interwiki
from wiki_index.marks import DROPPED, SEAM
from wiki_index.titles import normalise

_TARGET = re.compile(r"\[\[([^\[\]{}|\x00-\x1f]++)(?=\||\]\])")
# A link to a page of this wiki with nothing nested in it. Links with an equals sign are excluded: a
# template around one must not read it as a named argument.
_PLAIN = re.compile(r"\[\[(?!\s*//)([^\[\]{}|:=\n]*+)(?:\|([^\[\]{}|=\n]*+))?\]\]")
_PARENTHESIS = re.compile(r"(?<!\s)\s*[(（][^()（）]*[)）]$")
_EXTERNAL_LINK = re.compile(
    r"\[(?:https?:|ftps?:|mailto:|news:|ircs?:|gopher:|sftp:|tel:|//)[^\s\[\]<>\"]*+"
    r"(?:[ \t\xa0]++((?:[^\[\]\n]|\[[^\[\]\n]*+\])*+))?\]",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(r"^[*#].*$", re.MULTILINE)


def link_label(target: str, label: str | None) -> str:
    """The text of a link: its label or its target. ``[[Rome (film)|]]`` shows ``Rome``."""
    if label:
        return f"{SEAM}{label}{SEAM}" if "''" in label else label
    shown = target.strip().removeprefix(":")
    return shown if label is None else _PARENTHESIS.sub("", shown)


def resolve_plain(source: str) -> str:
    """`source` with plain links replaced by their text. Most links are plain."""
    parts = _PLAIN.split(source)  # text, target, label, text, target, label, …, text
    parts[1::3] = map(link_label, parts[1::3], parts[2::3])
    del parts[2::3]
    return "".join(parts)


def external_labels(text: str) -> str:
    """`text` with external links replaced by their labels. Links without a label are removed."""
    if "[" not in text:
        return text
    return _EXTERNAL_LINK.sub(lambda m: m[1] or DROPPED, text)


def link_targets(source: str) -> list[str]:
    """The targets of all links in `source`, as they are written."""
    return list(dict.fromkeys(_TARGET.findall(source)))


def first_targets(source: str, site: Site) -> list[str]:
    """The first link of each list item: the entries of a disambiguation page."""
    items = (_TARGET.findall(line[0]) for line in _LIST_LINE.finditer(source))
    firsts = (next((t for t in targets if _leads_to_page(t, site)), None) for targets in items)
    return list(filter(None, firsts))


def linked_titles(targets: Iterable[str], site: Site) -> tuple[str, ...]:
    """Titles of the pages among link targets, in order, without repeats."""
    titles = (normalise(t, site.case) for t in targets if ":" not in t or _leads_to_page(t, site))
    return tuple(dict.fromkeys(filter(None, titles)))


def category_names(targets: Iterable[str], site: Site) -> list[str]:
    """Names of the categories among link targets, without their prefix."""
    found = (t for t in targets if ":" in t and site.namespace(t) == CATEGORY)
    return [target.partition(":")[2].strip() for target in found]


def _leads_to_page(target: str, site: Site) -> bool:
    if ":" not in target:
        return True
    target = target.strip()
    return target[0] != ":" and not site.namespace(target) and not is_interwiki(target)
