"""What a running method tells whoever listens: the display, the trace.

A listener is a function of one event. Events come in the order Began, then for each step its
Wrote pieces and its Stepped, then Ended; a Noted may come at any time. Where one method falls back
to another, or tries again, a FellBack stands between the steps of the two, and steps count from 1
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from react_local.types import Remark, Step, Trajectory


@dataclass(frozen=True)
class Began:
    """A run starts, or goes on from the steps that `trajectory` holds already."""

    trajectory: Trajectory
    max_steps: int
    exemplars: int
    """How many exemplars stand before the question."""


@dataclass(frozen=True)
class Noted:
    """Something the user should know, in one line: exemplars dropped, an option ignored."""

    text: str


@dataclass(frozen=True)
class Wrote:
    """The next stretch of the step that the model is writing."""

    text: str


@dataclass(frozen=True)
class Stepped:
    """A step is done. `number` counts from 1."""

    number: int
    step: Step


@dataclass(frozen=True)
class Remarked:
    """A line beside the steps is done, its Wrote pieces came before: a plan, a reflection."""

    remark: Remark


@dataclass(frozen=True)
class FellBack:
    """Another method or another try begins: `trajectory` has no steps yet, its `before` is the run
    until now."""

    trajectory: Trajectory


@dataclass(frozen=True)
class Ended:
    """The run has stopped; `trajectory.outcome` says why."""

    trajectory: Trajectory


Event = Began | Noted | Wrote | Stepped | Remarked | FellBack | Ended
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener that listens to nothing."""


def together(*listeners: Listener) -> Listener:
    """One listener that hands each event to all of `listeners`, in order."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell
