"""The paper's hybrids: one method, and where it is not sure, another (arXiv 2210.03629,
Section 3.2).

``react>cot-sc`` falls back where ReAct gives no answer within its steps, ``cot-sc>react`` where
the majority is of fewer than half of the samples. A run that is forced to finish always answers,
so the first side runs without `Guides.force_finish`, whatever else guides it; so it is in the
paper, where nothing forces an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

from react_local.environments.base import Environment
from react_local.events import Began, Ended, Event, FellBack, Listener, ignore
from react_local.guides import DEFAULT, Guides
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
    """Whether `run` has no answer, or one that fewer than half of its samples gave."""
    samples = run.steps[-1].samples if run.steps else ()
    return no_answer(run) or (bool(samples) and votes(samples)[0][1] < len(samples) / 2)


def fallback(
    first: Method, second: Method, when: Callable[[Trajectory], bool], *, name: str
) -> Method:
    """The method `name`: what `first` answers, or where `when` says so of it, what `second` does.

    Its run is that of the side that answered. Where that is the second, the first side's whole
    run is its `before`, and its cost counts. `name` is the names of the sides with a ``>`` between
    them; the first may be a fallback itself.
    """
    left, _, right = name.rpartition(SEPARATOR)
    sides = name.count(SEPARATOR) + 1

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
        fresh = copy(environment)  # before the first side acts in it
        has_begun = resume is not None and len(resume.parts) == sides
        if has_begun:
            run, rest = resume.before, replace(resume, method=right, before=None)
        else:
            tell = _side(lambda part: replace(part, method=name), on_event, Began)
            begun = resume and replace(resume, method=left)
            looser = replace(guides, force_finish=False)
            run = first(question, model, environment, guides=looser, resume=begun,
                        on_event=tell, **options)  # fmt: skip
            rest = Trajectory(run.question, right, run.task, thoughts=run.thoughts)
        if has_begun or (run.outcome is not Outcome.INTERRUPTED and when(run)):
            join = partial(replace, method=name, before=run)
            tell = _side(join, on_event, Began if has_begun else FellBack)
            run = join(second(question, model, fresh, guides=guides, resume=rest,
                              on_event=tell, **options))  # fmt: skip
        run = replace(run, method=name)
        on_event(Ended(run))
        return run

    return method


def _side(
    join: Callable[[Trajectory], Trajectory],
    listener: Listener,
    beginning: type[Began] | type[FellBack],
) -> Listener:
    """Tells `listener` of a side's events as of the whole run, which `join` makes of the side's.

    Its beginning is told as such, or as the falling back; its end is none of the whole.
    """

    def tell(event: Event) -> None:
        match event:
            case Began(part) if beginning is FellBack:
                listener(FellBack(join(part)))
            case Began(part) | FellBack(part):
                listener(replace(event, trajectory=join(part)))
            case Ended():
                pass
            case _:
                listener(event)

    return tell
