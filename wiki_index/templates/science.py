"""Signs of the sciences and music: formulas, nuclides, mathematics, coordinates, notes."""

from __future__ import annotations

import re
from decimal import Decimal

from wiki_index.latex import plain_math
from wiki_index.templates.numbers import MINUS, group, parse_number
from wiki_index.templates.registry import Call, constants, template

_ELEMENTS = """
hydrogen H|helium He|lithium Li|beryllium Be|boron B|carbon C|nitrogen N|oxygen O|fluorine F
neon Ne|sodium Na|magnesium Mg|aluminium Al|aluminum Al|silicon Si|phosphorus P|sulfur S
sulphur S|chlorine Cl|argon Ar|potassium K|calcium Ca|scandium Sc|titanium Ti|vanadium V
chromium Cr|manganese Mn|iron Fe|cobalt Co|nickel Ni|copper Cu|zinc Zn|gallium Ga|germanium Ge
arsenic As|selenium Se|bromine Br|krypton Kr|rubidium Rb|strontium Sr|yttrium Y|zirconium Zr
niobium Nb|molybdenum Mo|technetium Tc|ruthenium Ru|rhodium Rh|palladium Pd|silver Ag|cadmium Cd
indium In|tin Sn|antimony Sb|tellurium Te|iodine I|xenon Xe|caesium Cs|cesium Cs|barium Ba
lanthanum La|cerium Ce|praseodymium Pr|neodymium Nd|promethium Pm|samarium Sm|europium Eu
gadolinium Gd|terbium Tb|dysprosium Dy|holmium Ho|erbium Er|thulium Tm|ytterbium Yb|lutetium Lu
hafnium Hf|tantalum Ta|tungsten W|rhenium Re|osmium Os|iridium Ir|platinum Pt|gold Au|mercury Hg
thallium Tl|lead Pb|bismuth Bi|polonium Po|astatine At|radon Rn|francium Fr|radium Ra|actinium Ac
thorium Th|protactinium Pa|uranium U|neptunium Np|plutonium Pu|americium Am|curium Cm
berkelium Bk|californium Cf|einsteinium Es|fermium Fm|mendelevium Md|nobelium No|lawrencium Lr
rutherfordium Rf|dubnium Db|seaborgium Sg|bohrium Bh|hassium Hs|meitnerium Mt|darmstadtium Ds
roentgenium Rg|copernicium Cn|nihonium Nh|flerovium Fl|moscovium Mc|livermorium Lv|tennessine Ts
oganesson Og|ununtrium Uut|ununpentium Uup|ununseptium Uus|ununoctium Uuo|ununennium Uue
unbinilium Ubn|unbiunium Ubu|unbibium Ubb|unbitrium Ubt|unbiquadium Ubq|neutron n|proton p
electron e|deuterium D|tritium T
"""
# Elements whose own template is their symbol, and not a box about them.
_CALLED = "hydrogen carbon nitrogen oxygen fluorine sodium phosphorus sulfur chlorine potassium"
_SYMBOL = dict(e.rsplit(" ", 1) for e in _ELEMENTS.replace("\n", "|").split("|") if e)


constants({name: _SYMBOL[name] for name in _CALLED.split()})


_CHARGE = re.compile(r"(?<=^\d)-$|^-$")


@template("chem|chemf")
def chem(call: Call) -> str:
    """`{{chem|SO|4|2-}}` is SO42−, sub- and superscripts on the line."""
    return "".join(_CHARGE.sub(MINUS, value) for value in call.values())


@template("chem2|ce2")
def chem2(call: Call) -> str:
    """`{{chem2|SO4(2-)}}` is SO42−. https://en.wikipedia.org/wiki/Template:Chem2"""
    text = "".join(call.values())
    text = re.sub(r"\((\d*)([+\-−])\)", lambda m: m[1] + m[2].replace("-", MINUS), text)
    text = text.replace("<->", "⇌").replace("->", "→").replace("*", "·")
    text = re.sub(r"(?<=[\w)\]])-(?=\s|$)", MINUS, text)
    return re.sub(r"[_^]|\{|\}", "", text)


@template("simplenuclide|simplenuclide2|nuclide|nuclide2")
def nuclide(call: Call) -> str:
    """`{{SimpleNuclide2|lithium|7}}` is 7Li."""
    element = call.get("link", 1) if not call.get(1) else call.get(1)
    mass = call.get(2, "mass")
    return mass + _SYMBOL.get(element.lower(), element)


