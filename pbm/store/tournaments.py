"""Tournaments: their terms, their entrants, and their bouts with boards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any

from sqlalchemy import Row, bindparam, func, select

from pbm.domain.match import Player
from pbm.domain.tournaments.bouts import Bout
from pbm.domain.tournaments.terms import Kind, Terms
from pbm.store.statements import Queries, made
from pbm.store.tables import PLAYERS, bouts, players, tournament_follows, tournament_players, tournaments
from pbm.values import frozen

_firsts = players.alias("first_player")
_seconds = players.alias("second_player")


class Stage(StrEnum):
    """OPEN: players may join, and nothing has begun. PAUSED: a league between two seasons."""

    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in (Stage.OVER, Stage.CANCELLED)


_RUNNING = tournaments.c.state.in_([stage.value for stage in Stage if not stage.ended])
_LISTED = 200
"""How many tournaments a list has at most."""
_ALL = (
    select(tournaments, players.c.userid)
    .outerjoin(players, players.c.id == tournaments.c.creator_id)
    .order_by(tournaments.c.id.desc())
    .limit(1000)
)
_MEETINGS = (
    select(bouts, _firsts.c.userid.label("userid1"), _seconds.c.userid.label("userid2"))
    .join(_firsts, _firsts.c.id == bouts.c.first_id)
    .outerjoin(_seconds, _seconds.c.id == bouts.c.second_id)
    .order_by(bouts.c.id)
)
_OF_ID = _ALL.where(tournaments.c.id == bindparam("tournament"))
_ENTRANTS = (
    select(tournament_players, players.c.userid)
    .join(players, players.c.id == tournament_players.c.player_id)
    .where(tournament_players.c.tournament_id == bindparam("tournament"))
    .order_by(tournament_players.c.seed, tournament_players.c.joined_at, players.c.id)
)
_OF_STAGE = _ALL.where(tournaments.c.state == bindparam("stage")).limit(_LISTED)
_OF_GAME = _OF_STAGE.where(tournaments.c.game == bindparam("of_game"))


@frozen
class Tournament:
    """One tournament. options, body: as in a challenge.

    season, round: counted from 1, 0 before the first; the round of a ladder counts the games that have ended.
    """

    id: int
    name: str
    game: str
    options: tuple[str, ...]
    body: str
    terms: Terms
    creator: Player | None
    """None if the operator created it."""
    stage: Stage
    season: int
    round: int
    created_at: datetime
    due_at: datetime | None
    """The latest instant at which something happens by itself: the start, the end of the round, the next season."""
    ended_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether players may join now."""
        if self.stage is Stage.RUNNING and self.terms.kind is Kind.SWISS:
            return 2 * self.round <= self.terms.rounds  # late entries are allowed until halfway
        return self.stage is Stage.OPEN or (self.terms.kind.lasting and not self.stage.ended)


@frozen
class Entrant:
    """A player in a tournament."""

    player: Player
    seed: int
    """Their place among all, from 1; on a ladder, their rung."""
    division: int | None
    """In a league, from 1; None elsewhere."""
    joined_at: datetime
    left_at: datetime | None
    """When they left; None while they are in."""


