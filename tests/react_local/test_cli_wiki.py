"""``react-local wiki``: an article in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from react_local.cli import main
from wiki_index.build import build_from_pages
from wiki_index.languages import Site
from wiki_index.types import RawPage

PAGES = {
    "Alder Sound": "{{Infobox strait|width=2 km|sea=[[Alder Sea]]}}\n'''Alder Sound''' is a strait."
    "\n== Ferries ==\n* The first sailed in 1921.\n* [[Brae]] was next.\n"
    "=== Steam ===\nUntil 1957.",
    "Brae": "An island.",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wiki") / "index"
    raw = [RawPage(title, 0, n, text) for n, (title, text) in enumerate(PAGES.items(), 1)]
    build_from_pages(raw, Site.default("en"), place)
    return place


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["wiki", *map(str, arguments)])


def test_an_article_as_a_reader_sees_it(index):
    assert call(index, "alder_sound").stdout == (
        "Alder Sound\n\n  width: 2 km\n  sea: Alder Sea\n\nAlder Sound is a strait.\n\n"
        "== Ferries\n\nThe first sailed in 1921.\n\nBrae was next.\n\n=== Steam\n\nUntil 1957.\n\n"
        "Links: Alder Sea · Brae\n"
    )
    assert call(index, "Brae").stdout == "Brae\n\nAn island.\n\n"


def test_an_article_for_a_program(index):
    told = json.loads(call(index, "Alder Sound", "--json").stdout)
    assert told.keys() == {"title", "kind", "sections", "infobox", "links"}
    assert told["infobox"] == {"width": "2 km", "sea": "Alder Sea"}
    assert told["sections"][2] == {"heading": "Steam", "level": 3, "paragraphs": ["Until 1957."]}


def test_no_such_article(index):
    result = call(index, "Alder Sond")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no page 'Alder Sond'" in result.stderr
    assert "Similar: 'Alder Sound'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
