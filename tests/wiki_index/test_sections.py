"""Redirects to sections: which section an anchor means, and what `search` answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wiki_index import WikiIndex
from wiki_index.sections import section_of
from wiki_index.types import Article, Section

ARTICLE = Article(
    "Pier",
    "article",
    (
        Section("", 1, ("The lead.",)),
        Section("History", 2, ("Old.",)),
        Section("Early times", 3, ("Older.",)),
        Section("Café & use", 2, ("Used.",)),
        Section("History", 2, ("Again.",)),
        Section("Room 2", 2, ("Two.",)),
        Section("Empty", 2, ()),
    ),
)


@pytest.mark.parametrize(
    ("anchor", "texts"),
    [
        ("History", ["Old.", "Older."]),
        ("history", ["Old.", "Older."]),
        ("Early_times", ["Older."]),
        ("History_2", ["Again."]),
        ("History 3", []),
        ("Room 2", ["Two."]),
        ("Caf.C3.A9_.26_use", ["Used."]),
        ("Caf%C3%A9_%26_use", ["Used."]),
        ("Empty", []),
        ("Elsewhere", []),
        ("", []),
    ],
)
def test_section_of_an_anchor(anchor: str, texts: list[str]) -> None:
    found = section_of(ARTICLE, anchor)
    assert [p for section in found for p in section.paragraphs] == texts


PAGES = {
    "Pier": "A '''pier''' stands. It is long.\n== Life ==\nOne. Two. Three.\n=== Work ===\n"
    "Four. Five. Six.\n== Death ==\nSeven.",
    "Life of the pier": "#REDIRECT [[Pier#Life]]",
    "Death of the pier": "#REDIRECT [[Pier#Death]]",
    "Work on the pier": "#REDIRECT [[Pier#Work]]",
    "Living pier": "#REDIRECT [[Life of the pier]]",
    "Lost part": "#REDIRECT [[Pier#Lost]]",
    "Loop": "#REDIRECT [[Pool]]",
    "Pool": "#REDIRECT [[Loop]]",
    "Own loop": "#REDIRECT [[Own loop]]",
    "Nowhere": "#REDIRECT [[No such page]]",
}


@pytest.fixture(scope="module")
def index() -> Iterator[WikiIndex]:
    with WikiIndex.from_pages(PAGES) as index:
        yield index


@pytest.mark.parametrize(
    ("entity", "section", "sentences"),
    [
        ("Pier", None, ["A pier stands.", "It is long.", "One.", "Two.", "Three."]),
        ("life of the pier", "Life", ["One.", "Two.", "Three.", "Four.", "Five."]),
        ("Death of the pier", "Death", ["Seven."]),
        ("Work on the pier", "Work", ["Four.", "Five.", "Six."]),
        ("Living pier", "Life", ["One.", "Two.", "Three.", "Four.", "Five."]),
        ("Lost part", None, ["A pier stands.", "It is long.", "One.", "Two.", "Three."]),
    ],
)
def test_search_of_a_redirect_to_a_section(
    index: WikiIndex, entity: str, section: str | None, sentences: list[str]
) -> None:
    found = index.search(entity)
    assert (found.title, found.section, list(found.sentences)) == ("Pier", section, sentences)


@pytest.mark.parametrize("entity", ["Loop", "Pool", "Own loop", "Nowhere"])
def test_redirects_that_end_nowhere_are_misses(index: WikiIndex, entity: str) -> None:
    assert index.search(entity).title is None


def test_they_are_counted(index: WikiIndex) -> None:
    skipped = index.manifest.skipped
    assert (skipped["redirect loop"], skipped["redirect to a missing page"]) == (3, 1)
