"""Query a finished index: titles, pages, sentences, passages. Read-only."""

from __future__ import annotations

import logging
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Literal, get_args

from wiki_index.errors import DenseUnavailable, IndexDamaged
from wiki_index.fusion import fused
from wiki_index.languages import Site, redirect_target
from wiki_index.layout import IndexLayout, Manifest, check_size, check_there
from wiki_index.normal_form import nfc
from wiki_index.passages import PassageIndex, stretches
from wiki_index.sections import section_of
from wiki_index.semantic import SemanticSearch
from wiki_index.sentences import split
from wiki_index.similar import TitleIndex, are_certain, points_for_meaning
from wiki_index.store import PageStore, TitleRow
from wiki_index.titles import fold, normalise
from wiki_index.types import Article, Passage, RawPage, SearchResult, Section, Via

Mode = Literal["bm25", "dense", "hybrid"]
_Place = tuple[int, int]
"""A page and the number of a passage of it."""

_LONGEST_NAME = 2_550
"""Characters: MediaWiki's titles are at most 255 bytes, and an entity writes one in ten or less."""
_FIRST_SENTENCES = 5
_SIMILAR = 5
_CHECKED_BYTES = 128 * 1024**2
_NEAR = 20
_FUSION_DEPTH = 100
_RERANKED = 20
"""The number of passages whose vectors are computed for a query if the index has none."""
_DENSE_WEIGHT = 0.7
"""Of the dense ranks beside those of words: measured on HotpotQA's questions."""

_log = logging.getLogger("wiki_index")


