"""Ratings by player and game, the change each match made, and how reliable players are.

Reliability is kept as sums over ended matches, so that no list has to read all records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Row, exists, select

from pbm.domain.match import Player
from pbm.domain.ratings import Pace, Rating, aged
from pbm.store.matches import SEATS, between
from pbm.store.statements import Queries
from pbm.store.tables import matches, paces, players, rating_changes, ratings


class Tally(NamedTuple):
    """A player's rated matches of one game."""

    rating: Rating = Rating()
    """As it was after the last of them."""
    won: int = 0
    lost: int = 0
    drawn: int = 0
    rated_at: datetime | None = None
    """When the last of them ended; None before the first."""

    def at(self, now: datetime) -> Tally:
        """The same with the rating as it is now, after aging."""
        if self.rated_at is None:
            return self
        return Tally(aged(self.rating, now - self.rated_at), self.won, self.lost, self.drawn, self.rated_at)


class Change(NamedTuple):
    """How one match changed a rating."""

    before: Rating
    after: Rating


_RATED = exists().where(rating_changes.c.board == matches.c.board)
_STANDINGS = (
    select(ratings, players.c.userid)
    .join(players, players.c.id == ratings.c.player_id)
    .where(players.c.removed_at.is_(None), players.c.bot.is_(False))
    .order_by(ratings.c.rating.desc(), players.c.userid_key)
)


class Ratings(Queries):
    """A player without a row has ended no rated match of the game."""

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, Tally]:
        """The tally of each player asked for."""
        return self._of_game(ratings, game, player_ids, _tally, Tally())

    def standings(self, game: str, limit: int | None = None) -> list[tuple[Player, Tally]]:
        """The people who have a rating and are still here, best first; bots are left out."""
        query = _STANDINGS.where(ratings.c.game == game).limit(limit)
        return self._all(query, lambda row: (Player(row.player_id, row.userid), _tally(row)))

    def save(self, player_id: int, game: str, tally: Tally) -> None:
        values = tally._asdict() | tally.rating._asdict()
        self._put(ratings, {"player_id": player_id, "game": game}, values)

    def add_changes(self, board: int, changes: Mapping[int, Change]) -> None:
        """changes: by player."""
        for player_id, change in changes.items():
            moved = _columns("before", change.before) | _columns("after", change.after)
            self._insert(rating_changes, board=board, player_id=player_id, **moved)

    def take_back(self, board: int) -> None:
        """Delete the match's rating changes."""
        self._drop(rating_changes, board=board)

    def drop(self, player_id: int, game: str) -> None:
        """Delete the player's rating in the game."""
        self._drop(ratings, player_id=player_id, game=game)

    def rated_after(self, game: str, ended_at: datetime) -> list[int]:
        """The boards of a game that changed ratings and ended then or later, in the order in which they did."""
        wanted = (matches.c.game == game, matches.c.ended_at >= ended_at, _RATED)
        query = select(matches.c.board, matches.c.ended_at).where(*wanted).order_by(matches.c.ended_at, matches.c.board)
        at_once = groupby(self._connection.execute(query), key=lambda row: row.ended_at)
        return [board for _, rows in at_once for board in self._as_rated([row.board for row in rows])]

    def _as_rated(self, boards: list[int]) -> list[int]:
        """Boards that ended at the same instant, as when one email resigns them, in the order of their changes."""
        if len(boards) == 1:
            return boards
        left, ordered = self.changes_of(boards), list[int]()
        while left:
            afters = {(player_id, change.after) for changes in left.values() for player_id, change in changes.items()}
            # First comes a board that began from ratings which no other one here led to.
            befores = {board: {(key, change.before) for key, change in left[board].items()} for board in left}
            ordered.append(next((board for board in left if not befores[board] & afters), next(iter(left))))
            del left[ordered[-1]]
        return ordered

    def until(self, player_id: int, game: str, now: datetime) -> Tally:
        """The player's rating after the last match that ended before now, without counts."""
        mine = (rating_changes.c.player_id == player_id) & (matches.c.game == game) & (matches.c.ended_at < now)
        query = (
            select(matches.c.board, matches.c.ended_at)
            .join(rating_changes, matches.c.board == rating_changes.c.board)
            .where(mine)
            .order_by(matches.c.ended_at.desc(), matches.c.board)
        )
        rows = self._connection.execute(query).all()
        if not rows:
            return Tally()
        ended_at = rows[0].ended_at
        last = self._as_rated([row.board for row in rows if row.ended_at == ended_at])[-1]
        return Tally(self.changes(last)[player_id].after, rated_at=ended_at)

    def rated_between(self, game: str, pair: tuple[int, int], since: datetime, until: datetime) -> list[int]:
        """The boards of these two that changed ratings and ended in this time, both bounds included."""
        within = matches.c.ended_at.between(since, until)
        return self._column(select(matches.c.board).where(between(*pair), matches.c.game == game, within, _RATED))

    def last_board(self, player_id: int) -> int | None:
        """The board that last changed a rating of the player's; None if none has."""
        query = (
            select(matches.c.ended_at, matches.c.board)
            .where(matches.c.ended_at.is_not(None), _RATED.where(rating_changes.c.player_id == player_id))
            .order_by(matches.c.ended_at.desc(), matches.c.board.desc())
            .limit(1)
        )
        # Each seat separately, as a joint query would have to sort.
        rows = (row for seat in SEATS for row in self._connection.execute(query.where(seat == player_id)))
        return max(((row.ended_at, row.board) for row in rows), default=(None, None))[1]

    def of_player(self, player_id: int) -> dict[str, Tally]:
        """Their tallies by game."""
        return self._by_game(ratings, player_id, _tally)

    def changes(self, board: int) -> dict[int, Change]:
        """How the match changed ratings, by player; empty if it was not rated."""
        return self.changes_of([board])[board]

    def changes_of(self, boards: Sequence[int]) -> dict[int, dict[int, Change]]:
        """The same as `changes`, for each board."""
        changes: dict[int, dict[int, Change]] = {board: {} for board in boards}
        for row in self._connection.execute(select(rating_changes).where(rating_changes.c.board.in_(boards))):
            changes[row.board][row.player_id] = _change(row)
        return changes


