"""A report as CSV, LaTeX and Markdown, with the paper's own figures for comparison."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from react_local.evaluation.report import MethodReport, Report
from react_local.evaluation.tables import interval, is_claims, label, score_name, sections
from react_local.types import Task


class Published(NamedTuple):
    """The paper's figures for a method, in per cent."""

    name: str
    exact_match: float
    """On HotpotQA."""
    accuracy: float
    """On FEVER."""


PAPER = {
    "standard": Published("Standard", 28.7, 57.1),
    "cot": Published("CoT", 29.4, 56.3),
    "cot-sc": Published("CoT-SC", 33.4, 60.4),
    "act": Published("Act", 25.7, 58.9),
    "react": Published("ReAct", 27.4, 60.9),
    "cot-sc>react": Published("CoT-SC → ReAct", 34.2, 64.6),
    "react>cot-sc": Published("ReAct → CoT-SC", 35.1, 62.0),
}
"""The paper's own figures (arXiv 2210.03629, Table 1), with PaLM-540B and the live Wikipedia:
another model and another corpus."""


def to_csv(report: Report) -> str:
    """One row per method and one column per measure; intervals have columns of their own, and the
    paper's figure is last."""
    theirs = _paper_name(report)
    rows = [_flat(method.summary) | {theirs: _paper(method, report)} for method in report.methods]
    names = dict.fromkeys(name for row in rows for name in row if name != theirs)
    file = io.StringIO()
    writer = csv.DictWriter(file, [*names, theirs])
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def to_latex(report: Report) -> str:
    """The main table (booktabs), with the paper's figures marked as such below it."""
    claims = is_claims(report)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        rf"Method & {'Accuracy' if claims else 'EM'} & {'' if claims else 'F1'} \\",
        r"\midrule",
    ]
    for method in report.methods:
        exact, f1 = interval(method.summary["exact"]), interval(method.summary["f1"])
        lines.append(rf"{_latex(label(method, report))} & {exact} & {'' if claims else f1} \\")
    lines += [
        r"\midrule",
        r"\multicolumn{3}{l}{\emph{$^\dagger$ Yao et al.\ (2023), Table 1: their figures,}} \\",
        r"\multicolumn{3}{l}{\emph{of PaLM-540B over the live Wikipedia}} \\",
    ]
    for published in PAPER.values():
        told = published.name.replace("→", r"$\rightarrow$")
        figure = published.accuracy if claims else published.exact_match
        lines.append(rf"{told}$^\dagger$ & {figure:.1f} & \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def to_markdown(report: Report) -> str:
    """The main table with the paper's figures, then all other tables with their headings."""
    scores = f"{score_name(report)}, % [95 % interval]", "F1, %"
    rows = [["", "questions", *scores, _paper_name(report)]]
    rows += [_main(method, report) for method in report.methods]
    if is_claims(report):
        rows = [[*row[:3], *row[4:]] for row in rows]
    return "\n".join(
        f"### {heading}\n\n{_markdown(rows)}"
        for heading, rows in [("Scores", rows), *sections(report)]
    )


def _main(method: MethodReport, report: Report) -> list[str]:
    summary, theirs = method.summary, _paper(method, report)
    scores = [interval(summary["exact"]), interval(summary["f1"])]
    told = "" if theirs is None else f"{theirs:.1f}"
    return [label(method, report), str(summary["questions"]), *scores, told]


def _paper(method: MethodReport, report: Report) -> float | None:
    """The paper's figure for a method, for the score named by `_paper_name`; none for claims if the
    report has questions, too."""
    published, claims = PAPER.get(method.method), is_claims(report)
    if published is None or (method.summary["task"] is Task.CLAIM) != claims:
        return None
    return published.accuracy if claims else published.exact_match


def _paper_name(report: Report) -> str:
    """The label of the paper's figures."""
    score = "accuracy on FEVER" if is_claims(report) else "EM on HotpotQA"
    return f"paper's {score} (Yao et al. 2023, PaLM-540B, live Wikipedia)"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table in GitHub's Markdown, with numbers right-aligned."""
    head, *body = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body))


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


_LATEX = str.maketrans(
    {
        ">": r"$\rightarrow$",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "_%&#${}"},
    }
)


def _latex(text: str) -> str:
    return text.translate(_LATEX)