@template("physicsparticle|subatomicparticle|subatomic particle|physics particle")
def particle(call: Call) -> str:
    """`{{SubatomicParticle|up quark}}`: its symbol, or its name where it has none here."""
    symbols = {
        "electron": "e−", "positron": "e+", "proton": "p", "proton+": "p+", "neutron": "n",
        "neutron0": "n0", "antiproton": "p̄", "photon": "γ", "gluon": "g", "muon": "μ−",
        "antimuon": "μ+", "tau": "τ−", "electron neutrino": "νe", "electron antineutrino": "ν̄e",
        "muon neutrino": "νμ", "tau neutrino": "ντ", "up quark": "u", "down quark": "d",
        "strange quark": "s", "charm quark": "c", "bottom quark": "b", "top quark": "t",
        "w boson": "W", "w boson+": "W+", "w boson-": "W−", "w+ boson": "W+", "w- boson": "W−",
        "z boson": "Z", "z boson0": "Z0", "higgs boson": "H0", "alpha": "α", "pion": "π",
        "pion+": "π+", "pion-": "π−", "pion0": "π0", "kaon": "K", "kaon+": "K+", "kaon-": "K−",
        "kaon0": "K0", "neutrino": "ν", "antineutrino": "ν̄", "beta-": "β−",
    }  # fmt: skip
    text = call.get(1)
    decorated = call.get("TL") + text + call.get("TR", "BR")
    return symbols.get(text.lower(), text if call.key.startswith("sub") else decorated)


constants({"co2": "CO2", "h2o": "H2O", "o2": "O2", "nox": "NOx", "sox": "SOx"})
constants({"eqm": "⇌", "pi": "π", "hbar": "ħ", "π": "π", "gamma": "γ", "isin": "∈", "cdot": "·"})
constants({"infin": "∞", "infty": "∞", "tau": "τ", "phi": "φ"})


@template("math|bigmath|vec|vect|vector|brace")
def math(call: Call) -> str:
    """A formula set in text."""
    return call.get(1)


@template(
    "abs|mabs|norm|mset|paren|bra|ket|bra-ket|braket|bra-ket notation|set|floor|ceil|open-open|"
    "closed-closed|open-closed|closed-open|sqrt|radic|nthroot|root|square root"
)
def enclosed(call: Call) -> str:
    """Text in the signs of the template's name: `{{sqrt|2}}` is √2."""
    text = ", ".join(v for v in call.values() if v)
    if call.key in ("sqrt", "radic", "nthroot", "root", "square root"):
        inside, degree = call.get(1), call.get(2)
        if call.key in ("nthroot", "root") and degree:
            inside, degree = degree, inside
        inside = f"({inside})" if re.search(r"[+\-−·/ ]", inside) else inside
        return f"{degree}√{inside}"
    if call.key == "bra-ket" or call.key == "braket" or call.key == "bra-ket notation":
        return f"⟨{'|'.join(v for v in call.values() if v)}⟩"
    ends = {
        "abs": "||", "mabs": "||", "norm": "‖‖", "mset": "{}", "set": "{}", "paren": "()",
        "bra": "⟨|", "ket": "|⟩", "angbra": "⟨⟩", "floor": "⌊⌋", "ceil": "⌈⌉", "open-open": "()",
        "closed-closed": "[]", "open-closed": "(]", "closed-open": "[)", "langle-rangle": "⟨⟩",
    }[call.key]  # fmt: skip
    return ends[0] + text + ends[1]


@template("su|sup sub|subsup|sub sup|supsub")
def stacked(call: Call) -> str:
    """`{{su|p=2|b=1}}`: what stands above and below, on the line."""
    return call.get(1) + call.get("b", 3) + call.get("p", 2)


@template("intorient|oiint|intmath|sum|prod")
def integral(call: Call) -> str:
    return {"sum": "∑", "prod": "∏"}.get(call.key, "∫")


