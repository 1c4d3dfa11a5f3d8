"""The kind of answer that a question asks for, and the answers of that kind in a text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from react_local.answers import Kind, evidence_of, kind_of, shaped
from react_local.types import Action, ActionName, Observation, Step, Thought, Trajectory

TEXT = (
    "Hekla is a volcano in the south of Iceland, 1,491 metres high. It erupted on 29 March 1947, "
    "in May 1970 and twice since. Sigurður Þórarinsson of the University of Iceland wrote of it "
    "in Reykjavík, Iceland. The mountain's name means a hooded cloak."
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Was the composer of Carmen born in Paris?", Kind.VERDICT),
        ("Both Bergen and Oslo lie in Norway?", Kind.VERDICT),
        ("Was Bizet or Grieg born first?", Kind.CHOICE),
        ("Which is longer, the Rhine or the Elbe?", Kind.CHOICE),
        ("In which year was Aida first performed?", Kind.YEAR),
        ("When did the volcano erupt?", Kind.DATE),
        ("On what date did the ship sink?", Kind.DATE),
        ("How many locks has the canal?", Kind.NUMBER),
        ("How high is the mountain?", Kind.NUMBER),
        ("Who wrote the play Peer Gynt?", Kind.NAME),
        ("In which city was Grieg born?", Kind.PLACE),
        ("The play was written by whom?", Kind.NAME),
        ("Of which disease did Abel die?", Kind.OPEN),
        ("What was the city called when he died there?", Kind.OPEN),
    ],
)
def test_the_kind_of_a_question(question: str, kind: Kind) -> None:
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    ("kind", "question", "answers"),
    [
        (Kind.VERDICT, "Is it?", ("yes", "no")),
        (Kind.YEAR, "In which year?", ("1947", "1970")),
        (Kind.DATE, "When?", ("29 March 1947", "1947", "May 1970", "1970")),
        (Kind.NUMBER, "How many?", ("1,491", "29", "1947", "1970", "twice")),
        (Kind.NUMBER, "How high?", ("1,491", "1,491 metres", "29", "1947", "1970", "1970 and",
                                    "twice", "twice since")),
        (Kind.CHOICE, "Was Hekla or the Katla higher?", ("Hekla", "the Katla")),
        (Kind.CHOICE, "Is it public or private?", ("public", "private")),
        (Kind.CHOICE, "Which came first, Up (2009 film) or What Now?", ("Up (2009 film)",
                                                                        "What Now")),
        (Kind.PLACE, "Where?", ("Iceland", "Reykjavík, Iceland", "Reykjavík")),
        (Kind.OPEN, "What?", ()),
    ],
)  # fmt: skip
def test_the_answers_of_a_kind(kind: Kind, question: str, answers: tuple[str, ...]) -> None:
    assert shaped(kind, question, [TEXT]) == answers


def test_names_are_runs_of_capitals_that_the_question_does_not_hold() -> None:
    names = shaped(Kind.NAME, "Who wrote of Hekla?", [TEXT])
    assert "Sigurður Þórarinsson of the University of Iceland" in names
    assert {"Reykjavík, Iceland", "Reykjavík", "Iceland"} <= set(names)
    assert not {"Hekla", "It", "The", "1947", "March", "May"} & set(names)


def test_the_evidence_is_what_pages_told_the_last_first() -> None:
    def step(text: str, title: str | None) -> Step:
        return Step(Thought("t"), Action(ActionName.SEARCH, "x"), Observation(text, title))

    steps = (step("a1", "A"), step("Could not find [x].", None), step("b1", "B"), step("a2", "A"))
    assert evidence_of(Trajectory("Q", "react", steps=steps)) == ("A", "a2", "B", "b1", "a1")


def test_the_kinds_of_many_questions_hold_their_answers() -> None:
    """The rules against 1,000 questions that were not made for them."""
    path = Path(__file__).parents[2] / ".." / "shared" / "data" / "qa_train.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    fitting, of_kind = 0, 0
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        kind, answer = kind_of(record["question"]), record["answer"]
        if kind in (Kind.OPEN, Kind.CHOICE):
            continue
        asked = "" if kind in (Kind.NAME, Kind.PLACE) else record["question"]
        found = shaped(kind, asked, [f"in {answer}" if kind is Kind.PLACE else answer])
        of_kind += 1
        fitting += answer in found
    assert of_kind > 500
    assert fitting / of_kind > 0.9
