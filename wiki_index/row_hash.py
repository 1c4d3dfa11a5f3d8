"""A hash of a database's rows, to detect damage when an interrupted build continues.

SQLite itself has checksums in the write-ahead log only, not in the database.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence

_BYTES = 16
_SCHEMA = "CREATE TABLE IF NOT EXISTS row_hash (hash BLOB NOT NULL)"


class RowHash:
    """The XOR of the hashes of all rows of some tables, kept up to date by triggers.

    The order of the rows does not matter, so that a row can be added or removed without reading
    the others: the XHASH of Bellare and Micciancio 1997, used against accidents only.

    Raises:
        sqlite3.DatabaseError: the rows are not those that were there at the last `keep`.
    """

    def __init__(self, db: sqlite3.Connection, tables: Sequence[str]) -> None:
        self._db = db
        self._hash = 0
        self._changed: list[bytes] = []
        """Rows that were added or removed since the last `keep`."""
        db.execute(_SCHEMA)
        kept = db.execute("SELECT hash FROM row_hash").fetchone()
        if kept is not None:
            for table in tables:
                for (row,) in db.execute(f"SELECT {self._row(table)} FROM {table}"):
                    self._toggle(row)
            if kept[0] != self._bytes():
                raise sqlite3.DatabaseError("rows are not as they were written")
        # A C function: SQLite would replace an interrupt in a Python function by its own error.
        db.create_function("row_changed", 1, self._changed.append)
        db.execute("PRAGMA recursive_triggers = ON")  # For the deletes of REPLACE.
        for table in tables:
            self._watch(table)

    def keep(self) -> None:
        """Store the hash with what the transaction has changed: call before each COMMIT."""
        for row in self._changed:
            self._toggle(row)
        self._changed.clear()
        self._db.execute("DELETE FROM row_hash")
        self._db.execute("INSERT INTO row_hash VALUES (?)", (self._bytes(),))

    def drop(self) -> None:
        """Remove the hash from the finished database."""
        self._db.execute("DROP TABLE row_hash")

    def _row(self, table: str, of: str = "") -> str:
        """The SQL expression for a row as bytes, since damaged text may not be valid UTF-8."""
        columns = self._db.execute(f"PRAGMA table_info({table})")
        values = [f"'{table}'", *(f"quote({of}{name})" for _, name, *_ in columns)]
        text = " || ',' || ".join(values)
        return f"CAST({text} AS BLOB)"

    def _watch(self, table: str) -> None:
        old, new = (f"SELECT row_changed({self._row(table, of)});" for of in ("old.", "new."))
        for event, steps in (("INSERT", new), ("DELETE", old), ("UPDATE", old + new)):
            self._db.execute(
                f"CREATE TEMP TRIGGER {table}_{event} AFTER {event} ON {table} BEGIN {steps} END"
            )

    def _toggle(self, row: bytes) -> None:
        self._hash ^= int.from_bytes(hashlib.blake2b(row, digest_size=_BYTES).digest())

    def _bytes(self) -> bytes:
        return self._hash.to_bytes(_BYTES)
