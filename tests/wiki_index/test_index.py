from __future__ import annotations

import errno
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_dumps import dump_xml, made_pages

from wiki_index import WikiIndex, build_index, encoder
from wiki_index.errors import DenseUnavailable, IndexDamaged, IndexUnreadable
from wiki_index.layout import IndexLayout

PAGES = {
    "Abraham Lincoln": (
        "{{Infobox person|name=Abraham Lincoln|birth_place=Hodgenville}}\n"
        "'''Abraham Lincoln''' was a lawyer. He led the Union. He was born in a cabin. "
        "He read at night. He grew a beard. He was shot in a theatre.\n\n"
        "== Life ==\n* He kept cats.\n* He split RAILS.\n\n"
        "== Death ==\nThe rails carried him home. Crowds lined the rails."
    ),
    "Honest Abe": "#REDIRECT [[Abraham Lincoln]]",
    "Old Abe": "#REDIRECT [[Honest Abe]]",
    "Railsplitter": "#REDIRECT [[Abraham Lincoln#Life]]",
    "Lincoln (film)": "'''Lincoln''' is a film of 2012.",
    "Mercury": (
        "'''Mercury''' may refer to:\n"
        "* [[Mercury (planet)]], the nearest to the Sun\n"
        "* [[Quicksilver]], a metal\n* [[Mercury (ship)]], not written yet\n"
        "* [[Mercury (god)]], of trade\n* [[Freddie Mercury]], a singer\n"
        "* [[Lincoln (film)]], where nobody is called so\n* [[Abraham Lincoln]], neither\n"
        "{{disambiguation}}"
    ),
    "Mercury (planet)": "'''Mercury''' is a planet.",
    "Mercury (element)": "'''Mercury''' is a metal.",
    "Quicksilver": "#REDIRECT [[Mercury (element)]]",
    "Mercury (god)": "'''Mercury''' is a god.",
    "Freddie Mercury": "'''Freddie Mercury''' was a singer.",
    "Sørvágsvatn": "'''Sørvágsvatn''' is a lake.",
    "東京": "'''東京''' is a city.",
    "AIDS": "'''AIDS''' is an illness with a long page. It is described here at length.",
    "Aids": "'''Aids''' are helpers.",
    "C++": "'''C++''' is a language.",
    "C": "'''C''' is a letter.",
    "Woman's Era": "'''Woman's Era''' is a magazine.",
}


@pytest.fixture(scope="module")
def index() -> Iterator[WikiIndex]:
    with WikiIndex.from_pages(PAGES) as index:
        yield index


@pytest.mark.parametrize(
    ("entity", "title", "via"),
    [
        ("Abraham Lincoln", "Abraham Lincoln", "exact"),
        ("Abraham_Lincoln", "Abraham Lincoln", "normalised"),
        (" abraham Lincoln", "Abraham Lincoln", "normalised"),
        ("Abraham Lincoln#Death", "Abraham Lincoln", "normalised"),
        ("ABRAHAM LINCOLN", "Abraham Lincoln", "folded"),
        ("abraham lincoln!", "Abraham Lincoln", "folded"),
        ("Honest Abe", "Abraham Lincoln", "redirect"),
        ("honest_abe", "Abraham Lincoln", "redirect"),
        ("Old Abe", "Abraham Lincoln", "redirect"),
        ("Railsplitter", "Abraham Lincoln", "redirect"),
        ("sorvagsvatn", "Sørvágsvatn", "folded"),
        ("S%C3%B8rv%C3%A1gsvatn", "Sørvágsvatn", "normalised"),
        ("東京", "東京", "exact"),
        ("AIDS", "AIDS", "exact"),
        ("Aids", "Aids", "exact"),
        ("aids", "Aids", "normalised"),
        ("aiDS", "AIDS", "folded"),
        ("C++", "C++", "exact"),
        ("c++", "C++", "normalised"),
        ("c", "C", "normalised"),
        ("Lincoln film", "Lincoln (film)", "folded"),
        ("Womans Era", "Woman's Era", "folded"),
        ("Woman’s Era", "Woman's Era", "folded"),
    ],
)
def test_a_title_is_found_in_the_order_of_the_rules(
    index: WikiIndex, entity: str, title: str, via: str
) -> None:
    result = index.search(entity)
    assert (result.query, result.title, result.via, result.similar) == (entity, title, via, ())
    assert index.page(entity).title == title


def test_the_first_five_sentences(index: WikiIndex) -> None:
    assert index.search("Abraham Lincoln").sentences == (
        "Abraham Lincoln was a lawyer.",
        "He led the Union.",
        "He was born in a cabin.",
        "He read at night.",
        "He grew a beard.",
    )


