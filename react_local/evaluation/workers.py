"""Questions spread over workers: given out one by one, and again where a worker was lost.

The workers are processes of this machine, each with a model of its own; `cluster.py` has those of
other machines. They answer, and whoever asks them writes.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Protocol

from react_local.errors import EvaluationError
from react_local.evaluation.jobs import Answered, Job, Opener, answer
from react_local.events import Event

TRIES = 3
"""Workers that may be lost over one question, or in starting, before it is given up."""


class WorkerLost(Exception):
    """A worker has ended without an answer."""


class Worker(Protocol):
    """Answers a question at a time, somewhere else."""

    def open(self) -> None:
        """Wait until it is ready.

        Raises:
            WorkerLost: it is gone.
            ReactLocalError: it cannot be made ready.
        """
        ...

    def ask(self, job: Job) -> list[Event]:
        """What a listener would be told of the question's run.

        Raises:
            WorkerLost: it is gone.
        """
        ...

    def close(self) -> None:
        """End it, whatever it is at."""
        ...


@dataclass
class _Begun:
    job: Job
    lost: int = 0
    """How many workers were lost over it."""


class Pool:
    """Some workers, each served by a thread of its own while the pool is entered.

    Args:
        start: makes a worker.
        size: how many.
    """

    def __init__(self, start: Callable[[], Worker], size: int) -> None:
        self.size = size
        self._start = start
        self._jobs: SimpleQueue[_Begun | None] = SimpleQueue()
        self._results: SimpleQueue[Answered | BaseException] = SimpleQueue()
        self._threads = [Thread(target=self._serve, daemon=True) for _ in range(size)]
        self._workers: set[Worker] = set()
        self._is_closing = False
        self._lock = Lock()  # of the last two

    def __enter__(self) -> Pool:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._is_closing = True
        for worker in list(self._workers):
            self._end(worker)
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def ask_all(self, jobs: Iterable[Job]) -> Iterator[Answered]:
        """Answer all of `jobs`, each given as soon as it is done.

        Raises:
            EvaluationError: workers are lost over and over.
        """
        begun = [_Begun(job) for job in jobs]
        for one in begun:
            self._jobs.put(one)
        for _ in begun:
            result = self._results.get()
            if isinstance(result, BaseException):
                raise result
            yield result

    def _serve(self) -> None:
        """Keep one worker at work; what goes wrong is for whoever waits for results."""
        try:
            worker = self._opened()
            while not self._is_closing and (begun := self._jobs.get()) is not None:
                try:
                    self._results.put((begun.job, worker.ask(begun.job)))
                except WorkerLost:
                    self._end(worker)
                    self._give_again(begun)
                    worker = self._opened()
        except BaseException as error:
            self._results.put(error)

    def _opened(self) -> Worker:
        for _ in range(TRIES):
            with self._lock:
                if self._is_closing:
                    raise WorkerLost
                worker = self._start()
                self._workers.add(worker)
            try:
                worker.open()
                return worker
            except WorkerLost:
                self._end(worker)
        raise EvaluationError(
            f"a worker ended {TRIES} times while it loaded the model: ask for fewer --workers, "
            "each needs memory of its own"
        )

    def _end(self, worker: Worker) -> None:
        """End a worker, unless that was done."""
        with self._lock:
            if worker in self._workers:
                self._workers.remove(worker)
                worker.close()

    def _give_again(self, begun: _Begun) -> None:
        begun.lost += 1
        if begun.lost == TRIES:
            raise EvaluationError(
                f"the question {begun.job.example.id} ended {TRIES} workers: see what it is, or "
                "ask for fewer --workers, each needs memory of its own"
            )
        self._jobs.put(begun)


class ProcessWorker:
    """A process of this machine that answers with what `opener` opens there. See `Worker`."""

    def __init__(self, opener: Opener) -> None:
        context = get_context("spawn")  # a fork would share the locks of threads that are gone
        self._connection, there = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(there, opener), daemon=True)
        self._process.start()
        there.close()

    def open(self) -> None:
        """See `Worker.open`."""
        self._receive()

    def ask(self, job: Job) -> list[Event]:
        """See `Worker.ask`."""
        try:
            self._connection.send(job)
        except OSError:
            raise WorkerLost from None
        return self._receive()

    def close(self) -> None:
        """See `Worker.close`."""
        self._process.kill()
        self._process.join()

    def _receive(self) -> list[Event]:
        try:
            told = self._connection.recv()
        except (EOFError, OSError):
            raise WorkerLost from None
        if isinstance(told, BaseException):
            raise told
        return told


def _answer_all(connection: Connection, opener: Opener) -> None:
    """In the worker: say that it is ready, then answer what comes until nothing more does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who is interrupted is the one that asks
    try:
        with opener() as answerer:
            connection.send([])
            while True:
                connection.send(answer(answerer, connection.recv()))
    except (EOFError, BrokenPipeError):  # whoever asked is gone
        return
    except Exception as error:
        connection.send(error)
