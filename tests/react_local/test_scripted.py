"""The public fake: it gives its script, refuses what no model could write, and counts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import grammars
from react_local.errors import ContextTooSmall
from react_local.models import Generation, Piece, Role, ScriptedModel

FIRST = "Thought 1: I need to search Rome.\nAction 1: Search[Rome]"
SECOND = "Thought 2: It lies on the Tiber.\nAction 2: Finish[Tiber]"
QUESTION = Piece(Role.USER, "Question: Which river flows through Rome?\n")
ROOM = grammars.STEP_TOKENS


def answered(generation: Generation, observation: str) -> list[Piece]:
    return [
        Piece(Role.ASSISTANT, generation.text, generation.tokens),
        Piece(Role.USER, f"\nObservation 1: {observation}\n"),
    ]


def test_it_gives_its_texts_in_turn_and_streams_them() -> None:
    model = ScriptedModel([FIRST, SECOND])
    heard: list[str] = []
    first = model.generate(
        [QUESTION], grammars.react_step(1), max_tokens=ROOM, on_text=heard.append
    )
    assert first.text == FIRST == "".join(heard)
    prompt = [QUESTION, *answered(first, "Rome is a city.")]
    assert model.generate(prompt, grammars.react_step(2), max_tokens=ROOM).text == SECOND
    assert model.prompts == [(QUESTION,), tuple(prompt)]


def test_it_counts_bytes_and_evaluates_only_what_is_new() -> None:
    model = ScriptedModel([FIRST, SECOND])
    first = model.generate([QUESTION], grammars.react_step(1), max_tokens=ROOM)
    assert first.usage.prompt_tokens == model.count_tokens([QUESTION]) == len(QUESTION.text)
    assert (first.usage.reused_tokens, first.usage.generated_tokens) == (0, len(FIRST))
    new = answered(first, "Rome is a città.")
    second = model.generate([QUESTION, *new], grammars.react_step(2), max_tokens=ROOM)
    # The last token that was written is the first to be evaluated, as with the real model.
    assert second.usage.prompt_tokens == model.count_tokens(new[1:]) + 1
    assert second.usage.reused_tokens == len(QUESTION.text) + len(FIRST) - 1


def test_a_function_may_be_the_script() -> None:
    def script(prompt: Sequence[Piece]) -> str:
        return f"Thought 1: I read {len(prompt)} piece.\nAction 1: Finish[yes]"

    model = ScriptedModel(script)
    generation = model.generate([QUESTION], grammars.react_step(1), max_tokens=ROOM)
    assert generation.text.startswith("Thought 1: I read 1 piece.")


def test_its_samples_are_its_next_texts() -> None:
    model = ScriptedModel([FIRST, FIRST.replace("Rome]", "Tiber]"), SECOND])
    grammar = grammars.react_step(1)
    made = model.sample([QUESTION], grammar, 2, temperature=0.7, seed=0, max_tokens=ROOM)
    assert [generation.text[-7:] for generation in made] == ["h[Rome]", "[Tiber]"]
    assert [generation.usage.prompt_tokens for generation in made] == [len(QUESTION.text), 1]


@pytest.mark.parametrize(
    ("text", "grammar", "complaint"),
    [
        ("Thought 1: x\nAction 1: Search[]", grammars.react_step(1), "does not allow"),
        ("Thought 1: x\nAction 1: Search[a", grammars.react_step(1), "not complete"),
        (FIRST, grammars.react_step(1, tried=[("Search", "rome")]), "does not allow"),
        (FIRST, "start: nowhere", "does not compile"),
        ("x" * 500, grammars.react_step(1), "longer than"),
    ],
)
def test_it_refuses_what_no_model_could_write(text: str, grammar: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ScriptedModel([text]).generate([QUESTION], grammar, max_tokens=ROOM)


def test_a_script_that_has_ended_says_so() -> None:
    with pytest.raises(ValueError, match="the script has ended"):
        ScriptedModel([]).generate([QUESTION], grammars.react_step(1), max_tokens=ROOM)


def test_a_full_context_is_refused_with_its_numbers() -> None:
    model = ScriptedModel([FIRST], context_length=470)
    with pytest.raises(ContextTooSmall, match=r"takes 42 tokens .* 448, .* holds 470"):
        model.generate([QUESTION], grammars.react_step(1), max_tokens=ROOM)


def test_a_step_written_in_parts_is_given_in_parts():
    model = ScriptedModel(["Thought 1: a\nAction 1: Search[b]", "second"])
    head, tail = 'start: "Thought 1: " /[a-z]/ "\\nAction 1: Search["', 'start: /[a-z]/ "]"'
    prompt = [Piece(Role.USER, "x")]
    assert model.generate(prompt, head, max_tokens=60).text == "Thought 1: a\nAction 1: Search["
    scores = model.score(prompt, ["c]", "b]"])
    assert scores.log_probabilities[1] > scores.log_probabilities[0]
    assert model.generate(prompt, tail, max_tokens=60).text == "b]"
    assert model.generate(prompt, tail, max_tokens=60).text == "b]", "the first was a trial"
    with pytest.raises(ValueError, match="continues with 'second', which is none of"):
        model.score([*prompt, *prompt], ["third"])
