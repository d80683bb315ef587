"""The present instant, for a process that must not be fooled by a wall clock that leaps.

The wall clock is compared with a second one, which counts the seconds since the machine was started and cannot be set.
While the two disagree about how much time has passed, the time that goes on from before the leap holds, so that nothing
falls due by it; a leap that lasts is believed in the end. A machine that was suspended has not leapt: the second clock
counts that time, too, where the system has such a one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog

log = structlog.get_logger()

SLACK = timedelta(minutes=1)
"""By so much a wall clock may be put right at a time; it is followed at once."""
BELIEVED_AFTER = timedelta(minutes=10)
"""How long a leap must last to be believed: who set the clock by mistake puts it right sooner."""


def wall_clock() -> datetime:
    return datetime.now(UTC)


def since_start() -> float:
    """Seconds since the machine was started, suspended or not where the system can tell; nobody can set them."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Timekeeper:
    """Called, it gives the present instant; by any number of threads."""

    def __init__(self, wall: Callable[[], datetime] = wall_clock, elapsed: Callable[[], float] = since_start) -> None:
        """elapsed: seconds since any instant, by a clock that cannot be set."""
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
        """Whether the wall clock has been off by so much for so long that it must be right."""
        if self._leap is None or abs(leap - self._leap) > SLACK:
            self._leap, self._leapt_at = leap, elapsed
            log.error("clock_leapt", seconds=leap.total_seconds(), believed_after=BELIEVED_AFTER.total_seconds())
        if elapsed - self._leapt_at < BELIEVED_AFTER:
            return False
        log.warning("clock_believed", seconds=leap.total_seconds())
        return True
