"""Runs that are made of several: the sides of a hybrid, and tries of the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from react_local.events import Began, Ended, Event, FellBack, Listener
from react_local.types import Trajectory


def alone(run: Trajectory) -> Trajectory:
    """`run`, all its tries, without what was fallen back from."""
    return replace(run, before=alone(run.before) if len(run.tries) > 1 else None)


def after(first: Trajectory, run: Trajectory) -> Trajectory:
    """`run`, all its tries, with `first` before it."""
    return replace(run, before=after(first, run.before) if run.before else first)


def telling(
    listener: Listener,
    beginning: type[Began] | type[FellBack],
    whole: Callable[[Trajectory], Trajectory] = lambda part: part,
) -> Listener:
    """Tells `listener` of a part's events as of the whole run, which `whole` makes of the part.

    The part's beginning is told as such, or as another one's beginning; its end is none of the
    whole.
    """

    def tell(event: Event) -> None:
        match event:
            case Began(part) if beginning is FellBack:
                listener(FellBack(whole(part)))
            case Began(part) | FellBack(part):
                listener(replace(event, trajectory=whole(part)))
            case Ended():
                pass
            case _:
                listener(event)

    return tell
