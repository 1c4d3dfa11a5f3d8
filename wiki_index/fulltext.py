"""What the two tantivy indexes share: opening, and its errors as ours."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index.errors import IndexDamaged, IndexUnreadable

if TYPE_CHECKING:
    import tantivy

_HEAP = 64 * 1024 * 1024
"""Bytes of memory for a writer: one thread, so that the same input gives the same order."""
_COMMIT_DOCUMENTS = 200_000
"""What is lost when a build is killed: ten to twenty seconds of writing."""


class Writer:
    """Fills an index, or goes on behind what an interrupted run has committed.

    Commits come after so many documents, not after some time, so that where they fall does not
    depend on how often a build was interrupted.
    """

    def __init__(self, directory: Path, schema: tantivy.Schema) -> None:
        with writing():
            self.index = _opened(directory, schema)
            self._writer = self.index.writer(heap_size=_HEAP, num_threads=1)
        self.committed: int = self.index.searcher().num_docs
        self._waiting = 0

    def add(self, document: tantivy.Document) -> None:
        with writing():
            self._writer.add_document(document)
        self._waiting += 1

    def pause(self) -> None:
        """Commit if there is much to lose: what belongs together has been added."""
        if self._waiting >= _COMMIT_DOCUMENTS:
            with writing():
                self._writer.commit()
            self._waiting = 0

    def finish(self) -> None:
        with writing():
            self._writer.commit()
            self._writer.wait_merging_threads()


def _opened(directory: Path, schema: tantivy.Schema) -> tantivy.Index:
    """The index of an interrupted run, or a new one where that has committed nothing whole."""
    import tantivy

    if _is_whole(directory):
        with contextlib.suppress(ValueError):  # It is of another version of this program.
            return tantivy.Index(schema, path=str(directory))
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return tantivy.Index(schema, path=str(directory))


def _is_whole(directory: Path) -> bool:
    """Whether the files of the last commit are as they were written."""
    try:
        segments = json.loads((directory / "meta.json").read_bytes())["segments"]
        names = [segment["segment_id"].replace("-", "") for segment in segments]
        return all(_is_sound(path) for name in names for path in directory.glob(f"{name}.*"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _is_sound(path: Path) -> bool:
    """Whether a file of tantivy has the checksum that it says.

    It ends in a footer of JSON, the length of that in four bytes, and a number in four bytes:
    https://docs.rs/tantivy/latest/src/tantivy/directory/footer.rs.html.

    Raises:
        ValueError, KeyError, TypeError: there is no such footer.
    """
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    length = int.from_bytes(data[-8:-4], "little")
    footer = json.loads(bytes(data[-8 - length : -8]))
    return footer["crc"] == zlib.crc32(data[: -8 - length])


class OpenIndex:
    """A finished index, opened for reading."""

    def __init__(self, directory: Path) -> None:
        import tantivy

        self._directory = directory
        # tantivy locks what it opens by a file beside it. A directory of links lets it do so where
        # the index is on a read-only medium; once opened, all files are mapped into memory.
        links = _links(directory)
        try:
            with self.reading():
                self.index = tantivy.Index.open(links)
                self.index.config_reader(reload_policy="manual")
                self.schema: tantivy.Schema = self.index.schema
                self.searcher: tantivy.Searcher = self.index.searcher()
        finally:
            _remove(links)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """tantivy raises ValueError for a damaged file, or panics, which is a BaseException."""
        try:
            yield
        except BaseException as error:
            damaged = isinstance(error, (ValueError, OSError))
            if not damaged and type(error).__name__ != "PanicException":
                raise
            raise IndexDamaged(
                f"{self._directory} is damaged: run verify, then build the index again with "
                "--fresh."
            ) from error


def _links(directory: Path) -> str:
    """A temporary directory of links to the files of an index."""
    links = ""
    try:
        links = tempfile.mkdtemp(prefix="wiki-index-")
        for path in directory.iterdir():
            if path.suffix != ".lock":
                Path(links, path.name).symlink_to(path.absolute())
    except OSError as error:
        shutil.rmtree(links, ignore_errors=True)
        raise IndexUnreadable(
            f"{directory} cannot be opened, because temporary files cannot be made "
            f"({error.strerror}): make room for them, or name another place in TMPDIR."
        ) from error
    return links


def _remove(links: str) -> None:
    """Remove the links; a thread of tantivy may just then lock them for some milliseconds."""
    for _ in range(20):
        shutil.rmtree(links, ignore_errors=True)
        if not os.path.exists(links):
            return
        time.sleep(0.01)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """tantivy raises ValueError for a full disk."""
    try:
        yield
    except ValueError as error:
        raise OSError(str(error)) from error
