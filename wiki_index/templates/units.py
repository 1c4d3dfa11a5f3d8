"""Units of measure as {{convert}} names them: symbols, names, sizes, what they are turned into.

Sizes are exact where they are defined (https://www.bipm.org/en/publications/si-brochure, NIST
Handbook 44); default conversions follow https://en.wikipedia.org/wiki/Template:Convert/list_of_units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

_ZERO = Decimal(0)


@dataclass(frozen=True)
class Unit:
    """A unit: `size` is how many of its kind's base unit (SI where there is one) it makes."""

    symbol: str
    name: str
    plural: str
    size: Decimal
    kind: str
    default: str = ""
    """The codes it is turned into, blank-separated, where the call names none."""
    offset: Decimal = _ZERO
    """The reading at the base unit's zero, for a temperature."""
    shown: Literal["", "name", "symbol"] = ""
    """Always by its name, or always by its symbol, unless `abbr` says otherwise."""
    inverse: bool = False
    """Counts the reciprocal of its kind's base unit, as L/100 km does."""
    power: int = 0
    """A power of ten before the unit, shown as a word or as ×10 to the power."""

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

# codes | symbol | name | plural, where it is not the name with an s | size | default
_TABLE = """
[length]
m metre meter metres meters | m | metre | | 1 | ft
mi mile miles | mi | mile | | 1609.344 | km
smi | mi | statute mile | | 1609.344 | km
ft foot feet | ft | foot | feet | 0.3048 | m
in inch inches | in | inch | inches | 0.0254 | mm
yd yard yards | yd | yard | | 0.9144 | m
nmi NM | nmi | nautical mile | | 1852 | km mi
fathom fathoms | fathom | =fathom | | 1.8288 | ft m
furlong furlongs | furlong | =furlong | | 201.168 | ft m
chain ch chains | chain | =chain | | 20.1168 | ft m
rod rd rods | rd | rod | | 5.0292 | ft m
hand hands | h | hand | | 0.1016 | in cm
league | league | =league | | 4828.032 | km
mil thou | mil | =mil | | 0.0000254 | mm
au AU | AU | astronomical unit | | 149597870700 | km mi
ly | ly | light-year | | 9460730472580800 | pc
kly | kly | thousand light-years | thousand light-years | 9460730472580800e3 | pc
Mly | Mly | million light-years | million light-years | 9460730472580800e6 | Mpc
pc | pc | parsec | | 3.0856775814913673e16 | ly
angstrom Å | Å | ångström | | 1e-10 | in
verst | verst | =verst | | 1066.8 | km mi
[area]
km2 | km2 | square kilometre | | 1e6 | sqmi
m2 | m2 | square metre | | 1 | sqft
cm2 | cm2 | square centimetre | | 1e-4 | sqin
mm2 | mm2 | square millimetre | | 1e-6 | sqin
ha hectare hectares | ha | hectare | | 1e4 | acre
a are | a | are | | 100 | sqft
acre acres ac | acre | =acre | | 4046.8564224 | ha
sqmi mi2 sq_mi | sq mi | square mile | | 2589988.110336 | km2
sqft ft2 sqfoot sq_ft | sq ft | square foot | square feet | 0.09290304 | m2
sqyd yd2 sq_yd | sq yd | square yard | | 0.83612736 | m2
sqin in2 sq_in | sq in | square inch | square inches | 0.00064516 | cm2
sqnmi | sq nmi | square nautical mile | | 3429904 | km2 sqmi
dunam | dunam | =dunam | dunams | 1000 | km2 sqmi
feddan | feddan | =feddan | | 4200.833 | ha acre
[volume]
m3 | m3 | cubic metre | | 1 | cuft
km3 | km3 | cubic kilometre | | 1e9 | cumi
cm3 | cm3 | cubic centimetre | | 1e-6 | cuin
mm3 | mm3 | cubic millimetre | | 1e-9 | cuin
dm3 | dm3 | cubic decimetre | | 1e-3 | cuin
cc | cc | cubic centimetre | | 1e-6 | cuin
L l litre liter litres | L | litre | | 1e-3 | impgal USgal
ml mL | ml | millilitre | | 1e-6 | impoz USoz
cl cL | cl | centilitre | | 1e-5 | impoz USoz
hl hL | hl | hectolitre | | 0.1 | impgal USgal
Ml ML | Ml | megalitre | | 1000 | e6impgal e6USgal
Gl GL | Gl | gigalitre | | 1e6 | e9impgal e9USgal
cuft ft3 cufoot cu_ft | cu ft | cubic foot | cubic feet | 0.028316846592 | m3
cuin in3 cu_in | cu in | cubic inch | cubic inches | 0.000016387064 | cm3
cuyd yd3 cu_yd | cu yd | cubic yard | | 0.764554857984 | m3
cumi mi3 cu_mi | cu mi | cubic mile | | 4168181825.440579584 | km3
acre.ft acre·ft acreft acre-ft | acre⋅ft | acre-foot | acre-feet | 1233.48183754752 | m3
USgal usgal U.S.gal gal US_gal | US gal | US gallon | | 0.003785411784 | L impgal
impgal imp_gal | imp gal | imperial gallon | | 0.00454609 | L USgal
USqt | US qt | US quart | | 0.000946352946 | ml
impqt | imp qt | imperial quart | | 0.0011365225 | ml
USpt | US pt | US pint | | 0.000473176473 | ml
imppt | imp pt | imperial pint | | 0.00056826125 | ml
USoz USfloz | US fl oz | US fluid ounce | | 0.0000295735295625 | ml
impoz impfloz | imp fl oz | imperial fluid ounce | | 0.0000284130625 | ml
USbu | US bsh | US bushel | | 0.03523907016688 | L
impbu | imp bsh | imperial bushel | | 0.03636872 | L
oilbbl bbl | bbl | barrel | | 0.158987294928 | m3
koilbbl kbbl | kbbl | thousand barrels | thousand barrels | 158.987294928 | m3
Moilbbl Mbbl | Mbbl | million barrels | million barrels | 158987.294928 | m3
Goilbbl | Gbbl | billion barrels | billion barrels | 158987294.928 | e9m3
MUSgal | million US gal | million US gallons | million US gallons | 3785.411784 | Ml
Mcuft | million cu ft | million cubic feet | million cubic feet | 28316.846592 | m3
Gcuft | billion cu ft | billion cubic feet | billion cubic feet | 28316846.592 | m3
Tcuft | trillion cu ft | trillion cubic feet | trillion cubic feet | 28316846592 | m3
USbbl | US bbl | US barrel | | 0.119240471196 | L
[mass]
g gram grams | g | gram | | 1e-3 | oz
lb pound pounds lbs | lb | pound | | 0.45359237 | kg
oz ounce ounces | oz | ounce | | 0.028349523125 | g
st stone | st | stone | stone | 6.35029318 | lb kg
t tonne tonnes | t | tonne | | 1000 | LT ST
MT metricton | t | metric ton | | 1000 | LT ST
kt | kt | kilotonne | | 1e6 | LT ST
Mt | Mt | megatonne | | 1e9 | LT ST
LT L/T longton | long ton | =long ton | | 1016.0469088 | t ST
ST S/T shortton | short ton | =short ton | | 907.18474 | LT t
longcwt | long cwt | long hundredweight | long hundredweight | 50.80234544 | lb kg
shortcwt | short cwt | short hundredweight | short hundredweight | 45.359237 | lb kg
cwt | cwt | hundredweight | hundredweight | 50.80234544 | lb kg
gr grain | gr | grain | | 0.00006479891 | g
ozt | ozt | troy ounce | | 0.0311034768 | oz g
carat carats ct | carat | =carat | | 0.0002 | g
drachm dram | drachm | =drachm | | 0.0017718451953125 | g
dwt | dwt | pennyweight | | 0.00155517384 | oz g
[speed]
km/h kph kmh | km/h | kilometre per hour | kilometres per hour | 1/3.6 | mph
mph mi/h | mph | mile per hour | miles per hour | 0.44704 | km/h
m/s | m/s | metre per second | metres per second | 1 | ft/s
km/s | km/s | kilometre per second | kilometres per second | 1000 | mi/s
ft/s fps | ft/s | foot per second | feet per second | 0.3048 | m/s
ft/min | ft/min | foot per minute | feet per minute | 0.00508 | m/min
m/min | m/min | metre per minute | metres per minute | 1/60 | ft/min
mi/s | mi/s | mile per second | miles per second | 1609.344 | km/s
kn knot knots kt(s) | kn | knot | | 1852/3600 | km/h mph
[temperature]
C °C degC Celsius | °C | degree Celsius | degrees Celsius | 1 | F
F °F degF Fahrenheit | °F | degree Fahrenheit | degrees Fahrenheit | 5/9 | C
K kelvin | K | kelvin | | 1 | C F
R °R Rankine | °R | degree Rankine | degrees Rankine | 5/9 | K F C
[temperature change]
C-change °C-change | °C | degree Celsius change | degrees Celsius change | 1 | F-change
F-change °F-change | °F | degree Fahrenheit change | degrees Fahrenheit change | 5/9 | C-change
K-change | K | kelvin change | kelvins change | 1 | F-change
[pressure]
Pa | Pa | pascal | | 1 | psi
hPa | hPa | hectopascal | | 100 | inHg
kPa | kPa | kilopascal | | 1000 | psi
MPa | MPa | megapascal | | 1e6 | psi
GPa | GPa | gigapascal | | 1e9 | psi
mbar mb millibar | mbar | millibar | | 100 | inHg
bar | bar | =bar | bars | 100000 | kPa
atm | atm | standard atmosphere | | 101325 | kPa
psi | psi | pound per square inch | pounds per square inch | 6894.757293168 | kPa
ksi | ksi | kilopound per square inch | kilopounds per square inch | 6894757.293168 | MPa
psf lb/sqft | lb/sq ft | pound per square foot | pounds per square foot | 47.88025898 | kPa
mmHg | mmHg | millimetre of mercury | millimetres of mercury | 133.322387415 | kPa
inHg | inHg | inch of mercury | inches of mercury | 3386.388640341 | kPa
torr Torr | Torr | torr | torr | 101325/760 | kPa
[energy]
J | J | joule | | 1 | cal
kJ | kJ | kilojoule | | 1000 | kcal
MJ | MJ | megajoule | | 1e6 | kWh
GJ | GJ | gigajoule | | 1e9 | kWh
TJ | TJ | terajoule | | 1e12 | GWh
PJ | PJ | petajoule | | 1e15 | TWh
cal | cal | calorie | | 4.184 | J
kcal Cal | kcal | kilocalorie | | 4184 | kJ
kWh kW.h | kWh | kilowatt-hour | | 3.6e6 | MJ
MWh | MWh | megawatt-hour | | 3.6e9 | GJ
GWh | GWh | gigawatt-hour | | 3.6e12 | TJ
TWh | TWh | terawatt-hour | | 3.6e15 | PJ
Wh | Wh | watt-hour | | 3600 | kJ
BTU Btu | BTU | British thermal unit | | 1055.05585262 | kJ
therm | therm | =therm | | 105505585.262 | kWh
eV | eV | electronvolt | | 1.602176634e-19 | J
ftlbf ftlb-f ft.lbf ft·lbf ftlb ft.lb | ft⋅lb | foot-pound | | 1.3558179483314004 | J
tTNT | t TNT | tonne of TNT | tonnes of TNT | 4.184e9 | GJ
kt(TNT) ktTNT | kt | kiloton of TNT | kilotons of TNT | 4.184e12 | TJ
Mt(TNT) MtTNT | Mt | megaton of TNT | megatons of TNT | 4.184e15 | PJ
[power]
W | W | watt | | 1 | hp
kW | kW | kilowatt | | 1000 | hp
MW | MW | megawatt | | 1e6 | hp
GW | GW | gigawatt | | 1e9 | hp
hp | hp | horsepower | horsepower | 745.69987158227022 | kW
bhp | bhp | brake horsepower | brake horsepower | 745.69987158227022 | kW
ihp | ihp | indicated horsepower | indicated horsepower | 745.69987158227022 | kW
shp | shp | shaft horsepower | shaft horsepower | 745.69987158227022 | kW
whp | whp | wheel horsepower | wheel horsepower | 745.69987158227022 | kW
nhp | nhp | nominal horsepower | nominal horsepower | 745.69987158227022 | kW
PS metrichp cv ch(power) | PS | metric horsepower | metric horsepower | 735.49875 | kW hp
BTU/h Btu/h | BTU/h | British thermal unit per hour | British thermal units per hour | 0.29307107017222 | W
[force]
N | N | newton | | 1 | lbf
kN | kN | kilonewton | | 1000 | lbf
MN | MN | meganewton | | 1e6 | lbf
lbf lb-f | lbf | pound-force | pounds-force | 4.4482216152605 | N
kgf | kgf | kilogram-force | kilograms-force | 9.80665 | N lbf
tf tonf | tf | tonne-force | tonnes-force | 9806.65 | kN
LTf | LTf | long ton-force | long tons-force | 9964.01641818352 | kN
[torque]
Nm N.m N·m N⋅m | N⋅m | newton-metre | | 1 | lbft
kNm | kN⋅m | kilonewton-metre | | 1000 | lbft
lbft lb.ft lb·ft lbf.ft lbfft lb-ft ft.lb(torque) | lb⋅ft | pound-foot | pound-feet | 1.3558179483314004 | Nm
kgm kg.m kgf.m | kg⋅m | kilogram metre | | 9.80665 | Nm lbft
inlb in.lb in.lbf | in⋅lb | inch-pound | | 0.1129848290276167 | Nm
[fuel]
mpgus mpgUS mpg-us mpgu.s. mpg-U.S. mpgUS | mpg‑US | mile per US gallon | miles per US gallon | 425143.707430272 | L/100km mpgimp
mpgimp mpg-imp | mpg‑imp | mile per imperial gallon | miles per imperial gallon | 354006.1899 | L/100km mpgus
km/L km/l | km/L | kilometre per litre | kilometres per litre | 1e6 | mpgimp mpgus
L/100km l/100km L/100_km | L/100 km | litre per 100 kilometres | litres per 100 kilometres | 1e-8 | mpgimp mpgus
[time]
s | s | second | | 1 | s
min | min | minute | | 60 | min
h hr | h | hour | | 3600 | h
d day | d | day | | 86400 | d
wk week | wk | week | | 604800 | wk
month | month | =month | | 2629746 | month
yr y year a(year) | yr | year | | 31556952 | yr
[people]
PD pop | | inhabitant | | 1 | PD
[frequency]
Hz | Hz | hertz | hertz | 1 | Hz
[acceleration]
m/s2 | m/s2 | metre per second squared | metres per second squared | 1 | ft/s2
ft/s2 | ft/s2 | foot per second squared | feet per second squared | 0.3048 | m/s2
g0 | g0 | standard gravity | standard gravities | 9.80665 | m/s2
"""  # noqa: E501

