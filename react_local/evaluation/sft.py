"""Correct trajectories as training data: the bootstrapping of arXiv 2210.03629, Section 3.2.

The model learns to generate what it writes: thoughts, actions and answers. The instruction, the
question and the observations are only read, so they are excluded from the loss:

- completion: ``{"segments": [{"text": …, "label": true|false}]}``; the concatenated texts are what
  a base model reads, and `label` says which of them are included in the loss.
- chat: ``{"messages": [{"role": …, "content": …}]}``; the assistant's turns are included.

There are no exemplars before the question: training replaces them.
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
    """A correct run and its origin."""

    run: str
    method: str
    id: str
    pieces: tuple[Piece, ...]
    """The prompt and the whole run; the assistant's pieces are included in the loss."""

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
    """The samples from one method of one evaluation."""

    method: MethodReport
    correct: int
    samples: tuple[Sample, ...]
    """Without repetitions of earlier ones."""


def collect(report: Report, methods: Collection[str] = ()) -> tuple[Source, ...]:
    """The correct, well-formed runs of `methods` (by default of all), without repetitions.

    Two runs are the same if their normalised questions and actions are; the first one is kept.

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
            f"{' by ' + ', '.join(methods) if methods else ''}: there is no training data"
        )
    return tuple(sources)


def card(report: Report, sources: Sequence[Source], style: Style) -> str:
    """A description of the data and its origin, in Markdown."""
    rows = [
        f"| {s.method.run} | {s.method.method} | {len(s.method.answered)} | {s.correct} "
        f"| {s.correct - len(s.samples)} | {len(s.samples)} |"
        for s in sources
    ]
    marked = {
        "completion": "`segments`, of which those with `label` true are included in the loss",
        "chat": "`messages`, of which the assistant's are included in the loss",
    }
    total = sum(len(source.samples) for source in sources)
    lines = [
        "# Trajectories for supervised fine-tuning",
        "",
        f"{total} runs of react-local whose answer matches the gold answer, one per line: "
        f"{marked[style]}. Instruction, question and observations are not. `source` gives the "
        "evaluation, the method and the question.",
        "",
        "| evaluation | method | questions | correct | repetitions left out | kept |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        *(line for name, made in report.manifests.items() for line in _made(name, made)),
        "",
        "An answer can be right for a wrong reason; nobody has checked these runs. The questions "
        "come from the dataset and the observations from the index named above, under their "
        "licences; the model's own text is subject to the terms of its weights. Do not evaluate "
        "a model on questions that it was trained on.",
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
