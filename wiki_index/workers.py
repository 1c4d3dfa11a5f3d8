"""Parse stretches of a dump in worker processes, which may hang, run out of memory or crash.

Each worker is a new Python interpreter. It receives one stretch at a time through a pipe and
returns several pages at once. After each page it writes a byte to a second pipe, so that the page
at which it hangs or crashes is known. The calling program needs no ``if __name__ == "__main__"``,
and the workers inherit nothing from it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

from wiki_index.dump import Stretch
from wiki_index.errors import BuildError
from wiki_index.export import Damage, Tally
from wiki_index.parsing import Parser, Result, Settings

_PATIENCE = 6
"""The clock limit of a page, as a multiple of its limit of processor time."""
_MOST_FAILURES = 3
"""Attempts at a page: with the parser, without it, and to read its title only."""
_KILLED = "the worker was killed"
_START_SECONDS = 120.0
_START = "import sys; from wiki_index.workers import serve; serve(*map(int, sys.argv[1:]))"
_ANSWER_SECONDS = 0.1
"""A worker sends its pages at this interval, because a message costs as much as a short page."""


@dataclass(frozen=True)
class _Job:
    """A stretch to be parsed from page number `done` on."""

    stretch: Stretch
    done: int = 0
    page: int | None = None
    """The number of the page at which the previous worker ended, if any."""
    failures: tuple[str, ...] = ()
    """The reasons why workers ended at that page."""
    killed: bool = False
    """Whether a worker was killed from outside at that page, which need not be the page's fault."""


def parse_in_workers(
    stretches: Iterable[Stretch], settings: Settings, workers: int
) -> Iterator[Result]:
    """Parse in `workers` processes; results come in the order of `stretches`.

    At most two stretches per worker are held in memory. A worker that crashes, or exceeds the time
    limit of a page, is replaced; the new one reads that page without the parser. If that fails too,
    the page is recorded as a failure. After a kill from outside (``kill -9``, or by a system
    without memory), the page is parsed again.

    Raises:
        BuildError: no worker can be started.
    """
    pool = _Pool(settings, workers)
    try:
        yield from pool.run(iter(stretches))
    finally:
        pool.close()


class _Worker:
    """One child process and the pipes to it."""

    def __init__(self, settings: Settings) -> None:
        self.pipe, theirs = Pipe()
        self._finished, finished = Pipe(duplex=False)
        os.set_blocking(self._finished.fileno(), False)
        package_parent = str(Path(__file__).resolve().parent.parent)
        path = os.pathsep.join(filter(None, [package_parent, os.environ.get("PYTHONPATH")]))
        descriptors = [theirs.fileno(), finished.fileno()]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, descriptors)],
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        theirs.close()
        finished.close()
        self.page = 0
        """The number of the current page."""
        self.job: _Job | None = None
        self.result: Result | None = None
        self.settings = settings
        self.ready = False
        self._may_take(_START_SECONDS)

    def start(self, job: _Job, result: Result) -> None:
        self.job, self.result, self.page = job, result, job.done
        self._await_page()
        self.pipe.send(job)

    def greet(self) -> None:
        """Receive the worker's first message and send it the settings."""
        self.pipe.recv()
        self.pipe.send(self.settings)
        self.ready = True

    def receive(self) -> None:
        """Receive pages, and the tally at the end of a stretch."""
        pages, tally = self.pipe.recv()
        self._await_page()
        self.count_finished()
        self.result.parsed += pages
        if tally is not None:
            self.result.tally, self.job = tally, None

    def count_finished(self) -> None:
        """Read the bytes for finished pages, which arrive before the pages themselves."""
        with contextlib.suppress(BlockingIOError):
            while finished := os.read(self._finished.fileno(), 1 << 16):
                self.page += len(finished)

    def _await_page(self) -> None:
        self._may_take(_PATIENCE * self.settings.page_seconds)

    def _may_take(self, seconds: float) -> None:
        self._seconds, self.deadline = seconds, time.monotonic() + seconds

    def delay(self) -> str:
        """The reason given for a worker that exceeded its time limit."""
        return f"it took over {self._seconds:g} s by the clock"

    def death(self) -> str:
        """The reason why the worker has ended."""
        code = self.process.wait()
        if code == -signal.SIGPROF:
            return f"it took over {self.settings.page_seconds:g} s"
        if code == -signal.SIGKILL:
            return _KILLED
        return "the worker died" if self.ready else f"it ended with exit code {code}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.pipe.close()
        self._finished.close()


