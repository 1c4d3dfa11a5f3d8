"""Running methods over questions, into a directory from which a killed evaluation can be resumed.

    RUN/manifest.json    what the evaluation depends on; written last when it begins
    RUN/questions.jsonl  the questions with their gold answers, in our own JSON lines
    RUN/<method>.jsonl   a trace (`react_local.trace`); a run's id is its question's id

A question's run is written when it is complete. A question that was in progress when the program
was killed is asked again from the start, so its result does not change.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_local import trace
from react_local.errors import EvaluationError
from react_local.evaluation.datasets import Example
from react_local.evaluation.datasets import read as read_examples
from react_local.evaluation.files import cannot_write, write_whole
from react_local.evaluation.jobs import AskAll, Job
from react_local.evaluation.manifest import FORMAT, VERSION, difference
from react_local.evaluation.metrics import Score, score
from react_local.events import Ended, Noted
from react_local.methods import METHODS, is_method, sides
from react_local.types import Outcome, Task, Trajectory

_BEGUN = {"questions.jsonl", "questions.jsonl.writing", "manifest.json.writing"}
"""The files that may exist if an evaluation was killed before its manifest was written."""


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
        """``a+b.jsonl`` for ``a>b``, since ``>`` has a meaning in shells."""
        return self.root / f"{method.replace('>', '+')}.jsonl"

    def methods(self) -> list[str]:
        """The methods with a trace here, in the paper's order, with other hybrids last."""
        names = sorted(path.stem.replace("+", ">") for path in self.root.glob("*.jsonl"))
        known = [name for name in names if is_method(name)]
        order = {name: place for place, name in enumerate(METHODS)}
        return sorted(known, key=lambda name: order.get(name, len(order)))


@dataclass(frozen=True)
class Progress:
    """Progress of a method: questions answered of all, mean scores so far, seconds left."""

    method: str
    task: Task
    done: int
    total: int
    exact: float
    f1: float
    seconds_left: float | None
    """None before the first question of this session is answered."""


def prepare(layout: RunLayout, manifest: Mapping[str, Any], examples: Sequence[Example]) -> None:
    """Begin an evaluation in its directory, or make sure that the existing one has this manifest.

    Raises:
        EvaluationError: the directory is not an evaluation, or one with another manifest.
    """
    if layout.manifest.exists():
        kept, now = read_manifest(layout), json.loads(json.dumps(manifest))
        had_index = kept.get("index") is not None  # else the methods run before needed none
        full = kept if had_index else kept | {"index": now.get("index")}
        if differs := difference(full, now):
            raise EvaluationError(
                f"{layout.root} was made with another {differs}; choose another --out"
            )
        if full != kept:
            write_whole(layout.manifest, _json(full))
        return
    if layout.root.exists() and not {path.name for path in layout.root.iterdir()} <= _BEGUN:
        raise EvaluationError(
            f"{layout.root} is not empty and not an evaluation: choose another --out"
        )
    try:
        layout.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(layout.root, error, "choose another --out") from error
    lines = (json.dumps(example.record(), ensure_ascii=False) + "\n" for example in examples)
    write_whole(layout.questions, "".join(lines))
    write_whole(layout.manifest, _json(manifest))


def refuse_own_file(path: Path, roots: Iterable[Path]) -> None:
    """Make sure that `path`, which is to be written, is not a file of the evaluations at `roots`.

    Raises:
        EvaluationError: it is one.
    """
    for root in (one for given in roots for one in evaluations(given)):
        layout = RunLayout(root)
        own = (layout.manifest, layout.questions, *map(layout.trace, layout.methods()))
        if path.resolve() in {file.resolve() for file in own}:
            raise EvaluationError(f"{path} is a file of the evaluation {root}: name another file")


def evaluations(root: Path) -> list[Path]:
    """The evaluation at `root`, or if there is none, those in directories below it, as made by a
    sweep, in numerical order. `root` itself if there are none either."""
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
    except (ValueError, AttributeError, RecursionError) as error:
        raise EvaluationError(
            f"{layout.manifest} is damaged: run eval again with another --out"
        ) from error
    if found[0] != FORMAT:
        raise EvaluationError(f"{layout.root} is not an evaluation: make one with react-local eval")
    if found != (FORMAT, VERSION):
        raise EvaluationError(f"{layout.root} is of another version: this program reads {VERSION}")
    return manifest


def last_setup(layout: RunLayout) -> trace.Setup | None:
    """The settings of the evaluation's last run, with the paths of its model and its index."""
    traces = (trace.read(layout.trace(method)).runs for method in layout.methods())
    return next((runs[-1].setup for runs in traces if runs), None)


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

    A hybrid gets the runs of its methods in this evaluation, to reuse them.

    Raises:
        KeyboardInterrupt: interrupted; all runs except those in progress are saved.
        TraceError: the trace cannot be read or written, or another program is writing it.
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
