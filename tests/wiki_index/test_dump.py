from __future__ import annotations

import bz2
import gzip
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from made_dumps import HEAD, TAIL, dump_multistream, dump_xml, made_pages, page_xml

from wiki_index.dump import Dump
from wiki_index.errors import DumpDamaged, DumpError
from wiki_index.types import RawPage

PAGES = made_pages(60)
ARTICLES = [page for page in PAGES if page.namespace == 0]


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_damage_is_told_in_one_line(tmp_path: Path) -> None:
    xml = dump_xml(PAGES).replace(b"river", b"ri\0er", 1)
    with pytest.raises(DumpDamaged, match=r"at byte [\d,]+ \(Invalid character: .*range\)\Z"):
        list(Dump(_write(tmp_path / "dump", xml)))


@pytest.mark.parametrize("pack", [bytes, bz2.compress])
@pytest.mark.parametrize("word", ["word ", "é&amp; ", "&lt;/text> "])
def test_of_a_page_without_end_only_the_beginning_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack, word: str
) -> None:
    monkeypatch.setattr("wiki_index.export._LONGEST", 300_000)
    huge = page_xml(RawPage("Huge", 0, 900, "HERE")).replace("HERE", word * 300_000)
    pages = "".join([*map(page_xml, PAGES), huge, page_xml(PAGES[0])])
    dump = Dump(_write(tmp_path / "dump", pack((HEAD + pages + TAIL).encode())))
    found = list(dump)
    assert [page.title for page in found] == [page.title for page in (*ARTICLES, PAGES[0])]
    assert dump.tally.skipped["longer than 16 MiB"] == 1


def test_a_text_without_end_or_blank_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki_index.export._LONGEST", 300_000)
    pages = "".join(map(page_xml, [*PAGES, RawPage("Huge", 0, 900, "x" * 2_000_000)]))
    got = []
    with pytest.raises(DumpDamaged, match="a text that does not end"):
        got.extend(Dump(_write(tmp_path / "dump", (HEAD + pages + TAIL).encode())))
    assert got == ARTICLES


@pytest.mark.parametrize("name", ["dump.xml", "dump.xml.bz2", "dump", "dump.bz2.xml"])
@pytest.mark.parametrize(
    "pack",
    [lambda pages: dump_xml(pages), lambda pages: bz2.compress(dump_xml(pages)), dump_multistream],
    ids=["plain", "bz2", "multistream"],
)
def test_pages_come_back_whatever_the_file_is_called(tmp_path: Path, name: str, pack) -> None:
    dump = Dump(_write(tmp_path / name, pack(PAGES)))
    assert list(dump) == ARTICLES
    assert sum(stretch.bytes for stretch in dump.stretches()) == dump.bytes_total
    assert dump.bytes_total == (tmp_path / name).stat().st_size
    assert dump.tally.skipped == {"other namespace": len(PAGES) - len(ARTICLES)}


def test_the_site_is_the_dumps_own(tmp_path: Path) -> None:
    head = HEAD.replace('xml:lang="en"', 'xml:lang="de"').replace("Template", "Vorlage")
    head = head.replace("<case>first-letter", "<case>case-sensitive")
    dump = Dump(_write(tmp_path / "d.xml", (head + page_xml(PAGES[0]) + TAIL).encode()))
    list(dump)
    assert (dump.site.lang, dump.site.sitename) == ("de", "Testipedia")
    assert (dump.site.case, dump.site.namespaces[10]) == ("case-sensitive", "Vorlage")


