"""Questions about many boards at once: lists without records, how many there are of some kind, and what is public."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, bindparam, exists, false, func, literal_column, or_, select, true, tuple_

from pbm.domain.match import Ending, Match, Player, Result, UnderWay
from pbm.domain.settings import Settings
from pbm.store.matches import (
    SEATS,
    WITH_NAMES,
    WITH_PLAYERS,
    Matches,
    Summary,
    between,
    players_of,
    result_of,
    seated,
    settings_of,
    summary_of,
)
from pbm.store.statements import Queries, among, made
from pbm.store.tables import PLAYERS, matches, players, plies, rating_changes, tournament_players, tournaments
from pbm.store.tournaments import Stage

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
        """Boards of a game and of any of the players, with higher numbers than `after`, oldest first."""
        query = _narrowed(game, active).where(matches.c.board > after).order_by(matches.c.board).limit(limit)
        if in_tournament is not None:
            none: Any = literal_column("''")  # exactly as in the index of tournament boards
            query = query.where(matches.c.tournament != none if in_tournament else matches.c.tournament == none)
        rows = self._of_seats(query, player_ids)
        return [summary_of(rows[board]) for board in sorted(rows)[:limit]]

    def under_way(self, player_id: int) -> list[UnderWay]:
        """The player's boards that have not ended, oldest first."""
        results = [self._connection.execute(query, {"player": player_id}) for query in _UNDER_WAY]
        rows = sorted(map(UnderWay._make, chain.from_iterable(results)), key=attrgetter("board", "waits"))
        # Whoever plays against themselves is waited for if either seat is.
        return [*{row.board: row for row in rows}.values()]

    def _of_seats(self, query: Select[Any], player_ids: tuple[int, ...]) -> dict[int, Row[Any]]:
        """By board, what is found for each seat of the players, or for all boards if there are no players."""
        # Each seat separately, because a joint query would have to sort.
        queries = [query.where(seat == player_id) for player_id in player_ids for seat in SEATS] or [query]
        return {row.board: row for row in chain.from_iterable(map(self._connection.execute, queries))}

    def busy_players(
        self, after: int = 0, most: int | None = None, ended_since: datetime | None = None
    ) -> list[Player]:
        """The next players by id who have boards that have not ended.

        ended_since: also players who had a board end, or registered, after that.
        """
        own: list[Any] = [exists().where(seat == players.c.id, matches.c.ended_at.is_(None)) for seat in SEATS]
        if ended_since is not None:
            own += [exists().where(seat == players.c.id, matches.c.ended_at > ended_since) for seat in SEATS]
            own.append(players.c.created_at > ended_since)
        query = PLAYERS.where(players.c.id > after, or_(*own), players.c.removed_at.is_(None))
        return self._players(query.order_by(players.c.id).limit(most))

    def played_before(self, match: Match, player_id: int) -> bool:
        """Whether the player has had an earlier board of the same game."""
        earlier = matches.c.game == match.game, matches.c.board < match.board
        return self._is_any(select(matches.c.board).where(seated(player_id), *earlier).limit(1))

    def voided_since(self, player_id: int, reason: str, since: datetime) -> int:
        """How many of the player's boards were voided for this reason since then."""
        void = matches.c.ending == Ending.VOID.value, matches.c.reason == reason, matches.c.ended_at > since
        return self._count(matches, seated(player_id), *void)

    def finished(
        self, game: str | None, player_ids: tuple[int, ...], limit: int, before: int | None = None
    ) -> list[Summary]:
        """Boards of a game and of any of the players that have ended and are not void, latest first.

        before: only boards that ended before this board.
        """
        query = _narrowed(game, active=False).where(matches.c.ending != Ending.VOID.value)
        # By time and board, because several boards end in one instant.
        if before is not None:
            ended_at = select(matches.c.ended_at).where(matches.c.board == before).scalar_subquery()
            query = query.where(tuple_(matches.c.ended_at, matches.c.board) < tuple_(ended_at, before))
        latest = query.order_by(matches.c.ended_at.desc(), matches.c.board.desc()).limit(limit)
        rows = self._of_seats(latest, player_ids).values()
        ordered = sorted(rows, key=lambda row: (row.ended_at, row.board), reverse=True)
        return [summary_of(row) for row in ordered[:limit]]

    def head_to_head(self, game: str, one: int, other: int) -> tuple[int, int, int]:
        """How many games between the two the first has won, how many the other has won, and how many were drawn."""
        ended = matches.c.ended_at.is_not(None), matches.c.ending != Ending.VOID.value
        query = select(*SEATS, matches.c.winner).where(between(one, other), matches.c.game == game, *ended)
        won = [None if row.winner is None else row[row.winner - 1] for row in self._connection.execute(query)]
        return won.count(one), won.count(other), won.count(None)

    def tallies(self, games: Iterable[str], most: int) -> dict[str, tuple[int, int]]:
        """By game, how many boards are under way, and how many people play on them; of at most `most` boards."""
        running = select(*SEATS).where(matches.c.ended_at.is_(None)).order_by(matches.c.board).limit(most)
        seats = {game: self._connection.execute(running.where(matches.c.game == game)).all() for game in games}
        return {game: (len(pairs), len({*chain.from_iterable(pairs)})) for game, pairs in seats.items()}

    def active_counts(self, player_ids: Iterable[int]) -> dict[int, dict[str, int]]:
        """How many boards each player has under way, by player and game; read from an index alone."""
        counts: dict[int, dict[str, int]] = {player_id: {} for player_id in player_ids}
        for query in _ACTIVE:
            for player_id, game, count in self._connection.execute(query, {"players": [*counts]}):
                counts[player_id][game] = counts[player_id].get(game, 0) + count
        return counts

    def know_each_other(self, one: int, other: int) -> bool:
        """Whether both have moved on a board of theirs, or have been in the same tournament."""
        # One ply alone is no acquaintance: anybody can start a board with anybody.
        if self._is_any(select(matches.c.board).where(between(one, other), matches.c.plies > 1).limit(1)):
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
        query = select(matches.c.board).where(
            matches.c.game == game, matches.c.ended_at.is_(None), matches.c.plies.between(fewest, most)
        )
        return self._column(query.order_by(matches.c.board).limit(limit))


