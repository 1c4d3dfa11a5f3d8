"""How far a build is, as it is told while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from wiki_index import machine

_REPORT_SECONDS = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a build is. `fraction` is of the current stage."""

    stage: str
    """One of ``templates``, ``pages``, ``titles``, ``passages``, ``vectors``, ``checksums``."""
    fraction: float
    """0 where the size of the dump is not known."""
    articles: int
    """Articles and disambiguation pages stored so far, those of interrupted runs included."""
    pages: int
    """Pages of the dump done so far, redirects and failures included."""
    bytes_read: int
    """Compressed bytes of the dump, those of interrupted runs included."""
    bytes_total: int
    seconds: float
    """Wall clock since this run began."""
    memory: int = 0
    """Bytes that the build and its workers hold, mapped files aside."""


ProgressCallback = Callable[[Progress], None]


class Reporter:
    """Tells progress a few times a second, and measures time and memory as it does."""

    def __init__(self, bytes_total: int, callback: ProgressCallback | None) -> None:
        self.articles = 0
        self.pages = 0
        self.bytes_read = 0
        self.bytes_total = bytes_total
        self.memory = 0
        """The most that was held so far."""
        self._callback = callback
        self._started = self._stage_began = time.monotonic()
        self._seconds_before = 0.0
        self._last = 0.0

    def begin(self, seconds_before: float = 0.0) -> None:
        """A stage begins, or goes on after so many seconds of interrupted runs."""
        self._stage_began, self._seconds_before = time.monotonic(), seconds_before

    @property
    def seconds(self) -> float:
        """Of the current stage, its interrupted runs included."""
        return self._seconds_before + time.monotonic() - self._stage_began

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
