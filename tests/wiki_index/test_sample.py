from __future__ import annotations

import bz2
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiki_index import WikiIndex, build_index
from wiki_index.dump import Dump
from wiki_index.sample import claims, questions, sample_pages, write_dump
from wiki_index.titles import normalise


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikiIndex]:
    place = tmp_path_factory.mktemp("sample")
    build_index(write_dump(place), place / "index", workers=0, dense=False)
    with WikiIndex.open(place / "index") as index:
        yield index


def test_there_is_enough_of_everything(index: WikiIndex) -> None:
    manifest = index.manifest
    assert manifest.articles >= 120
    assert manifest.redirects >= 30
    assert manifest.disambiguations >= 9
    assert manifest.skipped == {}
    assert manifest.failed == {}
    assert len(questions()) >= 40
    assert len(claims()) >= 20


def test_file_names_are_titles() -> None:
    titles = [page.title for page in sample_pages()]
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if normalise(title) != title] == []
    assert any(not title.isascii() for title in titles)


def test_the_dump_is_the_same_every_time(tmp_path: Path) -> None:
    write_dump(tmp_path / "one")
    write_dump(tmp_path / "two")
    for name in ("sample-multistream.xml.bz2", "sample-multistream-index.txt.bz2"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_dump_gives_the_pages_back(tmp_path: Path) -> None:
    dump = Dump(write_dump(tmp_path))
    assert list(dump) == sample_pages()
    assert dump.site.sitename == "react-local sample wiki"


def test_the_index_of_the_dump_leads_to_the_streams(tmp_path: Path) -> None:
    data = write_dump(tmp_path).read_bytes()
    lines = bz2.decompress((tmp_path / "sample-multistream-index.txt.bz2").read_bytes())
    pages = [line.split(":", 2) for line in lines.decode().splitlines()]
    assert [title for _, _, title in pages] == [page.title for page in sample_pages()]
    assert max(Counter(offset for offset, _, _ in pages).values()) <= 100
    for offset, number, title in pages[::40]:
        stream = bz2.BZ2Decompressor().decompress(data[int(offset) :]).decode()
        assert stream.startswith("  <page>")
        assert f"<id>{number}</id>" in stream
        assert f"<title>{title.replace('&', '&amp;')}</title>" in stream


def test_few_links_lead_nowhere(index: WikiIndex) -> None:
    titles = {page.title for page in sample_pages()}
    links = [link for title in titles for link in index.page(title).links]
    red = [link for link in links if index.page(link) is None]
    assert len(links) > 500
    assert len(red) <= len(links) / 50, sorted(set(red))


def test_every_page_is_found_by_its_title(index: WikiIndex) -> None:
    for page in sample_pages():
        result = index.search(page.title)
        if page.redirect is not None:
            target = index.page(page.redirect)
            assert target is not None
            assert index.page(page.title) == target
        elif result.title is None:
            assert index.page(page.title).kind == "disambiguation"
            assert result.similar
        else:
            assert (result.title, result.via) == (page.title, "exact")
            assert result.sentences


def test_no_markup_is_left_in_the_prose(index: WikiIndex) -> None:
    for page in sample_pages():
        text = index.page(page.title).text
        for leak in ("{{", "}}", "[[", "]]", "'''", "<ref", "thumb|", "{|", "|}"):
            assert leak not in text, page.title


def test_questions_are_answered_by_their_pages(index: WikiIndex) -> None:
    ids = [question["id"] for question in questions()]
    assert len(set(ids)) == len(ids)
    for question in questions():
        titles = question["supporting_titles"]
        assert len(titles) >= 2, question["id"]
        assert all(index.search(title).via == "exact" for title in titles), question["id"]
        answer = question["answer"].casefold()
        prose = "\n".join([*titles, *(index.page(title).text for title in titles)]).casefold()
        assert answer in ("yes", "no") or answer in prose, question["id"]


def test_claims_rest_on_pages(index: WikiIndex) -> None:
    labels = Counter(claim["label"] for claim in claims())
    assert set(labels) == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
    for claim in claims():
        titles = claim["evidence_titles"]
        assert bool(titles) == (claim["label"] != "NOT ENOUGH INFO"), claim["id"]
        assert all(index.search(title).via == "exact" for title in titles), claim["id"]
