"""The Wikipedia environment of ReAct (Yao et al., arXiv 2210.03629, Section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Protocol

from react_local.actions import WIKIPEDIA, ActionKind
from react_local.actions.calculate import CANNOT
from react_local.environments.base import Offers
from react_local.environments.titles import TitleFinder, Titles
from react_local.sanitise import sanitise
from react_local.types import Action, Observation

if TYPE_CHECKING:
    from wiki_index.index import Mode
    from wiki_index.types import Passage, SearchResult

MAX_CHARACTERS = 2_000
"""The maximum length of an observation: about 500 tokens, several times that of five sentences."""

_LONGEST_NAME = 255  # of MediaWiki's titles, in bytes

NO_PAGE = "No page is open. Search for one first."
NO_MORE = "No more results."
_MISS = "Could not find ["


class Wiki(Titles, Protocol):
    """What the environment needs from an index; `wiki_index.WikiIndex` implements it."""

    def search(self, entity: str) -> SearchResult: ...

    def lookup(self, title: str, string: str) -> Sequence[str]: ...

    def retrieve(self, query: str, k: int = 10, mode: Mode = "bm25") -> Sequence[Passage]: ...


@dataclass
class _Lookup:
    """A lookup on a page: the string, the sentences with it, and how many were shown."""

    string: str
    sentences: Sequence[str]
    shown: int = 0


class WikipediaEnvironment:
    """Search, lookup and finish over one index, for one episode; optionally other `actions`.

    - ``Search[entity]`` opens a page and returns its first five sentences (or those of the section
      that the entity redirects to, as ``(Section heading of title) …``). If there is no such page,
      it returns ``Could not find [entity]. Similar: ['…', …].`` and the open page stays open.
    - ``Lookup[string]`` returns the next sentence of the open page that contains the string, as
      ``(Result i / n) sentence``, and then ``No more results.`` A new string or a new page starts
      from the beginning.
    - ``Finish[answer]`` ends the episode.

    Observations are one line, sanitised, and cut at the end of a sentence within `MAX_CHARACTERS`.
    The index is shared and read-only.
    """

    def __init__(self, index: Wiki, actions: Sequence[ActionKind] = WIKIPEDIA) -> None:
        self.actions = tuple(actions)
        self._index = index
        self._title: str | None = None
        self._lookup: _Lookup | None = None
        self._similar: Sequence[str] = ()
        """The similar titles of the last action, if it was a search that missed."""
        self._finder: TitleFinder | None = None

    def offers(self, question: str, thought: str = "", guess: str = "") -> Offers:
        """Titles that Search would open now, sanitised. See `Offering.offers`."""
        if self._finder is None or self._finder.question != question:
            self._finder = TitleFinder(self._index, question)
        found = self._finder.offers(thought, guess, self._title, self._similar)
        return Offers(*(tuple(map(sanitise, titles)) for titles in astuple(found)))

    def retrieve(self, query: str, k: int, mode: Mode) -> tuple[Observation, ...]:
        """Passages for a query, each with its section unless it is from the lead. See
        `Retrieving.retrieve`.

        Raises:
            DenseUnavailable: `mode` is dense and there are no vectors.
        """
        found = self._index.retrieve(query, k, mode)
        return tuple(Observation(_passage(one), one.title) for one in found if one.text)

    def act(self, action: Action) -> Observation:
        """Carry out `action`.

        Raises:
            ValueError: this environment has no such action.
        """
        self._similar = ()
        for kind in self.actions:
            if kind.name == action.name:
                return kind.act(action.argument, self)
        raise ValueError(f"there is no action {action.name} here")

    def search(self, entity: str) -> Observation:
        """The observation of Search."""
        found = self._index.search(entity)
        if found.title is None:
            self._similar = found.similar
            similar = list(map(_name, found.similar))
            return Observation(f"{_MISS}{_name(entity)}]. Similar: {similar}.")
        self._title, self._lookup = found.title, None
        text = _within(found.sentences) or "This page has no text."
        if found.section is not None:
            text = f"(Section {_name(found.section)} of {_name(found.title)}) {text}"
        return Observation(text, found.title)

    def look_up(self, string: str) -> Observation:
        """The observation of Lookup."""
        if self._title is None:
            return Observation(NO_PAGE)
        if self._lookup is None or self._lookup.string.casefold() != string.casefold():
            self._lookup = _Lookup(string, self._index.lookup(self._title, string))
        lookup = self._lookup
        if lookup.shown == len(lookup.sentences):
            return Observation(NO_MORE)
        lookup.shown += 1
        place = f"(Result {lookup.shown} / {len(lookup.sentences)})"
        sentence = _within([lookup.sentences[lookup.shown - 1]])
        return Observation(f"{place} {sentence}", self._title)


def found_nothing(told: Observation) -> bool:
    """Whether the observation has no content: a miss, no open page, no result, no value."""
    return told.text in (NO_PAGE, NO_MORE) or told.text.startswith((_MISS, CANNOT))


def _name(text: str) -> str:
    """A title or heading, cut to the maximum length of a title."""
    return sanitise(text)[:_LONGEST_NAME]


def _passage(passage: Passage) -> str:
    place = f"{passage.title}, {passage.section}: " if passage.section else ""
    return _within([f"{place}{passage.text}"])


def _within(sentences: Sequence[str]) -> str:
    """Join the sentences that fit in `MAX_CHARACTERS`; a first one that is too long is cut."""
    kept = ""
    for sentence in map(sanitise, sentences):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > MAX_CHARACTERS:
            head = sentence[:MAX_CHARACTERS]
            return kept or f"{head.rpartition(' ')[0] or head} …"
        kept = longer
    return kept
