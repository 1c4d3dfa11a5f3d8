"""The README's programs are run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_SECTION = re.compile(r"^#+ From Python$(?P<section>.*?)(?=^## |\Z)", re.M | re.S)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def programs() -> list[str]:
    """The program that asks a model, and the one with the doubles for tests."""
    if not README.exists():
        pytest.skip("there is no README.md here")
    section = _SECTION.search(README.read_text(encoding="utf-8"))
    assert section, "README.md has no heading 'From Python'"
    found = _BLOCK.findall(section["section"])
    assert len(found) == 2
    return found


def run(program: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "REACT_LOCAL_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_with_the_doubles_runs(tmp_path):
    done = run(programs()[1], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.model
def test_the_program_that_asks_a_model_runs(tmp_path):
    """In a home such as scripts/quickstart makes."""
    program = programs()[0]
    from react_local.models.registry import assemble_starter
    from wiki_index import build_index, sample

    if assemble_starter(tmp_path / "models") is None:
        pytest.skip("the starter model's package is not installed")
    (tmp_path / "indexes").mkdir()
    build_index(sample.write_dump(tmp_path), tmp_path / "indexes" / "sample", dense=False)
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert " -> Search[" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("finished ")
