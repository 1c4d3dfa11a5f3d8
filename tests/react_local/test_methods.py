"""The paper's methods are one loop over one set of exemplars, with parts deleted."""

from __future__ import annotations

import pytest
from a_run import QUESTION
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars import AnswerText, answer_text, parse_answer
from react_local.environments import WikipediaEnvironment
from react_local.guides import PAPER
from react_local.methods import FORMS, METHODS, Form, act, cot, form_of, react, standard
from react_local.models.base import Generation, Piece
from react_local.models.scripted import ScriptedModel, check_form
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Task,
    Thought,
    Trajectory,
    Usage,
)

EXEMPLAR = Trajectory(
    "Which sea does the river enter?",
    "react",
    steps=(
        Step(
            Thought("I need to search River Ash."),
            Action(ActionName.SEARCH, "River Ash"),
            Observation("The River Ash flows to the North Sea."),
        ),
        Step(Thought("It flows to the North Sea."), Action(ActionName.FINISH, "North Sea")),
    ),
    outcome=Outcome.FINISHED,
)

ASKED = f"\n\nQuestion: {QUESTION}\n"
TOLD = {
    "standard": "Question: Which sea does the river enter?\nAnswer: North Sea",
    "cot": (
        "Question: Which sea does the river enter?\n"
        "Thought: I need to search River Ash. It flows to the North Sea.\n"
        "Answer: North Sea"
    ),
    "act": (
        "Question: Which sea does the river enter?\n"
        "Action 1: Search[River Ash]\n"
        "Observation 1: The River Ash flows to the North Sea.\n"
        "Action 2: Finish[North Sea]"
    ),
    "react": (
        "Question: Which sea does the river enter?\n"
        "Thought 1: I need to search River Ash.\n"
        "Action 1: Search[River Ash]\n"
        "Observation 1: The River Ash flows to the North Sea.\n"
        "Thought 2: It flows to the North Sea.\n"
        "Action 2: Finish[North Sea]"
    ),
}
ANSWERS = {
    "standard": "Answer: 1957",
    "cot": "Thought: The last one sailed in 1957.\nAnswer: 1957",
    "act": "Action 1: Finish[1957]",
    "react": "Thought 1: The last one sailed in 1957.\nAction 1: Finish[1957]",
}
ALIKE = {name: name for name in ANSWERS} | {
    "cot-sc": "cot",
    "cot-sc>react": "cot",
    "react>cot-sc": "react",
}
"""Methods of this form, each with the one whose first step reads and writes as its own."""


def text(prompt: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in prompt)


@pytest.mark.parametrize("name", ALIKE)
def test_a_method_reads_the_exemplars_with_its_parts_deleted(
    name: str, environment: WikipediaEnvironment
) -> None:
    alike = ALIKE[name]
    model = ScriptedModel(lambda _: ANSWERS[alike])
    run = METHODS[name](QUESTION, model, environment, exemplars=[EXEMPLAR], guides=PAPER)
    assert text(model.prompts[0]).endswith(TOLD[alike] + ASKED)
    assert (run.method, run.answer, run.outcome) == (name, "1957", Outcome.FINISHED)
    assert form_of(run).holds(1, run.steps[0])


@pytest.mark.parametrize("method", [standard, cot])
def test_without_actions_a_run_is_one_step_and_asks_no_environment(method) -> None:
    name = method.__name__
    run = method(QUESTION, ScriptedModel([ANSWERS[name]]), max_steps=7, exemplars=[EXEMPLAR])
    (step,) = run.steps
    assert step.action == Action(ActionName.FINISH, "1957")
    assert step.observation is None
    assert (step.thought is None) == (name == "standard")


def test_act_goes_on_by_actions_alone(environment: WikipediaEnvironment) -> None:
    model = ScriptedModel(
        ["Action 1: Search[Alder Sound]", "Action 2: Lookup[steam]", "Action 3: Finish[1957]"]
    )
    run = act(QUESTION, model, environment, exemplars=[EXEMPLAR], guides=PAPER)
    assert [step.thought for step in run.steps] == [None] * 3
    assert run.pages == ("Alder Sound",)
    assert "Thought" not in text(model.prompts[-1])
    assert model.prompts[-1][-2].tokens == run.steps[1].tokens


