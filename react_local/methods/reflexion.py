"""Reflexion: after a failed try, the model reflects in words and tries again (Shinn et al., arXiv
2303.11366).

A failure is decided by an external signal, never by the model's opinion: there is no answer within
the steps, or no observation states it; in training, the answer is not a gold answer. Of the paper's
components, the actor is ReAct, the evaluator is `failure`, and the memory holds the last
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
    """Answer `question` with ReAct, up to `tries` times. Other options are those of `react`.

    Only the last try is forced to finish, whatever the guides say: a forced answer is no signal.

    Args:
        gold: the gold answers. For training only: scores obtained with them are meaningless.
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
    """The signal by which `run` failed, as a sentence; None if it did not fail."""
    if run.answer is None:
        is_full = run.outcome is Outcome.CONTEXT_FULL
        return "The run grew too long." if is_full else "There is no answer within the steps."
    if is_stated(run) is False:
        return "No observation states the answer."
    if gold and normalise(run.answer) not in map(normalise, gold):
        return f"The {'verdict' if run.task is Task.CLAIM else 'answer'} is wrong."
    return None
