"""What a dump may be given as."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from made_dumps import HEAD, TAIL, dump_multistream, dump_xml, made_pages, page_xml

from wiki_index.dump import Dump, Pages, Streams
from wiki_index.errors import DumpDamaged, DumpError
from wiki_index.inputs import find_index
from wiki_index.types import RawPage

ROOT = Path(__file__).parents[2]
PAGES = made_pages(60)
ARTICLES = [page for page in PAGES if page.namespace == 0]


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _index(pages: list, data: bytes, size: int) -> str:
    """The index that Wikimedia would ship with `dump_multistream(pages, size)`."""
    starts = [match.start() for match in re.finditer(rb"BZh91AY&SY", data)][1:-1]
    lines = [
        f"{start}:{page.id}:{page.title}\n"
        for number, start in enumerate(starts)
        for page in pages[number * size : number * size + size]
    ]
    return "".join(lines)


def _zstd_frames(data: bytes) -> bytes:
    half = len(data) // 2
    return b"".join(map(zstandard.compress, (data[:half], data[half:])))


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
     zstandard.compress, _zstd_frames],
    ids=["gzip", "two members of gzip", "zstd", "two frames of zstd"],
)  # fmt: skip
def test_packed_dumps_are_read_whatever_they_are_called(tmp_path: Path, pack) -> None:
    assert list(Dump(_write(tmp_path / "dump", pack(dump_xml(PAGES))))) == ARTICLES


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bz2.compress])
def test_packed_dumps_that_break_off_are_damaged(tmp_path: Path, pack) -> None:
    whole = pack(dump_xml(made_pages(400)))
    for cut in random.Random(4).sample(range(20, len(whole) - 1), 12):
        with pytest.raises(DumpError, match="damaged"):
            list(Dump(_write(tmp_path / "cut", whole[:cut])))


def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    page = page_xml(PAGES[0]).replace("</text>", " " * 200_000_000 + "</text>")
    path = _write(tmp_path / "bomb.gz", gzip.compress((HEAD + page).encode(), 1))
    code = (
        "import resource, sys; from wiki_index.unpack import unpack\n"
        "file = open(sys.argv[1], 'rb')\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert sum(map(len, unpack(file.read, b'\\x1f\\x8b'))) > 200_000_000\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 16 * 1024


@pytest.mark.parametrize("pack", [bytes, lambda data: bz2.compress(data, 1), dump_multistream])
def test_the_place_of_damage_is_named_to_the_block(tmp_path: Path, pack) -> None:
    pages = made_pages(3_000)
    data = bytearray(pack(pages) if pack is dump_multistream else pack(dump_xml(pages)))
    place = len(data) * 2 // 3
    data[place : place + 40] = bytes(40)
    with pytest.raises(DumpDamaged, match=r"at byte [\d,]+") as caught:
        list(Dump(_write(tmp_path / "d", bytes(data))))
    named = int(re.search(r"at byte ([\d,]+)", str(caught.value))[1].replace(",", ""))
    assert place - 64 * 1024 <= named <= place


def test_a_checksum_at_the_end_says_that_what_came_before_may_be_wrong(tmp_path: Path) -> None:
    pages = made_pages(400)
    data, got = bytearray(gzip.compress(dump_xml(pages))), []
    data[-8] ^= 1
    with pytest.raises(DumpDamaged, match="text before it may be wrong"):
        got.extend(Dump(_write(tmp_path / "d", bytes(data))))
    assert len(got) > 200


def test_a_pipe_is_refused_before_it_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "d.xml")
    with pytest.raises(DumpError, match=r"pipe.*standard input"):
        Dump(tmp_path / "d.xml")


def test_what_the_beginning_says_of_the_wiki_is_found_without_reading_on(tmp_path: Path) -> None:
    talk = [RawPage(f"Talk:{i}", 1, i, "Hm. " * 500) for i in range(3_000)]
    dump = Dump(_write(tmp_path / "d.xml", dump_xml(talk)))
    assert dump.site.sitename == "Testipedia"
    assert dump._begun.offset < 300_000


def test_seven_zip_is_refused_with_the_command_that_unpacks_it(tmp_path: Path) -> None:
    path = _write(tmp_path / "d.7z", b"7z\xbc\xaf\x27\x1c" + bytes(40))
    with pytest.raises(DumpError, match=rf"7z x {path}"):
        Dump(path)


# Multistream


def test_streams_are_found_by_the_index_beside_the_dump_or_named_or_without(
    tmp_path: Path,
) -> None:
    data = dump_multistream(PAGES, size=7)
    dump = _write(tmp_path / "w-pages-articles-multistream.xml.bz2", data)
    without = list(Dump(dump).stretches())
    assert all(isinstance(stretch, Streams) for stretch in without)
    assert len(without) == 11
    index = _index(PAGES, data, 7).encode()
    beside = _write(tmp_path / "w-pages-articles-multistream-index.txt.bz2", bz2.compress(index))
    assert find_index(dump) == beside
    # Wikimedia's index names no closing stream: it goes with the last.
    assert [s.key for s in Dump(dump).stretches()] == [s.key for s in without[:-1]]
    assert list(Dump(dump)) == ARTICLES
    named = _write(tmp_path / "elsewhere.txt", index)
    assert list(Dump(dump, named)) == ARTICLES


def test_an_index_of_another_dump(tmp_path: Path) -> None:
    dump = _write(tmp_path / "w.xml.bz2", dump_multistream(PAGES, size=7))
    other = _write(tmp_path / "w-index.txt", b"612:1:A\n999:3:B\n")
    with pytest.raises(DumpError, match="is not the index of"):
        Dump(dump, other)
    with pytest.raises(DumpError, match="lines of offset:id:title"):
        Dump(dump, _write(tmp_path / "notes.txt", b"no index at all\n"))
    found = Dump(dump)
    assert list(found) == ARTICLES
    (note,) = found.notes
    assert "found without it" in note


def test_an_index_with_a_wrong_offset_loses_no_page(tmp_path: Path) -> None:
    data = dump_multistream(PAGES, size=7)
    lines = _index(PAGES, data, 7).splitlines(keepends=True)
    offset = int(lines[40].partition(":")[0])
    index = "".join(
        lines[:40] + [line.replace(f"{offset}", f"{offset + 5}") for line in lines[40:]]
    )
    _write(tmp_path / "w-index.txt", index.encode())
    assert list(Dump(_write(tmp_path / "w.xml.bz2", data))) == ARTICLES


def test_an_offset_before_the_file_is_no_index(tmp_path: Path) -> None:
    dump = _write(tmp_path / "w.xml.bz2", dump_multistream(PAGES, size=7))
    with pytest.raises(DumpError, match="lines of offset:id:title"):
        Dump(dump, _write(tmp_path / "index.txt", b"-5:1:A\n"))


@pytest.mark.parametrize("has_index", [False, True])
@pytest.mark.parametrize("byte", [0, 40], ids=["header", "body"])
def test_each_damaged_stream_costs_that_stream_only(
    tmp_path: Path, has_index: bool, byte: int
) -> None:
    data = bytearray(dump_multistream(PAGES, size=7))
    if has_index:
        _write(tmp_path / "w-index.txt", _index(PAGES, data, 7).encode())
    starts = [match.start() for match in re.finditer(rb"BZh91AY&SY", data)]
    for start in starts[1:6]:
        data[start + byte : start + byte + 10] = bytes(10)
    dump, got = Dump(_write(tmp_path / "w.xml.bz2", bytes(data))), []
    with pytest.raises(DumpDamaged):
        got.extend(dump)
    assert got == [page for page in ARTICLES if page.id > 35]


def test_a_damaged_beginning_costs_what_it_says_of_the_wiki(tmp_path: Path) -> None:
    data = bytearray(dump_multistream(PAGES, size=7))
    data[40:60] = bytes(20)
    dump, got = Dump(_write(tmp_path / "dewiki-pages.xml.bz2", bytes(data))), []
    with pytest.raises(DumpDamaged, match="at byte 0 to"):
        got.extend(dump)
    assert got == ARTICLES
    assert dump.site.lang == "de"
    (note,) = dump.notes
    assert "language is taken to be de" in note


def test_an_index_that_names_a_few_streams_only_loses_no_page(tmp_path: Path) -> None:
    data = dump_multistream(PAGES, size=7)
    lines = _index(PAGES, data, 7).splitlines(keepends=True)
    _write(tmp_path / "w-index.txt", "".join(lines[:20]).encode())
    assert list(Dump(_write(tmp_path / "w.xml.bz2", data))) == ARTICLES


def test_a_dump_shorter_than_its_index_is_damaged(tmp_path: Path) -> None:
    data = dump_multistream(PAGES, size=7)
    _write(tmp_path / "w-index.txt", _index(PAGES, data, 7).encode())
    starts = [match.start() for match in re.finditer(rb"BZh91AY&SY", data)]
    dump = Dump(_write(tmp_path / "w.xml.bz2", data[: starts[5]]))
    got = []
    with pytest.raises(DumpDamaged, match=f"byte {starts[4]:,}"):
        got.extend(dump)
    assert got == [page for page in ARTICLES if page.id <= 28]


def test_streams_that_cut_pages_in_two_are_read_one_after_the_other(tmp_path: Path) -> None:
    text = dump_xml(PAGES)
    cuts = range(0, len(text), 1_500)
    data = b"".join(bz2.compress(text[cut : cut + 1_500]) for cut in cuts)
    dump = Dump(_write(tmp_path / "w.xml.bz2", data))
    assert all(isinstance(stretch, Pages) for stretch in dump.stretches())
    assert list(Dump(tmp_path / "w.xml.bz2")) == ARTICLES


# Part files


def _parts(directory: Path, pack=bz2.compress, infix: str = "") -> None:
    directory.mkdir(exist_ok=True)
    for number, first in enumerate(range(0, 60, 20), start=1):
        name = f"tw-20260101-pages-articles{infix}{number}.xml-p{first + 1}p{first + 20}.bz2"
        _write(directory / name, pack(PAGES[first : first + 20]))


@pytest.mark.parametrize("pack", [lambda p: bz2.compress(dump_xml(p)), dump_multistream])
def test_part_files_are_read_in_the_order_of_their_pages(tmp_path: Path, pack) -> None:
    _parts(tmp_path / "parts", pack)
    _write(tmp_path / "parts" / "sha1sums.txt", b"other files are left alone")
    dump = Dump(tmp_path / "parts")
    assert list(dump) == ARTICLES
    assert (dump.name, dump.notes) == ("parts", [])


def test_a_missing_part_is_said(tmp_path: Path) -> None:
    _parts(tmp_path / "parts", dump_multistream)
    next((tmp_path / "parts").glob("*p21p40*")).unlink()
    dump = Dump(tmp_path / "parts")
    assert dump.notes == ["No part file holds the pages 21 to 40."]
    assert [page.id for page in dump] == [p.id for p in ARTICLES if not 20 < p.id <= 40]


def test_directories_that_are_no_dump_or_more_than_one(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="without part files"):
        Dump(tmp_path)
    _parts(tmp_path, dump_multistream)
    with pytest.raises(DumpError, match="a single file"):
        Dump(tmp_path, tmp_path / "index")
    _write(tmp_path / "tw-20260101-pages-articles9.xml-p10p30.bz2", dump_multistream(PAGES))
    with pytest.raises(DumpError, match="the same pages"):
        Dump(tmp_path)
    _parts(tmp_path, dump_multistream, infix="-multistream")
    with pytest.raises(DumpError, match="several dumps"):
        Dump(tmp_path)


# Standard input


def test_standard_input_is_read_and_told_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipe(data: bytes) -> Dump:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        return Dump("-")

    for pack in (dump_xml, dump_multistream, lambda pages: gzip.compress(dump_xml(pages))):
        dump = pipe(pack(PAGES))
        assert list(dump) == ARTICLES
        assert (dump.site.sitename, dump.bytes_total) == ("Testipedia", 0)
    one, other = pipe(dump_xml(PAGES)).identity, pipe(dump_xml(made_pages(3))).identity
    assert one == pipe(dump_xml(PAGES)).identity
    assert one != other
    with pytest.raises(DumpError, match="standard input is empty"):
        pipe(b"")


# Order, revisions, titles


def test_of_a_history_the_latest_revision_counts_in_whatever_order(tmp_path: Path) -> None:
    revision = "<revision><id>{}</id><timestamp>{}</timestamp><text>Version {}.</text></revision>"
    stamps = [(8, "2020-01-01T00:00:00Z"), (7, "2024-01-01T00:00:00Z"), (9, "2022-01-01T00:00:00Z")]
    revisions = "".join(revision.format(id, stamp, id) for id, stamp in stamps)
    xml = HEAD + f"<page><title>A</title><ns>0</ns><id>1</id>{revisions}</page>" + TAIL
    dump = Dump(_write(tmp_path / "d.xml", xml.encode()))
    (page,) = dump
    assert (page.revision, page.text) == (7, "Version 7.")
    assert dump.tally.histories == 1