@pytest.mark.parametrize("name", ALIKE)
def test_a_claim_is_answered_by_a_verdict(name: str, environment: WikipediaEnvironment) -> None:
    answer = ANSWERS[ALIKE[name]]
    verdict = answer.replace("1957]", "REFUTES]").replace(": 1957", ": REFUTES")
    options = {"task": Task.CLAIM, "exemplars": []}
    run = METHODS[name]("Ferries fly.", ScriptedModel(lambda _: verdict), environment, **options)
    assert run.answer == "REFUTES"
    with pytest.raises(ValueError, match="does not allow"):
        METHODS[name]("Ferries fly.", ScriptedModel(lambda _: answer), environment, **options)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_method_writes_nothing_but_its_form(name: str, environment: WikipediaEnvironment) -> None:
    for other in ANSWERS.keys() - {name}:
        with pytest.raises(ValueError, match="grammar does not allow"):
            METHODS[name](QUESTION, ScriptedModel([ANSWERS[other]]), environment, exemplars=[])
        step = FORMS[other].step(Generation(ANSWERS[other], (), Usage()))
        if FORMS[other].thoughts != FORMS[name].thoughts:
            assert not FORMS[name].holds(1, step)


@pytest.mark.parametrize(
    "step",
    [
        Step(Thought("two\nlines"), Action(ActionName.FINISH, "x")),
        Step(Thought("x"), Action(ActionName.FINISH, " x")),
        Step(Thought("x"), Action(ActionName.SEARCH, "a[b]")),
        Step(Thought("Observation 1: x"), Action(ActionName.SEARCH, "a")),
        Step(None, Action(ActionName.SEARCH, "a")),
    ],
)
def test_malformed_steps_are_seen(step: Step) -> None:
    assert not FORMS["react"].holds(1, step)
    assert not FORMS["cot"].holds(1, step)


def test_an_action_is_no_answer() -> None:
    search = Step(None, Action(ActionName.SEARCH, "a"))
    assert FORMS["act"].holds(1, search)
    assert not FORMS["standard"].holds(1, search)


REFUSED = [
    "",
    "Answer:",
    "Answer: ",
    "Answer:  x",
    "Answer: x ",
    "Answer: a [b]",
    "Answer: x\n",
    "Answer: x\ny",
    "Thought: y",
    "Thought: \nAnswer: x",
    "Thought: a\nb\nAnswer: x",
    "Thought: Question: z\nAnswer: x",
    "Thought 1: y\nAnswer: x",
    "Answer: Action 1: x",
]


@pytest.mark.parametrize("thought", [True, False])
@pytest.mark.parametrize("given_text", REFUSED)
def test_what_is_no_answer(given_text: str, thought: bool) -> None:
    with pytest.raises(ValueError, match=r"not an answer|begins or ends|label"):
        parse_answer(given_text)
    with pytest.raises(ValueError, match=r"does not allow|not complete"):
        check_form(given_text, answer_text(thought=thought))


WORDS = st.lists(
    st.text(st.characters(categories=["L", "N", "S"]), min_size=1, max_size=6),
    min_size=1,
    max_size=6,
).map(" ".join)


@settings(max_examples=60)
@given(st.none() | WORDS, WORDS.filter(lambda words: len(words.encode()) <= 120))
def test_an_answer_reads_as_it_was_written(thought: str | None, answer: str) -> None:
    spelt = str(AnswerText(thought, answer))
    assert parse_answer(spelt) == (thought, answer)
    check_form(spelt, answer_text(thought=thought is not None))


def test_an_answer_closes_within_its_tokens() -> None:
    long = "word " * 300
    with pytest.raises(ValueError, match="does not allow"):
        check_form(f"Thought: {long}end.\nAnswer: x", answer_text())
    check_form(f"Thought: {long[:400]}end.\nAnswer: {'x' * 120}", answer_text())
    with pytest.raises(ValueError, match="does not allow"):
        check_form(f"Answer: {'x' * 121}", answer_text(thought=False))
    with pytest.raises(ValueError, match="at least"):
        answer_text(max_tokens=100)


def test_a_form_of_ones_own(environment: WikipediaEnvironment) -> None:
    run = react(
        QUESTION,
        ScriptedModel(["Answer: 1957"]),
        None,
        form=Form("guess", thoughts=False, actions=False),
        exemplars=[],
    )
    assert (run.method, run.answer) == ("guess", "1957")
