"""Whose turn it is to write to a database file, among the threads of all processes.

SQLite lets whoever finds it locked sleep and look again, in the end ten times a second, so that a process which writes
again and again starves all others. Here they look a thousand times a second, at a file beside the database. That is
only a courtesy: SQLite's own lock decides, and a writer that waited too long goes on to it.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

try:
    import fcntl
except ImportError:  # there is none on Windows, where SQLite's lock has to do
    fcntl = None  # type: ignore[assignment]

_LOOK_SECONDS = 0.001


class Turns:
    """A lock to be held while writing. Not to be entered again by whoever holds it."""

    def __init__(self, database: Path | None, longest_seconds: float = 30) -> None:
        """database: the file; None where only this process can write."""
        self._path = database.with_name(f"{database.name}-turn") if database is not None and fcntl else None
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
