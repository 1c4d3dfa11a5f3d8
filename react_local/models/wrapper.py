"""The base of models that change how another model generates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from react_local.models.base import Generation, LanguageModel, Piece, Scores


class ModelWrapper:
    """A `LanguageModel` that passes every call on to `model`; subclasses override some."""

    def __init__(self, model: LanguageModel) -> None:
        self.name = model.name
        self.context_length = model.context_length
        self._model = model

    def generate(self, prompt: Sequence[Piece], grammar: str, **options: Any) -> Generation:
        """See `LanguageModel.generate`."""
        return self._model.generate(prompt, grammar, **options)

    def sample(
        self, prompt: Sequence[Piece], grammar: str, n: int, **options: Any
    ) -> list[Generation]:
        """See `LanguageModel.sample`."""
        return self._model.sample(prompt, grammar, n, **options)

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        """See `LanguageModel.score`."""
        return self._model.score(prompt, texts)

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """See `LanguageModel.count_tokens`."""
        return self._model.count_tokens(prompt)
