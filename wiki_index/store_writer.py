"""Write `pages.db`: one process, in transactions.

A transaction also records which stretches of the dump are done, so that a killed build can continue
after the last transaction.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wiki_index.errors import BuildError
from wiki_index.row_hash import RowHash
from wiki_index.store import Record
from wiki_index.titles import fold

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE pages (id INTEGER PRIMARY KEY, title TEXT NOT NULL, kind TEXT NOT NULL,
                    size INTEGER NOT NULL, revision INTEGER);
CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE redirects (id INTEGER PRIMARY KEY, title TEXT NOT NULL, target TEXT NOT NULL,
                        revision INTEGER);
CREATE TABLE dropped (name TEXT PRIMARY KEY, uses INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE failed (title TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE fallbacks (title TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE slowest (title TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE done (file INTEGER, start INTEGER, pages INTEGER NOT NULL, bytes INTEGER NOT NULL,
                   PRIMARY KEY (file, start)) WITHOUT ROWID;
"""

_CHECKED = (
    "meta", "pages", "redirects", "dropped", "failed", "fallbacks", "slowest", "counts", "done",
)  # fmt: skip
"""The tables that have no other checksum. `titles` is computed from others, `bodies` has zstd's."""

_REVISIONS = """
SELECT revision FROM pages WHERE id = ?1 UNION ALL SELECT revision FROM redirects WHERE id = ?1
"""

# Clustered by the folded title: exact, normalised and folded matches are one range of one tree.
_TITLES = """
DROP TABLE IF EXISTS titles;
CREATE TABLE titles (folded TEXT NOT NULL, title TEXT NOT NULL, page INTEGER NOT NULL,
                     redirect INTEGER NOT NULL, section TEXT NOT NULL,
                     PRIMARY KEY (folded, title)) WITHOUT ROWID;
"""

_DICTIONARY_BYTES = 64 * 1024
_SAMPLE_PAGES = 2_000
_SAMPLE_BYTES = 8 * 1024 * 1024
_FEWEST_SAMPLES = 100
_LEVEL = 3
SLOWEST = 20
"""The number of slowest pages that are recorded."""
_ROOM = 1024**2
"""A disk with fewer free bytes counts as full."""
_MOST_HOPS = 10
"""Redirects followed one after the other; MediaWiki itself follows one."""


@contextmanager
def _temporary_files(database: Path) -> Iterator[None]:
    """A context for statements that sort, which need temporary files.

    SQLite reports a full disk without its name. If the disk of the database has room, the disk with
    the temporary files was full. It has room again now, because SQLite has deleted the files.

    Raises:
        BuildError: that directory is full.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        has_room = shutil.disk_usage(database.parent).free > _ROOM
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL or not has_room:
            raise
        raise BuildError(
            f"There is no room for SQLite's temporary files in {_temporary_directory()}: make room "
            "or name another directory by TMPDIR, then run the same command again."
        ) from error


def _temporary_directory() -> str:
    """The directory of temporary files: https://www.sqlite.org/tempfiles.html, section 5."""
    named = filter(None, map(os.environ.get, ("SQLITE_TMPDIR", "TMPDIR")))
    places = (*named, "/var/tmp", "/usr/tmp", "/tmp")
    usable = (place for place in places if os.access(place, os.W_OK | os.X_OK))
    return next(usable, ".")


