"""All rows of an SQLite database, to be taken out and put back.

That is faster than another file, because connections stay open, with all statements that they have prepared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
"""The rows of each table, in the order in which they were added."""


class Contents:
    """A database file, through a connection of its own; other connections may be open, outside transactions."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._inode = file.stat().st_ino
        self._connection = sqlite3.connect(file, isolation_level=None)
        self._connection.execute("PRAGMA secure_delete=ON")  # some tests look for what may have been left in the file
        self._tables = [
            name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        self._shape = self._looks()
        self._empty = self.rows()

    def rows(self) -> Rows:
        return {name: self._connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in self._tables}  # noqa: S608  names of ours

    def put(self, rows: Rows) -> None:
        """Put these rows in place of all that are there."""
        self._connection.execute("BEGIN IMMEDIATE")
        for name in self._tables:
            self._connection.execute(f'DELETE FROM "{name}"')  # noqa: S608  names of ours
        for name, each in rows.items():
            if each:
                places = ", ".join("?" * len(each[0]))
                self._connection.executemany(f'INSERT INTO "{name}" VALUES ({places})', each)  # noqa: S608
        self._connection.execute("COMMIT")

    def is_emptied(self) -> bool:
        """Whether it is again as it was first; what happened to it may not be undone by deleting rows."""
        try:
            if self._file.stat().st_ino != self._inode:
                return False
            self.put(self._empty)
            return self._looks() == self._shape
        except (OSError, sqlite3.Error):
            return False

    def _looks(self) -> tuple[int, ...]:
        """What changes with its tables, and how large it is without pages of which nothing is left."""
        # execute() would give back one page and stop
        self._connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
        names = "schema_version", "user_version", "page_count", "freelist_count"
        return tuple(self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)

    def close(self) -> None:
        self._connection.close()
