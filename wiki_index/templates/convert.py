"""Render {{convert}} and {{cvt}}: a measurement in the given unit and in others.

What is shown follows https://en.wikipedia.org/wiki/Template:Convert.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext

from wiki_index.templates.measurements import RANGES, Request, Value, read_request
from wiki_index.templates.numbers import MINUS, group, in_words, parse_number
from wiki_index.templates.registry import Call, template
from wiki_index.templates.rounding import (
    as_fraction,
    as_hands,
    default_places,
    rounded,
    significant,
)
from wiki_index.templates.units import MULTIPLES, POWER_WORDS, Unit, american, find_unit

NBSP = "\N{NO-BREAK SPACE}"
_HYPHENATED = ("to", "and", "or")
"""The words of a range that have hyphens between symbols, too."""
_UNIT_EACH = ("x", "×", "*", "by(x)")

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
# What `disp=x` puts before the results, where no blank follows: ` (`, ` (~`.
_OPENS = re.compile(r"[(\[][^\w,;:=]*$")
_BY_NAME = ("or", "slash", "br", "br()")
_SPELT = ("on", "On")
"""Values of `spell` that ask for the results in words, too."""


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
    powers_in_words: bool
    """Millions as a word before a symbol, too."""
    brief: bool
    """`abbr=on`."""


def _label(unit: Unit, by_name: bool, single: bool, style: Style) -> str:
    """The unit, with its separator from the number."""
    if style.bare or unit.shown == "before":
        return ""
    if not _is_named(unit, by_name, style):
        symbol = unit.symbol.replace("US ", "U.S. ") if style.us else unit.symbol
        return symbol if symbol.startswith("/") else NBSP + symbol
    name = unit.name if (single or style.adjective) and not unit.power else unit.plural
    if style.adjective:
        name = unit.name
    if style.us:
        name = american(name)
    return "-" + name.replace(" ", "-") if style.adjective else " " + name


def _is_named(unit: Unit, by_name: bool, style: Style) -> bool:
    if style.free and unit.shown in ("symbol", "free name"):
        return unit.shown != "symbol"
    return by_name or unit.shown == "name"


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
        in_words = named or style.powers_in_words
        if unit.power and (last or not in_words):
            word = POWER_WORDS[unit.power]
            glue = "-" if style.adjective else NBSP
            number += f"{glue}{word}" if in_words else f"×10{unit.power}"
        if position:
            join = RANGES[between[position - 1]][0 if named else 1]
            word = join.strip()
            if style.adjective and (named or (style.brief and word in _HYPHENATED)):
                join = f"-{word}-" if word.isalpha() else join
            text += _spaced(join) if number.startswith(MINUS) else join
        text += unit.currency + number
        if last or each:
            text += _label(unit, by_name, single and len(shown) == 1, style)
    return text + middle


def _style(call: Call) -> Style:
    abbr = call.get("abbr").lower()
    if call.key == "cvt" and not abbr:
        abbr = "on"
    all_names = not abbr and (call.get("disp") in _BY_NAME or call.get("spell") in _SPELT)
    names_in, names_out = {
        "on": (False, False), "off": (True, True), "none": (True, True), "in": (False, True),
        "unit": (False, False), "hh": (False, False),
    }.get(abbr, (True, all_names))  # fmt: skip
    adjective = call.get("adj").lower() in ("on", "mid", "1") or call.get("sing").lower() == "on"
    return Style(
        names_in, names_out, abbr in ("values", "value"), not abbr, adjective,
        call.get("sp").lower() == "us", call.get("comma"), abbr == "unit",
        abbr == "on",
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
        self.before_input, self.before_output = _before_units(call, request.extra)

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
        if request.source.written is not request.source.unit:
            places = [0 if into is request.source.unit else max(p, 0) for p in places]
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
        if into.name == "hand":
            return [as_hands(result, self.request.places) for result in results]
        scientific = self.request.source.values[0].scientific
        shown = [
            rounded(r, p, self.style.comma, scientific)
            for r, p in zip(results, places, strict=True)
        ]
        if self.call.get("spell") in _SPELT:
            shown = [(in_words(text, self.style.us), single) for text, single in shown]
        return shown

    def _multiple(self, code: str) -> str:
        """Whole feet, and inches with the decimals of a conversion to inches."""
        large, small = (find_unit(c) for c in MULTIPLES[code])
        if large is None or small is None or small.kind != self.request.source.unit.kind:
            return ""
        texts = []
        ratio = int(large.size / small.size)
        results = self._results(small)
        for result, places in zip(results, self._places(small, results), strict=True):
            parts = Decimal(self.denominator or 10 ** max(places, 0))
            count = (abs(result) * parts).quantize(Decimal(1), rounding=ROUND_HALF_UP)
            whole, rest = divmod(count, ratio * parts)
            rest /= parts
            if self.denominator:
                text, single = as_fraction(rest, self.denominator)
            else:
                text, single = (f"{rest:.{max(places, 0)}f}" if rest else "0"), rest == 1
            sign = MINUS if result < 0 else ""
            shown = []
            if whole:
                shown.append(self._part(group(str(int(whole))), large, whole == 1))
            shown.append(self._part(text, small, single))
            texts.append(
                sign + ("-" if self.style.adjective and self.style.names_out else " ").join(shown)
            )
        text = texts[0]
        for between, following in zip(self.request.source.between, texts[1:], strict=True):
            text += _spaced(RANGES[between][0 if self.style.names_out else 1]) + following
        return text

    def _spelled(self, value: Value) -> str:
        """The number in words, if `spell` is set."""
        spell = self.call.get("spell")
        if spell.lower() not in ("in", "on"):
            return value.shown
        words = in_words(value.shown, self.style.us)
        return words[:1].upper() + words[1:] if spell[0].isupper() else words

    def _part(self, number: str, unit: Unit, single: bool) -> str:
        if self.call.get("spell") in _SPELT:
            number = in_words(number, self.style.us)
        style = replace(self.style, bare=False)
        return number + _label(unit, style.names_out, single, style)

    def output(self, code: str, middle: str = "", by_name: bool | None = None) -> str:
        """The measurement in another unit; by its name or not, where the style does not decide."""
        if code in MULTIPLES:
            return self._multiple(code) + middle
        into = find_unit(code)
        if into is None or into.kind != self.request.source.unit.kind:
            return ""
        source = self.request.source
        if by_name is None:
            by_name = self.style.names_out or (
                self.style.free and into is source.unit and source.written is not into
            )
        shown = _before_unit(self.numbers(into), self.before_output)
        return _with_unit(shown, source.between, into, by_name, self.style, middle)

    def input(self, middle: str = "") -> str:
        """The measurement as given."""
        if self.request.parts:
            glue = "-" if self.style.adjective and self.style.names_in else " "
            shown = [
                self._spelled(value) + _label(unit, self.style.names_in, value.single, self.style)
                for value, unit in self.request.parts
            ]
            return glue.join(shown) + middle
        source = self.request.source
        shown = [(self._spelled(value), value.single) for value in source.values]
        return _with_unit(
            _before_unit(shown, self.before_input),
            source.between,
            source.written,
            self.style.names_in,
            self.style,
            middle,
        )


def _spaced(separator: str) -> str:
    """A dash has blanks between measurements of two units."""
    return separator if separator[:1] == " " else f" {separator} "


def _before_unit(shown: list[tuple[str, bool]], words: str) -> list[tuple[str, bool]]:
    """The numbers, with words before the unit; a plus sign stands at its number."""
    if not words:
        return shown
    number, single = shown[-1]
    return [*shown[:-1], (f"{number}{words}" if words == "+" else f"{number} {words}", single)]


def _middle(call: Call, extra: list[str]) -> str:
    """The words of `adj=mid`, which follow the first unit."""
    if call.get("adj").lower() != "mid" or not extra:
        return ""
    return extra[0] if extra[0].startswith("-") else f" {extra[0]}"


def _before_units(call: Call, extra: list[str]) -> tuple[str, str]:
    """What `adj=pre` and `disp=preunit` put before the unit of the input and of the results."""
    if not extra:
        return "", ""
    if call.get("disp").lower() == "preunit":
        return extra[0], extra[min(1, len(extra) - 1)]
    if call.get("adj").lower() != "pre":
        return "", ""
    return ("", extra[0]) if _is_flipped(call) else (extra[0], "")


def _is_flipped(call: Call) -> bool:
    return "flip" in (call.get("order"), call.get("disp").lower(), call.get("adj"))


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
    flip = _is_flipped(call)
    if flip:
        style = replace(style, names_in=style.names_out, names_out=style.names_in)
    converter = _Converter(call, request, style)
    if disp in ("output number only", "number", "outputnumber"):
        into = find_unit(request.targets[0]) if request.targets else None
        if into is None:
            return ""
        return _with_unit(
            converter.numbers(into), request.source.between, into, False, replace(style, bare=True)
        )
    if disp in ("unit", "unit2", "unit or text"):
        unit = find_unit(request.targets[0]) if disp == "unit2" else request.source.unit
        by_name = style.names_out if disp == "unit2" else style.names_in
        return _label(unit, by_name, False, style).strip() if unit else ""
    middle = _middle(call, request.extra)
    targets = request.targets
    if call.get("order") == "out" and len(targets) > 1:
        first, *targets = targets
        first = converter.output(first, middle, style.names_in)
    else:
        first = converter.input("" if flip else middle)
    outputs = [
        converter.output(code, middle if flip and not n else "") for n, code in enumerate(targets)
    ]
    outputs = [text for text in outputs if text]
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
        before = before if _OPENS.search(before) else f"{before} "
    inner = ("; " if after else before).join(outputs)
    if flip:
        return f"{inner}{before}{first}{after}" if after else f"{inner}{before}{first}"
    return f"{first}{before}{inner}{after}"
