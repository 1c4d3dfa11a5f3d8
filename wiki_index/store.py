"""`pages.db`: pages, titles and redirects in one SQLite file, bodies compressed by zstd.

Filled by `store_writer`. Read by any number of threads and processes, a connection each.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wiki_index.errors import IndexDamaged, IndexUnreadable
from wiki_index.types import Article, Kind, RawPage, Section


@dataclass(frozen=True)
class Record:
    """A page or a redirect to be stored."""

    id: int
    title: str
    target: str | None = None
    """The target of a redirect, with `#Section`; None for a page."""
    kind: Kind = "article"
    size: int = 0
    """The number of characters of prose."""
    revision: int | None = None
    body: bytes = b""


@dataclass(frozen=True)
class TitleRow:
    """A title or redirect, and the page it names."""

    title: str
    page: int
    redirect: bool
    section: str
    kind: Kind
    size: int


def encode(article: Article) -> bytes:
    """An article's content as JSON, without its title and kind."""
    sections = [[s.heading, s.level, s.paragraphs] for s in article.sections]
    content = [
        sections,
        article.links,
        dict(article.infobox),
        dict(article.dropped),
        article.via,
    ]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def decode(title: str, kind: Kind, body: bytes) -> Article:
    sections, links, infobox, dropped, via = json.loads(body)
    return Article(
        title=title,
        kind=kind,
        sections=tuple(Section(h, level, tuple(ps)) for h, level, ps in sections),
        links=tuple(links),
        infobox=infobox,
        dropped=dropped,
        via=via,
    )


class _Reader:
    """One read-only connection with its decompressor: for one thread at a time."""

    def __init__(self, path: Path) -> None:
        import zstandard

        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self.db = sqlite3.connect(uri, uri=True, check_same_thread=False)
        dictionary = self.one("SELECT value FROM meta WHERE key = 'dictionary'")[0]
        self.decompress = zstandard.ZstdDecompressor(
            dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        ).decompress

    def one(self, sql: str, *values: int) -> tuple:
        row = self.db.execute(sql, values).fetchone()
        if row is None:
            raise ValueError("a row is missing")
        return row


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of a file, which a file that replaces it does not have; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class PageStore:
    """Reads a finished `pages.db`. Safe to share between threads and across a fork.

    Raises (from every method):
        IndexDamaged: the file is not what was written.
        IndexUnreadable: it was removed or replaced since, and has to be opened anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[_Reader] = []
        self._pid = os.getpid()
        self._file = _identity(path)
        with self._reading():
            pass  # Damage at the beginning of the file shows now.

    @contextmanager
    def _reading(self) -> Iterator[_Reader]:
        """A reader for exclusive use in the context."""
        import zstandard

        if self._pid != os.getpid():  # Connections must not be carried into a fork.
            self._idle, self._pid = [], os.getpid()
        try:
            try:
                reader = self._idle.pop()
            except IndexError:
                self.check_in_place()
                reader = _Reader(self._path)
            yield reader
        except (sqlite3.DatabaseError, zstandard.ZstdError, ValueError, TypeError) as error:
            raise self._damaged(error) from error
        self._idle.append(reader)

    def check_in_place(self) -> None:
        """Make sure that what would be opened now is the file that was opened first.

        Raises:
            IndexUnreadable: it is another, or gone.
        """
        if self._file is None or _identity(self._path) != self._file:
            raise IndexUnreadable(
                f"{self._path.parent} was removed or replaced while it was open: open it again."
            )

    def _damaged(self, reason: object) -> IndexDamaged:
        return IndexDamaged(
            f"{self._path} is damaged ({reason}): run verify, then build the index again with "
            "--fresh."
        )

    def titles(self, folded: str) -> list[TitleRow]:
        """All titles and redirects that fold to `folded`."""
        with self._reading() as reader:
            rows = reader.db.execute(
                "SELECT t.title, page, redirect, section, kind, size FROM titles t "
                "JOIN pages ON pages.id = page WHERE folded = ?",
                (folded,),
            )
            return [TitleRow(t, p, bool(r), s, k, size) for t, p, r, s, k, size in rows]

    def following(self, folded: str, k: int) -> list[str]:
        """The first `k` titles of articles that fold to `folded` or to what comes after it."""
        with self._reading() as reader:
            rows = reader.db.execute(
                "SELECT t.title FROM titles t JOIN pages ON pages.id = page WHERE folded >= ? "
                "AND NOT redirect AND kind <> 'disambiguation' ORDER BY folded LIMIT ?",
                (folded, k),
            )
            return [title for (title,) in rows]

    def all_titles(self) -> Iterator[tuple[str, int, int]]:
        """Titles and redirects with page and size, those of the longest pages first."""
        with self._reading() as reader:
            yield from reader.db.execute(
                "SELECT titles.title, page, size FROM titles JOIN pages ON pages.id = page "
                "ORDER BY size DESC, folded, titles.title"
            )

    def title(self, page: int) -> str:
        with self._reading() as reader:
            return reader.one("SELECT title FROM pages WHERE id = ?", page)[0]

    def page(self, page: int) -> Article:
        """The page of an id that another part of the index names."""
        article = self.find(page)
        if article is None:
            raise self._damaged(f"page {page} is missing")
        return article

    def find(self, page: int) -> Article | None:
        with self._reading() as reader:
            row = reader.db.execute(
                "SELECT title, kind, body FROM pages JOIN bodies USING (id) WHERE id = ?", (page,)
            ).fetchone()
            return row and decode(row[0], row[1], reader.decompress(row[2]))

    def record(self, page: RawPage) -> Record | None:
        """The stored record of exactly this revision of a page, or None."""
        with self._reading() as reader:
            row = reader.db.execute(
                "SELECT title, kind, size, revision, body FROM pages JOIN bodies USING (id) "
                "WHERE id = ?",
                (page.id,),
            ).fetchone()
            if (
                row is None
                or page.revision is None
                or (row[0], row[3])
                != (
                    page.title,
                    page.revision,
                )
            ):
                return None
            title, kind, size, revision, body = row
            return Record(page.id, title, None, kind, size, revision, reader.decompress(body))

    def pages(self, after: int = -1) -> Iterator[tuple[int, Article]]:
        """All pages with ids beyond `after`, in their order."""
        with self._reading() as reader:
            for page, title, kind, body in reader.db.execute(
                "SELECT id, title, kind, body FROM pages JOIN bodies USING (id) WHERE id > ? "
                "ORDER BY id",
                (after,),
            ):
                yield page, decode(title, kind, reader.decompress(body))

    def count_up_to(self, page: int) -> int:
        """Pages with ids up to this one."""
        with self._reading() as reader:
            return reader.one("SELECT count(*) FROM pages WHERE id <= ?", page)[0]

    def close(self) -> None:
        while self._idle:
            self._idle.pop().db.close()
