from __future__ import annotations

import bz2
import errno
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_dumps import HEAD, TAIL, dump_multistream, dump_xml, made_pages, page_xml

from wiki_index import (
    Progress,
    WikiIndex,
    build,
    build_directory,
    build_index,
    fulltext,
    ingest,
    machine,
    parsing,
    progress,
    wikitext,
    workers,
)
from wiki_index.dump import Streams
from wiki_index.errors import BuildError, DumpDamaged, DumpError, IndexUnreadable
from wiki_index.layout import IndexLayout, Manifest
from wiki_index.store import PageStore
from wiki_index.types import RawPage

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path) -> SimpleNamespace:
    """A dump of 300 pages and where its index goes."""
    dump = tmp_path / "dump.xml.bz2"
    dump.write_bytes(dump_multistream(made_pages(300), size=40))
    return SimpleNamespace(dump=dump, out=tmp_path / "index", building=tmp_path / "index.building")


def _build(place: SimpleNamespace, **options):
    return build_index(place.dump, place.out, **{"workers": 0, "dense": False, **options})


def content(out: Path) -> dict[str, list[tuple]]:
    """All that an index holds, however it came about."""
    db = sqlite3.connect(IndexLayout(out).pages)
    tables = {
        name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()
        for name in ("pages", "titles", "redirects", "dropped", "failed")
    }
    db.close()
    tables["articles"] = list(PageStore(IndexLayout(out).pages).pages())
    with WikiIndex.open(out) as index:
        queries = ("river lamp", "basalt 33", "Page 12", "gull")
        tables["retrieve"] = [tuple(index.retrieve(query, k=20)) for query in queries]
        tables["similar"] = [tuple(index.similar(title)) for title in ("Pge 12", "299 page")]
    return tables


def test_every_page_is_accounted_for(place: SimpleNamespace) -> None:
    manifest = _build(place)
    pages = Counter(
        "other namespace" if p.namespace else "redirect" if p.redirect else "article"
        for p in made_pages(300)
    )
    assert manifest.articles == pages["article"]
    assert manifest.redirects + manifest.skipped.get("redirect to a missing page", 0) == 30
    assert manifest.skipped["other namespace"] == pages["other namespace"]
    total = manifest.articles + manifest.redirects + sum(manifest.skipped.values())
    assert total == 300
    assert manifest.bytes == sum(
        f.stat().st_size for f in place.out.rglob("*") if f.is_file() and f.name != "manifest.json"
    )
    assert (manifest.dump, manifest.dump_bytes) == (place.dump.name, place.dump.stat().st_size)
    assert not place.building.exists()


def test_redirects_that_lead_nowhere_are_counted(tmp_path: Path) -> None:
    pages = [
        RawPage("Goal", 0, 1, "'''Goal''' is a place."),
        RawPage("One", 0, 2, "#REDIRECT [[Two]]", "Two"),
        RawPage("Two", 0, 3, "#REDIRECT [[Goal]]", "Goal"),
        RawPage("Round", 0, 4, "#REDIRECT [[Trip]]", "Trip"),
        RawPage("Trip", 0, 5, "#REDIRECT [[Round]]", "Round"),
        RawPage("Gone", 0, 6, "#REDIRECT [[Nowhere]]", "Nowhere"),
    ]
    (tmp_path / "d.xml").write_bytes(dump_xml(pages))
    manifest = build_index(tmp_path / "d.xml", tmp_path / "i", workers=0, dense=False)
    assert manifest.redirects == 2
    assert manifest.skipped == {"redirect loop": 2, "redirect to a missing page": 1}
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.search("one").title == "Goal"
        assert index.search("Round").title is None


def test_workers_and_this_process_make_the_same_index(place: SimpleNamespace) -> None:
    _build(place)
    here = content(place.out)
    manifest = _build(place, workers=2, fresh=True)
    assert content(place.out) == here
    assert manifest.failed == {}