@template("music|musical symbol")
def music(call: Call) -> str:
    """`{{music|flat}}` is ♭. https://en.wikipedia.org/wiki/Template:Music"""
    signs = {
        "flat": "♭", "b": "♭", "flat sign": "♭", "sharp": "♯", "#": "♯", "natural": "♮", "n": "♮",
        "doublesharp": "𝄪", "double sharp": "𝄪", "x": "𝄪", "##": "𝄪", "doubleflat": "𝄫",
        "double flat": "𝄫", "bb": "𝄫", "dim": "o", "diminished": "o", "halfdim": "ø",
        "half-diminished": "ø", "aug": "+", "augmented": "+", "major": "Δ", "delta": "Δ",
        "note": "♪", "eighth": "♪", "quaver": "♪", "quarter": "♩", "crotchet": "♩", "half": "𝅗𝅥",
        "minim": "𝅗𝅥", "whole": "𝅝", "semibreve": "𝅝", "sixteenth": "𝅘𝅥𝅯", "semiquaver": "𝅘𝅥𝅯",
        "treble": "𝄞", "treble clef": "𝄞", "bass": "𝄢", "bass clef": "𝄢", "alto": "𝄡",
        "fermata": "𝄐", "segno": "𝄋", "coda": "𝄌", "common-time": "𝄴", "common time": "𝄴",
        "cut-time": "𝄵", "cut time": "𝄵", "alla breve": "𝄵", "trill": "𝆖", "mordent": "𝆝",
        "halfsharp": "𝄲", "halfflat": "𝄳",
    }  # fmt: skip
    kind = call.get(1).lower()
    if kind in ("time", "time signature"):
        return f"{call.get(2)}/{call.get(3)}".rstrip("/")
    if kind in ("scale", "scale degree", "hat"):
        return call.get(2)
    return signs.get(kind, call.get(2) if call.get(2) else "")


@template("tmath")
def tex(call: Call) -> str:
    """A formula in TeX."""
    return plain_math(call.get(1))


@template("chord")
def chord(call: Call) -> str:
    return "".join(call.values())


def _angle(parts: list[str]) -> str:
    return "".join(
        part.replace("-", MINUS) + mark for part, mark in zip(parts, "°′″", strict=False) if part
    )


_OF_BODIES = {
    "solar mass": "M☉", "solar radius": "R☉", "solar luminosity": "L☉", "earth mass": "M🜨",
    "earth radius": "R🜨", "jupiter mass": "MJ", "jupiter radius": "RJ", "lunar mass": "M☾",
}  # fmt: skip


@template("|".join(_OF_BODIES))
def by_a_body(call: Call) -> str:
    """`{{solar mass|20}}` is 20 M☉."""
    return f"{call.get(1)} {_OF_BODIES[call.key]}".lstrip()


@template("ra|dec")
def celestial(call: Call) -> str:
    """`{{RA|05|35|17.3}}` is 05h 35m 17.3s, `{{DEC|-05|23|28}}` is −05° 23′ 28″."""
    parts = zip(call.values(), "hms" if call.key == "ra" else "°′″", strict=False)
    return " ".join(value.replace("-", MINUS) + mark for value, mark in parts if value)


