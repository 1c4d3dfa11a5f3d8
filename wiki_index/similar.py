"""Similar titles: a tantivy index of their words and trigrams, re-ranked by rapidfuzz.

The index fetches some hundreds of titles that share words or character trigrams with the query;
`closeness` puts them in order. Redirects count as titles and are answered as their targets.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index.errors import IndexDamaged
from wiki_index.titles import fold

if TYPE_CHECKING:
    import tantivy

_QUERY_CHARACTERS = 255
"""MediaWiki's titles are at most 255 bytes long."""
_CANDIDATES = 150
"""Titles fetched by words, and as many by trigrams."""
_RAREST_GRAMS = 12
_HEAP = 64 * 1024 * 1024


class TitleWriter:
    """Fills the index of titles and redirects."""

    def __init__(self, directory: Path) -> None:
        import tantivy

        directory.mkdir()
        index = tantivy.Index(_schema(), path=str(directory))
        self._writer = index.writer(heap_size=_HEAP, num_threads=1)

    def add(self, title: str, page: int) -> None:
        import tantivy

        folded = fold(title)
        document = tantivy.Document()
        document.add_text("title", title)
        document.add_text("words", folded)
        document.add_text("grams", " ".join(grams(folded)))
        document.add_unsigned("page", page)
        self._writer.add_document(document)

    def finish(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()


def grams(folded: str) -> list[str]:
    """Character trigrams with word boundaries as ``_``; a title of one letter has one, too."""
    padded = f"_{folded.replace(' ', '_')}_"
    return list(dict.fromkeys(padded[i : i + 3] for i in range(len(padded) - 2)))


def closeness(query: str, title: str) -> float:
    """How well a title answers a query, both folded; higher is better, 100 for equal ones.

    The best of three views, by rapidfuzz: the strings as they stand (typos), their words in any
    order (swapped words), and the query as a part of the title by whole words (`lincoln` in
    `abraham lincoln`), the last weighted by how much of the title it covers. A parenthesis at the
    end of a title is a gloss: missing words in it cost little.
    """
    from rapidfuzz import fuzz

    straight = fuzz.ratio(query, title)
    sorted_words = fuzz.token_sort_ratio(query, title) * 0.98
    common = fuzz.token_set_ratio(query, title)
    covered = min(len(query), len(title)) / max(len(query), len(title), 1)
    part = common * (0.6 + 0.35 * covered)
    return max(straight, sorted_words, part)


class TitleIndex:
    """Answers a string with the titles most like it."""

    def __init__(self, directory: Path) -> None:
        import tantivy

        try:
            self._index = tantivy.Index.open(str(directory))
        except (ValueError, OSError) as error:
            raise IndexDamaged(
                f"{directory} is damaged: build the index again with --fresh."
            ) from error

    def similar(self, query: str, k: int) -> list[int]:
        """Ids of the `k` pages whose titles or redirects are closest, best first."""
        folded = fold(query[:_QUERY_CHARACTERS])
        scores: dict[int, tuple[float, str]] = {}
        for title, page in self._candidates(folded):
            score = closeness(folded, fold(title))
            if page not in scores or score > scores[page][0]:
                scores[page] = (score, title)
        ranked = sorted(scores, key=lambda page: (-scores[page][0], scores[page][1]))
        return ranked[:k]

    def _candidates(self, folded: str) -> list[tuple[str, int]]:
        searcher = self._index.searcher()
        wanted = {
            "words": list(dict.fromkeys(folded.split())),
            "grams": self._rarest(searcher, grams(folded)),
        }
        addresses = {}
        for field, terms in wanted.items():
            if terms:
                hits = searcher.search(self._any_of(field, terms), _CANDIDATES, count=False).hits
                addresses.update({(a.segment_ord, a.doc): a for _, a in hits})
        documents = (searcher.doc(address) for address in addresses.values())
        return [(d.get_first("title"), d.get_first("page")) for d in documents]

    def _rarest(self, searcher: tantivy.Searcher, terms: list[str]) -> list[str]:
        """The terms that tell most; common ones cost time and find everything."""
        known = [(searcher.doc_freq("grams", term), term) for term in terms]
        return [term for frequency, term in sorted(known) if frequency][:_RAREST_GRAMS]

    def _any_of(self, field: str, terms: list[str]) -> tantivy.Query:
        from tantivy import Occur, Query

        schema = self._index.schema
        queries = [Query.term_query(schema, field, term, "basic") for term in terms]
        return Query.boolean_query([(Occur.Should, query) for query in queries])


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field("grams", tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field("page", stored=True)
    return builder.build()
