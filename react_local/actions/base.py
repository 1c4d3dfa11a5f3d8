"""The interface of actions: how they are described, written, and carried out."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from react_local.types import Observation, Task


class ActionKind(Protocol):
    """A kind of action. It has no state; the state of an episode is in its environment."""

    name: str
    """The name in a step, one capitalised word: ``Search``."""
    argument: str
    """The name of its argument in tool calls: ``entity``."""
    rule: str
    """The body of a Lark terminal that its argument must match, followed by lines with the
    terminals that it uses; empty for any text of one line without brackets."""

    def usage(self, task: Task) -> str:
        """Its line in the instruction: ``Search[name] opens …``."""
        ...

    def act(self, argument: str, environment: Any) -> Observation:
        """Carry it out in `environment`, which has the state of the episode."""
        ...


@runtime_checkable
class Acting(Protocol):
    """An environment that lists its actions."""

    actions: tuple[ActionKind, ...]
    """In the order of the instruction."""
