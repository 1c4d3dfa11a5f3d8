"""Hostile pages: what reading one costs grows with its length and no faster, and stays within the
limits of the build.

Work is counted, not timed: the functions that the interpreter calls, its own among them.
"""

from __future__ import annotations

import bz2
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_dumps import dump_xml

from wiki_index.dump import Dump
from wiki_index.fallback import parse_plain
from wiki_index.languages import Site
from wiki_index.machine import WORKER_MEMORY
from wiki_index.parsing import Settings
from wiki_index.sentences import split
from wiki_index.transclusion import includable
from wiki_index.types import RawPage
from wiki_index.wikitext import parse
from wiki_index.workers import parse_in_workers

ENGLISH = Site.default("en")
SMALL = 2_000
LARGE = 1_000_000
"""Characters; the largest page that MediaWiki takes has two millions."""
BLANKS = " " * LARGE

# One mark again and again: what is never closed, never opened, or closed at once.
REPEATED = [
    "[[", "]]", "{{", "}}", "{{{", "{|", "\n{|", "\n|}", "\n|-\n| a || b", "<ref", "<ref>",
    "<ref>a</ref>", "[http", "[http a ", "''", "'''", "'''''", "a'''b''c ", "<div>", "<table>",
    "<li>", "<span style='display:none'>", "<nowiki>", "<math>{", "<poem>", "<!--", "&", "&amp;",
    "|", "=", "\n= a =", "\n*", "\n;a:", "{{a|", "{{a}}", "{{a|b}}", "{{small|a}}", "{{cn}},",
    "({{cn}}", "[[a]]", "[[a|b {{c}}]]", "[[File:a|", "[[File:a|[[b]]]]", "{{lang|la|x}}",
    "{{convert|1|km|mi}}", "{{#if:a|b}}", "{{#if:", "{{infobox|a=b}}", "{{plainlist|\n* a}}",
    "(<ref/>)", " ", "\u0301", "-{a;b}-", "__A__", "(A. ", '"A! b" ', "a.b.", "{{[[}}", "[[{{]]",
    "{{a|{{b}}}}", "A. ", "[[File:x|[[File:", "}}}{{{", "}}{{{", "\n*(", "]\n;",
    "<div class='thumb'>",
]  # fmt: skip
# Nested in pairs, as deep as the page is long.
PAIRS = [
    ("{{a|", "}}"), ("{{small|", "}}"), ("{{{a|", "}}}"), ("[[a|", "]]"), ("[[File:a|", "]]"),
    ("\n{|\n|", "\n|}"), ("<table><tr><td>", "</td></tr></table>"), ("<div>", "</div>"),
    ("{{#if:a|", "}}"), ("{{nowrap|[[a|", "]]}}"), ("(", ")"), ("[http://a ", "]"), ("-{", "}-"),
    ("{{infobox|a=", "}}"), ("\n*", ""), ("<ref>", "</ref>"), ("''", "''"), ("{{efn|", "}}"),
]  # fmt: skip
# One template, link, table or line that is as long as the page.
LONG: dict[str, Callable[[int], str]] = {
    "arguments": lambda n: "{{a" + "|b" * (n // 2) + "}}",
    "named arguments": lambda n: "{{infobox" + "".join(f"|a{i}=b" for i in range(n // 8)) + "}}",
    "ranges": lambda n: "{{convert" + "|1|to" * (n // 5) + "|2|km}}",
    "units": lambda n: "{{convert|5|km|mi" + " mi" * (n // 3) + "}}",
    "a language": lambda n: "{{langx|" + "-" * n + "|b}}",
    "a date": lambda n: "{{age|" + "a" * n + "}}",
    "digits": lambda n: "{{convert|" + "1" * n + "|km}}",
    "syllables": lambda n: "{{respell" + "|a" * (n // 2) + "}}",
    "cases": lambda n: "{{#switch:z" + "|b=c" * (n // 4) + "}}",
    "sum": lambda n: "{{#expr:" + "1+" * (n // 2) + "1}}",
    "different templates": lambda n: "".join(f"{{{{a{i}}}}} " for i in range(n // 8)),
    "different measures": lambda n: "".join(f"{{{{convert|{i}|km|mi}}}} " for i in range(n // 22)),
    "nested text": lambda n: "{{small|" * 29 + "''a'' (b), " * (n // 11) + "}}" * 29,
    "a table": lambda n: "{|\n" + "| {{small|a}} || [[b|c]]<br>d\n|-\n" * (n // 34) + "|}",
    "a table that is not closed": lambda n: "{|\n" + "| a || b\n|-\n" * (n // 12),
    "an HTML table": lambda n: "<table>" + "<tr><td>a</td></tr>" * (n // 19) + "</table>",
    "a link": lambda n: "[[a" + "|b" * (n // 2) + "]]",
    "an address": lambda n: "[http://" + "a" * n + " b]",
    "a heading": lambda n: "\n==" + "a " * (n // 2) + "==\n",
    "a line": lambda n: "word " * (n // 5),
    "a sentence of names": lambda n: "J. R. Lee, " * (n // 11),
    "a term": lambda n: "\n;" + "[[a:b]] " * (n // 8),
    "bold": lambda n: "'''a " * (n // 5),
    "left behind": lambda n: "( " * (n // 4) + "{{cn}})" * (n // 8),
    "an entity": lambda n: "&" + "a" * n + ";",
    "links of a disambiguation": lambda n: "* " + "[[a]] " * (n // 6) + "{{disambig}}",
}  # fmt: skip


def _repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit) + 1)


def _nested(opening: str, closing: str, size: int) -> str:
    depth = size // len(opening + closing)
    return opening * depth + "x" + closing * depth


def _pages(size: int) -> dict[str, str]:
    """Every hostile page of about so many characters, by its name."""
    return (
        {f"repeated {unit!r}": _repeated(unit, size) for unit in REPEATED}
        | {f"nested {a!r} {b!r}": _nested(a, b, size) for a, b in PAIRS}
        | {name: make(size) for name, make in LONG.items()}
    )


def _read(text: str) -> None:
    page = RawPage("Example", 0, 1, text)
    quoted = RawPage("Example", 0, 1, f"{{{{quote|{text}}}}}")
    for article in (parse(page, ENGLISH), parse(quoted, ENGLISH), parse_plain(page, ENGLISH)):
        for paragraph in article.text.splitlines():
            split(paragraph, "en", "Example! A")


def _work(text: str) -> int:
    """How many functions are called while a page of this text is read."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        _read(text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", _pages(0))
def test_twice_the_page_is_at_most_twice_the_work(name: str) -> None:
    small, large = _pages(SMALL)[name], _pages(2 * SMALL)[name]
    _read(large)  # so that caches hold what both need
    assert _work(large) <= 2.2 * _work(small) + 500


def test_template_pages_of_a_megabyte() -> None:
    """What is not linear takes minutes over these."""
    assert includable(_repeated("<onlyinclude>", LARGE)) == ""
    assert includable(_repeated("<noinclude>", LARGE)) == ""
    whole = "<onlyinclude>a</onlyinclude>"
    assert includable("b" + whole + _repeated("<onlyinclude>", LARGE)) == "a"


def test_pages_of_a_megabyte_stay_within_a_workers_limits(tmp_path: Path) -> None:
    """A worker ends over a page that takes it too long or too much memory, and says so."""
    texts = {
        "a table": LONG["a table"](LARGE),
        "cells": "{|\n| a\n" * (LARGE // 7),
        "nested pairs": _nested("{{a|", "}}", LARGE),
        "nested links": _nested("[[a|", "]]", LARGE),
        "nested tables": _nested("\n{|\n|", "\n|}", LARGE),
        "measures": "{{convert|1|km|mi}} " * 50_000,
        "different measures": LONG["different measures"](LARGE),
        "notes": _repeated("<ref>", LARGE),
        "a line": LONG["a line"](LARGE),
        "different templates": LONG["different templates"](LARGE),
        "marks in no order": _repeated("\u0301\u0316", LARGE),
        "blanks after an address": f"[http://a{BLANKS}b",
        "blanks in a link": f"[[a{BLANKS}b|]]",
        "a date": LONG["a date"](LARGE),
        "a language": LONG["a language"](LARGE),
        "blanks after an age": f"(aged{{{{cn}}}}{BLANKS}b",
    }
    pages = [RawPage(title, 0, i, text) for i, (title, text) in enumerate(texts.items(), 1)]
    path = tmp_path / "testwiki.xml.bz2"
    path.write_bytes(bz2.compress(dump_xml(pages), 1))
    dump = Dump(path)
    # Its clock is for a busy machine; what grows too fast takes minutes over any of these.
    settings = Settings(dump.site, memory=WORKER_MEMORY, page_seconds=60)
    parsed = [p for r in parse_in_workers(dump.stretches(), settings, 1) for p in r.parsed]
    assert [page.title for page in parsed] == list(texts)
    paths = {page.title: page.failure or page.fallback for page in parsed}
    assert set(paths.values()) <= {"", "beyond the parser's limits"}, paths
