"""A step in two parts: together they are a step, and a guided argument is what it should be."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grammars
from react_local.models.scripted import check_form

TEXT = (
    'Edvard Grieg was born in Bergen, Norway, on 15 June 1843. He (the "Chopin of the North") '
    "died [sic] in 1907, aged 64. Action 1: none."
)


def allows(grammar: str, text: str) -> bool:
    try:
        check_form(text, grammar)
    except ValueError:
        return False
    return True


WORDS = st.sampled_from(["Bergen", "Oslo", "of", "1843", "é", "東京", "C++", "a"])
ARGUMENTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=40)
@given(st.sampled_from(grammars.ACTIONS), ARGUMENTS, ARGUMENTS)
def test_two_parts_are_a_step(action: str, argument: str, tried: str) -> None:
    opening, rest = f"Thought 3: Why not?\nAction 3: {action}[", f"{argument}]"
    whole = grammars.react_step(3, tried=[(action, tried)])
    assert allows(grammars.step_opening(3), opening)
    assert allows(grammars.free_argument([tried]), rest) == allows(whole, opening + rest)


def test_where_a_rule_allows_few_arguments_none_that_was_tried_is_begun() -> None:
    """Excluded as a whole only, it would leave no way on."""
    grammar = grammars.free_argument(["north"], '"north" | "south"')
    assert allows(grammar, "south]")
    with pytest.raises(ValueError, match="does not allow 'north]' after ''"):
        check_form("north]", grammar)


def test_an_opening_has_the_actions_that_there_are() -> None:
    grammar = grammars.step_opening(2, actions=["Search", "Finish"], thought=False)
    assert allows(grammar, "Action 2: Search[")
    assert not allows(grammar, "Action 2: Lookup[")
    assert not allows(grammar, "Thought 2: x\nAction 2: Search[")
    with pytest.raises(ValueError, match="actions must be some of"):
        grammars.step_opening(2, actions=[])


@settings(max_examples=40)
@given(st.lists(ARGUMENTS, min_size=1, max_size=5), ARGUMENTS)
def test_one_of_a_few_arguments_is_none_else(arguments: list[str], other: str) -> None:
    grammar = grammars.one_argument(arguments)
    assert all(allows(grammar, f"{argument}]") for argument in arguments)
    assert allows(grammar, f"{other}]") == (other in arguments)


@pytest.mark.parametrize(
    "answer",
    [
        "Bergen",
        "Bergen, Norway",
        "15 June 1843",
        "1843",
        "Edvard Grieg",
        "sic",
        "aged 64",
        "Chopin",
    ],
)
def test_a_span_of_the_text_may_be_an_answer(answer: str) -> None:
    assert allows(grammars.span_argument([TEXT]), f"{answer}]")


@pytest.mark.parametrize(
    "answer",
    [
        "Oslo",
        "Berg",  # no whole word
        "Bergen,",  # a mark of the sentence around it
        "in Bergen",
        "Chopin of the",
        "Edvard Grieg was born in Bergen, Norway, on 15 June 1843",  # too long
        "died [sic] in 1907",
        "Action 1: none",
        'He (the "Chopin',  # a bracket that is open
        "1843. He",  # two sentences
        "Norway, on 15 June –",
        "",
    ],
)
def test_what_is_no_span_or_no_answer_may_not(answer: str) -> None:
    assert not allows(grammars.span_argument([TEXT]), f"{answer}]")


def test_what_was_asked_is_no_answer() -> None:
    grammar = grammars.span_argument([TEXT], but_of="In which year did Edvard Grieg die?")
    assert not allows(grammar, "Edvard Grieg]")
    assert not allows(grammar, "Grieg]")
    assert allows(grammar, "1907]")


def test_texts_without_an_answer_are_refused() -> None:
    for texts, but_of in (([], ""), (["", "of the"], ""), (["Oslo"], "Oslo?")):
        with pytest.raises(ValueError, match="contain no span"):
            grammars.span_argument(texts, but_of=but_of)


@settings(max_examples=60)
@given(st.text(st.sampled_from("ab1é東 .,–[]()'\"\\\n:"), max_size=30), st.data())
def test_every_answer_is_a_span(text: str, data: st.DataObject) -> None:
    """Whatever the text, and whatever is cut out of it: what is allowed is a span of its words."""
    try:
        grammar = grammars.span_argument([text])
    except ValueError:
        assert set(re.findall(r"[^\W_]+", text)) <= {"a"}, "no word but function words"
        return
    ends = st.integers(0, len(text))
    start, end = sorted((data.draw(ends), data.draw(ends)))
    cut = text[start:end]
    if allows(grammar, f"{cut}]"):
        assert cut in text
        assert grammars.is_argument(cut)
        assert cut.count("(") == cut.count(")")
        assert not re.match(r"\w", text[end : end + 1]) or not re.search(r"\w$", cut)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("Bergen", True), ("", False), (" x", False), ("a[b]", False), ("Action 2: x", False),
     ("x" * 121, False), ("BERGEN!", False)],
)  # fmt: skip
def test_what_may_be_an_argument(text: str, verdict: bool) -> None:
    assert grammars.is_argument(text, ["bergen"]) == (verdict and text != "Bergen")
    assert grammars.is_argument(text) == (verdict or text == "BERGEN!")


def test_what_is_punctuation_alone_is_compared_as_it_stands() -> None:
    assert grammars.is_argument("!!!", ["?"])
    assert not grammars.is_argument("!!!", ["!!!"])
