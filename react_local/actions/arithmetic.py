"""Exact and bounded arithmetic, by a parser of our own that cannot execute any code.

    expression  =  product (("+" | "-") product)*
    product     =  signed (("*" | "/") signed)*
    signed      =  ("-" | "+") signed  |  power
    power       =  percent ("^" signed)?         2^3^2 is 2^9, -2^2 is -4; "**" is "^"
    percent     =  operand "%"*                  a hundredth: 12% * 50 is 6
    operand     =  number  |  "(" expression ")"  |  name "(" expression ("," expression)* ")"

A comma before three digits groups thousands anywhere; a comma with a blank after it separates the
arguments of a function. Values are fractions, so 0.1 + 0.2 is 0.3 and 1 / 3 * 3 is 1; irrational
roots, and fractions with very many digits, are rounded to 50 digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

LONGEST = 500
"""The maximum number of characters of an expression."""
DEEPEST = 20
"""The maximum nesting of brackets."""
LARGEST = 2_000
"""The maximum number of binary digits, about 600 decimal ones: larger values are rejected, and
longer fractions are rounded."""
SHOWN = 15
"""The digits of a result whose decimals do not end, or that has more than `EXACT` digits."""
EXACT = 40

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<name>[A-Za-z]+)|(?P<sign>\*\*|[-+*/^%(),×·÷−]))"
)
_SIGNS = {"**": "^", "×": "*", "·": "*", "÷": "/", "−": "-"}
_ROUNDED = Context(prec=50)


class CannotCalculate(ValueError):
    """The reason why an expression has no value, in a few words."""


def calculate(expression: str) -> str:
    """The value of `expression`, as a decimal number.

    Raises:
        CannotCalculate: it is not an expression, has no value, or exceeds the limits above.
    """
    if len(expression) > LONGEST:
        raise CannotCalculate(f"more than {LONGEST} characters")
    return spelt(_Parser(expression).value())


def spelt(value: Fraction) -> str:
    """`value` as a decimal number, followed by ``(rounded)`` if it is not exact."""
    exponent = _places(value.denominator)
    if exponent is not None:
        digits = str(abs(value.numerator) * 10**exponent // value.denominator)
        if len(digits) <= EXACT and exponent <= EXACT:
            return _decimal(value < 0, digits, exponent)
    with localcontext(_ROUNDED):
        decimal = _as_decimal(value)
        places = max(SHOWN - 1 - decimal.adjusted(), 0)
        if decimal.adjusted() < EXACT and places <= EXACT:
            digits = str(int(abs(decimal).scaleb(places).to_integral_value()))
            return f"{_decimal(value < 0, digits, places)} (rounded)"
        return f"{decimal:.{SHOWN - 1}e} (rounded)"


def _places(denominator: int) -> int | None:
    """The decimal places of a fraction; None if they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _decimal(is_negative: bool, digits: str, places: int) -> str:
    """``digits`` with a point before the last `places` of them, without trailing zeros."""
    digits = digits.rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return f"{'-' if is_negative else ''}{whole}{'.' if part else ''}{part}"


