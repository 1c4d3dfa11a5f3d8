"""The inputs that a dump can be read from: a file, a directory of part files, standard input.

Part files and the index of a multistream dump are named as Wikimedia names them:
https://meta.wikimedia.org/wiki/Data_dumps/Dump_format.
"""

from __future__ import annotations

import bz2
import mmap
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO

from wiki_index.errors import DumpError
from wiki_index.unpack import HEAD_BYTES, Broken, is_packed, unpack

STANDARD_INPUT = "-"
_REFUSED = {
    b"7z\xbc\xaf\x27\x1c": ("7-Zip", "7z x"),
    b"\xfd7zXZ\x00": ("xz", "unxz -k"),
    b"PK\x03\x04": ("ZIP", "unzip"),
}
_IDENTITY_BYTES = 4 * 1024
_PART = re.compile(r"(?P<kind>.+?)\d*(?P<xml>\.xml)-p(?P<first>\d+)p(?P<last>\d+)(\.\w+)?")
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_STREAM_BYTES = 10
_PROBED = 3
_MOST_PROBED = 100
"""The maximum number of streams that are tried if the first ones are damaged."""


@dataclass(frozen=True)
class InputFile:
    """A file of a dump, or standard input, with its first bytes."""

    path: Path
    name: str
    size: int
    """Size in bytes; 0 if it is not known."""
    head: bytes
    """The first bytes: enough to distinguish files of the same name and size."""
    taken: bytes = b""
    """The bytes already read from standard input. They are read again before the rest."""

    @classmethod
    def at(cls, path: Path) -> InputFile:
        """Open a file and read its first bytes.

        Raises:
            DumpError: it is missing, unreadable, empty, or packed in a way that is not read.
        """
        if path.is_fifo() or path.is_char_device():
            raise DumpError(f"{path} is a pipe or a terminal: give it as standard input (`-`).")
        try:
            with path.open("rb") as file:
                head = file.read(_IDENTITY_BYTES)
            size = path.stat().st_size if path.is_file() else 0
        except FileNotFoundError as error:
            raise DumpError(f"{path} does not exist: give the path of a dump file.") from error
        except OSError as error:
            raise DumpError(f"{path} cannot be read: {error.strerror}.") from error
        return cls(path, path.name, size, _checked(head, str(path)))

    @classmethod
    def standard_input(cls) -> InputFile:
        head = sys.stdin.buffer.read(_IDENTITY_BYTES)
        name = "standard input"
        return cls(Path(STANDARD_INPUT), name, 0, _checked(head, name), taken=head)

    @property
    def rereadable(self) -> bool:
        return str(self.path) != STANDARD_INPUT

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        if not self.rereadable:
            yield sys.stdin.buffer
            return
        with self.path.open("rb") as file:
            yield file


class Window:
    """A file between two offsets. `offset` is the position of the next byte."""

    def __init__(self, file: BinaryIO, start: int = 0, end: int | None = None):
        self._file = file
        self._end = end
        self.offset = start
        if start:
            file.seek(start)

    def read(self, size: int) -> bytes:
        if self._end is not None:
            size = min(size, self._end - self.offset)
        data = self._file.read(size)
        self.offset += len(data)
        return data


class Text:
    """The decompressed text of a file. Its beginning can be read before the rest.

    Between the two, the file may be closed and opened again: see `opened`.
    """

    def __init__(self, file: InputFile) -> None:
        self.offset = 0
        """The offset of the next compressed byte."""
        self.sound = 0
        """No damage was found before this compressed byte. Damage found next is reported here."""
        self._begun = 0
        """The offset of the bytes that were read last."""
        self._source = file
        self._file: BinaryIO | None = None
        self._before = file.taken
        self._rest = unpack(self._read, file.head)
        self._kept: list[tuple[int, bytes]] = []
        """Chunks returned by `peek`, each with the offset of the compressed bytes it came from."""
        self._failure: tuple[Broken, int] | None = None
        """The error that ended `peek`, with the value of `sound` at that time."""

    @contextmanager
    def opened(self) -> Iterator[Text]:
        with self._source.open() as self._file:
            if self._source.rereadable:
                self._file.seek(self.offset)
            yield self

    def peek(self) -> Iterator[bytes]:
        """The first chunks. `chunks` yields them again."""
        try:
            for chunk in self._rest:
                self._kept.append((self._begun, chunk))
                yield chunk
        except Broken as failure:
            self._failure = failure, self.sound
            raise

    def chunks(self) -> Iterator[bytes]:
        """All chunks.

        Raises:
            Broken: what came before it is whole.
        """
        self.sound = 0
        while self._kept:
            offset, chunk = self._kept.pop(0)
            yield chunk
            self.sound = offset
        if self._failure is not None:
            failure, sound = self._failure
            self.sound = max(self.sound, sound)
            raise failure
        for chunk in self._rest:
            yield chunk
            self.sound = self._begun
        self.sound = self.offset

    def place(self, offset: int) -> int:
        """The position in the file of an offset in the text; approximate in a compressed file."""
        return self.sound if is_packed(self._source.head) else offset

    def _read(self, size: int) -> bytes:
        data, self._before = self._before[:size], self._before[size:]
        data = data or self._file.read(size)
        self._begun = self.offset
        self.offset += len(data)
        if not data:
            self.sound = self.offset
        return data


def _checked(head: bytes, name: str) -> bytes:
    if not head:
        raise DumpError(f"{name} is empty: download the dump again.")
    for magic, (kind, command) in _REFUSED.items():
        if head.startswith(magic):
            raise DumpError(f"{name} is packed with {kind}: unpack it first (`{command} {name}`).")
    return head


