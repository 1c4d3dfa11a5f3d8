"""Distributing jobs to workers, one by one, and again if a worker is lost.

The workers here are processes on this machine, each with a model of its own; `cluster.py` has those
on other machines. Workers answer questions; the calling process writes the results.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Protocol

from react_local.errors import EvaluationError
from react_local.evaluation.jobs import Answered, Job, Opener, answer
from react_local.events import Event

TRIES = 3
"""How many workers may be lost on one question, or while starting, before giving up."""


class WorkerLost(Exception):
    """A worker has ended without an answer."""


class Worker(Protocol):
    """Answers one question at a time, in another process."""

    def open(self) -> None:
        """Wait until the worker is ready.

        Raises:
            WorkerLost: it has ended.
            ReactLocalError: it cannot load its model or index.
        """
        ...

    def ask(self, job: Job) -> list[Event]:
        """The events of the question's run.

        Raises:
            WorkerLost: it has ended.
        """
        ...

    def close(self) -> None:
        """End the worker, whatever it is doing."""
        ...


@dataclass
class _Begun:
    job: Job
    lost: int = 0
    """How many workers were lost on it."""


class Pool:
    """A pool of workers, each served by a thread of its own inside the context manager.

    Args:
        start: makes a worker.
        size: the number of workers.
    """

    def __init__(self, start: Callable[[], Worker], size: int) -> None:
        self.size = size
        self._start = start
        self._jobs: SimpleQueue[_Begun | None] = SimpleQueue()
        self._results: SimpleQueue[Answered | BaseException] = SimpleQueue()
        self._threads = [Thread(target=self._serve, daemon=True) for _ in range(size)]
        self._workers: set[Worker] = set()
        self._is_closing = False
        self._lock = Lock()  # for the two attributes above

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
        """Do all `jobs`, and yield each result as soon as it is there.

        Raises:
            EvaluationError: workers keep getting lost.
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
        """Keep one worker busy; errors are passed on to the consumer of the results."""
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
            f"a worker ended {TRIES} times while loading the model: use fewer --workers, since "
            "each needs its own memory"
        )

    def _end(self, worker: Worker) -> None:
        """End a worker, unless it has been ended already."""
        with self._lock:
            if worker in self._workers:
                self._workers.remove(worker)
                worker.close()

    def _give_again(self, begun: _Begun) -> None:
        begun.lost += 1
        if begun.lost == TRIES:
            raise EvaluationError(
                f"the question {begun.job.example.id} ended {TRIES} workers: check it, or use "
                "fewer --workers, since each needs its own memory"
            )
        self._jobs.put(begun)


class ProcessWorker:
    """A process on this machine with the answerer made by `opener`. See `Worker`."""

    def __init__(self, opener: Opener) -> None:
        context = get_context("spawn")  # a fork would inherit locks of threads that it lacks
        self._connection, there = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(there, opener), daemon=True)
        # The process inherits this, so that Ctrl-C is the caller's from its first moment on. The
        # tracker comes with the first process, and its start would unblock the signal.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self._process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
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
    """In the worker process: report that it is ready, then answer jobs until there are no more."""
    try:
        with opener() as answerer:
            connection.send([])
            while True:
                connection.send(answer(answerer, connection.recv()))
    except (EOFError, BrokenPipeError):  # the calling process has ended
        return
    except Exception as error:
        connection.send(error)
