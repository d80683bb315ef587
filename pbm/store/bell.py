"""Bells: how a process hears that another one has added to the queues, so that nobody need ask again and again.

PostgreSQL tells whoever listens. SQLite has a number that changes with every commit of somebody else, which is cheap to
look at. A bell may ring for nothing, and now and then it rings unasked: a worker that is killed gives its work back
without a word.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from time import monotonic
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

CHANNEL = "pbm"
UNASKED_SECONDS = 5.0
_LOOK_SECONDS = 0.01
_ATTENTION_SECONDS = 0.25
"""How soon a bell that listens sees that it is to stop."""


class Bell(ABC):
    """Rings until it is stopped. While the database is in trouble it does not, but it does when that is over."""

    def __init__(self, engine: Engine, ring: Callable[[], None]) -> None:
        self._engine = engine
        self._ring = ring
        self._stopping = threading.Event()
        self._resting = threading.Event()
        self._thread = threading.Thread(target=self._run, name="bell", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def rest(self) -> None:
        """Let go of the database for a while: a file is opened anew only when nobody in the process has it open."""
        self._resting.set()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                pooled = self._engine.raw_connection()
                connection = pooled.driver_connection
                pooled.detach()
                with closing(pooled):
                    self._attend(connection)
            except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
                self._resting.set()
            if self._resting.is_set():
                self._stopping.wait(UNASKED_SECONDS)
                self._resting.clear()

    def _attend(self, connection: Any) -> None:
        self._begin(connection)
        rung_at = -UNASKED_SECONDS
        while not (self._stopping.is_set() or self._resting.is_set()):
            if self._heard(connection) or monotonic() >= rung_at + UNASKED_SECONDS:
                rung_at = monotonic()
                self._ring()

    @abstractmethod
    def _begin(self, connection: Any) -> None:
        """connection: the driver's."""

    @abstractmethod
    def _heard(self, connection: Any) -> bool:
        """Whether there was anything, after a short wait."""


class ListeningBell(Bell):
    """For PostgreSQL."""

    def _begin(self, connection: Any) -> None:
        connection.autocommit = True
        connection.execute(f"LISTEN {CHANNEL}")

    def _heard(self, connection: Any) -> bool:
        return bool(list(connection.notifies(timeout=_ATTENTION_SECONDS, stop_after=1)))


class FileBell(Bell):
    """For SQLite."""

    def _begin(self, connection: Any) -> None:
        self._version = self._look(connection)

    def _heard(self, connection: Any) -> bool:
        self._stopping.wait(_LOOK_SECONDS)
        before, self._version = self._version, self._look(connection)
        return before != self._version

    def _look(self, connection: Any) -> int:
        return int(connection.execute("PRAGMA data_version").fetchone()[0])
