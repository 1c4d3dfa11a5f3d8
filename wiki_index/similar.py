"""Similar titles: a tantivy index of their words and trigrams, re-ranked by rapidfuzz.

The index fetches some hundreds of titles that share words or character trigrams with the query;
`closeness` puts them in order and leaves out what shares nothing. Redirects count as titles and
are answered as their targets. Pages near in meaning get points on the same scale.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index import fulltext
from wiki_index.titles import fold

if TYPE_CHECKING:
    import tantivy

_QUERY_CHARACTERS = 255
"""MediaWiki's titles are at most 255 bytes long."""
_CANDIDATES = 60
"""Titles fetched by any of the words, as many by all, and as many by trigrams."""
_FEWEST_GRAMS, _MOST_GRAMS = 6, 12
_GRAM_TITLES = 500_000
_WORD_TITLES = 250_000
"""Words and trigrams beyond the rarest are left out where so many titles would be read for them:
that bounds the time, for hardly a title less (docs/search.md)."""
_SHORT = 5
"""Letters of a query that is looked for by fuzzy words, too."""
_LEAST_CLOSENESS = 40.0
"""Measured on 29,000 titles: no title is less than 60 close to itself after an edit or two of
`scripts/bench_search.py`. Most strings of random letters are less than 40 close to any of the
sample's titles."""
_LEAST_SIMILARITY = 0.45
_CERTAIN = 96.0
"""A title of so many points is meant, whatever else is like the query: finding that costs time."""
_ENOUGH = 10
"""Pages to choose from beside one that is meant."""
_GLOSS = re.compile(r"(?P<base>.*\S)\s*(?:[(（](?P<gloss>[^()（）]*)[)）]|, (?P<place>[^,]*))\s*")


@dataclass(frozen=True)
class Key:
    """A title folded, its gloss apart: `Hamlet (1996 film)`, `Springfield, Illinois`."""

    base: str
    gloss: str = ""

    @classmethod
    def of(cls, title: str) -> Key:
        match = _GLOSS.fullmatch(title)
        if match is None:
            return cls(fold(title))
        return cls(fold(match["base"]), fold(match["gloss"] or match["place"] or ""))

    @property
    def whole(self) -> str:
        return f"{self.base} {self.gloss}" if self.gloss else self.base


def closeness(query: Key, title: Key) -> float:
    """How well a title answers a query: 100 for equal ones, 0 for those without a common letter.

    The best of four views, by rapidfuzz: the strings as they stand (typos), their words in any
    order (swapped words), the titles without their glosses (another or no parenthesis), and the
    words they share (`lincoln` in `abraham lincoln`), the more they cover the better.
    """
    from rapidfuzz import fuzz

    whole, other = query.whole, title.whole
    views = [
        fuzz.ratio(whole, other),
        0.98 * fuzz.token_sort_ratio(whole, other),
        _shared(whole, other),
    ]
    if query.gloss or title.gloss:
        base = 0.92 * fuzz.ratio(query.base, title.base)
        views.append(base + 0.05 * fuzz.token_set_ratio(query.gloss, title.gloss))
    return max(views)


def _for_size(size: int) -> float:
    """Points, at most five, for a page's characters of prose.

    Between titles that are about as close the longer page is likelier meant.
    """
    return min(math.log10(1 + size), 5.0)


def points_for_meaning(similarity: float) -> float:
    """Points of a page whose lead is so near to the query, beside those of titles; 0: not near.

    A page has the more of both. Measured by `scripts/bench_search.py` on 29,000 pages: by this line
    pages asked for by another name or a description come first, and after an edit the title that is
    close in its letters still does. Few strings of random letters come as near as .45 to any page.
    """
    return 45.0 + 60.0 * similarity if similarity >= _LEAST_SIMILARITY else 0.0


def are_certain(points: Mapping[int, float]) -> bool:
    """Whether a page is meant, and there are others to list after it."""
    return len(points) >= _ENOUGH and max(points.values()) >= _CERTAIN


def _begins_a_word(query: Key, title: Key) -> bool:
    return f" {query.base}" in f" {title.base}"


def _shared(query: str, title: str) -> float:
    """Lines through what was best at 5 million titles, by `scripts/bench_search.py`.

    What the title has beyond the query costs little, since names are cut short; what it lacks more.
    """
    from rapidfuzz import fuzz

    covered = min(len(query), len(title)) / max(len(query), len(title), 1)
    weight = 0.8 + 0.15 * covered if len(query) <= len(title) else 0.585 + 0.4 * covered
    return fuzz.token_set_ratio(query, title) * weight


class TitleWriter:
    """Fills the index of titles and redirects.

    Add those of long pages first: among equal scores tantivy answers the earlier.
    """

    def __init__(self, directory: Path) -> None:
        self._writer = fulltext.Writer(directory, _schema())
        self.count = self._writer.committed
        """So many were added by an interrupted run, and need not be again."""

    def add(self, title: str, page: int, size: int) -> None:
        import tantivy

        key = Key.of(title)
        document = tantivy.Document()
        document.add_text("base", key.base)
        document.add_text("gloss", key.gloss)
        document.add_text("grams", " ".join(grams(key.base)))
        document.add_unsigned("page", page)
        document.add_unsigned("size", size)
        self._writer.add(document)
        self._writer.pause()

    def finish(self) -> None:
        self._writer.finish()


