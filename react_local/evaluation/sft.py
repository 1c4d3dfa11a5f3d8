"""Correct trajectories as training data: the bootstrapping of arXiv 2210.03629, Section 3.2.

What a model is to learn is what it writes: thoughts, actions and answers. The instruction, the
question and the observations are read and not learnt, so they are marked as outside the loss:

- completion: ``{"segments": [{"text": …, "label": true|false}]}``; the texts one after another are
  what a base model reads, and `label` says which of them count.
- chat: ``{"messages": [{"role": …, "content": …}]}``; the assistant's turns count.

There are no exemplars before the question: what they showed is what is learnt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from react_local.actions import with_optional
from react_local.errors import EvaluationError
from react_local.evaluation.report import Answered, MethodReport, Report
from react_local.methods import form_of
from react_local.models.base import Piece, Role
from react_local.models.chat import turns
from react_local.normalise import normalise

Style = Literal["completion", "chat"]


@dataclass(frozen=True)
class Sample:
    """A correct run, with where it came from."""

    run: str
    method: str
    id: str
    pieces: tuple[Piece, ...]
    """The question and all that was done about it; the assistant's pieces count."""

    def record(self, style: Style) -> dict[str, Any]:
        """A line of the file."""
        source = {"run": self.run, "method": self.method, "id": self.id}
        if style == "chat":
            messages = [
                {"role": str(turn.role), "content": _text(turn.pieces)}
                for turn in turns(self.pieces)
            ]
            return {"messages": messages, "source": source}
        segments = [
            {"text": _text(list(pieces)), "label": is_written}
            for is_written, pieces in groupby(self.pieces, _is_written)
        ]
        return {"segments": segments, "source": source}


@dataclass(frozen=True)
class Source:
    """What one method of one evaluation gave."""

    method: MethodReport
    correct: int
    samples: tuple[Sample, ...]
    """Those that are not a repetition of an earlier one."""


def collect(report: Report, methods: Collection[str] = ()) -> tuple[Source, ...]:
    """The correct, well-formed runs of `methods` (of all, where none is named), each once.

    Two runs are the same where question and actions are, as answers are compared; the first stays.

    Raises:
        EvaluationError: there are none, or one of `methods` is not in the report.
    """
    seen: set[tuple] = set()
    sources = []
    for method in report.of(methods):
        correct = [a for a in method.answered if a.score.exact and not a.behaviour.malformed]
        samples = []
        for answered in correct:
            if (key := _key(answered)) not in seen:
                seen.add(key)
                samples.append(_sample(method, answered))
        sources.append(Source(method, len(correct), tuple(samples)))
    if not seen:
        raise EvaluationError(
            f"no correct answer in {', '.join(report.manifests)}"
            f"{' by ' + ', '.join(methods) if methods else ''}: there is nothing to learn from"
        )
    return tuple(sources)


def card(report: Report, sources: Sequence[Source], style: Style) -> str:
    """What the file holds and where it came from, as Markdown."""
    rows = [
        f"| {s.method.run} | {s.method.method} | {len(s.method.answered)} | {s.correct} "
        f"| {s.correct - len(s.samples)} | {len(s.samples)} |"
        for s in sources
    ]
    marked = {
        "completion": "`segments`, of which those with `label` true count for the loss",
        "chat": "`messages`, of which the assistant's count for the loss",
    }
    total = sum(len(source.samples) for source in sources)
    lines = [
        "# Trajectories for supervised fine-tuning",
        "",
        f"Runs of react-local whose answer matches the gold answer, {total}, one a line: "
        f"{marked[style]}. Instruction, question and observations do not. `source` names the "
        "evaluation, the method and the question.",
        "",
        "| evaluation | method | questions | correct | repetitions left out | kept |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        *(line for name, made in report.manifests.items() for line in _made(name, made)),
        "",
        "An answer can be right for a wrong reason; nobody has read these runs. Questions are of "
        "the data set named and observations of the index named, under the licences of those; "
        "the model's own text is under the terms of its weights. Do not measure a model on "
        "questions that it was trained on here.",
    ]
    return "\n".join(lines) + "\n"


def _made(name: str, manifest: dict[str, Any]) -> list[str]:
    lines = []
    for part, file in (("data", "file"), ("model", "file"), ("index", "dump")):
        found = manifest.get(part, {})
        if file in found:
            digest = found.get("sha256", "")
            lines.append(f"- {name}, {part}: {found[file]}" + f", SHA-256 {digest}" * bool(digest))
    return lines


def _sample(method: MethodReport, answered: Answered) -> Sample:
    told = answered.run.trajectory
    form = replace(form_of(told), kinds=with_optional(answered.run.setup.actions))
    pieces = tuple(form.prompt(told))
    return Sample(method.run, method.method, answered.example.id, pieces)


def _key(answered: Answered) -> tuple:
    told, form = answered.run.trajectory, form_of(answered.run.trajectory)
    actions = tuple((s.action.name, normalise(s.action.argument)) for s in told.steps)
    parts = form.thoughts, form.actions, form.passages, form.calls
    return normalise(told.question), parts, actions


def _is_written(piece: Piece) -> bool:
    return piece.role is Role.ASSISTANT


def _text(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)
