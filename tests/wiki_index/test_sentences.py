"""Sentence splitting: golden cases in plain text, and that nothing is lost on any text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki_index import sentences

GOLDEN = Path(__file__).parent.parent / "golden" / "sentences.txt"


def _cases() -> list[pytest.ParameterSet]:
    blocks = re.split(r"^=== ", GOLDEN.read_text(encoding="utf-8"), flags=re.M)[1:]
    cases = []
    for block in blocks:
        head, *lines = block.strip().split("\n")
        lang = head.split(":")[0]
        cases.append(pytest.param(lang, [x for x in lines if x], id=head))
    return cases


@pytest.mark.parametrize(("lang", "expected"), _cases())
def test_golden(lang: str, expected: list[str]) -> None:
    text = ("" if lang in {"ja", "zh"} else " ").join(expected)
    assert sentences.split(text, lang) == expected


def test_a_line_end_ends_a_sentence() -> None:
    assert sentences.split("One item\nAnother item\n\nA third") == [
        "One item",
        "Another item",
        "A third",
    ]


@pytest.mark.parametrize(
    ("title", "text", "first"),
    [
        ("Oh! My Boat (film)", "Oh! My Boat is a film. It ran.", "Oh! My Boat is a film."),
        ("Nets... 12", "Nets... 12 followed Nets. It ran.", "Nets... 12 followed Nets."),
        ("Go! Go!", "It led to Go! Go! They sold it.", "It led to Go! Go!"),
        ("St. Olav. The Play", "St. Olav. The Play ran. It ended.", "St. Olav. The Play ran."),
        ("Bare... Nets", "Bare ... Nets is a film. It ran.", "Bare ... Nets is a film."),
        ("Row!", "Row! (Steer!) , a song, ran. It ended.", "Row! (Steer!) , a song, ran."),
        ("Oslo", "Oh! What a town. It is old.", "Oh!"),
    ],
)
def test_stops_of_the_title_end_no_sentence(title: str, text: str, first: str) -> None:
    assert sentences.split(text, "en", title)[0] == first


@given(st.text(), st.sampled_from(["en", "de", "fr", "es", "ru", "ja", "xx", "simple"]))
def test_nothing_is_lost_but_white_space(text: str, lang: str) -> None:
    pieces = sentences.split(text, lang)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece == piece.strip() and piece for piece in pieces)


@pytest.mark.parametrize(
    "unit",
    ["a. ", "A. ", "(", "(a. B) ", "C ", "U.S. ", ". ", '."', "。", "...", "A.A", '"A. ', '"A." '],
)
def test_long_lines_are_linear(unit: str) -> None:
    """Half a megabyte of any stop is split without a quadratic scan (it would take minutes)."""
    text = unit * (500_000 // len(unit))
    assert "".join("".join(sentences.split(text)).split()) == "".join(text.split())
