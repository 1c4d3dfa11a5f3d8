"""Pages to records, in worker processes that may hang, run out of memory or die.

Each worker is a fresh interpreter that is handed a batch of pages at a time through a pipe, so
the program that calls needs no ``if __name__ == "__main__"`` and nothing of it is inherited.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

from wiki_index.errors import BuildError
from wiki_index.languages import Site
from wiki_index.store import Record, encode
from wiki_index.titles import normalise
from wiki_index.types import RawPage

PAGE_SECONDS = 60.0
"""A batch may take so long, and then each of its pages by itself."""
_MEMORY = 2 * 1024**3
_BATCH_PAGES = 64
_BATCH_CHARACTERS = 400_000
_START_SECONDS = 120.0
_START = "import sys; from wiki_index.parsing import serve; serve(int(sys.argv[1]))"


@dataclass(frozen=True)
class Parsed:
    """A page's record and the templates left out of it, or the reason why there is none."""

    title: str
    record: Record | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""


def parse_page(page: RawPage, site: Site) -> Parsed:
    """Never raises: what goes wrong is the `failure` of the result."""
    from wiki_index.wikitext import parse

    if page.redirect is not None:
        title, hash_, section = page.redirect.partition("#")
        target = normalise(title, site.case) + hash_ + section.strip()
        return Parsed(page.title, Record(page.id, page.title, target=target))
    try:
        article = parse(page, site)
        body = encode(article)
    except Exception as error:
        return Parsed(page.title, failure=f"{type(error).__name__}: {error}"[:200])
    record = Record(
        id=page.id,
        title=page.title,
        kind=article.kind,
        size=len(article.text),
        revision=page.revision,
        body=body,
    )
    return Parsed(page.title, record, article.dropped)


def batches(pages: Iterable[RawPage]) -> Iterator[list[RawPage]]:
    """Pages in lists bounded by count and by characters."""
    batch: list[RawPage] = []
    characters = 0
    for page in pages:
        batch.append(page)
        characters += len(page.text)
        if len(batch) >= _BATCH_PAGES or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def parse_here(pages: Iterable[RawPage], site: Site) -> Iterator[list[Parsed]]:
    """Parse in this process: for a handful of pages that are known to be harmless."""
    for batch in batches(pages):
        yield [parse_page(page, site) for page in batch]


def parse_in_workers(pages: Iterable[RawPage], site: Site, workers: int) -> Iterator[list[Parsed]]:
    """Parse in `workers` processes; results come in the order of `pages`, in batches.

    At most two batches a worker are held. A worker that dies or takes too long is replaced and
    its pages are tried one by one; the page that did it is a failure of its own.

    Raises:
        BuildError: a worker cannot be started at all.
    """
    pool = _Pool(site, workers)
    try:
        yield from pool.run(batches(pages))
    finally:
        pool.close()


@dataclass
class _Batch:
    """Pages handed out together, and what has come back of them."""

    pages: Sequence[RawPage]
    results: list[Parsed | None]

    @property
    def done(self) -> bool:
        return None not in self.results


@dataclass
class _Task:
    """Some pages of a batch: all of them at first, one by one after a failure."""

    batch: _Batch
    positions: Sequence[int]

    def pages(self) -> list[RawPage]:
        return [self.batch.pages[i] for i in self.positions]

    def finish(self, results: Sequence[Parsed]) -> None:
        for position, result in zip(self.positions, results, strict=True):
            self.batch.results[position] = result

    def retry(self, reason: str) -> list[_Task]:
        """The tasks that find the culprit, or none once it is found and counted."""
        if len(self.positions) > 1:
            return [_Task(self.batch, [position]) for position in self.positions]
        page = self.batch.pages[self.positions[0]]
        self.finish([Parsed(page.title, failure=reason)])
        return []


class _Worker:
    """One child process and the pipe to it."""

    def __init__(self, site: Site) -> None:
        self.pipe, theirs = Pipe()
        package_parent = str(Path(__file__).resolve().parent.parent)
        path = os.pathsep.join(filter(None, [package_parent, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        theirs.close()
        self.task: _Task | None = None
        self.deadline = time.monotonic() + _START_SECONDS
        self._site = site
        self.ready = False

    def start(self, task: _Task) -> None:
        self.task = task
        self.deadline = time.monotonic() + PAGE_SECONDS
        self.pipe.send(task.pages())

    def greet(self) -> None:
        """The worker said that it is there: give it what it needs to know once."""
        self.pipe.recv()
        self.pipe.send(self._site)
        self.ready = True

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self.pipe.close()


class _Pool:
    def __init__(self, site: Site, workers: int) -> None:
        self._site = site
        self._workers = [_Worker(site) for _ in range(workers)]
        self._tasks: deque[_Task] = deque()
        self._batches: deque[_Batch] = deque()

    def run(self, source: Iterator[list[RawPage]]) -> Iterator[list[Parsed]]:
        exhausted = False
        while not exhausted or self._batches:
            while not exhausted and len(self._batches) < 2 * len(self._workers):
                pages = next(source, None)
                if pages is None:
                    exhausted = True
                else:
                    self._add(pages)
                self._hand_out()
            self._collect()
            self._hand_out()
            while self._batches and self._batches[0].done:
                yield self._batches.popleft().results

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _add(self, pages: list[RawPage]) -> None:
        batch = _Batch(pages, [None] * len(pages))
        self._batches.append(batch)
        self._tasks.append(_Task(batch, range(len(pages))))

    def _hand_out(self) -> None:
        for worker in self._workers:
            if self._tasks and worker.ready and worker.task is None:
                try:
                    worker.start(self._tasks.popleft())
                except OSError:
                    self._replace(worker, "the worker died")

    def _collect(self) -> None:
        """Wait for a worker to answer, to die, or to be out of time."""
        busy = [w for w in self._workers if w.task is not None or not w.ready]
        if not busy:
            return
        patience = max(0.0, min(w.deadline for w in busy) - time.monotonic())
        answering = wait([w.pipe for w in busy], patience)
        for worker in busy:
            if worker.pipe in answering:
                self._receive(worker)
            elif worker.deadline <= time.monotonic():
                self._replace(worker, f"it took over {PAGE_SECONDS:g} s")

    def _receive(self, worker: _Worker) -> None:
        try:
            if not worker.ready:
                worker.greet()
                return
            worker.task.finish(worker.pipe.recv())
        except (EOFError, OSError):
            self._replace(worker, "the worker died")
        else:
            worker.task = None

    def _replace(self, worker: _Worker, reason: str) -> None:
        worker.kill()
        if not worker.ready:
            raise BuildError(
                "The parsing processes do not start: see the lines above, or use one worker."
            )
        self._tasks.extendleft(reversed(worker.task.retry(reason)))
        self._workers[self._workers.index(worker)] = _Worker(self._site)


def serve(descriptor: int) -> None:
    """A worker's life: batches in, results out, until the other end of the pipe is gone."""
    import resource
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    pipe = Connection(descriptor)
    try:
        pipe.send("ready")
        site: Site = pipe.recv()
        while True:
            pipe.send([parse_page(page, site) for page in pipe.recv()])
    except (EOFError, OSError):
        return
