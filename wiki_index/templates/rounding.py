"""Round the result of a conversion, and format it.

The rules are those of https://en.wikipedia.org/wiki/Template:Convert#Rounding.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from wiki_index.templates.measurements import Value, separate
from wiki_index.templates.numbers import MINUS, group
from wiki_index.templates.units import MORE_PRECISE, Unit

_TWO = math.log10(2)
# Without this 1000 would count as having two digits before the point (log10 is not exact).
_FUDGE = 1e-14
_MOST_DIGITS = 14


def default_places(value: Value, unit: Unit, result: Decimal, into: Unit, parts: list[Unit]) -> int:
    """The decimals that preserve the precision of `value`; at least two significant figures.

    Temperatures: three significant figures in kelvins.
    """
    if unit.kind == into.kind == "temperature":
        kelvins = abs(unit.to_base(value.number))
        least = 2 if kelvins < Decimal("1e-8") else 2 - math.floor(math.log10(kelvins) + _FUDGE)
        return max(value.places, least)
    if not value.number or not result:
        return 0
    if into.symbol in MORE_PRECISE and value.number == int(value.number):
        gain = -math.log10(unit.size)
    elif parts and parts[-1].symbol == "in":
        gain = math.log10(into.size) + 2
    else:
        gain = math.log10(abs(value.number / result))
    least = 1 - math.floor(math.log10(abs(result)) + _FUDGE)
    return max(math.floor(value.places + gain + _TWO), least)


def _scientific(digits: str, exponent: int) -> str:
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{mantissa}×10{str(exponent).replace('-', MINUS)}"


def rounded(
    number: Decimal, places: int, comma: str = "", scientific: bool = False
) -> tuple[str, bool]:
    """`number` with this many decimals (negative: to tens, hundreds …), and whether it is 1."""
    sign, number = (MINUS if number < 0 else ""), abs(number)
    places = min(places, _MOST_DIGITS - min(number.adjusted(), 0))
    step = Decimal(1).scaleb(-places)
    mode = ROUND_HALF_UP if places >= 0 else ROUND_HALF_EVEN
    number = number.quantize(step, rounding=mode)
    if not number:
        return (f"{number:f}" if places > 0 else "0"), False
    exponent = number.adjusted()
    digits = "".join(map(str, number.as_tuple().digits))
    largest, smallest = (3, -2) if scientific else (9, -4)
    is_round = digits.strip("0") == "1" and exponent == largest
    if (exponent >= largest and not is_round) or exponent < smallest:
        return sign + _scientific(digits, exponent), False
    text = f"{number:f}"
    return sign + separate(text, comma), number == 1


def significant(number: Decimal, figures: int) -> int:
    """The decimals that give this many significant figures."""
    if not number:
        return figures - 1
    places = figures - 1 - number.adjusted()
    rounded = abs(number).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return places - (rounded.adjusted() > number.adjusted())


def as_hands(number: Decimal, places: int | None) -> tuple[str, bool]:
    """Hands with whole inches after the point, and whether the unit is singular."""
    if places is not None and places <= 0:
        return rounded(number, 0)
    inches = int((abs(number) * 4).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    return f"{MINUS if number < 0 else ''}{inches // 4}.{inches % 4}", inches == 4


def as_fraction(number: Decimal, denominator: int) -> tuple[str, bool]:
    """The nearest fraction with this denominator, reduced, and whether its unit is singular."""
    sign = MINUS if number < 0 else ""
    count = int((abs(number) * denominator).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    whole, top = divmod(count, denominator)
    if not top:
        return sign + group(str(whole)), whole == 1
    common = math.gcd(top, denominator)
    part = f"{top // common}⁄{denominator // common}"
    return (f"{sign}{group(str(whole))} {part}" if whole else sign + part), not whole
