"""{{#expr:}}: arithmetic as MediaWiki's ParserFunctions read it, without recursion.

https://www.mediawiki.org/wiki/Help:Extension:ParserFunctions##expr
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|([A-Za-z]+)|(<=|>=|<>|!=|[-+*/^=<>()]))"
)
_LONGEST = 1000

_BINARY: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "^": (7, operator.pow), "e": (9, lambda a, b: a * 10.0**b),
    "*": (6, operator.mul), "/": (6, operator.truediv), "div": (6, operator.truediv),
    "mod": (6, lambda a, b: math.fmod(int(a), int(b))), "fmod": (6, math.fmod),
    "+": (5, operator.add), "-": (5, operator.sub), "round": (4, lambda a, b: _round(a, int(b))),
    "=": (3, lambda a, b: float(a == b)), "<>": (3, lambda a, b: float(a != b)), "!=": (3, lambda a,
    b: float(a != b)),
    "<": (3, lambda a, b: float(a < b)), ">": (3, lambda a, b: float(a > b)),
    "<=": (3, lambda a, b: float(a <= b)), ">=": (3, lambda a, b: float(a >= b)),
    "and": (2, lambda a, b: float(bool(a) and bool(b))), "or": (1, lambda a,
    b: float(bool(a) or bool(b))),
}  # fmt: skip
_UNARY: dict[str, Callable[[float], float]] = {
    "neg": operator.neg, "pos": operator.pos, "not": lambda a: float(not a), "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil, "trunc": math.trunc, "sqrt": math.sqrt, "ln": math.log, "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
}  # fmt: skip
_UNARY_RANK = 8
_CONSTANTS = {"pi": math.pi, "e": math.e}


def _round(value: float, places: int) -> float:
    """Half away from zero, as PHP rounds."""
    if abs(places) > 15:
        return value
    scale = 10.0**places
    return math.copysign(math.floor(abs(value) * scale + 0.5), value) / scale


def _apply(operators: list[str], operands: list[float]) -> None:
    name = operators.pop()
    if name in _UNARY:
        operands.append(_UNARY[name](operands.pop()))
    else:
        right, left = operands.pop(), operands.pop()
        result = _BINARY[name][1](left, right)
        if isinstance(result, complex):
            raise ValueError("not a real number")
        operands.append(float(result))


def _rank(name: str) -> int:
    if name == "(":
        return 0
    return _UNARY_RANK if name in _UNARY else _BINARY[name][0]


def _tokens(text: str) -> list[str]:
    position, found = 0, []
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if not match:
            raise ValueError("not an expression")
        found.append(match[0].strip())
        position = match.end()
    return found


def evaluate(text: str) -> float | None:
    """The number that `text` works out to; None where it is empty, wrong or without result."""
    if not text.strip() or len(text) > _LONGEST:
        return None
    try:
        return _evaluate(_tokens(text.replace("−", "-").lower()))
    except (ValueError, IndexError, KeyError, ArithmeticError):
        return None


def _evaluate(tokens: list[str]) -> float:
    """By two stacks (Dijkstra's shunting yard)."""
    operators: list[str] = []
    operands: list[float] = []
    expects_operand = True
    for token in tokens:
        if expects_operand:
            if token in "+-" or token == "(" or token in _UNARY:
                operators.append({"+": "pos", "-": "neg"}.get(token, token))
                continue
            operands.append(_CONSTANTS[token] if token in _CONSTANTS else float(token))
            expects_operand = False
        elif token == ")":
            while operators[-1] != "(":
                _apply(operators, operands)
            operators.pop()
        else:
            while operators and _rank(operators[-1]) >= _rank(token):
                _apply(operators, operands)
            operators.append(token)
            expects_operand = True
    while operators:
        _apply(operators, operands)
    (result,) = operands
    if not math.isfinite(result):
        raise ValueError("no finite result")
    return result
