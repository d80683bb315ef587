"""Who looks on: players who get the mails of boards they do not play on."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, literal, not_, or_, select, union_all

from pbm.domain.match import Match, Player
from pbm.store.tables import follows, game_choices, players


@dataclass(frozen=True, slots=True)
class Follower:
    """ends_only: wants only the board's last mail. by_game: because of a wish for all boards of the game."""

    player: Player
    ends_only: bool
    by_game: bool


_by_board = select(follows.c.player_id, follows.c.ends_only, literal(False).label("by_game")).where(
    follows.c.board == bindparam("board")
)
_by_game = select(game_choices.c.player_id, not_(game_choices.c.follows), literal(True)).where(
    game_choices.c.game == bindparam("game"), or_(game_choices.c.follows, game_choices.c.notify_ends)
)
_wishes = union_all(_by_board, _by_game).subquery()
_FOLLOWERS = (
    select(players.c.id, players.c.userid, _wishes.c.ends_only, _wishes.c.by_game)
    .join(_wishes, _wishes.c.player_id == players.c.id)
    .where(players.c.removed_at.is_(None), players.c.id.not_in(bindparam("seated", expanding=True)))
    .order_by(players.c.id, _wishes.c.ends_only.desc(), _wishes.c.by_game.desc())
)
"""Built once: every move asks for it."""


class Follows:
    """A player follows a board by itself, or through a choice of his for all boards of its game."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, match: Match) -> list[Follower]:
        """Everybody but the players of the match, each once, by id; who wants all boards is not left with the end."""
        values = {"board": match.board, "game": match.game, "seated": [player.id for player in match.players]}
        rows = self._connection.execute(_FOLLOWERS, values)
        found = (Follower(Player(row.id, row.userid), bool(row.ends_only), bool(row.by_game)) for row in rows)
        return list({follower.player.id: follower for follower in found}.values())

    def wish(self, player_id: int, board: int) -> bool | None:
        """Whether the player follows the board by itself: only its end, or all of it; None if neither."""
        found = select(follows.c.ends_only).where(follows.c.player_id == player_id, follows.c.board == board)
        return self._connection.execute(found).scalar()

    def follow(self, player_id: int, board: int, *, ends_only: bool) -> None:
        self.unfollow(player_id, board)
        self._connection.execute(insert(follows).values(player_id=player_id, board=board, ends_only=ends_only))

    def unfollow(self, player_id: int, board: int) -> bool:
        """False if he did not follow it."""
        own = (follows.c.player_id == player_id) & (follows.c.board == board)
        return self._connection.execute(delete(follows).where(own)).rowcount > 0
