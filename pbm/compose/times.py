"""Instants as readers are told them, on the clock of their own wall."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from pbm.domain.durations import DAY, HOUR, in_words


def moment(at: datetime, zone: ZoneInfo) -> str:
    """Such as "Tue 24 Nov 08:00"."""
    local = at.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


@lru_cache(maxsize=500)
def until(at: datetime, zone: ZoneInfo) -> str:
    """With the name of the zone, such as "Tue 24 Nov 08:00 CET"."""
    return f"{moment(at, zone)} {at.astimezone(zone):%Z}"


def day(at: datetime, zone: ZoneInfo) -> str:
    """Such as "24 November"."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B}"


def lasting(time: timedelta) -> str:
    """Such as "2 days 5 hours" or "5 hours 10 minutes"; never more than it is, and never less than nothing."""
    length = max(0, time // timedelta(microseconds=1))
    return in_words(length // HOUR * HOUR if length >= DAY else length)
