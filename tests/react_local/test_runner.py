"""Evaluations: what is kept, how one goes on after any kill, and what is refused."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from an_evaluation import (
    EXAMPLES,
    FERRY_ID,
    HILL_ID,
    MANIFEST,
    SETUP,
    TOWN_ID,
    asked,
    begun,
    write,
)

from react_local.cli.eval_progress import told as told_progress
from react_local.errors import EvaluationError, TraceError
from react_local.evaluation.manifest import describe, difference
from react_local.evaluation.runner import (
    Progress,
    RunLayout,
    evaluate,
    prepare,
    read_manifest,
    read_runs,
)
from react_local.models.scripted import ScriptedModel
from react_local.types import Outcome, Task

STEPS = 9
"""Of all three runs together."""


class Killed(BaseException):
    """Nobody catches it: the program is gone."""


def told(layout: RunLayout, method: str = "react") -> dict:
    """What the finished runs say, without what they cost."""
    return {
        example.id: [(step.thought, step.action, step.observation) for step in run.trajectory.steps]
        for example, run in read_runs(layout, method).items()
    }


def failing_after(calls: int, error: BaseException) -> ScriptedModel:
    """A model that raises `error` at a call after the first `calls`."""
    model = ScriptedModel(
        lambda prompt: write(prompt) if len(model.prompts) <= calls else raising(error)
    )
    return model


def raising(error: BaseException) -> str:
    raise error


@pytest.fixture
def whole(tmp_path: Path, wiki) -> RunLayout:
    layout = begun(tmp_path / "whole")
    evaluate(layout, EXAMPLES, "react", asked(wiki), SETUP)
    return layout


def test_runs_are_kept_by_their_questions(whole: RunLayout) -> None:
    runs = read_runs(whole, "react")
    assert [example.id for example in runs] == [FERRY_ID, TOWN_ID, HILL_ID]
    assert [run.trajectory.answer for run in runs.values()] == ["1957", "Port Alder", "400 metres"]
    assert {run.id for run in runs.values()} == {FERRY_ID, TOWN_ID, HILL_ID}
    assert whole.methods() == ["react"]
    assert read_manifest(whole) == MANIFEST


def test_progress_tells_running_scores(tmp_path: Path, wiki) -> None:
    seen = []
    evaluate(begun(tmp_path), EXAMPLES, "react", asked(wiki), SETUP, on_progress=seen.append)
    assert [progress.done for progress in seen] == [0, 1, 2, 3]
    assert [progress.exact for progress in seen] == [0, 1, 1, pytest.approx(2 / 3)]
    assert seen[0].seconds_left is None
    assert seen[-1].seconds_left == 0


def test_progress_in_words() -> None:
    progress = Progress("cot", Task.QUESTION, 3, 8, 1 / 3, 0.5, 3725.0)
    assert told_progress(progress) == "cot 3/8 · EM 33.3 · F1 50.0 · 1:02:05 left"
    claims = replace(progress, task=Task.CLAIM, seconds_left=65.2)
    assert told_progress(claims) == "cot 3/8 · accuracy 33.3 · 1:05 left"
    assert told_progress(replace(progress, done=0, seconds_left=None)) == "cot 0/8"


@pytest.mark.parametrize("calls", range(STEPS))
def test_a_run_killed_at_any_step_goes_on_to_the_same_end(
    tmp_path: Path, wiki, whole: RunLayout, calls: int
) -> None:
    layout = begun(tmp_path / "killed")
    with pytest.raises(Killed):
        evaluate(
            layout,
            EXAMPLES,
            "react",
            asked(wiki, failing_after(calls, Killed())),
            SETUP,
        )
    done = told(layout)
    model = ScriptedModel(write)
    evaluate(layout, EXAMPLES, "react", asked(wiki, model), SETUP)
    assert told(layout) == told(whole)
    assert len(model.prompts) == STEPS - sum(map(len, done.values()))


@pytest.mark.parametrize("part", range(1, 20))
def test_a_trace_cut_anywhere_goes_on_to_the_same_end(
    tmp_path: Path, wiki, whole: RunLayout, part: int
) -> None:
    expected, data = told(whole), whole.trace("react").read_bytes()
    whole.trace("react").write_bytes(data[: len(data) * part // 20])
    evaluate(whole, EXAMPLES, "react", asked(wiki), SETUP)
    assert told(whole) == expected


def test_an_interrupted_question_is_asked_again(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path)
    model = failing_after(6, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        evaluate(layout, EXAMPLES, "react", asked(wiki, model), SETUP)
    assert list(told(layout)) == [FERRY_ID]
    evaluate(layout, EXAMPLES, "react", asked(wiki), SETUP)
    assert list(told(layout)) == [FERRY_ID, TOWN_ID, HILL_ID]
    assert len(told(layout)[TOWN_ID]) == 2


def test_a_question_that_no_context_holds_has_no_answer(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path)
    model = ScriptedModel(write, context_length=500)
    evaluate(layout, EXAMPLES, "react", asked(wiki, model), SETUP)
    (run, *_) = read_runs(layout, "react").values()
    assert run.trajectory.outcome is Outcome.CONTEXT_FULL
    assert run.trajectory.answer is None
    assert "more context" in run.notes[0]


def test_a_damaged_trace_is_not_gone_on_with(whole: RunLayout, wiki) -> None:
    data = whole.trace("react").read_bytes()
    whole.trace("react").write_bytes(data.replace(b'"action"', b'"acting"', 1))
    with pytest.raises(TraceError, match=r"line 2 of .* is damaged"):
        evaluate(whole, EXAMPLES, "react", asked(wiki), SETUP)


def test_another_setup_is_refused(whole: RunLayout) -> None:
    prepare(whole, MANIFEST, EXAMPLES)
    other = MANIFEST | {"options": {"max_steps": 5}}
    with pytest.raises(EvaluationError, match=r"another options\.max_steps: 7, now 5; choose"):
        prepare(whole, other, EXAMPLES)


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(EvaluationError, match="not empty and not an evaluation"):
        prepare(RunLayout(tmp_path), MANIFEST, EXAMPLES)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_beginning_that_was_killed_begins_again(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    layout.questions.write_text("half a l")
    prepare(layout, MANIFEST, EXAMPLES)
    assert read_runs(layout, "react") == {}
    assert read_manifest(layout) == MANIFEST


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ("[" * 200_000, "damaged"),
        ('{"articles": 4, "dump": "an index.xml"}', "not an evaluation"),
        ('{"format": "react-local evaluation", "version": 9}', "another version"),
    ],
)
def test_manifests_that_are_none(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(EvaluationError, match=message):
        read_manifest(RunLayout(tmp_path))


def test_differences_between_manifests() -> None:
    assert difference({"a": {"b": 1}}, {"a": {"b": 1}}) is None
    assert difference({"a": {"b": 1}}, {"a": {"b": 2}}) == "a.b: 1, now 2"
    assert difference({"a": None}, {"a": {"b": 2}}) == 'a: null, now {"b": 2}'
    assert difference({}, {"a": "x" * 99}) == f'a: null, now "{"x" * 38}…'


def test_the_manifest_names_everything_by_its_content(tmp_path: Path, built: Path) -> None:
    weights = tmp_path / "model.gguf"
    weights.write_bytes(b"GGUF")

    def made(**changes) -> dict:
        given = {
            "data": tmp_path / "q.jsonl",
            "examples": EXAMPLES,
            "weights": weights,
            "index": built / "index",
            "exemplars": (),
            "options": {"max_steps": 7},
        }
        return describe(**given | changes)

    assert difference(made(), json.loads(json.dumps(made()))) is None
    assert difference(made(), made(examples=EXAMPLES[:2])).startswith("data.count: 3, now 2")
    assert difference(made(), made(examples=EXAMPLES[::-1])).startswith("data.sha256")
    before = made()
    weights.write_bytes(b"GGUH")
    assert difference(before, made()).startswith("model.sha256")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_program_killed_at_random_moments_goes_on_to_the_same_end(
    tmp_path: Path, wiki, whole: RunLayout
) -> None:
    layout, chance, ends = begun(tmp_path / "killed"), random.Random(7), []
    slow = ScriptedModel(lambda prompt: (time.sleep(0.005), write(prompt))[1])
    while len(ends) < 10 or ends[-1] != 0:
        if (child := os.fork()) == 0:
            try:
                evaluate(layout, EXAMPLES, "react", asked(wiki, slow), SETUP)
            except BaseException:
                os._exit(1)
            os._exit(0)
        if len(ends) < 9:
            time.sleep(chance.uniform(0, 0.06))
            os.kill(child, signal.SIGKILL)
        ends.append(os.waitpid(child, 0)[1])
    assert ends.count(signal.SIGKILL) > 5
    assert told(layout) == told(whole)


def test_a_refused_command_changes_no_manifest(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path / "run")
    prepare(layout, MANIFEST, EXAMPLES)
    before = layout.manifest.read_text()
    indexed = MANIFEST | {"index": {"sha256": "1"}}
    with pytest.raises(EvaluationError, match=r"another model\.file"):
        prepare(layout, indexed | {"model": {"file": "b.gguf"}}, EXAMPLES)
    assert layout.manifest.read_text() == before
    prepare(layout, indexed, EXAMPLES)
    assert read_manifest(layout) == indexed


def test_a_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    layout = RunLayout(tmp_path / "file" / "run")
    with pytest.raises(EvaluationError, match=r"cannot write .*/file/run: Not a directory: choose"):
        prepare(layout, MANIFEST, EXAMPLES)
