"""Scores against a table written by hand from HotpotQA's official rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_local.evaluation.metrics import Score, exact_match, f1, normalise, score


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("The Beatles", "beatles"),
        ("  An   Apple a Day ", "apple day"),
        ("U.S.", "us"),
        ("self-made", "selfmade"),
        ("rock'n'roll", "rocknroll"),
        ("T.H.E. end", "end"),  # punctuation goes before articles
        ("A-team", "ateam"),
        ("a—b", "—b"),  # a dash is not ASCII punctuation: it stays, and is no part of a word
        ("theatre", "theatre"),
        ("Ångström", "ångström"),
        ("ÉCOLE", "école"),
        ("1,234", "1234"),
        ("東京", "東京"),
        ("line\none\ttab", "line one tab"),
        ("The", ""),
        ("?!", ""),
        ("$5 & £6", "5 £6"),
    ],
)
def test_normalise(answer: str, normal: str) -> None:
    assert normalise(answer) == normal


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "overlap"),
    [
        ("Paris", "paris", 1, 1.0),
        ("the Paris", "Paris.", 1, 1.0),
        ("Paris, France", "Paris", 0, 2 / 3),  # precision 1/2, recall 1
        ("New York", "York New", 0, 1.0),  # words, not their order
        ("Berlin", "Paris", 0, 0.0),
        ("a b c d", "b c x y", 0, 4 / 7),  # the article goes: 2 of 3, 2 of 4
        ("new new york", "new york", 0, 0.8),  # counts matter: 2 of 3, 2 of 2
        ("yes", "Yes", 1, 1.0),
        ("yes", "yes it is", 0, 0.0),  # closed answers share no words with others
        ("no", "no man's land", 0, 0.0),
        ("no man's land", "no", 0, 0.0),
        ("noanswer", "noanswer given", 0, 0.0),
        ("no answer", "noanswer", 0, 0.0),
        ("Yes!", "no", 0, 0.0),
        ("yes, yes", "yes", 0, 0.0),  # normalised it is not "yes", the gold answer is
        ("The", "a", 1, 0.0),  # nothing is left: the same, but no word is shared
        ("2004", "in 2004", 0, 2 / 3),
        ("SUPPORTS", "SUPPORTS", 1, 1.0),
        ("NOT ENOUGH INFO", "REFUTES", 0, 0.0),
    ],
)
def test_official_rules(answer: str, gold: str, exact: int, overlap: float) -> None:
    assert exact_match(answer, gold) == bool(exact)
    assert f1(answer, gold) == pytest.approx(overlap)
    assert score(answer, [gold]) == Score(exact, pytest.approx(overlap))


def test_the_best_alias_counts() -> None:
    assert score("Mets", ["Pittsburgh Pirates", "New York Mets", "Mets"]) == Score(1.0, 1.0)
    assert score("York Mets", ["Pirates", "New York Mets"]) == Score(0.0, pytest.approx(0.8))


def test_no_answer_scores_nothing() -> None:
    assert score(None, ["x"]) == Score(0.0, 0.0)
    assert score("", ["x"]) == Score(0.0, 0.0)


@given(st.text(), st.text())
def test_scores_are_symmetric_and_bounded(one: str, other: str) -> None:
    assert f1(one, other) == pytest.approx(f1(other, one))
    assert 0.0 <= f1(one, other) <= 1.0
    assert normalise(normalise(one)).split() == normalise(normalise(normalise(one))).split()
