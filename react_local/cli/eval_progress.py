"""Progress of an evaluation, on standard error."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from react_local.cli.common import say
from react_local.types import Task

if TYPE_CHECKING:
    from react_local.evaluation.runner import Progress

_PLAIN_SECONDS = 10.0


def told(progress: Progress) -> str:
    """Progress in one line: ``react 12/39 · EM 8.3 · F1 11.0 · 3:20 left``."""
    parts = [f"{progress.method} {progress.done}/{progress.total}"]
    if progress.done and progress.task is Task.CLAIM:
        parts.append(f"accuracy {100 * progress.exact:.1f}")
    elif progress.done:
        parts += [f"EM {100 * progress.exact:.1f}", f"F1 {100 * progress.f1:.1f}"]
    if progress.seconds_left is not None and progress.done < progress.total:
        parts.append(f"{_duration(progress.seconds_left)} left")
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """A progress bar on standard error on a terminal, else a plain line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None)
        yield lambda progress: bar.update(
            task, total=progress.total, completed=progress.done, description=told(progress)
        )


class _Lines:
    """Progress as plain lines: the first, the last, and one every ten seconds."""

    def __init__(self) -> None:
        self._told: float | None = None

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if (
            self._told is None
            or progress.done == progress.total
            or now - self._told > _PLAIN_SECONDS
        ):
            self._told = now
            say(told(progress))


class Notes:
    """Prints the notes of runs, each once only, whatever numbers are in it."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        kind = re.sub(r"[\d,.]+", "", text)
        if kind not in self._said:
            self._said.add(kind)
            say(f"note: {text}")