def grams(folded: str) -> list[str]:
    """Character trigrams with word boundaries as ``_``; a title of one letter has one, too."""
    padded = f"_{folded.replace(' ', '_')}_"
    return list(dict.fromkeys(padded[i : i + 3] for i in range(len(padded) - 2)))


class TitleIndex:
    """Answers a string with the titles most like it."""

    def __init__(self, directory: Path) -> None:
        self._open = fulltext.OpenIndex(directory)

    def by_words(self, query: str) -> dict[int, float]:
        """Pages with titles or redirects that share words with the query, with their points.

        A page's points are the `closeness` of its closest title and up to five for its length. Only
        titles of a closeness of at least 40 count, or with words that begin with the query
        (`xeno`: `xenophanes of kolophon`).
        """
        return self._points(query, self._with_words)

    def by_letters(self, query: str) -> dict[int, float]:
        """The same for those that share trigrams of letters with the query."""
        return self._points(query, self._with_letters)

    def _points(
        self, query: str, queries: Callable[[Key], Iterable[tantivy.Query]]
    ) -> dict[int, float]:
        wanted = Key.of(query[:_QUERY_CHARACTERS])
        points: dict[int, float] = {}
        if not wanted.base:
            return points
        with self._open.reading():
            candidates = self._candidates(queries(wanted))
        for key, page, size in candidates:
            close = closeness(wanted, key)
            if close >= _LEAST_CLOSENESS or _begins_a_word(wanted, key):
                points[page] = max(close + _for_size(size), points.get(page, 0.0))
        return points

    def _candidates(self, queries: Iterable[tantivy.Query]) -> list[tuple[Key, int, int]]:
        """The best titles of each query: their keys, pages and sizes."""
        searcher = self._open.searcher
        found = {}
        for query in queries:
            hits = searcher.search(query, _CANDIDATES, count=False).hits
            found.update({(a.segment_ord, a.doc): a for _, a in hits})
        addresses = list(found.values())
        documents = map(searcher.doc, addresses)
        keys = [Key(d.get_first("base"), d.get_first("gloss")) for d in documents]
        pages = searcher.fast_field_values("page", addresses)
        sizes = searcher.fast_field_values("size", addresses)
        return list(zip(keys, pages, sizes, strict=True))

    def _with_words(self, wanted: Key) -> Iterator[tantivy.Query]:
        """Titles with any of the rarest words, and with all: common ones tell little, and titles
        of a query that lacks a word are too many to be found else."""
        words = self._known("base", wanted.whole.split())
        yield self._any("base", _rarest(words, 1, len(words), _WORD_TITLES))
        if " " in wanted.whole:
            yield self._with_all(wanted.whole.split())

    def _with_all(self, words: Iterable[str]) -> tantivy.Query:
        from tantivy import Occur, Query

        clauses = []
        for word in dict.fromkeys(words):
            either = [(Occur.Should, self._term(field, word)) for field in ("base", "gloss")]
            clauses.append((Occur.Must, Query.boolean_query(either)))
        return Query.boolean_query(clauses)

    def _with_letters(self, wanted: Key) -> Iterator[tantivy.Query]:
        """Titles with any of the rarest trigrams, and with a word one edit away from a short
        query: a typo leaves a short word no trigram."""
        from tantivy import Query

        known = self._known("grams", grams(wanted.base))
        yield self._any("grams", _rarest(known, _FEWEST_GRAMS, _MOST_GRAMS, _GRAM_TITLES))
        if len(wanted.base) <= _SHORT:
            yield Query.fuzzy_term_query(self._open.schema, "base", wanted.base, distance=1)

    def _known(self, field: str, terms: Iterable[str]) -> list[tuple[int, str]]:
        """The terms that titles have, each after the number of these titles."""
        counted = [(self._open.searcher.doc_freq(field, t), t) for t in dict.fromkeys(terms)]
        return [(count, term) for count, term in counted if count]

    def _any(self, field: str, terms: Iterable[str]) -> tantivy.Query:
        from tantivy import Occur, Query

        return Query.boolean_query([(Occur.Should, self._term(field, term)) for term in terms])

    def _term(self, field: str, term: str) -> tantivy.Query:
        from tantivy import Query

        return Query.term_query(self._open.schema, field, term, "basic")


def _rarest(known: list[tuple[int, str]], fewest: int, most: int, titles: int) -> list[str]:
    """The rarest terms, as many as no more than so many titles have, in the given bounds."""
    rarest = sorted(known)[:most]
    totals = itertools.accumulate(count for count, _ in rarest)
    within = sum(total <= titles for total in totals)
    return [term for _, term in rarest[: max(within, fewest)]]


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name, stored in (("base", True), ("gloss", True), ("grams", False)):
        builder.add_text_field(
            name, stored=stored, tokenizer_name="whitespace", index_option="basic"
        )
    builder.add_unsigned_field("page", fast=True)
    builder.add_unsigned_field("size", fast=True)
    return builder.build()
