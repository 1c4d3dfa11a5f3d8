"""Lists: each item a line, or all on one line with points between."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wiki_index.templates.registry import Call, template

_MARK = re.compile(r"^[*#:;]+\s*")


def paragraphs(lines: Iterable[str]) -> str:
    """Each line as a paragraph of its own: a single line end would run them together."""
    return "\n" + "\n\n".join(filter(None, lines)) + "\n"


def _items(call: Call) -> list[str]:
    """The items: arguments, or the lines of an argument that holds a marked-up list.

    A number that comes first and alone says how many columns there are.
    """
    values = list(call.values())
    if "column" in call.key:
        values = values[values[0].isdecimal() :] if values else []
        values += [call.get(f"col{n}") for n in range(1, 10)]
    lines = (line for value in values for line in value.splitlines())
    return [item for line in lines if (item := _MARK.sub("", line.strip()))]


@template(
    "plainlist|plain list|ubl|unbulleted list|ublist|ubt|vunblist|unbullet|bulleted list|blist|"
    "ordered list|olist|collapsible list|columns-list|columnslist|columns list|collapsed list|"
    "flowlist|flow list|multi-column list|startplainlist|indented plainlist|bulletedlist|"
    "definition list|inline block|inline-block list|columns|br separated entries"
)
def lines(call: Call) -> str:
    """Every item on a line of its own."""
    title = call.named.get("title", "").strip() if "list" in call.key else ""
    return paragraphs([title, *_items(call)])


@template("hlist|flatlist|flat list|horizontal list|startflatlist")
def one_line(call: Call) -> str:
    """https://en.wikipedia.org/wiki/Template:Hlist"""
    return " · ".join(_items(call))


@template("cslist|comma separated entries|comma-separated list|comma separated values|csl")
def comma_list(call: Call) -> str:
    return ", ".join(_items(call))


@template("taxon list|taxonlist|species list|specieslist|linked taxon list")
def taxon_list(call: Call) -> str:
    """Pairs of a taxon and its authority, a line each."""
    values = list(call.values())
    pairs = zip(values[::2], [*values[1::2], ""], strict=False)
    return paragraphs(f"{name} {authority}".strip() for name, authority in pairs)


@template("based on")
def based_on(call: Call) -> str:
    """`{{based on|Work|Author}}`"""
    work, authors = call.get(1), [v for v in call.values(2) if v]
    return f"{work} by {', '.join(authors)}" if authors else work


@template("sortname|sort name")
def sort_name(call: Call) -> str:
    """`{{sortname|Given|Family}}`: the name as it reads."""
    return f"{call.get(1)} {call.get(2)}".strip()


@template("episode list|episode list/sublist|episode table/part")
def episode(call: Call) -> str:
    """The title and summary of an episode, in paragraphs."""
    title = call.get("Title", "RTitle", "title")
    return paragraphs([title, call.get("ShortSummary", "shortsummary")])


@template("glossary|glossary end|gloss|term|defn|ghat")
def glossary(call: Call) -> str:
    """A term or its definition as a paragraph."""
    text = call.get("content", "term", "defn", 1)
    return f"\n{text}\n" if text and call.key != "gloss" else f"'{text}'" if text else ""
