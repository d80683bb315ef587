"""Who looks on: players who get the mails of boards they do not play on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert, literal, not_, or_, select, union_all

from pbm.domain.match import Match, Player
from pbm.store.tables import follows, game_choices, matches, player_follows, players

ALL = "all"


@dataclass(frozen=True, slots=True)
class Follower:
    """ends_only: wants only the board's last mail. whom: whom they follow for it, a player by their userid or ALL
    boards of the game; empty for the board itself.
    """

    player: Player
    ends_only: bool
    whom: str = ""


_boards: BindParameter[int] = bindparam("boards", expanding=True)
_by_board = select(follows.c.board, follows.c.player_id, follows.c.ends_only, literal("").label("whom")).where(
    follows.c.board.in_(_boards)
)
_by_game = (
    select(matches.c.board, game_choices.c.player_id, not_(game_choices.c.follows), literal(ALL))
    .join(game_choices, game_choices.c.game == matches.c.game)
    .where(matches.c.board.in_(_boards), or_(game_choices.c.follows, game_choices.c.notify_ends))
)
_followed = players.alias("followed")
_by_player = (
    select(matches.c.board, player_follows.c.player_id, literal(False), _followed.c.userid)
    .join(player_follows, player_follows.c.followed_id == seat)
    .join(_followed, _followed.c.id == seat)
    .where(matches.c.board.in_(_boards))
    for seat in (matches.c.seat1_id, matches.c.seat2_id)
)
_wishes = union_all(_by_board, _by_game, *_by_player).subquery()
_FOLLOWERS = (
    select(_wishes.c.board, players.c.id, players.c.userid, _wishes.c.ends_only, _wishes.c.whom)
    .join(_wishes, _wishes.c.player_id == players.c.id)
    .where(players.c.removed_at.is_(None))
    .order_by(players.c.id, _wishes.c.ends_only.desc(), _wishes.c.whom.desc())
)
"""Built once: every move asks for it."""


class Follows:
    """A player follows a board by itself, one of its players, or by a choice of theirs all boards of its game."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._foreseen: dict[int, list[Follower]] = {}

    def foresee(self, boards: Collection[int]) -> None:
        """Read at once what will be asked for one by one."""
        self._foreseen |= self._read(boards)

    def forget(self) -> None:
        """Ask anew for what was foreseen."""
        self._foreseen.clear()

    def of(self, match: Match) -> list[Follower]:
        """Everybody but the players of the match, each once, by id; who wants all boards is not left with the end."""
        found = (self._foreseen if match.board in self._foreseen else self._read([match.board]))[match.board]
        return list({each.player.id: each for each in found if each.player not in match.players}.values())

    def _read(self, boards: Collection[int]) -> dict[int, list[Follower]]:
        found: dict[int, list[Follower]] = {board: [] for board in boards}
        for row in self._connection.execute(_FOLLOWERS, {"boards": list(boards)}):
            found[row.board].append(Follower(Player(row.id, row.userid), bool(row.ends_only), row.whom))
        return found

    def wish(self, player_id: int, board: int) -> bool | None:
        """Whether the player follows the board by itself: only its end, or all of it; None if neither."""
        found = select(follows.c.ends_only).where(follows.c.player_id == player_id, follows.c.board == board)
        return self._connection.execute(found).scalar()

    def follow(self, player_id: int, board: int, *, ends_only: bool) -> None:
        self.unfollow(player_id, board)
        self._connection.execute(insert(follows).values(player_id=player_id, board=board, ends_only=ends_only))

    def unfollow(self, player_id: int, board: int) -> bool:
        """False if they did not follow it."""
        own = (follows.c.player_id == player_id) & (follows.c.board == board)
        return self._connection.execute(delete(follows).where(own)).rowcount > 0

    def boards(self, player_id: int) -> list[tuple[int, bool]]:
        """The boards that the player follows by themselves, ascending; whether only their ends."""
        found = select(follows.c.board, follows.c.ends_only).where(follows.c.player_id == player_id)
        return [(row.board, row.ends_only) for row in self._connection.execute(found.order_by(follows.c.board))]

    def players(self, player_id: int) -> list[Player]:
        """Whom the player follows, by userid."""
        found = (
            select(players.c.id, players.c.userid)
            .join(player_follows, player_follows.c.followed_id == players.c.id)
            .where(player_follows.c.player_id == player_id, players.c.removed_at.is_(None))
            .order_by(players.c.userid_key)
        )
        return [Player(row.id, row.userid) for row in self._connection.execute(found)]

    def follow_player(self, player_id: int, followed_id: int) -> None:
        """All boards of a player whom they do not follow yet."""
        self._connection.execute(insert(player_follows).values(player_id=player_id, followed_id=followed_id))

    def unfollow_player(self, player_id: int, followed_id: int) -> bool:
        """False if they did not follow them."""
        pair = (player_follows.c.player_id == player_id) & (player_follows.c.followed_id == followed_id)
        return self._connection.execute(delete(player_follows).where(pair)).rowcount > 0
