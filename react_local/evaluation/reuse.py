"""Reusing runs that an evaluation has already: those of the methods of a hybrid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from react_local.display import replay
from react_local.events import Listener, Noted, ignore
from react_local.guides import DEFAULT, Guides
from react_local.methods import Method
from react_local.trace import Run
from react_local.types import Trajectory


def reuse(run: Run, method: Method) -> Method:
    """A method that returns `run` instead of calling `method`, if the result would be the same.

    The question, the model, the index and all settings must be those of `run`, as they are within
    an evaluation; the guides may differ, as they do for the first method of a hybrid. The listener
    gets the events of the run as if it happened now, and its cost is included.
    """

    def reused(
        question: str,
        model: Any,
        environment: Any,
        *,
        guides: Guides = DEFAULT,
        on_event: Listener = ignore,
        **options: Any,
    ) -> Trajectory:
        if not is_same(run, guides):
            return method(question, model, environment, guides=guides, on_event=on_event, **options)
        replay(run.trajectory, on_event)
        for note in run.notes:
            on_event(Noted(note))
        return run.trajectory

    return reused


def is_same(run: Run, guides: Guides) -> bool:
    """Whether `run` would have been the same under `guides`.

    It is under its own guides. `Guides.force_finish` only affects the last step allowed, so a run
    that ended before that step is the same with and without it.
    """
    if (
        not run.trajectory.steps
    ):  # the question did not fit the context, which the caller should report
        return False
    if guides == run.setup.guides:
        return True
    steps = [step for part in run.trajectory.parts for step in part.steps]
    if any(step.rivals for step in steps):  # the last steps of discarded branches may differ
        return False
    most = max(len(part.steps) for part in run.trajectory.parts)
    unforced = replace(run.setup.guides, force_finish=guides.force_finish)
    return guides == unforced and most < run.setup.max_steps
