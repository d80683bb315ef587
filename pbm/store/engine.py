"""The engine, its transactions and its schema.

SQLite writes begin with BEGIN IMMEDIATE: a transaction that reads first and writes later would otherwise lose updates
or fail at once when another process writes. Within one process writers queue on a lock, which is fair and does not
sleep, as SQLite's own waiting does.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Inspector, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from pbm.resources import folder
from pbm.store.tables import REVISION, metadata
from pbm.store.transaction import Transaction
from pbm.store.trouble import SchemaTrouble, translated

_BUSY_SECONDS = 30
_PRAGMAS = ("foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY_SECONDS * 1000}")


class Store:
    """One database, for any number of threads. Raises: DatabaseTrouble out of every transaction."""

    def __init__(self, url: str) -> None:
        """url: an SQLAlchemy URL, such as sqlite:////var/lib/pbm/pbm.db. Raises: SchemaTrouble for an unusable URL."""
        try:
            self._engine = _engine(url)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            raise SchemaTrouble(f'"{url}" is not a database URL this program can use: {error}') from None
        self._writing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A consistent view; nothing is written."""
        with translated(), self._engine.connect() as connection, connection.begin():
            yield Transaction(connection)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that may write: committed at the end of the block, rolled back by any exception."""
        with self._writing, translated(), self._engine.connect() as connection:
            connection = connection.execution_options(pbm_writes=True)
            with connection.begin():
                yield Transaction(connection)

    def prepare(self, now: datetime) -> bool:
        """Create the schema in an empty database; True if that was needed.

        Raises: SchemaTrouble when the schema is of another version of the program.
        """
        current = self.revision()
        if current == REVISION:
            return False
        if current is not None:
            raise SchemaTrouble(
                f"The database is at revision {current}, this program needs {REVISION}. Run: pbm db upgrade"
            )
        self.upgrade(now)
        return True

    def upgrade(self, now: datetime) -> None:
        """Bring the schema to this program's version; keeps all data."""
        with self._writing, translated(), self._engine.connect() as connection:
            with connection.execution_options(pbm_writes=True).begin():
                migrate(connection)
                Transaction(connection).ensure_secret(secrets.token_hex(32), now)

    def revision(self) -> str | None:
        """The revision of the schema; None for an empty database. Raises: SchemaTrouble for one that is not ours."""
        with translated(), self._engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            if not tables:
                return None
            if "alembic_version" not in tables:
                raise SchemaTrouble("The database holds tables of some other program; give pbm one of its own.")
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()

    def check(self) -> list[str]:
        """What is wrong with the database itself, a sentence each; empty when it is sound."""
        problems = []
        with translated(), self._engine.connect() as connection:
            if self._engine.dialect.name == "sqlite":
                found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
                problems += [f"integrity: {line}" for line in found if line != "ok"]
                rows = connection.execute(text("PRAGMA foreign_key_check"))
                problems += [f"a row of {row[0]} points to a row of {row[2]} that is not there" for row in rows]
            problems += _missing(inspect(connection))
        return problems

    def close(self) -> None:
        self._engine.dispose()


def _missing(inspector: Inspector) -> list[str]:
    """Tables and columns of this program that the database lacks."""
    problems, there = [], set(inspector.get_table_names())
    for name, table in sorted(metadata.tables.items()):
        if name not in there:
            problems.append(f"the table {name} is missing")
            continue
        columns = {column["name"] for column in inspector.get_columns(name)}
        lacking = (column.name for column in table.columns if column.name not in columns)
        problems += [f"the column {column} of the table {name} is missing" for column in lacking]
    return problems


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    pragmatic = {"isolation_level": None, "timeout": _BUSY_SECONDS}
    engine = create_engine(parsed, connect_args=pragmatic, hide_parameters=True)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: Any, _record: Any) -> None:
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("pbm_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def migrate(connection: Connection) -> None:
    """Run the migrations. Their library is loaded here, for it takes longer than most commands."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
