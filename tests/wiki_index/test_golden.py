"""The golden cases: wikitext and what its reader sees, in `tests/golden/*.wikitest`.

A file holds any number of cases:

    === a name that says the construct
    title: Optional Title          (also lang: de)
    --- wikitext
    '''Bold''' text
    --- text
    Bold text
    --- links, --- infobox (key: value), --- kind, --- sections (== Heading ==), --- dropped
"""

from __future__ import annotations

import bz2
import json
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wiki_index.languages import Site
from wiki_index.sentences import split
from wiki_index.types import Article, RawPage
from wiki_index.wikitext import parse

GOLDEN = Path(__file__).parents[1] / "golden"
DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
_CASE = re.compile(r"=== (?!.*===\s*$)(.+)")
_PART = re.compile(r"--- (wikitext|text|links|infobox|kind|sections|dropped)\s*")


@dataclass
class Case:
    name: str
    header: dict[str, str] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def part(self, name: str) -> str:
        return "\n".join(self.parts[name]).strip("\n")


def read_cases(path: Path) -> list[Case]:
    cases: list[Case] = []
    lines: list[str] | None = None
    for line in path.read_text("utf-8").splitlines():
        if match := _CASE.fullmatch(line):
            cases.append(Case(match[1].strip()))
            lines = None
        elif match := _PART.fullmatch(line):
            lines = cases[-1].parts.setdefault(match[1], [])
        elif lines is not None:
            lines.append(line)
        elif line.strip() and cases:
            key, _, value = line.partition(":")
            cases[-1].header[key.strip()] = value.strip()
    return cases


CASES = {
    f"{path.stem}: {case.name}": case
    for path in sorted(GOLDEN.glob("*.wikitest"))
    for case in read_cases(path)
}


def read(case: Case) -> Article:
    site = Site.default(case.header.get("lang", "en"))
    title = case.header.get("title", "Example")
    return parse(RawPage(title, 0, 1, case.part("wikitext")), site)


def shown(article: Article, part: str) -> str:
    """The part of the article in the form of the golden file."""
    match part:
        case "text":
            return article.text
        case "links":
            return "\n".join(article.links)
        case "infobox":
            return "\n".join(f"{key}: {value}" for key, value in article.infobox.items())
        case "sections":
            headed = [s for s in article.sections if s.level > 1]
            return "\n".join(f"{'=' * s.level} {s.heading} {'=' * s.level}" for s in headed)
        case "dropped":
            return "\n".join(f"{name}: {count}" for name, count in article.dropped.items())
    return article.kind


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_golden(case: Case) -> None:
    article = read(case)
    expected = {part: case.part(part) for part in case.parts if part != "wikitext"}
    assert {part: shown(article, part) for part in expected} == expected


def test_every_file_has_cases() -> None:
    assert all(read_cases(path) for path in GOLDEN.glob("*.wikitest"))
    assert all({"wikitext"} < set(case.parts) for case in CASES.values())


# The shared lines over real articles

FRAGMENT = DATA / "enwiki-2016-fragment.xml.bz2"
LINES = DATA / "golden_text.jsonl"
# The page says "25% different from the atomic number"; the line has "of the atomic number".
CONTRADICTED = {("Atomic number", "of the atomic number of gold (Z = 79, A = 197), the single")}


def comparable(text: str) -> str:
    """As the data's README says: NFKC, without direction marks, blanks single."""
    text = unicodedata.normalize("NFKC", text)
    return " ".join(re.sub("[\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text).split())


@pytest.fixture(scope="module")
def fragment() -> dict[str, Article]:
    if not (FRAGMENT.exists() and LINES.exists()):
        pytest.skip("../shared/data is not there: the real fragment is not read")
    from lxml import etree

    articles = {}
    with bz2.open(FRAGMENT) as dump:
        for _, page in etree.iterparse(dump, tag="{*}page"):
            if page.find("{*}redirect") is None and page.findtext("{*}ns") == "0":
                title = page.findtext("{*}title")
                raw = RawPage(title, 0, 1, page.findtext("{*}revision/{*}text") or "")
                articles[title] = parse(raw, Site.default("en"))
    return articles


def test_shared_golden_lines(fragment: dict[str, Article]) -> None:
    wrong = []
    for line in map(json.loads, LINES.read_text("utf-8").splitlines()):
        title = line["title"]
        text = comparable(fragment[title].text)
        for string in line.get("contains", []):
            if comparable(string) not in text and (title, string) not in CONTRADICTED:
                wrong.append((title, "lacks", string))
        for string in line.get("absent", []):
            if comparable(string) in text:
                wrong.append((title, "leaks", string))
        if first := line.get("first_sentence"):
            sentences = split(fragment[title].text.split("\n")[0])
            if comparable(sentences[0]) != comparable(first):
                wrong.append((title, "starts", sentences[0]))
    assert wrong == []


def test_nothing_of_the_markup_leaks(fragment: dict[str, Article]) -> None:
    markup = re.compile(
        r"\{\{|\}\}|\[\[|\]\]|''|\{\||\|\}|</?(?:ref|div|span|br|small|sub|sup|table)\b|thumb\||"
        r"\b(?:File|Image|Category):|__[A-Z]+__|[\x00-\x08\x0b-\x1f]"
    )
    leaks = {title: match[0] for title, a in fragment.items() if (match := markup.search(a.text))}
    assert leaks == {}
