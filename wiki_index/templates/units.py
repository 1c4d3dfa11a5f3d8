"""The units of {{convert}}: symbols, names, sizes and default output units.

The table is `units.txt`. Sizes are exact where they are defined
(https://www.bipm.org/en/publications/si-brochure, NIST Handbook 44); default conversions follow
https://en.wikipedia.org/wiki/Template:Convert/list_of_units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Literal

_ZERO = Decimal(0)


@dataclass(frozen=True)
class Unit:
    """A unit. `size` is its size in the base unit of its kind (SI where there is one)."""

    symbol: str
    name: str
    plural: str
    size: Decimal
    kind: str
    default: str = ""
    """The codes of the default output units, separated by blanks."""
    offset: Decimal = _ZERO
    """For a temperature, its value at the zero of the base unit."""
    shown: Literal["", "name", "free name", "symbol", "before"] = ""
    """``"name"``: always shown by its name. ``"free name"`` or ``"symbol"``: shown so unless `abbr`
    says otherwise. ``"before"``: by its name before the number, as Mach 2."""
    inverse: bool = False
    """Measures the reciprocal of its kind, as L/100 km does."""
    power: int = 0
    """A power of ten before the unit, shown as a word or as ×10 to the power."""
    currency: str = ""
    """The sign before the number, as $ in $3 per acre."""

    def to_base(self, value: Decimal) -> Decimal:
        """`value` of this unit, in the kind's base unit."""
        if self.inverse:
            return 1 / (value * self.size)
        return (value - self.offset) * self.size

    def from_base(self, value: Decimal) -> Decimal:
        """The reverse of `to_base`."""
        if self.inverse:
            return 1 / (value * self.size)
        return value / self.size + self.offset


POWER_WORDS = {3: "thousand", 6: "million", 9: "billion", 12: "trillion", 15: "quadrillion"}

_PREFIXES = {
    "Y": ("yotta", 24), "Z": ("zetta", 21), "E": ("exa", 18), "P": ("peta", 15), "T": ("tera", 12),
    "G": ("giga", 9), "M": ("mega", 6), "k": ("kilo", 3), "h": ("hecto", 2), "da": ("deca", 1),
    "d": ("deci", -1), "c": ("centi", -2), "m": ("milli", -3), "u": ("micro", -6), "µ": ("micro",
    -6), "μ": ("micro", -6), "n": ("nano", -9), "p": ("pico", -12), "f": ("femto", -15), "a":
    ("atto", -18),
}  # fmt: skip
_PREFIXED = ("m", "g", "L", "l", "W", "J", "Pa", "N", "Hz", "eV", "pc", "bar", "s", "cal", "Wh")
_PREFIXED_DEFAULTS = {
    "km": "mi", "cm": "in", "mm": "in", "dm": "in", "um": "in", "µm": "in", "μm": "in", "nm": "in",
    "Mm": "mi", "Gm": "mi", "Tm": "mi", "kg": "lb", "Mg": "LT ST", "Gg": "lb", "mg": "gr",
    "ug": "gr", "µg": "gr", "kpc": "kly", "Mpc": "Mly", "hm": "mi", "dam": "ft", "Gpc": "Gly",
    "dl": "impoz USoz", "dL": "impoz USoz", "keV": "fJ", "MeV": "pJ", "GeV": "nJ", "TeV": "uJ",
    "aJ": "eV", "fJ": "keV", "pJ": "MeV",
}  # fmt: skip
_POWERED_DEFAULTS = {
    "e3acre": "km2", "e6acre": "km2", "e6ha": "e6acre", "e6km2": "e6sqmi", "e6sqmi": "e6km2",
    "e6m2": "e6sqft", "e3km": "e3mi", "e3mi": "e3km", "e6km": "e6mi", "e6mi": "e6km", "e9km": "AU",
    "e9mi": "e9km", "e6carat": "t", "e6ST": "Mt",
}  # fmt: skip
_PER_DEFAULTS = {
    "kg/m3": "lb/cuyd", "g/cm3": "lb/cuin", "kg/L": "lb/USgal", "lb/USgal": "kg/L",
    "lb/cuft": "g/cm3", "lb/ft3": "g/cm3", "lb/cuin": "g/cm3", "lb/in3": "g/cm3",
    "t/ha": "LT/acre ST/acre", "kg/m2": "lb/sqft", "lb/sqft": "kg/m2", "L/s": "cuft/s",
    "L/min": "cuft/min", "L/h": "cuft/h", "USgal/s": "m3/s", "USgal/min": "m3/s",
    "USgal/h": "m3/s", "impgal/s": "m3/s", "impgal/min": "m3/s", "impgal/h": "m3/s",
}  # fmt: skip

_PREFIXED_NAMES = {
    "kilometre": "km", "centimetre": "cm", "millimetre": "mm", "micrometre": "um", "kilogram": "kg",
    "milligram": "mg", "kilometer": "km", "centimeter": "cm", "millimeter": "mm",
    "kilometres": "km", "centimetres": "cm", "millimetres": "mm", "kilograms": "kg",
    "kilometers": "km", "centimeters": "cm", "millimeters": "mm", "kgs": "kg", "kilos": "kg",
}  # fmt: skip

# Which units are shown by their symbol where others go by name, and temperatures' zeros.
_BY_SYMBOL = ("°C", "°F", "°R", "K")
_SHOWN = {"=": "name", "~": "free name", "^": "before"}
_OFFSETS = {"°C": Decimal("-273.15"), "°F": Decimal("-459.67")}

MULTIPLES = {
    "ftin": ("ft", "in"),
    "stlb": ("st", "lb"),
    "lboz": ("lb", "oz"),
    "ydft": ("yd", "ft"),
    "mifur": ("mi", "furlong"),
}
"""Output codes that stand for two units: 5 ft 11 in."""

