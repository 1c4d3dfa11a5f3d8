"""Trace files: runs as JSON lines, appended as they happen, readable when cut off at any byte.

A run is a header line, one line per step, and a last line with the outcome (see `trace_records`).
Every line carries the run's id, so several runs can share a file. The header names the format and
its version, the question, and the setup of the run. A line that does not end in a newline was cut
off and is ignored.

    {"format": "react-local trace", "version": 1, "run": "…", "question": "…", …}
    {"run": "…", "number": 1, "thought": "…", "action": "Search", "argument": "…", …}
    {"run": "…", "outcome": "finished", "answer": "…", "source": "…"}

A plan or a review is a line with "remark". Where a method falls back to another, or tries again, a
line with "fell_back" separates their steps and names the first method and its outcome. A step that
was voted on has its "samples", or its "share" and its "rivals".
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from react_local.errors import TraceError
from react_local.events import Began, Event
from react_local.trace_records import FORMAT, VERSION, Run, Setup, event_record, with_record

_START = f'{{"format": "{FORMAT}", "version": '.encode()


@dataclass(frozen=True)
class Trace:
    """The content of a trace file."""

    runs: tuple[Run, ...]
    cut: int = 0
    """Bytes at the end of the file that belong to a line cut off in writing, which is ignored."""


def read(path: Path) -> Trace:
    """Read the trace at `path`, ignoring a last line that was cut off.

    Raises:
        TraceError: the file cannot be read, has another format or version, or a damaged line.
    """
    data = _content(path)
    whole = data[: data.rfind(b"\n") + 1]
    runs: dict[str, Run] = {}
    for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
            runs[record["run"]] = with_record(runs.get(record["run"]), record)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise TraceError(f"line {number} of {path} is damaged: remove it") from error
    return Trace(tuple(runs.values()), len(data) - len(whole))


class TraceWriter:
    """A listener that appends a run to a trace; each line is flushed and synced.

    Use it as a context manager. The file is created if it does not exist, and an incomplete last
    line is removed. `resume` is the id of a run in the file to continue.

    Raises:
        TraceError: the file is not a trace, is in use by another writer, or cannot be written.
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
        with _writing(self._path):  # this tries again to write what could not be written
            self._file.close()

    def begin(self, run: str) -> None:
        """Begin a new run with this id, which replaces any earlier run with it."""
        self._id, self._resumed = run, False

    def __call__(self, event: Event) -> None:
        if self._resumed and isinstance(event, Began):
            return
        if (record := event_record(self._id, event, self._setup)) is not None:
            self._write(record)

    def _write(self, record: dict[str, Any]) -> None:
        with _writing(self._path):
            self._file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())


def _content(path: Path) -> bytes:
    """The bytes of the trace at `path`, which may be empty or cut off anywhere."""
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
    """Open and lock `path` for appending; remove an incomplete last line."""
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
    """Turn errors in writing the trace at `path` into a TraceError that names it."""
    try:
        yield
    except BlockingIOError:
        raise TraceError(f"{path} is being written by another run: name another file") from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "free some space, or name another file" if full else "name another file"
        message = f"cannot write the trace {path}: {error.strerror}: {advice}"
        raise TraceError(message) from error
