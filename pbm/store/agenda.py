"""What happens at its time: the agenda of what the server has to do, each thing once, and when clocks stand still.

Clocks stand still for players on vacation or out of reach, and for all while the server was down.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, insert, or_, select, update

from pbm.domain.calendars import Stop, StopKind
from pbm.store.tables import absences, agenda, meta

TOLD = "set back"
"""The kind of what tells players how their boards stand after the database was set back."""
THINK = "think"
"""The kind of what needs long thought: it is for those who think, and `next_at` and `claim` pass it over."""


@dataclass(frozen=True, slots=True)
class Item:
    """kind: what is to be done. key: with what; a kind has one item for each key. payload: what JSON can hold.

    attempts: how often it has failed through a fault of ours.
    """

    kind: str
    key: str
    due_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 0


_IS_IT = (agenda.c.kind == bindparam("of_kind")) & (agenda.c.key == bindparam("of_key"))


class Agenda:
    """An item is taken off in the transaction that does it, so that it is done once whatever is killed when."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, kind: str, key: object, due_at: datetime, **payload: Any) -> None:
        """In place of the item of the kind with this key, if there is one."""
        words = {"of_kind": kind, "of_key": str(key)}
        values = {"due_at": due_at, "payload": json.dumps(payload, sort_keys=True), "attempts": 0}
        if self._connection.execute(update(agenda).where(_IS_IT).values(values), words).rowcount == 0:
            self._connection.execute(insert(agenda).values(kind=kind, key=str(key), **values))

    def drop(self, kind: str, key: object) -> bool:
        """Whether there was such an item."""
        words = {"of_kind": kind, "of_key": str(key)}
        return self._connection.execute(delete(agenda).where(_IS_IT), words).rowcount != 0

    def get(self, kind: str, key: object) -> Item | None:
        found = select(agenda).where(agenda.c.kind == kind, agenda.c.key == str(key))
        row = self._connection.execute(found).one_or_none()
        return None if row is None else Item(row.kind, row.key, row.due_at, json.loads(row.payload), row.attempts)

    def of(self, kind: str) -> list[Item]:
        """All items of a kind, the longest due first."""
        found = select(agenda).where(agenda.c.kind == kind).order_by(agenda.c.due_at, agenda.c.key)
        return [
            Item(row.kind, row.key, row.due_at, json.loads(row.payload), row.attempts)
            for row in self._connection.execute(found)
        ]

    def next_at(self) -> datetime | None:
        """When something is due next; None if nothing ever is."""
        found = select(func.min(agenda.c.due_at)).where(agenda.c.kind != THINK)
        due_at: datetime | None = self._connection.execute(found).scalar_one()
        return due_at

    def due(self, now: datetime) -> Item | None:
        """The item that has been due longest."""
        return self._first(_due(now))

    def claim(self, now: datetime) -> Item | None:
        """The item that has been due longest; nobody else gets it until the transaction ends."""
        return self._first(_due(now).with_for_update(skip_locked=True))

    def _first(self, found: Select[Any]) -> Item | None:
        row = self._connection.execute(found).one_or_none()
        return None if row is None else Item(row.kind, row.key, row.due_at, json.loads(row.payload), row.attempts)

    def postpone(self, item: Item, due_at: datetime) -> None:
        """Try the item again then, since it failed."""
        words = {"of_kind": item.kind, "of_key": item.key}
        values = {"due_at": due_at, "attempts": item.attempts + 1}
        self._connection.execute(update(agenda).where(_IS_IT).values(values), words)

    def counts(self, now: datetime) -> dict[str, tuple[int, int]]:
        """By kind: how many items there are, and how many of them are due."""
        due = func.count().filter(agenda.c.due_at <= now)
        found = select(agenda.c.kind, func.count(), due).group_by(agenda.c.kind).order_by(agenda.c.kind)
        return {row[0]: (row[1], row[2]) for row in self._connection.execute(found)}


def _due(now: datetime) -> Select[Any]:
    due = (agenda.c.due_at <= now) & (agenda.c.kind != THINK)
    return select(agenda).where(due).order_by(agenda.c.due_at, agenda.c.kind, agenda.c.key).limit(1)


HEARTBEAT, DELIVERED, BACKED_UP = "heartbeat", "delivered", "backed_up"
"""Mails were handled, or could have been; a mail of ours was taken by the next mail server; the database was copied."""
LISTENS, DELIVERS, LOOKS = "listens", "delivers", "looks"
"""A process has taken mail in, sent mail, looked into the mailbox, or could have."""


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

    def open(self, kind: StopKind, now: datetime) -> list[Absence]:
        """Those of the whole server, of one kind, of which nobody knows the end."""
        return [each for each in self.of(None, kind, now) if each.stop.ends_at is None]

    def stops(self, player_ids: Collection[int], since: datetime) -> dict[int, tuple[Stop, ...]]:
        """What stops the clock of each of the players at some time after an instant."""
        found = self._found(concerning(player_ids) & lasting_beyond(since))
        return {
            player_id: tuple(each.stop for each in found if each.player_id in (None, player_id))
            for player_id in player_ids
        }

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
        """It happens now, such as HEARTBEAT; returns when it last did."""
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
