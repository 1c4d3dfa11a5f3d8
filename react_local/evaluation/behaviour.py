"""Measures of a run's behaviour, computed from its trace: they explain a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grammars.repeats import key
from react_local.answers import is_stated
from react_local.evaluation.metrics import CLOSED
from react_local.methods import form_of
from react_local.normalise import normalise
from react_local.types import Action, ActionName, Outcome, Step, Task, Trajectory
from wiki_index.titles import fold as fold_title


@dataclass(frozen=True)
class Behaviour:
    """Measures over the steps of one run, including those of methods that it fell back from. None
    means that a measure does not apply."""

    finished: bool
    steps: int
    malformed: int
    """Steps that, written out and parsed again, violate the method's grammar."""
    repeats: int
    """Actions taken before in the run (compared like titles, by letters and digits only), except
    lookups that returned the next result."""
    searches: int
    missed: int
    """Searches that found no page."""
    recovered: bool | None
    """Whether a search after the first miss found a page; None if there was no miss."""
    lookups: int
    grounded: bool | None
    """Whether an observation states the answer, in whole words and normalised as for scores.
    None without an answer, without observations, and for verdicts, yes and no."""
    gold_reached: float | None
    """Share of the gold pages that were opened; None without gold pages or actions."""
    answer_seen: bool | None
    """Whether an observation states a right answer (answer recall). None if the method has no
    observations, and for verdicts, yes and no."""
    generated: int
    """Tokens generated."""
    read: int
    """Prompt tokens evaluated."""
    reused: int
    """Prompt tokens that were still in the cache."""
    seconds: float
    """Wall-clock time of the model."""


def behaviour(told: Trajectory, gold: Sequence[str] = (), answers: Sequence[str] = ()) -> Behaviour:
    """Measure a run, given the titles of its `gold` pages and the right `answers`.

    Raises:
        KeyError: its method is unknown.
    """
    steps = [step for part in told.parts for step in part.steps]
    searches = [step for step in steps if step.action.name == ActionName.SEARCH]
    missed = [place for place, step in enumerate(searches) if not _found(step)]
    return Behaviour(
        finished=told.outcome is Outcome.FINISHED,
        steps=len(steps),
        malformed=sum(map(_malformed, told.parts)),
        repeats=sum(_repeats(part.steps) for part in told.parts),
        searches=len(searches),
        missed=len(missed),
        recovered=any(map(_found, searches[missed[0] :])) if missed else None,
        lookups=sum(step.action.name == ActionName.LOOKUP for step in steps),
        grounded=is_stated(told) if form_of(told).observes else None,
        gold_reached=_gold_reached(told, gold) if gold else None,
        answer_seen=_answer_seen(told, answers),
        generated=told.usage.generated_tokens,
        read=told.usage.prompt_tokens,
        reused=told.usage.reused_tokens,
        seconds=told.usage.seconds,
    )


def _malformed(part: Trajectory) -> int:
    form = form_of(part)
    return sum(
        not form.holds(number, written)
        for number, step in enumerate(part.steps, start=1)
        for written in step.samples or (step,)
    )


def _found(step: Step) -> bool:
    return step.observation is not None and step.observation.title is not None


def _repeats(steps: Sequence[Step]) -> int:
    seen: set[tuple[str, str]] = set()
    count = 0
    for step in steps:
        action = _folded(step.action)
        is_next_result = step.action.name == ActionName.LOOKUP and _found(step)
        count += action in seen and not is_next_result
        seen.add(action)
    return count


def _folded(action: Action) -> tuple[str, str]:
    is_text = action.name in set(ActionName)  # elsewhere punctuation matters: 1.2 is not 12
    return action.name, key(action.argument) if is_text else action.argument


def _observes(told: Trajectory) -> bool:
    return any(form_of(part).observes for part in told.parts)


def _answer_seen(told: Trajectory, answers: Sequence[str]) -> bool | None:
    """Whether an observation in any part of the run states one of `answers`."""
    open_ended = {normalise(answer) for answer in answers} - CLOSED - {""}
    if not open_ended or told.task is Task.CLAIM or not _observes(told):
        return None
    seen = [f" {normalise(one.text)} " for part in told.parts for one in part.observations]
    return any(f" {answer} " in text for answer in open_ended for text in seen)


def _gold_reached(told: Trajectory, gold: Sequence[str]) -> float | None:
    """The share of `gold` pages observed in any part of the run; None without observations."""
    if not _observes(told):
        return None
    seen = {fold_title(title) for part in told.parts for title in part.pages}
    return sum(fold_title(title) in seen for title in gold) / len(gold)
