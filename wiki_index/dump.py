"""A dump, in stretches that can be read and parsed by themselves.

A multistream dump is read stream by stream, by whoever has time, in any order; any other file
from its beginning to its end, in batches of pages.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

from wiki_index.errors import DumpDamaged, DumpError
from wiki_index.export import Damage, Tally, check_beginning, read_pages
from wiki_index.inputs import Text, Window, find_files, stream_bounds, stream_starts
from wiki_index.languages import Site
from wiki_index.types import RawPage
from wiki_index.unpack import Broken, unpack

_BATCH_PAGES = 64
_BATCH_CHARACTERS = 400_000
_SITE_CHUNKS = 4
"""Chunks of text that are looked through for what they say of the wiki."""
_WIKI = re.compile(r"([a-z]{2,3}|simple)wiki\W")
_OPENING, _CLOSING = b"<mediawiki>", b"</mediawiki>"

Key = tuple[int, int]
"""Which file of the dump, and at which of its bytes."""


@dataclass(frozen=True)
class Streams:
    """Bytes of a multistream file that hold whole streams and so whole pages."""

    key: Key
    path: str
    end: int
    is_last: bool
    namespaces: tuple[int, ...] = (0,)

    @property
    def bytes(self) -> int:
        return self.end - self.key[1]

    def read(self, site: Site, tally: Tally) -> Iterator[RawPage]:
        """Its pages. Damage costs a page, or all after it, and is told once in `tally`."""
        start = self.key[1]
        end = None if self.is_last else self.end

        def damaged(error: Exception, _: int = 0) -> None:
            if not tally.damages:
                name = Path(self.path).name
                tally.damages.append(Damage(name, start, end, _reason(error)))

        try:
            with open(self.path, "rb") as file:
                text = self._completed(unpack(Window(file, start, self.end).read, b"BZh"))
                yield from read_pages(text, site, tally, damaged, namespaces=self.namespaces)
        except (Broken, OSError) as error:
            damaged(error)

    def _completed(self, text: Iterator[bytes]) -> Iterator[bytes]:
        """The root element's tags around the text of streams that stand inside it."""
        before = [_OPENING] if self.key[1] else []
        after = [] if self.is_last else [_CLOSING]
        return chain(before, text, after)


@dataclass(frozen=True)
class Pages:
    """Pages that were read already, with what is to be told of the way to them."""

    key: Key
    pages: tuple[RawPage, ...]
    bytes: int
    """Of the packed file, since the pages before."""
    tally: Tally = field(default_factory=Tally)

    def read(self, site: Site, tally: Tally) -> Iterator[RawPage]:
        tally.skipped.update(self.tally.skipped)
        tally.histories += self.tally.histories
        tally.damages += self.tally.damages
        return iter(self.pages)


Stretch = Streams | Pages


