"""Runs kept as JSON lines: appended to as they happen, readable when cut off at any byte.

A run is a header line, a line a step, and a last line with the outcome. Every line carries the
run's id, so several runs, also at different times, share a file. The header names the format and
its version; it holds the question and what the run was made with. A line that does not end in a
newline was cut off and counts as not written.

    {"format": "react-local trace", "version": 1, "run": "…", "question": "…", …}
    {"run": "…", "number": 1, "thought": "…", "action": "Search", "argument": "…", …}
    {"run": "…", "outcome": "finished", "answer": "…", "source": "…"}

A plan or a review is a line with "remark". Where a method falls back to another, or tries again, a
line with "fell_back" stands between their steps, and says what the first run was and how it
stopped. A step that a vote decided holds its "samples", or its "share" and its "rivals".
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from react_local.errors import TraceError
from react_local.events import Began, Ended, Event, FellBack, Noted, Remarked, Stepped
from react_local.guides import DEFAULT, Guides
from react_local.types import (
    Action,
    Observation,
    Outcome,
    Remark,
    RemarkKind,
    Step,
    Task,
    Thought,
    Thoughts,
    Trajectory,
    Usage,
)

FORMAT = "react-local trace"
VERSION = 1
_START = f'{{"format": "{FORMAT}", "version": '.encode()

_TEXT_OR_NULL = (str, type(None))
_PASSAGE = {"text": str, "title": _TEXT_OR_NULL}
_FORM: dict[str, Any] = {
    # the header
    "format": str,
    "version": int,
    "run": str,
    "question": str,
    "task": str,
    "method": str,
    "model": str,
    "index": str,
    "max_steps": int,
    "thoughts": str,
    "guides": {
        "repeats": bool,
        "force_finish": bool,
        "search": str,
        "answers": bool,
        "links": int,
    },
    "actions": [str],
    "settings": {"samples": int, "tries": int, "breadth": int, "branches": int},
    "given": [_PASSAGE],
    # a note, a line beside the steps, a fall to another method or try, the end
    "note": str,
    "remark": str,
    "text": str,
    "cause": str,
    "fell_back": str,
    "outcome": str,
    # a step
    "number": int,
    "thought": _TEXT_OR_NULL,
    "action": str,
    "argument": str,
    "observation": _TEXT_OR_NULL,
    "title": _TEXT_OR_NULL,
    "tokens": [int],
    "share": (int, float),
    "usage": {name: (int, type(zero)) for name, zero in asdict(Usage()).items()},
}
_FORM["samples"] = _FORM["rivals"] = [_FORM]
"""The type of every field that is read, where a line has it: a list holds one form again and
again, an object is a form of its own. A field means the same in every kind of line."""


@dataclass(frozen=True)
class Setup:
    """What a run was made with, as the header keeps it."""

    model: str = ""
    index: str = ""
    max_steps: int = 7
    guides: Guides = DEFAULT
    actions: tuple[str, ...] = ()
    """Those of `react_local.actions.OPTIONAL` that there were."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Those of `react_local.methods.SETTINGS` that were said."""


@dataclass(frozen=True)
class Run:
    """One run of a trace. `trajectory.outcome` is None where the run was cut off."""

    id: str
    setup: Setup
    trajectory: Trajectory
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trace:
    """What a trace file holds."""

    runs: tuple[Run, ...]
    cut: int = 0
    """Bytes at the end that belong to a line cut off in writing, and were left out."""


def read(path: Path) -> Trace:
    """Read the trace at `path`, leaving out a last line that was cut off.

    Raises:
        TraceError: no such file, another format or version, or a line is damaged.
    """
    data = _content(path)
    whole = data[: data.rfind(b"\n") + 1]
    runs: dict[str, Run] = {}
    for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
            if not _fits(record, _FORM):
                raise ValueError("a field of another type")
            runs[record["run"]] = _with(runs.get(record["run"]), record)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise TraceError(f"line {number} of {path} is damaged: remove it") from error
    return Trace(tuple(runs.values()), len(data) - len(whole))


class TraceWriter:
    """A listener that appends a run to a trace, each line flushed and synced as it comes.

    Use it as a context manager. The file is made if it is not there; what another run was cut
    off in is taken away first. `resume` names the run of the file to go on with.

    Raises:
        TraceError: the file is no trace, is being written, or cannot be written.
    """

    def __init__(self, path: Path, setup: Setup, *, resume: str | None = None) -> None:
        self._setup = setup
        self._id = resume or uuid.uuid4().hex[:12]
        self._resumed = resume is not None
        self._path = path
        self._file = _open(path)

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        with _writing(self._path):  # what could not be written is tried once more
            self._file.close()

    def begin(self, run: str) -> None:
        """Let what follows be a new run of this id, in place of any run that had it before."""
        self._id, self._resumed = run, False

    def __call__(self, event: Event) -> None:
        match event:
            case Began(told) if not self._resumed:
                self._write(**_header(self._id, told, self._setup))
            case Noted(text):
                self._write(run=self._id, note=text)
            case Stepped(number, step):
                self._write(run=self._id, number=number, **_whole_step(step))
            case Remarked(remark):
                self._write(run=self._id, **_remark_record(remark))
            case FellBack(told):
                self._write(run=self._id, **_fall(told))
            case Ended(told):
                ending = {"outcome": told.outcome, "answer": told.answer, "source": told.source}
                self._write(run=self._id, **ending)

    def _write(self, **record: Any) -> None:
        with _writing(self._path):
            self._file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())


