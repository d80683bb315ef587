"""A database and its neighbours: its troubles, whose turn it is to write, and how others hear of what was written.

A process that finds SQLite locked sleeps and looks again, in the end only ten times a second, so a process that writes
again and again starves all others. With Turns they look a thousand times a second, at a file beside the database. That
is only a courtesy: SQLite's own lock decides, and a writer that has waited too long goes on to it.

PostgreSQL notifies its listeners. For SQLite a Bell is a named pipe in a folder beside the database; other processes
write one octet into it, which says whether there are mails to be sent. A bell may ring for nothing, and it rings
unasked now and then, because a killed worker gives its work back without a word.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import select
import socket
import stat
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from sqlalchemy import Engine, exc

_CONFLICTS = frozenset({"40001", "40P01"})
"""PostgreSQL's codes of a serialization failure and of a deadlock."""
READ_ONLY = "25006"
"""PostgreSQL's code of a session that may only read, as on a standby."""
_NO_BUGS = ("25", "42501", "XX001", "XX002")
"""Its codes of trouble that passes for a wrong statement: the session's state, rights that are missing, damage."""


class DatabaseTrouble(Exception):
    """The database failed: a full disk, a lock, a lost connection. Nothing was changed; a later try may work."""


class Conflict(DatabaseTrouble):
    """Another process got in the way. Try again in a moment."""


class ReadOnly(DatabaseTrouble):
    """The database can be read but not written.

    SQLite remembers that as long as the process has the file open anywhere: only a new process can write again. On
    PostgreSQL a new connection may be to a server that can be written.
    """


class Full(DatabaseTrouble):
    """Its disk is full. It can be written again as soon as there is room."""


class Lost(DatabaseTrouble):
    """The file was deleted or replaced while it was open: anything written to it now is lost."""


class Outdated(DatabaseTrouble):
    """A newer version of the program has changed the schema since this process was started, which must end."""


class Malformed(DatabaseTrouble):
    """The file is damaged; only a copy helps."""


class Writes(Exception):
    """A statement would write in a transaction that only reads."""


class SchemaTrouble(Exception):
    """This program cannot use the database. The text says what to do."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn trouble of the database into DatabaseTrouble; a wrong statement stays the bug it is."""
    try:
        yield
    except exc.DatabaseError as error:
        # sqlite3 reports a damaged file by the base class; a wrong statement has a class of its own.
        is_trouble = isinstance(error, exc.OperationalError) or type(error) is exc.DatabaseError
        if not is_trouble and not _state(error.orig).startswith(_NO_BUGS):
            raise
        raise _kind(error.orig)(_line(error.orig)) from error
    except exc.InterfaceError as error:
        raise DatabaseTrouble(_line(error.orig)) from error
    except (exc.DisconnectionError, exc.PendingRollbackError, exc.TimeoutError) as error:
        # PendingRollbackError: an earlier error was caught, and the connection used again
        raise DatabaseTrouble(str(error)) from error


def _state(error: BaseException | None) -> str:
    """PostgreSQL's code of an error; empty if there is none."""
    return str(getattr(error, "sqlstate", None) or "")


def _line(error: BaseException | None) -> str:
    """PostgreSQL says its hints, and where in the statement, in lines of their own."""
    return " ".join(str(error).split()).partition(" LINE ")[0]


def _kind(error: BaseException | None) -> type[DatabaseTrouble]:
    code = _state(error) or str(getattr(error, "sqlite_errorname", ""))
    if code in _CONFLICTS:
        return Conflict
    if code in ("SQLITE_FULL", "53100"):
        return Full
    # PostgreSQL's XX001 is damaged data, XX002 a damaged index.
    if code.startswith(("SQLITE_CORRUPT", "XX00")):
        return Malformed
    return ReadOnly if code == READ_ONLY or code.startswith("SQLITE_READONLY") else DatabaseTrouble


BUSY_SECONDS = 30
"""How long to wait for a database that others use."""
TURN = "-turn"
"""The suffix of the file by which writers take turns."""
_LOOK_SECONDS = 0.001


class Turns:
    """A lock to hold while writing; not reentrant."""

    def __init__(self, database: Path | None) -> None:
        """database: the file; None if only this process can write."""
        self._path = database.with_name(database.name + TURN) if database is not None else None
        self._threads = threading.Lock()
        self._descriptor = -1

    def __enter__(self) -> None:
        self._threads.acquire()
        if self._path is not None:
            with suppress(OSError):  # the folder or the disk may not allow it
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
                end = monotonic() + BUSY_SECONDS
                while monotonic() < end:
                    with suppress(BlockingIOError):
                        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        return
                    sleep(_LOOK_SECONDS)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)  # which gives up the lock
            self._descriptor = -1
        self._threads.release()


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait for all others who use this on the folder, and keep them out; leaves no file behind. Raises: OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


