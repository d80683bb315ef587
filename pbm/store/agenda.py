"""The agenda: what the server has to do by itself at some time, each thing once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from pbm.store.tables import agenda

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
        return self._connection.execute(delete(agenda).where(_IS_IT), words).rowcount > 0

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

    def claim(self, now: datetime) -> Item | None:
        """The item that has been due longest; nobody else gets it until the transaction ends."""
        due = (agenda.c.due_at <= now) & (agenda.c.kind != THINK)
        found = select(agenda).where(due).order_by(agenda.c.due_at, agenda.c.kind, agenda.c.key)
        row = self._connection.execute(found.limit(1).with_for_update(skip_locked=True)).one_or_none()
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
