"""Full text: passages of whole sentences, ranked by BM25 (Robertson and Zaragoza 2009) in tantivy.

The index holds words only. A passage is named by its page and number, and is made again from the
page when it is shown, by the same rule that made it for the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index import fulltext
from wiki_index.sentences import split
from wiki_index.titles import encodable
from wiki_index.types import Article

if TYPE_CHECKING:
    import tantivy

_WORDS = 100
"""A passage is full at so many words (DPR's length: Karpukhin et al. 2020, Section 4.1)."""
_FEWEST_WORDS = 30
"""What is left of a section joins the passage before if it is shorter than this."""
_TITLE_BOOST = 0.75
"""Measured on the questions of HotpotQA, 2WikiMultihopQA and MuSiQue over their own pages."""
_STEMMERS = {
    "ar": "Arabic", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch",
    "no": "Norwegian", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "simple": "English",
    "sv": "Swedish", "ta": "Tamil", "tr": "Turkish",
}  # fmt: skip
_UNSPACED = frozenset({"ja", "ko", "lo", "my", "km", "th", "yue", "zh"})
_QUERY_CHARACTERS = 2_000


@dataclass(frozen=True)
class Stretch:
    """A passage of an article: the heading it stands under (``""``: the lead) and its text."""

    section: str
    text: str


def stretches(article: Article, lang: str = "en") -> list[Stretch]:
    """The article's prose in whole sentences of about a hundred words, never across sections."""
    found: list[Stretch] = []
    for section in article.sections:
        paragraphs = (split(paragraph, lang, article.title) for paragraph in section.paragraphs)
        sentences = [sentence for sentences in paragraphs for sentence in sentences]
        found.extend(Stretch(section.heading, text) for text in _grouped(sentences))
    return found


def _grouped(sentences: list[str]) -> list[str]:
    groups: list[list[str]] = []
    words = _WORDS
    for sentence in sentences:
        if words >= _WORDS:
            groups.append([])
            words = 0
        groups[-1].append(sentence)
        words += len(sentence.split())
    if len(groups) > 1 and words < _FEWEST_WORDS:
        last = groups.pop()
        groups[-1].extend(last)
    return [" ".join(group) for group in groups]


class PassageWriter:
    """Fills the full-text index, one page after the other in the order of their ids."""

    def __init__(self, directory: Path, lang: str) -> None:
        self._lang = lang
        self._writer = fulltext.Writer(directory, _schema())
        _register(self._writer.index, lang)
        self.count = self._writer.committed
        self.last_page = _last_page(self._writer.index) if self.count else -1
        """The last whose passages an interrupted run has committed; -1: none."""

    def add(self, page: int, article: Article) -> None:
        import tantivy

        for number, stretch in enumerate(stretches(article, self._lang)):
            document = tantivy.Document()
            document.add_text("title", article.title)
            document.add_text("text", f"{stretch.section} {stretch.text}".strip())
            document.add_unsigned("page", page)
            document.add_unsigned("number", number)
            self._writer.add(document)
            self.count += 1
        self._writer.pause()

    def finish(self) -> None:
        self._writer.finish()


def _last_page(index: tantivy.Index) -> int:
    from tantivy import Query

    hits = index.searcher().search(Query.all_query(), 1, count=False, order_by_field="page").hits
    return hits[0][0]


class PassageIndex:
    """Answers queries with (page, number of the passage, score), best first."""

    def __init__(self, directory: Path, lang: str) -> None:
        self._open = fulltext.OpenIndex(directory)
        self._analyzer = _register(self._open.index, lang)

    def search(self, query: str, k: int) -> list[tuple[int, int, float]]:
        text = encodable(query[:_QUERY_CHARACTERS])
        words = list(dict.fromkeys(self._analyzer.analyze(text)))
        if not words:
            return []
        with self._open.reading():
            searcher = self._open.searcher
            most = min(k, max(searcher.num_docs, 1))  # tantivy reserves memory for all it may find
            hits = searcher.search(self._query(words), limit=most, count=False).hits
            addresses = [address for _, address in hits]
            pages = searcher.fast_field_values("page", addresses)
            numbers = searcher.fast_field_values("number", addresses)
        scores = (score for score, _ in hits)
        found = zip(pages, numbers, scores, strict=True)
        return sorted(found, key=lambda hit: (-hit[2], hit[0], hit[1]))

    def _query(self, words: list[str]) -> tantivy.Query:
        from tantivy import Occur, Query

        schema = self._open.schema
        terms = []
        for word in words:
            in_title = Query.term_query(schema, "title", word, "freq")
            terms.append((Occur.Should, Query.boost_query(in_title, _TITLE_BOOST)))
            terms.append((Occur.Should, Query.term_query(schema, "text", word, "freq")))
        return Query.boolean_query(terms)


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", tokenizer_name="prose", index_option="freq")
    builder.add_text_field("text", tokenizer_name="prose", index_option="freq")
    builder.add_unsigned_field("page", fast=True)
    builder.add_unsigned_field("number", fast=True)
    return builder.build()


def _register(index: tantivy.Index, lang: str) -> tantivy.TextAnalyzer:
    """The analyzer of a language: words stemmed; pairs of characters where no blanks part words."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    if lang in _UNSPACED:
        builder = TextAnalyzerBuilder(Tokenizer.ngram(1, 2)).filter(Filter.lowercase())
    else:
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(40))
        builder = builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())
        if lang in _STEMMERS:
            builder = builder.filter(Filter.stemmer(_STEMMERS[lang]))
    analyzer = builder.build()
    index.register_tokenizer("prose", analyzer)
    return analyzer
