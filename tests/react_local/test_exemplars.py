"""The exemplars are true to the sample wiki, to the grammar, and to what they are there to show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import grammars
from grammars import LABEL, parse_step
from react_local.actions import OPTIONAL, with_optional
from react_local.environments import WikipediaEnvironment
from react_local.errors import ExemplarError
from react_local.exemplars import load, read
from react_local.methods.allowed_actions import step_grammar
from react_local.methods.react import REACT
from react_local.methods.reflexion import failure
from react_local.models.scripted import check_form
from react_local.transcript import remark_line, step_text
from react_local.types import CLAIM_LABELS, ActionName, Task, Trajectory
from wiki_index import WikiIndex, build_index, sample

FORM = replace(REACT, kinds=with_optional(OPTIONAL))
EXEMPLARS = [told for task in Task for told in load(task, FORM.names)]
ALL_TRIES = [told for exemplar in EXEMPLARS for told in exemplar.tries]


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikiIndex]:
    directory = tmp_path_factory.mktemp("sample")
    build_index(sample.write_dump(directory), directory / "index", dense=False)
    with WikiIndex.open(directory / "index") as index:
        yield index


def test_there_are_six_questions_and_three_claims():
    assert [len(load(task)) for task in Task] == [6, 3]


def test_an_optional_action_has_one_more_of_each_where_it_is_on():
    for kind in OPTIONAL.values():
        shown = [load(task, [*ActionName, kind.name]) for task in Task]
        assert [len(told) for told in shown] == [7, 4]
        assert all(any(step.action.name == kind.name for step in told[0].steps) for told in shown)


@pytest.mark.parametrize("exemplar", ALL_TRIES, ids=lambda told: told.question)
def test_observations_are_what_the_sample_index_answers(exemplar: Trajectory, wiki: WikiIndex):
    environment = WikipediaEnvironment(wiki, FORM.kinds)
    for step in exemplar.steps[:-1]:
        assert step.observation.text == environment.act(step.action).text


@pytest.mark.parametrize("exemplar", ALL_TRIES, ids=lambda told: told.question)
def test_every_step_is_one_that_the_grammar_allows(exemplar: Trajectory):
    for number, step in enumerate(exemplar.steps, start=1):
        text = step_text(number, step)
        assert str(parse_step(text, FORM.names)) == text
        assert not LABEL.search(step.thought.text)
        before = Trajectory(exemplar.question, "react", exemplar.task, exemplar.steps[: number - 1])
        check_form(text, step_grammar(before, FORM))


@pytest.mark.parametrize("exemplar", EXEMPLARS, ids=lambda told: told.question)
def test_every_plan_and_review_is_one_that_the_grammar_allows(exemplar: Trajectory):
    for remark in (exemplar.plan, *(told.review for told in exemplar.tries[:-1])):
        assert len(remark.text) < 150
        check_form(f"{remark_line(remark)}\n", grammars.remark(remark.kind))


@pytest.mark.parametrize("task", Task)
def test_one_of_each_task_was_tried_in_vain_before(task: Task):
    (before,) = [told.before for told in load(task) if told.before]
    told = next(told for told in load(task) if told.before)
    assert before.review.cause == failure(before, [told.answer])
    assert failure(told, [told.answer]) is None


@pytest.mark.parametrize("exemplar", load(Task.QUESTION), ids=lambda told: told.question)
def test_answers_are_quoted_from_what_was_observed(exemplar: Trajectory):
    observed = " ".join(step.observation.text for step in exemplar.steps[:-1])
    assert exemplar.answer in ("yes", "no") or exemplar.answer in observed


def test_they_show_what_they_are_there_to_show():
    questions = load(Task.QUESTION)
    actions = [[step.action.name for step in told.steps] for told in questions]
    missed = [
        step.observation.text
        for told in questions
        for step in told.steps[:-1]
        if step.observation.text.startswith("Could not find [")
    ]
    assert any(ActionName.LOOKUP in names for names in actions)
    assert len(missed) == 2  # a failed search and a disambiguation
    assert any(told.answer in ("yes", "no") for told in questions)
    assert any(" or " in told.question for told in questions)
    assert {told.answer for told in load(Task.CLAIM)} == set(CLAIM_LABELS)


def test_they_share_no_question_with_those_that_are_measured():
    measured = {entry["question"] for entry in sample.questions()}
    assert measured
    assert not measured & {told.question for told in load(Task.QUESTION)}
    claims = {entry["claim"] for entry in sample.claims()}
    assert claims
    assert not claims & {told.question for told in load(Task.CLAIM)}


def test_the_six_together_are_short():
    asked = Trajectory("?", "react")
    text = "".join(piece.text for piece in REACT.prompt(asked, load()))
    assert len(text) < 6_400  # about 1,800 tokens of Gemma 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("exemplar = 3", "not in the format"),
        ("nothing here", "not in the format"),
        ("[[exemplar]]\nquestion = 'Q'", "not in the format .*'step'"),
        ("[[exemplar]]\nquestion = 'Q'\nstep = [{thought = 'T', action = 'Sing[x]'}]", "Sing"),
        ("[[exemplar]]\nquestion = 'Q'\nstep = [{thought = 'T', action = 'x'}]", "not an action"),
        (
            "[[exemplar]]\nquestion = 'Q'\nstep = [{thought = 'T', action = 'Search[x]'}]",
            "last step of 'Q' is not Finish",
        ),
    ],
)
def test_a_file_in_another_form_is_refused_with_the_reason(tmp_path: Path, content, message):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(ExemplarError, match=message):
        read(path)


def test_a_missing_file_is_one_clear_line(tmp_path: Path):
    with pytest.raises(ExemplarError, match="No such file"):
        read(tmp_path / "none.toml")
