"""Candidate titles for the next Search: those related to the question, the thought and the page.

They come from look-ups in the index, never from iterating over its titles: the cost is that of some
hundreds of look-ups per question, whatever the size of the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

from react_local.environments.base import Offers

if TYPE_CHECKING:
    from wiki_index.types import Article, Passage

LINKS = 8
"""The number of links of the open page to offer, and of pages relevant to the question (`NEAR`)."""
NEAR = 5
_RANKED = 50
_OTHERS = 10  # more than can have been tried
_LONGEST_NAME = 8  # words
_ALIKE_TO_GUESS = 5
_ALIKE_TO_NAME = 2

_WORD = re.compile(r"[^\s\"“”„«»()\[\],;:!?]+")
_OF_NAMES = re.compile(r"[^\W_a-z]")  # a capital, a digit, or a letter of a script without case


class Titles(Protocol):
    """What this module needs from an index; `wiki_index.WikiIndex` implements it."""

    def find(self, entity: str) -> str | None: ...

    def similar(self, entity: str, k: int = 5) -> Sequence[str]: ...

    def following(self, title: str, k: int = 5) -> Sequence[str]: ...

    def page(self, title: str) -> Article | None: ...

    def retrieve(self, query: str, k: int = 10) -> Sequence[Passage]: ...


class TitleFinder:
    """Finds candidate titles for one question."""

    def __init__(self, index: Titles, question: str) -> None:
        self._index = index
        self.question = question
        self._links = lru_cache(maxsize=1)(self._find_links)  # called several times per step

    def offers(self, thought: str, guess: str, page: str | None, similar: Iterable[str]) -> Offers:
        """The titles related to the thought, the guess, the open page and the similar titles."""
        return Offers(
            guess=tuple(self._alike(guess, _ALIKE_TO_GUESS)),
            thought=tuple(self.mentioned_in(thought)),
            question=self._in_question,
            similar=self._found(similar),
            links=self._links(page)[:LINKS] if page else (),
            near=self._near[:NEAR],
            others=(*self._near[NEAR:], *self._index.following(guess, _OTHERS)),
        )

    def mentioned_in(self, text: str) -> Iterator[str]:
        """Titles that occur in `text`, longest first; for other names, the most similar titles."""
        words = list(_WORD.finditer(text))
        taken: set[int] = set()
        for first, last in _spans(words):
            if taken.isdisjoint(range(first, last)) and (
                title := self._index.find(_text(text, words[first:last]))
            ):
                taken.update(range(first, last))
                yield title
        for first, last in _names(words):
            if taken.isdisjoint(range(first, last)):
                yield from self._alike(_text(text, words[first:last]), _ALIKE_TO_NAME)

    @cached_property
    def _in_question(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.mentioned_in(self.question)))

    @cached_property
    def _near(self) -> tuple[str, ...]:
        found = self._index.retrieve(self.question, _RANKED)
        return self._found(passage.title for passage in found)

    def _alike(self, text: str, k: int) -> Sequence[str]:
        if not text:
            return ()
        title = self._index.find(text)
        return (title,) if title else self._found(self._index.similar(text, k))

    def _found(self, titles: Iterable[str]) -> tuple[str, ...]:
        """The articles that these titles open; a disambiguation page is a miss."""
        return tuple(dict.fromkeys(filter(None, map(self._index.find, titles))))

    def _find_links(self, page: str) -> tuple[str, ...]:
        """The page's links that are in the index: those relevant to the question first, then in the
        order of the page."""
        article = self._index.page(page)
        links = [title for title in self._found(article.links if article else ()) if title != page]
        rank = {title: place for place, title in enumerate(self._near)}
        return tuple(sorted(links, key=lambda title: rank.get(title, _RANKED)))


def _spans(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Spans of words that contain a word of a name, longest first. The first word of a text is
    always capitalised, so it does not count alone."""
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            if any(_OF_NAMES.search(word[0]) for word in run) and (first or length > 1):
                yield first, first + length


def _names(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Maximal spans of capitalised words, not including the first word."""
    first = 1
    while first < len(words):
        last = first
        while last < len(words) and words[last][0][0].isupper():
            last += 1
        if last > first:
            yield first, last
        first = last + 1


def _text(text: str, words: Sequence[re.Match[str]]) -> str:
    """The part of `text` with these words, without a full stop or a genitive at its end."""
    stretch = text[words[0].start() : words[-1].end()].rstrip(".")
    return stretch.removesuffix("'s").removesuffix("’s")