@template(
    "coord|coord2|coor|coor dms|coor dm|coor d|coor at dms|coor title dms|"
    "lunar coords and quad cat|lunar coords|mars coords and quad cat|mars coords|coor title dm|"
    "coor title d|coords|coordinates|venus coords and quad cat|mercury coords and quad cat"
)
def coord(call: Call) -> str:
    """`{{coord|57|18|22|N|4|27|32|W}}` is 57°18′22″N 4°27′32″W; nothing if shown by the title only.

    https://en.wikipedia.org/wiki/Template:Coord
    """
    display = call.get("display").lower().replace(" ", "")
    if display in ("title", "t") or " title" in call.key:
        return ""
    values = [v for v in call.values() if v]
    north = next((i for i, v in enumerate(values) if v in ("N", "S")), -1)
    east = next((i for i, v in enumerate(values) if v in ("E", "W", "O")), -1)
    if north < 0 or east < north:
        if len(values) < 2 or parse_number(values[1]) is None:
            return ""
        values = values[:2]
        south, west = (value[:1] in ("-", MINUS) for value in values)
        signs = ["NS"[south], "EW"[west]]
        angles = [[value.lstrip(f"-+{MINUS}")] for value in values]
    else:
        signs = [values[north], values[east]]
        angles = [values[:north], values[north + 1 : east]]
    form = call.get("format").lower()
    if form == "dms":
        angles = _in_minutes(angles)
    elif form == "dec":
        angles = list(map(_in_degrees, angles))
    return " ".join(_angle(angle) + sign for angle, sign in zip(angles, signs, strict=True))


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _in_minutes(angles: list[list[str]]) -> list[list[str]]:
    """Decimal degrees with minutes, and with seconds where they have three decimals."""
    degrees = [parse_number(angle[0]) for angle in angles if len(angle) == 1]
    if len(degrees) < 2 or None in degrees:
        return angles
    digits = max(_decimals(angle[0]) for angle in angles)
    if not digits:
        return angles
    shown = []
    for angle in degrees:
        if digits < 3:
            whole, minutes = divmod(round(angle * 60), 60)
            shown.append([str(whole), f"{minutes:02}"])
        else:
            minutes, seconds = divmod(round(angle * 3600), 60)
            shown.append([str(minutes // 60), f"{minutes % 60:02}", f"{seconds:02}"])
    return shown


def _in_degrees(angle: list[str]) -> list[str]:
    """Degrees, minutes and seconds in decimal degrees."""
    numbers = [parse_number(part) for part in angle]
    if len(angle) < 2 or None in numbers:
        return angle
    total = sum((number / 60**i for i, number in enumerate(numbers)), Decimal(0))
    places = 1 + 2 * (len(angle) - 1) + _decimals(angle[-1])
    return [f"{total:.{places}f}"]


@template("dentalformula|dental formula")
def dental_formula(call: Call) -> str:
    """Upper over lower teeth."""
    return f"{call.get('upper')}/{call.get('lower')}".strip("/")


@template("oeis|oeis2c|oeis link|oeis-link")
def oeis(call: Call) -> str:
    """`{{OEIS|A000045}}` is (sequence A000045 in the OEIS)."""
    number = call.get("id", 1)
    if call.key == "oeis":
        return f"(sequence {number} in the OEIS)"
    return f"OEIS: {number}" if call.key == "oeis2c" else number


@template("unichar|u+")
def unichar(call: Call) -> str:
    """`{{unichar|00E9|name}}` is U+00E9 é NAME."""
    code, name = call.get(1).removeprefix("U+"), call.get(2)
    try:
        shown = chr(int(code, 16))
    except (ValueError, OverflowError):
        return f"U+{code}"
    shown = shown if shown.isprintable() else ""
    return " ".join(filter(None, (f"U+{code.upper()}", shown, name.upper())))


@template("mpc|minor planet|mpl|mpl-")
def minor_planet(call: Call) -> str:
    return " ".join(v for v in call.values() if v)


@template("rail gauge|railgauge|track gauge|gauge")
def rail_gauge(call: Call) -> str:
    """`{{RailGauge|1435mm}}` is 1,435 mm (4 ft 8 1⁄2 in). https://en.wikipedia.org/wiki/Template:Track_gauge"""
    imperial = {
        "1435": "4 ft 8 1⁄2 in", "1000": "3 ft 3 3⁄8 in", "1067": "3 ft 6 in",
        "1668": "5 ft 5 21⁄32 in", "1676": "5 ft 6 in", "1520": "4 ft 11 27⁄32 in", "1524": "5 ft",
        "1600": "5 ft 3 in", "914": "3 ft", "762": "2 ft 6 in", "750": "2 ft 5 1⁄2 in",
        "600": "1 ft 11 5⁄8 in", "610": "2 ft", "950": "3 ft 1 3⁄8 in", "1050": "3 ft 5 11⁄32 in",
        "891": "2 ft 11 3⁄32 in", "760": "2 ft 5 15⁄16 in", "1372": "4 ft 6 in", "381": "15 in",
        "900": "2 ft 11 7⁄16 in", "800": "2 ft 7 1⁄2 in",
    }  # fmt: skip
    names = {"1435": "standard gauge", "1000": "metre gauge"}
    text = call.get(1).replace(" ", "").lower()
    aliases = {
        "sg": "1435", "ussg": "1435", "standard": "1435", "4ft8.5in": "1435", "4ft81/2in": "1435",
        "3ft6in": "1067", "3ft": "914", "2ft": "610", "5ft6in": "1676", "5ft3in": "1600",
        "2ft6in": "762", "5ft": "1524",
    }  # fmt: skip
    gauge = aliases.get(text, text.removesuffix("mm"))
    if gauge not in imperial:
        return call.get(1)
    metric = f"{group(gauge)} mm"
    first, second = (
        (imperial[gauge], metric)
        if text in aliases and text[0].isdigit()
        else (metric, imperial[gauge])
    )
    shown = first if call.get("disp") == "1" else f"{first} ({second})"
    name = names.get(gauge, "")
    return f"{shown} {name}" if name and call.flag("allk", "al") else shown
