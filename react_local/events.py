"""The events that a running method sends to listeners, such as the display and the trace.

A listener is a function of one event. Events come in this order: Began; for each step, its Wrote
parts and its Stepped; Ended. A Noted may come at any time. If a method falls back to another, or
tries again, a FellBack comes between the steps of the two, and steps are numbered from 1 again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from react_local.types import Remark, Step, Trajectory


@dataclass(frozen=True)
class Began:
    """A run begins, or is resumed from the steps that `trajectory` has already."""

    trajectory: Trajectory
    max_steps: int
    exemplars: int
    """The number of exemplars before the question."""


@dataclass(frozen=True)
class Noted:
    """A note for the user, in one line: exemplars left out, an option ignored."""

    text: str


@dataclass(frozen=True)
class Wrote:
    """The next part of the text that the model is generating."""

    text: str


@dataclass(frozen=True)
class Stepped:
    """A step is complete. `number` counts from 1."""

    number: int
    step: Step


@dataclass(frozen=True)
class Remarked:
    """A plan or a review is complete; its Wrote parts came before."""

    remark: Remark


@dataclass(frozen=True)
class FellBack:
    """Another method or another try begins: `trajectory` has no steps yet, and its `before` is the
    run so far."""

    trajectory: Trajectory


@dataclass(frozen=True)
class Ended:
    """The run has ended; `trajectory.outcome` says how."""

    trajectory: Trajectory


Event = Began | Noted | Wrote | Stepped | Remarked | FellBack | Ended
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener that ignores all events."""


def together(*listeners: Listener) -> Listener:
    """A listener that passes each event to all of `listeners`, in order."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell
