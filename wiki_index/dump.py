"""Read a dump in stretches that can be parsed independently.

A multistream dump is read stream by stream, in any order and by any process. Any other file is read
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
"""The number of chunks of text in which `siteinfo` is looked for."""
_WIKI = re.compile(r"([a-z]{2,3}|simple)wiki\W")
_OPENING, _CLOSING = b"<mediawiki>", b"</mediawiki>"

Key = tuple[int, int]
"""The number of a file of the dump, and an offset in it in bytes."""


@dataclass(frozen=True)
class Streams:
    """Bytes of a multistream file that hold whole streams, and therefore whole pages."""

    key: Key
    path: str
    end: int
    is_last: bool
    namespaces: tuple[int, ...] = (0,)

    @property
    def bytes(self) -> int:
        return self.end - self.key[1]

    def read(self, site: Site, tally: Tally) -> Iterator[RawPage]:
        """The pages. Damage costs one page, or all pages after it; `tally` reports it once."""
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
        """Add the tags of the root element to the text of streams that are inside it."""
        before = [_OPENING] if self.key[1] else []
        after = [] if self.is_last else [_CLOSING]
        return chain(before, text, after)


@dataclass(frozen=True)
class Pages:
    """Pages that have already been read, with the tally of the text before them."""

    key: Key
    pages: tuple[RawPage, ...]
    bytes: int
    """Compressed bytes of the file since the previous pages."""
    tally: Tally = field(default_factory=Tally)

    def read(self, site: Site, tally: Tally) -> Iterator[RawPage]:
        tally.skipped.update(self.tally.skipped)
        tally.histories += self.tally.histories
        tally.damages += self.tally.damages
        return iter(self.pages)


Stretch = Streams | Pages


class Dump:
    """A MediaWiki dump: a file, a directory of part files, or ``-`` for standard input.

    `notes` are lines for the user; `bytes_total` is 0 if it is not known. Iterate once to get the
    pages and redirects of the article namespace; `tally` counts the others.

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
        """The text of the first file, after `site` has read its beginning."""
        self._starts = []
        named = None if multistream_index is None else Path(multistream_index)
        for file in self.files:
            starts, note = stream_starts(file, named)
            self._starts.append(starts)
            self.notes += [note] if note else []

    def of_namespaces(self, *namespaces: int) -> Dump:
        """The same dump, read for the pages of other namespaces.

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
        """The identity of this dump: names, sizes, and a digest of the first bytes of the files."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(f"{file.name} {file.size} ".encode() + file.head)
        return {"dump": self.name, "bytes": self.bytes_total, "head": digest.hexdigest()}

    @cached_property
    def site(self) -> Site:
        """The wiki as the dump describes it, or the Wikipedia in the name of its file."""
        found: list[Site] = []
        malformed: list[Broken] = []

        def damaged(error: Broken, _: int) -> None:
            malformed.append(error)  # It is reported when the pages are read.

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
        """All stretches that are not `done`, in order; of other files, the pages not yet done."""
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
        """The file's pages after the first `done`, in batches limited in pages and characters.

        Damage is a batch of its own, so that the pages before and after it are recorded as done.
        """
        key = (number, 0)
        tally, batch, characters = Tally(), [], 0
        site = self.site  # First, because it opens the text of the first file.
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
        """The text of a file. The text of the first one was opened by `site` already."""
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
    """Text whose beginning is checked to be that of a MediaWiki export."""

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
    """The language of a Wikipedia's dump by the name of its file, or English."""
    wiki = _WIKI.match(name)
    return wiki[1] if wiki else "en"


def describe(damages: list[Damage]) -> str:
    """One line that says where a dump is damaged."""
    others = len(damages) - 1
    more = f" and at {others:,} other place{'s' * (others > 1)}" if others else ""
    return f"The dump is truncated or damaged: {damages[0]}{more}"


def damaged(damages: list[Damage]) -> DumpDamaged:
    """The error for damage that is not accepted."""
    return DumpDamaged(
        f"{describe(damages)}. What is whole is kept: the same command with --accept-damage makes "
        "an index of it; or download the dump again, compare its checksum, and start with --fresh."
    )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _damaged(key: Key, tally: Tally) -> Iterator[Pages]:
    """Damage found since the last call, as a batch without pages."""
    if tally.damages:
        yield Pages(key, (), 0, Tally(damages=tally.damages[:]))
        tally.damages.clear()


def _moved(tally: Tally) -> Tally:
    """The counts so far. They are set to zero in `tally`."""
    moved = Tally(Counter(tally.skipped), tally.histories)
    _clear(tally)
    return moved


def _clear(tally: Tally) -> None:
    tally.skipped.clear()
    tally.histories = 0