@frozen
class Meeting:
    """A stored bout. challenger_id: only on a ladder."""

    id: int
    tournament_id: int
    season: int
    round: int
    division: int
    first: Player
    second: Player | None
    challenger_id: int | None
    board: int | None
    """None if the bout is not played."""
    points: tuple[int, int] | None
    starts_at: datetime
    due_at: datetime | None
    """When it is decided."""

    @property
    def bout(self) -> Bout:
        return Bout(self.first.id, self.second.id if self.second else None, self.points, played=self.board is not None)

    @property
    def players(self) -> tuple[Player, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def challenger(self) -> Player:
        """Only on a ladder."""
        return next(player for player in self.players if player.id == self.challenger_id)

    @property
    def challenged(self) -> Player:
        """Only on a ladder."""
        return next(player for player in self.players if player.id != self.challenger_id)


class Tournaments(Queries):
    """No two tournaments have the same name, in whatever case."""

    def add(
        self,
        name: str,
        game: str,
        options: tuple[str, ...],
        body: str,
        terms: Terms,
        creator: Player | None,
        now: datetime,
    ) -> Tournament:
        key = self._add(
            tournaments, name=name, name_key=name.casefold(), kind=terms.kind.value, game=game,
            options=" ".join(options), body=body, terms=terms.to_json(), creator_id=creator.id if creator else None,
            state=Stage.OPEN.value, season=0, round=0, created_at=now, due_at=terms.starts_at,
        )  # fmt: skip
        return Tournament(key, name, game, options, body, terms, creator, Stage.OPEN, 0, 0, now, terms.starts_at)

    def find(self, name: str) -> Tournament | None:
        return next(iter(self._where(tournaments.c.name_key == name.casefold())), None)

    def get(self, tournament_id: int) -> Tournament | None:
        return self._first(_OF_ID, _tournament, {"tournament": tournament_id})

    def listed(self, game: str | None = None, *, ended: bool = False) -> list[Tournament]:
        """Tournaments that are not over, newest first. ended: those that are over instead."""
        query, values = (_OF_STAGE, {}) if game is None else (_OF_GAME, {"of_game": game})
        stages = (stage.value for stage in Stage if stage.ended is ended)
        parts = (self._all(query, _tournament, {"stage": stage, **values}) for stage in stages)
        return sorted(chain.from_iterable(parts), key=lambda tournament: tournament.id, reverse=True)[:_LISTED]

    def of_player(self, player_id: int) -> list[Tournament]:
        """The tournaments the player is in that are not over."""
        own = select(tournament_players.c.tournament_id).where(
            tournament_players.c.player_id == player_id, tournament_players.c.left_at.is_(None)
        )
        return self._where(tournaments.c.id.in_(own) & _RUNNING)

    def created_by(self, player_id: int) -> int:
        """How many tournaments that the player created are not over."""
        return self._count(tournaments, tournaments.c.creator_id == player_id, _RUNNING)

    def save(self, tournament: Tournament) -> None:
        """Store what can change while it is held."""
        self._update(
            tournaments, tournaments.c.id == tournament.id,
            terms=tournament.terms.to_json(), state=tournament.stage.value, season=tournament.season,
            round=tournament.round, due_at=tournament.due_at, ended_at=tournament.ended_at,
        )  # fmt: skip

    def entrants(self, tournament_id: int) -> list[Entrant]:
        """All players who are or were in it, by seed."""
        return self._all(
            _ENTRANTS,
            lambda row: made(Entrant, row, player=Player(row.player_id, row.userid)),
            {"tournament": tournament_id},
        )

    def present(self, tournament_id: int) -> list[Entrant]:
        """The players who are in it, by seed."""
        return [entrant for entrant in self.entrants(tournament_id) if entrant.left_at is None]

    def with_sizes(self, listed: Sequence[Tournament]) -> list[tuple[Tournament, int]]:
        """Each tournament with the number of players in it."""
        own = tournament_players.c
        inside = own.tournament_id.in_([tournament.id for tournament in listed]) & own.left_at.is_(None)
        counted = select(own.tournament_id, func.count().label("number")).where(inside).group_by(own.tournament_id)
        sizes = {row.tournament_id: row.number for row in self._connection.execute(counted)} if listed else {}
        return [(tournament, sizes.get(tournament.id, 0)) for tournament in listed]

    def enter(self, tournament_id: int, player_id: int, seed: int, now: datetime) -> None:
        """Enter a player, even one who has left before."""
        values = {"seed": seed, "division": None, "joined_at": now, "left_at": None}
        self._put(tournament_players, {"tournament_id": tournament_id, "player_id": player_id}, values)

    def leave(self, tournament_id: int, player_id: int, now: datetime) -> None:
        self._update(tournament_players, _is(tournament_id, player_id), left_at=now)

    def forget(self, tournament_id: int, player_id: int) -> None:
        """Delete the entrant, as if they had never joined."""
        self._drop(tournament_players, tournament_id=tournament_id, player_id=player_id)

    def place(self, tournament_id: int, divisions: Iterable[Sequence[int]]) -> None:
        """Seed the players, given by id, in this order; a single division gives the seeds only."""
        seed = 0
        for division, members in enumerate(divisions, 1):
            for player_id in members:
                seed += 1
                self._update(tournament_players, _is(tournament_id, player_id), seed=seed, division=division)

    def add_meeting(
        self,
        tournament: Tournament,
        bout: Bout,
        division: int,
        board: int | None,
        now: datetime,
        *,
        due_at: datetime | None,
        challenger_id: int | None = None,
    ) -> None:
        """Add a bout of the present season and round; on a ladder it is in round 0 until it has ended."""
        self._insert(
            bouts, tournament_id=tournament.id, season=tournament.season, division=division,
            round=0 if challenger_id else tournament.round, first_id=bout.first, second_id=bout.second,
            challenger_id=challenger_id, board=board, starts_at=now, due_at=due_at, **_points(bout.points),
        )  # fmt: skip

    def meetings(self, tournament_id: int, season: int | None = None, round_: int | None = None) -> list[Meeting]:
        """The bouts in the order they were paired. season, round_: None for all."""
        query = _MEETINGS.where(bouts.c.tournament_id == tournament_id)
        if season is not None:
            query = query.where(bouts.c.season == season)
        if round_ is not None:
            query = query.where(bouts.c.round == round_)
        return self._all(query, _meeting)

    def under_way(self, tournament_id: int) -> list[Meeting]:
        """The bouts that have no points yet, in the order they were paired."""
        query = _MEETINGS.where(bouts.c.tournament_id == tournament_id, bouts.c.points1.is_(None))
        return self._all(query, _meeting)

    def on_board(self, board: int) -> Meeting | None:
        return self._first(_MEETINGS.where(bouts.c.board == board), _meeting)

    def settle(self, meeting_id: int, points: tuple[int, int] | None) -> None:
        """points: None for a bout that is under way."""
        self._update(bouts, bouts.c.id == meeting_id, **_points(points))

    def drop_bye(self, tournament_id: int, player_id: int, round_: int) -> None:
        """Delete the bye that a player has in a round, if any."""
        own = (bouts.c.tournament_id == tournament_id) & (bouts.c.first_id == player_id) & (bouts.c.round == round_)
        self._delete(bouts, own, bouts.c.second_id.is_(None))

    def set_round(self, meeting_id: int, round_: int) -> None:
        self._update(bouts, bouts.c.id == meeting_id, round=round_)

    def followers(self, tournament_id: int) -> list[Player]:
        """The players who get its mails without playing in it, by userid."""
        query = PLAYERS.join(tournament_follows, tournament_follows.c.player_id == players.c.id)
        own = (tournament_follows.c.tournament_id == tournament_id) & players.c.removed_at.is_(None)
        return self._players(query.where(own).order_by(players.c.userid_key))

    def followed(self, player_id: int) -> list[Tournament]:
        """The tournaments that the player follows and that are not over, newest first."""
        own = select(tournament_follows.c.tournament_id).where(tournament_follows.c.player_id == player_id)
        return self._where(tournaments.c.id.in_(own) & _RUNNING)

    def follow(self, player_id: int, tournament_id: int) -> bool:
        """False if they followed it already."""
        return self._insert_new(tournament_follows, player_id=player_id, tournament_id=tournament_id)

    def unfollow(self, player_id: int, tournament_id: int) -> bool:
        """False if they did not follow it."""
        return self._drop(tournament_follows, player_id=player_id, tournament_id=tournament_id) != 0

    def _where(self, condition: Any) -> list[Tournament]:
        return self._all(_ALL.where(condition), _tournament)


def _points(points: tuple[int, int] | None) -> dict[str, int | None]:
    return dict(zip(("points1", "points2"), points or (None, None), strict=True))


def _is(tournament_id: int, player_id: int) -> Any:
    own = tournament_players.c
    return (own.tournament_id == tournament_id) & (own.player_id == player_id)


def _tournament(row: Row[Any]) -> Tournament:
    creator = Player(row.creator_id, row.userid) if row.creator_id else None
    options, terms = tuple(row.options.split()), Terms.from_json(row.terms)
    return made(Tournament, row, options=options, terms=terms, creator=creator, stage=Stage(row.state))


def _meeting(row: Row[Any]) -> Meeting:
    second = Player(row.second_id, row.userid2) if row.second_id else None
    points = None if row.points1 is None else (row.points1, row.points2)
    return made(Meeting, row, first=Player(row.first_id, row.userid1), second=second, points=points)
