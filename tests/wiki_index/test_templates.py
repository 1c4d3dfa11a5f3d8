"""The registry and what the golden cases cannot say: every argument, every size, sums done anew."""

from __future__ import annotations

import datetime
import math
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki_index.templates import Call, invisible, is_infobox, normalise, registry, render
from wiki_index.templates.dates import Date, age_between, interval
from wiki_index.templates.expressions import evaluate
from wiki_index.templates.numbers import ordinal_of, words_of
from wiki_index.templates.units import find_unit

FRAGMENT = Path(__file__).parents[2] / ".." / "shared" / "data" / "enwiki-2016-fragment.xml.bz2"

_RENDERERS = {renderer: key for key, renderer in registry._renderers.items()}


def shown(name: str, *positional: str, lang: str = "en", **named: str) -> str | None:
    text = render(Call(normalise(name), positional, named, "Page", lang))
    return text.replace("\N{NO-BREAK SPACE}", " ") if text is not None else None


# Names


def test_names_are_normalised_as_mediawiki_does() -> None:
    assert normalise(" Birth_date   and age ") == "birth date and age"
    assert normalise("IPAc-en") == "iPAc-en"
    assert normalise("") == ""


def test_a_name_in_lower_case_serves_other_spellings() -> None:
    assert shown("Ipac-EN", "æ") == shown("IPAc-en", "æ") == "/æ/"


def test_a_name_with_capitals_serves_no_other() -> None:
    assert shown("USA") == "United States"
    assert shown("usa") is None


def test_unknown_invisible_and_known_differ() -> None:
    assert shown("Towers of the North") is None
    assert shown("Cite web", url="x") == ""
    assert shown("nowrap", "x") == "x"


def test_what_has_text_is_never_cut_unread() -> None:
    assert not [key for key in registry._renderers if invisible(key[1], key[0] or "en")]


@pytest.mark.parametrize(
    "name",
    [
        "Cite EB1911", "cite_quote", "Sfn", "Efn", "refn", "Reflist", "Harvnb", "Use dmy dates",
        "Use British English", "Short description", "Authority control", "Navbox", "Towers navbox",
        "Portal bar", "Commons category", "pp-semi-indef", "tower-stub", "Main", "See also", "For",
        "About", "Redirect", "Further", "Citation needed", "Unreferenced section", "S-bef", "Clade",
        "R from CamelCase", "#tag:ref", "Hauptartikel", "Article détaillé", "Основная статья",
    ],
)  # fmt: skip
def test_names_that_show_nothing(name: str) -> None:
    assert invisible(name)
    assert shown(name, "a", "b") == ""


@pytest.mark.parametrize("name", ["Infobox country", "Taxobox", "Speciesbox", "Ficha de película"])
def test_boxes_of_data_are_not_invisible(name: str) -> None:
    assert is_infobox(normalise(name))
    assert not invisible(name)


@pytest.mark.parametrize("name", ["convert", "lang", "quote", "Towers of the North", "Citadel"])
def test_names_with_text_or_unknown_are_not_invisible(name: str) -> None:
    assert not invisible(name)


# Any arguments

_ARGUMENT = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "",
            " ",
            "1",
            "-5",
            "1e400",
            "9" * 40,
            "1/0",
            "0",
            "km",
            "ft",
            "to",
            "-",
            "2010",
            "13",
            "N",
            "W",
        ]
    ),
)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(_RENDERERS.values())),
    st.lists(_ARGUMENT, max_size=7),
    st.dictionaries(
        st.sampled_from(["1", "abbr", "adj", "disp", "sigfig", "text", "e"]), _ARGUMENT
    ),
)
def test_no_arguments_raise(key: tuple[str, str], positional: list[str], named: dict) -> None:
    lang, name = key
    text = render(Call(name, tuple(positional), named, "Page", lang or "en"))
    assert text is None or isinstance(text, str)


@settings(max_examples=200)
@given(
    st.lists(_ARGUMENT, max_size=6),
    st.dictionaries(
        st.sampled_from(["abbr", "adj", "disp", "sigfig", "round", "frac", "order", "sp", "comma"]),
        st.sampled_from(
            ["on", "off", "mid", "or", "x", "number", "unit2", "flip", "3", "0", "us", "-1"]
        ),
    ),
)
def test_convert_never_raises(positional: list[str], named: dict[str, str]) -> None:
    assert isinstance(render(Call("convert", ("5", *positional), named)), str)


