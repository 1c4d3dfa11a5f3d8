"""The seam between methods and the world they act in: one method that answers an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from react_local.types import Action, Observation

if TYPE_CHECKING:
    from wiki_index.index import Mode


class Environment(Protocol):
    """One episode's world. It remembers what its own actions did (the open page, the place of
    the last lookup), so a new episode takes a new environment."""

    def act(self, action: Action) -> Observation:
        """Carry out `action` and answer with one line of harmless text."""
        ...


@dataclass(frozen=True)
class Offers:
    """Arguments of Search that would open a page now, by where they come from, best first."""

    guess: tuple[str, ...] = ()
    """What is most like the argument that the model would write freely."""
    thought: tuple[str, ...] = ()
    """What the thought speaks of."""
    question: tuple[str, ...] = ()
    """What the question speaks of."""
    similar: tuple[str, ...] = ()
    """What the last search named as similar, where it missed."""
    links: tuple[str, ...] = ()
    """Links of the open page, nearest the question first."""
    near: tuple[str, ...] = ()
    """Pages that answer the question best as a full-text query."""
    others: tuple[str, ...] = ()
    """What the index has besides, whatever it is: for where all others were tried."""

    @property
    def all(self) -> tuple[str, ...]:
        """All of them but the others, without repeats."""
        groups = (self.guess, self.thought, self.question, self.similar, self.links, self.near)
        return tuple(dict.fromkeys(title for group in groups for title in group))


class Retrieving(Protocol):
    """An environment that can be asked for passages."""

    def retrieve(self, query: str, k: int, mode: Mode) -> tuple[Observation, ...]:
        """The `k` passages that answer `query` best, each with its page's title."""
        ...


@runtime_checkable
class Offering(Protocol):
    """An environment that knows what could be searched for; guides need one."""

    def act(self, action: Action) -> Observation:
        """See `Environment.act`."""
        ...

    def offers(self, question: str, thought: str = "", guess: str = "") -> Offers:
        """What Search would find now, near the question, the thought and the guess."""
        ...
