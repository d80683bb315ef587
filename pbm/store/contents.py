"""All there is in a database, row by row, for a copy into another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Connection, String, Table, collate, delete, func, insert, inspect, select, text

from pbm.store.tables import metadata

Rows = Sequence[tuple[Any, ...]]
_AT_ONCE = 1000
TABLES = tuple(metadata.sorted_tables)
"""Each behind those that its rows point to."""


class Contents:
    """The tables of this program, whatever the database; not its schema."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, table: Table) -> Iterator[Rows]:
        """All rows, by their key, some at a time; in the same order whatever the database."""
        plain = "BINARY" if self._connection.dialect.name == "sqlite" else "C"
        key = [collate(c, plain) if isinstance(c.type, String) else c for c in table.primary_key.columns]
        found = self._connection.execute(select(table).order_by(*key).execution_options(yield_per=_AT_ONCE))
        for part in found.partitions():
            yield [tuple(row) for row in part]

    def count(self, table: Table) -> int:
        return self._connection.execute(select(func.count()).select_from(table)).scalar_one()

    def clear(self) -> None:
        """Forget everything."""
        for table in reversed(TABLES):
            self._connection.execute(delete(table))

    def add(self, table: Table, rows: Rows) -> None:
        names = table.columns.keys()
        self._connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in rows])

    def counters(self) -> Iterator[tuple[str, str, int, int]]:
        """Each table that numbers its rows: its sequence, the last number given, and the highest in use; 0 for none.

        SQLite has no sequences.
        """
        if self._connection.dialect.name == "sqlite":
            return
        there = set(inspect(self._connection).get_table_names())
        for table in TABLES:
            key = table.autoincrement_column
            counter = None
            if key is not None and table.name in there:
                counter = self._connection.execute(select(func.pg_get_serial_sequence(table.name, key.name))).scalar()
            if counter is not None:
                given = text(f"SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM {counter}")  # noqa: S608
                newest = select(func.coalesce(func.max(key), 0))
                last, highest = (self._connection.execute(query).scalar_one() for query in (given, newest))
                yield table.name, counter, last, highest

    def count_on(self) -> None:
        """Let new rows be numbered behind those that are there; SQLite does so by itself."""
        for _, counter, last, highest in list(self.counters()):
            if last < highest:
                self._connection.execute(select(func.setval(counter, highest)))


def difference(one: Contents, other: Contents, table: Table) -> str:
    """Where two databases do not hold the same; empty where they do. NULs may have been replaced."""
    for mine, theirs in zip_longest(one.rows(table), other.rows(table), fillvalue=()):
        for row, copied in zip_longest(mine, theirs):
            if row is None or copied is None or tuple(map(_without_nuls, row)) != tuple(map(_without_nuls, copied)):
                return f"{table.name}: the row {(row or copied)[0]} is not the same in both"
    return ""


def _without_nuls(value: Any) -> Any:
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