def test_list_items_count_as_sentences() -> None:
    pages = {"Islands": "'''Islands''' are many.\n* Big one\n* Small one\n* Far\n* Near\n* Last"}
    with WikiIndex.from_pages(pages) as index:
        assert index.search("Islands").sentences == (
            "Islands are many.",
            "Big one",
            "Small one",
            "Far",
            "Near",
        )


def test_a_miss_names_similar_titles(index: WikiIndex) -> None:
    result = index.search("Abrahm Linkoln")
    assert (result.title, result.via, result.sentences) == (None, None, ())
    assert result.similar[0] == "Abraham Lincoln"
    assert index.search("Lincoln").similar[:2] == ("Lincoln (film)", "Abraham Lincoln")


def test_a_disambiguation_answers_as_a_miss_with_its_entries(index: WikiIndex) -> None:
    result = index.search("mercury")
    assert (result.title, result.via, result.sentences) == (None, None, ())
    assert result.similar == (
        "Mercury (planet)",
        "Mercury (element)",
        "Mercury (god)",
        "Freddie Mercury",
        "Lincoln (film)",
    )
    assert index.page("Mercury").kind == "disambiguation"


def test_a_disambiguation_whose_entries_are_all_missing_still_helps() -> None:
    pages = {
        "Ada": "'''Ada''' may be:\n* [[Ada (boat)]]\n{{disambiguation}}",
        "Ada Lovelace": "'''Ada Lovelace''' wrote.",
    }
    with WikiIndex.from_pages(pages) as index:
        assert index.search("Ada").similar == ("Ada Lovelace",)


def test_lookup_finds_all_sentences_in_order_and_the_infobox_last(index: WikiIndex) -> None:
    assert index.lookup("Honest Abe", "rails") == [
        "He split RAILS.",
        "The rails carried him home.",
        "Crowds lined the rails.",
    ]
    assert index.lookup("Abraham Lincoln", "HODGENVILLE") == ["birth_place: Hodgenville"]
    assert index.lookup("Abraham Lincoln", "zebra") == []
    assert index.lookup("Abraham Lincoln", "  ") == []
    assert index.lookup("No such page", "rails") == []


def test_page_is_the_reader_s_page(index: WikiIndex) -> None:
    page = index.page("Abraham Lincoln")
    assert [section.heading for section in page.sections] == ["", "Life", "Death"]
    assert page.infobox["birth_place"] == "Hodgenville"
    assert page.text.endswith("Crowds lined the rails.")
    assert index.page("No such page") is None


@settings(max_examples=80)
@given(st.one_of(st.text(max_size=50), st.text("[]{}|#%&:_'()/\\\0 aé東", max_size=20)))
def test_any_string_may_be_searched(index: WikiIndex, entity: str) -> None:
    result = index.search(entity)
    assert (result.title is None) == (result.via is None)
    assert len(result.similar) <= 5
    assert len(set(result.similar)) == len(result.similar)
    index.lookup("Abraham Lincoln", entity)
    index.retrieve(entity)


@pytest.mark.parametrize(
    "entity",
    ["", " ", "x" * 100_000, "Lincoln " * 5_000, "\u0316\u0301" * 300_000, "\ud800", "\0"],
)
def test_hostile_strings_are_quick(index: WikiIndex, entity: str) -> None:
    index.search(entity)
    index.lookup("Abraham Lincoln", entity)
    index.retrieve(entity)


@pytest.mark.parametrize("k", [0, -1, -(2**70)])
@pytest.mark.parametrize("query", ["planet", ""])
def test_fewer_than_one_is_refused(index: WikiIndex, query: str, k: int) -> None:
    for mode in ("bm25", "dense", "hybrid"):
        with pytest.raises(ValueError, match=f"k is {k}: it must be at least 1"):
            index.retrieve(query, k, mode)
    with pytest.raises(ValueError, match=f"k is {k}: it must be at least 1"):
        index.similar(query, k)


@pytest.mark.parametrize("k", [1_000, 10**12, 2**70])
def test_more_than_there_are_is_all_there_are(index: WikiIndex, k: int) -> None:
    titles = {"Mercury (planet)", "Mercury (element)", "Mercury (god)", "Mercury"}
    assert {p.title for p in index.retrieve("mercury", k)} >= titles
    assert set(index.similar("mercury", k)) >= titles


@pytest.mark.parametrize("mode", ["BM25", "", "words", None])
def test_an_unknown_mode_is_refused(index: WikiIndex, mode: str) -> None:
    with pytest.raises(ValueError, match="must be one of bm25, dense, hybrid"):
        index.retrieve("planet", mode=mode)


