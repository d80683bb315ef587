"""What may befall a server of a simulated club at a named point: it is killed there, or its database fails."""

from __future__ import annotations

import functools
import inspect
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import exc

from tests.crash.points import POINTS, find

_ASIDE = ("pbm.edges.",)
"""Points in code that the simulated post stands in for."""
_KEPT = "pbm.edges.claims"


class Killed(BaseException):
    """The server is killed here. No handler of the program may catch it."""


def full_disk() -> Exception:
    """What the database driver raises where the disk is full."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"
    return exc.OperationalError("", {}, error)


class Doom:
    """Lets the server that works fail at a named point, or never. Points are as in tests/crash."""

    def __init__(self) -> None:
        self._point, self._left = "", 0
        self._failure: Callable[[], BaseException] = full_disk
        self.points = [name for name, (place, _) in POINTS.items() if _is_simulated(place)]
        self.writes = [name for name in self.points if POINTS[name][0].startswith("pbm.store.")]
        """Points within a transaction, where the database itself may fail."""

    def kill(self, point: str, passes: int) -> None:
        """Let the server be killed when it passes the point so often."""
        self._point, self._left, self._failure = point, passes, lambda: Killed(point)

    def break_disk(self, point: str, passes: int) -> None:
        """Let the database fail there."""
        self._point, self._left, self._failure = point, passes, full_disk

    def disarm(self) -> None:
        self._point = ""

    def passing(self, point: str) -> None:
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            self._point = ""
            raise self._failure()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch all points meanwhile."""
        kept = []
        for name in self.points:
            place, when = POINTS[name]
            owner, attribute, function = find(place)
            kept.append((owner, attribute, function))
            setattr(owner, attribute, self._watched(name, function, is_after=when == "after"))
        try:
            yield
        finally:
            for owner, attribute, function in reversed(kept):
                setattr(owner, attribute, function)

    def _watched(self, name: str, function: Callable[..., Any], *, is_after: bool) -> Callable[..., Any]:
        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if not is_after:
                self.passing(name)
            result = function(*args, **kwargs)
            if is_after:
                self.passing(name)
            return result

        return watched


def _is_simulated(place: str) -> bool:
    if place.startswith(_ASIDE) and not place.startswith(_KEPT):
        return False
    return not inspect.iscoroutinefunction(find(place)[2])
