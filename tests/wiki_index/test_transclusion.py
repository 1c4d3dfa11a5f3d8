"""Template pages of the dump: expanded like MediaWiki's, within bounds."""

from __future__ import annotations

import pytest

from wiki_index.languages import Site
from wiki_index.transclusion import (
    MAX_CHARACTERS,
    MAX_SUBSTITUTED,
    called_pages,
    includable,
    is_tame,
    page_key,
)
from wiki_index.types import Article, RawPage
from wiki_index.wikitext import parse

ENGLISH = Site.default("en")
PAGES = {
    "Template:Greet": "Hello, {{{1|world}}}{{{mark|!}}}"
    "<noinclude>[[Category:Greetings]]</noinclude>",
    "Template:Twice": "{{greet|{{{1}}}}} {{greet|{{{1}}}|mark=?}}",
    "Template:Old greet": "#REDIRECT [[Template:Greet]]",
    "Template:Tide": "<includeonly>{{#if:{{{height|}}}|''{{{height}}} m'' tide|no [[tide]]}}"
    "</includeonly><noinclude>See {{tide}}.</noinclude>",
    "Template:Side": "{{#switch: {{lc:{{{1}}}}} | n | north = North | s = South | #default = ? }}",
    "Template:Partly": "a<onlyinclude>b</onlyinclude>c<onlyinclude>d</onlyinclude>",
    "Template:Subst": "{{ {{{|safesubst:}}}#if:{{{1|}}}|yes|no}}",
    "Template:Sights": "Sights:\n* [[Pier|The pier]]\n* {{{1}}}<ref>gone</ref>",
    "Template:Measured": "#REDIRECT [[Template:Convert]]",
    "Template:Island box": "#REDIRECT [[Template:Infobox island]]",
    "Hesk": "<onlyinclude>[[Hesk]] is {{tide}}.\n== History ==\nOld.</onlyinclude> More.",
    "The isle": "#REDIRECT [[Hesk]]",
    "Template:Way off": '<div class="hatnote">See [[Other]]</div>',
    "Template:Big table": '{| class="wikitable"\n| cell\n|}',
    "Template:Ambiguous thing": "'''Name''' [[Category:Disambiguation pages]]",
    "Template:Lua": "{{#invoke:Thing|main|{{{1}}}}}",
    "Template:Called by name": "{{ {{{1}}} | there }}",
    "Template:Loop": "x{{loop}}{{pool}}",
    "Template:Pool": "y{{loop}}",
    "Template:Double": "{{{1}}}{{{1}}}",
    "Template:Bomb": "{{bomb1}}" * 20,
    **{f"Template:Bomb{n}": f"{{{{bomb{n + 1}}}}}" * 20 for n in range(1, 15)},
}
BY_KEY = {page_key(title, ENGLISH): text for title, text in PAGES.items()}


def read(text: str) -> Article:
    return parse(RawPage("Example", 0, 1, text), ENGLISH, BY_KEY)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{Greet}}", "Hello, world!"),
        ("{{greet|[[Sea|sea]]|mark=…}}", "Hello, sea…"),
        ("{{greet|it's [x] & 3 < 4}}", "Hello, it's [x] & 3 < 4!"),
        ("{{greet|1=a}} b", "Hello, a! b"),
        ("{{twice|you}}", "Hello, you! Hello, you?"),
        ("{{old greet|you}}", "Hello, you!"),
        ("{{tide}}", "no tide"),
        ("{{tide|height=3}}", "3 m tide"),
        ("{{side|North}} {{side|s}} {{side|w}}", "North South ?"),
        ("{{partly}}", "bd"),
        ("{{subst|x}} {{subst}}", "yes no"),
        ("{{sights|Quay}}", "Sights:\nThe pier\nQuay"),
        ("a {{way off}} b", "a b"),
        ("a\n{{big table}}\nb", "a b"),
        ("a ({{lua|x}}) b", "a b"),
        ("{{called by name|greet}}", "Hello, there !"),
        ("{{no such}} a", "a"),
        ("{{measured|1|km|mi|0}}", "1 kilometre (1 mi)"),
        ("{{Template:Greet|you}}", "Hello, you!"),
        ("{{:hesk}} b", "Hesk is no tide.\nOld.\nb"),
        ("{{: The isle}}", "Hesk is no tide.\nOld."),
        ("{{:No such}} a", "a"),
    ],
)
def test_templates_of_the_dump(source: str, text: str) -> None:
    assert read(source).text == text


def test_an_infobox_by_another_name() -> None:
    assert read("{{Island box|area=3 km2}}").infobox == {"area": "3 km2"}


def test_pages_that_are_called() -> None:
    text = "{{:Hesk}} {{:Template:Greet}} {{: the_isle | x}} {{greet}} {{#if:x|{{:Old}}}}"
    assert called_pages(text, ENGLISH) == {":Hesk", ":The isle", ":Old"}


def test_renderers_come_first() -> None:
    page = RawPage("Example", 0, 1, "{{convert|1|km|mi|0}}")
    assert parse(page, ENGLISH, {"convert": "wrong"}).text == "1 kilometre (1 mi)"


def test_a_loop_ends() -> None:
    article = read("a {{loop}} b")
    assert article.text == "a xy b"
    assert article.dropped["loop"] == 2


def test_a_bomb_is_bounded() -> None:
    article = read("a {{bomb}} b")
    assert sum(article.dropped.values()) < MAX_CHARACTERS  # the next level has 20 times as many


def test_arguments_that_double_are_bounded() -> None:
    text = read("{{double|" * 29 + "word " * 100 + "}}" * 29).text
    assert len(text) < 2 * MAX_SUBSTITUTED


def test_arguments_and_calls_without_end_are_bounded() -> None:
    pages = {"bars": "{{b" + "|" * 190_000 + "}}", "x": "<{{{1}}}>"}
    article = parse(RawPage("Example", 0, 1, "a {{bars}} b"), ENGLISH, pages)
    assert (article.text, article.dropped) == ("a b", {"bars": 1})
    calls = "".join(f"{{{{x|{n}}}}}" for n in range(8_000))
    article = parse(RawPage("Example", 0, 1, calls), ENGLISH, pages)
    assert article.text.startswith("<0><1>")
    assert article.dropped["x"] > 1_000


def test_what_is_not_expanded_is_counted() -> None:
    assert read("{{lua|x}} {{no such}}").dropped == {"#invoke:Thing": 1, "no such": 1}


def test_a_disambiguation_by_the_category_of_its_template() -> None:
    assert read("{{ambiguous thing}}").kind == "disambiguation"
    assert read("{{greet}}").kind == "article"


def test_includable() -> None:
    assert includable("a<noinclude>b") == "a"
    assert includable("a<INCLUDEONLY>b</INCLUDEONLY>") == "ab"


@pytest.mark.parametrize("source", ["{{a|", "[[a|", "{{{a|", "{{a|[[b}}]]", "}}"])
def test_what_a_parser_would_never_end_with_is_left_out(source: str) -> None:
    pages = {"wild": source * 5_000}
    article = parse(RawPage("Example", 0, 1, "a {{wild}} b"), ENGLISH, pages)
    assert (article.text, article.dropped) == ("a b", {"wild": 1})


def test_is_tame() -> None:
    assert is_tame("{{{{{1}}}|{{b|{{{c|{{d}}}}}}}}} [[e|{{f}}]] { ] }")
    assert not is_tame("{{a|" * 50 + "}}" * 50)
