"""Who has blocked whom."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from pbm.domain.match import Player
from pbm.store.tables import blocks, players


class Blocks:
    """A blocked player cannot challenge, invite or write to the one who blocked him."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def is_blocked(self, player_id: int, by: int) -> bool:
        """The player is blocked by the other."""
        return by in self.blockers(player_id)

    def blockers(self, player_id: int) -> frozenset[int]:
        """The ids of all who have blocked the player."""
        rows = self._connection.execute(select(blocks.c.player_id).where(blocks.c.blocked_id == player_id))
        return frozenset(rows.scalars())

    def blocked(self, player_id: int) -> list[Player]:
        """Whom the player has blocked, by userid."""
        rows = self._connection.execute(
            select(players.c.id, players.c.userid)
            .join(blocks, blocks.c.blocked_id == players.c.id)
            .where(blocks.c.player_id == player_id)
            .order_by(players.c.userid_key)
        )
        return [Player(row.id, row.userid) for row in rows]

    def block(self, player_id: int, other_id: int) -> bool:
        """False if it was so already."""
        if self.is_blocked(other_id, by=player_id):
            return False
        self._connection.execute(insert(blocks).values(player_id=player_id, blocked_id=other_id))
        return True

    def unblock(self, player_id: int, other_id: int) -> bool:
        """False if it was so already."""
        pair = (blocks.c.player_id == player_id) & (blocks.c.blocked_id == other_id)
        return self._connection.execute(delete(blocks).where(pair)).rowcount > 0
