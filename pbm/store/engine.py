"""The engine, its transactions and its schema, on SQLite and on PostgreSQL.

SQLite writes begin with BEGIN IMMEDIATE: a transaction that reads first and writes later would otherwise lose updates,
or fail at once when another process writes. Writers of all processes take turns, so that none starves.

On PostgreSQL writers run side by side, at READ COMMITTED, and lock what they read in order to change it, by row or by
name (Transaction.lock). A worker that dies or vanishes loses its connection, and with it all its locks.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from pbm.resources import folder
from pbm.store.backup import Contents, connected, file_of, troubles
from pbm.store.house import TOLD, LogLine
from pbm.store.neighbours import (
    BUSY_SECONDS,
    CHANNEL,
    READ_ONLY,
    Bell,
    DatabaseTrouble,
    Full,
    ListeningBell,
    Lost,
    Malformed,
    Outdated,
    PipeBell,
    ReadOnly,
    SchemaTrouble,
    Turns,
    Writes,
    ring,
    translated,
)
from pbm.store.pulse import HEARTBEAT
from pbm.store.tables import FIRST_BOARD, REVISION, metadata
from pbm.store.transaction import HOUSE, Transaction

_PRAGMAS = (
    *("foreign_keys=ON", "synchronous=FULL", f"busy_timeout={BUSY_SECONDS * 1000}"),
    "secure_delete=ON",  # deleted data is overwritten, so that no copy of the file holds it
    f"journal_size_limit={2**22}",  # otherwise the log stays as large as it ever was
)
_MARKS = frozenset({"alembic_version", "inbox"})  # other programs use Alembic, too
"""Tables that every revision has."""
_WHOSE = """
    SELECT count(*) = 0, sum(name IN ('alembic_version', 'inbox')) = 2 FROM sqlite_master
    WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'"""
