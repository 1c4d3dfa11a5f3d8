"""Builds that expand the dump's own templates."""

from __future__ import annotations

import bz2
import io
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_dumps import dump_multistream, dump_xml, made_pages
from test_build import content

from wiki_index import Progress, WikiIndex, build_index, progress, template_pages, update_index
from wiki_index.errors import DumpDamaged, DumpError
from wiki_index.types import RawPage


def _pages() -> list[RawPage]:
    """Some pages, one before all templates that it uses and one behind them."""
    template = "<includeonly>told by {{{1|nobody}}}</includeonly><noinclude>Help.</noinclude>"
    named = [
        ("User", 0, "It is {{told|you}}, {{measured|1|km|mi|0}}, {{:Lent}} and {{lost}}."),
        *((page.title, page.namespace, page.text) for page in made_pages(30)[:9]),
        ("Template:Told", 10, template),
        ("Template:Measured", 10, "#REDIRECT [[Template:Convert]]"),
        ("Template:Lost/doc", 10, "Nothing of use."),
        ("Lent", 0, "Apart. <onlyinclude>lent by {{told}}</onlyinclude>"),
        ("Second user", 0, "{{told|me}}."),
    ]
    return [
        RawPage(title, namespace, number, text, revision=100 + number)
        for number, (title, namespace, text) in enumerate(named, start=1)
    ]


USER = "It is told by you, 1 kilometre (1 mi), lent by told by nobody and."


@pytest.fixture
def place(tmp_path: Path) -> SimpleNamespace:
    dump = tmp_path / "dump.xml.bz2"
    dump.write_bytes(dump_multistream(_pages(), size=2))
    return SimpleNamespace(dump=dump, out=tmp_path / "index", path=tmp_path)


def _build(place: SimpleNamespace, **options):
    options = {"workers": 0, "dense": False, "templates": True, **options}
    return build_index(place.dump, place.out, **options)


def _text(place: SimpleNamespace, title: str) -> str:
    with WikiIndex.open(place.out) as index:
        return index.page(title).text


@pytest.mark.parametrize(("workers", "multistream"), [(0, True), (2, True), (0, False)])
def test_templates_are_expanded_wherever_they_stand(place, workers: int, multistream: bool) -> None:
    if not multistream:
        place.dump.write_bytes(bz2.compress(dump_xml(_pages())))
    manifest = _build(place, workers=workers)
    assert _text(place, "User") == USER
    assert _text(place, "Second user") == "told by me."
    assert manifest.dropped == {"lost": 1}
    assert manifest.options["templates"]
    assert manifest.skipped == {"other namespace": 3}
    assert {path.name for path in place.out.iterdir()} == {
        "manifest.json",
        "pages.db",
        "passages.tantivy",
        "titles.tantivy",
    }


def test_without_the_option_they_are_left_out(place) -> None:
    manifest = _build(place, templates=False)
    assert manifest.dropped == {":Lent": 1, "lost": 1, "measured": 1, "told": 3}
    assert not manifest.options["templates"]


def test_an_interrupted_build_ends_the_same(place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted each time that progress is told, until it is done."""
    monkeypatch.setattr(progress, "_REPORT_SECONDS", 0.0)
    monkeypatch.setattr(template_pages, "_COMMIT_SECONDS", 0.0)
    whole = SimpleNamespace(dump=place.dump, out=place.path / "whole")
    told: list[Progress] = []
    _build(whole, progress=told.append)
    stages = [p.stage for p in told]
    assert stages.count("templates") > 10

    def interrupt(now: Progress) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt

    for place_of_end in range(1, stages.count("templates") + 1, 3):
        left = place_of_end
        with pytest.raises(KeyboardInterrupt):
            _build(place, progress=interrupt)
    _build(place)
    assert content(place.out) == content(whole.out)


def test_an_update_parses_anew_when_a_template_has_changed(place) -> None:
    pages = _pages()
    _build(place)
    newer = place.path / "newer.xml.bz2"
    newer.write_bytes(dump_multistream(pages[:-1], size=3))
    assert not update_index(place.out, newer, workers=0).notes
    assert _text(place, "User") == USER

    changed = [replace(p, text=p.text.replace("told by", "said by")) for p in pages]
    newer.write_bytes(dump_multistream(changed, size=3))
    (note,) = update_index(place.out, newer, workers=0).notes
    assert "templates have changed" in note
    assert _text(place, "User") == USER.replace("told by", "said by")


def test_damage_is_said_before_the_pages_are_parsed(place) -> None:
    data = bytearray(place.dump.read_bytes())
    data[len(data) * 2 // 3] ^= 0xFF
    place.dump.write_bytes(data)
    with pytest.raises(DumpDamaged):
        _build(place)
    assert _build(place, accept_damage=True).damage


def test_standard_input_is_refused(place, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SimpleNamespace(buffer=io.BytesIO(dump_xml(_pages())))
    monkeypatch.setattr(sys, "stdin", text)
    with pytest.raises(DumpError, match="leave out --templates"):
        build_index("-", place.out, workers=0, dense=False, templates=True)
