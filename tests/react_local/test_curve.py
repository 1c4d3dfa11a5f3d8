"""Score against number of samples, from one sampled run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, begun

from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.curve import curve
from react_local.evaluation.jobs import in_turn
from react_local.evaluation.metrics import score
from react_local.evaluation.report import Answered, MethodReport, Report
from react_local.evaluation.runner import evaluate
from react_local.evaluation.tables import text
from react_local.methods import self_consistency
from react_local.models.scripted import ScriptedModel
from react_local.trace import Run
from react_local.types import Action, ActionName, Step

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
    assert found[3].mean == 1
    assert found[1].mean == pytest.approx(2 / 3, abs=0.15)
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
    assert lines[3].split() == ["3", "33.3", "[0.0,", "100.0]"]


UNSURE = ["1957", "1921", "1900", "1800"]


def hybrid(name: str, answer: str, samples: list[str], fell_back: bool, case: str) -> Answered:
    """A run of a hybrid with the answer `answer` of the other side."""
    voted = self_consistency(
        EXAMPLES[0].question,
        ScriptedModel([f"Thought: x\nAnswer: {sample}" for sample in samples]),
        samples=len(samples),
        exemplars=(),
    )
    acted = replace(voted, method="act", steps=(Step(None, Action(ActionName.FINISH, answer)),))
    order = (acted, voted) if name.startswith("act") else (voted, acted)
    told = replace(order[1], before=order[0]) if fell_back else order[0]
    scored = score(told.answer, EXAMPLES[0].answers)
    example = replace(EXAMPLES[0], id=case)
    return Answered(example, Run(case, SETUP, replace(told, method=name)), scored, None)


def test_a_hybrid_that_falls_back_to_a_vote_has_fewer_samples_there_alone() -> None:
    name = "act>cot-sc"
    right = hybrid(name, "1957", ["1957"] * 3, False, "1")
    voted = hybrid(name, "", ["1957", "1957", "1921"], True, "2")
    found = curve(MethodReport("run", name, 2, (right, voted)))
    assert found[3].mean == 1
    assert found[1].mean == pytest.approx((1 + 2 / 3) / 2, abs=0.1)
    assert curve(MethodReport("run", name, 1, (right,))) == {}


def test_a_vote_that_falls_back_needs_what_it_may_fall_back_to() -> None:
    name = "cot-sc>act"
    sure = hybrid(name, "", ["1957", "1957", "1921"], False, "1")
    unsure = hybrid(name, "1957", UNSURE, True, "2")
    method = MethodReport("run", name, 2, (sure, unsure))
    assert curve(method) == {}
    acted = [
        replace(one, run=replace(one.run, trajectory=replace(one.run.trajectory, method="act")),
                score=score("1921", ("1957",)))
        for one in (sure, unsure)
    ]  # fmt: skip
    other = MethodReport("elsewhere", "act", 2, tuple(acted))
    assert curve(method, [other]) == {}
    found = curve(method, [replace(other, run="run")])
    # One sample is always sure of itself: of `sure` 2 in 3 are right, of `unsure` 1 in 4.
    assert found[1].mean == pytest.approx((2 / 3 + 1 / 4) / 2, abs=0.1)
    # Three samples of `sure` are its whole vote; of `unsure` they have no majority.
    assert found[3].mean == 1
