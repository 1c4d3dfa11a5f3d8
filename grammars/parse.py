"""Parsing the text of a step into its parts.

`parse_step` accepts exactly the texts of the grammar of `react_step`, except for its length limits,
and `parse_answer` those of `answer_text`; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from grammars.notation import BRACKETS, Notation
from grammars.react import ACTIONS, ARGUMENT_BYTES
from grammars.repeats import key

LABEL = re.compile(r"(?:(?:Thought|Action|Observation) *[0-9]+|(?:Question|Claim) *[0-9]*) *:")
"""A label of the transcript. No thought, argument or observation may contain one."""

# The two character sets of text.lark, in Python's syntax.
_NEVER = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_BLANK = r" \xa0\u1680\u2000-\u200b\u202f\u205f\u3000"
_WORD = rf"[^{_NEVER}{_BLANK}\[\]]+"

_STEP = re.compile(
    rf"(?:Thought (?P<number>[1-9][0-9]*): (?P<thought>[^{_NEVER}]+)\n)?"
    rf"Action (?P<action_number>[1-9][0-9]*): (?P<action>[^{_NEVER}]+)"
)
_CALL = re.compile(rf"(?P<thought>[^{_NEVER}]+)?\n[^{{]*(?P<call>\{{.*)")
_ANSWER = re.compile(
    rf"(?:Thought: (?P<thought>[^{_NEVER}]+)\n)?Answer: (?P<answer>{_WORD}(?: {_WORD})*)"
)
_ARGUMENT = re.compile(rf"{_WORD}(?: {_WORD})*")
_BLANK_END = re.compile(rf"^[{_BLANK}]|[{_BLANK}]$")


class StepText(NamedTuple):
    """The parts of a step's text; `str()` gives the text."""

    number: int
    thought: str | None
    """None if the step is only an action, as in the paper's Act."""
    action: str
    argument: str

    def __str__(self) -> str:
        thought = "" if self.thought is None else f"Thought {self.number}: {self.thought}\n"
        return f"{thought}Action {self.number}: {self.action}[{self.argument}]"


class AnswerText(NamedTuple):
    """The parts of an answer without actions; `str()` gives its text."""

    thought: str | None
    """None if there is only the answer, as in the paper's Standard."""
    answer: str

    def __str__(self) -> str:
        thought = "" if self.thought is None else f"Thought: {self.thought}\n"
        return f"{thought}Answer: {self.answer}"


def parse_step(
    text: str, actions: Collection[str] = ACTIONS, notation: Notation = BRACKETS
) -> StepText:
    """The parts of one step, whose action is one of `actions`.

    Raises:
        ValueError: `text` is not exactly one step of the form that `react_step` describes.
    """
    match = _STEP.fullmatch(text)
    if match is None:
        raise ValueError(f"not a step of the form 'Thought i: …', 'Action i: …': {text!r}")
    number, thought, action_number, written = match.groups()
    if number is not None and number != action_number:
        raise ValueError(f"the thought is number {number}, its action {action_number}: {text!r}")
    action, argument = notation.read(written, actions)
    _check_parts(text, thought, argument)
    return StepText(int(action_number), thought, action, argument)


def parse_call(text: str, number: int, actions: Collection[str], notation: Notation) -> StepText:
    """The parts of step `number` with a tool call as its action (see `call.lark`).

    Raises:
        ValueError: `text` is not such a step.
    """
    match = _CALL.fullmatch(text)
    if match is None:
        raise ValueError(f"not a step that ends with a call: {text!r}")
    action, argument = notation.read(match["call"], actions)
    _check_parts(text, match["thought"], argument)
    return StepText(number, match["thought"], action, argument)


def parse_answer(text: str) -> AnswerText:
    """The parts of an answer without actions.

    Raises:
        ValueError: `text` is not exactly of the form that `answer_text` describes.
    """
    match = _ANSWER.fullmatch(text)
    if match is None:
        raise ValueError(f"not an answer of the form 'Thought: …', 'Answer: …': {text!r}")
    thought, answer = match.groups()
    _check_parts(text, thought, answer)
    return AnswerText(thought, answer)


def is_argument(text: str, tried: Sequence[str] = ()) -> bool:
    """Whether `text` may be an argument and repeats none of `tried` (see `repeats`)."""
    return (
        _ARGUMENT.fullmatch(text) is not None
        and len(text.encode()) <= ARGUMENT_BYTES
        and not LABEL.search(text)
        and key(text) not in map(key, tried)
    )


def _check_parts(text: str, thought: str | None, argument: str) -> None:
    if thought is not None and _BLANK_END.search(thought):
        raise ValueError(f"the thought begins or ends with a blank: {text!r}")
    if not _ARGUMENT.fullmatch(argument):
        raise ValueError(f"the step's argument is empty, or has blanks or brackets: {text!r}")
    if any(part and LABEL.search(part) for part in (thought, argument)):
        raise ValueError(f"a label of the transcript stands inside the text: {text!r}")
