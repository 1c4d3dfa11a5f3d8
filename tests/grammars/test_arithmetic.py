"""The grammar of arithmetic: all that it can write is read, and has something to work out."""

from __future__ import annotations

import random

import numpy as np
import pytest
from llguidance import LLMatcher
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

import grammars
from grammars.react import ARGUMENT_BYTES
from react_local.actions.arithmetic import CannotCalculate, calculate
from react_local.models.scripted import _byte_tokenizer, check_form

GRAMMAR = grammars.free_argument(rule=grammars.arithmetic())
NO_VALUE = {None, "division by zero", "a root of a negative number", "too large or too small"}


def allows(text: str, grammar: str = GRAMMAR) -> bool:
    try:
        check_form(text, grammar)
    except ValueError:
        return False
    return True


WRITTEN = (
    "1,986 - 1932", "12% * 50", "(1 + 2) * (3 - 4)", "max(3, 4^2)", "round(22 / 7, 2)", "-2^-2",
    "max(1,200, 3)", "sqrt(2)", "sqrt(max(1, abs(-2)))", "0.1 + 0.2",
)  # fmt: skip
NEVER_WRITTEN = (
    "5", "-5%", "1,986", "1+2", "1 +2", "1 + ", "(1 + 2", "1 + 2)", "max(1,200)", "foo(1)", "()",
    "12 apples", "1 + 2 = 3", "1e5 + 1", "2(3)", "1,23 + 1", "round(1, 2, 3)", "sqrt(1, 2)",
)  # fmt: skip


@pytest.mark.parametrize("expression", WRITTEN)
def test_an_expression_can_be_written_and_has_a_value(expression: str) -> None:
    assert allows(f"{expression}]")
    assert calculate(expression)


@pytest.mark.parametrize("text", NEVER_WRITTEN)
def test_nothing_else_can_be_written(text: str) -> None:
    assert not allows(f"{text}]")


def test_what_was_tried_is_out_as_it_stands() -> None:
    grammar = grammars.free_argument(["1 - 2", "3 * 4"], grammars.arithmetic())
    assert not allows("1 - 2]", grammar)
    assert not allows("3 * 4]", grammar)
    assert allows("1 + 2]", grammar)
    assert allows("12 - 2]", grammar)


def test_whatever_is_drawn_is_whole_and_can_be_read() -> None:
    start, draw = LLMatcher(_byte_tokenizer(), GRAMMAR, log_level=0), random.Random(7)
    for _ in range(40):
        text = drawn(start.deep_copy(), draw)
        assert text.endswith("]")
        assert len(text) <= ARGUMENT_BYTES + 1
        assert reason(text.removesuffix("]")) in NO_VALUE


def reason(expression: str) -> str | None:
    try:
        calculate(expression)
    except CannotCalculate as error:
        return str(error)
    return None


def drawn(matcher: LLMatcher, draw: random.Random) -> str:
    """A text of the grammar, each byte of it drawn from those that may come next."""
    written = bytearray()
    mask = allocate_token_bitmask(1, _byte_tokenizer().vocab_size)
    while not matcher.is_stopped():
        fill_next_token_bitmask(matcher, mask)
        allowed = np.flatnonzero(np.unpackbits(mask.view(np.uint8)[0], bitorder="little"))
        byte = int(draw.choice(allowed))
        matcher.consume_token(byte)
        written.append(byte)
    return written.decode()
