"""What belongs to boards besides their records: decisions for later, who wants to hear, what people have written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Row, bindparam, literal, not_, or_, select, union_all

from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import Intent, IntentKind, Match, Player
from pbm.store.statements import Queries, made
from pbm.store.tables import (
    PLAYERS,
    broadcasts,
    follows,
    game_choices,
    intents,
    matches,
    player_follows,
    players,
    remarks,
)
from pbm.values import frozen

_OF_BOARD = select(intents).where(intents.c.board == bindparam("of_board")).order_by(intents.c.kind)


class Intents(Queries):
    """At most one of each kind for each seat of a board; private to that seat."""

    def of(self, board: int) -> list[Intent]:
        """Those of both seats."""
        return self._all(_OF_BOARD, _intent, {"of_board": board})

    def keep(self, board: int, intent: Intent, now: datetime) -> None:
        """Store the intent in place of the seat's last one of its kind."""
        key = {"board": board, "seat": intent.seat, "kind": intent.kind.value}
        values = {"text": intent.text, "created_at": now, "comment": intent.comment or None, "due_at": intent.until}
        self._put(intents, key, values)

    def drop(self, board: int, intent: Intent) -> None:
        """Delete the seat's intent of this kind."""
        self._drop(intents, board=board, seat=intent.seat, kind=intent.kind.value)


def _intent(row: Row[Any]) -> Intent:
    return Intent(row.seat, IntentKind(row.kind), row.text, row.comment or "", row.created_at, row.due_at)


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
        found = {row.id: Follower(Player(row.id, row.userid), bool(row.ends_only), row.whom) for row in rows}
        return [each for each in found.values() if each.player not in match.players]

    def wish(self, player_id: int, board: int) -> bool | None:
        """Whether the player, who follows the board directly, wants only its end; None if they do not follow it."""
        found = select(follows.c.ends_only).where(follows.c.player_id == player_id, follows.c.board == board)
        return self._only(found)

    def follow(self, player_id: int, board: int, *, ends_only: bool) -> None:
        self._put(follows, {"player_id": player_id, "board": board}, {"ends_only": ends_only})

    def unfollow(self, player_id: int, board: int) -> bool:
        """False if they did not follow it."""
        return self._drop(follows, player_id=player_id, board=board) != 0

    def boards(self, player_id: int, *, ends_only: bool) -> list[int]:
        """The boards that the player follows directly, or those of which they only want the ends, ascending."""
        own = (follows.c.player_id == player_id) & follows.c.ends_only.is_(ends_only)
        return self._column(select(follows.c.board).where(own).order_by(follows.c.board))

    def players(self, player_id: int) -> list[Player]:
        """The players whom this one follows, by userid."""
        found = PLAYERS.join(player_follows, player_follows.c.followed_id == players.c.id)
        own = (player_follows.c.player_id == player_id) & players.c.removed_at.is_(None)
        return self._players(found.where(own).order_by(players.c.userid_key))

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
        found = PLAYERS.join(game_choices, game_choices.c.player_id == players.c.id)
        wanted = (game_choices.c.game == game) & game_choices.c.follows & players.c.removed_at.is_(None)
        return self._players(found.where(wanted).order_by(players.c.id))


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


_remarks = select(remarks, players.c.userid).join(players, players.c.id == remarks.c.player_id)


def _remark(row: Row[Any]) -> Remark:
    return Remark(row.board, Player(row.player_id, row.userid), row.ply, row.text, row.created_at)


class Broadcast(NamedTuple):
    """sent_at: None while it waits for the operator."""

    id: int
    author: Player
    text: str
    created_at: datetime
    sent_at: datetime | None


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


_with_author = (
    select(broadcasts, players.c.userid)
    .join(players, players.c.id == broadcasts.c.player_id)
    .where(players.c.removed_at.is_(None))
)


def _broadcast(row: Row[Any]) -> Broadcast:
    return Broadcast(row.id, Player(row.player_id, row.userid), row.text, row.created_at, row.sent_at)
