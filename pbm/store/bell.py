"""Bells: how a process hears that another one has added to the queues, so that nobody need ask again and again.

PostgreSQL tells whoever listens. For SQLite whoever listens has a named pipe in a folder beside the database, into
which others write an octet. A bell may ring for nothing, and now and then it rings unasked: a worker that is killed
gives its work back without a word.
"""

from __future__ import annotations

import errno
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
from time import monotonic

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

CHANNEL = "pbm"
UNASKED_SECONDS = 5.0
_ATTENTION_SECONDS = 0.25
"""How soon a bell that listens to PostgreSQL sees that it is to stop."""
BELLS = "-bells"
"""What the name of a database's folder of pipes ends in."""


class Bell(ABC):
    """Rings until it is stopped, in a thread of its own; first when it is started, for what came before."""

    def __init__(self, ring: Callable[[], None]) -> None:
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

    def __init__(self, engine: Engine, ring: Callable[[], None]) -> None:
        super().__init__(ring)
        self._engine = engine

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
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
                    self._ring()


class PipeBell(Bell):
    """For SQLite. Where there can be no pipe it only rings unasked."""

    def __init__(self, database: Path | None, ring: Callable[[], None]) -> None:
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
            while not self._stopping.is_set():
                self._ring()
                for heard, _ in poll.poll(UNASKED_SECONDS * 1000):
                    if heard in pipes:
                        os.read(heard, select.PIPE_BUF)

    @contextmanager
    def _hung_up(self) -> Iterator[list[int]]:
        """The pipe under its name, which it gets only once it can be heard; none where that is not allowed."""
        if self._folder is None or not hasattr(os, "mkfifo"):
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


def ring(database: Path, silent: Collection[str]) -> None:
    """Ring the bells of the database, but those of these names. A pipe whose process is gone is cleared away."""
    with suppress(OSError):
        for path in _folder(database).iterdir():
            if path.name not in silent and not path.name.startswith("."):
                _write(path)


def _write(path: Path) -> None:
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ENXIO:
            with suppress(OSError):
                path.unlink()
        return
    with suppress(OSError):  # a pipe that is full rings already
        if stat.S_ISFIFO(os.fstat(pipe).st_mode):
            os.write(pipe, b"!")
    os.close(pipe)


def _folder(database: Path) -> Path:
    return database.with_name(database.name + BELLS)
