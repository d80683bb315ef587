"""What a player has decided on a board before it can be done: a queued move, a submitted one, a resignation."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from pbm.domain.match import Intent, IntentKind
from pbm.store.tables import intents


class Intents:
    """At most one of a kind for each seat of a board; private to that seat."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, board: int) -> list[Intent]:
        """Those of both seats."""
        rows = self._connection.execute(
            select(intents.c.seat, intents.c.kind, intents.c.text)
            .where(intents.c.board == board)
            .order_by(intents.c.kind)
        )
        return [Intent(row.seat, IntentKind(row.kind), row.text) for row in rows]

    def keep(self, board: int, intent: Intent, now: datetime) -> None:
        """In place of the one of its kind."""
        self.drop(board, intent)
        values = {
            "board": board,
            "seat": intent.seat,
            "kind": intent.kind.value,
            "text": intent.text,
            "created_at": now,
        }
        self._connection.execute(insert(intents).values(values))

    def drop(self, board: int, intent: Intent) -> None:
        """The one of its seat and kind."""
        self._connection.execute(
            delete(intents).where(
                intents.c.board == board, intents.c.seat == intent.seat, intents.c.kind == intent.kind.value
            )
        )