def test_dense_without_vectors_is_an_error_and_hybrid_says_it_once(
    index: WikiIndex, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "packaged_model", lambda: None)
    with pytest.raises(DenseUnavailable, match="has no vectors"):
        index.retrieve("planet", mode="dense")
    for _ in range(2):
        found = index.retrieve("planet", mode="hybrid")
        assert found[0].title == "Mercury (planet)"
    assert len(caplog.records) == 1


def test_threads_share_an_index(index: WikiIndex) -> None:
    entities = ["Honest Abe", "aids", "Mercury", "Abrahm", "東京"] * 20
    expected = [index.search(entity) for entity in entities]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(index.search, entities)) == expected


def test_a_forked_process_may_go_on_with_it(index: WikiIndex) -> None:
    index.search("Honest Abe")
    child = os.fork()
    if child == 0:
        fine = index.search("Honest Abe").title == "Abraham Lincoln"
        fine = fine and index.search("Abrahm").similar[0] == "Abraham Lincoln"
        fine = fine and bool(index.retrieve("planet"))
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert index.search("Honest Abe").title == "Abraham Lincoln"


def test_the_index_of_pages_is_gone_when_closed() -> None:
    index = WikiIndex.from_pages({"A": "'''A''' is a letter."})
    place = index._layout.root
    assert place.is_dir()
    index.close()
    assert not place.exists()


# Opening


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("original")
    (place / "dump.xml").write_bytes(dump_xml(made_pages(120)))
    build_index(place / "dump.xml", place / "index", workers=0, dense=False)
    return place / "index"


@pytest.fixture
def built(original: Path, tmp_path: Path) -> Path:
    """An index on disk that a test may spoil."""
    return shutil.copytree(original, tmp_path / "index")


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexUnreadable, match="does not exist"):
        WikiIndex.open(tmp_path / "no")
    with pytest.raises(IndexUnreadable, match=r"no manifest\.json"):
        WikiIndex.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnreadable, match="is a file"):
        WikiIndex.open(tmp_path / "file")
    (tmp_path / "soon.building").mkdir()
    with pytest.raises(IndexUnreadable, match="being built"):
        WikiIndex.open(tmp_path / "soon")


def test_another_version_is_refused(built: Path) -> None:
    manifest = built / "manifest.json"
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(values | {"format": 99}))
    with pytest.raises(IndexUnreadable, match="format 99"):
        WikiIndex.open(built)