_PREFIXES = {
    "Y": ("yotta", 24), "Z": ("zetta", 21), "E": ("exa", 18), "P": ("peta", 15), "T": ("tera", 12),
    "G": ("giga", 9), "M": ("mega", 6), "k": ("kilo", 3), "h": ("hecto", 2), "da": ("deca", 1),
    "d": ("deci", -1), "c": ("centi", -2), "m": ("milli", -3), "u": ("micro", -6), "µ": ("micro",
    -6), "μ": ("micro", -6), "n": ("nano", -9), "p": ("pico", -12),
}  # fmt: skip
_PREFIXED = ("m", "g", "L", "l", "W", "J", "Pa", "N", "Hz", "eV", "pc", "bar", "s", "cal", "Wh")
_PREFIXED_DEFAULTS = {
    "km": "mi", "cm": "in", "mm": "in", "dm": "in", "um": "in", "µm": "in", "μm": "in", "nm": "in",
    "Mm": "mi", "Gm": "mi", "Tm": "mi", "kg": "lb", "mg": "gr", "ug": "gr", "µg": "gr",
    "kpc": "kly", "Mpc": "Mly", "hm": "mi", "dam": "ft", "Gpc": "Mly",
}  # fmt: skip

_PREFIXED_NAMES = {
    "kilometre": "km", "centimetre": "cm", "millimetre": "mm", "micrometre": "um", "kilogram": "kg",
    "milligram": "mg", "kilometer": "km", "centimeter": "cm", "millimeter": "mm",
    "kilometres": "km", "centimetres": "cm", "millimetres": "mm", "kilograms": "kg",
    "kilometers": "km", "centimeters": "cm", "millimeters": "mm", "kgs": "kg", "kilos": "kg",
}  # fmt: skip

