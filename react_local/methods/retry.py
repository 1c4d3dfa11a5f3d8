"""Repeated tries of ReAct, each informed by reviews of the earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from react_local.environments.base import Environment
from react_local.events import Began, Ended, FellBack, Listener, ignore
from react_local.guides import DEFAULT, Guides
from react_local.methods.composition import telling
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.seeds import derived
from react_local.transcript import STANDS, clean_question
from react_local.types import Outcome, Task, Thoughts, Trajectory

TRIES = 3


def retry(
    question: str,
    model: LanguageModel,
    environment: Environment,
    *,
    form: Form,
    tries: int,
    review: Callable[[Trajectory], str | None],
    is_forced: bool,
    task: Task = Task.QUESTION,
    guides: Guides = DEFAULT,
    thoughts: Thoughts = Thoughts.DENSE,
    seed: int = 0,
    resume: Trajectory | None = None,
    on_event: Listener = ignore,
    **options: Any,
) -> Trajectory:
    """Run `react` up to `tries` times, each in a fresh environment, with the reviews of the others.

    The result is the last try; the earlier ones are `before` it, and their cost is included.

    Args:
        form: the form of the tries; its `review` is the kind of review.
        review: the reason to review a try and retry, or None to stop. A review that says that the
            answer stands stops, too. The last try is not reviewed.
        is_forced: whether tries before the last obey the guide `force_finish`.
    """
    run = resume or Trajectory(clean_question(question), form.method, task, thoughts=thoughts)
    looser = replace(guides, force_finish=guides.force_finish and is_forced)
    tell = telling(on_event, Began)
    while True:
        is_last = len(run.tries) >= tries
        run = react(
            run.question,
            model,
            copy(environment),
            form=form,
            guides=guides if is_last else looser,
            seed=derived(seed, len(run.tries)),
            review=None if is_last else review,
            resume=run,
            on_event=tell,
            **options,
        )
        if run.outcome is Outcome.INTERRUPTED or run.review is None or run.review.text == STANDS:
            on_event(Ended(run))
            return run
        run = Trajectory(run.question, form.method, run.task, thoughts=run.thoughts, before=run)
        tell = telling(on_event, FellBack)
