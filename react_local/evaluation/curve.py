"""Score by number of samples: Figure 2 of the paper (arXiv 2210.03629), from a single run.

A vote with fewer samples is a vote of a subset of the samples. So a single run of self-consistency
gives the scores of all smaller votes, by random subsets; and so does a run of a hybrid in which one
of the methods votes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from react_local.evaluation.metrics import score
from react_local.evaluation.report import Answered, MethodReport
from react_local.evaluation.statistics import Interval, bootstrap
from react_local.methods import COT_SC, sides
from react_local.normalise import normalise

SIZES = (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)
_PARTS = 100  # random subsets for each question and size


@dataclass(frozen=True)
class _Question:
    answers: tuple[str, ...]
    """The sampled answers, normalised."""
    exact: Mapping[str, float]
    """The exact match of each answer."""
    unsampled: float
    """The score if there are no samples."""
    unsure: float | None
    """The score if there is no majority; None if the vote counts all the same."""


def curve(method: MethodReport, beside: Iterable[MethodReport] = ()) -> dict[int, Interval]:
    """Exact match by number of samples, up to the number that all sampled questions have.

    For self-consistency and for hybrids of it with another method; empty for other methods, and for
    ``cot-sc>b`` if the method b is not `beside` it, since a smaller vote may have no majority where
    the whole one has. Samples keep their order, so the first one wins a tie, as in the run itself.
    The same run always gives the same figures.
    """
    questions = _questions(method, beside)
    most = min((len(one.answers) for one in questions if one.answers), default=0)
    sizes = [size for size in SIZES if size < most] + [most] * bool(most)
    return {size: bootstrap([_expected(one, size) for one in questions]) for size in sizes}


def _questions(method: MethodReport, beside: Iterable[MethodReport]) -> list[_Question]:
    match sides(method.method):
        case [COT_SC.method] | [_, COT_SC.method]:
            return [_question(answered) for answered in method.answered]
        case [COT_SC.method, second]:
            scores = {
                one.example.id: one.score.exact
                for other in beside
                if (other.run, other.method) == (method.run, second)
                for one in other.answered
            }
            found = [_question(answered, scores) for answered in method.answered]
            return [] if any(one.answers and one.unsure is None for one in found) else found
    return []


def _question(answered: Answered, scores: Mapping[str, float] | None = None) -> _Question:
    """`scores` are those of the method to fall back to without a majority, by the question's id."""
    told, unsure = answered.run.trajectory, None
    if scores is not None:
        unsure = answered.score.exact if told.falls else scores.get(answered.example.id)
    last = (part.steps[-1] for part in told.parts if part.steps)
    samples = next((step.samples for step in last if step.samples), ())
    worded = [step.action.argument for step in samples]
    answers = tuple(map(normalise, worded))
    exact = {
        answer: score(word, answered.example.answers).exact
        for answer, word in zip(answers, worded, strict=True)
    }
    return _Question(answers, exact, answered.score.exact, unsure)


def _expected(question: _Question, size: int) -> float:
    """The mean exact match of votes of `size` of the samples."""
    answers = question.answers
    if not answers:
        return question.unsampled
    if size == len(answers):
        return _exact(question, answers)
    parts = _parts(len(answers), size)
    return sum(_exact(question, [answers[place] for place in part]) for part in parts) / _PARTS


@lru_cache
def _parts(samples: int, size: int) -> list[list[int]]:
    """Subsets of `size` of the samples, as sorted indices; the same for all questions."""
    chance = random.Random(size)
    return [sorted(chance.sample(range(samples), size)) for _ in range(_PARTS)]


def _exact(question: _Question, answers: Sequence[str]) -> float:
    """Like `methods.votes` and `methods.no_majority`, for answers that are normalised already."""
    (winner, count), *_ = Counter(answers).most_common()
    if question.unsure is not None and count < len(answers) / 2:
        return question.unsure
    return question.exact[winner]
