"""Reflexion: a failed try's reflection, in words, is given to the next (Shinn et al., arXiv
2303.11366).

A try fails by a signal from outside, never by the model's opinion: there is no answer within the
steps, or no observation states it; in training, where gold answers are given, it is none of them.
Of the paper's parts, the actor is ReAct, the evaluator is `failure`, and the memory holds the last
`transcript.LESSONS` reflections with the answers that they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from react_local.answers import is_stated
from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.retry import TRIES, retry
from react_local.models.base import LanguageModel
from react_local.normalise import normalise
from react_local.types import Outcome, RemarkKind, Task, Trajectory

REFLEXION = Form("reflexion", review=RemarkKind.REFLECTION)


def reflexion(
    question: str,
    model: LanguageModel,
    environment: Environment,
    *,
    tries: int = TRIES,
    gold: Sequence[str] = (),
    **options: Any,
) -> Trajectory:
    """Answer `question` by ReAct, up to `tries` times; other options are those of `react`.

    Only the last try is forced to finish, whatever the guides say: a forced answer is no signal.

    Args:
        gold: right answers. For training alone: what is answered with their help is no measure.
    """
    return retry(
        question,
        model,
        environment,
        form=REFLEXION,
        tries=tries,
        review=partial(failure, gold=gold),
        is_forced=False,
        **options,
    )


def failure(run: Trajectory, gold: Sequence[str] = ()) -> str | None:
    """By what signal `run` failed, in a sentence; None where there is none."""
    if run.answer is None:
        is_full = run.outcome is Outcome.CONTEXT_FULL
        return "The run grew too long." if is_full else "There is no answer within the steps."
    if is_stated(run) is False:
        return "No observation states the answer."
    if gold and normalise(run.answer) not in map(normalise, gold):
        return f"The {'verdict' if run.task is Task.CLAIM else 'answer'} is wrong."
    return None
