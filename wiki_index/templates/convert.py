"""Render {{convert}} and {{cvt}}: a measurement in the given unit and in others.

What is shown follows https://en.wikipedia.org/wiki/Template:Convert.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext

from wiki_index.templates.measurements import RANGES, Request, Value, read_request
from wiki_index.templates.numbers import MINUS, group, parse_number, words_of
from wiki_index.templates.registry import Call, template
from wiki_index.templates.rounding import as_fraction, default_places, rounded, significant
from wiki_index.templates.units import MULTIPLES, POWER_WORDS, Unit, american, find_unit

NBSP = "\N{NO-BREAK SPACE}"
_UNIT_EACH = ("x", "*", "by(x)")

# What `disp` puts between input and output, and after the output.
_JOINS = {
    "or": (" or ", ""),
    "and": (" and ", ""),
    "comma": (", ", ""),
    "semicolon": ("; ", ""),
    "slash": (" / ", ""),
    "/": (" / ", ""),
    "sqbr": (" [", "]"),
    "br": (" ", ""),
}


@dataclass(frozen=True)
class Style:
    """The options of a call for its units and numbers."""

    names_in: bool
    names_out: bool
    bare: bool
    """No units at all."""
    free: bool
    """`abbr` was not given, so units that are usually shown by their symbol are."""
    adjective: bool
    us: bool
    comma: str


def _label(unit: Unit, by_name: bool, single: bool, style: Style) -> str:
    """The unit, with its separator from the number."""
    if style.bare or unit.shown == "before":
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
    """The numbers of a range, with one unit at the end or one for each."""
    named = _is_named(unit, by_name, style)
    each = any(b in _UNIT_EACH for b in between) and not named and not style.bare
    text = unit.name + NBSP if unit.shown == "before" and not style.bare else ""
    for position, (number, single) in enumerate(shown):
        last = position == len(shown) - 1
        if unit.power and last:
            word = POWER_WORDS[unit.power]
            glue = "-" if style.adjective else NBSP
            number += f"{glue}{word}" if named else f"×10{unit.power}"
        if position:
            join = RANGES[between[position - 1]][0 if named else 1]
            text += (
                f"-{join.strip()}-"
                if style.adjective and named and join.strip().isalpha()
                else join
            )
        text += number
        if last or each:
            text += _label(unit, by_name, single and len(shown) == 1, style)
    return text + middle


def _style(call: Call) -> Style:
    abbr = call.get("abbr").lower()
    if call.key == "cvt" and not abbr:
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
    """Converts the quantity of one call into the output units."""

    def __init__(self, call: Call, request: Request, style: Style) -> None:
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
        """The decimals of each value. All values of a range have those of the most precise."""
        request = self.request
        if request.places is not None:
            return [request.places] * len(results)
        if self.figures:
            return [significant(result, self.figures) for result in results]
        parts = [unit for _, unit in request.parts]
        places = [
            default_places(value, request.source.unit, result, into, parts)
            for value, result in zip(request.source.values, results, strict=True)
        ]
        return places if self.call.get("round") == "each" else [max(places)] * len(places)

    def numbers(self, into: Unit) -> list[tuple[str, bool]]:
        results = self._results(into)
        if self.denominator:
            return [as_fraction(result, self.denominator) for result in results]
        if self.nearest and self.nearest > 0:
            step = self.nearest
            results = [
                (r / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step for r in results
            ]
            places = [0 if step == int(step) or r == int(r) else 1 for r in results]
        else:
            places = self._places(into, results)
        scientific = self.request.source.values[0].scientific
        return [
            rounded(r, p, self.style.comma, scientific)
            for r, p in zip(results, places, strict=True)
        ]

    def _multiple(self, code: str) -> str:
        """Whole feet, and inches with the decimals of a conversion to inches."""
        large, small = (find_unit(c) for c in MULTIPLES[code])
        if large is None or small is None or small.kind != self.request.source.unit.kind:
            return ""
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
            text += RANGES[between][0 if self.style.names_out else 1] + following
        return text

    def _spelled(self, value: Value) -> str:
        """The number in words, if `spell` is set and the number is a small integer."""
        spell = self.call.get("spell")
        if spell.lower() not in ("in", "on") or value.number != int(value.number):
            return value.shown
        words = words_of(int(value.number))
        return words.capitalize() if spell[0].isupper() else words

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
        """The measurement as given, with any words of `adj=pre` before the unit."""
        if self.request.parts:
            glue = "-" if self.style.adjective and self.style.names_in else " "
            shown = [
                value.shown + _label(unit, self.style.names_in, value.single, self.style)
                for value, unit in self.request.parts
            ]
            return glue.join(shown) + middle
        source = self.request.source
        shown = [(self._spelled(value), value.single) for value in source.values]
        if self.call.get("adj") == "pre" and self.request.extra:
            number, single = shown[-1]
            shown[-1] = (f"{number} {self.request.extra[0]}", single)
        return _with_unit(
            shown, source.between, source.unit, self.style.names_in, self.style, middle
        )


def _middle(call: Call, extra: list[str]) -> str:
    """The words of `adj=mid`, which follow the first unit."""
    if call.get("adj").lower() != "mid" or not extra:
        return ""
    return extra[0] if extra[0].startswith("-") else f" {extra[0]}"


@template("convert|cvt")
def convert(call: Call) -> str:
    """`{{convert|10|km}}` is 10 kilometres (6.2 mi)."""
    with localcontext() as context:
        context.prec = 40
        return _convert(call)


def _convert(call: Call) -> str:
    request = read_request(call)
    if request is None:
        return " ".join(v for v in list(call.values())[:2] if v)
    style = _style(call)
    disp = call.get("disp").lower()
    flip = call.get("order") == "flip" or disp == "flip" or call.get("adj") == "flip"
    if flip:
        style = replace(style, names_in=style.names_out, names_out=style.names_in)
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


@template("pop density|population density")
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
            shown.append(f"{rounded(density, int(places))[0]}/{unit.symbol}")
    return f"{shown[0]} ({shown[1]})" if len(shown) == 2 else ""


@template("height")
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
