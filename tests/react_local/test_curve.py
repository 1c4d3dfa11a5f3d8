"""Score against number of samples, from one sampled run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, begun

from react_local.evaluation.asking import in_turn
from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.curve import curve
from react_local.evaluation.metrics import score
from react_local.evaluation.report import Answered, MethodReport, Report
from react_local.evaluation.runner import evaluate
from react_local.evaluation.tables import text
from react_local.methods import self_consistency
from react_local.models.scripted import ScriptedModel
from react_local.trace import Run

TEXTS = ["Thought: x\nAnswer: 1957", "Thought: x\nAnswer: 1921", "Thought: x\nAnswer: 1957"]


def answered(texts: list[str] = TEXTS) -> Answered:
    example = EXAMPLES[0]
    model = ScriptedModel(texts)
    told = self_consistency(example.question, model, samples=len(texts), exemplars=())
    scored = score(told.answer, example.answers)
    return Answered(example, Run("1", SETUP, told), scored, behaviour(told))


def test_the_whole_vote_is_the_run_and_one_sample_is_a_share() -> None:
    found = curve(MethodReport("run", "cot-sc", 1, (answered(),)))
    assert list(found) == [1, 3]
    assert found[3] == 1
    assert found[1] == pytest.approx(2 / 3, abs=0.15)
    assert found == curve(MethodReport("run", "cot-sc", 1, (answered(),)))


def test_it_goes_as_far_as_every_question_has_samples() -> None:
    more = answered(TEXTS * 3)
    found = curve(MethodReport("run", "cot-sc", 2, (answered(), more)))
    assert list(found) == [1, 3]
    assert list(curve(MethodReport("run", "cot-sc", 1, (more,)))) == [1, 3, 5, 7, 9]


def test_methods_without_a_vote_have_none() -> None:
    one = answered()
    steps = tuple(replace(step, samples=()) for step in one.run.trajectory.steps)
    run = replace(one.run, trajectory=replace(one.run.trajectory, steps=steps))
    assert curve(MethodReport("run", "cot", 1, (replace(one, run=run),))) == {}


def test_the_report_shows_it(tmp_path: Path) -> None:
    layout = begun(tmp_path / "run")

    def answer(job, listener):
        return self_consistency(
            job.example.question, ScriptedModel(TEXTS), samples=3, exemplars=(), on_event=listener
        )

    evaluate(layout, EXAMPLES, "cot-sc", in_turn(answer), SETUP)
    told = text(Report.read([layout.root]))
    lines = told[told.index("EM by number of samples") :].splitlines()
    assert lines[1].split() == ["Samples", "cot-sc"]
    assert lines[3].split() == ["3", "33.3"]
