"""Watches over a long-running process: its clock, and whether the system still gives it files and threads.

The wall clock may leap, so it is compared with a second clock, which counts the seconds since the machine was started
and cannot be set.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from pbm.store.engine import utc_now

log = structlog.get_logger()

SLACK = timedelta(minutes=1)
"""How much a wall clock may be corrected at a time and still be followed at once."""
BELIEVED_AFTER = timedelta(minutes=10)
"""How long a leap must last to be believed: a clock that was set by mistake is corrected sooner."""


def since_start() -> float:
    """Seconds since the machine was started, with time suspended if the system counts it; nobody can set them."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Timekeeper:
    """When called, gives the present instant; for any number of threads."""

    def __init__(self, wall: Callable[[], datetime] = utc_now, elapsed: Callable[[], float] = since_start) -> None:
        """elapsed: seconds since any fixed instant, by a clock that cannot be set."""
        self._wall = wall
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._started_at = wall() - timedelta(seconds=elapsed())
        self._leap: timedelta | None = None
        self._leapt_at = timedelta()

    def __call__(self) -> datetime:
        with self._lock:
            elapsed = timedelta(seconds=self._elapsed())
            wall, expected = self._wall(), self._started_at + elapsed
            leap = wall - expected
            if abs(leap) <= SLACK:
                if self._leap is not None:
                    log.warning("clock_right_again", now=wall.isoformat())
            elif not self._lasts(leap, elapsed):
                return expected
            self._started_at, self._leap = wall - elapsed, None
            return wall

    @property
    def doubts(self) -> bool:
        """Whether the wall clock has leapt and is not believed."""
        return self._leap is not None

    def _lasts(self, leap: timedelta, elapsed: timedelta) -> bool:
        """Whether the wall clock has been off by this much for so long that it must be right."""
        if self._leap is None or abs(leap - self._leap) > SLACK:
            self._leap, self._leapt_at = leap, elapsed
            log.error("clock_leapt", seconds=leap.total_seconds(), believed_after=BELIEVED_AFTER.total_seconds())
        if elapsed - self._leapt_at < BELIEVED_AFTER:
            return False
        log.warning("clock_believed", seconds=leap.total_seconds())
        return True


_NO_FILES = "No more files can be opened. Raise the limit: LimitNOFILE of systemd, or ulimit -n."
_NO_THREADS = "No more threads can be started. Raise the limit: TasksMax or MemoryMax of systemd, or ulimit -u."


def lack(error: BaseException | None = None) -> str:
    """A sentence on which resource has run out and how to get more; empty if none has.

    error: what just went wrong; if it does not tell, this tries the resources.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return _NO_FILES
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return _NO_FILES
    try:
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
    except (RuntimeError, MemoryError):
        return _NO_THREADS
    return ""
