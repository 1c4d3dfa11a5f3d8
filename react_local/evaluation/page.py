"""A report as a self-contained HTML file with plots, tables and every trajectory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import resources
from math import ceil
from typing import Any

from react_local.display import fall_line, votes_line
from react_local.evaluation import tables
from react_local.evaluation.report import Answered, MethodReport, Report
from react_local.methods import form_of
from react_local.transcript import passage_lines, remark_line
from react_local.types import Trajectory

ENDINGS = (
    "correct",
    "correct, but stated by no observation",
    "wrong, every gold page opened",
    "wrong, a gold page never opened",
    "wrong",
    "no answer",
)
"""The possible endings of a question; the plain ``wrong`` is for methods that open no pages."""


_LEVEL = ("cot", "react")
"""The methods shown as level lines in Figure 2."""

_MOST_NUMBERS = 13
"""The maximum number of tick labels below a histogram of steps."""


def to_html(report: Report) -> str:
    """The HTML page. It contains no scripts and loads nothing from the network."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"
    template = resources.files("react_local.evaluation").joinpath("page.html.j2")
    return environment.from_string(template.read_text(encoding="utf-8")).render(
        title=", ".join(report.manifests),
        score=tables.score_name(report),
        tables=tables.sections(report),
        samples=_samples(report),
        most_steps=max(a.behaviour.steps for m in report.methods for a in m.answered),
        most_numbers=_MOST_NUMBERS,
        endings=ENDINGS,
        methods=[_method(method, tables.label(method, report)) for method in report.methods],
        manifests={
            name: json.dumps(manifest, ensure_ascii=False, indent=2)
            for name, manifest in report.manifests.items()
        },
    )


def _samples(report: Report) -> dict[str, Any] | None:
    """Figure 2 of the paper: score by number of samples; other methods are level lines."""
    curves = tables.curves(report)
    if not curves:
        return None
    levels = {
        tables.label(method, report): method.summary["exact"]["mean"]
        for method in sorted(report.methods, key=lambda method: method.summary["exact"]["mean"])
        if method.method in _LEVEL
    }
    highs = [interval.high for curve in curves.values() for interval in curve.values()]
    return {
        "curves": curves,
        "levels": levels,
        "most": max(size for curve in curves.values() for size in curve),
        "top": min(1.0, ceil(10 * max(*highs, *levels.values())) / 10),
    }


def ending(answered: Answered) -> str:
    """The one of `ENDINGS` that applies to a question."""
    done = answered.behaviour
    if answered.run.trajectory.answer is None:
        return "no answer"
    if answered.score.exact:
        return ENDINGS[1] if done.grounded is False else "correct"
    if done.gold_reached is None:
        return "wrong"
    return ENDINGS[2] if done.gold_reached == 1 else ENDINGS[3]


def _method(method: MethodReport, label: str) -> dict[str, Any]:
    endings = Counter(map(ending, method.answered))
    steps = Counter(answered.behaviour.steps for answered in method.answered)
    count = len(method.answered)
    return {
        "label": label,
        "scores": {"exact": method.summary["exact"], "f1": method.summary["f1"]},
        "endings": _stacked({name: endings[name] / count for name in ENDINGS}),
        "steps": [(number, steps[number] / count) for number in range(1, max(steps) + 1)],
        "answered": [_trajectory(answered) for answered in method.answered],
    }


def _stacked(shares: Mapping[str, float]) -> list[tuple[int, str, float, float]]:
    """The non-empty parts of a bar of length 1: index, name, start, length."""
    parts, start = [], 0.0
    for place, (name, share) in enumerate(shares.items()):
        if share:
            parts.append((place, name, start, share))
        start += share
    return parts


def _trajectory(answered: Answered) -> dict[str, Any]:
    told = answered.run.trajectory
    return {
        "question": told.question,
        "answer": told.answer,
        "source": told.source,
        "gold": " / ".join(answered.example.answers),
        "ending": ending(answered),
        "is_correct": bool(answered.score.exact),
        "f1": answered.score.f1,
        "outcome": told.outcome,
        "titles": answered.example.titles,
        "notes": answered.run.notes,
        "lines": list(_lines(told)),
    }


def _lines(told: Trajectory) -> Iterator[tuple[bool, str]]:
    """The lines of a run, each with whether the model wrote it."""
    for part in told.parts:
        if part.before:
            yield False, fall_line(part)
        if part.given:
            yield from ((False, line) for line in passage_lines(part))
        if part.plan:
            yield True, remark_line(part.plan)
        for number, step in enumerate(part.steps, start=1):
            yield True, form_of(part).text(number, step)
            if step.observation:
                yield False, f"Observation {number}: {step.observation.text}"
            if voted := votes_line(step):
                yield False, voted
        if part.review:
            yield True, remark_line(part.review)
