"""What waits for an answer: tickets, of whose tokens only the hash is kept, open seeks, invitations,
and broadcasts that the operator has not seen.

Wrong guesses of tokens and passwords are counted here, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, func, or_, select

from pbm.domain.likeness import mailbox
from pbm.domain.match import Player
from pbm.store.statements import Queries, among, made
from pbm.store.tables import attempts, broadcasts, invitations, players, refusals, seeks, tickets

_SUBJECT = 320


class Key(NamedTuple):
    """kind: what was guessed, or who guessed. subject: which one."""

    kind: str
    subject: str


class Attempts(NamedTuple):
    """key: with its subject as far as it is stored. locked_until: None if guesses are not locked."""

    key: Key
    failures: int
    last_at: datetime
    locked_until: datetime | None


_OF_SUBJECTS = select(attempts).where(among(attempts.c.subject, "subjects"))


class Guesses(Queries):
    """One row for each key at which a guess failed lately."""

    def get(self, keys: Collection[Key]) -> dict[Key, Attempts]:
        """The failures at each of the keys that has any."""
        wanted = {_fitted(key): key for key in keys}
        rows = self._all(_OF_SUBJECTS, _attempts, {"subjects": [key.subject for key in wanted]})
        return {wanted[attempt.key]: attempt for attempt in rows if attempt.key in wanted}

    def put(self, key: Key, failures: int, now: datetime, locked_until: datetime | None) -> None:
        kind, subject = _fitted(key)
        values = {"failures": failures, "last_at": now, "locked_until": locked_until}
        self._put(attempts, {"kind": kind, "subject": subject}, values)

    def forget(self, keys: Iterable[Key]) -> int:
        """Forget the failures at the keys; returns how many keys had any."""
        return sum(self._drop(attempts, **_fitted(key)._asdict()) for key in keys)

    def forget_about(self, subject: str, kinds: Collection[str] = ()) -> int:
        """Forget failures at a subject, and at subjects that begin with it and a blank; returns how many.

        kinds: of these kinds only; of all if there are none.
        """
        whole = attempts.c.subject == subject[:_SUBJECT]
        start = subject[: _SUBJECT - 1]
        # A range, for which the index serves and no character of a subject is a wildcard.
        begins = attempts.c.subject.between(f"{start} ", f"{start} \uffff")
        return self._delete(attempts, or_(whole, begins), *([attempts.c.kind.in_(kinds)] if kinds else []))

    def locked(self, now: datetime, kinds: Collection[str]) -> list[Attempts]:
        """The keys of some kinds that are locked, those locked longest first."""
        is_locked = (attempts.c.locked_until > now) & attempts.c.kind.in_(kinds)
        locked = self._all(select(attempts).where(is_locked), _attempts)
        return sorted(locked, key=lambda attempt: attempt.locked_until or now, reverse=True)

    def sweep(self, before: datetime, of_kinds: Mapping[str, datetime]) -> None:
        """Forget keys where nothing has failed or been locked since then. of_kinds: other instants, by kind."""
        over = or_(attempts.c.locked_until.is_(None), attempts.c.locked_until < before)
        self._delete(attempts, attempts.c.last_at < before, over, attempts.c.kind.not_in(of_kinds))
        for kind, instant in of_kinds.items():
            self._delete(attempts, attempts.c.last_at < instant, attempts.c.kind == kind)


def veiled(address: str) -> str:
    """A mailbox as it is counted: anybody may name it, and erasing whoever did leaves the count, but no address."""
    return _hash(mailbox(address))[:32]


def _attempts(row: Row[Any]) -> Attempts:
    return Attempts(Key(row.kind, row.subject), row.failures, row.last_at, row.locked_until)


def _fitted(key: Key) -> Key:
    return Key(key.kind, key.subject[:_SUBJECT])


MESSAGE = "message"
"""The purpose of tickets whose answers go to the author of a message; their payload holds its text."""
INVITE = "invite"
"""The purpose of tickets of invited strangers, whose subject is the address, and of what is due when they run out."""


class Ticket(NamedTuple):
    """purpose: what redeeming it does. subject: the address or other thing it is about. payload: data for that."""

    id: int
    purpose: str
    subject: str
    player_id: int | None
    payload: dict[str, Any]


def _about(purpose: str, subject: str) -> ColumnElement[bool]:
    return (tickets.c.purpose == purpose) & (tickets.c.subject == subject.casefold())


class Tickets(Queries):
    """A ticket is redeemed before it expires, by anybody who has the mail that carried its token."""

    def issue(
        self, token: str, purpose: str, subject: str, now: datetime, expires_at: datetime, player_id: int | None,
        payload: dict[str, Any],
    ) -> None:  # fmt: skip
        """token: random; mailed to one address and stored nowhere."""
        self._insert(
            tickets, token_hash=_hash(token), purpose=purpose, subject=subject.casefold(), player_id=player_id,
            payload=json.dumps(payload), created_at=now, expires_at=expires_at,
        )  # fmt: skip

    def find(self, token: str, now: datetime) -> Ticket | None:
        """The ticket; None if there is none or it has expired."""
        query = select(tickets).where(tickets.c.token_hash == _hash(token), tickets.c.expires_at > now)
        return self._first(query, _ticket)

    def use_up(self, ticket: Ticket) -> None:
        """Delete the ticket, so that it can no longer be redeemed."""
        self._drop(tickets, id=ticket.id)

    def issued_since(self, purpose: str, subject: str, since: datetime) -> int:
        """How many tickets of a purpose about a subject were issued since then and not used up; revoked ones count."""
        return self._count(tickets, _about(purpose, subject), tickets.c.created_at > since)

    def open_for(self, purpose: str, subject: str, now: datetime) -> list[int]:
        """The players whose tickets of a purpose about a subject can still be redeemed, by id."""
        is_open = _about(purpose, subject) & (tickets.c.expires_at > now)
        query = select(tickets.c.player_id).where(is_open, tickets.c.player_id.is_not(None))
        return sorted(set(self._column(query)))

    def open_until(self, purpose: str, subject: str, now: datetime) -> datetime:
        """When the last ticket of a purpose about a subject runs out; now if none can be redeemed."""
        is_open = _about(purpose, subject) & (tickets.c.expires_at > now)
        return self._only(select(func.max(tickets.c.expires_at)).where(is_open)) or now

    def of(self, purpose: str, player_id: int, now: datetime) -> list[Ticket]:
        """A player's tickets of a purpose that can still be redeemed."""
        own = (tickets.c.purpose == purpose) & (tickets.c.player_id == player_id)
        return self._all(select(tickets).where(own, tickets.c.expires_at > now).order_by(tickets.c.id), _ticket)

    def all_of(self, purpose: str) -> list[Ticket]:
        """All tickets of a purpose that are not forgotten yet."""
        return self._all(select(tickets).where(tickets.c.purpose == purpose).order_by(tickets.c.id), _ticket)

    def restate(self, ticket: Ticket) -> None:
        """Write what has changed in the subject and the payload."""
        values = {"subject": ticket.subject.casefold(), "payload": json.dumps(ticket.payload)}
        self._update(tickets, tickets.c.id == ticket.id, **values)

    def drop_of(self, purpose: str, subject: str, player_id: int) -> None:
        """Use up a player's tickets of a purpose about a subject."""
        self._drop(tickets, purpose=purpose, subject=subject.casefold(), player_id=player_id)

    def revoke(self, purpose: str, subject: str, now: datetime) -> None:
        """Revoke the tickets of a purpose about a subject; they still count as issued."""
        self._update(tickets, _about(purpose, subject), tickets.c.expires_at > now, expires_at=now)

    def revoke_of(self, player_id: int, now: datetime, *, kept: Collection[str] = ()) -> None:
        """Revoke a player's tickets, except for the purposes in `kept`; they still count as issued."""
        about = (tickets.c.player_id == player_id) & tickets.c.purpose.not_in(kept)
        self._update(tickets, about, tickets.c.expires_at > now, expires_at=now)

    def revoke_all(self, now: datetime) -> None:
        """Revoke all tickets."""
        self._update(tickets, tickets.c.expires_at > now, expires_at=now)

    def sweep(self, now: datetime) -> None:
        """Delete tickets that expired more than a day ago; until then they count as issued."""
        self._delete(tickets, tickets.c.expires_at <= now - timedelta(days=1))


