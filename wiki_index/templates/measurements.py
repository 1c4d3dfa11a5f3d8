"""Read the quantity and the output units of a {{convert}} call."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice

from wiki_index.templates.numbers import MINUS, group, parse_number
from wiki_index.templates.registry import Call
from wiki_index.templates.units import MULTIPLES, SUBDIVISIONS, Unit, find_unit

_MOST_ARGUMENTS = 40
_MOST_TARGETS = 5
_NBSP = "\N{NO-BREAK SPACE}"

_BETWEEN_WORDS = (
    "and", "or", "by", "to", "to about", "and about", "or about", "up to", "through", "over",
    "to almost", "to more than", "±", "+", "&", "/",
)  # fmt: skip
RANGES = {word: (f" {word} ", f" {word} ") for word in _BETWEEN_WORDS} | {
    "-": ("–", "–"),
    "–": ("–", "–"),
    "and(-)": (" and ", "–"),
    "to(-)": (" to ", "–"),
    "or(-)": (" or ", "–"),
    "by(x)": (" by ", " × "),
    "x": (" by ", " × "),
    "×": (" by ", " × "),
    "xx": (" × ", " × "),
    "*": (" × ", " × "),
    "+/-": (" ± ", " ± "),
    "thru": (" through ", " through "),
    ",": (", ", ", "),
    ", and": (", and ", ", and "),
    ", or": (", or ", ", or "),
}
"""The separators of a range, by argument: with the unit's name, and with its symbol."""

# Both values in one argument; bounded, as the text before may hold the words again and again.
_JOINED = re.compile(
    r"(?![-−]\d+-\d+[/⁄])([-−+]?[\d.,/+ ]{1,30}?)"
    r"\s?(–|-|to|x|×|by|and|or|±|\+/-)\s?(\d[\d.,/+ ]{0,30})"
)


@dataclass(frozen=True)
class Value:
    """A number as given: its value, its text, and its decimals."""

    number: Decimal
    shown: str
    places: int
    """Decimals. Negative for trailing zeros of an integer; for a fraction, the logarithm of its
    denominator."""
    single: bool = False
    scientific: bool = False
    """Written with an exponent. A large or small result is then shown with one, too."""


@dataclass(frozen=True)
class Quantity:
    """A value or a range of values, and their unit."""

    values: tuple[Value, ...]
    between: tuple[str, ...]
    unit: Unit
    written: Unit
    """The unit that is shown: as `unit`, but the hand where that is the inch."""


def _fraction(text: str) -> Value | None:
    match = re.fullmatch(
        r"([-−+]?)(?:(\d{1,9})\s*[+\s-]\s*)?(\d{1,6})\s*(?:/{1,2}|⁄)\s*(\d{1,6})", text
    )
    if not match or not int(match[4]):
        return None
    sign, whole, top, bottom = match.groups()
    number = Decimal(whole or 0) + Decimal(top) / Decimal(bottom)
    shown = (f"{group(whole)} " if whole else "") + f"{top}⁄{bottom}"
    if sign in ("-", MINUS) and sign:
        number, shown = -number, MINUS + shown
    places = max(int(math.log10(int(bottom))), 1)
    return Value(number, shown, places, single=abs(number) <= 1)


def _value(text: str, comma: str) -> Value | None:
    text = text.strip()
    number = parse_number(text)
    if number is None:
        return _fraction(text)
    written = text.replace(",", "").replace(MINUS, "-").lstrip("+-")
    digits, _, exponent = written.lower().partition("e")
    whole, point, decimals = digits.partition(".")
    places = len(decimals) if point else -len(whole) + len(whole.rstrip("0"))
    if not whole.strip("0") and not point:
        places = 0
    shown = separate(("0" if digits[:1] == "." else "") + digits.rstrip("."), comma)
    if exponent:
        power = exponent.lstrip("+").replace("-", MINUS)
        shown, places = f"{shown}×10{power}", places - int(exponent)
    if number < 0:
        shown = MINUS + shown
    single = abs(number) == 1 and not exponent
    return Value(number, shown, places, single, bool(exponent))


def separate(digits: str, comma: str) -> str:
    whole = digits.partition(".")[0]
    if comma == "off" or (comma == "5" and len(whole) < 5):
        return digits
    if comma == "gaps":
        return digits if len(whole) < 5 else group(digits, _NBSP)
    return group(digits)


