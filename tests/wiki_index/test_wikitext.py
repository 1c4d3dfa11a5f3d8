"""Reading a page: never raises, and what the golden cases cannot say."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki_index.brackets import MAX_TEMPLATE_DEPTH
from wiki_index.languages import Site, is_disambiguation, is_tail, redirect_target
from wiki_index.latex import plain_math
from wiki_index.prose import mend, plain_quotes
from wiki_index.types import Article, RawPage
from wiki_index.wikitext import parse

ENGLISH = Site.default("en")

TOKENS = (
    "[[", "]]", "{{", "}}", "{{{", "{|", "\n{|", "\n|}", "\n|-\n", "|", "||", "!", "=", "\n=",
    "\n==", "==\n", "''", "'''", "'", "\n*", "\n#", "\n:", "\n;", ":", ";", "\n ", "\n----",
    "<ref>", "</ref>", "<ref name=a/>", "<ref", "<!--", "-->", "<nowiki>", "</nowiki>", "<math>",
    "</math>", "<div>", "</div>", "<br>", "<table>", "</table>", "<td>", "<", ">", "&", "&amp;",
    "&#x5b;", "[http://a ", "[", "]", "(", ")", ", ", " ", "\n\n", "-{", "}-", "__TOC__",
    "File:a", "Category:b", "de:c", "a", "[[File:a|", "[[a|", "{{convert|1|km}}",
    "{{infobox a|b=", "{{lang|la|", "{{nowrap|", "{{#if:a|", "{{disambiguation}}", "{{unknown}}",
    "<poem>", "</poem>", "\x04", "\x02li0\x03", "\u200d", "é",
)  # fmt: skip


def read(text: str, site: Site = ENGLISH) -> Article:
    return parse(RawPage("Example", 0, 1, text), site)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(TOKENS), max_size=60).map("".join), st.sampled_from(["en", "zh"]))
def test_any_soup_of_markup_is_read(soup: str, lang: str) -> None:
    article = read(soup, Site.default(lang))
    assert all(p == " ".join(p.split()) != "" for s in article.sections for p in s.paragraphs)
    assert not set(article.text) & set(map(chr, range(32))) - {"\n"}


@settings(max_examples=100)
@given(
    st.text(alphabet=st.characters(categories=["L", "Nd", "Zs", "Po"], exclude_characters="&'*#:;"))
)
def test_text_without_markup_is_kept(text: str) -> None:
    shown = read(f"x{text}x").text
    assert shown == " ".join(unicodedata.normalize("NFC", f"x{text}x").split())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_hostile_pages_need_little_memory() -> None:
    # The kernel's own mark of this very process: `ru_maxrss` inherits that of the test run.
    program = """
