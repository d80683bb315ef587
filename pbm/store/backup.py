"""Copies of an SQLite database, made while others read and write it, and put in the place of one that nobody uses.

A finished copy is one file, with no journal beside it. It is written under another name, so a file that has its final
name is whole.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sqlalchemy import String, Table, collate, func, insert, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from pbm.store.neighbours import BELLS, BUSY_SECONDS, TURN, DatabaseTrouble, SchemaTrouble
from pbm.store.statements import Queries
from pbm.store.tables import metadata


def file_of(url: str) -> Path | None:
    """The file of an SQLite database; None if it is on a server or in memory. Raises: SchemaTrouble."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise SchemaTrouble(f'"{url}" is not a database URL this program can use: {error}') from None
    name = parsed.database or ":memory:"
    return None if parsed.get_backend_name() != "sqlite" or name.startswith((":memory:", "file:")) else Path(name)


def journals(file: Path) -> list[Path]:
    """The files that SQLite may keep beside a database while it is in use."""
    return [file.with_name(file.name + end) for end in ("-wal", "-shm", "-journal")]


def url_of(file: Path) -> str:
    return URL.create("sqlite", database=str(file)).render_as_string(hide_password=False)


def copy(source: Path, target: Path) -> None:
    """Write the database as it is at one instant into a new file that only its owner can read; nobody has to wait.

    Raises: DatabaseTrouble; OSError if the file exists already or cannot be made.
    """
    # Nobody else may read it, not even for a moment.
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with troubles(), closing(connected(source)) as original, closing(connected(target)) as fresh:
        original.backup(fresh)  # all pages in one go, because otherwise writers make it start over


def seal(file: Path) -> None:
    """Turn a database that nobody else has open into one file, safe on the disk. Raises: DatabaseTrouble."""
    with troubles(), closing(connected(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    with file.open("rb") as written:
        os.fsync(written.fileno())
    sync_folder(file.parent)


def is_in_use(file: Path) -> bool:
    """Whether another connection has the database open, even if it is idle."""
    with closing(connected(file, busy_seconds=0)) as connection:
        try:
            connection.execute("PRAGMA journal_mode=DELETE")  # refused unless we are alone
            return False
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                return True
            raise DatabaseTrouble(str(error)) from error
        except sqlite3.DatabaseError:
            return False  # a damaged database may be replaced


def rename(file: Path, target: Path) -> None:
    """Give a sealed file its name, atomically and durably. Raises: OSError."""
    file.replace(target)
    sync_folder(target.parent)


def remove(file: Path) -> None:
    """Remove a database and all files kept beside it."""
    for path in (file, *journals(file), file.with_name(file.name + TURN)):
        path.unlink(missing_ok=True)
    shutil.rmtree(file.with_name(file.name + BELLS), ignore_errors=True)


def keep(file: Path, aside: Path) -> bool:
    """Give a database a second name, and move its journals there, because they would change what takes its place.

    False if there is none. Raises: OSError.
    """
    if not file.exists():
        return False
    aside.hardlink_to(file)
    for path, beside in zip(journals(file), journals(aside), strict=True):
        if path.exists():
            path.rename(beside)
    return True


def connected(file: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection of its own, in which each statement commits."""
    return sqlite3.connect(file, timeout=busy_seconds, isolation_level=None)


def sync_folder(folder: Path) -> None:
    """Make the names in the folder safe on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def troubles() -> Iterator[None]:
    """Turn errors of SQLite into DatabaseTrouble."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise DatabaseTrouble(str(error)) from error


Rows = Sequence[tuple[Any, ...]]
_AT_ONCE = 1000
TABLES = tuple(metadata.sorted_tables)
"""Each table comes after those that its rows point to."""


class Contents(Queries):
    """The contents of this program's tables, on any database; not the schema."""

    def rows(self, table: Table) -> Iterator[Rows]:
        """All rows by key, some at a time; in the same order on any database."""
        plain = "BINARY" if self._connection.dialect.name == "sqlite" else "C"
        key = [collate(c, plain) if isinstance(c.type, String) else c for c in table.primary_key.columns]
        result = self._connection.execute(select(table).order_by(*key).execution_options(yield_per=_AT_ONCE))
        for part in result.partitions():
            yield [tuple(row) for row in part]

    def count(self, table: Table) -> int:
        return self._count(table)

    def clear(self) -> None:
        """Delete everything."""
        for table in reversed(TABLES):
            self._delete(table)

    def add(self, table: Table, rows: Rows) -> None:
        names = table.columns.keys()
        self._connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in rows])

    def counters(self) -> Iterator[tuple[str, str, int, int]]:
        """Each table that numbers its rows: its sequence, the last number given, and the highest in use; 0 for none."""
        if self._connection.dialect.name == "sqlite":
            return  # it has no sequences
        there = set(inspect(self._connection).get_table_names())
        for table in TABLES:
            key = table.autoincrement_column
            counter = None
            if key is not None and table.name in there:
                counter = self._connection.execute(select(func.pg_get_serial_sequence(table.name, key.name))).scalar()
            if counter is not None:
                last_given = text(f"SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM {counter}")  # noqa: S608
                newest = select(func.coalesce(func.max(key), 0))
                last, highest = (self._connection.execute(query).scalar_one() for query in (last_given, newest))
                yield table.name, counter, last, highest

    def count_on(self) -> None:
        """Let new rows be numbered after the existing ones; SQLite does so by itself."""
        for _, counter, last, highest in list(self.counters()):
            if last < highest:
                self._connection.execute(select(func.setval(counter, highest)))


def difference(one: Contents, other: Contents, table: Table) -> str:
    """Where two databases differ; empty if they do not. NULs may have been replaced."""
    for mine, theirs in zip_longest(one.rows(table), other.rows(table), fillvalue=()):
        for row, copied in zip_longest(mine, theirs):
            # PostgreSQL holds no NUL in a text, and has the replacement character there.
            if row is None or copied is None or tuple(map(_without_nuls, row)) != tuple(map(_without_nuls, copied)):
                return f"{table.name}: the row {(row or copied)[0]} is not the same in both"
    return ""


def _without_nuls(value: Any) -> Any:
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