def step_record(step: Step) -> dict[str, str | None]:
    """A step as the command line's JSON and the trace both tell it."""
    return {
        "thought": step.thought and step.thought.text,
        "action": step.action.name,
        "argument": step.action.argument,
        "observation": step.observation and step.observation.text,
        "title": step.observation and step.observation.title,
    }


def _whole_step(step: Step) -> dict[str, Any]:
    record = {**step_record(step), "tokens": step.tokens, "usage": asdict(step.usage)}
    if step.samples:
        record["samples"] = list(map(_whole_step, step.samples))
    if step.share is not None:
        record |= {"share": step.share, "rivals": list(map(_whole_step, step.rivals))}
    return record


def _remark_record(remark: Remark) -> dict[str, Any]:
    record = {"remark": remark.kind, "text": remark.text, "cause": remark.cause}
    return {**record, "tokens": remark.tokens, "usage": asdict(remark.usage)}


def _fall(told: Trajectory) -> dict[str, Any]:
    """What was fallen back from, and what the new part of the run was given."""
    record = {"fell_back": told.before.method, "outcome": told.before.outcome}
    return {**record, **_given(told)}


def _given(told: Trajectory) -> dict[str, Any]:
    return {"given": list(map(asdict, told.given))} if told.given else {}


def _header(run: str, trajectory: Trajectory, setup: Setup) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": run,
        "question": trajectory.question,
        "task": trajectory.task,
        "method": trajectory.method,
        "thoughts": trajectory.thoughts,
        **asdict(setup),
        **_given(trajectory),
    }


def _fits(value: Any, form: Any) -> bool:
    """Whether `value`, as JSON told it, is of this form (see `_FORM`)."""
    match form:
        case dict():
            known = form.keys() & value.keys() if isinstance(value, dict) else None
            return known is not None and all(_fits(value[name], form[name]) for name in known)
        case [each]:
            return isinstance(value, list) and all(_fits(item, each) for item in value)
        case _:
            kinds = form if isinstance(form, tuple) else (form,)
            return type(value) in kinds  # not isinstance: a bool is no number here


def _with(run: Run | None, record: dict[str, Any]) -> Run:
    """`run` with what one more line of it says."""
    if "format" in record:
        if (record["format"], record["version"]) != (FORMAT, VERSION):
            raise ValueError("a run of another version")
        told = Trajectory(
            record["question"],
            record["method"],
            Task(record["task"]),
            given=_passages(record),
            thoughts=Thoughts(record.get("thoughts", Thoughts.DENSE)),
        )
        guides = Guides.read(record["guides"])
        setup = Setup(
            record["model"],
            record["index"],
            record["max_steps"],
            guides,
            tuple(record.get("actions", ())),
            record.get("settings", {}),
        )
        return Run(record["run"], setup, told)
    if run is None:
        raise ValueError("a run without its header")
    if "note" in record:
        return replace(run, notes=(*run.notes, record["note"]))
    told = run.trajectory
    if "remark" in record:
        return replace(run, trajectory=told.with_remark(_remark(record)))
    if "fell_back" in record:
        before = replace(told, method=record["fell_back"], outcome=Outcome(record["outcome"]))
        begun = Trajectory(
            told.question,
            told.method,
            told.task,
            given=_passages(record),
            thoughts=told.thoughts,
            before=before,
        )
        return replace(run, trajectory=begun)
    if "outcome" in record:
        return replace(run, trajectory=replace(told, outcome=Outcome(record["outcome"])))
    if record["number"] != len(told.steps) + 1:
        raise ValueError("a step is missing")
    return replace(run, trajectory=replace(told, steps=(*told.steps, _step(record)), outcome=None))


def _step(record: dict[str, Any]) -> Step:
    thought, observation = record["thought"], record["observation"]
    if not record["action"].isalpha():
        raise ValueError("no name of an action")
    return Step(
        None if thought is None else Thought(thought),
        Action(record["action"], record["argument"]),
        None if observation is None else Observation(observation, record["title"]),
        tuple(record["tokens"]),
        Usage(**record["usage"]),
        tuple(map(_step, record.get("samples", ()))),
        record.get("share"),
        tuple(map(_step, record.get("rivals", ()))),
    )


def _remark(record: dict[str, Any]) -> Remark:
    kind, tokens = RemarkKind(record["remark"]), tuple(record["tokens"])
    return Remark(kind, record["text"], record["cause"], tokens, Usage(**record["usage"]))


def _passages(record: dict[str, Any]) -> tuple[Observation, ...]:
    return tuple(Observation(**passage) for passage in record.get("given", ()))


def _content(path: Path) -> bytes:
    """The bytes of a trace of this format and version, or of the beginning of one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TraceError(f"cannot read the trace {path}: {error.strerror}") from error
    _check(path, data)
    return data


def _check(path: Path, data: bytes) -> None:
    version = _START + f"{VERSION},".encode()
    if data.startswith(version) or version.startswith(data):
        return
    if data.startswith(_START):
        raise TraceError(f"{path} is a trace of another version: this program reads {VERSION}")
    raise TraceError(f"{path} is not a trace of react-local: name another file")


def _open(path: Path) -> BinaryIO:
    """Open `path` for appending whole lines, alone; cut off a last line that is not whole."""
    with _writing(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise TraceError(f"{path} is a device or a pipe: name another file")
        file = path.open("ab")
    try:
        with _writing(path):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(_content(path).rfind(b"\n") + 1)
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Let what goes wrong in writing the trace at `path` be one line that names it."""
    try:
        yield
    except BlockingIOError:
        raise TraceError(f"{path} is being written by another run: name another file") from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "make room, or name another file" if full else "name another file"
        message = f"cannot write the trace {path}: {error.strerror}: {advice}"
        raise TraceError(message) from error
