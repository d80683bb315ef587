"""Who wants to hear of a board, of a player's boards or of a game's, and what players choose for each game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import NamedTuple

from sqlalchemy import BindParameter, bindparam, literal, not_, or_, select, union_all

from pbm.domain.match import Match, Player
from pbm.store.statements import Queries, made
from pbm.store.tables import PLAYERS, follows, game_choices, matches, player_follows, players
from pbm.values import frozen

ALL = "all"


class Follower(NamedTuple):
    """ends_only: wants only the board's last mail. whom: the userid of the player they follow, or ALL if they follow
    all boards of the game; empty if they follow the board itself.
    """

    player: Player
    ends_only: bool
    whom: str = ""


_THIS: BindParameter[int] = bindparam("of_board")
_by_board = select(follows.c.player_id, follows.c.ends_only, literal("").label("whom")).where(follows.c.board == _THIS)
_by_game = (
    select(game_choices.c.player_id, not_(game_choices.c.follows), literal(ALL))
    .join(game_choices, game_choices.c.game == matches.c.game)
    .where(matches.c.board == _THIS, or_(game_choices.c.follows, game_choices.c.notify_ends))
)
_followed = players.alias("followed")
_by_player = (
    select(player_follows.c.player_id, literal(False), _followed.c.userid)
    .join(player_follows, player_follows.c.followed_id == seat)
    .join(_followed, _followed.c.id == seat)
    .where(matches.c.board == _THIS)
    for seat in (matches.c.seat1_id, matches.c.seat2_id)
)
_wishes = union_all(_by_board, _by_game, *_by_player).subquery()
_FOLLOWERS = (
    select(players.c.id, players.c.userid, _wishes.c.ends_only, _wishes.c.whom)
    .join(_wishes, _wishes.c.player_id == players.c.id)
    .where(players.c.removed_at.is_(None))
    .order_by(players.c.id, _wishes.c.ends_only.desc(), _wishes.c.whom.desc())
)


class Follows(Queries):
    """A player follows a board directly, one of its players or, by a setting, all boards of its game."""

    def of(self, match: Match) -> list[Follower]:
        """All followers but the players of the match, each once, by id; a wish for all mails beats one for the end."""
        rows = self._connection.execute(_FOLLOWERS, {"of_board": match.board})
        # Of several wishes the last counts, which in the statement's order is one for all mails.
        followers = {row.id: Follower(Player(row.id, row.userid), bool(row.ends_only), row.whom) for row in rows}
        return [follower for follower in followers.values() if follower.player not in match.players]

    def wish(self, player_id: int, board: int) -> bool | None:
        """Whether the player, who follows the board directly, wants only its end; None if they do not follow it."""
        query = select(follows.c.ends_only).where(follows.c.player_id == player_id, follows.c.board == board)
        return self._only(query)

    def follow(self, player_id: int, board: int, *, ends_only: bool) -> None:
        self._put(follows, {"player_id": player_id, "board": board}, {"ends_only": ends_only})

    def unfollow(self, player_id: int, board: int) -> bool:
        """False if they did not follow it."""
        return self._drop(follows, player_id=player_id, board=board) != 0

    def unfollow_all(self, player_id: int) -> None:
        """Let the player follow no boards and no games any more."""
        self._drop(follows, player_id=player_id)
        self._update(game_choices, game_choices.c.player_id == player_id, follows=False, notify_ends=False)

    def boards(self, player_id: int, *, ends_only: bool) -> list[int]:
        """The boards that the player follows directly, or those of which they only want the ends, ascending."""
        own = (follows.c.player_id == player_id) & follows.c.ends_only.is_(ends_only)
        return self._column(select(follows.c.board).where(own).order_by(follows.c.board))

    def players(self, player_id: int) -> list[Player]:
        """The players whom this one follows, by userid."""
        query = PLAYERS.join(player_follows, player_follows.c.followed_id == players.c.id)
        own = (player_follows.c.player_id == player_id) & players.c.removed_at.is_(None)
        return self._players(query.where(own).order_by(players.c.userid_key))

    def follow_player(self, player_id: int, followed_id: int) -> None:
        """Let them follow all boards of a player whom they do not follow yet."""
        self._insert(player_follows, player_id=player_id, followed_id=followed_id)

    def unfollow_player(self, player_id: int, followed_id: int) -> bool:
        """False if they did not follow them."""
        return self._drop(player_follows, player_id=player_id, followed_id=followed_id) != 0


@frozen
class GameChoice:
    """accepts: takes challenges. most_active: boards under way at once; None for no limit but the server's.

    notify_ends: wants the final mail of every board of the game. follows: wants all boards and seeks of the game.
    """

    accepts: bool = True
    most_active: int | None = None
    notify_ends: bool = False
    follows: bool = False

    def takes_more(self, active: int) -> bool:
        """Whether they want one more board of the game. active: those under way."""
        return self.most_active is None or active < self.most_active


class Choices(Queries):
    """A player without a row has the defaults."""

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, GameChoice]:
        """The choices of each player asked for."""
        return self._of_game(game_choices, game, player_ids, partial(made, GameChoice), GameChoice())

    def of_one(self, game: str, player_id: int) -> GameChoice:
        return self.of(game, (player_id,))[player_id]

    def change(self, player_id: int, game: str, **changes: bool | int | None) -> None:
        values = asdict(self.of_one(game, player_id)) | changes
        self._put(game_choices, {"player_id": player_id, "game": game}, values)

    def followers(self, game: str) -> list[Player]:
        """Players who want to hear of every board and seek of the game."""
        query = PLAYERS.join(game_choices, game_choices.c.player_id == players.c.id)
        wanted = (game_choices.c.game == game) & game_choices.c.follows & players.c.removed_at.is_(None)
        return self._players(query.where(wanted).order_by(players.c.id))