class Dump:
    """A MediaWiki dump: a file, a directory of part files, or ``-`` for standard input.

    `notes` are lines a user should see; `bytes_total` is 0 where it is not known. To be iterated
    once: its pages and redirects of the article namespace, with `tally` of the others.

    Raises (here and while iterating):
        DumpError: it is missing, empty, packed in a way that is not read, or no MediaWiki export.
        DumpDamaged: it is truncated or corrupt; everything intact has been yielded.
    """

    def __init__(self, path: Path | str, multistream_index: Path | str | None = None) -> None:
        self.path = Path(path)
        self.files, self.notes = find_files(path)
        if multistream_index is not None and len(self.files) > 1:
            raise DumpError(
                "--multistream-index is for a single file; those of part files must be beside them."
            )
        self.bytes_total = sum(file.size for file in self.files)
        self.tally = Tally()
        self._namespaces: tuple[int, ...] = (0,)
        self._begun: Text | None = None
        """The first file's text, after its site was read of it."""
        self._starts = []
        named = None if multistream_index is None else Path(multistream_index)
        for file in self.files:
            starts, note = stream_starts(file, named)
            self._starts.append(starts)
            self.notes += [note] if note else []

    def of_namespaces(self, *namespaces: int) -> Dump:
        """The same dump, to be read for the pages of other namespaces.

        Raises:
            DumpError: it is standard input, which can be read once only.
        """
        if not all(file.rereadable for file in self.files):
            raise DumpError(
                "Templates are read before pages, and standard input only once: give "
                "the dump as a file, or leave out --templates."
            )
        other = copy.copy(self)
        other._namespaces, other._begun, other.tally = namespaces, None, Tally()
        return other

    @property
    def name(self) -> str:
        return self.files[0].name if len(self.files) == 1 else self.path.absolute().name

    @property
    def identity(self) -> dict[str, object]:
        """What tells this dump from another: names, sizes, a digest of the files' beginnings."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(f"{file.name} {file.size} ".encode() + file.head)
        return {"dump": self.name, "bytes": self.bytes_total, "head": digest.hexdigest()}

    @cached_property
    def site(self) -> Site:
        """The wiki as the dump describes it, else the Wikipedia that its file is named after."""
        found: list[Site] = []
        malformed: list[Broken] = []

        def damaged(error: Broken, _: int) -> None:
            malformed.append(error)  # It is told when the file is read for its pages.

        first = self.files[0]
        self._begun = Text(first)
        with self._begun.opened() as text:
            checked = _Checked(text.peek(), str(first.path))
            with contextlib.suppress(Broken, OSError):
                beginning = islice(checked, _SITE_CHUNKS)
                pages = read_pages(beginning, Site.default(), Tally(), damaged, found.append)
                next(pages, None)
        if found:
            return found[0]
        if not checked.started and len(self._starts[0]) == 1:
            raise DumpError(f"{first.path} is damaged from its beginning: download it again.")
        site = Site.default(_language(first.name))
        is_whole = checked.started and not malformed
        why = "does not describe its wiki" if is_whole else "is damaged"
        self.notes.append(
            f"The beginning of {first.name} {why}: its language is taken to be {site.lang}."
        )
        return site

    def stretches(self, done: Mapping[Key, int] | None = None) -> Iterator[Stretch]:
        """All stretches but those `done`, in order; of other files the pages beyond those done."""
        done = done or {}
        for number, (file, starts) in enumerate(zip(self.files, self._starts, strict=True)):
            if len(starts) == 1:
                yield from self._batches(number, done.get((number, 0), 0))
                continue
            for start, end in stream_bounds(file, starts):
                if (number, start) not in done:
                    last = end == file.size
                    path = str(file.path.absolute())
                    yield Streams((number, start), path, end, last, self._namespaces)

    def __iter__(self) -> Iterator[RawPage]:
        damages = []
        for stretch in self.stretches():
            tally = Tally()
            yield from stretch.read(self.site, tally)
            self.tally.skipped += tally.skipped
            self.tally.histories += tally.histories
            damages += tally.damages
        if damages:
            raise DumpDamaged(describe(damages))

    def _batches(self, number: int, done: int) -> Iterator[Pages]:
        """The file's pages in lists bounded by count and by characters, after the first `done`.

        Damage comes by itself, so that the pages before and after it can be marked as done.
        """
        key = (number, 0)
        tally, batch, characters = Tally(), [], 0
        site = self.site  # Before the rest: it begins the first file's text.
        with self._text(number).opened() as text:
            told = 0
            pages = self._read(number, text, site, tally)
            for count, page in enumerate(pages, start=1):
                if count <= done:
                    if count == done:
                        _clear(tally)
                        told = text.offset
                    continue
                yield from _damaged(key, tally)
                batch.append(page)
                characters += len(page.text)
                if len(batch) >= _BATCH_PAGES or characters >= _BATCH_CHARACTERS:
                    yield Pages(key, tuple(batch), text.offset - told, _moved(tally))
                    told, batch, characters = text.offset, [], 0
            yield Pages(key, tuple(batch), text.offset - told, _moved(tally))
            yield from _damaged(key, tally)

    def _text(self, number: int) -> Text:
        """The text of a file; of the first what was begun for its site, once."""
        begun, self._begun = self._begun, None
        return begun if begun is not None and number == 0 else Text(self.files[number])

    def _read(self, number: int, text: Text, site: Site, tally: Tally) -> Iterator[RawPage]:
        file = self.files[number]

        def damaged(error: Exception, offset: int | None = None) -> None:
            start = text.sound if offset is None else text.place(offset)
            tally.damages.append(Damage(file.name, start, None, _reason(error)))

        try:
            checked = _Checked(text.chunks(), str(file.path))
            yield from read_pages(checked, site, tally, damaged, namespaces=self._namespaces)
        except (Broken, OSError) as error:
            damaged(error)


class _Checked:
    """Text that is seen to begin as a MediaWiki export does."""

    def __init__(self, chunks: Iterable[bytes], name: str) -> None:
        self._chunks = chunks
        self._name = name
        self.started = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if not self.started:
                check_beginning(self._name, chunk)
                self.started = True
            yield chunk


def _language(name: str) -> str:
    """The language of a Wikipedia's dump by its file's name, else English."""
    wiki = _WIKI.match(name)
    return wiki[1] if wiki else "en"


def describe(damages: list[Damage]) -> str:
    """One line on where a dump is damaged."""
    others = len(damages) - 1
    more = f" and at {others:,} other place{'s' * (others > 1)}" if others else ""
    return f"The dump is truncated or damaged: {damages[0]}{more}"


def damaged(damages: list[Damage]) -> DumpDamaged:
    """What to raise where damage is not accepted."""
    return DumpDamaged(
        f"{describe(damages)}. What is whole is kept: the same command with --accept-damage makes "
        "an index of it; or download the dump again, compare its checksum, and start with --fresh."
    )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _damaged(key: Key, tally: Tally) -> Iterator[Pages]:
    """Places of damage that were met in reading on: each once, without pages of its own."""
    if tally.damages:
        yield Pages(key, (), 0, Tally(damages=tally.damages[:]))
        tally.damages.clear()


def _moved(tally: Tally) -> Tally:
    """What was counted so far; the counting goes on from nothing."""
    moved = Tally(Counter(tally.skipped), tally.histories)
    _clear(tally)
    return moved


def _clear(tally: Tally) -> None:
    tally.skipped.clear()
    tally.histories = 0
