"""A cache on disk for the states of evaluated prompts, for use by later processes.

Each state is a file named by its key, with a digest of the state and then the state itself. Files
are created atomically by renaming, so processes that share the directory need no lock: they may
replace a file by an equal one, and a file that is deleted while being read stays readable.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

DEFAULT_LIMIT = 10**9
"""The maximum total size in bytes."""

_DIGEST = blake2b().digest_size
_END = 1 << 20  # bytes at both ends of a model file
_WHOLE, _BEGUN = ".state", ".begun"
_ABANDONED = 3600  # seconds after which the temporary files of killed processes are deleted


@dataclass(frozen=True)
class PromptCache:
    """A directory of states with at most `limit` bytes; the least recently used are deleted first.

    Errors are harmless: a damaged state is deleted and counts as missing, and a state that cannot
    be written is skipped.
    """

    directory: Path
    limit: int = DEFAULT_LIMIT

    def read(self, key: str) -> bytes | None:
        """The state stored under `key`, or None."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        digest, state = data[:_DIGEST], data[_DIGEST:]
        if blake2b(state).digest() != digest:
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):
            os.utime(path)
        return state

    def write(self, key: str, state: bytes) -> None:
        """Store `state` under `key`, which names a file, and delete states that no longer fit."""
        size = _DIGEST + len(state)
        if size > self.limit:
            return
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            self._make_room(size, self._path(key))
            self._put(key, state)

    def _put(self, key: str, state: bytes) -> None:
        with tempfile.NamedTemporaryFile(dir=self.directory, suffix=_BEGUN, delete=False) as file:
            begun = Path(file.name)
            try:
                file.write(blake2b(state).digest())
                file.write(state)
                file.close()
                begun.replace(self._path(key))
            finally:
                begun.unlink(missing_ok=True)

    def _make_room(self, size: int, replaced: Path) -> None:
        """Delete the least recently used states until `size` bytes fit in place of `replaced`."""
        now = time.time()
        for path, stat in self._files(_BEGUN):
            if now - stat.st_mtime > _ABANDONED:
                path.unlink(missing_ok=True)
        kept = [entry for entry in self._files(_WHOLE) if entry[0] != replaced]
        taken = size + sum(stat.st_size for _, stat in kept)
        for path, stat in sorted(kept, key=lambda entry: entry[1].st_mtime_ns):
            if taken <= self.limit:
                return
            path.unlink(missing_ok=True)
            taken -= stat.st_size

    def _files(self, suffix: str) -> list[tuple[Path, os.stat_result]]:
        found = []
        for path in self.directory.glob(f"*{suffix}"):
            with suppress(FileNotFoundError):  # another process deleted it
                found.append((path, path.stat()))
        return found

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}{_WHOLE}"


def fingerprint(path: Path) -> tuple[int, int, str]:
    """An identifier of a model file without reading it all: size, time, digest of both ends."""
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        digest = blake2b(file.read(_END), digest_size=20)
        file.seek(max(stat.st_size - _END, 0))
        digest.update(file.read(_END))
    return stat.st_size, stat.st_mtime_ns, digest.hexdigest()
