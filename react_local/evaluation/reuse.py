"""Runs that were made before in place of the same made again: the sides of hybrids."""

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
    """`method`, which is not asked again what it answered in `run`, if it would answer the same.

    The question, the model, the index and all settings must be those of `run`, as they are within
    an evaluation; the guides may be others, as they are where a hybrid tries its first side. The
    listener is told of the run as if it happened now, and its cost counts.
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

    So it is under its own. `Guides.force_finish` only says what the last step of all that are
    allowed may be: a run that stopped before that step is the same with and without.
    """
    if not run.trajectory.steps:  # no context could hold the question; who asks should be told so
        return False
    if guides == run.setup.guides:
        return True
    steps = [step for part in run.trajectory.parts for step in part.steps]
    if any(step.rivals for step in steps):  # of branches that are gone, the last step may differ
        return False
    most = max(len(part.steps) for part in run.trajectory.parts)
    unforced = replace(run.setup.guides, force_finish=guides.force_finish)
    return guides == unforced and most < run.setup.max_steps