def _tally(row: Row[Any]) -> Tally:
    rating = Rating(row.rating, row.deviation, row.volatility)
    return Tally(rating, row.won, row.lost, row.drawn, row.rated_at)


def _columns(when: str, rating: Rating) -> dict[str, float]:
    return {f"{name}_{when}": value for name, value in rating._asdict().items()}


def _change(row: Row[Any]) -> Change:
    return Change(
        Rating(row.rating_before, row.deviation_before, row.volatility_before),
        Rating(row.rating_after, row.deviation_after, row.volatility_after),
    )


class Paces(Queries):
    """A player without a row has ended no match of the game. These sums follow from the records."""

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, Pace]:
        """The pace of each player asked for."""
        return self._of_game(paces, game, player_ids, _pace, Pace())

    def of_player(self, player_id: int) -> dict[str, Pace]:
        """By game, for those they have ended a match of."""
        return self._by_game(paces, player_id, _pace)

    def add(self, player_id: int, game: str, pace: Pace, *, back: bool = False) -> None:
        """Count one more ended match of the player's. back: take it back."""
        before = self.of(game, (player_id,))[player_id]
        after = before - pace if back else before + pace
        if after.finished:
            counts = {"finished": after.finished, "timeouts": after.timeouts, "moves": after.moves}
            time = {"microseconds": after.time // timedelta(microseconds=1)}
            self._put(paces, {"player_id": player_id, "game": game}, counts | time)
        else:
            self._drop(paces, player_id=player_id, game=game)


def _pace(row: Row[Any]) -> Pace:
    return Pace(row.finished, row.timeouts, row.moves, timedelta(microseconds=row.microseconds))