def test_a_mark_of_byte_order_and_comments_may_come_first(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- made <by> hand -->\n" + dump_xml(PAGES)
    assert list(Dump(_write(tmp_path / "d.xml", data))) == ARTICLES


def test_what_is_no_article_is_counted_by_reason(tmp_path: Path) -> None:
    pages = [
        RawPage("A", 0, 1, "Text."),
        RawPage("B", 0, 2, "{}", model="json"),
        RawPage("C", 0, 3, "  "),
        RawPage("Talk:A", 1, 4, "Hm."),
    ]
    dump = Dump(_write(tmp_path / "d.xml", dump_xml(pages)))
    assert [page.title for page in dump] == ["A"]
    assert dump.tally.skipped == {"not wikitext": 1, "no text": 1, "other namespace": 1}


def test_a_redirect_keeps_the_section_that_its_wikitext_names(tmp_path: Path) -> None:
    pages = [RawPage("A", 0, 1, "#REDIRECT [[B#Life and work]] {{R to section}}", "B")]
    assert [p.redirect for p in Dump(_write(tmp_path / "d.xml", dump_xml(pages)))] == [
        "B#Life and work"
    ]


def test_dumps_without_redirect_elements_and_namespaces_are_read(tmp_path: Path) -> None:
    xml = (
        HEAD
        + "<page><title>A</title><id>1</id><revision><text>#redirect [[B]]</text></revision></page>"
        + "<page><title>Talk:A</title><id>2</id><revision><text>x</text></revision></page>"
        + TAIL
    )
    dump = Dump(_write(tmp_path / "d.xml", xml.encode()))
    assert [(p.title, p.redirect) for p in dump] == [("A", "B")]
    assert dump.tally.skipped == {"other namespace": 1}


def test_pages_without_ids_are_told_apart(tmp_path: Path) -> None:
    page = "<page><title>{0}</title><ns>0</ns><revision><text>{0}.</text></revision></page>"
    xml = HEAD + page.format("A") + page.format("B") + TAIL
    pages = list(Dump(_write(tmp_path / "d.xml", xml.encode())))
    assert [page.title for page in pages] == ["A", "B"]
    assert len({page.id for page in pages}) == 2


def test_the_last_revision_of_a_history_counts(tmp_path: Path) -> None:
    revisions = "".join(
        f"<revision><id>{i}</id><text>Version {i}.</text></revision>" for i in (7, 8, 9)
    )
    xml = HEAD + f"<page><title>A</title><ns>0</ns><id>1</id>{revisions}</page>" + TAIL
    (page,) = Dump(_write(tmp_path / "d.xml", xml.encode()))
    assert (page.revision, page.text) == (9, "Version 9.")


def test_a_text_of_many_megabytes_is_read(tmp_path: Path) -> None:
    text = "Word. " * 2_500_000
    (page,) = Dump(_write(tmp_path / "d.xml", dump_xml([RawPage("Long", 0, 1, text)])))
    assert page.text == text


_XML_TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=60
)


@settings(max_examples=30)
@given(st.lists(st.tuples(_XML_TEXT, _XML_TEXT), min_size=1, max_size=5))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts) -> None:
    pages = [
        RawPage(f"T{title}", 0, number, f"x{text}", revision=5)
        for number, (title, text) in enumerate(texts, start=1)
    ]
    path = tmp_path_factory.mktemp("dump") / "d.bz2"
    assert list(Dump(_write(path, dump_multistream(pages, size=2)))) == pages


BOMB = b"""<?xml version="1.0"?><!DOCTYPE mediawiki [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><mediawiki><page><title>&b;</title></page></mediawiki>"""


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (gzip.compress(b"<html/>", mtime=0), "<html>"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "damaged"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(20), "7z x"),
        (b"PK\x03\x04" + bytes(20), "unzip"),
        (b'{"query": 1}', "not XML"),
        (bytes(range(256)), "not XML"),
        ("<mediawiki/>".encode("utf-16"), "UTF-8"),
        ("<mediawiki/>".encode("utf-16-le"), "UTF-8"),
        ("<mediawiki/>".encode("utf-16-be"), "UTF-8"),
        ("\ufeff<mediawiki/>".encode("utf-16-be"), "UTF-8"),
        ("<mediawiki/>".encode("utf-32"), "UTF-8"),
        ("<mediawiki/>".encode("utf-32-be"), "UTF-8"),
        (bz2.compress("<?xml version='1.0'?><mediawiki/>".encode("utf-16")), "UTF-8"),
        (b"<!doctype html><html></html>", "not a MediaWiki export"),
        (b"<html></html>", "<html>"),
        (b"<rss><page/></rss>", "<rss>"),
        (BOMB, "not a MediaWiki export"),
        (b"<?xml version='1.0'?>", "not a MediaWiki export"),
        (bz2.compress(b"plain words"), "not XML"),
        (bz2.compress(b"<html/>"), "<html>"),
    ],
)
def test_other_files_are_refused_in_a_line(tmp_path: Path, data: bytes, says: str) -> None:
    path = _write(tmp_path / "dump.xml.bz2", data)
    with pytest.raises(DumpError, match=says) as caught:
        list(Dump(path))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_missing_files_and_directories_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="does not exist"):
        Dump(tmp_path / "no.xml")
    with pytest.raises(DumpError, match="is a directory"):
        Dump(tmp_path)


