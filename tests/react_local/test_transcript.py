"""The transcript, word for word, and the paper's ablations by deletion."""

from __future__ import annotations

import pytest

from react_local.errors import QuestionError
from react_local.models.base import Role
from react_local.transcript import clean_question, prompt
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Task,
    Thought,
    Trajectory,
)

TOLD = Trajectory(
    "Where?",
    "react",
    steps=(
        Step(
            Thought("I search Alder."),
            Action(ActionName.SEARCH, "Alder"),
            Observation("An island.", "Alder"),
            tokens=(1, 2, 3),
        ),
        Step(Thought("It is an island."), Action(ActionName.FINISH, "at sea"), tokens=(4, 5)),
    ),
    outcome=Outcome.FINISHED,
)
ASKED = Trajectory("Why?", "react")


def text(*args, **options) -> str:
    return "".join(piece.text for piece in prompt(*args, **options))


def test_the_plain_transcript():
    instruction, _, rest = text(ASKED, [TOLD]).partition("\n\n")
    assert instruction.startswith("Answer the question ")
    assert rest == (
        "Question: Where?\n"
        "Thought 1: I search Alder.\nAction 1: Search[Alder]\nObservation 1: An island.\n"
        "Thought 2: It is an island.\nAction 2: Finish[at sea]\n\n"
        "Question: Why?\n"
    )


@pytest.mark.parametrize(
    ("thoughts", "actions", "told"),
    [
        (
            False,
            True,
            "Action 1: Search[Alder]\nObservation 1: An island.\nAction 2: Finish[at sea]",
        ),
        (True, False, "Thought: I search Alder. It is an island.\nAnswer: at sea"),
        (False, False, "Answer: at sea"),
    ],
)
def test_the_ablations_delete_parts_of_the_same_trajectory(thoughts, actions, told):
    expected = f"Question: Where?\n{told}\n\nQuestion: Why?\n"
    assert text(ASKED, [TOLD], thoughts=thoughts, actions=actions).endswith(expected)


def test_claims_are_called_so_and_their_verdicts_named():
    told = text(Trajectory("It is so.", "react", Task.CLAIM))
    assert told.endswith("\n\nClaim: It is so.\n")
    assert "SUPPORTS, REFUTES or NOT ENOUGH INFO" in told


def test_the_model_speaks_its_steps_and_the_user_all_else():
    roles = [piece.role for piece in prompt(TOLD)]
    assert roles == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT]


def test_steps_keep_their_tokens_unless_a_part_is_left_out():
    def tokens(**options):
        return [p.tokens for p in prompt(TOLD, **options) if p.role is Role.ASSISTANT]

    assert tokens() == [(1, 2, 3), (4, 5)]
    assert tokens(thoughts=False) == [None, None]


@pytest.mark.parametrize(
    ("question", "cleaned"),
    [
        ("  Who\twas\n she? ", "Who was she?"),
        ("Cafe\u0301?", "Café?"),
        ("a\x00b\x1b[1mc", "a b [1mc"),
        ("Question: who? Claim: x", "Question： who? Claim： x"),
    ],
)
def test_a_question_becomes_one_harmless_line(question, cleaned):
    assert clean_question(question) == cleaned


def test_an_empty_question_is_refused():
    with pytest.raises(QuestionError, match="empty"):
        clean_question(" ?! ")