def test_memory_decides_how_many_workers_there_are(place: SimpleNamespace) -> None:
    size = place.dump.stat().st_size
    assert machine.plan(8, None, size) == (8, machine.WORKER_MEMORY)
    assert machine.plan(8, 1024**3, size) == (3, (512 * 1024**2) // 3)
    assert machine.plan(2, 1536 * 1024**2, size) == (2, 512 * 1024**2)
    assert machine.plan(None, None, 1_000)[0] == 1
    with pytest.raises(BuildError, match="--memory 672M"):
        _build(place, workers=2, memory=300 * 1024**2)
    assert not place.building.exists()


def test_the_report_is_in_the_manifest(place: SimpleNamespace) -> None:
    _build(place, workers=1)
    manifest = Manifest.read(IndexLayout(place.out).manifest)
    assert len(manifest.slowest) == 20
    assert sorted(manifest.slowest.values(), reverse=True) == list(manifest.slowest.values())
    assert manifest.stages.keys() == {"pages", "titles", "passages", "vectors"}
    assert manifest.memory > 1024**2


def test_memory_is_measured_between_reports_too(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, measured = threading.active_count(), []
    monkeypatch.setattr(progress.machine, "memory_in_use", lambda: measured.append(1) or 7**12)

    def wait(progress: Progress) -> None:
        before = len(measured)
        while len(measured) == before:
            time.sleep(0.01)

    assert _build(place, progress=wait).memory == 7**12
    assert threading.active_count() == threads


def test_double_redirects_and_pages_told_twice_are_counted(tmp_path: Path) -> None:
    pages = [
        RawPage("Goal", 0, 1, "Old.", revision=5),
        RawPage("Goal", 0, 9, "New.", revision=8),
        RawPage("Twice", 0, 4, "Later.", revision=7),
        RawPage("Twice", 0, 4, "Before.", revision=6),
        RawPage("One", 0, 2, "#REDIRECT [[Two]]", "Two"),
        RawPage("Two", 0, 3, "#REDIRECT [[Goal]]", "Goal"),
    ]
    (tmp_path / "d.xml").write_bytes(dump_xml(pages))
    manifest = build_index(tmp_path / "d.xml", tmp_path / "i", workers=0, dense=False)
    assert (manifest.articles, manifest.redirects, manifest.double_redirects) == (2, 2, 1)
    assert manifest.skipped == {"same title as another page": 1, "same page twice": 1}
    assert any("same title as another" in note for note in manifest.notes)
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.page("goal").text == "New."
        assert index.page("One").text == "New."
        assert index.page("Twice").text == "Later."


@pytest.mark.parametrize("later_first", [False, True])
def test_of_a_page_that_became_a_redirect_or_was_one_the_last_revision_counts(
    tmp_path: Path, later_first: bool
) -> None:
    pages = [
        RawPage("Goal", 0, 1, "A goal.", revision=1),
        RawPage("Was a page", 0, 2, "Old.", revision=5),
        RawPage("Was a page", 0, 2, "#REDIRECT [[Goal]]", "Goal", revision=8),
        RawPage("Is a page", 0, 3, "#REDIRECT [[Goal]]", "Goal", revision=6),
        RawPage("Is a page", 0, 3, "New.", revision=7),
    ]
    if later_first:
        pages.reverse()
    (tmp_path / "d.xml").write_bytes(dump_xml(pages))
    manifest = build_index(tmp_path / "d.xml", tmp_path / "i", workers=0, dense=False)
    assert (manifest.articles, manifest.redirects) == (2, 1)
    assert manifest.skipped == {"same page twice": 2}
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.page("Was a page").text == "A goal."
        assert index.page("Is a page").text == "New."


def test_the_limit_counts_articles(place: SimpleNamespace) -> None:
    assert _build(place, limit=25).articles == 25


def test_a_limit_holds_through_an_interruption_and_over_pages_told_twice(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = made_pages(120)
    place.dump.write_bytes(dump_multistream(pages[:50] + pages[:30] + pages[50:], size=10))
    manifest = _build(place, limit=80)
    undisturbed = content(place.out)
    shutil.rmtree(place.out)
    for setting in ("ingest._COMMIT_SECONDS", "progress._REPORT_SECONDS"):
        monkeypatch.setattr(f"wiki_index.{setting}", 0.0)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 10)
    with pytest.raises(KeyboardInterrupt):
        _build(place, limit=80, progress=_Interrupt(9))
    assert _build(place, limit=80).skipped == manifest.skipped
    assert content(place.out) == undisturbed


def test_a_limit_counts_no_page_of_a_damaged_stretch_twice(place: SimpleNamespace) -> None:
    streams = [made_pages(120)[start : start + 20] for start in range(0, 120, 20)]
    texts = ["".join(map(page_xml, pages)) for pages in streams]
    for number in (1, 3):
        texts[number] = texts[number][:-100]
    place.dump.write_bytes(b"".join(bz2.compress(t.encode()) for t in (HEAD, *texts, TAIL)))
    with pytest.raises(DumpDamaged):
        _build(place, limit=70)
    manifest = _build(place, limit=70, accept_damage=True)
    resumed = content(place.out)
    at_once = _build(place, limit=70, accept_damage=True, fresh=True)
    assert (manifest.damage, manifest.skipped) == (at_once.damage, at_once.skipped)
    assert len(manifest.damage) == 2
    assert content(place.out) == resumed


def test_progress_is_told(place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    told: list[Progress] = []
    manifest = _build(place, progress=told.append)
    assert [*dict.fromkeys(p.stage for p in told)] == ["pages", "titles", "passages"]
    assert all(0 <= p.fraction <= 1 for p in told)
    assert told[-1].articles == manifest.articles
    assert told[-1].bytes_read == told[-1].bytes_total == manifest.dump_bytes


def test_templates_without_a_renderer_are_named(tmp_path: Path) -> None:
    text = "'''{0}''' is {{{{made up template|x}}}} a place. {{{{made up template}}}}"
    pages = [RawPage(f"P{i}", 0, i, text.format(f"P{i}")) for i in range(1, 4)]
    (tmp_path / "d.xml").write_bytes(dump_xml(pages))
    manifest = build_index(tmp_path / "d.xml", tmp_path / "i", workers=0, dense=False)
    assert manifest.dropped == {"made up template": 6}


# What is there already


def test_an_index_is_not_overwritten_unless_told(place: SimpleNamespace) -> None:
    _build(place)
    before = (place.out / "manifest.json").read_bytes()
    with pytest.raises(BuildError, match="already holds an index: use --fresh"):
        _build(place)
    assert (place.out / "manifest.json").read_bytes() == before
    _build(place, fresh=True, limit=3)
    with WikiIndex.open(place.out) as index:
        assert index.manifest.articles == 3
    assert sorted(p.name for p in place.out.parent.iterdir()) == ["dump.xml.bz2", "index"]


def test_the_old_index_stays_until_the_new_one_is_whole(place: SimpleNamespace) -> None:
    _build(place)
    place.dump.write_bytes(place.dump.read_bytes()[:-200])
    with pytest.raises(DumpDamaged):
        _build(place, fresh=True)
    with WikiIndex.open(place.out) as index:
        index.verify()


@pytest.mark.parametrize("fresh", [False, True])
def test_other_files_are_never_touched(place: SimpleNamespace, fresh: bool) -> None:
    place.out.mkdir()
    (place.out / "thesis.txt").write_text("mine")
    with pytest.raises(BuildError, match="holds other files"):
        _build(place, fresh=fresh)
    assert (place.out / "thesis.txt").read_text() == "mine"


def test_a_neighbour_called_building_is_never_emptied(place: SimpleNamespace) -> None:
    place.building.mkdir()
    (place.building / "plans.txt").write_text("mine")
    with pytest.raises(BuildError, match="holds other files"):
        _build(place, fresh=True)
    assert (place.building / "plans.txt").read_text() == "mine"


def test_a_build_killed_before_it_has_said_whose_work_it_is(place: SimpleNamespace) -> None:
    place.building.mkdir()
    (place.building / "build.json.draft").write_text("{")
    _build(place)
    assert not place.building.exists()


def test_work_that_was_half_thrown_away_is_not_gone_on_with(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=_Interrupt(0))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", stop)
        with pytest.raises(KeyboardInterrupt):
            _build(place, fresh=True)
    assert (place.building / "pages.db").exists()
    (place.building / "pages.db").write_bytes(b"what is left of it")
    assert _build(place).articles


@pytest.mark.parametrize("file", ["pages.db", "stages.json", "build.json"])
def test_damaged_unfinished_work_is_said(place: SimpleNamespace, file: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=_Interrupt(0))
    (place.building / file).write_bytes(b"noise\xff" * 4_000)
    with pytest.raises(BuildError, match=r"(is damaged|on another dump).*--fresh"):
        _build(place)
    _build(place, fresh=True)


def test_what_a_stage_found_is_not_believed_where_it_was_changed(place: SimpleNamespace) -> None:
    _build_all_but_the_manifest(place)
    stages = place.building / "stages.json"
    whole = stages.read_text()
    wrong = whole.replace('"articles": ', '"articles": 1')
    for damaged in (wrong, "{}", "[]", "[" * 200_000, '{"stages": {}}'):
        assert damaged != whole
        stages.write_text(damaged)
        with pytest.raises(BuildError, match=r"stages\.json.*--fresh"):
            _build(place)
    stages.write_text(whole)
    _build(place)


def test_through_a_link_and_to_a_relative_place(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.out.parent / "real").mkdir()
    (place.out.parent / "link").symlink_to("real")
    monkeypatch.chdir(place.out.parent)
    build_index(place.dump.name, "link", workers=0, dense=False)
    assert (place.out.parent / "link").is_symlink()
    WikiIndex.open("real").close()
    (place.out.parent / "here").mkdir()
    monkeypatch.chdir(place.out.parent / "here")
    build_index(place.dump, ".", workers=0, dense=False)
    WikiIndex.open(place.out.parent / "here").close()


def test_a_file_or_an_empty_directory_at_the_place(place: SimpleNamespace) -> None:
    place.out.mkdir()
    _build(place)
    WikiIndex.open(place.out).close()
    (place.out.parent / "file").write_text("mine")
    with pytest.raises(BuildError, match="is a file"):
        build_index(place.dump, place.out.parent / "file", dense=False)


def test_a_place_that_cannot_be_written(place: SimpleNamespace) -> None:
    (place.out.parent / "file").write_text("mine")
    with pytest.raises(BuildError, match="cannot be written"):
        build_index(place.dump, place.out.parent / "file" / "index", dense=False)


def test_two_builds_at_one_place(place: SimpleNamespace) -> None:
    errors: list[BuildError] = []

    def build_another(_: Progress) -> None:
        if not errors:
            with pytest.raises(BuildError, match="Another build") as caught:
                _build(place)
            errors.append(caught.value)

    _build(place, progress=build_another)
    assert errors
    WikiIndex.open(place.out).close()


# Interruptions


def _build_all_but_the_manifest(place: SimpleNamespace, **options: object) -> None:
    def stop(_: Manifest) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Manifest, "to_json", stop)
        with pytest.raises(KeyboardInterrupt):
            _build(place, **options)


class _Interrupt:
    """A progress callback that stops the build at its nth call."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, _: Progress) -> None:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt


def test_an_interrupted_build_goes_on_and_ends_the_same(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(ingest, "_COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.dump._BATCH_PAGES", 10)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 50)
    parsed: list[str] = []
    real_parse = wikitext.parse
    monkeypatch.setattr(
        wikitext, "parse", lambda page, *rest: parsed.append(page.title) or real_parse(page, *rest)
    )
    _build(place)
    undisturbed = content(place.out)
    once = len(parsed)
    for calls in (3, 20, 40):
        place = SimpleNamespace(
            dump=place.dump, out=place.out.with_name(f"after-{calls}"), building=None
        )
        parsed.clear()
        with pytest.raises(KeyboardInterrupt):
            _build(place, progress=_Interrupt(calls))
        with pytest.raises(IndexUnreadable, match="being built or was interrupted"):
            WikiIndex.open(place.out)
        _build(place)
        assert content(place.out) == undisturbed
        assert len(parsed) <= once + 50, "work that was committed is not done again"


@pytest.mark.parametrize("stage", ["titles", "passages", "manifest"])
def test_stages_that_are_finished_are_not_done_again(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == stage and progress.fraction > 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    if stage == "manifest":
        _build_all_but_the_manifest(place)
    else:
        with pytest.raises(KeyboardInterrupt):
            _build(place, progress=stop)
    # Neither the pages nor, of a multistream dump, more than its beginning is read again.
    monkeypatch.setattr(wikitext, "parse", None)
    monkeypatch.setattr(build.Dump, "stretches", None)
    if stage != "titles":
        monkeypatch.setattr(build, "TitleWriter", None)
    if stage == "manifest":
        monkeypatch.setattr(build, "PassageWriter", None)
    manifest = _build(place)
    assert list(manifest.stages) == ["pages", "titles", "passages", "vectors"]
    monkeypatch.undo()
    resumed = content(place.out)
    _build(place, fresh=True)
    assert content(place.out) == resumed


@pytest.mark.parametrize("stage", ["titles", "passages"])
def test_a_stage_goes_on_behind_its_last_commit(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.fulltext._COMMIT_DOCUMENTS", 40)
    added: list[tuple] = []
    for name in ("TitleWriter", "PassageWriter"):
        writer = getattr(build, name)
        monkeypatch.setattr(writer, "add", _noted(writer.add, added))
    calm = _build(place)
    undisturbed, once = _all_found(place.out), len(added)
    shutil.rmtree(place.out)
    added.clear()

    def stop(progress: Progress) -> None:
        if progress.stage == stage and progress.fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=stop)
    manifest = _build(place)
    assert once < len(added) <= once + 40
    assert (manifest.passages, manifest.articles) == (calm.passages, calm.articles)
    assert _all_found(place.out) == undisturbed


@pytest.mark.parametrize("file", ["pages.db", "templates.db"])
def test_rows_of_unfinished_work_are_not_believed_where_they_were_damaged(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(ingest, "_COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.template_pages._COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 50)
    text = "told {{{1}}} of many, by one who was called to tell of it"
    templates = [RawPage(f"Template:Told {n}", 10, 900 + n, text) for n in range(200)]
    place.dump.write_bytes(dump_multistream(made_pages(200) + templates, size=20))

    def stop(progress: Progress) -> None:
        if progress.stage == file.partition(".")[0] and progress.fraction > 0.8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _build(place, templates=True, progress=stop)
    damaged = place.building / file
    word = b"Page 47" if file == "pages.db" else text.encode()
    assert word in damaged.read_bytes()
    damaged.write_bytes(damaged.read_bytes().replace(word, b"\x10" + word[1:]))
    with pytest.raises(BuildError, match=r"is damaged \(rows are not as .*--fresh"):
        _build(place, templates=True)
    _build(place, templates=True, fresh=True)
    db = sqlite3.connect(place.out / "pages.db")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    db.close()
    assert "pages" in tables
    assert "row_hash" not in tables


def test_a_text_of_unfinished_work_is_not_believed_where_it_was_damaged(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(ingest, "_COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 50)
    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=_Interrupt(6))
    db = sqlite3.connect(place.building / "pages.db")
    page, body = db.execute("SELECT id, body FROM bodies").fetchone()
    flipped = body[:-9] + bytes([body[-9] ^ 1]) + body[-8:]
    with db:
        db.execute("UPDATE bodies SET body = ? WHERE id = ?", (flipped, page))
    db.close()
    for _ in range(2):
        with pytest.raises(BuildError, match=r"unfinished work .* \(pages\.db\): use --fresh"):
            _build(place)
    _build(place, fresh=True)


def test_an_interrupt_while_titles_are_folded_is_one(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("wiki_index.store_writer.fold", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _build(place)
    _build(place)


@pytest.mark.parametrize("stage", ["titles", "passages"])
@pytest.mark.parametrize(
    "file", ["*.term", "*.idx", "*.fieldnorm", "*.fast", "*.store", "meta.json"]
)
def test_what_a_stage_has_committed_is_not_believed_where_it_was_damaged(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, stage: str, file: str
) -> None:
    _build(place)
    undisturbed = _all_found(place.out)
    shutil.rmtree(place.out)
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.fulltext._COMMIT_DOCUMENTS", 100)

    def stop(progress: Progress) -> None:
        if progress.stage == stage and progress.fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=stop)
    directory = place.building / f"{stage}.tantivy"
    segment = json.loads((directory / "meta.json").read_text())["segments"][0]["segment_id"]
    path = next(directory.glob(file.replace("*", segment.replace("-", ""))))
    whole = path.read_bytes()
    for offset in (0, len(whole) // 3, len(whole) - 20) if file != "meta.json" else (0,):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 4]) + whole[offset + 1 :])
        assert not fulltext._is_whole(path.parent)
    _build(place)
    assert _all_found(place.out) == undisturbed
    with WikiIndex.open(place.out) as index:
        index.verify()


def _all_found(out: Path) -> tuple[list, int]:
    titles = fulltext.OpenIndex(IndexLayout(out).titles).searcher.num_docs
    with WikiIndex.open(out) as index:
        return index.retrieve("place river", k=1_000), titles


def _noted(add, added: list[tuple]):
    return lambda self, *values: added.append(values[:1]) or add(self, *values)


def test_streams_that_are_done_are_not_read_again(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "_COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 50)
    read: list[int] = []
    real_read = Streams.read

    def counted(self: Streams, *arguments):
        read.append(self.key[1])
        return real_read(self, *arguments)

    monkeypatch.setattr(Streams, "read", counted)
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=_Interrupt(5))
    _build(place)
    assert len(read) <= len(set(read)) + 1


@pytest.mark.parametrize("how", ["a byte", "gone"])
@pytest.mark.parametrize(
    ("file", "again"),
    [
        ("templates.db", ["templates", "pages", "titles", "passages", "vectors"]),
        ("pages.db", ["pages", "titles", "passages", "vectors"]),
        ("titles.tantivy/*.store", ["titles"]),
        ("passages.tantivy/meta.json", ["passages"]),
        ("leads.faiss", ["vectors"]),
    ],
)
def test_a_finished_stage_that_was_damaged_is_done_again_with_what_was_made_of_it(
    place: SimpleNamespace, letters: Path, monkeypatch, file: str, again: list[str], how: str
) -> None:
    template = RawPage("Template:Told", 10, 900, "told {{{1}}} of many")
    pages = [*made_pages(60), RawPage("User", 0, 901, "It is {{told|by one}}."), template]
    place.dump.write_bytes(dump_multistream(pages, size=40))
    options = {"dense": letters, "templates": True}
    calm = _build(place, **options)
    undisturbed = content(place.out)
    shutil.rmtree(place.out)
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    _build_all_but_the_manifest(place, **options)
    (path,) = place.building.glob(file)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink() if how == "gone" else path.write_bytes(data)
    told: list[str] = []
    manifest = _build(place, progress=lambda progress: told.append(progress.stage), **options)
    assert [*dict.fromkeys(told)] == ["checksums", *again]
    (note,) = manifest.notes
    assert note.endswith(f"was interrupted: {file.partition('.')[0].replace('leads', 'vectors')}.")
    assert content(place.out) == undisturbed
    assert (manifest.passages, manifest.vectors) == (calm.passages, calm.vectors)
    with WikiIndex.open(place.out) as index:
        index.verify()


def test_unfinished_work_on_another_dump_is_not_gone_on_with(place: SimpleNamespace) -> None:
    with pytest.raises(KeyboardInterrupt):
        _build(place, progress=_Interrupt(0))
    with pytest.raises(BuildError, match="other options"):
        _build(place, limit=5)
    assert _build(place, limit=5, fresh=True).articles == 5


def test_stopped_between_manifest_and_rename_it_is_only_checked_and_renamed(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: IndexLayout) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(build_directory, "publish", stop)
        with pytest.raises(KeyboardInterrupt):
            _build(place)
    with pytest.raises(IndexUnreadable):
        WikiIndex.open(place.out)
    made = (place.building / "pages.db").stat().st_mtime_ns
    told: list[str] = []
    _build(place, progress=lambda progress: told.append(progress.stage))
    assert set(told) == {"checksums"}
    assert (place.out / "pages.db").stat().st_mtime_ns == made


# Damage and want


def test_a_truncated_dump_makes_no_index(place: SimpleNamespace) -> None:
    whole = place.dump.read_bytes()
    for cut in random.Random(2).sample(range(1, len(whole)), 15):
        place.dump.write_bytes(whole[:cut])
        with pytest.raises(DumpError) as caught:
            _build(place, fresh=True)
        assert "\n" not in str(caught.value)
        assert not place.out.exists()


def test_what_is_whole_of_a_truncated_dump_is_kept_until_the_damage_is_accepted(
    tmp_path: Path,
) -> None:
    whole = dump_xml(made_pages(120))
    cut = whole.index(b"<title>Page 100<")
    dump, out = tmp_path / "d.xml", tmp_path / "i"
    dump.write_bytes(whole[:cut])
    for _ in range(2):
        with pytest.raises(DumpDamaged, match=f"at byte {cut:,}.*--accept-damage"):
            build_index(dump, out, workers=0, dense=False)
        with pytest.raises(IndexUnreadable):
            WikiIndex.open(out)
    manifest = build_index(dump, out, workers=0, dense=False, accept_damage=True)
    assert len(manifest.damage) == 1
    assert f"d.xml at byte {cut:,}" in manifest.damage[0]
    expected = [p for p in made_pages(99) if p.namespace == 0]
    assert manifest.articles + manifest.redirects == len(expected)
    assert manifest.skipped["other namespace"] == 99 - len(expected)


@pytest.mark.parametrize("accept", [False, True])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("part", ["<mediawiki", "<siteinfo>", "<page>", "<title>Page 1<"])
def test_a_dump_damaged_before_an_article_is_whole_leaves_nothing(
    tmp_path: Path, part: str, workers: int, accept: bool
) -> None:
    whole = dump_xml(made_pages(3))
    end = whole.index(part.encode()) + len(part)
    dump, out = tmp_path / "d.xml", tmp_path / "i"
    dump.write_bytes(whole[:end])
    with pytest.raises(DumpError, match=f"at byte {end:,}.*download the dump again") as caught:
        build_index(dump, out, workers=workers, dense=False, accept_damage=accept)
    assert "accept-damage" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["d.xml"]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_damaged_stream_costs_that_stream_only(place: SimpleNamespace, workers: int) -> None:
    whole = place.dump.read_bytes()
    starts = [m.start() for m in re.finditer(rb"BZh91AY&SY", whole)]
    damaged = bytearray(whole)
    damaged[starts[3] + 60 : starts[3] + 90] = bytes(30)
    place.dump.write_bytes(damaged)
    with pytest.raises(DumpDamaged, match=f"byte {starts[3]:,} to {starts[4]:,}"):
        _build(place, workers=workers)
    manifest = _build(place, workers=workers, accept_damage=True)
    assert len(manifest.damage) == 1
    with WikiIndex.open(place.out) as index:
        assert index.page("Page 79")
        assert index.page("Page 81") is None
        assert index.page("Page 121")
    place.dump.write_bytes(whole)
    repaired = _build(place, workers=workers, fresh=True)
    assert repaired.damage == ()


def test_a_repaired_dump_of_the_same_size_is_gone_on_with(place: SimpleNamespace) -> None:
    manifest = _build(place)
    calm = content(place.out)
    whole = place.dump.read_bytes()
    damaged = bytearray(whole)
    middle = [m.start() for m in re.finditer(rb"BZh91AY&SY", whole)][4] + 70
    damaged[middle : middle + 20] = bytes(20)
    place.dump.write_bytes(damaged)
    place.out = place.out.with_name("other")
    with pytest.raises(DumpDamaged):
        _build(place)
    place.dump.write_bytes(whole)
    again = _build(place)
    assert (again.skipped, again.damage) == (manifest.skipped, ())
    assert content(place.out) == calm


def test_a_malformed_page_costs_that_page_through_interruptions_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(ingest, "_COMMIT_SECONDS", 0.0)
    monkeypatch.setattr("wiki_index.dump._BATCH_PAGES", 10)
    monkeypatch.setattr("wiki_index.store_writer._SAMPLE_PAGES", 20)
    whole = dump_xml(made_pages(120))
    malformed = whole
    for number in (33, 77):
        malformed = malformed.replace(
            f"<title>Page {number}<".encode(), f"<ti>Page {number}<".encode()
        )
    place = SimpleNamespace(dump=tmp_path / "d.xml", out=tmp_path / "i")
    place.dump.write_bytes(malformed)
    starts = [m.start() for m in re.finditer(b"<page>", malformed)]
    calm = _build(place, accept_damage=True)
    assert [d.partition(" (")[0] for d in calm.damage] == [
        f"d.xml at byte {starts[number - 1]:,}" for number in (33, 77)
    ]
    assert calm.articles + calm.redirects + sum(calm.skipped.values()) == 118
    undisturbed = content(place.out)
    shutil.rmtree(place.out)
    for calls in (3, 4, 4):
        with pytest.raises(KeyboardInterrupt):
            _build(place, progress=_Interrupt(calls))
    with pytest.raises(DumpDamaged, match="at 1 other place"):
        _build(place)
    manifest = _build(place, accept_damage=True)
    assert (manifest.damage, manifest.skipped) == (calm.damage, calm.skipped)
    assert content(place.out) == undisturbed


def test_pages_behind_damage_that_was_repaired_are_not_gone_on_with(tmp_path: Path) -> None:
    place = SimpleNamespace(dump=tmp_path / "d.xml", out=tmp_path / "i")
    whole = dump_xml(made_pages(120))
    place.dump.write_bytes(whole.replace(b"<title>Page 77<", b"<ti   >Page 77<"))
    with pytest.raises(DumpDamaged):
        _build(place)
    place.dump.write_bytes(whole)
    with pytest.raises(BuildError, match=r"no longer damaged.*--fresh"):
        _build(place)
    assert _build(place, fresh=True).damage == ()


def test_a_dump_without_articles_makes_no_index(tmp_path: Path) -> None:
    pages = [RawPage("Talk:A", 1, 1, "Hm."), RawPage("B", 0, 2, "#REDIRECT [[C]]", "C")]
    (tmp_path / "d.xml").write_bytes(dump_xml(pages))
    with pytest.raises(DumpError, match="no articles"):
        build_index(tmp_path / "d.xml", tmp_path / "i", workers=0, dense=False)
    assert [p.name for p in tmp_path.iterdir()] == ["d.xml"]


def test_want_of_memory_is_one_line_and_the_same_command_goes_on(place: SimpleNamespace) -> None:
    def explode(_: Progress) -> None:
        raise MemoryError

    with pytest.raises(BuildError, match=r"not enough memory.*the same command again"):
        _build(place, progress=explode)
    _build(place)


_LITTLE = """
import resource, sys
from wiki_index import WikiIndexError, build_index, machine
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + machine._ADDRESSES // 2, resource.RLIM_INFINITY))
try:
    build_index(sys.argv[1], sys.argv[2], workers=0, dense=False)
except WikiIndexError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_limit_of_addresses_is_one_line_before_a_library_aborts(place: SimpleNamespace) -> None:
    command = [sys.executable, "-c", _LITTLE, str(place.dump), str(place.out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(r"There is not enough memory.*ulimit -v.*\n", done.stderr)
    _build(place)


_FULL = """
import resource, sys
from wiki_index import WikiIndexError, build, build_index
def fill(stage):
    if stage == sys.argv[3]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
class Manifest(build.Manifest):
    def to_json(self):
        fill("manifest")
        return super().to_json()
build.Manifest = Manifest
try:
    build_index(
        sys.argv[1], sys.argv[2], workers=0, dense=False, progress=lambda told: fill(told.stage)
    )
except WikiIndexError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("stage", ["pages", "titles", "passages", "manifest"])
def test_a_full_disk_is_one_line_and_the_same_command_goes_on(
    place: SimpleNamespace, stage: str
) -> None:
    command = [sys.executable, "-c", _FULL, str(place.dump), str(place.out), stage]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 1
    assert "make room" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not place.out.exists()
    _build(place)
    with WikiIndex.open(place.out) as index:
        index.verify()


# Workers that go wrong: `sitecustomize` of the worker breaks the parser for three pages.

_SABOTAGE = """
import os, sys, time
if "wiki_index.workers" in " ".join(sys.orig_argv):
    import wiki_index.fallback as fallback, wiki_index.wikitext as wikitext
    real, plain = wikitext.parse, fallback.parse_plain
    def parse(page, site, pages):
        if page.title in ("Page 13", "Page 14"):
            os._exit(9)
        while page.title == "Page 25":
            pass
        if page.title == "Page 26":
            time.sleep(1_800)
        if page.title in ("Page 31", "Page 32"):
            raise ValueError("a page that raises")
        if page.title == "Page 38":
            return bytearray(8 * 1024 ** 3)
        return real(page, site, pages)
    def parse_plain(page, site):
        if page.title == "Page 14":
            os._exit(9)
        if page.title == "Page 32":
            raise ValueError("again")
        return plain(page, site)
    wikitext.parse, fallback.parse_plain = parse, parse_plain
"""


@pytest.mark.parametrize("pack", [dump_xml, dump_multistream])
def test_workers_that_die_hang_or_raise_read_the_page_without_the_parser(
    place: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(_SABOTAGE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setattr(parsing, "PAGE_SECONDS", 1.0)
    place.dump.write_bytes(pack(made_pages(60)))
    manifest = _build(place, workers=2)
    reasons = dict(manifest.fallbacks)
    assert reasons.pop("Page 25").startswith("it took over")  # On a busy machine by the clock.
    assert reasons == {
        "Page 13": "the worker died",
        "Page 26": "it took over 6 s by the clock",
        "Page 31": "ValueError: a page that raises",
        "Page 38": "MemoryError: ",
    }
    assert manifest.failed == {
        "Page 14": "the worker died",
        "Page 32": "ValueError: a page that raises",
    }
    assert manifest.skipped["could not be parsed"] == 2
    with WikiIndex.open(place.out) as index:
        assert "river" in index.page("Page 13").text
        assert index.page("Page 25").via == "fallback"
        assert index.search("Page 12").title == "Page 12"
        assert index.search("Page 14").title is None


class _Killed(subprocess.Popen):
    """A process that is killed as soon as it is started."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)
        self.kill()


class _Ended(subprocess.Popen):
    def __init__(self, _: object, **options: object) -> None:
        super().__init__("/bin/false", **options)


def _no_process(*_: object, **__: object) -> None:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (_Killed, "the worker was killed, as where memory is short"),
        (_Ended, "it ended with exit code 1"),
        (_no_process, "Resource temporarily unavailable"),
    ],
)
def test_workers_that_cannot_start_are_said_with_what_to_do(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, start: Callable, reason: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(workers.subprocess, "Popen", start)
        with pytest.raises(BuildError) as caught:
            _build(place, workers=2)
    assert str(caught.value) == (
        f"No parsing process could be started ({reason}): end other programs or use fewer "
        "--workers (0 parses in the program itself), then run the same command again."
    )
    assert not place.out.exists()
    _build(place)


def test_workers_that_are_killed_cost_nothing(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _build(place)
    undisturbed = content(place.out)
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    started: list[subprocess.Popen] = []

    class Killed(subprocess.Popen):
        """Every other worker is killed as soon as it is started."""

        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            if len(started) % 2:
                self.kill()

    def kill(progress: Progress) -> None:
        if progress.stage == "pages" and progress.pages in range(80, 200):
            started[-1].kill()

    monkeypatch.setattr(workers.subprocess, "Popen", Killed)
    manifest = _build(place, workers=1, fresh=True, progress=kill)
    assert len(started) > 3
    assert (manifest.fallbacks, manifest.failed) == ({}, {})
    assert content(place.out) == undisturbed


def test_no_process_outlives_the_build(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Kept(subprocess.Popen):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(workers.subprocess, "Popen", Kept)
    with pytest.raises(KeyboardInterrupt):
        _build(place, workers=2, progress=_Interrupt(0))
    assert [process.returncode is None for process in started] == [False, False]
