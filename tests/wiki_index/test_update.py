"""An index brought up to a newer dump."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from made_dumps import dump_multistream, made_pages
from test_build import content

from wiki_index import WikiIndex, build, build_index, update_index, wikitext
from wiki_index.errors import IndexUnreadable
from wiki_index.types import RawPage


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    """An old dump, and a newer one with pages changed, gone, new, renamed and turned around."""
    old = made_pages(200)
    new = [page for page in old if page.id not in (7, 8)]
    changes = {
        21: {"text": "'''Page 21''' is {{lost template}} changed.", "revision": 9_000},
        22: {"title": "Page 22 renamed"},
        23: {"text": "#REDIRECT [[Page 21]]", "redirect": "Page 21", "revision": 9_001},
        40: {"text": "'''Page 40''' is a page now.", "redirect": None, "revision": 9_002},
    }
    new = [replace(page, **changes.get(page.id, {})) for page in new]
    new.append(RawPage("Page 7", 0, 500, "'''Page 7''' is back as another.", revision=9_003))
    paths = tmp_path / "old.xml.bz2", tmp_path / "new.xml.bz2"
    paths[0].write_bytes(dump_multistream(old, size=40))
    paths[1].write_bytes(dump_multistream(new, size=40))
    return paths


@pytest.mark.parametrize("workers", [0, 2])
def test_the_result_is_that_of_a_fresh_build(dumps, tmp_path: Path, workers: int) -> None:
    old, new = dumps
    fresh = build_index(new, tmp_path / "fresh", workers=0, dense=False)
    build_index(old, tmp_path / "i", workers=0, dense=False)
    updated = update_index(tmp_path / "i", new, workers=workers)
    assert content(tmp_path / "i") == content(tmp_path / "fresh")
    same = ("articles", "redirects", "skipped", "dropped", "passages", "options", "notes", "dump")
    assert [getattr(updated, name) for name in same] == [getattr(fresh, name) for name in same]
    with WikiIndex.open(tmp_path / "i") as index:
        index.verify()
        assert index.page("Page 8") is None
        assert index.page("Page 7").text == "Page 7 is back as another."


def test_only_what_changed_is_parsed(dumps, tmp_path: Path, monkeypatch) -> None:
    old, new = dumps
    build_index(old, tmp_path / "i", workers=0, dense=False)
    parsed: list[int] = []
    real_parse = wikitext.parse
    monkeypatch.setattr(
        wikitext, "parse", lambda page, *rest: parsed.append(page.id) or real_parse(page, *rest)
    )
    update_index(tmp_path / "i", new, workers=0)
    assert parsed == [21, 22, 40, 500]


def test_pages_of_another_version_are_parsed_again(dumps, tmp_path: Path, monkeypatch) -> None:
    old, new = dumps
    with monkeypatch.context() as patch:
        patch.setattr(build, "_rules", lambda site: "older")
        build_index(old, tmp_path / "i", workers=0, dense=False)
    manifest = update_index(tmp_path / "i", new, workers=0)
    assert any("another version" in note for note in manifest.notes)
    build_index(new, tmp_path / "fresh", workers=0, dense=False)
    assert content(tmp_path / "i") == content(tmp_path / "fresh")


@pytest.mark.parametrize("damage", ["UPDATE pages SET kind = 'disambiguation'", None])
def test_nothing_is_taken_over_from_a_damaged_index(dumps, tmp_path: Path, damage) -> None:
    old, new = dumps
    build_index(old, tmp_path / "i", workers=0, dense=False)
    pages = tmp_path / "i" / "pages.db"
    if damage is None:
        pages.unlink()
    else:
        with contextlib.closing(sqlite3.connect(pages)) as db, db:
            db.execute(damage)
    manifest = update_index(tmp_path / "i", new, workers=0)
    assert manifest.notes == ("All pages were parsed: the index before is damaged.",)
    build_index(new, tmp_path / "fresh", workers=0, dense=False)
    assert content(tmp_path / "i") == content(tmp_path / "fresh")


def test_the_old_index_answers_until_the_new_one_is_whole(dumps, tmp_path: Path) -> None:
    old, new = dumps
    build_index(old, tmp_path / "i", workers=0, dense=False)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_index(tmp_path / "i", new, workers=0, progress=stop)
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.page("Page 8")
    update_index(tmp_path / "i", new, workers=0)
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.page("Page 8") is None


def test_what_is_no_index_is_not_updated(dumps, tmp_path: Path) -> None:
    with pytest.raises(IndexUnreadable, match="build-index"):
        update_index(tmp_path / "none", dumps[1])
