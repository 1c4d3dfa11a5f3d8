"""The tables of a report, as cells and as plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from react_local.evaluation.curve import curve
from react_local.evaluation.report import MethodReport, Pair, Report
from react_local.evaluation.statistics import Interval
from react_local.types import Task

_NONE = "–"


def sections(report: Report) -> list[tuple[str, list[list[str]]]]:
    """The tables of the report with their headings; the first row of a table is its header."""
    found = [
        (f"{score_name(report)} by evaluation", _evaluations(report)),
        ("Scores and behaviour", _measures(report)),
    ]
    measures = (
        (score_name(report), "exact", "questions"),
        ("gold answer seen, %", "answers_seen", "answers_sought"),
    )
    for heading, key in (("By type", "by_type"), ("By level", "by_level")):
        for name, *measure in measures:
            found.append((f"{heading}, {name} (questions)", _groups(report, key, *measure)))
    found.append((f"{score_name(report)} by number of samples", _curves(report)))
    found.append(
        (
            "Differences, first minus second, with 95 % intervals; p adjusted by Holm",
            _pairs(report),
        )
    )
    return [(heading, rows) for heading, rows in found if len(rows) > 1]


def text(report: Report) -> str:
    """The whole report as plain text."""
    return "\n".join(f"{heading}\n{aligned(rows)}" for heading, rows in sections(report))


def label(method: MethodReport, report: Report) -> str:
    """The name of a method in tables, with its evaluation if there are several."""
    return method.method if len(report.manifests) == 1 else f"{method.run}/{method.method}"


def is_claims(report: Report) -> bool:
    return all(method.summary["task"] is Task.CLAIM for method in report.methods)


def score_name(report: Report) -> str:
    """The name of the exact match: accuracy if all are claims."""
    return "accuracy" if is_claims(report) else "EM"


def _measures(report: Report) -> list[list[str]]:
    rows = [["", *(label(method, report) for method in report.methods)]]
    for name, cell in _ROWS:
        if name == "F1" and is_claims(report):
            continue
        told = "Accuracy" if name == "EM" and is_claims(report) else name
        rows.append([told, *(cell(method.summary) for method in report.methods)])
    return rows


def _evaluations(report: Report) -> list[list[str]]:
    """A row per evaluation, a column per method; empty if no method is in two of them."""
    methods = list(dict.fromkeys(m.method for m in report.methods))
    if len(report.methods) == len(methods):
        return []
    scores = {(m.run, m.method): interval(m.summary["exact"]) for m in report.methods}
    rows = [
        [run, *(scores.get((run, method), _NONE) for method in methods)]
        for run in dict.fromkeys(m.run for m in report.methods)
    ]
    return [["", *methods], *rows]


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.1f}"


def interval(score: dict[str, float]) -> str:
    return f"{_percent(score['mean'])} [{_percent(score['low'])}, {_percent(score['high'])}]"


def _of(part: str, whole: str) -> Callable[[dict[str, Any]], str]:
    """A count out of a total, ``12 of 39``; a dash if the total is 0."""
    return lambda s: f"{s[part]:.0f} of {s[whole]:.0f}" if s[whole] else _NONE


def _count(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda s: f"{s[name]:,.0f}"


_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("Questions", _of("questions", "of")),
    ("EM", lambda s: interval(s["exact"])),
    ("F1", lambda s: interval(s["f1"])),
    ("Finished, %", lambda s: _percent(s["finished"])),
    ("Steps a question", lambda s: _number(s["steps"])),
    ("Steps per correct answer", lambda s: _number(s["steps_per_correct"])),
    ("Tokens a question", lambda s: _number(s["tokens"])),
    ("Tokens per correct answer", lambda s: _number(s["tokens_per_correct"])),
    ("Malformed steps", _count("malformed")),
    ("Repeated actions", _count("repeats")),
    ("Missed searches", _of("missed_searches", "searches")),
    ("Runs that recovered", _of("runs_recovered", "runs_with_misses")),
    ("Lookups", _count("lookups")),
    ("Ungrounded answers", _of("ungrounded", "answers_checked")),
    ("Correct but ungrounded", lambda s: _count("correct_ungrounded")(s)),
    ("Gold pages reached, %", lambda s: _percent(s["gold_pages_reached"])),
    ("Gold answer seen, %", lambda s: _percent(s["answers_seen"])),
    ("Seconds a question", lambda s: _number(s["seconds"])),
    ("Prompt tokens read", lambda s: _number(s["tokens_read"])),
    ("Prompt tokens reused, %", lambda s: _percent(s["tokens_reused"])),
)


def _groups(report: Report, key: str, measure: str, count: str) -> list[list[str]]:
    """A measure and its `count` by groups of questions, for the methods that it applies to."""
    methods = [
        method
        for method in report.methods
        if any(group[measure] is not None for group in method.summary[key].values())
    ]
    names = list(dict.fromkeys(name for method in methods for name in method.summary[key]))
    if len(names) < 2:
        return []
    rows = [["", *(label(method, report) for method in methods)]]
    for name in names:
        groups = [method.summary[key].get(name) for method in methods]
        cells = [f"{_percent(g[measure])} ({g[count]})" if g else _NONE for g in groups]
        rows.append([name, *cells])
    return rows


def _curves(report: Report) -> list[list[str]]:
    found = curves(report)
    if not found:
        return []
    rows = [["Samples", *found]]
    for size in sorted({size for one in found.values() for size in one}):
        cells = [one.get(size) for one in found.values()]
        rows.append([str(size), *(interval(asdict(cell)) if cell else _NONE for cell in cells)])
    return rows


def curves(report: Report) -> dict[str, dict[int, Interval]]:
    """Score by number of samples for each method that samples, by the method's label."""
    found = {label(m, report): curve(m, report.methods) for m in report.methods}
    return {name: one for name, one in found.items() if one}


def _pairs(report: Report) -> list[list[str]]:
    head = ["", "questions", score_name(report), "p", "F1", "p"]
    rows = [head, *(_pair(pair, report) for pair in report.pairs)]
    return [row[:4] for row in rows] if is_claims(report) else rows


def _pair(pair: Pair, report: Report) -> list[str]:
    name = f"{label(pair.first, report)} − {label(pair.second, report)}"
    cells = [name, str(pair.questions)]
    for difference in (pair.exact, pair.f1):
        inner = difference.interval
        told = f"{100 * inner.mean:+.1f} [{100 * inner.low:+.1f}, {100 * inner.high:+.1f}]"
        cells += [told, "<0.001" if difference.p < 0.001 else f"{difference.p:.3f}"]
    return cells


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as text, with the first column left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip() + "\n")
    return "".join(lines)
