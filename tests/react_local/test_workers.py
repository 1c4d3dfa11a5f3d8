"""Questions spread over processes: the same runs, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, Opened, asked, begun
from test_runner import told

from react_local.errors import EvaluationError, ModelError
from react_local.evaluation.jobs import Job
from react_local.evaluation.runner import RunLayout, evaluate
from react_local.evaluation.workers import TRIES, Pool, ProcessWorker, WorkerLost


def spread(layout: RunLayout, opened: Opened, size: int = 2, methods=("react",)) -> None:
    with Pool(partial(ProcessWorker, opened), size) as pool:
        for method in methods:
            evaluate(layout, EXAMPLES, method, pool.ask_all, SETUP)


def test_workers_do_what_one_process_does(tmp_path: Path, wiki) -> None:
    alone, shared = begun(tmp_path / "alone"), begun(tmp_path / "shared")
    methods = ("react", "standard")
    for method in methods:
        evaluate(alone, EXAMPLES, method, asked(wiki), SETUP)
    spread(shared, Opened(tmp_path / "deaths", fatal="ferry"), methods=methods)
    for method in methods:
        assert len(told(alone, method)) == 3
        assert told(shared, method) == told(alone, method)
    assert len((tmp_path / "deaths").read_text().splitlines()) == 3  # one lost, and both asked


class Lost:
    """A worker that is lost, in opening or over the ferry, and keeps count of its kind."""

    def __init__(self, place: str, made: list[Lost]) -> None:
        self.place, self.closed = place, 0
        made.append(self)

    def open(self) -> None:
        if self.place == "opening":
            raise WorkerLost

    def ask(self, job: Job) -> list:
        if job.example.id == self.place:
            raise WorkerLost
        return [job.example.id]

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(
    ("place", "message"),
    [("ferry", "the question ferry ended 3 workers"), ("opening", "ended 3 times while loading")],
)
def test_workers_that_are_always_lost_are_given_up(place: str, message: str) -> None:
    made: list[Lost] = []
    jobs = [Job("react", example) for example in EXAMPLES]
    with (
        pytest.raises(EvaluationError, match=message),
        Pool(lambda: Lost(place, made), 1) as pool,
    ):
        list(pool.ask_all(jobs))
    assert len(made) == TRIES
    assert [worker.closed for worker in made] == [1] * TRIES


def test_a_pool_answers_again_and_again_and_ends_its_workers() -> None:
    made: list[Lost] = []
    jobs = [Job("react", example) for example in EXAMPLES]
    with Pool(lambda: Lost("nowhere", made), 2) as pool:
        for _ in range(3):
            assert sorted(told for _, (told,) in pool.ask_all(jobs)) == ["ferry", "hill", "town"]
    assert {worker.closed for worker in made} == {1}  # a slow one may not have begun


def test_what_a_user_can_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no such model"):
        spread(begun(tmp_path / "run"), Opened(tmp_path / "deaths", "model"), size=1)


def test_a_worker_leaves_an_interrupt_to_whoever_asks(tmp_path: Path) -> None:
    """From its first moment on, while it still imports: a terminal's Ctrl-C goes to all."""
    resource_tracker._resource_tracker._stop()  # as before the first process
    worker = ProcessWorker(Opened(tmp_path / "deaths"))
    for _ in range(5):
        os.kill(worker._process.pid, signal.SIGINT)
        time.sleep(0.05)
    worker.open()
    worker.close()
