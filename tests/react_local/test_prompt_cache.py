"""States on disk: whole or absent, never too many, and never a reason to fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from react_local.models.prompt_cache import PromptCache

DIGEST = 64  # bytes before each state


def test_a_state_comes_back_and_is_found_by_another_process(tmp_path: Path) -> None:
    PromptCache(tmp_path / "new" / "place").write("a", b"state" * 1000)
    assert PromptCache(tmp_path / "new" / "place").read("a") == b"state" * 1000
    assert PromptCache(tmp_path / "new" / "place").read("b") is None
    assert [path.name for path in (tmp_path / "new" / "place").iterdir()] == ["a.state"]


@pytest.mark.parametrize("data", [b"", b"x", bytes(DIGEST), bytes(DIGEST) + b"other"])
def test_a_damaged_state_is_deleted(tmp_path: Path, data: bytes) -> None:
    cache = PromptCache(tmp_path)
    cache.write("a", b"state")
    (tmp_path / "a.state").write_bytes(data)
    assert cache.read("a") is None
    assert list(tmp_path.iterdir()) == []


def test_every_changed_byte_is_seen(tmp_path: Path) -> None:
    cache, file = PromptCache(tmp_path), tmp_path / "a.state"
    cache.write("a", b"state")
    whole = file.read_bytes()
    for index in range(len(whole)):
        file.write_bytes(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :])
        assert cache.read("a") is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    cache = PromptCache(tmp_path, limit=3 * (DIGEST + 100))
    for age, key in enumerate("cba"):
        cache.write(key, bytes(100))
        os.utime(tmp_path / f"{key}.state", (time.time() - 60 + age,) * 2)
    assert cache.read("c") is not None  # now the one used last
    cache.write("d", bytes(100))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "c", "d"]
    cache.write("c", bytes(100))  # in the place of what it replaces
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "c", "d"]
    cache.write("e", bytes(3 * 100 + 2 * DIGEST))
    assert [path.stem for path in tmp_path.iterdir()] == ["e"]


def test_what_is_larger_than_all_is_not_kept(tmp_path: Path) -> None:
    cache = PromptCache(tmp_path, limit=DIGEST + 100)
    cache.write("a", bytes(100))
    cache.write("b", bytes(101))
    assert [path.stem for path in tmp_path.iterdir()] == ["a"]
    assert PromptCache(tmp_path, limit=0).read("a") is not None


def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = PromptCache(tmp_path / "file")
    cache.write("a", b"state")
    assert cache.read("a") is None


def test_what_a_killed_process_began_goes_after_a_while(tmp_path: Path) -> None:
    old, new = tmp_path / "old.begun", tmp_path / "new.begun"
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    PromptCache(tmp_path).write("a", b"state")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.state", "new.begun"]


WORK = """
import sys
from pathlib import Path
from react_local.models.prompt_cache import PromptCache

cache = PromptCache(Path(sys.argv[1]), limit=250_000)
for turn in range(150):
    key = str(turn % 5)
    cache.write(key, key.encode() * 60_000)
    assert cache.read(key) in (None, key.encode() * 60_000)
    assert list(cache.directory.glob("*.state"))
"""


def test_processes_share_a_directory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORK, str(tmp_path)]
    for process in [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    assert all(path.suffix == ".state" for path in tmp_path.iterdir())
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 600_000
