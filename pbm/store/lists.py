"""Questions about many boards at once: lists without records, and how many boards there are of some kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    tuple_,
    union_all,
)

from pbm.domain.match import Ending, Match, Player, UnderWay
from pbm.store.matches import SEATS, WITH_PLAYERS, Matches, Summary, summary_of
from pbm.store.statements import NO_LIMIT, among
from pbm.store.tables import PLAYERS, addresses, matches, players, tournament_players

_Rows = Select[Any]

_RUNNING = matches.c.board, matches.c.game, matches.c.seat_to_move, players.c.userid.label("rival"), matches.c.moved_at
_WAITS = (
    or_(matches.c.seat_to_move == own, matches.c.offered_by == 3 - own, matches.c.overrun_at.is_not(None))
    for own in (1, 2)
)
_UNDER_WAY = [
    select(*_RUNNING, func.coalesce(waits, false()).label("waits"))
    .join(players, players.c.id == rival)
    .where(own == bindparam("player"), matches.c.ended_at.is_(None))
    for own, rival, waits in zip(SEATS, SEATS[::-1], _WAITS, strict=True)
]
_TWICE = matches.c.seat1_id == matches.c.seat2_id
"""Whether one player has both seats; such a board counts for the first seat only."""
_ACTIVE_IN = [
    select(seat, func.sum(case((twice, 0), (matches.c.game == bindparam("of_game"), 1), else_=0)).label("active"))
    .where(among(seat, "players"), matches.c.ended_at.is_(None))
    .group_by(seat)
    for seat, twice in zip(SEATS, (false(), _TWICE), strict=True)
]
_ACTIVE = [
    select(seat, matches.c.game, func.count())
    .where(among(seat, "players"), matches.c.ended_at.is_(None), counts)
    .group_by(seat, matches.c.game)
    for seat, counts in zip(SEATS, (true(), ~_TWICE), strict=True)
]


class Lists(Matches):
    """Matches, and questions about many of them; each is answered from an index, however many boards there are."""

    def summaries(
        self,
        *,
        game: str | None = None,
        player_ids: tuple[int, ...] = (),
        active: bool | None = None,
        in_tournament: bool | None = None,
        limit: int | None,
        after: int = 0,
    ) -> list[Summary]:
        """Boards of a game and of any of the players, with higher numbers than `after`, oldest first.

        Each seat of each player is asked for separately, because a joint query would have to sort.
        """
        asked, most = _in_order(game is not None, active, in_tournament), NO_LIMIT if limit is None else limit
        rows = self._of_seats(asked, player_ids, of_game=game, beyond=after, most=most)
        return [summary_of(rows[board]) for board in sorted(rows)[:limit]]

    def under_way(self, player_id: int) -> list[UnderWay]:
        """The player's boards that have not ended, oldest first."""
        asked = [self._connection.execute(found, {"player": player_id}) for found in _UNDER_WAY]
        rows = sorted(map(UnderWay._make, chain.from_iterable(asked)), key=attrgetter("board", "waits"))
        return [*{row.board: row for row in rows}.values()]

    def _of_seats(self, asked: _Rows, player_ids: tuple[int, ...], **words: Any) -> dict[int, Row[Any]]:
        """By board, what is found for each seat of the players, or for all boards if there are no players."""
        seats = [(_of_seat(asked, seat), words | {"player": each}) for each in player_ids for seat in SEATS]
        found = (self._connection.execute(*each) for each in seats or [(asked, words)])
        return {row.board: row for row in chain.from_iterable(found)}

    def busy_players(self, after: int, most: int, ended_since: datetime | None) -> list[Player]:
        """The next players by id who have boards that have not ended.

        ended_since: also players who had a board end, or registered, after that.
        """
        own: list[ColumnElement[bool]] = [
            exists().where(seat == players.c.id, matches.c.ended_at.is_(None)) for seat in SEATS
        ]
        if ended_since is not None:
            own += [exists().where(seat == players.c.id, matches.c.ended_at > ended_since) for seat in SEATS]
            own.append(players.c.created_at > ended_since)
        found = PLAYERS.where(players.c.id > after, or_(*own), players.c.removed_at.is_(None))
        return self._players(found.order_by(players.c.id).limit(most))

    def busy_addresses(self) -> dict[str, str]:
        """A confirmed address of each player who has boards that have not ended, by userid."""
        own = (exists().where(seat == players.c.id, matches.c.ended_at.is_(None)) for seat in SEATS)
        found = select(players.c.userid, func.min(addresses.c.address).label("address")).join(
            addresses, addresses.c.player_id == players.c.id
        )
        found = found.where(addresses.c.confirmed_at.is_not(None), or_(*own)).group_by(players.c.userid)
        return {row.userid: row.address for row in self._connection.execute(found)}

    def played_before(self, match: Match, player_id: int) -> bool:
        """Whether the player has had an earlier board of the same game."""
        own = (
            exists().where(seat == player_id, matches.c.game == match.game, matches.c.board < match.board)
            for seat in SEATS
        )
        return any(self._only(select(each)) for each in own)

    def voided_since(self, player_id: int, reason: str, since: datetime) -> int:
        """How many of the player's boards were voided for this reason since then."""
        void = matches.c.ending == Ending.VOID.value, matches.c.reason == reason, matches.c.ended_at > since
        return sum(self._count(matches, seat == player_id, *void) for seat in SEATS)

    def finished(
        self, game: str | None, player_ids: tuple[int, ...], limit: int, before: int | None = None
    ) -> list[Summary]:
        """Boards of a game and of any of the players that have ended and are not void, latest first.

        before: only boards that ended before this board.
        """
        asked = _latest(game is not None, before is not None)
        rows = self._of_seats(asked, player_ids, of_game=game, before=before, most=limit).values()
        ordered = sorted(rows, key=lambda row: (row.ended_at, row.board), reverse=True)
        return [summary_of(row) for row in ordered[:limit]]

    def head_to_head(self, game: str, one: int, other: int) -> tuple[int, int, int]:
        """How many games between the two the first has won, how many the other has won, and how many were drawn."""
        tally = [0, 0, 0]
        for first, second in ((one, other), (other, one)):
            found = (
                select(matches.c.winner, func.count())
                .where(matches.c.seat1_id == first, matches.c.seat2_id == second, matches.c.game == game)
                .where(matches.c.ended_at.is_not(None), matches.c.ending != Ending.VOID.value)
                .group_by(matches.c.winner)
            )
            for winner, number in self._connection.execute(found):
                tally[2 if winner is None else int((winner == 1) != (first == one))] += number
        return tally[0], tally[1], tally[2]

    def tallies(self, games: Iterable[str], most: int) -> dict[str, tuple[int, int]]:
        """By game, how many boards are under way, and how many people play on them; of at most `most` boards."""
        seats: dict[str, list[tuple[int, int]]] = {game: [] for game in games}
        for game, first, second in self._connection.execute(_seats_of((*seats,), most)):
            seats[game].append((first, second))
        return {game: (len(pairs), len({*chain.from_iterable(pairs)})) for game, pairs in seats.items()}

    def active_counts(self, player_ids: Iterable[int]) -> dict[int, dict[str, int]]:
        """How many boards each player has under way, by player and game."""
        counts: dict[int, dict[str, int]] = {player_id: {} for player_id in player_ids}
        for found in _ACTIVE:
            for player_id, game, count in self._connection.execute(found, {"players": [*counts]}):
                counts[player_id][game] = counts[player_id].get(game, 0) + count
        return counts

    def active_in(self, game: str, player_ids: Iterable[int]) -> dict[int, int]:
        """How many boards of the game each player has under way; read from an index alone."""
        counts = dict.fromkeys(player_ids, 0)
        for found in _ACTIVE_IN:
            for player_id, count in self._connection.execute(found, {"of_game": game, "players": [*counts]}):
                counts[player_id] += count
        return counts

    def know_each_other(self, one: int, other: int) -> bool:
        """Whether both have moved on a board of theirs, or have been in the same tournament."""
        for first, second in ((one, other), (other, one)):
            boards = select(matches.c.board).where(matches.c.seat1_id == first, matches.c.seat2_id == second)
            if self._is_any(boards.where(matches.c.plies > 1).limit(1)):
                return True
        own = select(tournament_players.c.tournament_id).where(tournament_players.c.player_id == one)
        theirs = select(tournament_players.c.tournament_id).where(
            tournament_players.c.player_id == other, tournament_players.c.tournament_id.in_(own)
        )
        return self._is_any(theirs.limit(1))

    def rematch_of(self, board: int) -> int | None:
        """The board that is the rematch of this one; None if there is none."""
        return self._only(select(matches.c.board).where(matches.c.rematch_of == board))

    def boards(self) -> Iterator[int]:
        """The numbers of all boards, ascending."""
        yield from self._connection.execute(select(matches.c.board).order_by(matches.c.board)).scalars()

    def running(self, game: str, fewest: int, most: int, limit: int) -> list[int]:
        """Boards of a game that are under way and have this many plies, both bounds included."""
        found = select(matches.c.board).where(
            matches.c.game == game, matches.c.ended_at.is_(None), matches.c.plies.between(fewest, most)
        )
        return self._column(found.order_by(matches.c.board).limit(limit))


