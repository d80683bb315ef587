"""Instants as readers are told them, on the clock of their own wall."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def moment(at: datetime, zone: ZoneInfo) -> str:
    """Such as "Tue 24 Nov 08:00"."""
    local = at.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


def day(at: datetime, zone: ZoneInfo) -> str:
    """Such as "24 November"."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B}"
