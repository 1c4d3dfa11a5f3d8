"""Grammars as values: what a model may write, composed from readable Lark files.

`react_step` makes the grammar of one step from the state of a run, `parse_step` takes a step's
text apart again; `answer_text` and `parse_answer` do so for an answer that is given at once.
"""

from __future__ import annotations

from grammars.answer import ANSWER_TOKENS, answer_text
from grammars.parse import LABEL, AnswerText, StepText, parse_answer, parse_step
from grammars.react import ACTIONS, STEP_TOKENS, react_step

__all__ = [
    "ACTIONS",
    "ANSWER_TOKENS",
    "LABEL",
    "STEP_TOKENS",
    "AnswerText",
    "StepText",
    "answer_text",
    "parse_answer",
    "parse_step",
    "react_step",
]
