"""All that is stored about one player, as plain values for JSON, and back again.

Rows keep the names of their columns, except for keys: a player is given by userid, and numbers that only this database
knows are left out. Instants are texts in UTC, to the microsecond. What concerns somebody else is left out, too: others'
addresses, what they have written or decided for later, and who asked for a match, because that may be an address.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from sqlalchemy import Column, Executable, Row, Table, func, insert, or_, select, text, union
from sqlalchemy.exc import IntegrityError

from pbm.domain.errors import BadArguments
from pbm.store.matches import seated
from pbm.store.players import Players, id_of
from pbm.store.statements import Instant, Queries, among
from pbm.store.tables import (
    INNER,
    absences,
    addresses,
    blocks,
    bouts,
    broadcasts,
    follows,
    game_choices,
    intents,
    matches,
    paces,
    player_follows,
    players,
    plies,
    rating_changes,
    ratings,
    remarks,
    seeks,
    tickets,
    tournament_follows,
    tournament_players,
    tournaments,
)
from pbm.store.tickets import MESSAGE

Values = Mapping[str, Any]


SECTIONS: dict[str, tuple[Table, tuple[str, ...]]] = {
    "addresses": (addresses, ("id",)),
    "ratings": (ratings, ("game",)),
    "reliability": (paces, ("game",)),
    "choices": (game_choices, ("game",)),
    "vacations": (absences, ("starts_at", "id")),
    "seeks": (seeks, ("id",)),
    "follows": (follows, ("board",)),
    "remarks": (remarks, ("created_at", "board", "id")),
    "broadcasts": (broadcasts, ("id",)),
}
"""Tables whose rows belong to a player, and the columns they are sorted by; those of the key come last."""
OF_BOARDS = frozenset(name for name, (table, _) in SECTIONS.items() if "board" in table.c)
"""Sections whose rows are about boards."""
PEOPLE = {"follows_players": player_follows.c.followed_id, "blocks": blocks.c.blocked_id}
_MATCHES, _CHANGES, _DECIDED = (
    select(table).where(among(table.c.board, "boards")).order_by(*table.primary_key)
    for table in (matches, rating_changes, intents)
)
_USERIDS = select(players.c.id, players.c.userid).where(among(players.c.id, "players"))
_KINDS: dict[type, type | tuple[type, ...]] = {float: (float, int)}  # JSON need not tell 1500 from 1500.0
_MOST = 2**63  # a database's integers have a sign and 64 bits
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # PostgreSQL takes no NUL, and no database half of a pair of surrogates
NO_PASSWORD = "!"  # noqa: S105  the hash of none
"""The hash of players for whom no password is right."""


class Belongings(Queries):
    """Reads and writes rows; whether they are consistent with each other is for others to judge."""

    def sections(self, player_id: int) -> dict[str, list[Values]]:
        """The rows of each section."""
        rows = dict[str, list[Values]]()
        for name, (table, order) in SECTIONS.items():
            own = select(table).where(table.c.player_id == player_id).order_by(*(table.c[column] for column in order))
            rows[name] = self._all(own, partial(_plain, table))
        return rows

    def people(self, player_id: int) -> dict[str, list[str]]:
        """The userids of players whom the player follows, and of those they have blocked."""
        userids = {}
        for name, other in PEOPLE.items():
            others = select(players.c.userid).join(other.table, other == players.c.id)
            own = other.table.c.player_id == player_id
            userids[name] = self._column(others.where(own).order_by(players.c.userid_key))
        return userids

    def tournaments(self, player_id: int) -> list[Values]:
        """Tournaments they entered, created or follow, each with their pairings there, oldest first."""
        theirs = (
            select(tournament_players.c.tournament_id).where(tournament_players.c.player_id == player_id),
            select(tournaments.c.id).where(tournaments.c.creator_id == player_id),
            select(tournament_follows.c.tournament_id).where(tournament_follows.c.player_id == player_id),
        )
        query = select(tournaments).where(tournaments.c.id.in_(union(*theirs))).order_by(tournaments.c.id)
        mine = select(tournament_players).where(tournament_players.c.player_id == player_id)
        entered = {
            row.tournament_id: _plain(tournament_players, row, within=tournaments)
            for row in self._connection.execute(mine)
        }
        return [
            {
                **_plain(tournaments, row),
                "made": row.creator_id == player_id,
                "entered": entered.get(row.id),
                "bouts": self._bouts(row.id, player_id),
            }
            for row in self._connection.execute(query).all()
        ]

    def _bouts(self, tournament_id: int, player_id: int) -> list[Values]:
        """seat: theirs. points1, points2: of each seat."""
        own = or_(bouts.c.first_id == player_id, bouts.c.second_id == player_id)
        query = select(bouts).where(bouts.c.tournament_id == tournament_id, own).order_by(bouts.c.id)
        return [
            {**_plain(bouts, row, within=tournaments), "seat": 1 if row.first_id == player_id else 2}
            for row in self._connection.execute(query)
        ]

    def messages(self, userid: str) -> list[Values]:
        """What they wrote to others lately, oldest first."""
        query = select(tickets, players.c.userid).join(players, players.c.id == tickets.c.player_id)
        own = tickets.c.purpose == MESSAGE, tickets.c.subject == userid.casefold()
        messages = [
            {
                "to": row.userid,
                "text": json.loads(row.payload).get("text", ""),
                "written_at": row.created_at.isoformat(),
            }
            for row in self._connection.execute(query.where(*own).order_by(tickets.c.id))
        ]
        return [message for number, message in enumerate(messages) if message not in messages[:number]]

    def boards(self, player_id: int) -> list[int]:
        """The boards they play on, follow or have written about, ascending."""
        own = select(matches.c.board).where(seated(player_id))
        followed = select(follows.c.board).where(follows.c.player_id == player_id)
        remarked = select(remarks.c.board).where(remarks.c.player_id == player_id)
        return sorted(self._column(own.union(followed, remarked)))

    def matches(self, boards: Sequence[int], player_id: int) -> list[dict[str, Any]]:
        """Matches, the rating changes they caused, and what the player has decided there for later."""
        rows = self._connection.execute(_MATCHES, {"boards": boards}).all()
        seats = {row.board: (row.seat1_id, row.seat2_id) for row in rows}
        people = self._connection.execute(_USERIDS, {"players": [*set().union(*seats.values())]})
        names = {person.id: person.userid for person in people}
        changes, decided = self._by_board(_CHANGES, boards), self._by_board(_DECIDED, boards)
        return [
            {
                **_plain(matches, row),
                "players": [names[seat] for seat in seats[row.board]],
                "rating_changes": {
                    names[change.player_id]: _plain(rating_changes, change, within=matches)
                    for change in changes[row.board]
                },
                "decided": [
                    _plain(intents, intent, within=matches)
                    for intent in decided[row.board]
                    # What the other player has decided for later is theirs alone.
                    if seats[row.board][intent.seat - 1] == player_id
                ],
            }
            for row in rows
        ]

    def _by_board(self, asked: Executable, boards: Sequence[int]) -> dict[int, list[Row[Any]]]:
        """The rows about each board."""
        rows: dict[int, list[Row[Any]]] = {board: [] for board in boards}
        for row in self._connection.execute(asked, {"boards": boards}):
            rows[row.board].append(row)
        return rows

    def holder(self, userid: str) -> tuple[int, bool] | None:
        """The id of the player who has or had the userid, and whether they are only a name that was imported."""
        columns = players.c.id, players.c.password_hash, players.c.removed_at
        query = select(*columns).where(players.c.id == id_of(userid.casefold()))
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        has_address = self._is_any(select(addresses.c.id).where(addresses.c.player_id == row.id).limit(1))
        return row.id, row.password_hash == NO_PASSWORD and row.removed_at is None and not has_address

    def add_name(self, userid: str, now: datetime) -> int:
        """Add a player of whom only the games are known; nobody can log in as them. Returns their id."""
        return Players(self._connection).add(userid, NO_PASSWORD, now).id

    def introduce(self, player_id: int, userid: str, settings: str, created_at: datetime, *, bot: bool) -> None:
        """Turn a name into a player, who can log in once they have set a password."""
        values = {"userid": userid, "settings": settings, "created_at": created_at, "bot": bot}
        self._update(players, players.c.id == player_id, **values)

    def add_rows(self, name: str, rows: Iterable[Values], player_id: int) -> None:
        """Add rows of a section. Raises: BadArguments."""
        table, _ = SECTIONS[name]
        for row in rows:
            self._take_in(table, row, {"player_id": player_id})
            if table is remarks:
                self._update(matches, matches.c.board == row["board"], annotated=True)

    def add_person(self, name: str, player_id: int, other_id: int) -> None:
        """Add a player whom the player follows, or has blocked. Raises: BadArguments."""
        other = PEOPLE[name]
        self._take_in(other.table, {}, {"player_id": player_id, other.name: other_id})

    def add_match(self, row: Values, board: int | None, seats: tuple[int, int], rematch_of: int | None) -> int:
        """Add a match without its record; returns its board. board: None for the next free. Raises: BadArguments."""
        keys = {"board": board, "seat1_id": seats[0], "seat2_id": seats[1], "rematch_of": rematch_of}
        added = self._take_in(matches, row, keys)
        # PostgreSQL's sequence does not hear of a number that was given, and would give it again.
        if self._connection.dialect.name != "sqlite":
            raised = select(func.max(matches.c.board)).scalar_subquery()
            self._connection.execute(select(func.setval(text("'matches_board_seq'"), raised)))
        return added

    def add_record(self, board: int, record: Iterable[Values], changes: Mapping[int, Values]) -> None:
        """Add the plies of a match, and its rating changes by player. Raises: BadArguments."""
        rows = [
            {**_checked(plies, ply, within=matches), "board": board, "ply": number}
            for number, ply in enumerate(record, 1)
        ]
        if rows:
            self._connection.execute(insert(plies), rows)
        for player_id, change in changes.items():
            self._insert(
                rating_changes,
                **{**_checked(rating_changes, change, within=matches), "board": board, "player_id": player_id},
            )

    def add_decided(self, board: int, row: Values) -> None:
        """Add one of a seat's decisions for later. Raises: BadArguments."""
        self._take_in(intents, row, {"board": board}, within=matches)

    def _take_in(self, table: Table, row: Values, keys: Values, within: Table | None = None) -> int:
        """Add an exported row; returns the first part of its key. keys: what only this database knows.

        Raises: BadArguments.
        """
        values = {**_checked(table, row, within=within), **keys}
        added = insert(table).values({name: value for name, value in values.items() if value is not None})
        try:
            key = self._connection.execute(added).inserted_primary_key
        except IntegrityError:
            raise BadArguments(f"A row of {table.name} does not go with the others, or is there twice.") from None
        return int(key[0]) if key else 0


