"""Guesses that went wrong: how many of whose, and until when the next ones are not looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from pbm.store.tables import attempts

_SUBJECT = 320


class Key(NamedTuple):
    """kind: what was guessed, or who did. subject: which one."""

    kind: str
    subject: str


@dataclass(frozen=True, slots=True)
class Attempts:
    """locked_until: None where the next guess is looked at."""

    key: Key
    failures: int
    last_at: datetime
    locked_until: datetime | None


class Guesses:
    """One row for each key at which something went wrong of late."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, keys: Collection[Key]) -> dict[Key, Attempts]:
        """Those of the keys at which something went wrong."""
        if not keys:
            return {}
        wanted = {_fitted(key): key for key in keys}
        found = select(attempts).where(_any_of(wanted))
        return {
            wanted[Key(row.kind, row.subject)]: Attempts(
                wanted[Key(row.kind, row.subject)], row.failures, row.last_at, row.locked_until
            )
            for row in self._connection.execute(found)
        }

    def put(self, key: Key, failures: int, now: datetime, locked_until: datetime | None) -> None:
        kind, subject = _fitted(key)
        values = {"failures": failures, "last_at": now, "locked_until": locked_until}
        about = (attempts.c.kind == kind) & (attempts.c.subject == subject)
        if self._connection.execute(update(attempts).where(about).values(values)).rowcount == 0:
            self._connection.execute(insert(attempts).values(kind=kind, subject=subject, **values))

    def forget(self, keys: Iterable[Key]) -> int:
        """Start anew with the keys; returns how many there were."""
        rows = [_fitted(key) for key in keys]
        return self._connection.execute(delete(attempts).where(_any_of(rows))).rowcount if rows else 0

    def forget_about(self, subject: str) -> int:
        """Start anew with a subject, and with what is a subject followed by a blank and more; returns how many."""
        whole = attempts.c.subject == subject[:_SUBJECT]
        start = subject[: _SUBJECT - 1]
        begins = attempts.c.subject.between(f"{start} ", f"{start} \uffff")
        return self._connection.execute(delete(attempts).where(or_(whole, begins))).rowcount

    def locked(self, now: datetime) -> list[Attempts]:
        """The longest locked first."""
        found = select(attempts).where(attempts.c.locked_until > now).order_by(attempts.c.locked_until.desc())
        return [
            Attempts(Key(row.kind, row.subject), row.failures, row.last_at, row.locked_until)
            for row in self._connection.execute(found)
        ]

    def sweep(self, before: datetime) -> None:
        """Forget where nothing has gone wrong, nor been locked, since then."""
        over = or_(attempts.c.locked_until.is_(None), attempts.c.locked_until < before)
        self._connection.execute(delete(attempts).where(attempts.c.last_at < before, over))


def _any_of(keys: Iterable[Key]) -> ColumnElement[bool]:
    """Not by pairs of values, for which SQLite reads the whole table."""
    each = ((attempts.c.kind == kind) & (attempts.c.subject == subject) for kind, subject in keys)
    return or_(*each)


def _fitted(key: Key) -> Key:
    return Key(key.kind, key.subject[:_SUBJECT])
