"""Titles near a question, a thought, a page: what Search could find next.

Each comes from a look-up in the index, none from a pass over its titles: the cost is that of some
hundreds of look-ups a question, whatever the size of the index.
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
"""Links of the open page that are offered, and pages near the question (`NEAR`)."""
NEAR = 5
_RANKED = 50
_OTHERS = 10  # more than can have been tried
_LONGEST_NAME = 8  # words
_ALIKE_TO_GUESS = 5
_ALIKE_TO_NAME = 2

_WORD = re.compile(r"[^\s\"“”„«»()\[\],;:!?]+")
_OF_NAMES = re.compile(r"[^\W_a-z]")  # a capital, a digit, or a letter of a script without case


class Titles(Protocol):
    """What this module needs of an index; `wiki_index.WikiIndex` has it."""

    def find(self, entity: str) -> str | None: ...

    def similar(self, entity: str, k: int = 5) -> Sequence[str]: ...

    def following(self, title: str, k: int = 5) -> Sequence[str]: ...

    def page(self, title: str) -> Article | None: ...

    def retrieve(self, query: str, k: int = 10) -> Sequence[Passage]: ...


class TitleFinder:
    """Finds the titles that one question could need."""

    def __init__(self, index: Titles, question: str) -> None:
        self._index = index
        self.question = question
        self._links = lru_cache(maxsize=1)(self._find_links)  # asked for several times a step

    def offers(self, thought: str, guess: str, page: str | None, similar: Iterable[str]) -> Offers:
        """The titles near `thought`, `guess`, the open `page` and the last miss's `similar`."""
        return Offers(
            guess=tuple(self._alike(guess, _ALIKE_TO_GUESS)),
            thought=tuple(self.spoken_of(thought)),
            question=self._in_question,
            similar=self._found(similar),
            links=self._links(page)[:LINKS] if page else (),
            near=self._near[:NEAR],
            others=(*self._near[NEAR:], *self._index.following(guess, _OTHERS)),
        )

    def spoken_of(self, text: str) -> Iterator[str]:
        """Titles that stand in `text`, the longest first; for its other names the most similar."""
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
        return tuple(dict.fromkeys(self.spoken_of(self.question)))

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
        """Those that open an article; a disambiguation page is a miss."""
        return tuple(dict.fromkeys(filter(None, map(self._index.find, titles))))

    def _find_links(self, page: str) -> tuple[str, ...]:
        """The page's links that the index has; those near the question first, then as they stand
        on the page."""
        article = self._index.page(page)
        links = [title for title in self._found(article.links if article else ()) if title != page]
        rank = {title: place for place, title in enumerate(self._near)}
        return tuple(sorted(links, key=lambda title: rank.get(title, _RANKED)))


def _spans(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Runs of words, the longest first, with a name's word in them; the first word of a text has
    a capital whatever it is, and does not count by itself."""
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            if any(_OF_NAMES.search(word[0]) for word in run) and (first or length > 1):
                yield first, first + length


def _names(words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Runs of words with capitals, as long as they go; not from the first word on."""
    first = 1
    while first < len(words):
        last = first
        while last < len(words) and words[last][0][0].isupper():
            last += 1
        if last > first:
            yield first, last
        first = last + 1


def _text(text: str, words: Sequence[re.Match[str]]) -> str:
    """The stretch of `text` that the words take, without a full stop or a genitive at its end."""
    stretch = text[words[0].start() : words[-1].end()].rstrip(".")
    return stretch.removesuffix("'s").removesuffix("’s")
