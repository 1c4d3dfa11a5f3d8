"""Language models behind one method: `LlamaModel`, the real one, and `ScriptedModel`, the fake."""

from __future__ import annotations
