"""Progress of a build, on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from react_local.cli.common import say, size

if TYPE_CHECKING:
    from wiki_index.progress import Progress

_PLAIN_SECONDS = 10.0


@contextmanager
def build_progress(as_json: bool) -> Iterator[Callable[[Progress], None]]:
    """A progress bar on standard error on a terminal, else a plain line now and then."""
    if as_json:
        yield _json_line
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines()


def _json_line(progress: Progress) -> None:
    say(json.dumps(asdict(progress)))


class _Lines:
    """Progress as plain lines: one when a stage begins, then one every ten seconds."""

    def __init__(self) -> None:
        self._stage = ""
        self._told = 0.0
        self._pace = _Pace()

    def __call__(self, progress: Progress) -> None:
        now, pace = time.monotonic(), self._pace(progress)
        if progress.stage != self._stage or now - self._told > _PLAIN_SECONDS:
            self._stage, self._told = progress.stage, now
            say(f"{progress.stage}: {progress.fraction:.0%}, {pace}")


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks: dict[str, TaskID] = {}
        meter = _Pace()

        def show(progress: Progress) -> None:
            stage, pace = progress.stage, meter(progress)
            if stage not in tasks:
                for finished in tasks.values():
                    bar.update(finished, completed=1.0)
                tasks[stage] = bar.add_task(stage, total=1.0, pace=pace)
            bar.update(tasks[stage], completed=progress.fraction, pace=pace)

        yield show
        for finished in tasks.values():
            bar.update(finished, completed=1.0)


class _Pace:
    """The number of articles; while pages are parsed, also articles and megabytes per second."""

    def __init__(self) -> None:
        self._before: Progress | None = None

    def __call__(self, progress: Progress) -> str:
        if self._before is None:  # a build that goes on starts with those of the runs before
            self._before = progress
        told = [f"{progress.articles:,} articles"]
        seconds = max(progress.seconds, 0.001)
        rate = (progress.articles - self._before.articles) / seconds
        if progress.stage == "pages" and rate:
            megabytes = (progress.bytes_read - self._before.bytes_read) / seconds / 1e6
            told.append(f"{rate:,.0f} articles/s, {megabytes:.1f} MB/s")
        if progress.memory:
            told.append(f"{size(progress.memory)} of memory")
        return ", ".join(told)
