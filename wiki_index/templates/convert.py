"""{{convert}} and {{cvt}}: a measurement in its own and in another unit.

What is shown follows https://en.wikipedia.org/wiki/Template:Convert; how results are rounded by
default, its section "Rounding".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext

from wiki_index.templates.numbers import MINUS, group, parse_number
from wiki_index.templates.registry import Call, template
from wiki_index.templates.units import (
    MORE_PRECISE,
    MULTIPLES,
    POWER_WORDS,
    SUBDIVISIONS,
    Unit,
    american,
    find_unit,
)

NBSP = "\N{NO-BREAK SPACE}"
_TWO = math.log10(2)
# Without this 1000 would count as having two digits before the point (log10 is not exact).
_FUDGE = 1e-14
_MOST_DIGITS = 14

# What stands between two values: where the unit follows by name, and where by symbol.
_RANGES = {
    "-": ("–", "–"), "–": ("–", "–"), "and": (" and ", " and "), "and(-)": (" and ", "–"), "to": (" to ", " to "),
    "to(-)": (" to ", "–"), "or": (" or ", " or "), "or(-)": (" or ", "–"), "by": (" by ", " by "), "x": (" by ", " × "),
    "×": (" × ", " × "), "xx": (" × ", " × "), "*": (" × ", " × "), "by(x)": (" by ", " × "), "+/-": (" ± ", " ± "), "±": (" ± ", " ± "),
    "+": (" + ", " + "), ",": (", ", ", "), ", and": (", and ", ", and "), ", or": (", or ", ", or "), "/": (" / ", " / "),
    "to about": (" to about ", " to about "), "and about": (" and about ", " and about "),
    "up to": (" up to ", " up to "), "thru": (" through ", " through "), "through": (" through ", " through "),
    "or about": (" or about ", " or about "), "&": (" & ", " & "), "-,": ("–", "–"), "over": (" over ", " over "),
    "to almost": (" to almost ", " to almost "), "to more than": (" to more than ", " to more than "),
}  # fmt: skip
_UNIT_EACH = ("x", "*", "by(x)")
_JOINED = re.compile(r"(.*\d)\s*(–|-|to|x|×|by|and|or|±|\+/-)\s*(\d.*)")

_JOINS = {
    "or": (" or ", ""), "comma": (", ", ""), "slash": (" / ", ""), "/": (" / ", ""), "sqbr": (" [", "]"),
    "br": (" ", ""), "br()": (" (", ")"), "and": (" and ", ""), "semicolon": ("; ", ""), "table": (" ", ""),
    "tablecen": (" ", ""), "s": (" / ", ""),
}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A number as given: its worth, how it is shown, the decimals it was written with."""

    number: Decimal
    shown: str
    places: int
    """Decimals; negative for zeros at the end of a whole number; of a fraction, its log."""
    single: bool = False


@dataclass(frozen=True)
class Quantity:
    """Values (one, or a range), and their unit."""

    values: tuple[Value, ...]
    between: tuple[str, ...]
    unit: Unit


@dataclass(frozen=True)
class Style:
    """How the call wants its units and numbers."""

    names_in: bool
    names_out: bool
    bare: bool
    """No units at all."""
    free: bool
    """`abbr` was not given, so a unit that goes by its symbol does."""
    adjective: bool
    us: bool
    comma: str


# ---------------------------------------------------------------- reading the call


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
    shown = _separate(digits.rstrip("."), comma)
    if exponent:
        power = exponent.lstrip("+").replace("-", MINUS)
        shown, places = f"{shown}×10{power}", places - int(exponent)
    if number < 0:
        shown = MINUS + shown
    single = abs(number) == 1 and not exponent
    return Value(number, shown, places, single)


def _separate(digits: str, comma: str) -> str:
    whole = digits.partition(".")[0]
    if comma == "off" or (comma == "5" and len(whole) < 5):
        return digits
    if comma == "gaps":
        return digits if len(whole) < 5 else group(digits, NBSP)
    return group(digits)


def _composite(values: list[Value], units: list[Unit]) -> tuple[Value, Unit]:
    """Feet and inches as one value in feet."""
    total = sum((u.to_base(v.number) for v, u in zip(values, units, strict=True)), Decimal(0))
    last = values[-1]
    return Value(units[0].from_base(total), last.shown, max(last.places, 0)), units[0]


# ---------------------------------------------------------------- rounding


