"""Two nodes of Ray on loopback, one of which is killed midway."""

from __future__ import annotations

import importlib.util
import resource
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_dumps import dump_multistream, made_pages
from test_build import content

from wiki_index import WikiIndex, build_index, cluster, shards
from wiki_index.cluster import connected
from wiki_index.dump import Dump
from wiki_index.errors import BuildError
from wiki_index.parsing import Settings, parse_here
from wiki_index.types import RawPage

ROOT = Path(__file__).parents[2]
HAS_RAY = importlib.util.find_spec("ray") is not None

_CLUSTER = """
import sys
from ray.cluster_utils import Cluster
from wiki_index import build_index, cluster as engine, progress

dump, out = sys.argv[1:]
engine._SMALLEST_SHARD = engine._SHARD_BYTES = 1
progress._REPORT_SECONDS = 0.0
nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
lost = nodes.add_node(num_cpus=1)
nodes.wait_for_nodes()
killed = []

def kill(progress):
    if not killed and 0.2 < progress.fraction < 1 and progress.stage == "pages":
        import ray
        assert len([node for node in ray.nodes() if node["Alive"]]) == 2
        nodes.remove_node(lost, allow_graceful=False)
        killed.append(progress.fraction)

try:
    manifest = build_index(
        dump, out, dense=False, ray=nodes.address, templates=True, progress=kill
    )
    assert killed
    assert manifest.failed == {}
finally:
    nodes.shutdown()
print("done", killed)
"""


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_a_lost_node_changes_nothing(tmp_path: Path) -> None:
    dump = tmp_path / "d.xml.bz2"
    pages = made_pages(400)
    pages.append(RawPage("User", 0, 500, "It is {{told|by one}}."))
    pages.append(RawPage("Template:Told", 10, 501, "told {{{1}}} of many"))
    dump.write_bytes(dump_multistream(pages, size=20))
    build_index(dump, tmp_path / "local", workers=0, dense=False, templates=True)
    with WikiIndex.open(tmp_path / "local") as index:
        assert index.page("User").text == "It is told by one of many."
    done = subprocess.run(
        [sys.executable, "-c", _CLUSTER, str(dump), str(tmp_path / "far")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1_800,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "\ndone " in f"\n{done.stdout}"
    assert content(tmp_path / "far") == content(tmp_path / "local")


_RESUMED = """
import subprocess, sys
from ray.cluster_utils import Cluster

nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
try:
    for last in ("0.2", "0.6", "2"):
        driver = [sys.executable, "-c", sys.argv[1], *sys.argv[2:], nodes.address, last]
        print(subprocess.run(driver).returncode)
finally:
    nodes.shutdown()
"""
_DRIVER = """
import os, signal, sys
from wiki_index import build_index, cluster, ingest, progress, store_writer

dump, out, address, last = sys.argv[1:]
cluster._SMALLEST_SHARD = cluster._SHARD_BYTES = 1
ingest._COMMIT_SECONDS = progress._REPORT_SECONDS = 0.0
store_writer._SAMPLE_PAGES = 50

def kill(progress):
    if progress.stage == "pages" and progress.fraction > float(last):
        os.kill(os.getpid(), signal.SIGKILL)

build_index(dump, out, dense=False, ray=address, progress=kill)
"""


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_a_build_whose_command_is_killed_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    dump = tmp_path / "d.xml.bz2"
    dump.write_bytes(dump_multistream(made_pages(200), size=10))
    build_index(dump, tmp_path / "local", workers=0, dense=False)
    done = subprocess.run(
        [sys.executable, "-c", _RESUMED, _DRIVER, str(dump), str(tmp_path / "far")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1_800,
    )
    assert done.stdout.split() == ["-9", "-9", "0"], done.stderr[-3_000:]
    assert content(tmp_path / "far") == content(tmp_path / "local")


def test_a_shard_holds_all_that_the_store_takes(tmp_path: Path) -> None:
    dump = tmp_path / "d.xml.bz2"
    whole = dump_multistream(made_pages(60), size=20)
    dump.write_bytes(whole[:-300])
    dumped = Dump(dump)
    stretches = list(dumped.stretches())
    results = list(parse_here(stretches, Settings(dumped.site)))
    assert results[-1].tally.damages
    assert list(shards.unpack(stretches, shards.pack(results))) == results


def test_templates_are_copied_once_or_it_is_said_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = SimpleNamespace(get=lambda content: content, put=lambda content: content)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(cluster.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "templates.db").write_bytes(b"of the wiki")
    sent = cluster._Sent.of(ray, tmp_path / "templates.db")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, limits[1]))
    try:
        with pytest.raises(BuildError, match=r"templates cannot be written on .*the same command"):
            sent.here()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["templates.db"]
    copy = sent.here()
    assert copy.read_bytes() == b"of the wiki"
    written = copy.stat().st_mtime_ns
    assert sent.here().stat().st_mtime_ns == written


class _Failing(Exception):
    pass


@pytest.mark.parametrize("reason", ["The worker died.\nIn more words.", "Out of disk."])
def test_what_fails_in_ray_itself_is_one_line(reason: str) -> None:
    class Task(_Failing):
        cause = BuildError("of a task")

    ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=_Failing, RayTaskError=Task))
    said = r"has failed \([^\n]*\.\): see .*the same command again\.$"
    with pytest.raises(BuildError, match=said), cluster._failures(ray):
        raise _Failing(reason)
    with pytest.raises(BuildError, match=r"^of a task$"), cluster._failures(ray):
        raise Task


def test_without_ray_or_a_cluster_it_is_said(tmp_path: Path, monkeypatch) -> None:
    dump = tmp_path / "d.xml.bz2"
    dump.write_bytes(dump_multistream(made_pages(20)))
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BuildError, match=r"react-local\[distributed\]"):
        build_index(dump, tmp_path / "i", ray="auto", dense=False)


@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_an_address_where_nobody_is_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with (
        pytest.raises(BuildError, match=rf"no Ray cluster at 127\.0\.0\.1:{port} .*refused"),
        connected(f"127.0.0.1:{port}"),
    ):
        pass