# Which units are shown by their symbol where others go by name, and temperatures' zeros.
_BY_SYMBOL = ("°C", "°F", "°R", "K")
_OFFSETS = {"°C": Decimal("-273.15"), "°F": Decimal("-459.67")}

MULTIPLES = {
    "ftin": ("ft", "in"),
    "stlb": ("st", "lb"),
    "lboz": ("lb", "oz"),
    "ydft": ("yd", "ft"),
    "mifur": ("mi", "furlong"),
}
"""Outputs of two units together: 5 ft 11 in."""

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
"""Two units of one measurement, by symbol, and what both together are turned into."""

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
    for line in _TABLE.strip().splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
            continue
        codes, symbol, name, plural, size, default = (part.strip() for part in line.split("|"))
        always_name, name = name.startswith("="), name.lstrip("=")
        by_symbol = symbol in _BY_SYMBOL
        unit = Unit(
            symbol=symbol,
            name=name,
            plural=plural or name + "s",
            size=_number(size),
            kind=kind,
            default=default,
            offset=_OFFSETS.get(symbol, _ZERO) if kind == "temperature" else _ZERO,
            shown="name" if always_name else "symbol" if by_symbol else "",
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
    return replace(unit, power=int(digits), size=unit.size.scaleb(int(digits)))


def _per(code: str) -> Unit | None:
    top_code, _, bottom_code = code.partition("/")
    top = find_unit(top_code) if top_code else _UNITS["PD"]
    bottom = find_unit(bottom_code)
    if top is None or bottom is None or top.kind.startswith("temp") or "/" in bottom_code:
        return None
    start = f"{top.name} " if top_code else ""
    starts = f"{top.plural} " if top_code else ""
    default = f"{(top.default or top_code).split()[0]}/{bottom.default.split()[0]}"
    return Unit(
        symbol=f"{top.symbol}/{bottom.symbol}",
        name=f"{start}per {bottom.name}",
        plural=f"{starts}per {bottom.name}",
        size=top.size / bottom.size,
        kind=f"{top.kind}/{bottom.kind}",
        default=default,
        power=top.power,
    )


@lru_cache(maxsize=4096)
def find_unit(code: str) -> Unit | None:
    """The unit of a code as the template takes it (`km`, `e6acre`, `oilbbl/d`), or None."""
    code = code.strip()
    if len(code) > 40:
        return None
    if unit := _UNITS.get(code) or _prefixed(code):
        return unit
    if code.startswith("e") and (unit := _powered(code)):
        return unit
    return _per(code) if "/" in code else None
