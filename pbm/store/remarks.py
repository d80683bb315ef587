"""What people write about a board and the server keeps: comments to the opponent, words among followers, own notes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from pbm.domain.match import Player
from pbm.domain.remarks import Remark, RemarkKind
from pbm.store.tables import matches, players, remarks


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
        """Those on a board, oldest first. player_id: only his."""
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
