"""Drafts from the prompt: whatever is drafted, the text is what the model wanted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starters import loaded, starter_path

import grammars
from react_local import exemplars
from react_local.methods.react import REACT
from react_local.models.constraint import Constraint
from react_local.models.decoding import Completion, decode
from react_local.models.prompt_lookup import as_text, draft
from react_local.models.scripted import _byte_tokenizer
from react_local.types import Trajectory

STEP = "Thought 1: I search Rome, and Rome again.\nAction 1: Search[Rome]"


@pytest.mark.parametrize(
    ("text", "drafted"),
    [
        ("", ""),
        ("abc", ""),
        ("xabcdefabc", "def"),
        ("abcdabcexabc", "exa"),  # the last place
        ("xbcdef.bcd1.xbcd", "ef."),  # more that is equal
        ("xyzxyzxyz", "xyz"),  # up to the end
        ("abXcabYab", ""),  # two tokens are no reason
    ],
)
def test_what_followed_the_same_tokens_is_drafted(text: str, drafted: str) -> None:
    assert draft(text, 3) == [*map(ord, drafted)]


def test_any_token_can_be_drafted() -> None:
    tokens = [0, 0xD800, 0xDFFF, 262_143, 10, 9, 0, 0xD800, 0xDFFF]
    assert draft(as_text(tokens), 3) == [262_143, 10, 9]


class Wanting:
    """Stands for `Runtime`: a model of bytes that wants to continue a prompt with a given text."""

    def __init__(self, prompt: bytes, wanted: bytes, draft: int) -> None:
        self.whole, self.begun, self.draft = prompt + wanted, len(prompt), draft
        self.held: list[int] = []
        self.evaluations = self.furthest = 0

    def evaluate(self, tokens: list[int]) -> np.ndarray:
        return self.evaluate_each(tokens, 1)[0]

    def evaluate_each(self, tokens: list[int], last: int) -> np.ndarray:
        assert bytes(self.held) == self.whole[: len(self.held)], "a wrong draft is held"
        self.evaluations += 1
        self.held += tokens
        self.furthest = max(self.furthest, len(self.held))
        rows = np.zeros((last, 257), np.float32)
        for row, end in zip(
            rows, range(len(self.held) - last + 1, len(self.held) + 1), strict=True
        ):
            is_wanted = bytes(self.held[:end]) == self.whole[:end]
            row[self.whole[end] if is_wanted and end < len(self.whole) else 0] = 1
        return rows

    def take_back(self, count: int) -> None:
        assert len(self.held) - count >= self.begun
        del self.held[len(self.held) - count :]


def decoded(prompt: str, wanted: str, draft: int, grammar: str) -> Wanting:
    runtime = Wanting(prompt.encode(), wanted.encode(), draft)
    completion = Completion(
        Constraint(grammar, _byte_tokenizer()),
        [bytes([byte]) for byte in range(256)],
        max_tokens=grammars.STEP_TOKENS,
        temperature=0.0,
        random=np.random.default_rng(0),
    )
    decode(runtime, list(prompt.encode()), completion)
    assert completion.text == wanted
    assert bytes(runtime.held) == runtime.whole[:-1]
    return runtime


@given(prompt=st.lists(st.sampled_from(["Rome", "I search ", STEP[:30], STEP[-20:], "é", ", "])))
@settings(max_examples=60)
def test_the_text_is_the_same_whatever_is_drafted(prompt: list[str]) -> None:
    for length in (0, 1, 3, 7):
        decoded("x" + "".join(prompt), STEP, length, grammars.react_step(1))


def test_what_was_said_before_takes_fewer_evaluations() -> None:
    said = f"{STEP}\nObservation 1: None.\n"
    anew, drafted = (decoded(said, STEP, length, grammars.react_step(1)) for length in (0, 3))
    assert drafted.evaluations < anew.evaluations / 3


def test_a_draft_ends_where_the_text_must() -> None:
    runtime = decoded(
        "Search[Rome]\nObservation 1: None. Search[", "Rome]", 7, grammars.free_argument()
    )
    assert runtime.evaluations == 1
    assert runtime.furthest == len(runtime.whole)


@pytest.mark.model
@pytest.mark.parametrize("name", ["gemma", "smollm2"])
def test_a_real_model_holds_what_it_wrote(
    name: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = loaded(starter_path(name, pytestconfig.cache))
    monkeypatch.setattr(model._runtime, "draft", 3)
    prompt = REACT.prompt(
        Trajectory("Which river flows through Rome?", "react"), exemplars.load()[-2:]
    )
    made = model.generate(prompt, grammars.react_step(1), max_tokens=grammars.STEP_TOKENS)
    assert model._runtime.held == [*model._tokens(prompt), *made.tokens[:-1]]
