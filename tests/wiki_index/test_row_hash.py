from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiki_index.row_hash import RowHash

_SCHEMA = """
CREATE TABLE IF NOT EXISTS named (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbered (id INTEGER PRIMARY KEY, value);
"""
_STEPS = (
    "INSERT OR IGNORE INTO {0} VALUES (?1, ?2)",
    "INSERT OR REPLACE INTO {0} VALUES (?1, ?2)",
    "INSERT INTO {0} VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = value || ?2",
    "UPDATE {0} SET value = ?2 WHERE rowid_or_name >= ?1",
    "DELETE FROM {0} WHERE rowid_or_name = ?1 OR value IS ?2",
)
_VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
)


def _opened(path: Path | str) -> tuple[sqlite3.Connection, RowHash]:
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(_SCHEMA)
    return db, RowHash(db, ("named", "numbered"))


def _do(db: sqlite3.Connection, step: str, key: int, value: object) -> None:
    for table, column, named in (("named", "name", str(key)), ("numbered", "id", key)):
        db.execute(step.format(table).replace("rowid_or_name", column), (named, value))


@given(st.lists(st.tuples(st.sampled_from(_STEPS), st.integers(0, 3), _VALUES)))
def test_whatever_is_done_the_rows_are_those_that_were_kept(steps: list) -> None:
    db, rows = _opened(":memory:")
    for step, key, value in steps:
        _do(db, step, key, value)
    rows.keep()
    for (trigger,) in db.execute("SELECT name FROM sqlite_temp_master").fetchall():
        db.execute(f"DROP TRIGGER {trigger}")
    RowHash(db, ("named", "numbered"))
    db.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda db: db.execute("UPDATE named SET value = 'b' WHERE name = '1'"),
        lambda db: db.execute("UPDATE named SET value = CAST(x'ff' AS TEXT)"),
        lambda db: db.execute("UPDATE numbered SET value = '1' WHERE id = 1"),
        lambda db: db.execute("DELETE FROM numbered"),
        lambda db: db.execute("INSERT INTO named VALUES ('2', 1)"),
        lambda db: db.execute("UPDATE row_hash SET hash = x'00'"),
    ],
)
def test_rows_that_were_changed_since_are_noticed(
    tmp_path: Path, damage: Callable[[sqlite3.Connection], object]
) -> None:
    db, rows = _opened(tmp_path / "rows.db")
    db.execute("INSERT INTO named VALUES ('1', 'a')")
    db.execute("INSERT INTO numbered VALUES (1, 1)")
    rows.keep()
    db.close()
    db, _ = _opened(tmp_path / "rows.db")
    db.close()
    db = sqlite3.connect(tmp_path / "rows.db", isolation_level=None)
    damage(db)
    db.close()
    with pytest.raises(sqlite3.DatabaseError, match="not as they were written"):
        _opened(tmp_path / "rows.db")