def _ticket(row: Row[Any]) -> Ticket:
    return Ticket(row.id, row.purpose, row.subject, row.player_id, json.loads(row.payload))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Seek(NamedTuple):
    """A player's search for opponents. options, body: as in a challenge."""

    id: int
    player: Player
    game: str
    options: tuple[str, ...]
    body: str
    wanted: int
    """How many more games."""


class Seeks(Queries):
    """A player has at most one open seek in a game."""

    def add(self, player: Player, game: str, options: tuple[str, ...], body: str, wanted: int, now: datetime) -> Seek:
        words = " ".join(options)
        key = self._add(seeks, player_id=player.id, game=game, options=words, body=body, wanted=wanted, created_at=now)
        return Seek(key, player, game, options, body, wanted)

    def get(self, seek_id: int) -> Seek | None:
        return next(iter(self._where(seeks.c.id == seek_id)), None)

    def own(self, player_id: int, game: str) -> Seek | None:
        return next(iter(self._where((seeks.c.player_id == player_id) & (seeks.c.game == game))), None)

    def of(self, player_id: int) -> list[Seek]:
        """A player's own seeks, oldest first."""
        return self._where(seeks.c.player_id == player_id)

    def open(self, game: str, limit: int | None = None) -> list[Seek]:
        """The open seeks of a game, oldest first."""
        return self._where(seeks.c.game == game, limit)

    def set_wanted(self, seek_id: int, wanted: int) -> None:
        """Set how many more games are wanted; 0 closes the seek."""
        if wanted < 1:
            self._drop(seeks, id=seek_id)
        else:
            self._update(seeks, seeks.c.id == seek_id, wanted=wanted)

    def _where(self, condition: Any, limit: int | None = None) -> list[Seek]:
        query = (
            select(seeks, players.c.userid)
            .join(players, players.c.id == seeks.c.player_id)
            .where(condition, players.c.removed_at.is_(None))
            .order_by(seeks.c.id)
            .limit(limit)
        )
        return self._all(
            query,
            lambda row: made(Seek, row, player=Player(row.player_id, row.userid), options=tuple(row.options.split())),
        )