def _narrowed(game: str | None, active: bool | None) -> Select[Any]:
    query = WITH_PLAYERS
    if game is not None:
        query = query.where(matches.c.game == game)
    if active is not None:
        query = query.where(matches.c.ended_at.is_(None) if active else matches.c.ended_at.is_not(None))
    return query


class Person(NamedTuple):
    """A player who is or was here."""

    player: Player
    settings: Settings
    bot: bool


class Finished(NamedTuple):
    """A match that has ended and counts, without its record; revision and plies tell whether that has changed."""

    board: int
    game: str
    options: tuple[str, ...]
    body: str
    players: tuple[Player, Player]
    revision: int
    plies: int
    started_at: datetime
    ended_at: datetime
    result: Result
    tournament: str


class Archive(Queries):
    """Public games: those that have ended, who played them, and how they changed ratings.

    Each query reads one page at most, in the order of an index.
    """

    def people(self, after: int, limit: int) -> list[Person]:
        """People with higher ids than `after`, by id."""
        query = select(players).where(players.c.id > after).order_by(players.c.id).limit(limit)
        return self._all(query, lambda row: Person(Player(row.id, row.userid), settings_of(row.settings), row.bot))

    def finished(self, after: int, limit: int) -> list[Finished]:
        """Finished matches on boards after `after`, by board; void ones are left out."""
        over = matches.c.ended_at.is_not(None) & (matches.c.ending != Ending.VOID.value)
        query = WITH_NAMES.where(matches.c.board > after, over).order_by(matches.c.board).limit(limit)
        return [
            made(Finished, row, options=tuple(row.options.split()), players=players_of(row), result=result_of(row))
            for row in self._connection.execute(query)
        ]

    def record(self, board: int) -> list[str]:
        """The notations of a board's plies."""
        return self._column(select(plies.c.notation).where(plies.c.board == board).order_by(plies.c.ply))

    def tournaments(self, after: int, limit: int) -> list[int]:
        """The ids of tournaments after `after`, ascending; cancelled ones are left out."""
        query = select(tournaments.c.id).where(tournaments.c.id > after, tournaments.c.state != Stage.CANCELLED.value)
        return self._column(query.order_by(tournaments.c.id).limit(limit))

    def rated(self, player_id: int) -> list[tuple[str, float]]:
        """The boards that changed a rating of the player's, in the order they ended: the game, and the rating after."""
        query = (
            select(matches.c.game, rating_changes.c.rating_after)
            .join(matches, matches.c.board == rating_changes.c.board)
            .where(rating_changes.c.player_id == player_id)
            .order_by(matches.c.ended_at, matches.c.board)
        )
        return self._all(query, tuple)
