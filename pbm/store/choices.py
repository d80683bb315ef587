"""What a player wants of one game, such as challenges or none, and from whom they want to hear nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from pbm.domain.match import Player
from pbm.store.tables import blocks, game_choices, players


@dataclass(frozen=True, slots=True)
class GameChoice:
    """accepts: takes challenges. most_active: running boards at once; None for no limit but the server's.

    notify_ends: wants the final mail of every board of the game. follows: wants all boards and seeks of the game.
    """

    accepts: bool = True
    most_active: int | None = None
    notify_ends: bool = False
    follows: bool = False


class Choices:
    """A player without a row has the defaults."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, GameChoice]:
        """By player, for each one asked for."""
        found = dict.fromkeys(player_ids, GameChoice())
        rows = self._connection.execute(
            select(game_choices).where(game_choices.c.game == game, game_choices.c.player_id.in_(found))
        )
        for row in rows:
            found[row.player_id] = GameChoice(row.accepts, row.most_active, row.notify_ends, row.follows)
        return found

    def set(self, player_id: int, game: str, choice: GameChoice) -> None:
        values = {
            "accepts": choice.accepts,
            "most_active": choice.most_active,
            "notify_ends": choice.notify_ends,
            "follows": choice.follows,
        }
        own = (game_choices.c.player_id == player_id) & (game_choices.c.game == game)
        if self._connection.execute(update(game_choices).where(own).values(values)).rowcount == 0:
            self._connection.execute(insert(game_choices).values(player_id=player_id, game=game, **values))

    def followers(self, game: str) -> list[Player]:
        """Who wants to hear of every board and seek of the game."""
        rows = self._connection.execute(
            select(players.c.id, players.c.userid)
            .join(game_choices, game_choices.c.player_id == players.c.id)
            .where(game_choices.c.game == game, game_choices.c.follows, players.c.removed_at.is_(None))
            .order_by(players.c.id)
        )
        return [Player(row.id, row.userid) for row in rows]


class Blocks:
    """A blocked player cannot challenge, invite or write to the one who blocked them."""

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
