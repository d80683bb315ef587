"""What all queries share: how their statements are written, and instants and lists in them.

Instants are stored as whole microseconds since 1970 UTC, so that every database keeps them exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Executable,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from pbm.domain.calendars import instant_at, micros
from pbm.domain.match import Player

S = TypeVar("S", bound=Executable)
V = TypeVar("V")

OFTEN: set[Executable] = set()
"""Statements that are built once, for they are asked again and again."""


def often(statement: S) -> S:
    """The statement, which is one of them."""
    OFTEN.add(statement)
    return statement


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant; microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], int | None]:
        return lambda value: None if value is None else micros(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        return lambda value: None if value is None else instant_at(value)


class _Numbers(TypeDecorator[list[int]]):
    """A list as json_each of SQLite reads it."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        return str


class _Words(_Numbers):
    """Without those that hold a NUL, where it would cut them."""

    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        return lambda words: json.dumps([word for word in words if "\0" not in word])


class _Among(FunctionElement[bool]):
    type = Boolean()
    inherit_cache = True

    def self_group(self, against: object = None) -> _Among:
        """SQLAlchemy would compare it with 1, and SQLite then use no index."""
        return self


@compiles(_Among)
def _among(element: _Among, compiler: SQLCompiler, **words: Any) -> str:
    column, numbers = (compiler.process(each, **words) for each in element.clauses)
    if compiler.dialect.name == "sqlite":
        return f"{column} IN (SELECT value FROM json_each({numbers}))"  # noqa: S608  of our own names
    return f"{column} = ANY ({numbers})"


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether the column is one of a list of any length that the statement is given under the name.

    The statement has one text for all lengths, so it is written once, and prepared once by the database.
    """
    plain, array = (_Words(), ARRAY(Text)) if isinstance(column.type, String) else (_Numbers(), ARRAY(BigInteger))
    return _Among(column, bindparam(name, type_=plain.with_variant(array, "postgresql")))


@dataclass(eq=False)
class Queries:
    """Queries about one thing, as long as their transaction lasts."""

    _connection: Connection

    def _first(self, found: Executable, make: Callable[[Any], V]) -> V | None:
        """What is made of the only row; None where there is none."""
        row = self._connection.execute(found).one_or_none()
        return None if row is None else make(row)

    def _players(self, found: Select[tuple[int, str]]) -> list[Player]:
        return [Player(row.id, row.userid) for row in self._connection.execute(found)]

    def _count(self, table: Table, *which: ColumnElement[bool]) -> int:
        """How many rows there are of which all of this holds."""
        return self._connection.execute(select(func.count()).select_from(table).where(*which)).scalar_one()

    def _insert(self, table: Table, **values: Any) -> None:
        self._connection.execute(insert(table).values(values))

    def _add(self, table: Table, **values: Any) -> int:
        """Insert a row of a table that numbers them; returns its number."""
        (key,) = table.primary_key
        added: int = self._connection.execute(insert(table).values(values).returning(key)).scalar_one()
        return added

    def _update(self, table: Table, *which: ColumnElement[bool], **values: Any) -> int:
        """Change the rows of which all of this holds; returns how many there were."""
        return self._connection.execute(update(table).where(*which).values(values)).rowcount

    def _delete(self, table: Table, *which: ColumnElement[bool]) -> int:
        """Delete the rows of which all of this holds; returns how many there were."""
        return self._connection.execute(delete(table).where(*which)).rowcount

    def _drop(self, table: Table, **key: Any) -> int:
        """Delete the rows that have these values; returns how many there were."""
        return self._delete(table, _has(table, key))

    def _put(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Let the row with the key have the values, whether it is there or not."""
        if self._update(table, _has(table, key), **values) == 0:
            self._insert(table, **key, **values)


def _has(table: Table, key: Mapping[str, Any]) -> Any:
    return and_(*(table.c[name] == value for name, value in key.items()))