@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 200_000, '{"format": 2}', "\xff"])
def test_a_damaged_manifest_is_refused(built: Path, text: str) -> None:
    (built / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(IndexDamaged, match="damaged"):
        WikiIndex.open(built)


def test_missing_and_cut_parts_are_found_on_opening(built: Path) -> None:
    for part in IndexLayout(built).parts():
        path = built / part
        whole = path.read_bytes()
        path.write_bytes(whole[:-1])
        with pytest.raises(IndexDamaged, match=part.name):
            WikiIndex.open(built)
        path.unlink()
        with pytest.raises(IndexDamaged, match="is missing"):
            WikiIndex.open(built)
        path.write_bytes(whole)
    WikiIndex.open(built).close()


@pytest.mark.parametrize("replaced", [False, True])
def test_an_index_that_is_removed_or_replaced_while_it_is_open(
    built: Path, tmp_path: Path, replaced: bool
) -> None:
    with WikiIndex.open(built) as used, WikiIndex.open(built) as fresh:
        answers = used.search("ferry"), used.similar("fery"), used.retrieve("boat")
        built.rename(tmp_path / "moved")
        if replaced:
            shutil.copytree(tmp_path / "moved", built)
        assert (used.search("ferry"), used.similar("fery"), used.retrieve("boat")) == answers
        for ask in (used.verify, lambda: fresh.similar("fery"), lambda: fresh.retrieve("boat")):
            with pytest.raises(IndexUnreadable, match=r"removed or replaced .*: open it again"):
                ask()
        failures = _in_thread(lambda: used._store._idle.clear() or used.search("ferry"))
        assert "open it again" in failures


def _in_thread(ask) -> str:
    with ThreadPoolExecutor(1) as pool:
        return str(pool.submit(ask).exception())


def test_verify_finds_a_flipped_bit_in_any_part(built: Path) -> None:
    with WikiIndex.open(built) as index:
        index.verify()
    for part in IndexLayout(built).parts():
        path = built / part
        whole = path.read_bytes()
        path.write_bytes(_flipped(whole, len(whole) // 2))
        with pytest.raises(IndexDamaged) as caught:
            _verify(built)
        assert part.name in str(caught.value)
        path.write_bytes(whole)


def _verify(built: Path) -> None:
    with WikiIndex.open(built) as index:
        index.verify()


def _flipped(data: bytes, offset: int) -> bytes:
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def test_a_flipped_bit_anywhere_is_never_answered_from(built: Path) -> None:
    rng = random.Random(9)
    for part in ("manifest.json", *IndexLayout(built).parts()):
        path = built / part
        whole = path.read_bytes()
        for offset in {0, len(whole) - 1, *rng.choices(range(len(whole)), k=4)}:
            path.write_bytes(_flipped(whole, offset))
            with pytest.raises(IndexDamaged):
                _ask(built)
        path.write_bytes(whole)
    _ask(built)


def _ask(built: Path) -> None:
    with WikiIndex.open(built) as index:
        index.search("Page 3")
        index.similar("Pag 3")
        index.retrieve("river")


def test_a_damaged_body_is_not_answered_from(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that is too large to be checked as a whole."""
    monkeypatch.setattr("wiki_index.index._CHECKED_BYTES", 0)
    db = sqlite3.connect(built / "pages.db")
    body = db.execute("SELECT body FROM bodies WHERE id = 7").fetchone()[0]
    db.close()
    database = (built / "pages.db").read_bytes()
    at = database.index(body)
    for offset in range(at + 4, at + len(body), 7):
        (built / "pages.db").write_bytes(_flipped(database, offset))
        with WikiIndex.open(built) as index:
            assert index.search("Page 8").title == "Page 8"
            with pytest.raises(IndexDamaged, match="verify"):
                index.search("Page 7")


@pytest.mark.parametrize("checked", [0, 2**30])
def test_a_database_of_noise_is_damaged(
    built: Path, monkeypatch: pytest.MonkeyPatch, checked: int
) -> None:
    monkeypatch.setattr("wiki_index.index._CHECKED_BYTES", checked)
    path = built / "pages.db"
    path.write_bytes(b"\xaa" * path.stat().st_size)
    with pytest.raises(IndexDamaged, match="damaged"):
        WikiIndex.open(built)


@pytest.mark.parametrize("part", ["titles", "passages"])
def test_full_text_of_noise_is_damaged(
    built: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki_index.index._CHECKED_BYTES", 0)
    for path in getattr(IndexLayout(built), part).iterdir():
        if path.is_file():
            path.write_bytes(b"\xaa" * path.stat().st_size)
    with WikiIndex.open(built) as index, pytest.raises(IndexDamaged, match="damaged"):
        index.similar("Page") if part == "titles" else index.retrieve("river")


def test_nothing_is_written_when_it_is_read(built: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*")}
    with WikiIndex.open(built) as index:
        index.search("Page 3")
        index.search("Pag 3")
        index.retrieve("river")
    assert {path: path.stat().st_mtime_ns for path in built.rglob("*")} == before


def test_manifest_reads_back_as_written(built: Path) -> None:
    with WikiIndex.open(built) as index:
        manifest = index.manifest
    text = (built / "manifest.json").read_text()
    assert replace(manifest, seconds=0.0) != manifest
    assert manifest.to_json() == text
    contract = "articles redirects disambiguations passages dump bytes seconds skipped"
    assert set(contract.split()) <= manifest.summary().keys()


def test_a_read_only_medium_is_enough(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root file modes hold nothing back, so look at what would have been written."""
    for lock in built.rglob("*.lock"):
        lock.unlink()
    before = sorted(built.rglob("*"))
    with WikiIndex.open(built) as index:
        assert index.search("Pag 3").similar
        assert index.retrieve("river")
        assert sorted(built.rglob("*")) == before


def test_a_full_place_for_temporary_files_is_no_damage(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "symlink_to", full)
    with WikiIndex.open(built) as index:
        with pytest.raises(IndexUnreadable, match=r"No space left on device.*TMPDIR") as caught:
            index.retrieve("river")
        assert not isinstance(caught.value, IndexDamaged)


def test_titles_follow_in_the_order_of_their_folded_forms_and_begin_again():
    pages = {"B": "x", "á": "x", "C": "#REDIRECT [[B]]", "D (disambiguation)": "{{dab}}", "E": "x"}
    with WikiIndex.from_pages(pages) as index:
        assert index.following("b", 2) == ["B", "E"]
        assert index.following("c", 3) == ["E", "Á", "B"]
        assert index.following("zzz", 9) == ["Á", "B", "E"]
