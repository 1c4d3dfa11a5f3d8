"""Methods run over questions, into a directory that can be gone on with after any kill.

    RUN/manifest.json    what it was made with; written last when a run is begun
    RUN/questions.jsonl  the questions asked, with their gold answers, in our own JSON lines
    RUN/<method>.jsonl   a trace (`react_local.trace`); a run's id is its question's id

A question's run is written when it is done. One that was in hand when the program was killed is
asked again from its start, so that it is answered as it would have been.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_local import trace
from react_local.errors import EvaluationError
from react_local.evaluation.datasets import Example
from react_local.evaluation.datasets import read as read_examples
from react_local.evaluation.files import write_whole
from react_local.evaluation.jobs import AskAll, Job
from react_local.evaluation.manifest import FORMAT, VERSION, difference
from react_local.evaluation.metrics import Score, score
from react_local.events import Ended, Noted
from react_local.methods import METHODS, is_method, sides
from react_local.types import Outcome, Task, Trajectory

_BEGUN = {"questions.jsonl", "questions.jsonl.writing", "manifest.json.writing"}
"""What there may be where an evaluation was killed before its manifest was written."""


@dataclass(frozen=True)
class RunLayout:
    """The paths of an evaluation."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def questions(self) -> Path:
        return self.root / "questions.jsonl"

    def trace(self, method: str) -> Path:
        """``a+b.jsonl`` for ``a>b``, since a shell takes ``>`` for its own."""
        return self.root / f"{method.replace('>', '+')}.jsonl"

    def methods(self) -> list[str]:
        """The methods that were run here, in the paper's order; other hybrids after them."""
        names = sorted(path.stem.replace("+", ">") for path in self.root.glob("*.jsonl"))
        known = [name for name in names if is_method(name)]
        order = {name: place for place, name in enumerate(METHODS)}
        return sorted(known, key=lambda name: order.get(name, len(order)))


@dataclass(frozen=True)
class Progress:
    """How far a method is: questions done of all, mean scores so far, seconds left for it."""

    method: str
    task: Task
    done: int
    total: int
    exact: float
    f1: float
    seconds_left: float | None
    """None before the first question of this session is answered."""


def prepare(layout: RunLayout, manifest: Mapping[str, Any], examples: Sequence[Example]) -> None:
    """Begin an evaluation in its directory, or make sure that the one there is the same.

    Raises:
        EvaluationError: the directory holds something else, or was made with something else.
    """
    if layout.manifest.exists():
        kept, now = read_manifest(layout), json.loads(json.dumps(manifest))
        if kept.get("index") is None:  # what was asked before needed none
            kept["index"] = now.get("index")
            write_whole(layout.manifest, _json(kept))
        if differs := difference(kept, now):
            raise EvaluationError(
                f"{layout.root} was made with another {differs}; name another --out"
            )
        return
    if layout.root.exists() and not {path.name for path in layout.root.iterdir()} <= _BEGUN:
        raise EvaluationError(f"{layout.root} is not empty and no evaluation: name another --out")
    layout.root.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(example.record(), ensure_ascii=False) + "\n" for example in examples)
    write_whole(layout.questions, "".join(lines))
    write_whole(layout.manifest, _json(manifest))


def evaluations(root: Path) -> list[Path]:
    """The evaluation at `root`; where that is none, those in directories below it, as a sweep
    makes them, numbers in their names by size. `root` itself where there are none."""
    if RunLayout(root).manifest.exists():
        return [root]
    layouts = (RunLayout(path.parent) for path in root.glob("*/manifest.json"))
    below = [layout.root for layout in layouts if layout.questions.exists()]
    return sorted(below, key=_natural) or [root]


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    parts = re.split(r"(\d+)", path.name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def read_manifest(layout: RunLayout) -> dict[str, Any]:
    """The manifest of an evaluation.

    Raises:
        EvaluationError: there is none, it is damaged, or of another version.
    """
    try:
        manifest = json.loads(layout.manifest.read_text(encoding="utf-8"))
        found = manifest.get("format"), manifest.get("version")
    except OSError as error:
        below = [path.name for path in evaluations(layout.root) if path != layout.root]
        advice = f"name one below it: {', '.join(below)}" if below else "run react-local eval"
        raise EvaluationError(
            f"{layout.root} is not an evaluation (no manifest.json): {advice}"
        ) from error
    except (ValueError, AttributeError) as error:
        raise EvaluationError(f"{layout.manifest} is damaged: run eval again elsewhere") from error
    if found[0] != FORMAT:
        raise EvaluationError(f"{layout.root} is no evaluation: make one with react-local eval")
    if found != (FORMAT, VERSION):
        raise EvaluationError(f"{layout.root} is of another version: this program reads {VERSION}")
    return manifest


def read_runs(layout: RunLayout, method: str) -> dict[Example, trace.Run]:
    """The finished runs of a method by their examples, in the order of the questions.

    Raises:
        DatasetError: the questions cannot be read.
        TraceError: the trace cannot be read.
    """
    examples = read_examples(layout.questions)
    if not layout.trace(method).exists():
        return {}
    runs = {run.id: run for run in trace.read(layout.trace(method)).runs}
    return {
        example: runs[example.id]
        for example in examples
        if example.id in runs and _is_done(runs[example.id].trajectory)
    }


def evaluate(
    layout: RunLayout,
    examples: Sequence[Example],
    method: str,
    ask_all: AskAll,
    setup: trace.Setup,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> None:
    """Ask `method` the examples it has not answered yet, appending its runs to its trace.

    A hybrid is told how its sides answered before, in this evaluation.

    Raises:
        KeyboardInterrupt: it was interrupted; all questions but those in hand are kept.
        TraceError: the trace cannot be read or written, or another program writes it.
    """
    kept = read_runs(layout, method)
    scores = [score(run.trajectory.answer, example.answers) for example, run in kept.items()]
    started, before = time.monotonic(), len(scores)
    on_progress(_progress(method, examples, scores, None))
    jobs = list(_jobs(layout, method, [one for one in examples if one not in kept]))
    with trace.TraceWriter(layout.trace(method), setup) as writer:
        for job, events in ask_all(jobs):
            writer.begin(job.example.id)
            for event in events:
                writer(event)
                match event:
                    case Noted(text):
                        on_note(text)
                    case Ended(told):
                        scores.append(score(told.answer, job.example.answers))
            each = (time.monotonic() - started) / (len(scores) - before)
            on_progress(_progress(method, examples, scores, each))


def _jobs(layout: RunLayout, method: str, examples: Sequence[Example]) -> Iterator[Job]:
    parts = sides(method)
    known = {side: read_runs(layout, side) for side in parts if len(parts) > 1}
    for example in examples:
        before = {side: runs[example] for side, runs in known.items() if example in runs}
        yield Job(method, example, before)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _is_done(told: Trajectory) -> bool:
    return told.outcome not in (None, Outcome.INTERRUPTED)


def _progress(
    method: str, examples: Sequence[Example], scores: Sequence[Score], seconds_each: float | None
) -> Progress:
    done, total = len(scores), len(examples)
    return Progress(
        method,
        examples[0].task,
        done,
        total,
        sum(score.exact for score in scores) / max(done, 1),
        sum(score.f1 for score in scores) / max(done, 1),
        None if seconds_each is None else seconds_each * (total - done),
    )