class StoreWriter:
    """Fills `pages.db`. The first pages train the compression dictionary.

    Raises:
        sqlite3.DatabaseError: what an interrupted run has left there is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA temp_store = FILE")
        self._db.create_function("fold", 1, self._fold, deterministic=True)
        self._raised: BaseException | None = None
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            self._db.executescript(f"BEGIN;{_SCHEMA}COMMIT;")
        self._rows = RowHash(self._db, _CHECKED)
        self._waiting: list[Record] | None = []
        self._waiting_bytes = 0
        dictionary = self.meta("dictionary")
        if dictionary is not None:
            self._start_compressing(dictionary)
        self._db.execute("BEGIN")

    def meta(self, key: str):
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row and row[0]

    def set_meta(self, key: str, value: str | int | float | bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def add(self, record: Record) -> None:
        if self._waiting is None:
            self._insert(record)
            return
        self._waiting.append(record)
        self._waiting_bytes += len(record.body)
        if len(self._waiting) >= _SAMPLE_PAGES or self._waiting_bytes >= _SAMPLE_BYTES:
            self._train()

    def add_failure(self, title: str, reason: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO failed VALUES (?, ?)", (title, reason))

    def add_fallback(self, title: str, reason: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO fallbacks VALUES (?, ?)", (title, reason))

    def add_slowest(self, seconds: Mapping[str, float]) -> None:
        """Record the slowest pages of these and of those recorded before."""
        self._db.executemany("INSERT OR REPLACE INTO slowest VALUES (?, ?)", seconds.items())
        self._db.execute(
            "DELETE FROM slowest WHERE title NOT IN "
            "(SELECT title FROM slowest ORDER BY seconds DESC LIMIT ?)",
            (SLOWEST,),
        )

    def add_dropped(self, uses: Mapping[str, int]) -> None:
        self._db.executemany(
            "INSERT INTO dropped VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET uses = uses + excluded.uses",
            uses.items(),
        )

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add to counts by name, in the same transaction as the pages."""
        self._db.executemany(
            "INSERT INTO counts VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET count = count + excluded.count",
            counts.items(),
        )

    def counts(self) -> Counter[str]:
        return Counter(dict(self._db.execute("SELECT name, count FROM counts")))

    def mark_done(self, file: int, start: int, pages: int, bytes: int) -> None:
        """Record that more pages and bytes of the stretch at this place are stored."""
        self._db.execute(
            "INSERT INTO done VALUES (?, ?, ?, ?) ON CONFLICT (file, start) "
            "DO UPDATE SET pages = pages + excluded.pages, bytes = bytes + excluded.bytes",
            (file, start, pages, bytes),
        )

    def done(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The pages and bytes stored of each stretch: (file, start) -> (pages, bytes)."""
        rows = self._db.execute("SELECT file, start, pages, bytes FROM done")
        return {(file, start): (pages, size) for file, start, pages, size in rows}

    @property
    def collecting(self) -> bool:
        """Whether pages are still collected for the dictionary, so that none can be committed."""
        return self._waiting is not None

    def commit(self) -> None:
        """Commit everything that was added and recorded."""
        self._rows.keep()
        self._db.execute("COMMIT")
        self._db.execute("BEGIN")

    def flush(self) -> None:
        """Train the dictionary with the pages collected so far, and store them."""
        if self._waiting is not None:
            self._train()

    def _train(self) -> None:
        import zstandard

        records, self._waiting = self._waiting or [], None
        samples = [r.body for r in records if r.body]
        dictionary = b""
        if len(samples) >= _FEWEST_SAMPLES:
            try:
                trained = zstandard.train_dictionary(_DICTIONARY_BYTES, samples, k=512, d=8)
                dictionary = trained.as_bytes()
            except zstandard.ZstdError:
                pass  # Too little or too uniform text to learn from: plain frames serve.
        self.set_meta("dictionary", dictionary)
        self._start_compressing(dictionary)
        for record in records:
            self._insert(record)

    def _start_compressing(self, dictionary: bytes) -> None:
        import zstandard

        self._waiting = None
        self._compress = zstandard.ZstdCompressor(
            level=_LEVEL,
            dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None,
            write_checksum=True,
        ).compress

    def _insert(self, record: Record) -> None:
        """Store a page or redirect. Of those with the same id, only the last revision is kept."""
        stored = self._db.execute(_REVISIONS, (record.id,)).fetchall()
        if any((revision or 0) > (record.revision or 0) for (revision,) in stored):
            return
        if stored:
            for table in ("pages", "bodies", "redirects"):
                self._db.execute(f"DELETE FROM {table} WHERE id = ?", (record.id,))
        if record.target is not None:
            redirect = (record.id, record.title, record.target, record.revision)
            self._db.execute("INSERT INTO redirects VALUES (?, ?, ?, ?)", redirect)
            return
        page = (record.id, record.title, record.kind, record.size, record.revision)
        self._db.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", page)
        body = self._compress(record.body)
        self._db.execute("INSERT INTO bodies VALUES (?, ?)", (record.id, body))

    def link_titles(self) -> Counter[str]:
        """Fill the table of titles from pages and redirects; count what is left out, by reason.

        Redirects to redirects are followed, and counted as ``"double redirect"``. Of pages with
        the same title, only the last revision is kept.

        Raises:
            BuildError: there is no room for SQLite's temporary files.
        """
        self._rows.keep()
        self._db.execute("COMMIT")
        self._db.executescript(_TITLES)
        self._db.execute("BEGIN")
        with self._raising(), _temporary_files(self._path):
            return self._link_pages() + self._link_redirects()

    def _fold(self, title: str) -> str:
        try:
            return fold(title)
        except BaseException as error:
            self._raised = error
            raise

    @contextmanager
    def _raising(self) -> Iterator[None]:
        """Raise what `_fold` raised, such as an interrupt: SQLite replaces it by its own error."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if self._raised is None:
                raise
            raise self._raised from error

    def _link_pages(self) -> Counter[str]:
        self._db.execute(
            "INSERT OR REPLACE INTO titles SELECT fold(title), title, id, 0, '' FROM pages "
            "ORDER BY 1, 2, ifnull(revision, 0), id"
        )
        repeated = self.count("pages") - self.count("titles")
        if repeated:
            self._db.execute("DELETE FROM pages WHERE id NOT IN (SELECT page FROM titles)")
            self._db.execute("DELETE FROM bodies WHERE id NOT IN (SELECT page FROM titles)")
        return Counter({"same title as another page": repeated})

    def _link_redirects(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        self._db.execute("CREATE INDEX IF NOT EXISTS redirects_title ON redirects (title)")
        self._db.execute("CREATE TEMP TABLE resolved (folded, title, page, section)")
        for title, target in self._db.execute("SELECT title, target FROM redirects ORDER BY id"):
            found = self._follow(target)
            if isinstance(found, str):
                counts[found] += 1
                continue
            page, section, hops = found
            counts["double redirect"] += hops > 1
            row = (fold(title), title, page, section)
            self._db.execute("INSERT INTO resolved VALUES (?, ?, ?, ?)", row)
        linked = self._db.execute(
            "INSERT OR IGNORE INTO titles SELECT folded, title, page, 1, section FROM resolved "
            "ORDER BY 1, 2"
        )
        counts["same title as another page"] += self.count("resolved") - linked.rowcount
        self._db.execute("DROP TABLE resolved")
        self._db.execute("DROP INDEX redirects_title")
        return counts

    def _follow(self, target: str) -> tuple[int, str, int] | str:
        """The page, section and number of redirects, or the reason why there is no page."""
        section = ""
        for hops in range(1, _MOST_HOPS + 1):
            title, _, last_section = target.partition("#")
            section = last_section or section
            page = self._db.execute(
                "SELECT page FROM titles WHERE folded = ? AND title = ?", (fold(title), title)
            ).fetchone()
            if page:
                return page[0], section, hops
            onward = self._db.execute("SELECT target FROM redirects WHERE title = ?", (title,))
            row = onward.fetchone()
            if row is None:
                return "redirect to a missing page"
            target = row[0]
        return "redirect loop"

    def count(self, what: str) -> int:
        return self._db.execute(f"SELECT count(*) FROM {what}").fetchone()[0]

    def commonest_dropped(self, limit: int = 50) -> dict[str, int]:
        rows = self._db.execute("SELECT * FROM dropped ORDER BY uses DESC, name LIMIT ?", (limit,))
        return dict(rows.fetchall())

    def failed(self, limit: int = 50) -> dict[str, str]:
        rows = self._db.execute("SELECT title, reason FROM failed ORDER BY title LIMIT ?", (limit,))
        return dict(rows.fetchall())

    def fallbacks(self, limit: int = 50) -> dict[str, str]:
        rows = self._db.execute(
            "SELECT title, reason FROM fallbacks ORDER BY title LIMIT ?", (limit,)
        )
        return dict(rows.fetchall())

    def slowest(self) -> dict[str, float]:
        """Titles and seconds of the slowest pages, slowest first."""
        rows = self._db.execute("SELECT title, round(seconds, 3) FROM slowest ORDER BY 2 DESC, 1")
        return dict(rows.fetchall())

    def finish(self) -> None:
        """Finish the database as a single file, which readers may treat as immutable."""
        self._rows.drop()
        self._db.execute("COMMIT")
        self._db.execute("ANALYZE")
        self._db.execute("PRAGMA journal_mode = DELETE")
        self._db.close()

    def close(self) -> None:
        """Close without the changes since the last commit."""
        self._db.close()
