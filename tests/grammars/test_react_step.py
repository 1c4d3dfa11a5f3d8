"""The grammar of a step: what the state of the run allows, and how long a step may be."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grammars
from grammars.repeats import fold
from react_local.models.scripted import check_form
from wiki_index.titles import fold as fold_title


def allows(text: str, **options: Any) -> bool:
    """Whether the grammar of step 3 allows `text`; an action alone gets a thought."""
    text = (
        text
        if text.startswith("Thought") or options.get("thought") is False
        else f"Thought 3: x\n{text}"
    )
    try:
        check_form(text, grammars.react_step(3, **options))
    except ValueError:
        return False
    return True


def test_the_number_is_the_steps_own() -> None:
    assert allows("Thought 3: x\nAction 3: Search[a]")
    assert not allows("Thought 2: x\nAction 2: Search[a]")
    assert not allows("Thought 3: x\nAction 4: Search[a]")


def test_only_the_actions_that_the_state_allows() -> None:
    state = {"actions": ("Search", "Finish")}
    assert allows("Action 3: Search[a]", **state)
    assert allows("Action 3: Finish[a]", **state)
    assert not allows("Action 3: Lookup[a]", **state)


def test_a_claim_ends_with_one_of_the_verdicts() -> None:
    verdicts = {"finish": ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")}
    assert allows("Action 3: Finish[NOT ENOUGH INFO]", **verdicts)
    assert not allows("Action 3: Finish[SUPPORTED]", **verdicts)
    assert not allows("Action 3: Finish[NOT ENOUGH]", **verdicts)
    assert allows("Action 3: Search[SUPPORTED]", **verdicts)


def test_act_has_no_thought() -> None:
    assert allows("Action 3: Search[a]", thought=False)
    assert not allows("Thought 3: x\nAction 3: Search[a]", thought=False)


def test_an_answer_is_spelt_as_it_is() -> None:
    assert allows('Action 3: Finish[say "\\n"]', finish=['say "\\n"'])


SAME = [
    ("VIVA Media AG", "VIVA Media AG"),
    ("VIVA Media AG", "viva media ag"),
    ("VIVA Media AG", "VIVA Media AG."),
    ("VIVA Media AG", "VIVA-Media, A.G."),
    ("VIVA Media AG", "(VIVA) Média AG"),
    ("Straße nach Köln", "STRASSE NACH KOLN"),
    ("Straße nach Köln", "straße nach Köln!"),
    ("Łódź", "łódz"),
    ("Αθήνα", "ΑΘΗΝΑ"),
    ("Ёлка", "елка"),
    ("東京", "「東京」"),
    ("한국", "한국!"),
    ("!!!", "!!!"),
    ("1,000", "1000"),
    ("Strasse", "Straße"),
    ("Søren Ærø", "Soren AEro"),
    ("Łódź", "lodz"),
    ("O'Brien", "Oʼbrien"),
    ("VIVA", "ＶＩＶＡ"),
    ("が", "か\u3099"),
    ("دمشق", "دِمَشق؟"),
    ("दिल्ली", "दिल्ली।"),
    ("VIVA Media AG", "VIVA Media AG, VIVA Media AG"),
    ("VIVA Media AG", "VIVA Media AG (viva media ag)"),
    ("C++", "C++ / C++ – C++"),
    ("Henry VIII", "Henry Ⅷ"),
]
DIFFERENT = [
    ("が", "か"),
    ("दिल्ली", "दल्ली"),
    ("1", "11"),
    ("VIVA Media AG", "VIVA Media AG (VIVA Media)"),
    ("VIVA Media AG", "VIVA Media"),
    ("VIVA Media AG", "VIVA Media AG changed"),
    ("C++", "C"),
    ("C", "C++"),
    ("1999", "1998"),
    ("東京", "京都"),
    ("!!!", "??"),
    ("Rome", "Romé of Delos"),
]


NOTATIONS = [grammars.BRACKETS, grammars.Calls({"Search": "entity", "Lookup": "string"})]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(("tried", "argument"), SAME)
def test_what_was_tried_is_excluded_however_it_is_written(
    tried: str, argument: str, notation: grammars.Notation
) -> None:
    state = {"tried": [("Search", tried)], "notation": notation}
    assert not allows(f"Action 3: {notation.spelt('Search', argument)}", **state)
    assert allows(f"Action 3: {notation.spelt('Lookup', argument)}", **state)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(("tried", "argument"), DIFFERENT)
def test_what_is_another_name_is_not(
    tried: str, argument: str, notation: grammars.Notation
) -> None:
    state = {"tried": [("Search", tried)], "notation": notation}
    assert allows(f"Action 3: {notation.spelt('Search', argument)}", **state)


def test_a_thought_may_name_what_was_tried() -> None:
    text = "Thought 3: not Search[Rome]\nAction 3: Search[Tiber]"
    assert allows(text, tried=[("Search", "Rome")])


def test_a_grammar_shows_what_it_excludes() -> None:
    grammar = grammars.react_step(3, tried=[("Search", "Vienna"), ("Lookup", "Danube")])
    assert grammar.splitlines()[:2] == [
        "// not again: Action 3: Search[Vienna]",
        "// not again: Action 3: Lookup[Danube]",
    ]
    assert grammar.endswith(grammar.shape)
    shown = grammars.free_argument(["a\nstart: b"])
    assert shown.startswith("// not again: a start: b]\n%llguidance")


def test_grammars_of_one_shape_are_compiled_once() -> None:
    tried = [("Search", "Rome"), ("Lookup", "Tiber")]
    assert grammars.react_step(3, tried=tried).shape == grammars.react_step(3)
    assert grammars.free_argument(["Rome"]).shape == grammars.free_argument()


def test_a_repeat_cannot_fill_an_argument() -> None:
    grammar = grammars.free_argument(["Rome"])
    assert not grammar.excludes("Rome" + "." * 50)
    assert grammar.excludes("Rome" + "." * 96)
    assert not grammar.excludes("Romeo" + "." * 110)


def test_each_of_many_tried_is_excluded() -> None:
    tried = [("Search", f"Name {i}") for i in range(6)] + [("Lookup", "name 7")]
    for action, argument in tried:
        assert not allows(f"Action 3: {action}[{argument}]", tried=tried)
    assert allows("Action 3: Search[Name 7]", tried=tried)


def spellings(key: str) -> st.SearchStrategy[str]:
    """Texts that fold to `key`."""
    sign = st.sampled_from(["", "", "", " ", "'", "-", "\u0301", "»", "՞", "\u1fc1"])
    letters = [st.sampled_from(folding_to(character)) for character in key]
    return st.tuples(*(part for letter in letters for part in (letter, sign))).map("".join)


@lru_cache
def folding_to(folded: str) -> list[str]:
    return [folded, *(c for c in map(chr, range(0x2500)) if fold(c) == folded)]


@given(st.sampled_from(["vivamediaag", "lodz", "c++2", "東京1"]), st.data())
@settings(max_examples=60)
def test_whatever_folds_to_what_was_tried_is_excluded(key: str, data: st.DataObject) -> None:
    argument = data.draw(spellings(key))
    assert fold(argument) == key
    assert not allows(f"Action 3: Search[{argument}]", tried=[("Search", key)])


@given(st.text(st.characters(codec="utf-8", categories=("L", "M", "N", "Z")), max_size=6),
       st.sampled_from(["", "'", "é", "Ø", "ß", "。", "ﬁ", " "]))  # fmt: skip
@settings(max_examples=150)
def test_folding_tells_no_titles_apart_that_the_index_takes_for_one(text: str, more: str) -> None:
    """`wiki_index` is of its own, but what it finds alike must be the same search again."""
    for other in (text.upper(), text.lower(), f"{text}.", f"{more}{text}"):
        for one in (text + more, text):
            if fold_title(one) == fold_title(other) and fold(one):
                assert fold(one) == fold(other)


WORD = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="[]"),
    min_size=1,
    max_size=8,
)


@given(words=st.lists(WORD, min_size=1, max_size=3))
@settings(max_examples=60)
def test_an_argument_always_excludes_itself(words: list[str]) -> None:
    argument = " ".join(words)
    assert not allows(f"Action 3: Search[{argument}]", tried=[("Search", argument)])
    if fold(argument):
        assert allows(f"Action 3: Search[{argument} x9]", tried=[("Search", argument)])


def longest(max_tokens: int) -> int:
    """The bytes of the longest thought before `max_tokens` is reached with a longest argument."""
    scaffold = len("Thought 3: \nAction 3: Search[]")
    return max_tokens - scaffold - grammars.react.ARGUMENT_BYTES


@pytest.mark.parametrize("max_tokens", [200, grammars.STEP_TOKENS])
@pytest.mark.parametrize("letter", ["x", "é", "東", "😀"])
def test_a_step_is_never_longer_than_its_tokens(max_tokens: int, letter: str) -> None:
    def step(thought: str, argument: str) -> str:
        return f"Thought 3: {thought}\nAction 3: Search[{argument}]"

    width = len(letter.encode())
    soft = int(longest(max_tokens) * 0.7) // width
    argument = letter * (grammars.react.ARGUMENT_BYTES // width)
    assert allows(step(letter * soft, argument), max_tokens=max_tokens)
    assert not allows(step(letter * soft, argument + letter), max_tokens=max_tokens)
    for length in {
        soft,
        *range(longest(max_tokens) // width - 2, longest(max_tokens) // width + 2),
    }:
        text = step(letter * length + ".", argument)
        if allows(text, max_tokens=max_tokens):
            assert len(text.encode()) <= max_tokens


def test_beyond_its_soft_limit_a_thought_ends_with_a_sentence() -> None:
    soft = int(longest(grammars.STEP_TOKENS) * 0.7)
    begun = "x" * soft
    for end in (".", "!", "?", "。", "؟"):
        assert allows(f"Thought 3: {begun} and so on{end}\nAction 3: Search[a]")
    assert not allows(f"Thought 3: {begun} and so on\nAction 3: Search[a]")
    assert not allows(f"Thought 3: {begun} and. So on.\nAction 3: Search[a]")


@pytest.mark.parametrize("options", [{"actions": ()}, {"actions": ("Click",)}, {"max_tokens": 100}])
def test_a_caller_is_told_what_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"actions must be|needs max_tokens"):
        grammars.react_step(1, **options)
