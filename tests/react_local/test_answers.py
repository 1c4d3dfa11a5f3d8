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
        ("What is the population of the town where Grieg was born?", Kind.NUMBER),
        ("What is the date of death of the composer of Aida?", Kind.DATE),
        ("\\When was it built?", Kind.DATE),
        ("What is the place of birth of the composer?", Kind.PLACE),
        ("Where did the composer of Peer Gynt study?", Kind.NAME),
        ("Which country is the composer from?", Kind.COUNTRY),
        ("What nationality is the director of the film?", Kind.COUNTRY),
        ("What was the profession of the man whose sister wrote it?", Kind.OPEN),
        ("Grieg wrote which song?", Kind.NAME),
        ("The play is called?", Kind.OPEN),
        ("Between Bizet and Grieg, who was born first?", Kind.CHOICE),
        ("Are the directors of Kill Or Be Killed and Up from one country?", Kind.VERDICT),
        ("Who wrote the play Peer Gynt?", Kind.PERSON),
        ("In which city was Grieg born?", Kind.PLACE),
        ("The play was written by whom?", Kind.PERSON),
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
        (Kind.CHOICE, "Between the two men Ole Bull and Edvard Grieg, who is older?", ("Ole Bull",
                                                                       "Edvard Grieg")),
        (Kind.OPEN, "What?", ()),
    ],
)  # fmt: skip
def test_the_answers_of_a_kind(kind: Kind, question: str, answers: tuple[str, ...]) -> None:
    assert shaped(kind, question, [TEXT]) == answers


def test_a_place_may_follow_a_year_and_a_country_an_article() -> None:
    text = "Ole Bull( Os, 5 Feb. 1810 Bergen – Voss, 1880) was a Norwegian of south-west Norway."
    assert set(shaped(Kind.PLACE, "Where?", [text])) >= {"Os", "Bergen", "Voss", "Norway"}
    assert "Norwegian" not in shaped(Kind.PLACE, "Where?", [text])
    assert "Norwegian" in shaped(Kind.COUNTRY, "Which country?", [text])


def test_a_date_has_a_month_where_there_is_one() -> None:
    assert shaped(Kind.DATE, "On what date?", [TEXT]) == ("29 March 1947", "May 1970")
    assert shaped(Kind.DATE, "On what date?", ["In 1947."]) == ("1947",)
    assert shaped(Kind.DATE, "On what date?", ["It was Dec. 10, 1817."]) == ("Dec. 10, 1817",)


def test_a_year_is_no_part_of_a_person() -> None:
    text = "Ann Moe won the Grand Prix 2009."
    assert shaped(Kind.PERSON, "Who?", [text]) == ("Ann Moe",)
    assert shaped(Kind.NAME, "Which song?", [text]) == ("Ann Moe", "Grand Prix 2009")


def test_the_parts_of_a_run_of_names_are_names() -> None:
    text = "Born in Oslo to Jon Lie and Ann Moe, he met Siv Dal of the Bank of Oslo."
    assert set(shaped(Kind.NAME, "Who?", [text])) >= {"Jon Lie", "Ann Moe", "Oslo"}


def test_a_name_of_the_question_is_none_but_a_part_of_its_word_is() -> None:
    assert "Brazil" in shaped(Kind.PLACE, "Where is the Brazilian maker?", ["It is in Brazil."])
    assert "Brazil" not in shaped(Kind.PLACE, "Where in Brazil?", ["It is in Brazil."])


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
        asked = (
            "" if kind in (Kind.NAME, Kind.PERSON, Kind.PLACE, Kind.COUNTRY) else record["question"]
        )
        found = shaped(
            kind, asked, [f"in {answer}" if kind in (Kind.PLACE, Kind.COUNTRY) else answer]
        )
        of_kind += 1
        fitting += answer in found
    assert of_kind > 500
    assert fitting / of_kind > 0.9