@pytest.mark.parametrize("pack", [dump_xml, dump_multistream], ids=["plain", "multistream"])
def test_cut_off_anywhere_it_is_never_taken_for_whole(tmp_path: Path, pack) -> None:
    whole = pack(PAGES)
    end = len(whole.rstrip())
    for cut in random.Random(7).sample(range(1, end), 60):
        path = _write(tmp_path / "cut", whole[:cut])
        got: list[RawPage] = []
        with pytest.raises(DumpError) as caught:
            got.extend(Dump(path))
        assert got == ARTICLES[: len(got)]
        if got:
            assert isinstance(caught.value, DumpDamaged)
            assert "byte" in str(caught.value)


def _read_until_damage(path: Path) -> tuple[list[RawPage], DumpError | None]:
    got: list[RawPage] = []
    try:
        got.extend(Dump(path))
    except DumpError as error:
        return got, error
    return got, None


def test_pages_before_the_damage_are_yielded(tmp_path: Path) -> None:
    whole = dump_xml(PAGES)
    path = _write(tmp_path / "cut", whole[: whole.index(b"<title>Page 30<") + 3])
    got, error = _read_until_damage(path)
    assert isinstance(error, DumpDamaged)
    assert got == [page for page in ARTICLES if page.id < 30]


_DAMAGES = {
    "a blank": (b"gull</text>", b"gull\0/text>"),
    "no end of the page": (b"</page>", b"       "),
    "no beginning of the page": (b"<page>", b"      "),
    "noise": (b"</text></revision></page>\n", b"\xff" * 26),
    "zeros": (b"<title>", bytes(7)),
}


@pytest.mark.parametrize("chunk", [31, 32 * 1024])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
@pytest.mark.parametrize("damage", _DAMAGES.values(), ids=_DAMAGES)
def test_a_malformed_page_costs_that_page_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: tuple[bytes, bytes], pack, chunk: int
) -> None:
    monkeypatch.setattr("wiki_index.unpack._CHUNK", chunk)
    pages = [replace(page, text=f"{page.text} gull") for page in ARTICLES]
    xml = dump_xml(pages)
    starts = [match.start() for match in re.finditer(b"<page>", xml)]
    for number in (20, 40, 41):
        before, after = xml[: starts[number]], xml[starts[number] :]
        xml = before + after.replace(*damage, 1)
    dump, got = Dump(_write(tmp_path / "d", pack(xml))), []
    with pytest.raises(DumpDamaged, match=r"and at (1|2) other place") as caught:
        got.extend(dump)
    assert got == [page for number, page in enumerate(pages) if number not in (20, 40, 41)]
    if pack is bytes and damage != _DAMAGES["no beginning of the page"]:
        assert f"d at byte {starts[20]:,} (" in str(caught.value)


@pytest.mark.parametrize("chunk", [64, 32 * 1024])
@pytest.mark.parametrize("end", ["</mediawiki>", "</mediawiki>\n", "</mediawiki> <!-- - -->"])
def test_a_stray_end_costs_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, chunk: int
) -> None:
    monkeypatch.setattr("wiki_index.unpack._CHUNK", chunk)
    texts = [page_xml(page) for page in ARTICLES]
    texts[20] = f"  {end}{texts[20].lstrip()}"
    xml = (HEAD + "".join(texts) + TAIL).encode()
    dump, got = Dump(_write(tmp_path / "d.xml", xml)), []
    place = xml.index(end.encode()) + len(end)
    with pytest.raises(DumpDamaged) as caught:
        got.extend(dump)
    assert str(caught.value).endswith(f"d.xml at byte {place:,} (a page after the end)")
    assert got == ARTICLES


