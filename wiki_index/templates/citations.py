"""Citations that begin an item of a list, as in a list of works; any others are notes and are cut.

The order of the parts is that of https://en.wikipedia.org/wiki/Help:Citation_Style_1 (`{{cite …}}`,
parted by full stops) and of Citation Style 2 (`{{citation}}`, parted by commas).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wiki_index.templates.registry import Call, Renderer, find, template

_MOST_PEOPLE = 10


@template(
    "citation|cite book|cite journal|cite news|cite web|cite magazine|cite encyclopedia|cite map|"
    "cite encyclopaedia|cite thesis|cite conference|cite report|cite speech|cite av media|"
    "cite video|cite episode|cite press release|cite interview|cite arxiv|cite newspaper|"
    "cite paper|cite techreport|cite dvd notes|cite album notes|cite podcast|cite music|"
    "cite av media notes|cite video game|cite manual|cite comic"
)
def citation(call: Call) -> str:
    """`{{citation|last=Lee|first=Ann|date=1905|title=Piers|journal=Light|volume=3|pages=1–9}}` is
    Lee, Ann (1905), "Piers", Light, 3: 1–9.
    """
    is_style_2 = call.key == "citation"
    separator = ", " if is_style_2 else ". "
    people, date = _people(call), call.get("date", "year")
    parts = [" ".join(filter(None, [people, f"({date})" if date and people else ""]))]
    parts += [*_title(call), _container(call), *_publication(call)]
    if date and not people:
        parts.append(date)
    stops = " ," if is_style_2 else " .,"
    shown = separator.join(part.rstrip(stops) for part in parts if part)
    return shown if is_style_2 or not shown else f"{shown}."


_IDENTIFIERS = {
    "isbn": "ISBN ", "issn": "ISSN ", "oclc": "OCLC ", "lccn": "LCCN ", "jstor": "JSTOR ",
    "pmid": "PMID ", "pmc": "PMC ", "asin": "ASIN ", "doi": "doi:", "hdl": "hdl:",
    "arxiv": "arXiv:", "bibcode": "Bibcode:", "rfc": "RFC ", "s2cid": "S2CID ", "zbl": "Zbl ",
}  # fmt: skip


@template("|".join(_IDENTIFIERS))
def identifier(call: Call) -> str:
    """`{{OCLC|12|34}}` is OCLC 12, 34."""
    values = ", ".join(filter(None, call.values())) or call.get("id")
    return _IDENTIFIERS[call.key] + values if values else ""


_CITATIONS: list[Renderer] = [citation]


def work(names: str, lang: str) -> Callable[[Renderer], Renderer]:
    """Register a renderer of citations in full for one wiki."""

    def register(renderer: Renderer) -> Renderer:
        _CITATIONS.append(renderer)
        return template(names, lang=lang)(renderer)

    return register


def is_citation(name: str, lang: str) -> bool:
    """Whether the template of this normalised name is a citation in full."""
    return find(name, lang) in _CITATIONS


def _people(call: Call) -> str:
    """The authors, else the editors, ``Last, First`` each, parted by semicolons."""
    shown = "; ".join(_authors(call)) or _editors(call, "ed")
    if call.get("display-authors", "displayauthors").startswith("et"):
        shown += " et al."
    return shown


def _authors(call: Call) -> Iterator[str]:
    return _names(call, "author", "last", "first", "people", "host")


def _editors(call: Call, role: str = "") -> str:
    names = list(_names(call, "editor", "editor-last", "editor-first", "editors"))
    if names and role:
        names[-1] += f", {role}s." if len(names) > 1 else f", {role}."
    return "; ".join(names)


def _names(call: Call, whole: str, last: str, first: str, *others: str) -> Iterator[str]:
    for number in ("", *map(str, range(1, _MOST_PEOPLE + 1))):
        name = call.get(f"{last}{number}", f"{whole}{number}")
        if name:
            given = call.get(f"{first}{number}")
            yield f"{name}, {given}" if given else name
    for key in (*others, f"{whole}s"):
        if name := call.get(key):
            yield name


def _title(call: Call) -> Iterator[str]:
    """The chapter, whose book it is in, and the title with its translation and edition."""
    title, chapter = call.get("title"), call.get("chapter", "contribution", "entry", "article")
    if chapter:
        yield f'"{chapter}"'
    editors = _editors(call, "" if chapter else "ed") if any(_authors(call)) else ""
    if editors:
        yield f"{'in' if call.key == 'citation' else 'In'} {editors}" if chapter else editors
    if title and _container(call) and not chapter:
        title = f'"{title}"'
    if translated := call.get("trans-title", "trans_title"):
        title += f" [{translated}]"
    if edition := call.get("edition"):
        is_whole = edition.endswith(("ed", "ed.", "edition"))
        title += f" ({edition})" if is_whole else f" ({edition} ed.)"
    yield title


def _container(call: Call) -> str:
    return call.get(
        "journal",
        "work",
        "newspaper",
        "magazine",
        "website",
        "encyclopedia",
        "periodical",
        "series",
    )


def _publication(call: Call) -> Iterator[str]:
    volume, issue = call.get("volume"), call.get("issue", "number")
    within = " ".join(filter(None, [volume, f"({issue})" if issue else ""]))
    place, publisher = call.get("place", "location"), call.get("publisher")
    published = f"{place}: {publisher}" if place and publisher else publisher
    pages = call.get("pages", "page")
    if call.get("journal"):
        yield published
        yield ": ".join(filter(None, [within, pages]))
    else:
        yield within
        yield published
        if pages:
            yield f"{'pp' if any(mark in pages for mark in '–-,') else 'p'}. {pages}"
    if isbn := call.get("isbn", "ISBN"):
        yield f"ISBN {isbn}"
