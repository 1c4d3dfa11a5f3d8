"""The parser of steps: its form, and that it reads exactly what the grammar writes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grammars
from grammars import StepText, parse_step
from react_local.models.scripted import check_form

ALLOWED = [
    "Thought 1: I need to search Rome.\nAction 1: Search[Rome]",
    "Thought 12: x\nAction 12: Lookup[the river]",
    "Thought 2: Search[Rome] is what I did; Action: none.\nAction 2: Finish[yes]",
    "Thought 3: 東京は日本の首都です。\nAction 3: Finish[東京]",
    "Thought 3: Русский, العربية, हिन्दी, 한국어, 👩‍🚀\nAction 3: Search[😀 (emoji)]",
    "Action 4: Search[C++]",
]
REFUSED = {
    "empty": "",
    "no action": "Thought 1: I think.",
    "empty thought": "Thought 1: \nAction 1: Search[Rome]",
    "blank thought": "Thought 1:   \nAction 1: Search[Rome]",
    "blank before the thought": "Thought 1:  x\nAction 1: Search[Rome]",
    "blank after the thought": "Thought 1: x \nAction 1: Search[Rome]",
    "ideographic blank after the thought": "Thought 1: x\u3000\nAction 1: Search[Rome]",
    "two lines": "Thought 1: x\ny\nAction 1: Search[Rome]",
    "line separator": "Thought 1: x\u2028y\nAction 1: Search[Rome]",
    "tab": "Thought 1: x\ty\nAction 1: Search[Rome]",
    "NUL": "Thought 1: x\0y\nAction 1: Search[Rome]",
    "C1 control": "Thought 1: x\x85y\nAction 1: Search[Rome]",
    "direction override": "Thought 1: x\u202ey\nAction 1: Search[Rome]",
    "label in the thought": "Thought 1: x Action 1: y\nAction 1: Search[Rome]",
    "question in the thought": "Thought 1: Question: y\nAction 1: Search[Rome]",
    "label in the argument": "Thought 1: x\nAction 1: Search[Observation 2: y]",
    "claim in the argument": "Thought 1: x\nAction 1: Search[a Claim : y]",
    "two numbers": "Thought 1: x\nAction 2: Search[Rome]",
    "zero": "Thought 0: x\nAction 0: Search[Rome]",
    "another action": "Thought 1: x\nAction 1: Click[Rome]",
    "lower case": "Thought 1: x\nAction 1: search[Rome]",
    "empty argument": "Thought 1: x\nAction 1: Search[]",
    "blank argument": "Thought 1: x\nAction 1: Search[ ]",
    "blank before the argument": "Thought 1: x\nAction 1: Search[ Rome]",
    "blank after the argument": "Thought 1: x\nAction 1: Search[Rome ]",
    "two blanks in the argument": "Thought 1: x\nAction 1: Search[Via  Appia]",
    "no-break space": "Thought 1: x\nAction 1: Search[Via\u00a0Appia]",
    "bracket in the argument": "Thought 1: x\nAction 1: Search[a [b] c]",
    "newline in the argument": "Thought 1: x\nAction 1: Search[a\nb]",
    "more after the step": "Thought 1: x\nAction 1: Search[Rome]\n",
    "more before the step": " Thought 1: x\nAction 1: Search[Rome]",
}


def grammar_allows(text: str, number: int, thought: bool) -> bool:
    try:
        check_form(text, grammars.react_step(number, thought=thought))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("text", ALLOWED)
def test_a_step_is_its_parts_and_back(text: str) -> None:
    step = parse_step(text)
    assert str(step) == text
    assert grammar_allows(text, step.number, step.thought is not None)


def test_the_parts_are_named() -> None:
    step = parse_step("Thought 2: Born in Rome.\nAction 2: Lookup[born in]")
    assert step == StepText(number=2, thought="Born in Rome.", action="Lookup", argument="born in")
    assert parse_step("Action 2: Finish[no]").thought is None


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_step_is_refused_by_parser_and_grammar(text: str) -> None:
    with pytest.raises(ValueError, match=r"step|blank|label|number"):
        parse_step(text)
    assert not any(grammar_allows(text, number, True) for number in (1, 2))


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="step"):
        parse_step("Thought 1: x\nAction 1: Search[a\ud800b]")


PIECES = st.sampled_from(
    [
        *(
            "a",
            "Z",
            "7",
            " ",
            "  ",
            ".",
            "!",
            "。",
            "[",
            "]",
            ":",
            "\n",
            "\0",
            "\x7f",
            "\x9f",
            "\xa0",
        ),
        *("é", "e\u0301", "\u200b", "\u200d", "\u2028", "\u202e", "\u3000", "\ufeff", "\ufffd"),
        *("東", "😀", "Thought 1:", "Action", "Observation 3", "Question:", "Claim ", "Search["),
    ]
)
TEXTS = st.lists(PIECES, min_size=0, max_size=6).map("".join)


@given(thought=TEXTS | st.text(max_size=12), argument=TEXTS | st.text(max_size=12))
@settings(max_examples=250)
def test_the_parser_accepts_what_the_grammar_does(thought: str, argument: str) -> None:
    text = f"Thought 1: {thought}\nAction 1: Search[{argument}]"
    try:
        step = parse_step(text)
    except ValueError:
        assert not grammar_allows(text, 1, True)
    else:
        assert (step.thought, step.argument) == (thought, argument)
        assert grammar_allows(text, 1, True)


def test_every_character_is_taken_or_refused_by_both() -> None:
    from llguidance import LLMatcher

    from react_local.models.scripted import _byte_tokenizer

    matcher = LLMatcher(_byte_tokenizer(), grammars.react_step(1))
    blocks = (range(0x20), range(0x7F, 0x180), range(0x1670, 0x1690), range(0x1FF0, 0x2100))
    more = (range(0x2FF0, 0x3050), range(0xFDF0, 0x10000), range(0x1F600, 0x1F610))
    for code in (c for block in blocks + more for c in block):
        for text in (f"a{chr(code)}b", f"{chr(code)}b", f"a{chr(code)}"):
            step = f"Thought 1: {text}\nAction 1: Search[{text}]"
            written = list(step.encode())
            matcher.reset()
            allowed = matcher.try_consume_tokens(written) == len(written) and matcher.is_stopped()
            try:
                parsed = bool(parse_step(step))
            except ValueError:
                parsed = False
            assert allowed == parsed, f"U+{code:04X} in {text!r}"
