"""What a player wants of one game: challenges or none, how many boards at once, which news of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from pbm.domain.match import Player
from pbm.store.tables import game_choices, players


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