class WikiIndex:
    """An index directory, opened. Safe to share between threads, and across a fork.

    Use it as a context manager, or `close` it. Where the directory is removed or replaced
    meanwhile, what is in memory answers as before; what would have to be opened raises
    `IndexUnreadable`.
    """

    def __init__(self, layout: IndexLayout, manifest: Manifest) -> None:
        self.manifest = manifest
        self._layout = layout
        self._store = PageStore(layout.pages)
        self._check_small(layout.pages)
        self._remove: Callable[[], object] = lambda: None
        self._said_no_vectors = False

    @classmethod
    def open(cls, path: Path | str) -> WikiIndex:
        """Open the index in a directory.

        Raises:
            IndexUnreadable: there is none, it is being built, or it is of another version.
            IndexDamaged: a part is missing, has another size than it was built with, or (up to
                128 MiB, when it is first used) another checksum.
        """
        layout = IndexLayout.at(path)
        check_there(layout)
        manifest = Manifest.read(layout.manifest)
        for name, part in manifest.parts.items():
            check_size(layout.root / name, part)
        return cls(layout, manifest)

    @classmethod
    def from_pages(cls, pages: Mapping[str, str], lang: str = "en") -> WikiIndex:
        """An index of a few pages, title -> wikitext, for tests; it is deleted when closed.

        A page may be a redirect (``#REDIRECT [[Target]]``). Parser, builder and search are the
        ones that serve a dump.
        """
        from wiki_index.build import build_from_pages

        site = Site.default(lang)
        raw = [
            RawPage(
                title=normalise(title, site.case),
                namespace=0,
                id=number,
                text=text,
                redirect=redirect_target(text, site),
            )
            for number, (title, text) in enumerate(pages.items(), start=1)
        ]
        temporary = tempfile.mkdtemp(prefix="wiki-index-")
        try:
            build_from_pages(raw, site, Path(temporary) / "index")
            index = cls.open(Path(temporary) / "index")
        except BaseException:
            shutil.rmtree(temporary)
            raise
        index._remove = weakref.finalize(index, shutil.rmtree, temporary)
        return index

    def __enter__(self) -> WikiIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()
        self._remove()

    def search(self, entity: str) -> SearchResult:
        """The first five sentences of the page that a title names, or the most similar titles.

        A title matches exactly, else after MediaWiki's normalisation, else folded for case,
        diacritics and punctuation; redirects are followed, one to a section to that section's
        first sentences. A disambiguation page answers as a miss, with its entries in order as the
        similar titles.
        """
        found = self._find(entity)
        if found is None:
            return SearchResult(entity, None, None, (), tuple(self.similar(entity)))
        row, via = found
        article = self._store.page(row.page)
        if row.kind == "disambiguation":
            entries = tuple(self._entries(article)) or self._similar_to(entity, article.title)
            return SearchResult(entity, None, None, (), entries)
        section = section_of(article, row.section)
        sections = section or article.sections
        sentences = tuple(islice(self._sentences(article.title, sections), _FIRST_SENTENCES))
        heading = section[0].heading if section else None
        return SearchResult(entity, article.title, via, sentences, (), heading)

    def find(self, entity: str) -> str | None:
        """The title of the article that `search` would open, or None if it would find none."""
        found = self._find(entity)
        if found is None or found[0].kind == "disambiguation":
            return None
        return self._store.title(found[0].page)

    def page(self, title: str) -> Article | None:
        """The page that `search` would find by this title, including disambiguation pages."""
        found = self._find(title)
        return self._store.page(found[0].page) if found else None

    def lookup(self, title: str, string: str) -> list[str]:
        """All sentences of the page that contain the string in any case, in order.

        Infobox fields that contain it follow as ``field: value``. Empty where there is no such
        page or the string is blank.
        """
        article = self.page(title)
        wanted = " ".join(nfc(string).split()).casefold()
        if article is None or not wanted:
            return []
        fields = (f"{name}: {value}" for name, value in article.infobox.items())
        lines = [p for section in article.sections for p in section.paragraphs]
        holding = [line for line in lines if wanted in line.casefold()]
        sentences = [s for line in holding for s in split(line, self.manifest.lang, article.title)]
        return [s for s in (*sentences, *fields) if wanted in s.casefold()]

    def similar(self, entity: str, k: int = _SIMILAR) -> list[str]:
        """Titles of the `k` pages that are most like `entity`, best first; fewer where fewer are.

        Like it are titles and redirects close in their words and letters (`similar.closeness`),
        and, where the index has vectors and ONNX Runtime is installed, articles whose title and
        lead are near in meaning (`similar.points_for_meaning`). Letters and meaning are asked for
        side by side, unless the words find a title that is as good as the same.

        Raises:
            ValueError: `k` is less than 1.
        """
        _check_count(k)
        points = self._titles.by_words(entity)
        if not are_certain(points):
            with ThreadPoolExecutor(1) as beside:
                near = beside.submit(self._near, entity)
                letters = self._titles.by_letters(entity)
                # Here, for an interrupted wait for the thread's end would take it for ended.
                points = _best(points, letters, near.result())
        best = sorted((page for page in points if points[page]), key=lambda p: (-points[p], p))
        return [self._store.title(page) for page in best[:k]]

    def following(self, title: str, k: int = 5) -> list[str]:
        """The `k` titles of articles from `title` on in the order of their folded forms.

        After the last comes the first; fewer only where there are fewer.
        """
        key = fold(title)
        found = self._store.following(key, k)
        if len(found) < k:
            found += self._store.following("", k - len(found))
        return list(dict.fromkeys(found))

    def retrieve(self, query: str, k: int = 10, mode: Mode = "bm25") -> list[Passage]:
        """The `k` passages that answer a query best.

        ``bm25`` ranks passages by their words, ``dense`` articles by the vectors of their leads,
        ``hybrid`` fuses both by reciprocal ranks (by words alone, said once, where there are no
        vectors).

        Raises:
            DenseUnavailable: `mode` is dense and the index or the machine has no vectors.
            ValueError: `k` is less than 1, or `mode` is none of the three.
        """
        _check_count(k)
        if mode not in get_args(Mode):
            raise ValueError(f"mode is {mode!r}: it must be one of {', '.join(get_args(Mode))}.")
        if mode == "dense":
            ranked = self._dense(query, k)
        elif mode == "hybrid":
            ranked = self._hybrid(query, k)
        else:
            ranked = self._passages.search(query, k)
        return [self._passage(page, number, score) for page, number, score in ranked]

    def verify(self) -> None:
        """Compare all parts with their checksums.

        Raises:
            IndexDamaged: it names every part that is not as it was built.
        """
        self._check(self.manifest.parts)

    def _check(self, names: Iterable[str]) -> None:
        self._store.check_in_place()
        damaged = [
            name for name in names if not self.manifest.parts[name].is_at(self._layout.root / name)
        ]
        if damaged:
            raise IndexDamaged(
                f"{self._layout.root} is damaged ({', '.join(damaged)}): "
                "build the index again with --fresh."
            )

    def _check_small(self, place: Path) -> None:
        """Check the files at a path before use, except large files.

        What SQLite, tantivy and faiss read is mostly not checked by themselves.
        """
        parts = self.manifest.parts
        inside = [name for name in parts if (self._layout.root / name).is_relative_to(place)]
        self._check(name for name in inside if parts[name].bytes <= _CHECKED_BYTES)

    @cached_property
    def _titles(self) -> TitleIndex:
        self._check_small(self._layout.titles)
        return TitleIndex(self._layout.titles)

    @cached_property
    def _passages(self) -> PassageIndex:
        self._check_small(self._layout.passages)
        return PassageIndex(self._layout.passages, self.manifest.lang)

    @cached_property
    def _semantic(self) -> SemanticSearch:
        self._check_small(self._layout.vectors)
        self._check_small(self._layout.encoder)
        return SemanticSearch(self._layout, self.manifest)

    def _find(self, entity: str) -> tuple[TitleRow, Via] | None:
        if len(entity) > _LONGEST_NAME:
            return None
        normal = normalise(entity, self.manifest.case)
        for folded in dict.fromkeys([fold(entity), fold(normal)]):
            rows = self._store.titles(folded) if folded else []
            if rows:
                row = min(rows, key=lambda row: _preference(row, entity, normal))
                return row, _via(row, entity, normal)
        return None

    def _entries(self, article: Article) -> Iterator[str]:
        """The first titles of a disambiguation page that lead to other pages of this index."""
        rows = (self._find(link) for link in article.links)
        pages = dict.fromkeys(found[0].page for found in rows if found)
        titles = (self._store.title(page) for page in pages)
        return islice((title for title in titles if title != article.title), _SIMILAR)

    def _similar_to(self, entity: str, missed: str) -> tuple[str, ...]:
        """The similar titles without the page that was not found: it would not be found again."""
        others = (title for title in self.similar(entity, _SIMILAR + 1) if title != missed)
        return tuple(islice(others, _SIMILAR))

    def _sentences(self, title: str, sections: Iterable[Section]) -> Iterator[str]:
        for section in sections:
            for paragraph in section.paragraphs:
                yield from split(paragraph, self.manifest.lang, title)

    def _near(self, entity: str) -> dict[int, float]:
        """The points of articles that are near in meaning, if they can be computed quickly."""
        try:
            if entity.strip() and self._semantic.quick:
                near = self._semantic.articles(entity, _NEAR)
                return {page: points_for_meaning(similarity) for page, similarity in near}
        except DenseUnavailable as error:
            self._say_once(f"Similar titles by their letters alone. {error}")
        return {}

    def _say_once(self, what: str) -> None:
        if not self._said_no_vectors:
            _log.warning(what)
            self._said_no_vectors = True

    def _dense(self, query: str, k: int) -> list[tuple[int, int, float]]:
        return [(page, 0, score) for page, score in self._semantic.articles(query, k)]

    def _hybrid(self, query: str, k: int) -> list[tuple[int, int, float]]:
        by_words = _keys(self._passages.search(query, _FUSION_DEPTH))
        rankings = [(by_words, 1.0)]
        try:
            rankings.append((self._by_meaning(query, by_words), _DENSE_WEIGHT))
        except DenseUnavailable as error:
            self._say_once(f"Ranking by words alone. {error}")
        return [(page, number, score) for (page, number), score in fused(rankings)[:k]]

    def _by_meaning(self, query: str, by_words: list[_Place]) -> list[_Place]:
        """The nearest leads; without vectors of leads, the best passages by their own vectors."""
        if self._semantic.has_vectors:
            return _keys(self._dense(query, _FUSION_DEPTH))
        best = by_words[:_RERANKED]
        passages = [self._passage(page, number, 0.0) for page, number in best]
        texts = [f"{passage.title}. {passage.text}" for passage in passages]
        near = dict(zip(best, self._semantic.similarities(query, texts), strict=True))
        return sorted(best, key=lambda place: -near[place])

    def _passage(self, page: int, number: int, score: float) -> Passage:
        article = self._store.page(page)
        found = stretches(article, self.manifest.lang)
        if number >= len(found):  # The vector of a page without prose.
            return Passage(article.title, "", score)
        return Passage(article.title, found[number].text, score, found[number].section)


def _keys(ranked: Iterable[tuple[int, int, float]]) -> list[_Place]:
    return [(page, number) for page, number, _ in ranked]


def _check_count(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}: it must be at least 1.")


def _best(*points: Mapping[int, float]) -> dict[int, float]:
    """The most points that each page has."""
    pages = dict.fromkeys(chain.from_iterable(points))
    return {page: max(some.get(page, 0.0) for some in points) for page in pages}


def _preference(row: TitleRow, entity: str, normal: str) -> tuple:
    """The sort key of titles with the same folded form: the smallest is meant.

    The very string first, then its normalised form, then the nearest in letters and their case;
    among equals a page before a redirect, an article before a disambiguation, the longer page.
    """
    from rapidfuzz.distance import Levenshtein

    return (
        row.title != entity,
        row.title != normal,
        Levenshtein.distance(row.title, normal),
        row.redirect,
        row.kind == "disambiguation",
        -row.size,
        row.title,
    )


def _via(row: TitleRow, entity: str, normal: str) -> Via:
    if row.redirect:
        return "redirect"
    if row.title == entity:
        return "exact"
    return "normalised" if row.title == normal else "folded"
