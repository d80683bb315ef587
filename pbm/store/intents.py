"""What a player has decided on a board before it can be done: a plan, a move that waits, a resignation."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select

from pbm.domain.match import Intent, IntentKind
from pbm.store.tables import intents

_OF_BOARDS = (
    select(
        intents.c.board,
        intents.c.seat,
        intents.c.kind,
        intents.c.text,
        intents.c.comment,
        intents.c.created_at,
        intents.c.due_at,
    )
    .where(intents.c.board.in_(bindparam("boards", expanding=True)))
    .order_by(intents.c.kind)
)
"""Built once: every move asks for it."""


class Intents:
    """At most one of a kind for each seat of a board; private to that seat."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._foreseen: dict[int, list[Intent]] = {}

    def foresee(self, boards: Collection[int]) -> None:
        """Read at once what will be asked for one by one."""
        self._foreseen |= self._read(boards)

    def forget(self) -> None:
        """Ask anew for what was foreseen."""
        self._foreseen.clear()

    def of(self, board: int) -> list[Intent]:
        """Those of both seats."""
        return (self._foreseen if board in self._foreseen else self._read([board]))[board]

    def _read(self, boards: Collection[int]) -> dict[int, list[Intent]]:
        found: dict[int, list[Intent]] = {board: [] for board in boards}
        for board, seat, kind, *rest in self._connection.execute(_OF_BOARDS, {"boards": list(boards)}):
            text, comment, since, until = rest
            found[board].append(Intent(seat, IntentKind(kind), text, comment or "", since, until))
        return found

    def keep(self, board: int, intent: Intent, now: datetime) -> None:
        """In place of the one of its kind."""
        self.drop(board, intent)
        values = {
            "board": board,
            "seat": intent.seat,
            "kind": intent.kind.value,
            "text": intent.text,
            "created_at": now,
            "comment": intent.comment or None,
            "due_at": intent.until,
        }
        self._connection.execute(insert(intents).values(values))

    def drop(self, board: int, intent: Intent) -> None:
        """The one of its seat and kind."""
        self._foreseen.pop(board, None)
        self._connection.execute(
            delete(intents).where(
                intents.c.board == board, intents.c.seat == intent.seat, intents.c.kind == intent.kind.value
            )
        )
