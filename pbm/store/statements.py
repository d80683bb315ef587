"""What all queries share: how statements are written, and how instants are stored.

Instants are stored as whole microseconds since 1970 UTC, so that every database keeps them exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect

from pbm.domain.calendars import instant_at, micros
from pbm.domain.match import Player

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

V = TypeVar("V")


class Instant(sa.TypeDecorator[datetime]):
    """An aware UTC instant, stored as microseconds since 1970."""

    impl = sa.BigInteger
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], int | None]:
        return lambda value: None if value is None else micros(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        return lambda value: None if value is None else instant_at(value)


def among(column: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[bool]:
    """Whether the column is in a list, which the statement is given under the name."""
    return column.in_(sa.bindparam(name, expanding=True))


@dataclass(eq=False)
class Queries:
    """Queries about one subject, valid as long as their transaction."""

    _connection: sa.Connection

    def _writes(self) -> bool:
        """Whether this transaction may write, and so lock rows."""
        return bool(self._connection.get_execution_options().get("pbm_writes", False))

    def _first(
        self, query: sa.Executable, make: Callable[[Any], V], words: Mapping[str, Any] | None = None
    ) -> V | None:
        """What `make` returns for the only row; None if there is none. words: the statement's values by name."""
        row = self._connection.execute(query, words).one_or_none()
        return None if row is None else make(row)

    def _all(self, query: sa.Executable, make: Callable[[Any], V], words: Mapping[str, Any] | None = None) -> list[V]:
        """What `make` returns for each row. words: the statement's values by name."""
        return [*map(make, self._connection.execute(query, words))]

    def _column(self, query: sa.Executable, words: Mapping[str, Any] | None = None) -> list[Any]:
        """The only column of all rows."""
        return list(self._connection.execute(query, words).scalars())

    def _of_game(
        self, table: sa.Table, game: str, player_ids: Iterable[int], make: Callable[[Any], V], without: V
    ) -> dict[int, V]:
        """What `make` returns for each player's row of a game. without: the value for players who have no row."""
        values = dict.fromkeys(player_ids, without)
        own = (table.c.game == game) & table.c.player_id.in_(values)
        rows = self._connection.execute(sa.select(table).where(own))
        return values | {row.player_id: make(row) for row in rows}

    def _by_game(self, table: sa.Table, player_id: int, make: Callable[[Any], V]) -> dict[str, V]:
        """What `make` returns for each row of a player, by game."""
        query = sa.select(table).where(table.c.player_id == player_id).order_by(table.c.game)
        return {row.game: make(row) for row in self._connection.execute(query)}

    def _only(self, query: sa.Executable) -> Any | None:
        """The only column of the only row; None if there is none."""
        return self._connection.execute(query).scalar_one_or_none()

    def _is_any(self, query: sa.Select[Any]) -> bool:
        return self._connection.execute(query).first() is not None

    def _players(self, query: sa.Select[tuple[int, str]]) -> list[Player]:
        return self._all(query, Player._make)

    def _count(self, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
        """How many rows meet all conditions."""
        return self._connection.execute(sa.select(sa.func.count()).select_from(table).where(*which)).scalar_one()

    def _insert(self, table: sa.Table, **values: Any) -> None:
        self._connection.execute(sa.insert(table), values)

    def _insert_new(self, table: sa.Table, **values: Any) -> bool:
        """Insert a row; False if there is one with its key already, which stays as it is."""
        fresh = _insert_by(self._connection.dialect.name)(table).on_conflict_do_nothing()
        return self._connection.execute(fresh.returning(*table.primary_key), values).first() is not None

    def _add(self, table: sa.Table, **values: Any) -> int:
        """Insert a row into a table that numbers its rows; returns the number."""
        added: int = self._connection.execute(sa.insert(table).returning(*table.primary_key), values).scalar_one()
        return added

    def _update(self, table: sa.Table, *which: sa.ColumnElement[bool], **values: Any) -> int:
        """Change the rows that meet all conditions; returns how many."""
        return self._connection.execute(sa.update(table).where(*which).values(values)).rowcount

    def _delete(self, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
        """Delete the rows that meet all conditions; returns how many."""
        return self._connection.execute(sa.delete(table).where(*which)).rowcount

    def _drop(self, table: sa.Table, **key: Any) -> int:
        """Delete the rows with these values; returns how many."""
        return self._delete(table, *(table.c[name] == value for name, value in key.items()))

    def _put(self, table: sa.Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Give the row with this key, the table's primary one, the values; insert it if there is none."""
        statement = _upsert(self._connection.dialect.name, table, (*key,), (*values,))
        self._connection.execute(statement, {**key, **values})


def made(kind: type[V], row: sa.Row[Any], **more: Any) -> V:
    """A value whose fields are the row's columns of the same names, except for those given in `more`."""
    names: Iterable[str] = kind.__match_args__  # type: ignore[attr-defined]
    return kind(**{name: getattr(row, name) for name in names if name not in more}, **more)


# Statements are made once and then executed with values by name: to make one takes four times as long as to execute it.


@cache
def _upsert(dialect: str, table: sa.Table, key: tuple[str, ...], changed: tuple[str, ...]) -> sa.Insert:
    fresh = _insert_by(dialect)(table)
    return fresh.on_conflict_do_update(index_elements=key, set_={name: fresh.excluded[name] for name in changed})


def _insert_by(dialect: str) -> Callable[[sa.Table], sqlite.Insert | postgresql.Insert]:
    # ON CONFLICT is no standard SQL: each dialect has an insert of its own.
    if dialect == "sqlite":
        return sqlite.insert
    # To import it takes a while, and most servers have no use for it.
    from sqlalchemy.dialects import postgresql

    return postgresql.insert
