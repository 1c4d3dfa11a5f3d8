"""The seam of actions: what a step can do, as a model reads of it, writes it and has it done."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from react_local.types import Observation, Task


class ActionKind(Protocol):
    """One kind of action. It has no state: what an episode remembers, its environment does."""

    name: str
    """As a step writes it, one capitalised word: ``Search``."""
    argument: str
    """What its argument is called where arguments have names: ``entity``."""
    rule: str
    """The body of a Lark terminal that its argument is held to, and on further lines the terminals
    that this refers to; empty for any text of one line without brackets."""

    def usage(self, task: Task) -> str:
        """A line of the instruction: ``Search[name] opens …``."""
        ...

    def act(self, argument: str, environment: Any) -> Observation:
        """Do it in `environment`, which holds the state of the episode."""
        ...


@runtime_checkable
class Acting(Protocol):
    """An environment that says which actions there are in it."""

    actions: tuple[ActionKind, ...]
    """In the order in which the instruction tells of them."""