"""Whether the file is empty, and whether it holds our tables."""
_SESSION = {
    "lock_timeout": f"{BUSY_SECONDS}s",
    # a stopped worker or a vanished machine must not keep its locks
    "idle_in_transaction_session_timeout": "5min",
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
_COMPRESSION = """
    SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)"""
# Default compression of mail texts took a quarter of the database's work; before version 14 there is no other.
_IS_READ_ONLY = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"

_PAGES_AT_ONCE = 250  # 1 MB, which takes some 10 ms
"""How many pages a file gives back to the disk in one step."""
_SKIPPED = 1000
"""At least this many board numbers are skipped after a database was set back."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class _OnlyTriedError(Exception):
    """Ends a transaction that was to show what it would do."""


class Store:
    """One database, for any number of threads. Raises: DatabaseTrouble from every transaction."""

    def __init__(self, url: str, clock: Callable[[], datetime] = utc_now) -> None:
        """url: an SQLAlchemy URL, such as sqlite:////var/lib/pbm/pbm.db or postgresql://pbm@db.example.org/pbm.

        clock: the present instant, for each transaction. Raises: SchemaTrouble for an unusable URL.
        """
        try:
            self._file = DatabaseFile(file_of(url))
            self._engine = _engine(make_url(url), self._file)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            hint = ". Install it: pip install 'pbm-server[postgresql]'" if "psycopg" in str(error) else ""
            raise SchemaTrouble(f'"{url}" is not a database URL this program can use: {error}{hint}') from None
        self.clock = clock
        self._own_bells: set[str] = set()
        self.when_unwritable: Callable[[DatabaseTrouble], None] = lambda _: None
        """Called with ReadOnly, Full, Lost or Outdated before it is raised, in the thread that raises it."""
        self.signature: LogLine | None = None
        """The log line for a person at the command line; written once, with the first thing they change."""
        self.only_tries = False
        """Whether what is written is rolled back, so that its outcome is only shown."""
        self.locks_rows = self._engine.dialect.name != "sqlite"
        """Whether several transactions may write at once, each to what it has locked."""
        self._writing: AbstractContextManager[Any] = nullcontext() if self.locks_rows else Turns(self._file.path)

    def free_octets(self) -> int | None:
        """Octets that are free on the disk of an SQLite file; None if that is not known, or the database elsewhere."""
        if self._file.path is None:
            return None
        try:
            return shutil.disk_usage(self._file.path.absolute().parent).free
        except OSError:
            return None

    def shrink(self) -> bool:
        """Give some of what an SQLite file no longer uses back to the disk, if that is much; False if there was nothing
        to do. Raises: DatabaseTrouble.
        """
        if self._file.path is None:
            return False
        with self.read() as tx:
            room = tx.overview.room()
        if not (room.shrinks and room.is_wasted):
            return False
        # Some pages, in a short transaction; only a checkpoint makes the file itself shorter, a passive one waits for
        # nobody.
        step = f"BEGIN IMMEDIATE; PRAGMA incremental_vacuum({_PAGES_AT_ONCE}); COMMIT; PRAGMA wal_checkpoint(PASSIVE)"
        with self._writing, troubles(), closing(connected(self._file.path)) as connection:
            connection.executescript(step)  # execute() would give back one page and stop
        return True

    def rewrite(self) -> None:
        """Write an SQLite file anew without unused pages, so that it shrinks by itself from then on; others wait.

        It needs as much room again on the disk. Raises: DatabaseTrouble.
        """
        if self._file.path is not None:
            with self._writing, troubles(), closing(connected(self._file.path)) as connection:
                connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                connection.execute("VACUUM")

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A consistent view, for reading only. Raises: Writes if something was written, which is then undone."""
        try:
            with self._begun(writes=False) as connection:
                # PRAGMA query_only would refuse to write, but after it SQLite prepares every statement anew.
                changes = _changes(connection)
                yield Transaction(connection, self.clock())
                if _changes(connection) != changes:
                    raise Writes("a transaction that only reads does not write")
        except ReadOnly as error:
            raise Writes(f"a transaction that only reads does not write: {error}") from error

    @contextmanager
    def _begun(self, *, writes: bool, durable: bool = True) -> Iterator[Connection]:
        """A connection within a transaction, which is committed at the end of the block."""
        with translated(), self._engine.connect() as connection:
            connection.execution_options(pbm_writes=writes)
            # READ COMMITTED would show each statement another state.
            if self.locks_rows and not writes:
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                if not self.locks_rows:
                    if writes:
                        connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
                elif not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield connection

    def look(self) -> AbstractContextManager[Transaction]:
        """As `read`, to see what is to be done next; rows that another worker has in hand can be passed over."""
        return self.write(alone=False, durable=False) if self.locks_rows else self.read()

    @contextmanager
    def write(self, *, alone: bool = True, durable: bool = True, at: datetime | None = None) -> Iterator[Transaction]:
        """A transaction that may write: committed at the end of the block, rolled back by any exception.

        alone: no other transaction that is alone writes meanwhile; one that is not alone must lock what it changes. On
        SQLite all are alone. durable: the commit survives a power failure; otherwise it does not wait for the disk. at:
        the instant at which it happens, if not now.
        """
        try:
            with self._writing, self._begun(writes=True, durable=durable) as connection:
                revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
                # Another process may have upgraded the schema, for which this one would write what is wrong.
                if revision != REVISION:
                    raise Outdated(
                        f"The database is at revision {revision} now, and this process knows {REVISION}. Start it "
                        "again, as the version of the program that made the change."
                    )
                tx = Transaction(connection, at or self.clock())
                if alone:
                    tx.lock([HOUSE])
                if self.signature is not None:
                    tx.acts.add(self.signature)
                yield tx
                if self.locks_rows and tx.grew:
                    connection.exec_driver_sql(f"NOTIFY {CHANNEL}, '{tx.grew}'")  # others hear it at the commit
                self._file.check()  # what is written to a file that is no longer there would be lost without a word
                if self.only_tries:
                    raise _OnlyTriedError
            # Only now: an act that was rolled back is not in the log, and the next one signs.
            self.signature = None
            # After the commit, or others would look and find nothing yet.
            if self._file.path is not None and tx.grew:
                ring(self._file.path, self._own_bells, tx.grew)
        except _OnlyTriedError:
            return
        except (ReadOnly, Full, Lost, Outdated) as trouble:
            self.when_unwritable(trouble)
            raise

    def bell(self, ring: Callable[[bool], None]) -> Bell:
        """A bell that, once started, calls `ring` in its own thread soon after another process adds to the queues."""
        if self.locks_rows:
            return ListeningBell(self._engine, ring)
        bell = PipeBell(self._file.path, ring)
        self._own_bells.add(bell.name)
        return bell

    def prepare(self, now: datetime) -> bool:
        """Create the schema in an empty database; True if that was needed.

        Raises: SchemaTrouble when the schema is of another version of the program.
        """
        current = self.revision()
        if current == REVISION:
            return False
        if current is not None:
            _check_known(current)
            raise SchemaTrouble(
                f"The database is at revision {current}, this program needs {REVISION}. Run: pbm db upgrade"
            )
        self.upgrade(now)
        return True

    def upgrade(self, now: datetime) -> None:
        """Bring the schema to this program's version; keeps all data. Raises: SchemaTrouble for a newer one."""
        if (current := self.revision()) is not None:
            _check_known(current)
        with self._writing, self._begun(writes=True) as connection:
            tx = Transaction(connection, now)
            if current is None and self.locks_rows:
                encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
                if encoding != "UTF8":
                    raise SchemaTrouble(
                        f"The database has the encoding {encoding}, which not all emails fit in. Create it anew: "
                        "createdb --encoding=UTF8 --template=template0"
                    )
            tx.lock(["schema"])  # processes that start at the same time must not migrate at the same time
            if current is not None and self.locks_rows:
                connection.exec_driver_sql("LOCK TABLE alembic_version")  # all who write have read it
            migrate(connection)
            tx.secrets.ensure(secrets.token_hex(32))
            _first_board(connection)

    def set_back(self, now: datetime) -> None:
        """Prepare a database restored from a copy: mails sent since then tell of boards and plies it does not hold.

        Players will be told how their boards stand.
        """
        with self.write() as tx:
            # Tokens given out may have been used up or revoked since.
            tx.secrets.draw_generation(secrets.token_hex(16))
            tx.tickets.revoke_all(now)
            tx.skip_boards(_SKIPPED)  # no new board gets the number of a lost one
            since = tx.absences.noted(HEARTBEAT)
            tx.agenda.put(TOLD, "", now, after=0, since=since.isoformat() if since else "", lost=True)

    def rotate_secret(self, now: datetime, until: datetime) -> None:
        """Seal tokens with a new secret; older tokens remain valid until `until`.

        If that is now, every token given out becomes invalid, and players will be told how their boards stand.
        """
        with self.write() as tx:
            tx.secrets.rotate(secrets.token_hex(32), now, until)
            # The old secret may have leaked: nothing that it sealed counts any more.
            if until <= now:
                tx.tickets.revoke_all(now)
                tx.agenda.put(TOLD, "renewed", now, after=0, since="", lost=False)

    def revision(self) -> str | None:
        """The revision of the schema; None for an empty database. Raises: SchemaTrouble for one that is not ours."""
        with translated(), self._engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            if not tables:
                return None
            if not tables >= _MARKS:
                raise SchemaTrouble("The database holds tables of some other program; give pbm one of its own.")
            revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
            return revision

    def check(self, *, schema: bool = True) -> list[str]:
        """The faults of the database, one sentence each; empty if it is sound.

        schema: whether its tables must be those of this version.
        """
        try:
            with translated(), self._engine.connect() as connection:
                damage = _postgresql_problems(connection) if self.locks_rows else _sqlite_problems(connection)
                return _differences(connection) + damage if schema else damage
        except Malformed as trouble:
            return [str(trouble)]

    def close(self) -> None:
        self._engine.dispose()
        self._file.forget()


def _sqlite_problems(connection: Connection) -> list[str]:
    lines = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    problems = [f"integrity: {line}" for line in lines if line != "ok"]
    rows = connection.execute(text("PRAGMA foreign_key_check"))
    return problems + [f"a row of {row[0]} points to a row of {row[2]} that is not there" for row in rows]


def _postgresql_problems(connection: Connection) -> list[str]:
    """Settings that can lose a commit, and counters that would give a number twice."""
    settings = ("fsync", "full_page_writes", "synchronous_commit")
    off = [name for name in settings if connection.execute(text(f"SHOW {name}")).scalar_one() == "off"]
    problems = [f"{name} is off: an email that was accepted can be lost with the power" for name in off]
    if connection.execute(text(_IS_READ_ONLY)).scalar_one():
        problems.append("it can only be read: it is a standby, or default_transaction_read_only is on")
    # Rows that were copied in bring their numbers, of which the counters do not hear.
    behind = [(name, highest) for name, _, last, highest in Contents(connection).counters() if last < highest]
    problems += [f"the counter of {name} stands below its newest row, {highest}" for name, highest in behind]
    return problems


def _changes(connection: Connection) -> int:
    """How many rows the connection has written; always 0 on PostgreSQL, which knows which transactions only read."""
    return getattr(connection.connection.driver_connection, "total_changes", 0)


_LACKING = {"add_table": "table", "add_index": "index", "add_column": "column", "add_constraint": "constraint"}


def _differences(connection: Connection) -> list[str]:
    """How the tables differ from this program's schema. Extra tables and indexes are no faults."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    faults = []
    for difference in compare_metadata(MigrationContext.configure(connection), metadata):
        # Alembic puts the changes of one column together.
        if isinstance(difference, list):
            names = [(name, table) for _, _, table, name, *_ in difference]
            faults += [f"the column {name} of the table {table} is not as it should be" for name, table in names]
        elif difference[0] in ("add_column", "remove_column"):
            state = "missing" if difference[0] == "add_column" else "one too many"
            faults.append(f"the column {difference[3].name} of the table {difference[2]} is {state}")
        elif difference[0] in _LACKING:
            faults.append(f"the {_LACKING[difference[0]]} {difference[1].name} is missing")
    return sorted(faults)


def _check_known(revision: str) -> None:
    """Raises: SchemaTrouble for a revision that only a newer program can have made."""
    # Revisions are four digits, which sort as they were made.
    if revision > REVISION:
        raise SchemaTrouble(
            f"The database is of a newer version of the program: it is at revision {revision}, and this one knows "
            f"revisions up to {REVISION}. Install the newer program, or restore a copy from before its upgrade."
        )


def _first_board(connection: Connection) -> None:
    """Number boards from FIRST_BOARD on, if none has been numbered yet."""
    before = {"before": FIRST_BOARD - 1}
    if connection.dialect.name != "sqlite":
        raised = "SELECT setval('matches_board_seq', :before) FROM matches_board_seq WHERE last_value < :before"
        connection.execute(text(raised), before)
    # SQLite adds this row by itself with the first board.
    elif connection.execute(text("SELECT 1 FROM sqlite_sequence WHERE name = 'matches'")).first() is None:
        connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES ('matches', :before)"), before)


class DatabaseFile:
    """The file of an SQLite database, which must stay the one that was opened first."""

    def __init__(self, path: Path | None) -> None:
        """path: None if there is no file."""
        self.path = path
        self._opened: tuple[int, int] | None = None

    def check(self, *_: object) -> None:
        """Also called before each connection, because SQLite would create a missing file. Raises: Lost."""
        if self._opened is not None and self._identity() != self._opened:
            raise Lost(f"{self.path} was deleted or replaced while it was in use")

    def forget(self) -> None:
        """Accept another file at the next connection; no connection may be open any more."""
        self._opened = None

    def note(self, *_: object) -> None:
        """Called after each connection; remembers the file of the first."""
        self._opened = self._opened or self._identity()

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if status is not None else None


def _engine(url: URL, file: DatabaseFile) -> Engine:
    if url.get_backend_name() == "sqlite":
        # Otherwise the driver begins transactions by itself, and not as IMMEDIATE.
        pragmatic = {"isolation_level": None, "timeout": BUSY_SECONDS}
        pooled = {"pool_use_lifo": True} if file.path is not None else {}  # the one used last has cached pages
        # Parameters are people's words and addresses, which belong in no log.
        engine = create_engine(url, connect_args=pragmatic, hide_parameters=True, **pooled)
        event.listen(engine, "do_connect", file.check)
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "connect", file.note)
        event.listen(engine, "handle_error", _out_of_memory, retval=True)
        return engine
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    # A server that hangs up, as at a restart, is noticed before a transaction begins.
    engine = create_engine(url, hide_parameters=True, pool_pre_ping=True)
    event.listen(engine, "connect", _set_up_session)
    event.listen(engine, "handle_error", _leave_standby)
    return engine


def _set_pragmas(connection: Any, _record: Any) -> None:
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    is_empty, is_ours = connection.execute(_WHOSE).fetchone()
    if is_empty:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # it can be chosen only before there are tables
    if is_empty or is_ours:
        connection.execute("PRAGMA journal_mode=WAL")  # it is written into the file


def _out_of_memory(context: ExceptionContext) -> DatabaseTrouble | None:
    """Trouble in place of the MemoryError of a call for which SQLite had no memory: no mail is at fault for that."""
    return DatabaseTrouble("out of memory") if isinstance(context.original_exception, MemoryError) else None


def _leave_standby(context: ExceptionContext) -> None:
    """Give up all connections once one may only read: new ones may be to a server that can be written."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def _set_up_session(connection: Any, _record: Any) -> None:
    from psycopg.types.string import StrDumperUnknown

    class NulFree(StrDumperUnknown):
        """Replaces a NUL in text, which SQLite keeps and PostgreSQL refuses, by the replacement character."""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))

    connection.adapters.register_dumper(str, NulFree)
    for name, value in _SESSION.items():
        connection.execute(f"SET {name} = '{value}'")
    connection.execute(_COMPRESSION)
    connection.commit()


def migrate(connection: Connection) -> None:
    """Run the migrations."""
    from alembic import command  # its import takes longer than most commands
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder("migrations")))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