SUBDIVISIONS: dict[tuple[str, str], str] = {
    ("ft", "in"): "m",
    ("yd", "ft"): "m",
    ("yd", "in"): "m",
    ("mi", "yd"): "km",
    ("mi", "ft"): "km",
    ("mi", "chain"): "km",
    ("mi", "furlong"): "km",
    ("chain", "ft"): "m",
    ("chain", "yd"): "m",
    ("st", "lb"): "kg",
    ("lb", "oz"): "kg",
    ("long ton", "long cwt"): "t",
    ("long ton", "lb"): "t",
    ("long ton", "cwt"): "t",
    ("furlong", "yd"): "m",
    ("imp gal", "imp pt"): "L",
    ("cwt", "lb"): "kg",
    ("long cwt", "lb"): "kg",
    ("fathom", "ft"): "m",
}
"""Two units of one measurement, by symbol, and their default output unit."""

# Feet and pounds out of whole numbers keep one more digit (the template's own exception).
MORE_PRECISE = ("ft", "lb")


_AMERICAN = {"metre": "meter", "litre": "liter", "tonne": "metric ton", "US ": "U.S. "}


def american(name: str) -> str:
    """The name in American spelling."""
    for british, us in _AMERICAN.items():
        name = name.replace(british, us)
    return name


def _number(text: str) -> Decimal:
    top, slash, bottom = text.partition("/")
    return Decimal(top) / Decimal(bottom) if slash else Decimal(top)


def _read_table() -> dict[str, Unit]:
    units, kind = {}, ""
    for line in files(__package__).joinpath("units.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        codes, symbol, name, plural, size, default = (part.strip() for part in line.split("|"))
        shown = _SHOWN.get(name[0], "symbol" if symbol in _BY_SYMBOL else "")
        name = name.lstrip("".join(_SHOWN))
        unit = Unit(
            symbol=symbol,
            name=name,
            plural=plural or name + "s",
            size=_number(size),
            kind=kind,
            default=default,
            offset=_OFFSETS.get(symbol, _ZERO) if kind == "temperature" else _ZERO,
            shown=shown,
            inverse=symbol == "L/100 km",
        )
        units |= dict.fromkeys((code.replace("_", " ") for code in codes.split()), unit)
    for unit in list(units.values()):
        for name in (unit.name, unit.plural, american(unit.name), american(unit.plural)):
            units.setdefault(name, unit)
    return units


_UNITS = _read_table()


def _prefixed(code: str) -> Unit | None:
    code = _PREFIXED_NAMES.get(code, code)
    for length in (1, 2):
        prefix, base = code[:length], code[length:]
        if prefix in _PREFIXES and base in _PREFIXED:
            word, power = _PREFIXES[prefix]
            unit = _UNITS[base]
            symbol = ("μ" if word == "micro" else prefix) + unit.symbol
            return replace(
                unit,
                symbol=symbol,
                name=word + unit.name,
                plural=word + unit.plural,
                size=unit.size.scaleb(power),
                default=_PREFIXED_DEFAULTS.get(code, unit.default),
            )
    return None


def _powered(code: str) -> Unit | None:
    digits = code[1:3] if code[1:3].isdecimal() else code[1:2]
    if not digits.isdecimal() or int(digits) not in POWER_WORDS:
        return None
    unit = find_unit(code[1 + len(digits) :])
    if unit is None or unit.power:
        return None
    default = _POWERED_DEFAULTS.get(code, unit.default)
    return replace(unit, power=int(digits), size=unit.size.scaleb(int(digits)), default=default)


_PLAIN = str.maketrans("²³·", "23.")
_CURRENCIES = ("$", "€", "£", "¥", "₹")
_STANDARD_GRAVITY = Decimal("9.80665")


def _per(code: str) -> Unit | None:
    top_code, _, bottom_code = code.partition("/")
    bottom = find_unit(bottom_code)
    if top_code in _CURRENCIES:
        return _price(top_code, bottom) if bottom else None
    top = find_unit(top_code) if top_code else _UNITS["PD"]
    if top is None or bottom is None or top.kind.startswith("temp") or "/" in bottom_code:
        return None
    start = f"{top.name} " if top_code else ""
    starts = f"{top.plural} " if top_code else ""
    into = bottom_code if bottom.kind == "time" else bottom.default.split()[0]
    parts = f"{(top.default or top_code).split()[0]}/{into}"
    kind, size = f"{top.kind}/{bottom.kind}", top.size / bottom.size
    if kind == "mass/area":
        kind, size = "pressure", size * _STANDARD_GRAVITY
    return Unit(
        symbol=f"{top.symbol}/{bottom.symbol}",
        name=f"{start}per {bottom.name}",
        plural=f"{starts}per {bottom.name}",
        size=size,
        kind=kind,
        default=_PER_DEFAULTS.get(code, parts),
        power=top.power,
    )


def _price(currency: str, unit: Unit) -> Unit:
    return Unit(
        symbol=f"/{unit.symbol}",
        name=f"per {unit.name}",
        plural=f"per {unit.name}",
        size=1 / unit.size,
        kind=f"{currency}/{unit.kind}",
        default=f"{currency}/{unit.default.split()[0]}",
        currency=currency,
    )


@lru_cache(maxsize=4096)
def find_unit(code: str) -> Unit | None:
    """The unit of a code of the template (`km`, `e6acre`, `oilbbl/d`), or None."""
    code = code.strip().translate(_PLAIN)
    if len(code) > 40:
        return None
    if unit := _UNITS.get(code) or _prefixed(code):
        return unit
    if code.startswith("e") and (unit := _powered(code)):
        return unit
    return _per(code) if "/" in code else None
