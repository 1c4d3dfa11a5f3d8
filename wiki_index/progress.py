"""The progress of a running build."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wiki_index import machine

_REPORT_SECONDS = 0.2
_MEMORY_SECONDS = 0.1


@dataclass(frozen=True)
class Progress:
    """The progress of a build. `fraction` is that of the current stage."""

    stage: str
    """One of ``templates``, ``pages``, ``titles``, ``passages``, ``vectors``, ``checksums``."""
    fraction: float
    """From 0 to 1; 0 if the size of the dump is not known."""
    articles: int
    """Articles and disambiguation pages stored so far, including those of interrupted runs."""
    pages: int
    """Pages of the dump done so far, including redirects and failures."""
    bytes_read: int
    """Compressed bytes of the dump read so far, including those of interrupted runs."""
    bytes_total: int
    seconds: float
    """Wall-clock time since the beginning of this run."""
    memory: int = 0
    """Bytes of memory that the build and its workers use, without mapped files."""


ProgressCallback = Callable[[Progress], None]


class Reporter:
    """Reports progress a few times per second, and measures time and memory."""

    def __init__(self, bytes_total: int, callback: ProgressCallback | None) -> None:
        self.articles = 0
        self.pages = 0
        self.bytes_read = 0
        self.bytes_total = bytes_total
        self.memory = 0
        """The highest memory use so far, in bytes."""
        self._callback = callback
        self._started = self._stage_began = time.monotonic()
        self._seconds_before = 0.0
        self._last = 0.0

    def begin(self, seconds_before: float = 0.0) -> None:
        """Begin a stage, or continue one that took `seconds_before` in interrupted runs."""
        self._stage_began, self._seconds_before = time.monotonic(), seconds_before

    @property
    def seconds(self) -> float:
        """Seconds of the current stage, including interrupted runs."""
        return self._seconds_before + time.monotonic() - self._stage_began

    @contextmanager
    def measuring_memory(self) -> Iterator[None]:
        """Measure memory between reports as well: a call into a library can use most of it."""
        ended = threading.Event()

        def measure() -> None:
            while not ended.wait(_MEMORY_SECONDS):
                self.memory = max(self.memory, machine.memory_in_use())

        thread = threading.Thread(target=measure, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def __call__(self, stage: str, fraction: float) -> None:
        now = time.monotonic()
        if now - self._last < _REPORT_SECONDS and fraction > 0:
            return
        self._last = now
        held = machine.memory_in_use()
        self.memory = max(self.memory, held)
        if self._callback is None:
            return
        self._callback(
            Progress(
                stage=stage,
                fraction=min(fraction, 1.0),
                articles=self.articles,
                pages=self.pages,
                bytes_read=self.bytes_read,
                bytes_total=self.bytes_total,
                seconds=now - self._started,
                memory=held,
            )
        )