def _default_places(
    value: Value, unit: Unit, result: Decimal, into: Unit, parts: list[Unit]
) -> int:
    """Decimals that neither invent nor lose precision; at least two significant figures.

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


def _rounded(number: Decimal, places: int, comma: str = "") -> tuple[str, bool]:
    """`number` at so many decimals (negative: to tens, hundreds …) and whether it reads as 1."""
    sign, number = (MINUS if number < 0 else ""), abs(number)
    places = min(places, _MOST_DIGITS)
    step = Decimal(1).scaleb(-places)
    mode = ROUND_HALF_UP if places >= 0 else ROUND_HALF_EVEN
    number = number.quantize(step, rounding=mode)
    if not number:
        return (f"{number:f}" if places > 0 else "0"), False
    exponent = number.adjusted()
    digits = "".join(map(str, number.as_tuple().digits))
    if (exponent >= 9 and number != Decimal("1e9")) or exponent < -4:
        return sign + _scientific(digits, exponent), False
    text = f"{number:f}"
    return sign + _separate(text, comma), number == 1


def _significant(number: Decimal, figures: int) -> int:
    """Decimals that leave so many significant figures."""
    if not number:
        return figures - 1
    places = figures - 1 - number.adjusted()
    rounded = abs(number).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return places - (rounded.adjusted() > number.adjusted())


def _as_fraction(number: Decimal, denominator: int) -> tuple[str, bool]:
    """To the nearest fraction with this denominator, reduced."""
    sign = MINUS if number < 0 else ""
    count = int((abs(number) * denominator).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    whole, top = divmod(count, denominator)
    if not top:
        return sign + group(str(whole)), whole == 1
    common = math.gcd(top, denominator)
    part = f"{top // common}⁄{denominator // common}"
    return (f"{sign}{group(str(whole))} {part}" if whole else sign + part), not whole


# ---------------------------------------------------------------- showing


def _label(unit: Unit, by_name: bool, single: bool, style: Style) -> str:
    """The unit with what parts it from the number."""
    if style.bare:
        return ""
    if unit.shown == "name":
        by_name = True
    elif unit.shown == "symbol" and style.free:
        by_name = False
    if not by_name:
        symbol = unit.symbol.replace("US ", "U.S. ") if style.us else unit.symbol
        return symbol if symbol.startswith("/") else NBSP + symbol
    name = unit.name if (single or style.adjective) and not unit.power else unit.plural
    if style.adjective:
        name = unit.name
    if style.us:
        name = american(name)
    return "-" + name.replace(" ", "-") if style.adjective else " " + name


def _is_named(unit: Unit, by_name: bool, style: Style) -> bool:
    return unit.shown == "name" or (by_name and not (unit.shown == "symbol" and style.free))


def _with_unit(
    shown: list[tuple[str, bool]],
    between: tuple[str, ...],
    unit: Unit,
    by_name: bool,
    style: Style,
    middle: str = "",
) -> str:
    """Numbers of a range with their unit once, or each with its own."""
    named = _is_named(unit, by_name, style)
    each = any(b in _UNIT_EACH for b in between) and not named and not style.bare
    text = ""
    for position, (number, single) in enumerate(shown):
        last = position == len(shown) - 1
        if unit.power and last:
            word = POWER_WORDS[unit.power]
            glue = "-" if style.adjective else NBSP
            number += f"{glue}{word}" if named else f"×10{unit.power}"
        if position:
            join = _RANGES[between[position - 1]][0 if named else 1]
            text += (
                f"-{join.strip()}-"
                if style.adjective and named and join.strip().isalpha()
                else join
            )
        text += number
        if last or each:
            text += _label(unit, by_name, single and len(shown) == 1, style)
    return text + middle


class _Reader:
    """Takes the unnamed arguments one after another."""

    def __init__(self, call: Call) -> None:
        self.left = list(call.values())

    def peek(self) -> str:
        return self.left[0] if self.left else ""

    def take(self) -> str:
        return self.left.pop(0) if self.left else ""


@dataclass(frozen=True)
class _Request:
    source: Quantity
    parts: list[tuple[Value, Unit]]
    """The units of a composite input, as given; empty for one of a single unit."""
    targets: list[str]
    places: int | None
    extra: list[str]


def _read(call: Call) -> _Request | None:
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
    while reader.peek() in _RANGES and len(reader.left) > 1:
        following = _value(reader.left[1], comma)
        if following is None:
            break
        between.append(reader.take())
        values.append(following)
        reader.take()
    unit = find_unit(reader.take())
    if unit is None:
        return None
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
    default = unit.default
    if unit.symbol == "m" and abs(value.number) < 3:
        default = "ftin"
    if len(parts) > 1:
        default = SUBDIVISIONS[parts[0][1].symbol, parts[1][1].symbol]
        total, unit = _composite([v for v, _ in parts], [u for _, u in parts])
        values = [total]
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
    source = Quantity(tuple(values), tuple(between), unit)
    return _Request(source, parts if len(parts) > 1 else [], targets, places, reader.left)


def _targets(text: str) -> list[str] | None:
    """The output codes of `km mi`, `ft+m`, `ftin`; None where they are none."""
    if text in MULTIPLES or find_unit(text):
        return [text]
    codes = text.replace("+", " ").split()
    return codes if codes and all(c in MULTIPLES or find_unit(c) for c in codes) else None


def _style(call: Call) -> Style:
    abbr = call.get("abbr").lower()
    if call.name == "cvt" and not abbr:
        abbr = "on"
    names_in, names_out = {
        "on": (False, False), "off": (True, True), "none": (True, True), "in": (False, True),
    }.get(abbr, (True, call.get("disp") in ("or", "slash") and not abbr))  # fmt: skip
    adjective = call.get("adj").lower() in ("on", "mid", "1") or call.get("sing").lower() == "on"
    return Style(
        names_in, names_out, abbr in ("values", "value"), not abbr, adjective,
        call.get("sp").lower() == "us", call.get("comma"),
    )  # fmt: skip


class _Converter:
    """Turns one call's quantity into its outputs."""

    def __init__(self, call: Call, request: _Request, style: Style) -> None:
        self.call, self.request, self.style = call, request, style
        figures = call.get("sigfig")
        self.figures = int(figures) if re.fullmatch(r"\d{1,2}", figures) else 0
        denominator = call.get("frac")
        self.denominator = int(denominator) if re.fullmatch(r"\d{1,3}", denominator) else 0
        self.nearest = parse_number(call.get("round")) if call.get("round") != "each" else None

    def _results(self, into: Unit) -> list[Decimal]:
        source = self.request.source
        found = []
        for position, value in enumerate(source.values):
            is_margin = position and source.between[position - 1] in ("±", "+/-")
            if is_margin and into.kind == "temperature":
                found.append(value.number * source.unit.size / into.size)
            else:
                found.append(into.from_base(source.unit.to_base(value.number)))
        return found

    def _places(self, into: Unit, results: list[Decimal]) -> list[int]:
        """Each value's decimals; a range has the same for all, those of its most precise."""
        request = self.request
        if request.places is not None:
            return [request.places] * len(results)
        if self.figures:
            return [_significant(result, self.figures) for result in results]
        parts = [unit for _, unit in request.parts]
        places = [
            _default_places(value, request.source.unit, result, into, parts)
            for value, result in zip(request.source.values, results, strict=True)
        ]
        return places if self.call.get("round") == "each" else [max(places)] * len(places)

    def numbers(self, into: Unit) -> list[tuple[str, bool]]:
        results = self._results(into)
        if self.denominator:
            return [_as_fraction(result, self.denominator) for result in results]
        if self.nearest and self.nearest > 0:
            step = self.nearest
            results = [
                (r / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step for r in results
            ]
            places = [0 if step == int(step) or r == int(r) else 1 for r in results]
        else:
            places = self._places(into, results)
        return [_rounded(r, p, self.style.comma) for r, p in zip(results, places, strict=True)]

    def _multiple(self, code: str) -> str:
        """Feet and inches: whole feet, and inches at the decimals inches would have."""
        large, small = (find_unit(c) for c in MULTIPLES[code])
        assert large and small
        texts = []
        ratio = int(large.size / small.size)
        results = self._results(small)
        for result, places in zip(results, self._places(small, results), strict=True):
            count = abs(result).quantize(Decimal(1).scaleb(-max(places, 0)), rounding=ROUND_HALF_UP)
            whole, rest = divmod(count, ratio)
            sign = MINUS if result < 0 else ""
            shown = []
            if whole:
                shown.append(self._part(group(str(int(whole))), large, whole == 1))
            shown.append(self._part(f"{rest:f}" if rest else "0", small, rest == 1))
            texts.append(
                sign + ("-" if self.style.adjective and self.style.names_out else " ").join(shown)
            )
        text = texts[0]
        for between, following in zip(self.request.source.between, texts[1:], strict=True):
            text += _RANGES[between][0 if self.style.names_out else 1] + following
        return text

    def _part(self, number: str, unit: Unit, single: bool) -> str:
        return number + _label(unit, self.style.names_out, single, self.style)

    def output(self, code: str, middle: str = "") -> str:
        if code in MULTIPLES:
            return self._multiple(code) + middle
        into = find_unit(code)
        if into is None or into.kind != self.request.source.unit.kind:
            return ""
        between = self.request.source.between
        return _with_unit(
            self.numbers(into), between, into, self.style.names_out, self.style, middle
        )

    def input(self, middle: str = "") -> str:
        if self.request.parts:
            glue = "-" if self.style.adjective and self.style.names_in else " "
            shown = [
                value.shown + _label(unit, self.style.names_in, value.single, self.style)
                for value, unit in self.request.parts
            ]
            return glue.join(shown) + middle
        source = self.request.source
        shown = [(value.shown, value.single) for value in source.values]
        return _with_unit(
            shown, source.between, source.unit, self.style.names_in, self.style, middle
        )


def _middle(call: Call, extra: list[str]) -> str:
    """The words of `adj=mid`, which follow the first unit."""
    if call.get("adj").lower() != "mid" or not extra:
        return ""
    return extra[0] if extra[0].startswith("-") else f" {extra[0]}"


@template("convert", "cvt", "convert/2", "cv", "conv")
def convert(call: Call) -> str:
    """`{{convert|10|km}}` is 10 kilometres (6.2 mi)."""
    with localcontext() as context:
        context.prec = 40
        return _convert(call)


def _convert(call: Call) -> str:
    request = _read(call)
    if request is None:
        return " ".join(v for v in list(call.values())[:2] if v)
    style = _style(call)
    disp = call.get("disp").lower()
    flip = call.get("order") == "flip" or disp == "flip" or call.get("adj") == "flip"
    if flip:
        style = Style(style.names_out, style.names_in, *list(vars(style).values())[2:])
    converter = _Converter(call, request, style)
    if disp in ("output number only", "number", "outputnumber"):
        into = find_unit(request.targets[0]) if request.targets else None
        return " to ".join(n for n, _ in converter.numbers(into)) if into else ""
    if disp in ("unit", "unit2", "unit or text"):
        unit = find_unit(request.targets[0]) if disp == "unit2" else request.source.unit
        return _label(unit, style.names_in, False, style).strip() if unit else ""
    middle = _middle(call, request.extra)
    outputs = [
        converter.output(code, middle if flip and not n else "")
        for n, code in enumerate(request.targets)
    ]
    outputs = [text for text in outputs if text]
    if call.get("order") == "out" and len(outputs) > 1:
        first, outputs = outputs[0], [*outputs[1:], converter.input()]
    else:
        first = converter.input("" if flip else middle)
    if disp in ("out", "output only", "output"):
        return "; ".join(outputs)
    if not outputs:
        return first
    if disp in ("table", "tablecen"):
        numbers = [
            n for code in request.targets if (u := find_unit(code)) for n, _ in converter.numbers(u)
        ]
        return " ".join([*(v.shown for v in request.source.values), *numbers])
    before, after = _JOINS.get(disp, (" (", ")"))
    if disp == "x" and request.extra:
        before, after = [*request.extra, ""][:2]
        before = before if before[:1] in ",;:)" else f" {before}"
        before = before if before.endswith(("(", "[")) else f"{before} "
    inner = ("; " if after else before).join(outputs)
    if flip:
        return f"{inner}{before}{first}{after}" if after else f"{inner}{before}{first}"
    return f"{first}{before}{inner}{after}"


@template("pop density", "pop_density", "popdensity")
def population_density(call: Call) -> str:
    """`{{pop density|3645257|640081.87|km2|sqmi|prec=1}}` is 5.7/km2 (14.7/sq mi)."""
    people, area = parse_number(call.get(1)), parse_number(call.get(2))
    if people is None or not area:
        return ""
    source, target = call.get(3, default="km2"), call.get(4, default="sqmi")
    places = call.get("prec", default="1" if people / area < 10 else "0")
    shown = []
    for code in (source, target):
        unit, base = find_unit(code), find_unit(source)
        if unit and base and re.fullmatch(r"-?\d", places):
            density = people / area * unit.size / base.size
            shown.append(f"{_rounded(density, int(places))[0]}/{unit.symbol}")
    return f"{shown[0]} ({shown[1]})" if len(shown) == 2 else ""


@template("height", "weight")
def height(call: Call) -> str:
    """`{{height|ft=5|in=11}}` is 5 ft 11 in (1.80 m); `{{height|m=1.80}}` the other way."""
    named = call.named
    precision = call.get("precision", default="2")
    if "m" in named or "cm" in named:
        unit = "m" if "m" in named else "cm"
        arguments = (call.get(unit), unit, "ftin", "0")
    elif "ft" in named:
        arguments = (call.get("ft"), "ft", call.get("in", default="0"), "in", "m", precision)
    elif "lb" in named or "kg" in named:
        arguments = (call.get("lb", "kg"), "lb" if "lb" in named else "kg")
    else:
        return " ".join(call.values())
    return convert(Call("convert", arguments, {"abbr": "on"}))