@cache
def _exported(table: Table, within: Table | None) -> dict[str, Column[Any]]:
    """The columns that are exported, by name. within: the table with whose rows these are told."""
    columns = {}
    for column in table.c:
        # Left out are keys that only this database knows, or that follow from where the row stands.
        targets = [key.column.table for key in column.foreign_keys]
        if column.name != "id" and INNER not in column.info and players not in targets and within not in targets:
            columns[column.name] = column
    return columns


def _plain(table: Table, row: Row[Any], *, within: Table | None = None) -> dict[str, Any]:
    named = {name: getattr(row, name) for name in _exported(table, within)}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in named.items()}


def _checked(table: Table, row: Values, *, within: Table | None = None) -> dict[str, Any]:
    """The values of a row as the database takes them. Raises: BadArguments, which names what does not fit."""
    columns = _exported(table, within)
    if not isinstance(row, dict) or row.keys() != columns.keys():
        odd = sorted(set(row) ^ columns.keys()) if isinstance(row, dict) else ["a row"]
        raise BadArguments(f'"{odd[0]}" of {table.name} is not as this server writes it.')
    return {name: _value(columns[name], value) for name, value in row.items()}


def _value(column: Column[Any], value: Any) -> Any:
    if value is None and column.nullable:
        return None
    if isinstance(column.type, Instant):
        return instant(value)
    if not _fits(column, value):
        raise BadArguments(f'"{str(value)[:40]}" does not fit {column.name} of {column.table.name}.')
    return value


def _fits(column: Column[Any], value: Any) -> bool:
    """Whether every database stores the value, and gives the same back."""
    kind = column.type.python_type
    # True is an int for Python, but not for PostgreSQL.
    if not isinstance(value, _KINDS.get(kind, kind)) or isinstance(value, bool) != (kind is bool):
        return False
    if isinstance(value, str):
        # SQLite keeps texts of any length.
        most = getattr(column.type, "length", None) or len(value)
        return len(value) <= most and not _UNSTORABLE.search(value)
    if isinstance(value, float):
        return math.isfinite(value)  # as in comparisons NaN is neither more nor less
    return not isinstance(value, int) or abs(value) < _MOST


def instant(word: Any) -> datetime:
    """Raises: BadArguments."""
    try:
        return datetime.fromisoformat(word).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise BadArguments(f'"{str(word)[:40]}" is no instant, such as 2026-01-01T12:00:00+00:00.') from None
