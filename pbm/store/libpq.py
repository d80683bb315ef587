"""Statements go to PostgreSQL through libpq, which psycopg wraps, with nothing in between.

SQLAlchemy and psycopg's cursors would take ten times as long. Each statement is prepared once per connection; several
rows of values are sent at once, and waited for once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from psycopg import Connection, Error, abc
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import execute, fetch_many
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from sqlalchemy import Executable
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import IteratorResult

from pbm.store.transaction import Guarded, Told


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement returned."""

    rows: list[tuple[Any, ...]]
    rowcount: int
    """How many rows were returned or changed with the last values given."""


class Session(Connection[Any]):
    """A connection that prepares its statements itself. Raises: as psycopg does."""

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self._told: dict[str, tuple[bytes, list[PyFormat], list[Format]]] = {}
        """By words: the name of the prepared statement, and the forms of its values."""

    @cached_property
    def _transformer(self) -> abc.Transformer:
        """Created only after the connection has got all its adapters."""
        return Transformer(self)

    def commit(self) -> None:
        self._end("COMMIT")

    def rollback(self) -> None:
        """Roll back but keep prepared statements, which psycopg would have the server forget.

        A server that has hung up has rolled back by itself; nobody gets this connection again.
        """
        if not self.closed:
            self._end("ROLLBACK")

    def _end(self, words: str) -> None:
        if self.pgconn.transaction_status != TransactionStatus.IDLE:
            self.say(words)

    def say(self, words: str) -> None:
        """Execute statements that have no values and return nothing."""
        self.pgconn.send_query(words.encode())
        self._results(1)

    def ask(self, words: str, rows: Sequence[Sequence[Any]]) -> Answer:
        """The answer to a statement that is executed with each row of values in turn; they stand for $1, $2 ..."""
        name, forms, formats = self._told.get(words) or self._prepare(words, rows[0])
        pgconn, transformer, many = self.pgconn, self._transformer, len(rows) > 1
        written = [transformer.dump_sequence(values, forms) for values in rows]
        if many:
            pgconn.enter_pipeline_mode()
        for values in written:
            pgconn.send_query_prepared(name, values, formats, Format.BINARY)
        if many:
            pgconn.pipeline_sync()
        results = self._results(len(rows) + many)[: len(rows)]
        found = list[tuple[Any, ...]]()
        for result in results:
            if result.ntuples:
                transformer.set_pgresult(result)
                found += transformer.load_rows(0, result.ntuples, tuple)
        transformer.set_pgresult(None)  # otherwise it would be kept
        return Answer(found, results[-1].command_tuples or 0)

    def _prepare(self, words: str, values: Sequence[Any]) -> tuple[bytes, list[PyFormat], list[Format]]:
        """Let the server find the types, so that numbers of all sizes have one; octets are sent as they are."""
        name = f"told {len(self._told)}".encode()
        self.pgconn.send_prepare(name, words.encode())
        self._results(1)
        are_octets = [isinstance(value, bytes) for value in values]
        forms = [PyFormat.BINARY if each else PyFormat.TEXT for each in are_octets]
        self._told[words] = told = name, forms, [Format.BINARY if each else Format.TEXT for each in are_octets]
        return told

    def _results(self, number: int) -> list[PGresult]:
        """The results of this many statements that were sent."""
        results = self.wait(_received(self.pgconn, number))
        if number > 1:
            self.pgconn.exit_pipeline_mode()
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                raise error_from_result(result)
        return results


def _received(pgconn: PGconn, number: int) -> PQGen[list[PGresult]]:
    results: list[PGresult] = yield from execute(pgconn)
    for _ in range(number - 1):
        results += yield from fetch_many(pgconn)
    return results


class GuardedSession(Guarded):
    """As on SQLite, by another driver."""

    _told: ClassVar[dict[tuple[Executable, tuple[str, ...]], Told]] = {}

    def _begin_as(self, *, writes: bool, is_durable: bool) -> None:
        modes = "" if writes else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
        lasting = "" if is_durable else "; SET LOCAL synchronous_commit = off"
        self._ask(f"BEGIN{modes}{lasting}")  # even if anything listens: psycopg would first begin in its own way

    def _learn(self, statement: Executable, names: Sequence[str]) -> Told:
        dialect = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]
        return Told(statement, names, dialect)

    def _execute_directly(self, told: Told, given: Any) -> Any:
        rows = [*map(told.values, given)] if isinstance(given, list) else [told.values(given)]
        answer = self._ask(told.words, rows)
        return IteratorResult(told.columns, iter(answer.rows)) if told.returns else answer

    def say(self, words: str) -> None:
        if self._is_heard:
            self.exec_driver_sql(words)
        else:
            self._ask(words)

    def _ask(self, words: str, rows: Sequence[Sequence[Any]] = ()) -> Any:
        session: Any = self.connection.driver_connection
        try:
            return session.ask(words, rows) if rows else session.say(words)
        except Error as error:
            self._fail(error, words)
