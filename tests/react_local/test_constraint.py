"""The proof of form: whatever the logits, what is written is a step, and it ends in time.

The logits are random, over the real vocabularies of both starter models; the networks are not
run, but the loop that forces, chooses, accepts and decodes tokens is the model's own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from starters import starter_path

import grammars
from grammars.repeats import fold
from react_local.models import LlamaModel, Piece, Role
from react_local.models.gguf import read_header
from react_local.models.library import load_model
from react_local.models.vocabulary import Vocabulary

pytestmark = pytest.mark.model

STEPS = {"gemma": 400, "smollm2": 1600}
SCRIPTS = ("", "CJK", "ARABIC", "CYRILLIC", "DEVANAGARI", "HANGUL", "bytes", "digits", "marks")
STATES: tuple[dict[str, Any], ...] = (
    {},
    {"actions": ("Search", "Finish"), "tried": [("Search", "東京 2"), ("Search", "The Moscow")]},
    {"tried": [("Search", "a"), ("Lookup", "1"), ("Lookup", "é")]},
    {"actions": ("Finish",), "finish": ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")},
    {"thought": False},
    {"max_tokens": 190},
)


class RandomRuntime:
    """Stands for `Runtime`: the vocabulary is real, the logits are drawn."""

    def __init__(self, vocabulary: Vocabulary, seed: int) -> None:
        self.vocabulary = vocabulary
        self._random = np.random.default_rng(seed)
        self._drawn = self._random.normal(size=4 * vocabulary.size).astype(np.float32)
        self._scripts = {script: self._tokens_of(script) for script in SCRIPTS}
        self._closers = [t for t, text in enumerate(vocabulary.texts) if text in (b"\n", b"]")]
        self.script, self.haste = "", 0.0

    def keep(self, prompt: Sequence[int]) -> int:
        return 0

    def evaluate(self, tokens: Sequence[int]) -> np.ndarray:
        start = int(self._random.integers(len(self._drawn) - self.vocabulary.size))
        logits = self._drawn[start : start + self.vocabulary.size].copy()
        logits[self._scripts[self.script]] += 6
        if self._random.random() < self.haste:
            logits[self._closers] += 20
        return logits

    def _tokens_of(self, script: str) -> np.ndarray:
        texts = self.vocabulary.texts
        return np.array([t for t, text in enumerate(texts) if text and _is_of(script, text)], int)


def _is_of(script: str, text: bytes) -> bool:
    if script == "bytes":
        return len(text) == 1 and text[0] >= 0x80
    try:
        first = text.decode().strip()[:1]
    except UnicodeDecodeError:
        return script == "bytes"
    if script == "digits":
        return first.isdigit()
    if script == "marks":
        return bool(first) and unicodedata.category(first)[0] in "PSM"
    return bool(script and first) and unicodedata.name(first, "").startswith(script)


@pytest.fixture(params=STEPS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_every_step_parses_closes_and_does_not_repeat(name: str, pytestconfig: Any) -> None:
    header = read_header(starter_path(name, pytestconfig.cache))
    runtime = RandomRuntime(Vocabulary(load_model(header.path, vocabulary_only=True)), seed=5)
    model = LlamaModel(runtime, header, context_length=8192, template=None, temperature=0.0)
    random = np.random.default_rng(11)
    written: set[str] = set()
    for index in range(STEPS[name]):
        state = STATES[index % len(STATES)]
        runtime.script = SCRIPTS[index % len(SCRIPTS)]
        runtime.haste = float(random.choice([0.0, 0.1, 0.2, 0.3, 0.5]))
        number, room = int(random.integers(1, 12)), state.get("max_tokens", grammars.STEP_TOKENS)
        heard: list[str] = []
        made = model.generate(
            [Piece(Role.USER, "Question: x\n")],
            grammars.react_step(number, **state),
            max_tokens=room,
            on_text=heard.append,
        )
        assert made.text == "".join(heard)
        assert made.text.encode() == b"".join(runtime.vocabulary.texts[t] for t in made.tokens)
        assert len(made.tokens) <= len(made.text.encode()) <= room
        step = grammars.parse_step(made.text)
        assert step.number == number
        assert (step.thought is None) == (state.get("thought") is False)
        assert step.action in state.get("actions", grammars.ACTIONS)
        assert step.action != "Finish" or step.argument in state.get("finish", [step.argument])
        tried = [fold(a) for action, a in state.get("tried", ()) if action == step.action]
        assert fold(step.argument) not in tried
        written.add(made.text)
    assert len(written) > STEPS[name] * 0.8
    letters = "".join(written)
    for script in ("CJK", "ARABIC", "CYRILLIC", "DEVANAGARI", "HANGUL"):
        assert any(unicodedata.name(c, "").startswith(script) for c in set(letters))
    assert any(ord(c) > 0xFFFF for c in letters), "no character of four bytes was written"
