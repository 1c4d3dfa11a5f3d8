"""Runs that are composed of several: the methods of a hybrid, and repeated tries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from react_local.events import Began, Ended, Event, FellBack, Listener
from react_local.types import Trajectory


def alone(run: Trajectory) -> Trajectory:
    """`run` with its tries, but without the methods before it that it fell back from."""
    return replace(run, before=alone(run.before) if len(run.tries) > 1 else None)


def after(first: Trajectory, run: Trajectory) -> Trajectory:
    """`run` with its tries, and `first` before them."""
    return replace(run, before=after(first, run.before) if run.before else first)


def telling(
    listener: Listener,
    beginning: type[Began] | type[FellBack],
    whole: Callable[[Trajectory], Trajectory] = lambda part: part,
) -> Listener:
    """A listener that passes a part's events on to `listener` as events of the whole run.

    `whole` makes the whole run from the part. The part's Began is passed on as the event
    `beginning`; its Ended is dropped, since the whole run has not ended.
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
