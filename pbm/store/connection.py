"""Connections: what begins a transaction, what may write in it, and how statements get to the driver.

Most of what SQLAlchemy does with a statement comes out the same each time. Of statements that are asked `often` it is
done once: SQLite's driver is then given their text and their values, as SQLAlchemy would give them. Errors are its own.
On PostgreSQL, and where somebody listens to what is executed, SQLAlchemy executes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, RootTransaction, UpdateBase, literal, select
from sqlalchemy.engine import Dialect, IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

from pbm.store.neighbours import Writes

S = TypeVar("S", bound=Executable)

_WRITTEN = select(literal(1))
"""In place of a statement in a rehearsal: a row that was changed, by PostgreSQL; SQLite counts none, and says -1."""


class Told:
    """A statement as SQLite's driver is told it, with values of certain names."""

    def __init__(self, statement: Executable, names: Sequence[str], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=names)  # type: ignore[attr-defined]
        assert isinstance(compiled, SQLCompiler)  # noqa: S101
        assert not compiled.post_compile_params, "its text differs with its values"  # noqa: S101
        self.words = compiled.string
        binds = [compiled.binds[name] for name in compiled.positiontup or ()]
        ways = [bind.type.dialect_impl(dialect).bind_processor(dialect) for bind in binds]
        self._ways = [(place, way) for place, way in enumerate(ways) if way is not None]
        self._fixed = {bind.key: bind.effective_value for bind in binds if bind.key not in names}
        self._keys = [bind.key for bind in binds]
        writes = isinstance(statement, UpdateBase)
        columns = statement.returning_column_descriptions if writes else statement.column_descriptions  # type: ignore[attr-defined]
        readers = [column["type"].dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        self.columns = SimpleResultMetaData([column["name"] for column in columns], _processors=readers)
        self.returns = bool(columns)

    def values(self, given: Mapping[str, Any]) -> Sequence[Any]:
        """In the order of the text."""
        values = {**self._fixed, **given} if self._fixed else given
        found = [*map(values.__getitem__, self._keys)]
        for place, way in self._ways:
            found[place] = way(found[place])
        return found


_OFTEN: dict[Executable, dict[tuple[str, ...], Told]] = {}
"""By the names of the values they are given."""


def often(statement: S) -> S:
    """The statement, which is built once, for it is asked again and again."""
    _OFTEN[statement] = {}
    return statement


class Guarded(Connection):
    """Begins as it is asked to, and looks at what it executes; events would cost each statement a fifth more."""

    def begin(self) -> RootTransaction:
        """What SQLite is told goes past SQLAlchemy, which would take twenty times as long to say it."""
        begun, options = super().begin(), self.get_execution_options()
        writes, is_durable = options.get("pbm_writes", False), options.get("pbm_durable", True)
        if self.dialect.name == "sqlite":
            wanted = "FULL" if is_durable else "NORMAL"
            if writes and self.info.get("synchronous", "FULL") != wanted:
                say(self, f"PRAGMA synchronous={wanted}")
                self.info["synchronous"] = wanted
            say(self, "BEGIN IMMEDIATE" if writes else "BEGIN")
        elif not is_durable:
            say(self, "SET LOCAL synchronous_commit = off")
        return begun

    def execute(self, statement: Executable, parameters: Any = None, *, execution_options: Any = None) -> Any:
        """In a rehearsal what writes is replaced by what does not, and makes ids below 0. Raises: Writes."""
        if isinstance(statement, UpdateBase):
            options = self.get_execution_options()
            rehearsal = options.get("pbm_unwritten")
            if rehearsal is None and options.get("pbm_writes", False):
                options["pbm_before_change"](statement)
            else:
                number = rehearsal.stand_in() if rehearsal is not None else None
                if number is None:
                    raise Writes(f"a transaction that only reads does not write to {statement.table}")
                returns = statement.returning_column_descriptions
                return super().execute(select(literal(number)) if returns else _WRITTEN)
        if statement not in _OFTEN or _is_heard(self):
            return super().execute(statement, parameters, execution_options=execution_options)
        return self._execute_directly(statement, parameters or {})

    def _execute_directly(self, statement: Executable, given: Any) -> Any:
        """given: values by name, or a list of such for one after the other."""
        many = isinstance(given, list)
        known, names = _OFTEN[statement], (*(given[0] if many else given),)
        told = known.get(names)
        if told is None:
            told = known[names] = Told(statement, names, self.dialect)
        if not told.returns:
            return _tell(self, told.words, [*map(told.values, given)] if many else told.values(given), many=many)
        asked = [_tell(self, told.words, told.values(each)).fetchall() for each in (given if many else [given])]
        return IteratorResult(told.columns, chain.from_iterable(asked))


def say(connection: Connection, words: str) -> None:
    """Execute what is mere text and brings nothing back."""
    if _is_heard(connection):
        connection.exec_driver_sql(words)
    else:
        _tell(connection, words, ())


def _is_heard(connection: Connection) -> bool:
    """SQLAlchemy is to execute what is said there."""
    return connection.dialect.name != "sqlite" or connection._has_events or connection.engine._has_events  # noqa: SLF001


def _tell(connection: Connection, words: str, values: Sequence[Any], *, many: bool = False) -> Any:
    """The driver's cursor, once it was told that."""
    cursor = connection.connection.cursor()
    try:
        (cursor.executemany if many else cursor.execute)(words, values)
    except connection.dialect.loaded_dbapi.Error as error:
        dialect = connection.dialect
        raise DBAPIError.instance(words, None, error, Exception, hide_parameters=True, dialect=dialect) from error
    return cursor
