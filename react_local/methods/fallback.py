"""The paper's hybrids: a method, and a second one where the first is not sure (arXiv 2210.03629,
Section 3.2).

``react>cot-sc`` falls back where ReAct gives no answer within its steps, ``cot-sc>react`` where
the majority has fewer than half of the samples. A run that is forced to finish always answers, so
the first method runs without `Guides.force_finish`; in the paper, nothing forces an answer.

RAG, which the paper does not have, always answers; ``rag>react`` falls back where no passage states
the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from react_local.answers import is_stated
from react_local.environments.base import Environment
from react_local.events import Began, Ended, FellBack, Listener, ignore
from react_local.guides import DEFAULT, Guides
from react_local.methods.composition import after, alone, telling
from react_local.methods.self_consistency import votes
from react_local.models.base import LanguageModel
from react_local.types import Outcome, Trajectory

Method = Callable[..., Trajectory]
"""A function of a question, a model, an environment and the options of `react`."""

SEPARATOR = ">"


def no_answer(run: Trajectory) -> bool:
    """Whether `run` stopped without an answer."""
    return run.answer is None


def no_majority(run: Trajectory) -> bool:
    """Whether `run` has no answer, or one with fewer than half of the votes."""
    samples = run.steps[-1].samples if run.steps else ()
    return no_answer(run) or (bool(samples) and votes(samples)[0][1] < len(samples) / 2)


def not_stated(run: Trajectory) -> bool:
    """Whether `run` has no answer, or one that none of its observations states."""
    return no_answer(run) or is_stated(run) is False


def fallback(
    first: Method, second: Method, when: Callable[[Trajectory], bool], *, name: str
) -> Method:
    """The method `name`, which runs `first` and, if `when` holds for that run, `second`.

    The result is the run of the last method. If that is the second, the first one's whole run is
    before all of its tries, and its cost is included. `name` is the two names with a ``>`` between
    them; the first method may be a fallback itself.
    """
    left, _, right = name.rpartition(SEPARATOR)
    falls = name.count(SEPARATOR)

    def method(
        question: str,
        model: LanguageModel,
        environment: Environment | None,
        *,
        guides: Guides = DEFAULT,
        resume: Trajectory | None = None,
        on_event: Listener = ignore,
        **options: Any,
    ) -> Trajectory:
        fresh = copy(environment)  # before the first method acts in it
        has_begun = resume is not None and resume.falls == falls
        if has_begun:
            run, rest = resume.tries[0].before, replace(alone(resume), method=right)
        else:
            tell = telling(on_event, Began, lambda part: replace(part, method=name))
            begun = resume and replace(resume, method=left)
            looser = replace(guides, force_finish=False)
            run = first(question, model, environment, guides=looser, resume=begun,
                        on_event=tell, **options)  # fmt: skip
            rest = Trajectory(run.question, right, run.task, thoughts=run.thoughts)
        if has_begun or (run.outcome is not Outcome.INTERRUPTED and when(run)):

            def join(part: Trajectory) -> Trajectory:
                return replace(after(run, part), method=name)

            tell = telling(on_event, Began if has_begun else FellBack, join)
            run = join(second(question, model, fresh, guides=guides, resume=rest,
                              on_event=tell, **options))  # fmt: skip
        run = replace(run, method=name)
        on_event(Ended(run))
        return run

    return method
