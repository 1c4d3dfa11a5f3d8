"""`templates.db`: what the pages of a dump transclude, for `build_index(templates=True)`.

A template may stand anywhere in a dump, so that all are gathered before the first page is parsed:
in a SQLite file of the build's directory, for memory must not grow with the dump. Like the pages
they go on from their last transaction when they were interrupted.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from wiki_index.dump import Dump, Key, damaged
from wiki_index.export import Damage, Tally
from wiki_index.languages import TEMPLATE, Site, redirect_target
from wiki_index.progress import Reporter
from wiki_index.row_hash import RowHash
from wiki_index.templates import is_known
from wiki_index.transclusion import MAX_CHARACTERS, called_pages, includable, page_key
from wiki_index.types import RawPage

_COMMIT_SECONDS = 2.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (key TEXT PRIMARY KEY, source TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS called (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS done (pass TEXT, file INTEGER, start INTEGER, pages INTEGER NOT NULL,
                                 bytes INTEGER NOT NULL, PRIMARY KEY (pass, file, start));
"""
_DONE = """
INSERT INTO done VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET pages = pages + ?4, bytes = bytes + ?5
"""


def gather(dump: Dump, path: Path, report: Reporter, accept_damage: bool) -> dict[str, Any]:
    """Fill `path` with the templates of `dump`, and with the pages that others transclude.

    Answers their number and a digest of all of them. Templates that have a renderer or show nothing
    are not kept.

    Raises:
        DumpDamaged: some of it cannot be read, and damage is not accepted.
        DumpError: it is standard input.
        sqlite3.DatabaseError: what an interrupted run has left there is damaged.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(_SCHEMA)
        rows = RowHash(db, ("pages", "called", "done"))
        damages = _read(db, rows, "templates", dump.of_namespaces(0, TEMPLATE), report)
        if damages and not accept_damage:
            raise damaged(damages)
        if db.execute("SELECT 1 FROM called LIMIT 1").fetchone():
            _read(db, rows, "called pages", dump, report)
        digest = hashlib.sha256()
        count = 0
        for row in db.execute("SELECT key, source FROM pages ORDER BY key"):
            digest.update("\0".join((*row, "")).encode())
            count += 1
        db.execute("PRAGMA journal_mode = DELETE")  # One file, for readers on other machines too.
    return {"templates": count, "digest": digest.hexdigest()}


def _read(
    db: sqlite3.Connection, hashed: RowHash, which: str, dump: Dump, report: Reporter
) -> list[Damage]:
    """One pass over the dump, from where an interrupted one left off; what of it is damaged."""
    rows = db.execute("SELECT file, start, pages, bytes FROM done WHERE pass = ?", (which,))
    done: dict[Key, tuple[int, int]] = {(file, start): counts for file, start, *counts in rows}
    total = sum(size for _, size in done.values())
    take = _take_template if which == "templates" else _take_called
    damages: list[Damage] = []
    damaged_keys: set[Key] = set()
    committed = time.monotonic()
    db.execute("BEGIN")
    for stretch in dump.stretches({key: pages for key, (pages, _) in done.items()}):
        tally, pages = Tally(), 0
        for page in stretch.read(dump.site, tally):
            take(db, page, dump.site)
            pages += 1
        damages += tally.damages
        damaged_keys.update([stretch.key] if tally.damages else [])
        if stretch.key not in damaged_keys:  # Behind damage pages are not known by their number.
            db.execute(_DONE, (which, *stretch.key, pages, stretch.bytes))
        total += stretch.bytes
        report("templates", total / dump.bytes_total if dump.bytes_total else 0.0)
        if time.monotonic() - committed > _COMMIT_SECONDS:
            hashed.keep()
            db.execute("COMMIT")
            db.execute("BEGIN")
            committed = time.monotonic()
    hashed.keep()
    db.execute("COMMIT")
    return damages


def _take_template(db: sqlite3.Connection, page: RawPage, site: Site) -> None:
    """Keep a template; note which other pages a page transcludes."""
    db.executemany(
        "INSERT OR IGNORE INTO called VALUES (?)", ((key,) for key in called_pages(page.text, site))
    )
    if page.namespace == TEMPLATE and not is_known(page_key(page.title, site), site.lang):
        _keep(db, page, site)


def _take_called(db: sqlite3.Connection, page: RawPage, site: Site) -> None:
    key = page_key(page.title, site)
    if db.execute("SELECT 1 FROM called WHERE key = ?", (key,)).fetchone():
        _keep(db, page, site)


def _keep(db: sqlite3.Connection, page: RawPage, site: Site) -> None:
    source = page.text if redirect_target(page.text, site) else includable(page.text)
    if len(source) <= MAX_CHARACTERS:
        key = page_key(page.title, site)
        db.execute("INSERT OR REPLACE INTO pages VALUES (?, ?)", (key, source))


class TemplatePages(Mapping[str, str]):
    """The wikitext of what may be transcluded by its `transclusion.page_key`, read from a file."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)

    def __getitem__(self, key: str) -> str:
        row = self._db.execute("SELECT source FROM pages WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self._db.execute("SELECT key FROM pages ORDER BY key"))

    def __len__(self) -> int:
        return self._db.execute("SELECT count(*) FROM pages").fetchone()[0]
