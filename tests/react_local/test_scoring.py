"""Probabilities of whole texts: the same as token by token, whatever was scored before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from starters import starter_path

from react_local.errors import ContextTooSmall
from react_local.models import LlamaModel, Piece, Role

pytestmark = pytest.mark.model

PROMPT = [Piece(Role.USER, "Question: Where does the river Tiber end?\nThe river ends in the sea")]
TEXTS = [" near Ostia.", " of Marmara.", ".", " near the mountains of the moon."]


@pytest.fixture(scope="module", params=["gemma", "smollm2"])
def model(request: pytest.FixtureRequest) -> LlamaModel:
    path = starter_path(request.param, request.config.cache)
    return LlamaModel.load(path, threads=1, context=512)


def token_by_token(model: LlamaModel, text: str) -> float:
    runtime: Any = model._runtime
    held = model._tokens(PROMPT)
    total = 0.0
    for token in runtime.vocabulary.read(text):
        logits = runtime.evaluate(held[runtime.keep(held) :]).astype(float)
        total += logits[token] - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        held = [*held, token]
    return total


def test_a_texts_probability_is_the_product_of_its_tokens(model: LlamaModel) -> None:
    scores = model.score(PROMPT, TEXTS)
    assert scores.log_probabilities == pytest.approx([token_by_token(model, t) for t in TEXTS], 0.1)
    assert scores.lengths == tuple(len(model._runtime.vocabulary.read(t)) for t in TEXTS)


def test_the_order_changes_nothing_and_the_prompt_is_kept(model: LlamaModel) -> None:
    forwards = model.score(PROMPT, TEXTS)
    backwards = model.score(PROMPT, TEXTS[::-1])
    assert backwards.log_probabilities == forwards.log_probabilities[::-1]
    assert backwards.usage.reused_tokens > 0
    assert backwards.usage.prompt_tokens <= sum(backwards.lengths)


def test_no_room_is_refused(model: LlamaModel) -> None:
    with pytest.raises(ContextTooSmall):
        model.score([Piece(Role.USER, "word " * 600)], TEXTS)