def _inches(value: Value) -> Value:
    """Hands in inches, which stand after the point: 15.2 is 15 hands 2 inches."""
    whole = int(value.number)
    return replace(value, number=whole * 4 + (value.number - whole) * 10, places=0)


def _composite(values: list[Value], units: list[Unit]) -> tuple[Value, Unit]:
    """Feet and inches as one value in inches."""
    total = sum((u.to_base(v.number) for v, u in zip(values, units, strict=True)), Decimal(0))
    last = values[-1]
    return Value(units[-1].from_base(total), last.shown, max(last.places, 0)), units[-1]


def _rounded_input(value: Value, adjective: str, comma: str) -> Value:
    """The value shown with the decimals that `adj=ri1` asks for."""
    if not re.fullmatch(r"ri[0-3]", adjective) or value.scientific:
        return value
    step = Decimal(1).scaleb(-int(adjective[2]))
    digits = separate(f"{abs(value.number).quantize(step, rounding=ROUND_HALF_UP):f}", comma)
    return replace(value, shown=MINUS * (value.number < 0) + digits)


class _Reader:
    """Takes the unnamed arguments one after another."""

    def __init__(self, call: Call) -> None:
        self.left = list(islice(call.values(), _MOST_ARGUMENTS))

    def peek(self) -> str:
        return self.left[0] if self.left else ""

    def take(self) -> str:
        return self.left.pop(0) if self.left else ""


@dataclass(frozen=True)
class Request:
    source: Quantity
    parts: list[tuple[Value, Unit]]
    """The units of a composite input, as given; empty for one of a single unit."""
    targets: list[str]
    places: int | None
    extra: list[str]


def read_request(call: Call) -> Request | None:
    comma = call.get("comma")
    reader = _Reader(call)
    first = reader.take()
    if joined := _JOINED.fullmatch(first):
        first, *more = joined.groups()
        reader.left[:0] = more
    value = _value(first, comma)
    if value is None:
        return None
    values, between = [value], []
    while reader.peek() in RANGES and len(reader.left) > 1:
        following = _value(reader.left[1], comma)
        if following is None:
            break
        between.append(reader.take())
        values.append(following)
        reader.take()
    unit = find_unit(reader.take())
    if unit is None:
        return None
    written = unit
    if unit.name == "hand":
        values, unit = [_inches(v) for v in values], find_unit("in") or unit
    values = [_rounded_input(v, call.get("adj"), comma) for v in values]
    parts = [(value, unit)]
    while len(reader.left) > 1 and len(values) == 1:
        sub, sub_unit = _value(reader.left[0], comma), find_unit(reader.left[1])
        if (
            sub is None
            or sub_unit is None
            or (parts[-1][1].symbol, sub_unit.symbol) not in SUBDIVISIONS
        ):
            break
        parts.append((sub, sub_unit))
        del reader.left[:2]
    default = written.default
    if unit.symbol == "m" and 0 < value.number < 3:
        default = "ftin"
    if len(parts) > 1:
        default = SUBDIVISIONS[parts[0][1].symbol, parts[1][1].symbol]
        total, unit = _composite([v for v, _ in parts], [u for _, u in parts])
        values, written = [total], unit
    targets = default.split() if default not in MULTIPLES else [default]
    if reader.peek() and not re.fullmatch(r"[-−+]?\d+", reader.peek()):
        if (named := _targets(reader.peek())) is not None:
            targets = named
            reader.take()
    elif not reader.peek() and reader.left:
        reader.take()
    places = None
    if re.fullmatch(r"[-−+]?\d{1,2}", reader.peek()):
        places = int(reader.take().replace(MINUS, "-"))
    source = Quantity(tuple(values), tuple(between), unit, written)
    return Request(source, parts if len(parts) > 1 else [], targets, places, reader.left)


def _targets(text: str) -> list[str] | None:
    """The output codes of `km mi`, `ft+m`, `ftin`; None where they are none, or too many."""
    if text in MULTIPLES or find_unit(text):
        return [text]
    codes = text.replace("+", " ").split(maxsplit=_MOST_TARGETS)
    return codes if codes and all(c in MULTIPLES or find_unit(c) for c in codes) else None
