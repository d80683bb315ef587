"""Open seeks, and whom the server has invited on a player's behalf."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from pbm.domain.likeness import mailbox
from pbm.domain.match import Player
from pbm.store.tables import invitations, players, refusals, seeks


@dataclass(frozen=True, slots=True)
class Seek:
    """A player looks for opponents. wanted: how many games still. options, body: as of a challenge."""

    id: int
    player: Player
    game: str
    options: tuple[str, ...]
    body: str
    wanted: int
    created_at: datetime


class Seeks:
    """A player has at most one open seek in a game."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, player: Player, game: str, options: tuple[str, ...], body: str, wanted: int, now: datetime) -> Seek:
        values = {
            "player_id": player.id,
            "game": game,
            "options": " ".join(options),
            "body": body,
            "wanted": wanted,
            "created_at": now,
        }
        key = self._connection.execute(insert(seeks).values(values).returning(seeks.c.id)).scalar_one()
        return Seek(key, player, game, options, body, wanted, now)

    def get(self, seek_id: int) -> Seek | None:
        found = self._found(seeks.c.id == seek_id)
        return found[0] if found else None

    def own(self, player_id: int, game: str) -> Seek | None:
        found = self._found((seeks.c.player_id == player_id) & (seeks.c.game == game))
        return found[0] if found else None

    def open(self, game: str) -> list[Seek]:
        """The oldest first."""
        return self._found(seeks.c.game == game)

    def set_wanted(self, seek_id: int, wanted: int) -> None:
        """A seek that wants no more games is closed."""
        if wanted < 1:
            self._connection.execute(delete(seeks).where(seeks.c.id == seek_id))
        else:
            self._connection.execute(update(seeks).where(seeks.c.id == seek_id).values(wanted=wanted))

    def _found(self, condition: Any) -> list[Seek]:
        rows = self._connection.execute(
            select(seeks, players.c.userid)
            .join(players, players.c.id == seeks.c.player_id)
            .where(condition, players.c.removed_at.is_(None))
            .order_by(seeks.c.id)
        )
        return [_seek(row) for row in rows]


class Invitations:
    """Strangers who were invited; each only once, ever. Of an address only the hash is kept."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, address: str, player_id: int, now: datetime) -> bool:
        """False if its mailbox was invited before, by anybody."""
        as_written, hashed = _hash(address.casefold()), _hash(mailbox(address))
        known = invitations.c.address_hash.in_((as_written, hashed))
        if self._connection.execute(select(invitations).where(known)).first():
            return False
        self._connection.execute(insert(invitations).values(address_hash=hashed, player_id=player_id, created_at=now))
        return True

    def refuse(self, address: str, now: datetime) -> None:
        """Nobody may make us write to the mailbox any more. This outlives whoever invited it."""
        if not self.is_refused(address):
            self._connection.execute(insert(refusals).values(address_hash=_hash(mailbox(address)), created_at=now))

    def is_refused(self, address: str) -> bool:
        """Somebody has answered from the mailbox that no more of our mail is wanted there."""
        known = select(refusals).where(refusals.c.address_hash == _hash(mailbox(address)))
        return self._connection.execute(known).first() is not None

    def welcome_back(self, address: str) -> None:
        """Its owner has an account now."""
        self._connection.execute(delete(refusals).where(refusals.c.address_hash == _hash(mailbox(address))))

    def sent_since(self, player_id: int, since: datetime) -> int:
        """How many strangers the player has invited since then."""
        found = select(func.count()).where(invitations.c.player_id == player_id, invitations.c.created_at > since)
        return self._connection.execute(found).scalar_one()


def _hash(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def _seek(row: Row[Any]) -> Seek:
    player = Player(row.player_id, row.userid)
    return Seek(row.id, player, row.game, tuple(row.options.split()), row.body, row.wanted, row.created_at)
