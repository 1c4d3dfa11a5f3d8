"""The interface between methods and environments: the protocols and their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from react_local.types import Action, Observation

if TYPE_CHECKING:
    from wiki_index.index import Mode


class Environment(Protocol):
    """The environment of one episode. It has state (the open page, the position of the last
    lookup), so a new episode needs a new environment."""

    def act(self, action: Action) -> Observation:
        """Carry out `action` and return an observation, one line of sanitised text."""
        ...


@dataclass(frozen=True)
class Offers:
    """Arguments of Search that would open a page now, by their origin, best first."""

    guess: tuple[str, ...] = ()
    """Titles most similar to what the model would write freely."""
    thought: tuple[str, ...] = ()
    """Titles mentioned in the thought."""
    question: tuple[str, ...] = ()
    """Titles mentioned in the question."""
    similar: tuple[str, ...] = ()
    """The similar titles of the last search, if it missed."""
    links: tuple[str, ...] = ()
    """Links of the open page, most relevant to the question first."""
    near: tuple[str, ...] = ()
    """The most relevant pages, with the question as a full-text query."""
    others: tuple[str, ...] = ()
    """Any other titles in the index, for when all others have been tried."""

    @property
    def all(self) -> tuple[str, ...]:
        """All titles except `others`, without repeats."""
        groups = (self.guess, self.thought, self.question, self.similar, self.links, self.near)
        return tuple(dict.fromkeys(title for group in groups for title in group))


class Retrieving(Protocol):
    """An environment that can retrieve passages."""

    def retrieve(self, query: str, k: int, mode: Mode) -> tuple[Observation, ...]:
        """The `k` passages most relevant to `query`, each with its page's title."""
        ...


@runtime_checkable
class Offering(Protocol):
    """An environment that can list titles to search for, as the guides need."""

    def act(self, action: Action) -> Observation:
        """See `Environment.act`."""
        ...

    def offers(self, question: str, thought: str = "", guess: str = "") -> Offers:
        """Titles that Search would find now, related to the question, the thought and the guess."""
        ...
