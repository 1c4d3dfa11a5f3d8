"""Reports on evaluations: scores with intervals, significance tests, behaviour.

Everything is computed from the traces and the questions in the directories of the evaluations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from react_local.errors import EvaluationError
from react_local.evaluation.behaviour import Behaviour, behaviour
from react_local.evaluation.datasets import Example
from react_local.evaluation.datasets import read as read_examples
from react_local.evaluation.metrics import Score, score
from react_local.evaluation.runner import RunLayout, evaluations, read_manifest, read_runs
from react_local.evaluation.statistics import (
    Difference,
    bootstrap,
    holm,
    mcnemar,
    paired_interval,
    randomisation,
)
from react_local.trace import Run


@dataclass(frozen=True)
class Answered:
    """A question, a method's run on it, and the run's scores and behaviour."""

    example: Example
    run: Run
    score: Score
    behaviour: Behaviour


@dataclass(frozen=True)
class MethodReport:
    """One method of one evaluation."""

    run: str
    """The name of the evaluation's directory."""
    method: str
    total: int
    """The number of questions in the evaluation; fewer are answered if it was stopped."""
    answered: tuple[Answered, ...]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All measures by name, as `react-local report --json` prints them.

        Scores are from 0 to 1. Counts are over all questions. ``…_per_correct`` is the total of all
        questions, divided by the number of exact answers.
        """
        answered = self.answered
        correct = sum(a.score.exact for a in answered)

        def total(measure: Callable[[Behaviour], float | None]) -> float:
            return sum(measure(a.behaviour) or 0 for a in answered)

        read, reused = total(lambda b: b.read), total(lambda b: b.reused)
        checked = [a for a in answered if a.behaviour.grounded is not None]
        ungrounded = [a for a in checked if not a.behaviour.grounded]
        return {
            "run": self.run,
            "method": self.method,
            "task": answered[0].example.task,
            "questions": len(answered),
            "of": self.total,
            "exact": asdict(bootstrap([a.score.exact for a in answered])),
            "f1": asdict(bootstrap([a.score.f1 for a in answered])),
            "finished": total(lambda b: b.finished) / len(answered),
            "outcomes": dict(Counter(a.run.trajectory.outcome for a in answered)),
            "steps": total(lambda b: b.steps) / len(answered),
            "steps_per_correct": _ratio(total(lambda b: b.steps), correct),
            "tokens": total(lambda b: b.generated) / len(answered),
            "tokens_per_correct": _ratio(total(lambda b: b.generated), correct),
            "malformed": total(lambda b: b.malformed),
            "repeats": total(lambda b: b.repeats),
            "searches": total(lambda b: b.searches),
            "missed_searches": total(lambda b: b.missed),
            "runs_with_misses": total(lambda b: b.recovered is not None),
            "runs_recovered": total(lambda b: b.recovered),
            "lookups": total(lambda b: b.lookups),
            "answers_checked": len(checked),
            "ungrounded": len(ungrounded),
            "correct_ungrounded": sum(a.score.exact for a in ungrounded),
            "gold_pages_reached": _mean(a.behaviour.gold_reached for a in answered),
            "answers_seen": _mean(a.behaviour.answer_seen for a in answered),
            "seconds": total(lambda b: b.seconds) / len(answered),
            "tokens_read": read / len(answered),
            "tokens_reused": _ratio(reused, read + reused),
            "by_type": self._by(lambda example: example.type),
            "by_level": self._by(lambda example: example.level),
        }

    def _by(self, group: Callable[[Example], str]) -> dict[str, dict[str, float | None]]:
        """Scores by a property of the questions that have it; the most common value first."""
        names = Counter(group(a.example) for a in self.answered)
        groups = {
            name: [a for a in self.answered if group(a.example) == name]
            for name, _ in names.most_common()
            if name
        }
        return {
            name: {
                "questions": len(members),
                "exact": _mean(a.score.exact for a in members),
                "f1": _mean(a.score.f1 for a in members),
                "answers_seen": _mean(a.behaviour.answer_seen for a in members),
                "answers_sought": sum(a.behaviour.answer_seen is not None for a in members),
            }
            for name, members in groups.items()
        }


@dataclass(frozen=True)
class Pair:
    """Two methods on the questions that both answered; p values are adjusted over all pairs."""

    first: MethodReport
    second: MethodReport
    questions: int
    exact: Difference
    """With the p value of McNemar's exact test and the interval of a paired bootstrap."""
    f1: Difference

    def record(self) -> dict[str, Any]:
        return {
            "first": f"{self.first.run}/{self.first.method}",
            "second": f"{self.second.run}/{self.second.method}",
            "questions": self.questions,
            "exact": asdict(self.exact),
            "f1": asdict(self.f1),
        }