CHANNEL = "pbm"
OWED, TAKEN_IN = "!", "."
"""The words for a bell: the outbox has grown, and maybe the inbox; or only the inbox."""
UNASKED_SECONDS = 5.0
_ATTENTION_SECONDS = 0.25
"""How soon a bell that listens to PostgreSQL notices that it must stop."""
BELLS = "-bells"
"""The suffix of the folder of a database's pipes."""


class Bell(ABC):
    """Rings in its own thread until it is stopped; first when it is started, for what came before."""

    def __init__(self, ring: Callable[[bool], None]) -> None:
        """ring: told whether there are surely mails to be sent."""
        self._ring = ring
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bell", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Ring until it is to stop."""


class ListeningBell(Bell):
    """For PostgreSQL. It does not ring while the database is in trouble, but does once that is over."""

    def __init__(self, engine: Engine, ring: Callable[[bool], None]) -> None:
        super().__init__(ring)
        self._engine = engine

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except (exc.SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
                self._stopping.wait(UNASKED_SECONDS)

    def _listen(self) -> None:
        pooled = self._engine.raw_connection()
        connection = pooled.driver_connection
        assert connection is not None  # noqa: S101  it was made just now
        pooled.detach()
        with closing(connection):  # not the pooled one, which would roll back first, even if the server has hung up
            connection.autocommit = True
            connection.execute(f"LISTEN {CHANNEL}")
            rung_at = -UNASKED_SECONDS
            while not self._stopping.is_set():
                heard = list(connection.notifies(timeout=_ATTENTION_SECONDS, stop_after=1))
                # Unasked, too: a killed worker gives its mails back without a word.
                if heard or monotonic() >= rung_at + UNASKED_SECONDS:
                    rung_at = monotonic()
                    self._ring(OWED in (notice.payload for notice in heard))


class PipeBell(Bell):
    """For SQLite. If it can have no pipe, it only rings unasked."""

    def __init__(self, database: Path | None, ring: Callable[[bool], None]) -> None:
        """database: its file; None if no other process can write to it."""
        super().__init__(ring)
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._folder = _folder(database) if database is not None else None
        self._stopped, self._stop = socket.socketpair()

    def stop(self) -> None:
        self._stopping.set()
        self._stop.close()
        super().stop()

    def _run(self) -> None:
        with self._stopped, self._hung_up() as pipes:
            poll = select.poll()
            for descriptor in (self._stopped.fileno(), *pipes):
                poll.register(descriptor, select.POLLIN)
            word = b""
            while not self._stopping.is_set():
                self._ring(OWED.encode() in word)
                heard = [pipe for pipe, _ in poll.poll(UNASKED_SECONDS * 1000) if pipe in pipes]
                word = os.read(heard[0], select.PIPE_BUF) if heard else b""

    @contextmanager
    def _hung_up(self) -> Iterator[list[int]]:
        """The pipe, which gets its name only once it can be heard; none if that is not allowed."""
        if self._folder is None:
            yield []
            return
        draft, path = self._folder / f".{self.name}", self._folder / self.name
        pipes: list[int] = []
        try:
            with suppress(OSError):
                self._folder.mkdir(0o770, exist_ok=True)
                os.mkfifo(draft, 0o660)
                # For writing, too: otherwise it would be at its end whenever the last writer closes it.
                pipes.append(os.open(draft, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
                draft.rename(path)
            yield pipes
        finally:
            for pipe in pipes:
                os.close(pipe)
            for left in (draft, path):
                with suppress(OSError):
                    left.unlink()


def ring(database: Path, silent: Collection[str], word: str) -> None:
    """Say OWED or TAKEN_IN to the bells of the database, but not to `silent` ones. Removes pipes of dead processes."""
    with suppress(OSError):
        for path in _folder(database).iterdir():
            # A draft cannot be heard yet.
            if path.name not in silent and not path.name.startswith("."):
                _write(path, word.encode())


def _write(path: Path, word: bytes) -> None:
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        # Nobody has it open to read, so its process is dead.
        if error.errno == errno.ENXIO:
            with suppress(OSError):
                path.unlink()
        return
    with suppress(OSError):  # a full pipe rings already
        # Somebody may have put a file there, and one octet would be added to it at each commit.
        if stat.S_ISFIFO(os.fstat(pipe).st_mode):
            os.write(pipe, word)
    os.close(pipe)


def _folder(database: Path) -> Path:
    return database.with_name(database.name + BELLS)
