"""What people write and the server keeps: comments to the opponent, words among followers, own notes, broadcasts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import Player
from pbm.store.tables import broadcasts, matches, players, remarks


class Remarks:
    """A board's row says whether there are notes on it, so that a move does not have to ask."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, kind: RemarkKind, remark: Remark) -> None:
        values = {
            "board": remark.board,
            "player_id": remark.author.id,
            "kind": kind.value,
            "ply": remark.ply,
            "text": remark.text,
            "created_at": remark.written_at,
        }
        self._connection.execute(insert(remarks).values(values))
        if kind is RemarkKind.NOTE:
            noted = update(matches).where(matches.c.board == remark.board, matches.c.annotated.is_(False))
            self._connection.execute(noted.values(annotated=True))

    def of(self, kind: RemarkKind, board: int, player_id: int | None = None) -> list[Remark]:
        """Those on a board, oldest first. player_id: only theirs."""
        found = _remarks.where(remarks.c.board == board, remarks.c.kind == kind.value)
        if player_id is not None:
            found = found.where(remarks.c.player_id == player_id)
        return [_remark(row) for row in self._connection.execute(found.order_by(remarks.c.id))]

    def written_since(self, kind: RemarkKind, player_id: int, since: datetime) -> int:
        """How many of a player's remarks were written since then."""
        own = (remarks.c.player_id == player_id) & (remarks.c.kind == kind.value)
        found = select(func.count()).select_from(remarks).where(own, remarks.c.created_at > since)
        return self._connection.execute(found).scalar_one()

    def drop(self, kind: RemarkKind, board: int, player_id: int) -> int:
        """How many there were."""
        own = (remarks.c.board == board) & (remarks.c.player_id == player_id) & (remarks.c.kind == kind.value)
        return self._connection.execute(delete(remarks).where(own)).rowcount


_remarks = select(remarks, players.c.userid).join(players, players.c.id == remarks.c.player_id)


def _remark(row: Row[Any]) -> Remark:
    return Remark(row.board, Player(row.player_id, row.userid), row.ply, row.text, row.created_at)


@dataclass(frozen=True, slots=True)
class Broadcast:
    """sent_at: None while it waits for the operator."""

    id: int
    author: Player
    text: str
    created_at: datetime
    sent_at: datetime | None


class Broadcasts:
    """All that were sent, and those that wait; one that is refused is forgotten."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, author: Player, text: str, now: datetime, *, sent: bool) -> Broadcast:
        sent_at = now if sent else None
        values = {"player_id": author.id, "text": text, "created_at": now, "sent_at": sent_at}
        key = self._connection.execute(insert(broadcasts).values(values).returning(broadcasts.c.id)).scalar_one()
        return Broadcast(key, author, text, now, sent_at)

    def written_since(self, player_id: int, since: datetime) -> int:
        """How many the player has written since then."""
        found = select(func.count()).where(broadcasts.c.player_id == player_id, broadcasts.c.created_at > since)
        return self._connection.execute(found).scalar_one()

    def waiting(self) -> list[Broadcast]:
        """The oldest first."""
        found = _with_author.where(broadcasts.c.sent_at.is_(None)).order_by(broadcasts.c.id)
        return [_broadcast(row) for row in self._connection.execute(found)]

    def find(self, broadcast_id: int) -> Broadcast | None:
        """One that waits."""
        found = _with_author.where(broadcasts.c.id == broadcast_id, broadcasts.c.sent_at.is_(None))
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _broadcast(row)

    def sent(self, broadcast_id: int, now: datetime) -> None:
        self._connection.execute(update(broadcasts).where(broadcasts.c.id == broadcast_id).values(sent_at=now))

    def drop(self, broadcast_id: int) -> None:
        self._connection.execute(delete(broadcasts).where(broadcasts.c.id == broadcast_id))


_with_author = (
    select(broadcasts, players.c.userid)
    .join(players, players.c.id == broadcasts.c.player_id)
    .where(players.c.removed_at.is_(None))
)


def _broadcast(row: Row[Any]) -> Broadcast:
    return Broadcast(row.id, Player(row.player_id, row.userid), row.text, row.created_at, row.sent_at)
