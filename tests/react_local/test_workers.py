"""Questions spread over processes: the same runs, whatever happens to a worker."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, Opened, asked, begun
from test_runner import told

from react_local.errors import EvaluationError, ModelError
from react_local.evaluation.runner import RunLayout, evaluate
from react_local.evaluation.workers import TRIES, Pool, ProcessWorker


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


@pytest.mark.parametrize(
    ("fatal", "message"),
    [("ferry", "the question ferry ended 3 workers"), ("opening", "ended 3 times while it load")],
)
def test_a_worker_that_is_always_lost_is_given_up(tmp_path: Path, fatal: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        spread(begun(tmp_path / "run"), Opened(tmp_path / "deaths", fatal, times=99), size=1)
    assert len((tmp_path / "deaths").read_text().splitlines()) == TRIES


def test_what_a_user_can_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no such model"):
        spread(begun(tmp_path / "run"), Opened(tmp_path / "deaths", "model"), size=1)
