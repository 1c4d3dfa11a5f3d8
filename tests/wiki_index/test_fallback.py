"""Reading without a parser: what is kept."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki_index.fallback import MAX_DEPTH, Flattened, parse_plain
from wiki_index.languages import Site
from wiki_index.types import RawPage
from wiki_index.wikitext import parse

ENGLISH = Site.default("en")
FRAGMENT = Path(__file__).parents[2] / ".." / "shared" / "data" / "enwiki-2016-fragment.xml.bz2"

PAGE = """{{Infobox ship|name=Ariel}}
'''Ariel''' is a [[Ship (vessel)|ship]] of {{convert|20|m|ft}}.<ref>x</ref> {{lang|de|Schiff}}
[[File:A.jpg|thumb|A [[ship]]]]
{| class="wikitable"
| a table
|}
== Life ==
* {{nowrap|one {{small|two}}|x=y}}
* [[Pier]]{{citation needed}}
== References ==
=== Books ===
* gone
[[Category:Ships]]
"""


def plain(text: str):
    return parse_plain(RawPage("Ariel", 0, 1, text), ENGLISH)


def test_a_page_without_a_parser() -> None:
    article = plain(PAGE)
    assert article.via == "fallback"
    assert article.text == "Ariel is a ship of 20 m. Schiff\none two\nPier"
    assert [s.heading for s in article.sections] == ["", "Life"]
    assert article.links == ("Ship (vessel)", "Ship", "Pier")
    assert plain("* [[A]]\n{{disambiguation}}").kind == "disambiguation"
    assert plain("* [[A]]\n[[Category:Disambiguation pages]]").kind == "disambiguation"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a {{b|c", "a b c"),
        ("a [[b|c", "a b c"),
        ("a }} b ]] c", "a  b  c"),
        ("{| x\nand text", "x and text"),
        ("a = b | c", "a = b | c"),
        ("{{nowrap|[[a|b]]|c=[[d]]}}", "b"),
        ("[[a|b {{small|c}}]]", "b c"),
    ],
)
def test_what_is_not_closed_leaves_its_text(source: str, text: str) -> None:
    assert plain(source).text.split() == text.split()


def test_arguments_come_in_order() -> None:
    seen = []
    Flattened(
        "{{a|b|c=d=e|{{f}}|[[g|h]]}}", ENGLISH, lambda name, args: seen.append((name, args)) or name
    )
    assert seen == [("f", []), ("a", [(None, "b"), ("c", "d=e"), (None, "f"), (None, "h")])]


def test_deep_nesting_keeps_the_text() -> None:
    deep = MAX_DEPTH * 3
    assert plain("{{a|k=v|" * deep + "x" + "}}" * deep).text == "x"
    assert plain("[[a|{{b|" * deep + "x" + "}}]]" * deep).text == "x"
    assert plain("[[" * deep + "x" + "]]" * deep).text == "x"


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(
            ["{{", "}}", "[[", "]]", "\n{|", "\n|}", "|", "=", "a", "\n", "File:b", "''"]
        )
    ).map("".join)
)
def test_any_soup_is_read(soup: str) -> None:
    text = plain(soup).text
    assert not {"{{", "}}", "[[", "]]"} & {text[i : i + 2] for i in range(len(text))} or "}" in soup


def test_the_real_pages_keep_most_of_their_words() -> None:
    if not FRAGMENT.exists():
        pytest.skip("../shared/data is not there: the real fragment is not read")
    from lxml import etree

    with bz2.open(FRAGMENT) as dump:
        for number, (_, page) in enumerate(etree.iterparse(dump, tag="{*}page")):
            if page.find("{*}redirect") is not None or number % 8:
                continue
            text = page.findtext("{*}revision/{*}text") or ""
            raw = RawPage(page.findtext("{*}title") or "", 0, 1, text)
            words = parse(raw, ENGLISH).text.split()
            kept = set(parse_plain(raw, ENGLISH).text.split())
            assert sum(word in kept for word in words) > 0.8 * len(words), raw.title
