"""Whether a server is alive: one row, read by the database's own driver, because containers ask for it every minute.

The library that all other queries go through takes longer to import than everything else a health check does.
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

HEARTBEAT = "heartbeat"
SILENCE = timedelta(minutes=5)
# One that is busy may give none for two minutes or more, so a smaller step of the clock counts as time that passed.
"""A server that has given no sign of life for so long was down."""
_LAST = f"SELECT value FROM meta WHERE key = '{HEARTBEAT}'"  # noqa: S608  a constant


def beats(url: str, now: datetime) -> bool:
    """Whether a server has given a sign of life lately. False may also mean that this cannot be told so simply."""
    scheme, _, place = url.partition("://")
    try:
        with closing(_connected(scheme.partition("+")[0], place)) as connection:
            row = connection.execute(_LAST).fetchone()
        return row is not None and now - datetime.fromisoformat(row[0]) <= SILENCE
    except Exception:  # noqa: BLE001  whatever a driver raises, the caller looks again in full and says what is wrong
        return False


def _connected(driver: str, place: str) -> Any:
    """A connection that reads. place: of the URL, after the two slashes. Raises: whatever the driver does."""
    if driver == "sqlite":
        import sqlite3

        file = place.removeprefix("/").partition("?")[0]
        return sqlite3.connect(f"file:{file.replace('%', '%25')}?mode=ro", uri=True, timeout=1)
    import psycopg

    return psycopg.connect(f"{driver}://{place}", connect_timeout=5)
