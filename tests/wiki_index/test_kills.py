"""Builds and updates that are killed (`kill -9`) at any moment, and resumed."""

from __future__ import annotations

import bz2
import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_dumps import dump_multistream, dump_xml, made_pages
from test_build import ROOT, content

from wiki_index import WikiIndex, build_index
from wiki_index.errors import IndexUnreadable
from wiki_index.types import RawPage

HERE = Path(__file__).parent
KILLS = int(os.environ.get("REACT_LOCAL_KILLS", "2"))
"""Hundreds take some minutes: for a change of what is written, and when."""


def _pages() -> list[RawPage]:
    template = RawPage("Template:Told", 10, 900, "told {{{1}}} of many")
    return [*made_pages(150), RawPage("User", 0, 901, "It is {{told|by one}}."), template]


def _run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, HERE / "killed.py", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}"},
        capture_output=True,
        text=True,
        timeout=1_800,
    )


def _moments(*arguments: object) -> dict[str, list[int]]:
    """The numbers of the moments of an undisturbed run, by what it did then."""
    done = _run(0, *arguments)
    assert done.returncode == 0, done.stderr
    moments: dict[str, list[int]] = {}
    for number, name in enumerate(done.stdout.split(), start=1):
        moments.setdefault(name, []).append(number)
    return moments


def _any(rng: random.Random, moments: dict[str, list[int]]) -> int:
    return rng.choice(moments[rng.choice(sorted(moments))])


def _all_of(out: Path) -> dict[str, list]:
    with WikiIndex.open(out) as index:
        index.verify()
        vectors = [(p.title, round(p.score, 5)) for p in index.retrieve("gull", 300, "dense")]
        found = [(p.score, p.title, p.text) for p in index.retrieve("river lamp", 2_000)]
    return content(out) | {"retrieve": sorted(found), "vectors": sorted(vectors)}


@pytest.mark.parametrize("pack", [lambda p: bz2.compress(dump_xml(p)), dump_multistream])
def test_nothing_that_is_unfinished_opens_and_the_same_command_finishes(
    tmp_path: Path, letters: Path, pack
) -> None:
    dump, out, calm = tmp_path / "d.bz2", tmp_path / "index", tmp_path / "calm"
    dump.write_bytes(pack(_pages()))
    moments = _moments(dump, calm, letters)
    assert {"templates", "pages", "titles", "passages", "vectors"} < set(moments)
    expected = _all_of(calm)
    rng, kills = random.Random(5), 0
    while True:
        done = _run(_any(rng, moments) if kills < KILLS else 0, dump, out, letters)
        kills += 1
        if (out / "manifest.json").exists():
            assert _all_of(out) == expected
            if kills > KILLS:
                break
            shutil.rmtree(out)
        else:
            assert done.returncode == -signal.SIGKILL, done.stderr
            with pytest.raises(IndexUnreadable):
                WikiIndex.open(out)


def test_of_an_update_one_index_or_the_other_answers(tmp_path: Path, letters: Path) -> None:
    """Or at the one moment between two renames, when the command has to be run again, none."""
    old, new, out = tmp_path / "old.bz2", tmp_path / "new.bz2", tmp_path / "index"
    pages = _pages()
    changed = replace(pages[20], text="'''Page 21''' is {{lost template}} changed.", revision=9_000)
    old.write_bytes(dump_multistream(pages, size=40))
    new.write_bytes(dump_multistream([*pages[:20], changed, *pages[30:]], size=40))
    build_index(old, tmp_path / "was", workers=0, dense=letters, templates=True)
    build_index(new, tmp_path / "fresh", workers=0, dense=letters, templates=True)
    before, after = _all_of(tmp_path / "was"), _all_of(tmp_path / "fresh")
    shutil.copytree(tmp_path / "was", tmp_path / "calm")
    moments = _moments(new, tmp_path / "calm", letters)
    assert _all_of(tmp_path / "calm") == after
    rng, found = random.Random(3), before
    for kill in range(KILLS + 1):
        if found == after:
            shutil.rmtree(out, ignore_errors=True)
        if not out.exists() and not out.with_name("index.replaced").exists():
            shutil.copytree(tmp_path / "was", out)
        done = _run(_any(rng, moments) if kill < KILLS else 0, new, out, letters)
        if (out / "manifest.json").exists():
            found = _all_of(out)
            assert found in (before, after)
        else:
            assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.returncode == 0, done.stderr
    assert found == after
