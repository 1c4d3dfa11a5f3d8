"""Parse pages to records: reuse an earlier index, use the parser, or do without it.

`workers` does this in separate processes, with limits of time and memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wiki_index.dump import Stretch
from wiki_index.export import Tally
from wiki_index.languages import Site
from wiki_index.machine import WORKER_MEMORY
from wiki_index.store import PageStore, Record, decode, encode
from wiki_index.titles import normalise
from wiki_index.types import Article, RawPage

PAGE_SECONDS = 10.0
"""The limit of processor time per page. A page beyond it is read without the parser."""


@dataclass(frozen=True)
class Parsed:
    """A page's record and the templates left out of it, or the reason why it has none."""

    title: str
    record: Record | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    fallback: str = ""
    """Why the page was read without the parser, wholly or in part; empty if it was not."""
    seconds: float = 0.0


@dataclass
class Result:
    """The parsed pages of a stretch, with its tally."""

    stretch: Stretch
    parsed: list[Parsed]
    tally: Tally


@dataclass(frozen=True)
class Settings:
    """The settings of a parser or a worker."""

    site: Site
    memory: int = WORKER_MEMORY
    earlier: Path | None = None
    """The `pages.db` of an earlier index. Its pages of the same revision are reused."""
    page_seconds: float = field(default_factory=lambda: PAGE_SECONDS)
    templates: Path | None = None
    """The `templates.db` with the source of templates that have no renderer."""


class Parser:
    """Makes the record of a page: from an earlier index, with the parser, or without it."""

    def __init__(self, settings: Settings) -> None:
        self._site = settings.site
        self._earlier = PageStore(settings.earlier) if settings.earlier else None
        self._templates = _template_pages(settings.templates)

    def __call__(self, page: RawPage, failures: tuple[str, ...] = ()) -> Parsed:
        """Parse a page. An error is returned as the `failure` of the result, and never raised."""
        if page.redirect is not None:
            return Parsed(page.title, self._redirect(page))
        return self._taken_over(page) or self._parsed(page, failures)

    def _taken_over(self, page: RawPage) -> Parsed | None:
        """The page of the earlier index, if it has this revision and was read by the parser."""
        record = self._earlier and self._earlier.record(page)
        if not record:
            return None
        article = decode(record.title, record.kind, record.body)
        if article.via == "fallback":
            return None
        return Parsed(record.title, record, article.dropped)

    def _redirect(self, page: RawPage) -> Record:
        title, hash_, section = page.redirect.partition("#")
        target = normalise(title, self._site.case) + hash_ + section.strip()
        return Record(page.id, page.title, target=target, revision=page.revision)

    def _parsed(self, page: RawPage, failures: tuple[str, ...]) -> Parsed:
        from wiki_index.wikitext import parse

        started = time.perf_counter()
        reasons = list(failures)
        for way in (parse, _parse_plain)[len(reasons) :]:
            try:
                article = way(page, self._site, self._templates)
                fallback = reasons[0] if reasons else ""
                if article.via == "fallback":
                    fallback = fallback or "beyond the parser's limits"
                record = _record(page, article, bool(fallback))
                seconds = time.perf_counter() - started
                return Parsed(page.title, record, article.dropped, "", fallback, seconds)
            except Exception as error:
                reasons.append(f"{type(error).__name__}: {error}"[:200])
        return Parsed(page.title, failure=reasons[0])


def _template_pages(path: Path | None) -> Mapping[str, str] | None:
    if path is None:
        return None
    from wiki_index.template_pages import TemplatePages

    return TemplatePages(path)


def _parse_plain(page: RawPage, site: Site, _: Mapping[str, str] | None) -> Article:
    from wiki_index.fallback import parse_plain

    return parse_plain(page, site)


def _record(page: RawPage, article: Article, is_fallback: bool) -> Record:
    if is_fallback and article.via != "fallback":
        article = replace(article, via="fallback")
    return Record(
        id=page.id,
        title=page.title,
        kind=article.kind,
        size=len(article.text),
        revision=page.revision,
        body=encode(article),
    )


def parse_here(stretches: Iterable[Stretch], settings: Settings) -> Iterator[Result]:
    """Parse in this process, for a small number of pages that are known to be harmless."""
    parse = Parser(settings)
    for stretch in stretches:
        tally = Tally()
        parsed = [parse(page) for page in stretch.read(settings.site, tally)]
        yield Result(stretch, parsed, tally)
