"""The working directory of a build: beside the index, locked by one process, renamed at the end."""

from __future__ import annotations

import contextlib
import copy
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wiki_index.errors import BuildError
from wiki_index.layout import IndexLayout, Part, digest, files_at

_THROWN_AWAY = "thrown away"
"""The content of `build.json` while unfinished work is being deleted."""
_MADE = {
    "templates": "templates.db*",
    "pages": "pages.db*",
    "titles": "titles.tantivy",
    "passages": "passages.tantivy",
    "vectors": "leads.*",
}
"""The files of each stage, in the order of the stages, with their temporary files."""
_MADE_FROM = {"pages": "templates", "titles": "pages", "passages": "pages", "vectors": "pages"}


def check_place(layout: IndexLayout, fresh: bool) -> None:
    root = layout.root
    if root.is_file():
        raise BuildError(f"{root} is a file: give the name of a new directory.")
    if root.is_mount():
        raise BuildError(f"{root} is a mount point: give the name of a directory inside it.")
    if not root.is_dir() or not any(root.iterdir()):
        return
    if not layout.manifest.is_file():
        raise BuildError(f"{root} holds other files: give the name of a new directory.")
    if not fresh:
        raise BuildError(f"{root} already holds an index: use --fresh to rebuild it.")


@contextlib.contextmanager
def held(layout: IndexLayout, identity: str, fresh: bool) -> Iterator[None]:
    """Lock the directory of a build. It is empty or holds unfinished work of the same build."""
    layout.root.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(layout.root, os.O_RDONLY)
    try:
        _lock(descriptor, layout)
        _claim(layout, identity, fresh)
        yield
    finally:
        os.close(descriptor)


def _claim(layout: IndexLayout, identity: str, fresh: bool) -> None:
    """Write the identity of this build, after deleting work of another build where allowed."""
    if not layout.note.exists():
        if any(path != _draft(layout.note) for path in layout.root.iterdir()):
            raise BuildError(f"{layout.root} holds other files: move them or build elsewhere.")
    elif fresh or layout.note.read_bytes() == _THROWN_AWAY.encode():
        _empty(layout)
    elif layout.note.read_bytes() == identity.encode():
        return
    else:
        raise BuildError(
            f"{layout.root} holds unfinished work on another dump or with other options: "
            "--fresh throws it away."
        )
    write_whole(layout.note, identity)


def _lock(descriptor: int, layout: IndexLayout) -> None:
    """Lock the directory itself, so that no lock file is left behind."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine = os.fstat(descriptor).st_ino == layout.root.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        mine = False
    if not mine:
        raise BuildError(f"Another build is writing to {layout.root}: wait until it ends.")


def _empty(layout: IndexLayout) -> None:
    """Delete everything except the note. The note says so first, in case this is interrupted."""
    write_whole(layout.note, _THROWN_AWAY)
    for path in layout.root.iterdir():
        if path != layout.note:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def throw_away(layout: IndexLayout) -> None:
    """Delete the directory of a build, as far as possible."""
    with contextlib.suppress(OSError):
        _empty(layout)
        layout.note.unlink()
        layout.root.rmdir()


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _draft(path: Path) -> Path:
    return path.with_name(path.name + ".draft")


def write_whole(path: Path, text: str) -> None:
    """Write a file that is complete or absent after a power failure."""
    draft = _draft(path)
    try:
        draft.write_text(text, encoding="utf-8")
        sync(draft)
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync(path.parent)


def publish(layout: IndexLayout) -> None:
    """Rename the finished directory to the index. An older index is deleted after that."""
    if layout.manifest.is_file():  # Else an interrupted run has moved it already.
        shutil.rmtree(layout.replaced, ignore_errors=True)
        layout.root.rename(layout.replaced)
    layout.building.root.rename(layout.root)
    sync(layout.root.absolute().parent)
    for path in (layout.templates, layout.stages, layout.note):
        path.unlink(missing_ok=True)
    shutil.rmtree(layout.replaced, ignore_errors=True)


def damaged(layout: IndexLayout, reason: object) -> BuildError:
    return BuildError(
        f"The unfinished work in {layout.root} is damaged ({reason}): use --fresh to discard it."
    )


class Stages:
    """The finished stages of a build, with the result and the checksums of each.

    They are stored in `stages.json`, so that they survive an interruption.

    Raises:
        BuildError: the file that keeps them is damaged.
    """

    def __init__(self, layout: IndexLayout) -> None:
        self._layout = layout
        self._stages: dict[str, dict[str, Any]] = {}
        try:
            if layout.stages.exists():
                kept = json.loads(layout.stages.read_text(encoding="utf-8"))
                self._stages = kept["stages"]
                if kept["digest"] != digest(self._stages):
                    raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise damaged(layout, layout.stages.name) from error

    def __contains__(self, stage: str) -> bool:
        return stage in self._stages

    def found(self, stage: str) -> Any:
        return copy.deepcopy(self._stages[stage]["found"])

    @property
    def seconds(self) -> dict[str, float]:
        return {name: stage["seconds"] for name, stage in self._stages.items()}

    @property
    def memory(self) -> int:
        """The highest memory use of all stages, in bytes."""
        return max((stage["memory"] for stage in self._stages.values()), default=0)

    def parts(self, stage: str) -> dict[str, Part]:
        """The files of a finished stage, by their paths in the index."""
        return {name: Part(**part) for name, part in self._stages[stage]["parts"].items()}

    def finish(self, stage: str, found: Any, seconds: float, memory: int) -> None:
        """Sync the files of a stage, compute their checksums, and record the stage as finished."""
        made = list(self._layout.root.glob(_MADE[stage]))
        files = [file for place in made for file in files_at(place)]
        for path in dict.fromkeys([*files, *(file.parent for file in files), *made]):
            sync(path)
        parts = {
            str(path.relative_to(self._layout.root)): asdict(Part.measure(path)) for path in files
        }
        self._stages[stage] = {"found": found, "seconds": seconds, "memory": memory, "parts": parts}
        self._write()

    def damaged(self, report: Callable[[float], None]) -> list[str]:
        """The finished stages of which a file is missing or does not match its checksum."""
        parts = [(stage, *part) for stage in self._stages for part in self.parts(stage).items()]
        found: dict[str, None] = {}
        for number, (stage, name, part) in enumerate(parts):
            report(number / len(parts))
            if not part.is_at(self._layout.root / name):
                found[stage] = None
        return list(found)

    def forget(self, stages: Iterable[str]) -> None:
        """Delete the files of stages and of the stages that depend on them, to be made again."""
        again = set(stages)
        for stage in _MADE:
            if stage in again or _MADE_FROM.get(stage) in again:
                again.add(stage)
                for path in self._layout.root.glob(_MADE[stage]):
                    _remove(path)
                self._stages.pop(stage, None)
        self._write()

    def _write(self) -> None:
        kept = {"stages": self._stages, "digest": digest(self._stages)}
        write_whole(self._layout.stages, json.dumps(kept))