@cache
def _seats_of(games: tuple[str, ...], most: int) -> Any:
    """Each game with the players of its boards under way, at most `most` boards each."""
    running = (
        select(literal(game).label("game"), matches.c.seat1_id, matches.c.seat2_id)
        .where(matches.c.game == game, matches.c.ended_at.is_(None))
        .order_by(matches.c.board)
        .limit(most)
        .subquery()
        for game in games
    )
    return select(union_all(*map(select, running)).subquery())


# Statements of lists are built once for each kind of list.


@cache
def _in_order(of_game: bool, active: bool | None, in_tournament: bool | None) -> _Rows:
    found = _narrowed(of_game, active).where(matches.c.board > bindparam("beyond"))
    if in_tournament is not None:
        none: ColumnElement[str] = literal_column("''")  # exactly as in the index of tournament boards
        found = found.where(matches.c.tournament != none if in_tournament else matches.c.tournament == none)
    return found.order_by(matches.c.board)


@cache
def _latest(of_game: bool, goes_on: bool) -> _Rows:
    found = _narrowed(of_game, active=False).where(matches.c.ending != Ending.VOID.value)
    if goes_on:
        before = bindparam("before", type_=BigInteger)
        ended_at = select(matches.c.ended_at).where(matches.c.board == before).scalar_subquery()
        found = found.where(tuple_(matches.c.ended_at, matches.c.board) < tuple_(ended_at, before))
    return found.order_by(matches.c.ended_at.desc(), matches.c.board.desc())


def _narrowed(of_game: bool, active: bool | None) -> _Rows:
    found = WITH_PLAYERS.limit(bindparam("most", type_=BigInteger))
    if of_game:
        found = found.where(matches.c.game == bindparam("of_game"))
    if active is not None:
        found = found.where(matches.c.ended_at.is_(None) if active else matches.c.ended_at.is_not(None))
    return found


@cache
def _of_seat(asked: _Rows, seat: ColumnElement[int]) -> _Rows:
    return asked.where(seat == bindparam("player"))
