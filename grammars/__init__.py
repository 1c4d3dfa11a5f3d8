"""Grammars as values: what a model may write, composed from readable Lark files.

`react_step` makes the grammar of one step from the state of a run, `parse_step` takes a step's
text apart again.
"""

from __future__ import annotations

from grammars.parse import LABEL, StepText, parse_step
from grammars.react import ACTIONS, STEP_TOKENS, react_step

__all__ = ["ACTIONS", "LABEL", "STEP_TOKENS", "StepText", "parse_step", "react_step"]
