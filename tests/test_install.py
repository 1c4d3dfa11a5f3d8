"""scripts/install, with a Python that only says what it was asked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def install(tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("pyproject.toml", "constraints.txt", "scripts/install"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@" >> asked\n')
    python.chmod(0o755)

    def run(*arguments: str) -> str:
        asked = tmp_path / "asked"
        asked.write_text("")
        subprocess.run(["bash", tmp_path / "scripts" / "install", *arguments], check=True)
        return asked.read_text()

    return run


def test_extras_add_up_and_nothing_is_done_twice(install):
    assert ".[starter]" in install("starter")
    assert ".[starter,dev]" in install("dev")
    assert install("starter", "dev") == install("starter") == install() == ""


def test_a_change_of_the_versions_installs_all_again(install, tmp_path):
    install("starter", "dev")
    with (tmp_path / "constraints.txt").open("a") as file:
        file.write("# another\n")
    assert ".[starter,dev]" in install("starter")
