"""Tickets: what waits for an answer to a mail. Only the hash of a ticket's token is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from pbm.store.tables import tickets


@dataclass(frozen=True, slots=True)
class Ticket:
    """purpose: what redeeming it does. subject: the address or other thing it is about. payload: what that needs."""

    id: int
    purpose: str
    subject: str
    player_id: int | None
    payload: dict[str, Any]
    created_at: datetime


class Tickets:
    """A ticket is redeemed before it expires, by whoever got the mail that carried its token."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def issue(
        self,
        token: str,
        purpose: str,
        subject: str,
        now: datetime,
        expires_at: datetime,
        *,
        player_id: int | None = None,
        payload: dict[str, Any] | None = None,
    ) -> None:
        """token: random, mailed to one address and kept nowhere."""
        values = {
            "token_hash": _hash(token),
            "purpose": purpose,
            "subject": subject.casefold(),
            "player_id": player_id,
            "payload": json.dumps(payload or {}),
            "created_at": now,
            "expires_at": expires_at,
        }
        self._connection.execute(insert(tickets).values(values))

    def find(self, token: str, now: datetime) -> Ticket | None:
        """The ticket; None if there is none or it has expired."""
        found = select(tickets).where(tickets.c.token_hash == _hash(token), tickets.c.expires_at > now)
        row = self._connection.execute(found).one_or_none()
        if row is None:
            return None
        return Ticket(row.id, row.purpose, row.subject, row.player_id, json.loads(row.payload), row.created_at)

    def use_up(self, ticket: Ticket) -> None:
        """It can no longer be redeemed."""
        self._connection.execute(delete(tickets).where(tickets.c.id == ticket.id))

    def issued_since(self, purpose: str, subject: str, since: datetime) -> int:
        """How many tickets of a purpose about a subject were issued since then and not used up, revoked ones too."""
        found = (
            select(func.count())
            .select_from(tickets)
            .where(tickets.c.purpose == purpose, tickets.c.subject == subject.casefold(), tickets.c.created_at > since)
        )
        return self._connection.execute(found).scalar_one()

    def open_for(self, purpose: str, subject: str, now: datetime) -> list[int]:
        """The players whose tickets of a purpose about a subject can still be redeemed, by id."""
        about = (tickets.c.purpose == purpose) & (tickets.c.subject == subject.casefold())
        found = select(tickets.c.player_id).where(about, tickets.c.expires_at > now, tickets.c.player_id.is_not(None))
        return sorted(set(self._connection.execute(found).scalars()))

    def drop_of(self, purpose: str, subject: str, player_id: int) -> None:
        """A player's tickets of a purpose about a subject are used up."""
        about = (tickets.c.purpose == purpose) & (tickets.c.subject == subject.casefold())
        self._connection.execute(delete(tickets).where(about, tickets.c.player_id == player_id))

    def revoke(self, purpose: str, subject: str, now: datetime) -> None:
        """Tickets of a purpose about a subject can no longer be redeemed; they still count as issued."""
        about = (tickets.c.purpose == purpose) & (tickets.c.subject == subject.casefold())
        self._connection.execute(update(tickets).where(about, tickets.c.expires_at > now).values(expires_at=now))

    def revoke_of(self, player_id: int, now: datetime, *, kept: Collection[str] = ()) -> None:
        """A player's tickets can no longer be redeemed, but for purposes that are kept; they still count as issued."""
        about = (tickets.c.player_id == player_id) & tickets.c.purpose.not_in(kept)
        self._connection.execute(update(tickets).where(about, tickets.c.expires_at > now).values(expires_at=now))

    def sweep(self, now: datetime) -> None:
        """Forget what expired more than a day ago; until then it counts as issued."""
        self._connection.execute(delete(tickets).where(tickets.c.expires_at <= now - timedelta(days=1)))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
