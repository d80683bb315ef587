"""What all queries share: the connection of their transaction, and the shapes that many statements have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Select, Table, and_, delete, insert, select, update

from pbm.domain.match import Player
from pbm.store.tables import players

PLAYERS = select(players.c.id, players.c.userid)
"""As `Queries._players` reads them."""

V = TypeVar("V")


class Queries:
    """Queries about one thing, as long as their transaction lasts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def _first(self, found: Executable, make: Callable[[Any], V]) -> V | None:
        """What is made of the only row; None where there is none."""
        row = self._execute(found).one_or_none()
        return None if row is None else make(row)

    def _players(self, found: Select[tuple[int, str]]) -> list[Player]:
        return [Player(row.id, row.userid) for row in self._execute(found)]

    def _drop(self, table: Table, **key: Any) -> int:
        """Delete the rows that have these values; returns how many there were."""
        return self._execute(delete(table).where(_has(table, key))).rowcount

    def _put(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Let the row with the key have the values, whether it is there or not."""
        if self._execute(update(table).where(_has(table, key)).values(values)).rowcount == 0:
            self._execute(insert(table).values({**key, **values}))


def _has(table: Table, key: Mapping[str, Any]) -> Any:
    return and_(*(table.c[name] == value for name, value in key.items()))
