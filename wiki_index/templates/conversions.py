"""Templates that convert a measurement as {{convert}} does, in a form of their own."""

from __future__ import annotations

import re
from decimal import Decimal

from wiki_index.templates.convert import convert
from wiki_index.templates.numbers import group, parse_number
from wiki_index.templates.registry import Call, template
from wiki_index.templates.rounding import rounded
from wiki_index.templates.units import find_unit


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


@template("hands|hh")
def hands(call: Call) -> str:
    """`{{hands|15.2}}` is 15.2 hands (62 inches, 157 cm): the height of a horse."""
    heights = [height for height in call.values() if height][:2]
    if len(heights) == 2:
        heights.insert(1, "to")
    return convert(Call("convert", (*heights, "hand"))).replace(";", ",")


@template("long ton|longton")
def long_ton(call: Call) -> str:
    """`{{long ton|11|10}}` is 11 long tons 10 cwt (25,800 lb or 11.7 t).

    Tons, hundredweights, quarters and pounds; the last that is given settles the rounding.
    https://en.wikipedia.org/wiki/Template:Long_ton
    """
    given = [
        parse_number(call.get(position, default="0")) or Decimal(0) for position in range(1, 5)
    ]
    tons = given[0]
    names = (f"long ton{'s' * (tons != 1)}", "cwt" if tons else "long cwt", "qr", "lb")
    shown = [f"{group(str(n))} {name}" for n, name in zip(given, names, strict=True) if n]
    pounds = sum((n * size for n, size in zip(given, (2240, 112, 28, 1), strict=True)), Decimal(0))
    places = 0 if given[3] else -1 if given[2] else -2
    into, decimals = ("t", places + 3) if tons else ("kg", places)
    metric = pounds * Decimal("0.45359237") / (1000 if tons else 1)
    before, after = (" [", "]") if call.get("disp") == "sqbr" else (" (", ")")
    if call.get("disp") == "or":
        before, after = ", ", ""
    weights = f"{rounded(pounds, places)[0]} lb or {rounded(metric, decimals)[0]} {into}"
    return " ".join(shown) + before + weights + after


@template(
    "km to mi|mi to km|m to ft|ft to m|cm to in|in to cm|mm to in|in to mm|kg to lb|lb to kg|"
    "c to f|f to c|km2 to mi2|mi2 to km2|acre to ha|ha to acre|l to gal|lbs to kg"
)
def from_to(call: Call) -> str:
    """`{{km to mi|10}}` is 10 kilometres (6.2 mi)."""
    source, _, target = call.name.partition(" to ")
    arguments = (call.get(1), source.upper() if source in "cf" else source, target)
    if places := call.get("precision", 2):
        arguments += (places,)
    abbreviated = {"abbr": "on"} if call.get("abbr").lower() in ("yes", "on") else {}
    return convert(Call("convert", arguments, abbreviated))
