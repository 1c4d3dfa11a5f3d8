"""A report as tables: for a terminal, as CSV, and as LaTeX beside the paper's own figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from react_local.evaluation.curve import curve
from react_local.evaluation.report import MethodReport, Pair, Report
from react_local.types import Task

_NONE = "–"

PAPER = {
    "Standard": (28.7, 57.1),
    "CoT": (29.4, 56.3),
    "CoT-SC": (33.4, 60.4),
    "Act": (25.7, 58.9),
    "ReAct": (27.4, 60.9),
    "CoT-SC → ReAct": (34.2, 64.6),
    "ReAct → CoT-SC": (35.1, 62.0),
}
"""The paper's own figures (arXiv 2210.03629, Table 1): HotpotQA exact match and FEVER accuracy, in
per cent, of PaLM-540B over the live Wikipedia."""


def sections(report: Report) -> list[tuple[str, list[list[str]]]]:
    """The report as headed tables: rows of cells, the first row being the head."""
    found = [("Scores and behaviour", _measures(report))]
    for heading, key in (("By type", "by_type"), ("By level", "by_level")):
        found.append((f"{heading}, {score_name(report)} (questions)", _groups(report, key)))
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


def to_csv(report: Report) -> str:
    """A line a method, a column a measure; intervals in columns of their own."""
    rows = [_flat(method.summary) for method in report.methods]
    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def to_latex(report: Report) -> str:
    """The main table (booktabs), the paper's figures below it and marked as theirs."""
    is_claims = _is_claims(report)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        rf"Method & {'Accuracy' if is_claims else 'EM'} & {'' if is_claims else 'F1'} \\",
        r"\midrule",
    ]
    for method in report.methods:
        exact, f1 = _interval(method.summary["exact"]), _interval(method.summary["f1"])
        lines.append(rf"{_latex(label(method, report))} & {exact} & {'' if is_claims else f1} \\")
    lines += [
        r"\midrule",
        r"\multicolumn{3}{l}{\emph{$^\dagger$ Yao et al.\ (2023), Table 1: their figures,}} \\",
        r"\multicolumn{3}{l}{\emph{of PaLM-540B over the live Wikipedia}} \\",
    ]
    for name, figures in PAPER.items():
        told = name.replace("→", r"$\rightarrow$")
        lines.append(rf"{told}$^\dagger$ & {figures[is_claims]:.1f} & \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def label(method: MethodReport, report: Report) -> str:
    """What a method is called in tables: by its run too, where there are several."""
    return method.method if len(report.manifests) == 1 else f"{method.run}/{method.method}"


def _is_claims(report: Report) -> bool:
    return all(method.summary["task"] is Task.CLAIM for method in report.methods)


def score_name(report: Report) -> str:
    """What exact match is called: accuracy where all are claims."""
    return "accuracy" if _is_claims(report) else "EM"


def _measures(report: Report) -> list[list[str]]:
    rows = [["", *(label(method, report) for method in report.methods)]]
    for name, cell in _ROWS:
        if name == "F1" and _is_claims(report):
            continue
        told = "Accuracy" if name == "EM" and _is_claims(report) else name
        rows.append([told, *(cell(method.summary) for method in report.methods)])
    return rows


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.1f}"


def _interval(score: dict[str, float]) -> str:
    return f"{_percent(score['mean'])} [{_percent(score['low'])}, {_percent(score['high'])}]"


def _of(part: str, whole: str) -> Callable[[dict[str, Any]], str]:
    """A count of another: ``12 of 39``; a dash where there is nothing to count."""
    return lambda s: f"{s[part]:.0f} of {s[whole]:.0f}" if s[whole] else _NONE


def _count(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda s: f"{s[name]:,.0f}"


_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("Questions", _of("questions", "of")),
    ("EM", lambda s: _interval(s["exact"])),
    ("F1", lambda s: _interval(s["f1"])),
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
    ("Seconds a question", lambda s: _number(s["seconds"])),
    ("Prompt tokens read", lambda s: _number(s["tokens_read"])),
    ("Prompt tokens reused, %", lambda s: _percent(s["tokens_reused"])),
)


def _groups(report: Report, key: str) -> list[list[str]]:
    names = list(dict.fromkeys(name for m in report.methods for name in m.summary[key]))
    if len(names) < 2:
        return []
    rows = [["", *(label(method, report) for method in report.methods)]]
    for name in names:
        groups = [method.summary[key].get(name) for method in report.methods]
        cells = [f"{_percent(g['exact'])} ({g['questions']})" if g else _NONE for g in groups]
        rows.append([name, *cells])
    return rows


def _curves(report: Report) -> list[list[str]]:
    curves = [(label(m, report), found) for m in report.methods if (found := curve(m))]
    if not curves:
        return []
    rows = [["Samples", *(name for name, _ in curves)]]
    for size in sorted({size for _, found in curves for size in found}):
        rows.append([str(size), *(_percent(found.get(size)) for _, found in curves)])
    return rows


def _pairs(report: Report) -> list[list[str]]:
    head = ["", "questions", score_name(report), "p", "F1", "p"]
    rows = [head, *(_pair(pair, report) for pair in report.pairs)]
    return [row[:4] for row in rows] if _is_claims(report) else rows


def _pair(pair: Pair, report: Report) -> list[str]:
    name = f"{label(pair.first, report)} − {label(pair.second, report)}"
    cells = [name, str(pair.questions)]
    for difference in (pair.exact, pair.f1):
        inner = difference.interval
        told = f"{100 * inner.mean:+.1f} [{100 * inner.low:+.1f}, {100 * inner.high:+.1f}]"
        cells += [told, "<0.001" if difference.p < 0.001 else f"{difference.p:.3f}"]
    return cells


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip() + "\n")
    return "".join(lines)


def _flat(summary: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in summary.items():
        if name in ("by_type", "by_level"):
            continue
        if isinstance(value, dict):
            row |= {f"{name}_{inner}": number for inner, number in value.items()}
        else:
            row[name] = value
    return row


def _latex(text: str) -> str:
    return text.replace("_", r"\_").replace("%", r"\%").replace("&", r"\&").replace("#", r"\#")