def test_a_stray_end_in_one_of_many_streams_costs_no_page(tmp_path: Path) -> None:
    bodies = ["".join(map(page_xml, ARTICLES[i : i + 5])) for i in range(0, len(ARTICLES), 5)]
    bodies[2] = bodies[2].replace("</page>", "</page></mediawiki>", 1)
    streams = [bz2.compress(text.encode()) for text in (HEAD, *bodies, TAIL)]
    dump, got = Dump(_write(tmp_path / "d.xml.bz2", b"".join(streams))), []
    place = sum(map(len, streams[:3]))
    with pytest.raises(DumpDamaged, match=rf"byte {place:,} to .* \(a page after the end\)$"):
        got.extend(dump)
    assert got == ARTICLES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</sitename>", "</sitnam>"),
        ("<sitename>", "<sitename>This & that "),
        ("</siteinfo>", ""),
        ("<siteinfo>", "<siteinfo &>"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_a_malformed_siteinfo_costs_no_page(tmp_path: Path, old: str, new: str, pack) -> None:
    xml = dump_xml(PAGES).replace(old.encode(), new.encode(), 1)
    dump, got = Dump(_write(tmp_path / "dewiki.xml", pack(xml))), []
    with pytest.raises(DumpDamaged, match=r"at byte 0 \([^)]*\)$"):
        got.extend(dump)
    assert got == ARTICLES
    assert dump.site.lang == "de"
    assert dump.notes == ["The beginning of dewiki.xml is damaged: its language is taken to be de."]


def test_a_dump_without_siteinfo_is_of_the_wiki_that_it_is_named_after(tmp_path: Path) -> None:
    xml = re.sub(b"<siteinfo>.*?</siteinfo>", b"", dump_xml(PAGES), flags=re.DOTALL)
    dump = Dump(_write(tmp_path / "dewiki.xml", xml))
    assert [*dump] == ARTICLES
    assert dump.site.lang == "de"
    assert dump.notes == [
        "The beginning of dewiki.xml does not describe its wiki: its language is taken to be de."
    ]


def test_a_hole_in_a_dump_costs_the_pages_that_it_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wiki_index.export._LONGEST", 20_000)
    pages = made_pages(400)
    xml = bytearray(dump_xml(pages))
    first, last = xml.index(b"<title>Page 101<"), xml.index(b"<title>Page 301<")
    xml[first:last] = bytes(last - first)
    got, error = _read_until_damage(_write(tmp_path / "d", bytes(xml)))
    start = xml.rindex(b"<page>", 0, first)
    assert f"at byte {start:,} (" in str(error)
    assert got == [p for p in pages if p.namespace == 0 and not 101 <= p.id <= 301]


def test_flipped_bits_of_a_packed_dump_are_noticed_or_harmless(tmp_path: Path) -> None:
    whole = dump_multistream(PAGES)
    rng = random.Random(3)
    noticed = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[rng.randrange(4, len(whole))] ^= 1 << rng.randrange(8)
        got, error = _read_until_damage(_write(tmp_path / "flipped", bytes(damaged)))
        noticed += error is not None
        assert error is not None or got == ARTICLES  # The bits that fill a stream's last byte.
    assert noticed > 50


@pytest.mark.parametrize("element", ["page", "logitem"])
def test_memory_does_not_grow_with_the_dump(tmp_path: Path, element: str) -> None:
    page = page_xml(RawPage("Page", 0, 1, "Some words of text. " * 500)).encode()
    other = page.replace(b"page>", element.encode() + b">")
    with (tmp_path / "big.xml").open("wb") as file:
        file.write(HEAD.encode() + page)
        for _ in range(8_000):
            file.write(other)
        file.write(page + TAIL.encode())
    code = (
        "import resource, sys; from wiki_index.dump import Dump\n"
        "pages = iter(Dump(sys.argv[1])); next(pages)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(sum(1 for _ in pages))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "big.xml"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    count, grown = map(int, done.stdout.split())
    assert count == (8_001 if element == "page" else 1)
    assert grown < 16 * 1024, "KiB more after 80 MB of XML"


def test_the_real_fragment(data: Path) -> None:
    dump = Dump(data / "enwiki-2016-fragment.xml.bz2")
    pages = list(dump)
    assert len(pages) + dump.tally.skipped.total() == 206
    assert sum(page.redirect is not None for page in pages) == 99
    assert dump.site.namespaces[14] == "Category"
    assert "AfghanistanHistory" in {page.title for page in pages}