class _Parser:
    """A recursive-descent parser of one expression."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def value(self) -> Fraction:
        found = self._expression()
        if self._sign():
            raise CannotCalculate(f"{self._sign()!r} does not belong there")
        return found

    def _expression(self) -> Fraction:
        self._depth += 1
        if self._depth > DEEPEST:
            raise CannotCalculate(f"more than {DEEPEST} brackets within brackets")
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            value = _bounded(value + other if sign == "+" else value - other)
        self._depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while sign := self._take("*", "/"):
            other = self._signed()
            if sign == "/" and not other:
                raise CannotCalculate("division by zero")
            value = _bounded(value * other if sign == "*" else value / other)
        return value

    def _signed(self) -> Fraction:
        is_negative = False
        while sign := self._take("-", "+"):
            is_negative ^= sign == "-"
        value = self._power()
        return -value if is_negative else value

    def _power(self) -> Fraction:
        value = self._operand()
        while self._take("%"):
            value = _bounded(value / 100)
        if self._take("^"):
            self._depth += 1
            if self._depth > DEEPEST:
                raise CannotCalculate(f"more than {DEEPEST} powers of powers")
            value = _power(value, self._signed())
            self._depth -= 1
        return value

    def _operand(self) -> Fraction:
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return _bounded(Fraction(text.replace(",", "")))
        if text == "(":
            value = self._expression()
            self._close()
            return value
        if kind == "name":
            return self._function(text.lower())
        raise CannotCalculate(f"a number is missing {f'before {text!r}' if text else 'at the end'}")

    def _function(self, name: str) -> Fraction:
        if name not in _FUNCTIONS:
            raise CannotCalculate(f"{name!r} is not known: there are {', '.join(_FUNCTIONS)}")
        if not self._take("("):
            raise CannotCalculate(f"{name} has no brackets")
        arguments = [self._expression()]
        while self._take(","):
            arguments.append(self._expression())
        self._close()
        return _bounded(_FUNCTIONS[name](*_counted(name, arguments)))

    def _close(self) -> None:
        if not self._take(")"):
            raise CannotCalculate("a bracket is not closed")

    def _sign(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, *signs: str) -> str | None:
        """The next token, if it is one of `signs`."""
        kind, text = self._tokens[self._at]
        if kind != "sign" or text not in signs:
            return None
        self._at += 1
        return text


def _tokens(text: str) -> list[tuple[str, str]]:
    """The type and the text of each token, with an empty one at the end."""
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise CannotCalculate(f"{text[place:].strip()[:20]!r} is no arithmetic")
        found.append((match.lastgroup, _SIGNS.get(match[match.lastgroup], match[match.lastgroup])))
        place = match.end()
    return [*found, ("end", "")]


def _bounded(value: Fraction) -> Fraction:
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if max(above, below) <= LARGEST:
        return value
    if above and abs(above - below) > LARGEST:
        raise CannotCalculate("too large or too small")
    with localcontext(_ROUNDED):
        return Fraction(_as_decimal(value))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if not base:
        if exponent < 0:
            raise CannotCalculate("division by zero")
        return Fraction(0 if exponent else 1)
    if exponent.denominator != 1:
        if base < 0:
            raise CannotCalculate("a root of a negative number")
        return _root_power(base, exponent)
    longer = max(base.numerator.bit_length(), base.denominator.bit_length())
    if longer * abs(exponent) <= 4 * LARGEST:
        return _bounded(base**exponent.numerator)
    size = _root_power(abs(base), exponent)
    return -size if base < 0 and exponent.numerator % 2 else size


def _root_power(base: Fraction, exponent: Fraction) -> Fraction:
    """``base^exponent`` of a positive base, to the precision of `_ROUNDED`."""
    with localcontext(_ROUNDED):
        if abs(_as_decimal(base).ln() * _as_decimal(exponent)) > LARGEST:
            raise CannotCalculate("too large or too small")
        return _bounded(Fraction(_as_decimal(base) ** _as_decimal(exponent)))


def _as_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _sqrt(value: Fraction) -> Fraction:
    if value < 0:
        raise CannotCalculate("a root of a negative number")
    exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return exact if exact * exact == value else _root_power(value, Fraction(1, 2))


def _round(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """Rounding half away from zero, as taught in schools."""
    if places.denominator != 1 or abs(places) > SHOWN:
        raise CannotCalculate(f"decimal places are a whole number, at most {SHOWN}")
    unit = Fraction(10) ** -int(places)
    rounded = math.floor(abs(value) / unit + Fraction(1, 2)) * unit
    return -rounded if value < 0 else rounded


_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": abs,
    "ceil": lambda value: Fraction(math.ceil(value)),
    "floor": lambda value: Fraction(math.floor(value)),
    "max": max,
    "min": min,
    "round": _round,
    "sqrt": _sqrt,
}
_MANY = {"max": (2, LONGEST), "min": (2, LONGEST), "round": (1, 2)}


def _counted(name: str, arguments: list[Fraction]) -> list[Fraction]:
    least, most = _MANY.get(name, (1, 1))
    if not least <= len(arguments) <= most:
        told = "one number" if most == 1 else "two numbers or more" if least == 2 else "one or two"
        raise CannotCalculate(
            f"{name} takes {told}, not {len(arguments)} (a blank after a comma parts them)"
        )
    return arguments