def find_files(dump: Path | str) -> tuple[list[InputFile], list[str]]:
    """The files of a dump in the order of their pages, and notes for the user.

    Raises:
        DumpError: there is no dump, or a directory that holds none or several.
    """
    if str(dump) == STANDARD_INPUT:
        return [InputFile.standard_input()], []
    path = Path(dump)
    if not path.is_dir():
        return [InputFile.at(path)], []
    parts = _parts(path)
    notes = [
        f"No part file holds the pages {last + 1} to {first - 1}."
        for (_, last, _), (first, _, _) in pairwise(parts)
        if first > last + 1
    ]
    return [InputFile.at(part) for _, _, part in parts], notes


def _parts(directory: Path) -> list[tuple[int, int, Path]]:
    """The part files of a directory with their ranges of page ids, in order."""
    found: dict[str, list[tuple[int, int, Path]]] = {}
    for path in directory.iterdir():
        if match := _PART.fullmatch(path.name):
            part = (int(match["first"]), int(match["last"]), path)
            found.setdefault(match["kind"], []).append(part)
    if not found:
        raise DumpError(
            f"{directory} is a directory without part files (…1.xml-p1p41242.bz2): give the path "
            "of a dump file."
        )
    if len(found) > 1:
        raise DumpError(
            f"{directory} holds parts of several dumps ({', '.join(sorted(found))}): keep only one."
        )
    (parts,) = found.values()
    parts.sort()
    for (_, last, one), (first, _, other) in pairwise(parts):
        if first <= last:
            raise DumpError(f"{one} and {other.name} hold the same pages: keep only one of them.")
    return parts


def find_index(dump: Path) -> Path | None:
    """The index file beside a multistream dump, as Wikimedia names it, or None."""
    stem, xml, rest = dump.name.rpartition(".xml")
    if not xml:
        return None
    stem, number = re.fullmatch(r"(.*?)(\d*)", stem, re.DOTALL).groups()
    names = [f"{stem}-index{number}.txt{rest}", f"{stem}{number}-index.txt{rest}"]
    names += [name.removesuffix(".bz2") for name in names]
    return next((dump.with_name(n) for n in names if dump.with_name(n).is_file()), None)


def read_index(path: Path) -> list[int]:
    """The offsets of the streams that an index names, ascending. Its lines: ``offset:id:title``.

    Raises:
        DumpError: the file is not such an index, or it is damaged.
    """
    offsets: set[int] = set()
    try:
        with path.open("rb") as file:
            packed = file.read(3) == b"BZh"
        with bz2.open(path) if packed else path.open("rb") as lines:
            for line in lines:
                offsets.add(int(line.partition(b":")[0]))
        if min(offsets, default=0) < 0:
            raise ValueError
    except (OSError, EOFError, ValueError) as error:
        raise DumpError(
            f"{path} is not the index of a multistream dump (lines of offset:id:title), or it is "
            "damaged: download it again."
        ) from error
    return sorted(offsets)


def stream_starts(file: InputFile, named_index: Path | None) -> tuple[list[int], str]:
    """The offsets at which streams of whole pages begin, and a note, which may be empty.

    The offsets come from the dump's index file if there is one. Otherwise they are found by the
    first bytes of each stream. A file that cannot be read by streams has the single offset 0.

    Raises:
        DumpError: the given index file does not belong to this dump.
    """
    if not file.head.startswith(b"BZh") or not file.size:
        return [0], ""
    index = named_index or find_index(file.path)
    note = ""
    if index is not None:
        try:
            starts = sorted({0, *read_index(index)})
            if _fit(file, starts):
                return [start for start in starts if start < file.size], ""
            raise DumpError(f"{index} is not the index of {file.path}: give the one it came with.")
        except DumpError as error:
            if named_index is not None:
                raise
            note = f"{error} The streams were found without it."
    starts = sorted({0, *_scan(file.path)})
    return (starts, note) if _fit(file, starts) else ([0], "")


def _scan(path: Path) -> list[int]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return [match.start() for match in _STREAM.finditer(data)]


def _fit(file: InputFile, starts: list[int]) -> bool:
    """Whether the first readable streams hold whole pages, as those of a multistream dump do.

    Some compressors write many streams of any text, and so divide pages.
    """
    inside = [start for start in starts[1:] if start < file.size]
    texts = (_first_text(file, start) for start in inside[:_MOST_PROBED])
    whole = list(islice((text for text in texts if text is not None), _PROBED))
    return bool(whole) and all(t.lstrip().startswith((b"<page", b"</mediawiki")) for t in whole)


def stream_bounds(file: InputFile, starts: list[int]) -> Iterator[tuple[int, int]]:
    """The beginning and the end of each stream that begins at `starts`.

    An offset at which no stream begins is skipped: either the index is wrong, or the file is
    damaged, which reading the stream before it will show.
    """
    with file.path.open("rb") as opened:
        begun = starts[0]
        for start in starts[1:]:
            opened.seek(start)
            if _STREAM.match(opened.read(_STREAM_BYTES)):
                yield begun, start
                begun = start
    yield begun, file.size


def _first_text(file: InputFile, start: int) -> bytes | None:
    with file.path.open("rb") as opened:
        window = Window(opened, start, file.size)
        head = file.head[:HEAD_BYTES]
        try:
            return next(unpack(window.read, head), b"")
        except Broken:
            return None
