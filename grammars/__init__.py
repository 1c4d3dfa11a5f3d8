"""Grammars as values: what a model may write, composed from readable Lark files.

`react_step` makes the grammar of one step from the state of a run, and `parse_step` parses the text
of a step; `answer_text` and `parse_answer` do the same for an answer without actions, and `remark`
and `parse_remark` for a plan or a review.
"""

from __future__ import annotations

from grammars.answer import ANSWER_TOKENS, answer_text
from grammars.arithmetic import arithmetic
from grammars.grammar import Grammar
from grammars.notation import BRACKETS, Calls, Notation
from grammars.parse import (
    LABEL,
    AnswerText,
    StepText,
    is_argument,
    parse_answer,
    parse_call,
    parse_step,
)
from grammars.parts import free_argument, one_argument, span_argument, step_opening
from grammars.react import ACTIONS, STEP_TOKENS, react_step
from grammars.remark import REMARK_TOKENS, parse_remark, remark

__all__ = [
    "ACTIONS",
    "ANSWER_TOKENS",
    "BRACKETS",
    "LABEL",
    "REMARK_TOKENS",
    "STEP_TOKENS",
    "AnswerText",
    "Calls",
    "Grammar",
    "Notation",
    "StepText",
    "answer_text",
    "arithmetic",
    "free_argument",
    "is_argument",
    "one_argument",
    "parse_answer",
    "parse_call",
    "parse_remark",
    "parse_step",
    "react_step",
    "remark",
    "span_argument",
    "step_opening",
]
