"""Language models behind one protocol: `LlamaModel`, and `ScriptedModel` for tests."""

from __future__ import annotations

from react_local.models.base import Generation, LanguageModel, Piece, Role, Scores
from react_local.models.llama import LlamaModel
from react_local.models.scripted import ScriptedModel

__all__ = [
    "Generation",
    "LanguageModel",
    "LlamaModel",
    "Piece",
    "Role",
    "Scores",
    "ScriptedModel",
]
