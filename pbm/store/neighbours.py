"""A database and its neighbours: what it may meet, whose turn it is to write, how one hears that others have written.

SQLite lets whoever finds it locked sleep and look again, in the end ten times a second, so that a process which writes
again and again starves all others. With Turns they look a thousand times a second, at a file beside the database. That
is only a courtesy: SQLite's own lock decides, and a writer that waited too long goes on to it.

PostgreSQL tells whoever listens. For SQLite a Bell is a named pipe in a folder beside the database, into which others
write an octet: whether there are mails to be sent. A bell may ring for nothing, and now and then it rings unasked: a
worker that is killed gives its work back without a word.
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
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

from sqlalchemy import Engine, exc

_CONFLICTS = frozenset({"40001", "40P01"})
"""Of PostgreSQL: a serialization failure, a deadlock."""


class DatabaseTrouble(Exception):
    """The database did not do it: a full disk, a lock, a lost connection. Nothing was changed; a later try may work."""


class Conflict(DatabaseTrouble):
    """Another process was at the same thing. A try in a moment will do."""


class ReadOnly(DatabaseTrouble):
    """A file that can be read and not written, or its disk.

    SQLite remembers that for as long as the process has the file open anywhere: only a new one writes again.
    """


class Full(DatabaseTrouble):
    """There is no room left on its disk. It can be written again as soon as there is."""


class Lost(DatabaseTrouble):
    """The file was deleted or replaced while it was open: what is written to it now is gone with it."""


class Writes(Exception):
    """A statement writes in a transaction that only reads."""


class SchemaTrouble(Exception):
    """The database is not one this program can use. The text says what to do."""


@contextmanager
def translated() -> Iterator[None]:
    """Trouble of the database as DatabaseTrouble; a statement that is wrong stays the bug it is."""
    try:
        yield
    except exc.DatabaseError as error:
        if not isinstance(error, exc.OperationalError) and type(error) is not exc.DatabaseError:
            raise
        raise _kind(error.orig)(str(error.orig)) from error
    except exc.InterfaceError as error:
        raise DatabaseTrouble(str(error.orig)) from error
    except (exc.DisconnectionError, exc.PendingRollbackError, exc.TimeoutError) as error:
        # pending: whoever met with it goes on
        raise DatabaseTrouble(str(error)) from error


def _kind(error: BaseException | None) -> type[DatabaseTrouble]:
    if getattr(error, "sqlstate", None) in _CONFLICTS:
        return Conflict
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return Full
    return ReadOnly if name.startswith("SQLITE_READONLY") else DatabaseTrouble


BUSY_SECONDS = 30
"""How long a database that others use is waited for."""
TURN = "-turn"
"""The ending of the name of the file by which writers take turns."""
_LOOK_SECONDS = 0.001


class Turns:
    """A lock to be held while writing. Not to be entered again by whoever holds it."""

    def __init__(self, database: Path | None, longest_seconds: float = BUSY_SECONDS) -> None:
        """database: the file; None where only this process can write."""
        self._path = database.with_name(database.name + TURN) if database is not None else None
        self._longest_seconds = longest_seconds
        self._threads = threading.Lock()
        self._descriptor = -1

    def __enter__(self) -> None:
        self._threads.acquire()
        if self._path is not None:
            with suppress(OSError):  # a folder or a disk that does not allow it
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
                self._wait()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._threads.release()

    def _wait(self) -> None:
        end = monotonic() + self._longest_seconds
        while monotonic() < end:
            with suppress(BlockingIOError):
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            sleep(_LOOK_SECONDS)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else is at work in the folder who asks for that; nothing is left of it in the end. Raises: OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


CHANNEL = "pbm"
OWED, TAKEN_IN = "!", "."
"""What a bell is told: that there are mails to be sent, and maybe others; or only others."""
UNASKED_SECONDS = 5.0
_ATTENTION_SECONDS = 0.25
"""How soon a bell that listens to PostgreSQL sees that it is to stop."""
BELLS = "-bells"
"""The ending of the name of a database's folder of pipes."""


class Bell(ABC):
    """Rings until it is stopped, in a thread of its own; first when it is started, for what came before."""

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
        """Returns when it is to stop."""


class ListeningBell(Bell):
    """For PostgreSQL. While the database is in trouble it does not ring, but it does when that is over."""

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
        with closing(pooled):
            connection.autocommit = True
            connection.execute(f"LISTEN {CHANNEL}")
            rung_at = -UNASKED_SECONDS
            while not self._stopping.is_set():
                heard = list(connection.notifies(timeout=_ATTENTION_SECONDS, stop_after=1))
                if heard or monotonic() >= rung_at + UNASKED_SECONDS:
                    rung_at = monotonic()
                    self._ring(OWED in (each.payload for each in heard))


class PipeBell(Bell):
    """For SQLite. Where there can be no pipe it only rings unasked."""

    def __init__(self, database: Path | None, ring: Callable[[bool], None]) -> None:
        """database: its file; None where nobody else can write to it."""
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
            for each in (self._stopped.fileno(), *pipes):
                poll.register(each, select.POLLIN)
            said = b""
            while not self._stopping.is_set():
                self._ring(OWED.encode() in said)
                heard = [pipe for pipe, _ in poll.poll(UNASKED_SECONDS * 1000) if pipe in pipes]
                said = os.read(heard[0], select.PIPE_BUF) if heard else b""

    @contextmanager
    def _hung_up(self) -> Iterator[list[int]]:
        """The pipe under its name, which it gets only once it can be heard; none where that is not allowed."""
        if self._folder is None:
            yield []
            return
        draft, path = self._folder / f".{self.name}", self._folder / self.name
        pipes: list[int] = []
        try:
            with suppress(OSError):
                self._folder.mkdir(0o770, exist_ok=True)
                os.mkfifo(draft, 0o660)
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
    """Say OWED or TAKEN_IN to the bells of the database, but those of these names. A dead process's is cleared away."""
    with suppress(OSError):
        for path in _folder(database).iterdir():
            if path.name not in silent and not path.name.startswith("."):
                _write(path, word.encode())


def _write(path: Path, word: bytes) -> None:
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ENXIO:
            with suppress(OSError):
                path.unlink()
        return
    with suppress(OSError):  # a pipe that is full rings already
        if stat.S_ISFIFO(os.fstat(pipe).st_mode):
            os.write(pipe, word)
    os.close(pipe)


@cache
def _folder(database: Path) -> Path:
    return database.with_name(database.name + BELLS)
