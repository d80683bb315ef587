"""What people write for others to read: remarks about boards, and broadcasts to everybody."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, select

from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import Player
from pbm.store.statements import Queries
from pbm.store.tables import broadcasts, matches, players, remarks

_remarks = select(remarks, players.c.userid).join(players, players.c.id == remarks.c.player_id)


class Remarks(Queries):
    """What people wrote about boards. A board's row says whether it has notes, so that a move need not ask."""

    def add(self, kind: RemarkKind, remark: Remark) -> None:
        what = {"board": remark.board, "ply": remark.ply, "kind": kind.value, "text": remark.text}
        self._insert(remarks, **what, player_id=remark.author.id, created_at=remark.written_at)
        if kind is RemarkKind.NOTE:
            self._update(matches, matches.c.board == remark.board, matches.c.annotated.is_(False), annotated=True)

    def of(self, kind: RemarkKind, board: int, player_id: int | None = None) -> list[Remark]:
        """The remarks on a board, oldest first. player_id: only this player's."""
        found = _remarks.where(remarks.c.board == board, remarks.c.kind == kind.value)
        if player_id is not None:
            found = found.where(remarks.c.player_id == player_id)
        return self._all(found.order_by(remarks.c.id), _remark)

    def by(self, player_id: int, boards: Sequence[int]) -> list[tuple[RemarkKind, Remark]]:
        """A player's remarks on the boards, oldest first."""
        found = _remarks.where(remarks.c.board.in_(boards), remarks.c.player_id == player_id).order_by(remarks.c.id)
        return self._all(found, lambda row: (RemarkKind(row.kind), _remark(row)))

    def drop(self, kind: RemarkKind, board: int, player_id: int) -> int:
        """Delete a player's remarks on a board; returns how many there were."""
        return self._drop(remarks, board=board, player_id=player_id, kind=kind.value)


def _remark(row: Row[Any]) -> Remark:
    return Remark(row.board, Player(row.player_id, row.userid), row.ply, row.text, row.created_at)


class Broadcast(NamedTuple):
    """sent_at: None while it waits for the operator."""

    id: int
    author: Player
    text: str
    created_at: datetime
    sent_at: datetime | None


_with_author = (
    select(broadcasts, players.c.userid)
    .join(players, players.c.id == broadcasts.c.player_id)
    .where(players.c.removed_at.is_(None))
)


class Broadcasts(Queries):
    """Broadcasts that were sent or wait; one that is refused is deleted."""

    def add(self, author: Player, text: str, now: datetime, *, sent: bool) -> Broadcast:
        sent_at = now if sent else None
        key = self._add(broadcasts, player_id=author.id, text=text, created_at=now, sent_at=sent_at)
        return Broadcast(key, author, text, now, sent_at)

    def waiting(self) -> list[Broadcast]:
        """Those that wait for the operator, oldest first."""
        found = _with_author.where(broadcasts.c.sent_at.is_(None)).order_by(broadcasts.c.id)
        return self._all(found, _broadcast)

    def get(self, broadcast_id: int) -> Broadcast | None:
        """A broadcast, sent or waiting; None if its author has left."""
        return self._first(_with_author.where(broadcasts.c.id == broadcast_id), _broadcast)

    def sent(self, broadcast_id: int, now: datetime) -> None:
        self._update(broadcasts, broadcasts.c.id == broadcast_id, sent_at=now)

    def drop(self, broadcast_id: int) -> None:
        self._drop(broadcasts, id=broadcast_id)


def _broadcast(row: Row[Any]) -> Broadcast:
    return Broadcast(row.id, Player(row.player_id, row.userid), row.text, row.created_at, row.sent_at)
