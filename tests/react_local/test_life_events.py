"""Birth and death as an encyclopedia tells them."""

from __future__ import annotations

import pytest

from react_local.answers import Kind, shaped
from react_local.life_events import LifeEvent, event_asked, mentions

PETRI = (
    "Ann Petri (née Moe; 29 January 1929, Rome – 10 November 1982) was an Italian director. She "
    "was born in a house on the Tiber. She made The Tenth Victim (1965) and died of cancer in Oslo."
)
MOE = "Jon Moe (born 3 May 1957 in Alder) is a pilot. Born on Brae, he flew in 1975."


@pytest.mark.parametrize(
    ("question", "event"),
    [
        ("Where was Ann Petri born?", LifeEvent.BIRTH),
        ("What is the date of birth of the director?", LifeEvent.BIRTH),
        ("In what year did the director die?", LifeEvent.DEATH),
        ("Where was the place of death of the director?", LifeEvent.DEATH),
        ("When was the tower built in the city where Petri died?", None),
        ("Who was born in Rome?", None),
        ("What was the cause of death of the director?", None),
    ],
)
def test_what_is_asked_for(question: str, event: LifeEvent | None) -> None:
    assert event_asked(question) is event


def test_where_a_text_speaks_of_either() -> None:
    assert list(mentions(LifeEvent.BIRTH, PETRI)) == [
        "née Moe; 29 January 1929, Rome",
        " in a house on the Tiber",
    ]
    assert list(mentions(LifeEvent.DEATH, PETRI)) == ["10 November 1982", " of cancer in Oslo"]
    assert list(mentions(LifeEvent.BIRTH, MOE)) == [
        "born 3 May 1957 in Alder",
        " 3 May 1957 in Alder",
        " on Brae, he flew in 1975",
    ]
    assert list(mentions(LifeEvent.DEATH, MOE)) == []


def test_answers_stand_where_the_event_is_spoken_of() -> None:
    assert shaped(Kind.DATE, "What is her date of birth?", [PETRI]) == ("29 January 1929",)
    assert shaped(Kind.PLACE, "Where did she die?", [PETRI]) == ("Oslo",)
    assert shaped(Kind.PLACE, "Where was he born?", [MOE]) == ("Alder", "Brae")
    assert set(shaped(Kind.YEAR, "In what year did he die?", [MOE])) == {"1957", "1975"}