class _Pool:
    def __init__(self, settings: Settings, most: int) -> None:
        self._settings = settings
        self._most = most
        self._workers: list[_Worker] = []
        self._jobs: deque[_Job] = deque()
        self._results: deque[Result] = deque()
        """The results not yet returned, in order. An unfinished one has no tally."""
        self._failed_starts = 0
        """The number of consecutive workers that ended before they were ready."""

    def run(self, source: Iterator[Stretch]) -> Iterator[Result]:
        exhausted = False
        while not exhausted or self._results:
            while not exhausted and len(self._results) < 2 * min(
                len(self._workers) + 1, self._most
            ):
                stretch = next(source, None)
                if stretch is None:
                    exhausted = True
                else:
                    self._results.append(Result(stretch, [], None))
                    self._jobs.append(_Job(stretch))
                self._hand_out()
            self._collect()
            self._hand_out()
            while self._results and self._results[0].tally is not None:
                yield self._results.popleft()

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _hand_out(self) -> None:
        """Give jobs to idle workers. Start another worker if all are busy, up to the maximum."""
        starting = sum(not worker.ready for worker in self._workers)
        if len(self._jobs) > starting and len(self._workers) < self._most:
            self._workers.append(self._started())
        for worker in self._workers:
            if self._jobs and worker.ready and worker.job is None:
                job = self._jobs.popleft()
                try:
                    worker.start(job, self._result(job))
                except OSError:
                    self._replace(worker, worker.death())

    def _started(self) -> _Worker:
        try:
            return _Worker(self._settings)
        except OSError as error:
            raise _not_started(error.strerror) from error

    def _result(self, job: _Job) -> Result:
        return next(result for result in self._results if result.stretch is job.stretch)

    def _collect(self) -> None:
        """Wait until a worker answers, ends, or exceeds its time limit."""
        busy = [w for w in self._workers if w.job is not None or not w.ready]
        if not busy:
            return
        patience = max(0.0, min(w.deadline for w in busy) - time.monotonic())
        answering = wait([w.pipe for w in busy], patience)
        for worker in busy:
            if worker.pipe in answering:
                self._receive(worker)
            elif worker.deadline <= time.monotonic():
                self._replace(worker, worker.delay())

    def _receive(self, worker: _Worker) -> None:
        try:
            if worker.ready:
                worker.receive()
            else:
                worker.greet()
                self._failed_starts = 0
        except (EOFError, OSError):
            self._replace(worker, worker.death())

    def _replace(self, worker: _Worker, reason: str) -> None:
        """Replace a worker by another, which continues after the finished pages."""
        worker.count_finished()
        worker.kill()
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts == _MOST_FAILURES:
                raise _not_started(reason)
        self._workers[self._workers.index(worker)] = self._started()
        if not worker.ready:
            return
        job, page = worker.job, worker.page
        is_same_page = page == job.page
        failures = job.failures if is_same_page else ()
        again = partial(_Job, job.stretch, len(worker.result.parsed), page)
        if reason == _KILLED and not (job.killed and is_same_page):
            self._jobs.appendleft(again(failures, killed=True))
        elif len(failures) < _MOST_FAILURES:
            self._jobs.appendleft(again((*failures, reason)))
        else:
            worker.result.tally = Tally(damages=[_unreadable(job.stretch, reason)])


def _not_started(reason: str) -> BuildError:
    if reason == _KILLED:
        reason += ", as where memory is short"
    return BuildError(
        f"No parsing process could be started ({reason}): end other programs or use fewer "
        "--workers (0 parses in the program itself), then run the same command again."
    )


def _unreadable(stretch: Stretch, reason: str) -> Damage:
    """The damage reported for a stretch at which workers end before they can name a page."""
    return Damage(f"file {stretch.key[0] + 1}", stretch.key[1], None, f"{reason} while reading it")


def serve(descriptor: int, finished: int) -> None:
    """The main function of a worker: receive jobs and send pages until the pipe is closed.

    A byte is written to the descriptor `finished` after each page.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = Connection(descriptor)
    try:
        pipe.send("ready")
        settings: Settings = pipe.recv()
        _limit_memory(settings.memory)
        parse = Parser(settings)
        while True:
            _do(pipe, finished, pipe.recv(), parse, settings)
    except (EOFError, OSError, MemoryError):  # Out of memory while reading, not while parsing.
        return


def _do(pipe: Connection, finished: int, job: _Job, parse: Parser, settings: Settings) -> None:
    tally, pages, sent = Tally(), [], time.monotonic()
    _start_clock(settings.page_seconds)
    read = islice(job.stretch.read(settings.site, tally), job.done, None)
    for number, page in enumerate(read, job.done):
        again = number == job.page
        pages.append(parse(page, job.failures if again else ()))
        os.write(finished, b".")
        # Sent at once: if the next page ended this worker too, this one would be parsed again.
        if again or time.monotonic() - sent > _ANSWER_SECONDS:
            pipe.send((pages, None))
            pages, sent = [], time.monotonic()
        _start_clock(settings.page_seconds)
    pipe.send((pages, tally))


def _start_clock(seconds: float) -> None:
    """End this process with SIGPROF after this much processor time, whatever code is running."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory(limit: int) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
