"""Public games: those that have ended, who played them, and how they changed ratings. Read page by page."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, select

from pbm.domain.match import Ending, Player, Result
from pbm.domain.settings import Settings
from pbm.store.matches import WITH_NAMES, players_of, result_of
from pbm.store.statements import Queries, made
from pbm.store.tables import matches, players, plies, rating_changes, tournaments
from pbm.store.tournaments import Stage


class Person(NamedTuple):
    """A player who is or was here."""

    player: Player
    settings: Settings
    created_at: datetime
    bot: bool


class Finished(NamedTuple):
    """A match that has ended and counts, without its record; revision and plies tell whether that has changed."""

    board: int
    game: str
    version: int
    options: tuple[str, ...]
    body: str
    players: tuple[Player, Player]
    revision: int
    plies: int
    started_at: datetime
    ended_at: datetime
    result: Result
    rated: bool
    tournament: str


class Rated(NamedTuple):
    """A player's rating after a match."""

    game: str
    board: int
    ended_at: datetime
    rating: float
    deviation: float


class Archive(Queries):
    """Each query reads one page, in the order of an index."""

    def people(self, after: int, limit: int) -> list[Person]:
        """People with higher ids than `after`, by id."""
        found = select(players).where(players.c.id > after).order_by(players.c.id).limit(limit)
        return self._all(found, _person)

    def finished(self, after: int, limit: int) -> list[Finished]:
        """Finished matches on boards after `after`, by board; void ones are left out."""
        over = matches.c.ended_at.is_not(None) & (matches.c.ending != Ending.VOID.value)
        found = WITH_NAMES.where(matches.c.board > after, over).order_by(matches.c.board).limit(limit)
        return self._all(found, _finished)

    def records(self, boards: Collection[int]) -> dict[int, list[str]]:
        """The notations of each board; give it few boards at a time."""
        found: dict[int, list[str]] = {board: [] for board in boards}
        rows = select(plies.c.board, plies.c.notation).where(plies.c.board.in_(found))
        for board, notation in self._connection.execute(rows.order_by(plies.c.board, plies.c.ply)):
            found[board].append(notation)
        return found

    def tournaments(self, after: int, limit: int) -> list[int]:
        """The ids of tournaments after `after`, ascending; cancelled ones are left out."""
        found = select(tournaments.c.id).where(tournaments.c.id > after, tournaments.c.state != Stage.CANCELLED.value)
        return self._column(found.order_by(tournaments.c.id).limit(limit))

    def rated(self, player_id: int) -> list[Rated]:
        """How a player's ratings moved, in the order in which the boards ended."""
        changed = rating_changes.c.rating_after, rating_changes.c.deviation_after
        found = (
            select(matches.c.game, matches.c.board, matches.c.ended_at, *changed)
            .join(matches, matches.c.board == rating_changes.c.board)
            .where(rating_changes.c.player_id == player_id)
            .order_by(matches.c.ended_at, matches.c.board)
        )
        return self._all(found, Rated._make)


def _person(row: Row[Any]) -> Person:
    chosen = Settings.chosen(json.loads(row.settings))
    return Person(Player(row.id, row.userid), chosen, row.created_at, row.bot)


def _finished(row: Row[Any]) -> Finished:
    result = result_of(row)
    assert result is not None  # noqa: S101  it has ended
    return made(Finished, row, options=tuple(row.options.split()), players=players_of(row), result=result)