from pathlib import Path
from wiki_index.languages import Site
from wiki_index.types import RawPage
from wiki_index.wikitext import parse
for token in ("[[", "{{", "{{a}}", "[[a]]"):
    parse(RawPage("Example", 0, 1, token * (500_000 // len(token))), Site.default())
status = Path("/proc/self/status").read_text()
print(status.split("VmHWM:")[1].split()[0])
"""
    kibibytes = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(kibibytes.stdout) < 300 * 1024


def test_what_is_beyond_the_limits_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for deep in (MAX_TEMPLATE_DEPTH + 5, 10 * MAX_TEMPLATE_DEPTH):
        article = read("Before. " + "{{nowrap|" * deep + "x [[Y|y]]" + "}}" * deep + " After.")
        assert article.via == "fallback"
        assert article.text == "Before. x y After."
    monkeypatch.setattr("wiki_index.expansion.MAX_PARSED", 50)
    many = read("Kept." + " {{nowrap|[[A|a {{convert|1|km|mi|0}}]]}}" * 500)
    assert many.via == "fallback"
    assert many.text == "Kept." + " a 1 kilometre (1 mi)" * 500
    again = read("Kept. " + "{{nowrap|x}} " * 500)
    assert (again.via, again.text) == ("parser", "Kept." + " x" * 500)
    monkeypatch.setattr("wiki_index.expansion.MAX_SHOWN", 5_000)
    more = read("Kept. " + "".join(f"{{{{nowrap|{n}}}}} " for n in range(1_000)) + "End.")
    assert more.dropped["nowrap"] > 0
    assert more.text.endswith(" End.")
    monkeypatch.setattr("wiki_index.expansion.MAX_NAMES", 50)
    names = read("{{nowrap|Kept}}. " + "".join(f"{{{{x{n}}}}} " for n in range(100)) + "End.")
    assert names.dropped["(beyond the limits)"] == 51
    assert (names.via, names.text) == ("fallback", "Kept. End.")
    monkeypatch.setattr("wiki_index.expansion.MAX_TEMPLATES", 50)
    number = read("Kept. " + "{{nowrap|x}} " * 60 + "End.")
    assert number.dropped == {"(beyond the limits)": 10}
    assert (number.via, number.text) == ("fallback", "Kept." + " x" * 50 + " End.")
    monkeypatch.setattr("wiki_index.brackets.MAX_TOKENS", 2)
    assert read("{{nowrap|a}} {{cn}}. [[B {{cn}}]] {{nowrap|c}}").text == "a. B cn nowrap|c"
    assert read("{{nowrap|x}}").via == "parser"


def test_case_rule_of_links() -> None:
    page = RawPage("Example", 0, 1, "[[iPod]] [[_a  b_]] [[A b]]")
    assert parse(page, ENGLISH).links == ("IPod", "A b")
    assert parse(page, Site("en", case="case-sensitive")).links == ("iPod", "a b", "A b")


def test_namespaces_come_from_the_site() -> None:
    site = Site("la", namespaces={6: "Fasciculus", 14: "Categoria"})
    article = read(
        "[[Fasciculus:Navis.jpg|thumb|Navis]]Mare.[[Categoria:Maria]][[File:A.jpg]]", site
    )
    assert article.text == "Mare."
    assert article.links == ()


@pytest.mark.parametrize(
    ("text", "lang", "target"),
    [
        ("#REDIRECT [[North Light]]", "en", "North Light"),
        (" #redirect: [[North Light#History|x]] {{R from move}}", "en", "North Light#History"),
        ("#WEITERLEITUNG [[Hafen]]", "de", "Hafen"),
        ("#ПЕРЕНАПРАВЛЕНИЕ [[Порт]]", "ru", "Порт"),
        ("#転送 [[港]]", "ja", "港"),
        ("#تحويل [[ميناء]]", "ar", "ميناء"),
        ("#REDIRECT North Light", "en", None),
        ("# REDIRECT is a word", "en", None),
        ("See #REDIRECT [[X]]", "en", None),
    ],
)
def test_redirect_target(text: str, lang: str, target: str | None) -> None:
    assert redirect_target(text, Site.default(lang)) == target


def test_words_of_languages() -> None:
    assert is_disambiguation("begriffsklärung", "de")
    assert is_disambiguation("Disambiguation", "fr")
    assert not is_disambiguation("begriffsklärung", "en")
    assert is_tail("Einzelnachweise", "de")
    assert is_tail("See also:", "simple")
    assert not is_tail("History", "en")


@pytest.mark.parametrize(
    ("dropped", "mended"),
    [
        ("a (\x04)", "a"),
        ("a (\x04; b)", "a (b)"),
        ("a (b, \x04)", "a (b)"),
        ("a (b; \x04; c)", "a (b; c)"),
        ("a (\x04, \x04) b", "a b"),
        ("a \x04, b", "a, b"),
        ("a, \x04, b", "a, b"),
        ("a \x04 (b)", "a  (b)"),
        ("a \x04... b", "a ... b"),
        ("\x04, b", "b"),
        ("\x04. b", "b"),
        ("（\x04）は", "は"),
        ("() ( ; ) ,", "() ( ; ) ,"),
    ],
)
def test_mend(dropped: str, mended: str) -> None:
    assert mend(dropped) == mended


@given(st.text(alphabet="' ab", max_size=40))
def test_quotes_keep_all_but_apostrophes(line: str) -> None:
    assert plain_quotes(line).replace("'", "") == line.replace("'", "")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x^2 + y_1", "x2 + y1"),
        (r"\alpha \in \{1, 2\}", "α ∈ {1, 2}"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{(a+b)}{\sqrt{c}}", "(a+b)/(√c)"),
        (r"\sin^2 x \, dx", "sin2 x dx"),
        (r"\text{speed} = 3~\mathrm{m/s}", "speed = 3 m/s"),
        (r"\sum_{i=1}^n i", "∑i=1n i"),
        (r"\bar{ \bar x}(t)", "x\u0304\u0304(t)"),
        (r"\sqrt[3]{x+1} \not= \tfrac Cs", "3√(x+1) ≠ C/s"),
        (r"\alpha = 2\frac{1}{2} - \beta + x", "α = 2 1/2 − β + x"),
        (r"f\colon \overline{AB} \to 90^\circ", "f: AB → 90°"),
        (r"{a}= b", "a = b"),
        (r"a =b=c", "a = b=c"),
        (r"\frac", "/"),
        (r"\frac{1}{2", "1/2"),
        ("{" * 250, ""),
        (r"\begin{matrix} 1 \end{matrix}", ""),
        (r"\unknown{x}", ""),
    ],
)
def test_plain_math(source: str, shown: str) -> None:
    assert plain_math(source) == shown