def test_long_arguments_end_no_process() -> None:
    """One whose time grows faster than its argument reaches the limit long before the last."""
    program = """
import resource
from wiki_index.templates import Call, registry, render
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
size = 100_000
hostile = ["1" * size, "1 - " * (size // 4), "(" * size, "* a\\n" * (size // 4), " " * size]
for lang, name in {renderer: key for key, renderer in registry._renderers.items()}.values():
    for text in hostile:
        print(name, repr(text[:4]), flush=True)
        render(Call(name, (text, text, "km"), {"text": text}, text, lang or "en"))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout.splitlines()[-1:] + run.stderr.splitlines()[-1:]


# Sums done anew

# Exact sizes in a base unit, from their definitions, apart from the table under test.
_SIZES = {
    "km": Fraction(1000), "m": Fraction(1), "cm": Fraction(1, 100), "mi": Fraction(1609344, 1000),
    "ft": Fraction(3048, 10000), "in": Fraction(254, 10000), "yd": Fraction(9144, 10000),
    "nmi": Fraction(1852),
}  # fmt: skip
_MASSES = {"kg": Fraction(1), "g": Fraction(1, 1000), "lb": Fraction(45359237, 10**8)}
_MASSES |= {"oz": _MASSES["lb"] / 16, "LT": _MASSES["lb"] * 2240, "t": Fraction(1000)}


def _output(text: str) -> tuple[Fraction, Fraction]:
    """The number in the brackets, and the worth of its last digit that counts."""
    number = re.search(r"\(([\d,.]+)", text)[1].replace(",", "")
    whole, point, decimals = number.partition(".")
    zeros = len(whole) - len(whole.rstrip("0"))
    step = Fraction(1, 10 ** len(decimals)) if point else Fraction(10**zeros)
    return Fraction(number), step


@pytest.mark.parametrize("sizes", [_SIZES, _MASSES])
@given(data=st.data())
@settings(max_examples=150)
def test_convert_is_right_within_its_rounding(
    sizes: dict[str, Fraction], data: st.DataObject
) -> None:
    source = data.draw(st.sampled_from(sorted(sizes)))
    target = data.draw(st.sampled_from(sorted(set(sizes) - {source})))
    digits = data.draw(st.integers(1, 99_999))
    places = data.draw(st.integers(0, 3))
    value = Fraction(digits, 10**places)
    exact = value * sizes[source] / sizes[target]
    written = f"{digits / 10**places:.{places}f}"
    text = shown("convert", written, source, target, abbr="on")
    if "×" in text or exact < Fraction(1, 1000):
        return
    result, step = _output(text)
    assert abs(result - exact) <= step / 2
    assert abs(result - exact) <= exact / 18, "two significant figures"


@given(st.integers(-400, 3000))
@settings(max_examples=100)
def test_convert_temperatures(celsius: int) -> None:
    text = shown("convert", str(celsius), "C", "F", "1")
    fahrenheit = float(text.rpartition("(")[2].split()[0].replace("−", "-").replace(",", ""))
    assert abs(fahrenheit - (celsius * 9 / 5 + 32)) < 0.051


def test_every_default_unit_is_known_and_of_the_same_kind() -> None:
    from wiki_index.templates.units import _UNITS

    for code, unit in _UNITS.items():
        for target in unit.default.split():
            found = find_unit(target)
            assert found is not None, (code, target)
            assert found.kind == unit.kind, (code, target)


_EXPRESSIONS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda t: f"({t[0]}{t[1]}{t[2]})"
    ),
    max_leaves=8,
)


@given(_EXPRESSIONS)
@settings(max_examples=100)
def test_expressions_agree_with_python(text: str) -> None:
    assert evaluate(text) == eval(text)


@pytest.mark.parametrize(
    "text", ["", "1/0", "2^9999", "1+", "(", ")", "a", "sqrt(-1)", "1 2", "(-8)^0.5"]
)
def test_expressions_without_a_result(text: str) -> None:
    assert evaluate(text) is None


_DATES = st.dates(datetime.date(1600, 1, 1), datetime.date(2100, 12, 31))


def _parts(date: datetime.date) -> tuple[str, str, str]:
    return str(date.year), str(date.month), str(date.day)


@given(_DATES, _DATES)
@settings(max_examples=100)
def test_days_between_dates(first: datetime.date, second: datetime.date) -> None:
    text = interval(Call("age in days", (*_parts(first), *_parts(second))))
    assert int(text.replace(",", "")) == (second - first).days


@given(_DATES, st.integers(0, 120))
@settings(max_examples=100)
def test_ages(born: datetime.date, years: int) -> None:
    start = Date(born.year, born.month, born.day)
    end = Date(born.year + years, born.month, born.day)
    assert age_between(start, end) == str(years)


def test_ordinals_and_words() -> None:
    assert [ordinal_of(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 101, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "101st", "111th"]
    )
    assert words_of(0) == "zero"
    assert words_of(45) == "forty-five"
    assert words_of(1000) == "one thousand"
    assert words_of(20_315) == "twenty thousand three hundred and fifteen"
    assert words_of(2_000_007) == "two million and seven"
    assert words_of(10**9) == "1000000000"


@given(st.integers(1, 4999))
@settings(max_examples=50)
def test_roman_numerals_read_back(number: int) -> None:
    worth = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))
    letters = [worth[letter] for letter in shown("roman", str(number))]
    pairs = zip(letters, [*letters[1:], 0], strict=True)
    assert sum(-a if a < b else a for a, b in pairs) == number


@given(st.floats(-1e12, 1e12))
@settings(max_examples=50)
def test_formatnum_reads_back(number: float) -> None:
    text = shown("formatnum", f"{number:.3f}").replace("−", "-").replace(",", "")
    assert math.isclose(float(text), float(f"{number:.3f}"))


# The real fragment

# What these show is known to no renderer: boxes and tables about one subject.
_SUBJECT_BOXES = {
    "abortion methods", "abortionLawsMap", "acids and bases", "agriculture", "algeria Wilayas",
    "alphabet",
    "ancient Greek religion", "anthropology", "anthropology of art", "anthropology of kinship",
    "anthropology of religion", "aristotelianism", "carbon", "cities in Alberta",
    "civil procedure (United States)", "cosmology", "culture of Afghanistan",
    "cyber anthropology", "disability", "economic anthropology", "five oceans", "greek myth",
    "history of Afghanistan", "hydrogen", "lincolnSeries", "medical anthropology",
    "objectivist movement", "periodic table (alkali metals)", "political anthropology",
    "politics of Angola", ":Agricultural science", ":History of agriculture",
}  # fmt: skip


@pytest.mark.skipif(not FRAGMENT.exists(), reason="../shared/data is absent")
def test_the_fragment_uses_no_other_template_without_text() -> None:
    from wiki_index.dump import Dump
    from wiki_index.wikitext import parse

    dump = Dump(FRAGMENT)
    dropped = {
        name for page in dump if page.redirect is None for name in parse(page, dump.site).dropped
    }
    assert dropped <= _SUBJECT_BOXES
