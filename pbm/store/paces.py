"""How reliable players are, by game: sums over their ended matches, so that no list has to read all records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from pbm.domain.pace import Pace
from pbm.store.tables import paces


class Paces:
    """A player without a row has not ended a match of the game. The records decide; this follows from them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, game: str, player_ids: Iterable[int]) -> dict[int, Pace]:
        """By player, for each one asked for."""
        found = dict.fromkeys(player_ids, Pace())
        rows = self._connection.execute(select(paces).where(paces.c.game == game, paces.c.player_id.in_(found)))
        return found | {row.player_id: _pace(row) for row in rows}

    def of_player(self, player_id: int) -> dict[str, Pace]:
        """By game, of those he has ended a match of."""
        rows = self._connection.execute(select(paces).where(paces.c.player_id == player_id).order_by(paces.c.game))
        return {row.game: _pace(row) for row in rows}

    def add(self, player_id: int, game: str, pace: Pace) -> None:
        """Another match of the player's has ended."""
        self._save(player_id, game, self.of(game, (player_id,))[player_id] + pace)

    def take_back(self, player_id: int, game: str, pace: Pace) -> None:
        """A match of the player's has not ended after all."""
        self._save(player_id, game, self.of(game, (player_id,))[player_id] - pace)

    def _save(self, player_id: int, game: str, pace: Pace) -> None:
        own = (paces.c.player_id == player_id) & (paces.c.game == game)
        if not pace.finished:
            self._connection.execute(delete(paces).where(own))
            return
        values = _columns(pace)
        if self._connection.execute(update(paces).where(own).values(values)).rowcount == 0:
            self._connection.execute(insert(paces).values(player_id=player_id, game=game, **values))


def _pace(row: Row[Any]) -> Pace:
    return Pace(row.finished, row.timeouts, row.moves, timedelta(microseconds=row.microseconds))


def _columns(pace: Pace) -> dict[str, int]:
    return {
        "finished": pace.finished,
        "timeouts": pace.timeouts,
        "moves": pace.moves,
        "microseconds": pace.time // timedelta(microseconds=1),
    }