@dataclass(frozen=True)
class Report:
    """A report on one or more evaluations. Make one with `read`."""

    methods: tuple[MethodReport, ...]
    manifests: dict[str, dict[str, Any]]
    """By the name of the evaluation."""

    @classmethod
    def read(cls, roots: Iterable[Path]) -> Report:
        """Read evaluations from their directories; that of a sweep stands for all below it.

        Raises:
            EvaluationError: a directory is not an evaluation, or no question is answered yet.
            DatasetError, TraceError: a file is damaged.
        """
        methods: list[MethodReport] = []
        manifests = {}
        for root in dict.fromkeys(one for path in roots for one in evaluations(path.absolute())):
            layout = RunLayout(root)
            name = root.name if root.name not in manifests else str(root)
            manifests[name] = read_manifest(layout)
            methods += _methods(layout, name)
        if not methods:
            raise EvaluationError(
                f"no question is answered yet in {', '.join(manifests)}: continue with eval"
            )
        return cls(tuple(methods), manifests)

    def of(self, names: Collection[str] = ()) -> tuple[MethodReport, ...]:
        """The methods with these names; all if none are given.

        Raises:
            EvaluationError: one is not in the report.
        """
        there = dict.fromkeys(method.method for method in self.methods)
        if absent := [name for name in names if name not in there]:
            raise EvaluationError(
                f"{absent[0]} answered no question in {', '.join(self.manifests)}: there are "
                f"{', '.join(there)}"
            )
        return tuple(m for m in self.methods if not names or m.method in names)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The comparisons of all pairs of methods that share questions."""
        compared = [_compare(*pair) for pair in combinations(self.methods, 2)]
        pairs = [pair for pair in compared if pair is not None]
        exact = holm([pair.exact.p for pair in pairs])
        f1 = holm([pair.f1.p for pair in pairs])
        return tuple(
            Pair(
                pair.first,
                pair.second,
                pair.questions,
                Difference(pair.exact.interval, exact[place]),
                Difference(pair.f1.interval, f1[place]),
            )
            for place, pair in enumerate(pairs)
        )

    def record(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "methods": [method.summary for method in self.methods],
            "pairs": [pair.record() for pair in self.pairs],
            "manifests": self.manifests,
        }


def _methods(layout: RunLayout, name: str) -> list[MethodReport]:
    total = len(read_examples(layout.questions))
    reports = []
    for method in layout.methods():
        answered = tuple(
            Answered(
                example,
                run,
                score(run.trajectory.answer, example.answers),
                behaviour(run.trajectory, example.titles, example.answers),
            )
            for example, run in read_runs(layout, method).items()
        )
        if answered:
            reports.append(MethodReport(name, method, total, answered))
    return reports


def _compare(first: MethodReport, second: MethodReport) -> Pair | None:
    """The comparison of two methods, with unadjusted p values; None if they share no questions."""
    scores = {_asked(a.example): a.score for a in second.answered}
    shared = [
        (a.score, scores[_asked(a.example)]) for a in first.answered if _asked(a.example) in scores
    ]
    if not shared:
        return None
    exact = [a.exact for a, _ in shared], [b.exact for _, b in shared]
    f1 = [a.f1 for a, _ in shared], [b.f1 for _, b in shared]
    return Pair(
        first,
        second,
        len(shared),
        Difference(paired_interval(*exact), mcnemar(*exact)),
        Difference(paired_interval(*f1), randomisation(*f1)),
    )


def _asked(example: Example) -> tuple[str, str]:
    return example.id, example.question


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known: Sequence[float] = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
