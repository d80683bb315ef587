"""How much computing one person may cause: some games have positions that take seconds, and nobody else shall wait.

Held in memory only, by each process for itself; what takes no time worth speaking of is not even noted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from datetime import datetime, timedelta

_HOUR = timedelta(hours=1)
_SLIGHT_SECONDS = 0.1


class Costs:
    """Seconds of computing within the last hour, by whom they were for."""

    def __init__(self, most_seconds: float) -> None:
        """most_seconds: within an hour, for one key."""
        self._most = most_seconds
        self._spent: dict[str, deque[tuple[datetime, float]]] = {}

    def charge(self, keys: Collection[str], seconds: float, now: datetime) -> None:
        if seconds >= _SLIGHT_SECONDS:
            for key in keys:
                self._spent.setdefault(key, deque()).append((now, seconds))

    def used_up_until(self, keys: Collection[str], now: datetime) -> datetime | None:
        """When the one of the keys that has used up its hour may ask again; None if none has."""
        waits = [until for key in keys if key in self._spent and (until := self._until(key, now)) is not None]
        return max(waits, default=None)

    def _until(self, key: str, now: datetime) -> datetime | None:
        spent = self._spent[key]
        while spent and spent[0][0] <= now - _HOUR:
            spent.popleft()
        if not spent:
            del self._spent[key]
            return None
        excess = sum(seconds for _, seconds in spent) - self._most
        for at, seconds in spent:
            if excess <= 0:
                return None
            excess -= seconds
            if excess <= 0:
                return at + _HOUR
        return None