class Invitations(Queries):
    """Strangers who were invited, each only once. Only the hash of an address is kept."""

    def add(self, address: str, player_id: int, now: datetime) -> bool:
        """False if its mailbox was invited before, by anybody."""
        as_written, hashed = _hash(address.casefold()), _hash(mailbox(address))
        same_mailbox = invitations.c.address_hash.in_((as_written, hashed))
        if self._is_any(select(invitations).where(same_mailbox)):
            return False
        self._insert(invitations, address_hash=hashed, player_id=player_id, created_at=now)
        return True

    def refuse(self, address: str, now: datetime) -> None:
        """Let nobody make us write to the mailbox again. This outlives the player who invited it."""
        self._insert_new(refusals, address_hash=_hash(mailbox(address)), created_at=now)

    def is_refused(self, address: str) -> bool:
        """Whether somebody has answered from the mailbox that they want no more mail from us."""
        return self._is_any(select(refusals).where(refusals.c.address_hash == _hash(mailbox(address))))

    def welcome_back(self, address: str) -> None:
        """Lift the refusal, because the mailbox's owner has an account now."""
        self._drop(refusals, address_hash=_hash(mailbox(address)))


class Broadcast(NamedTuple):
    """sent_at: None while it waits for the operator."""

    id: int
    author: Player
    text: str
    created_at: datetime
    sent_at: datetime | None


_with_author = (
    select(broadcasts, players.c.userid)
    .join(players, players.c.id == broadcasts.c.player_id)
    .where(players.c.removed_at.is_(None))
)


class Broadcasts(Queries):
    """Broadcasts that were sent or wait; one that is refused is deleted."""

    def add(self, author: Player, text: str, now: datetime, *, sent: bool) -> Broadcast:
        sent_at = now if sent else None
        key = self._add(broadcasts, player_id=author.id, text=text, created_at=now, sent_at=sent_at)
        return Broadcast(key, author, text, now, sent_at)

    def waiting(self) -> list[Broadcast]:
        """Those that wait for the operator, oldest first."""
        query = _with_author.where(broadcasts.c.sent_at.is_(None)).order_by(broadcasts.c.id)
        return self._all(query, _broadcast)

    def get(self, broadcast_id: int) -> Broadcast | None:
        """A broadcast, sent or waiting; None if its author has left."""
        return self._first(_with_author.where(broadcasts.c.id == broadcast_id), _broadcast)

    def sent(self, broadcast_id: int, now: datetime) -> None:
        self._update(broadcasts, broadcasts.c.id == broadcast_id, sent_at=now)

    def drop(self, broadcast_id: int) -> None:
        self._drop(broadcasts, id=broadcast_id)


def _broadcast(row: Row[Any]) -> Broadcast:
    return Broadcast(row.id, Player(row.player_id, row.userid), row.text, row.created_at, row.sent_at)
