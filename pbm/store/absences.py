"""When clocks stand still: players on vacation or out of reach, and outages of the server, which stop all clocks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, insert, or_, select, update

from pbm.domain.calendars import Stop, StopKind
from pbm.store.tables import absences, meta

HEARTBEAT, DELIVERED = "heartbeat", "delivered"
"""The server gave a sign of life; a mail of ours was taken by the next mail server."""


@dataclass(frozen=True, slots=True)
class Absence:
    """player_id: None for the whole server."""

    id: int
    player_id: int | None
    stop: Stop


class Absences:
    """They are kept as long as a clock may have run through them, and longer where an allowance counts them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, player_id: int | None, stop: Stop) -> Absence:
        values = {
            "player_id": player_id,
            "kind": stop.kind.value,
            "starts_at": stop.starts_at,
            "ends_at": stop.ends_at,
        }
        key = self._connection.execute(insert(absences).values(values).returning(absences.c.id)).scalar_one()
        return Absence(key, player_id, stop)

    def end(self, absence: Absence, ends_at: datetime) -> None:
        """It ends then; one that has not begun by then never was."""
        own = absences.c.id == absence.id
        if ends_at <= absence.stop.starts_at:
            self._connection.execute(delete(absences).where(own))
        else:
            self._connection.execute(update(absences).where(own).values(ends_at=ends_at))

    def of(self, player_id: int | None, kind: StopKind, since: datetime) -> list[Absence]:
        """Those of one kind that last beyond an instant, the earliest first."""
        owned = absences.c.player_id.is_(None) if player_id is None else absences.c.player_id == player_id
        return self._found(owned & (absences.c.kind == kind.value) & lasting_beyond(since))

    def stops(self, player_ids: tuple[int, int], since: datetime) -> tuple[tuple[Stop, ...], tuple[Stop, ...]]:
        """What stops the clock of each of two players at some time after an instant."""
        found = self._found(concerning(player_ids) & lasting_beyond(since))
        first, second = (
            tuple(each.stop for each in found if each.player_id in (None, player_id)) for player_id in player_ids
        )
        return first, second

    def forget(self, before: datetime) -> None:
        """What ended before an instant."""
        self._connection.execute(delete(absences).where(absences.c.ends_at < before))

    def forget_future(self, now: datetime) -> None:
        """The clock was ahead: no outage lasts longer than until now, and nothing was noted later."""
        outage = absences.c.player_id.is_(None)
        self._connection.execute(delete(absences).where(outage, absences.c.starts_at >= now))
        self._connection.execute(update(absences).where(outage, absences.c.ends_at > now).values(ends_at=now))
        for what in (HEARTBEAT, DELIVERED):
            last = self.noted(what)
            if last is not None and last > now:
                self.note(what, now)

    def note(self, what: str, now: datetime) -> datetime | None:
        """It happens now, HEARTBEAT or DELIVERED; returns when it last did."""
        last = self.noted(what)
        if last is None:
            self._connection.execute(insert(meta).values(key=what, value=now.isoformat()))
        else:
            self._connection.execute(update(meta).where(meta.c.key == what).values(value=now.isoformat()))
        return last

    def noted(self, what: str) -> datetime | None:
        """When it last happened, as far as was noted."""
        found = select(meta.c.value).where(meta.c.key == what)
        last = self._connection.execute(found).scalar_one_or_none()
        return None if last is None else datetime.fromisoformat(last)

    def _found(self, which: ColumnElement[bool]) -> list[Absence]:
        rows = self._connection.execute(select(absences).where(which).order_by(absences.c.starts_at, absences.c.id))
        return [Absence(row.id, row.player_id, Stop(StopKind(row.kind), row.starts_at, row.ends_at)) for row in rows]


def concerning(player_ids: Collection[int]) -> ColumnElement[bool]:
    """The absences of players, and the server's."""
    return or_(absences.c.player_id.in_(player_ids), absences.c.player_id.is_(None))


def lasting_beyond(since: datetime) -> ColumnElement[bool]:
    return or_(absences.c.ends_at.is_(None), absences.c.ends_at > since)
