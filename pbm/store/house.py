"""The server's own affairs: its address, its secrets, what it has to do and when, and when clocks stand still.

Players know the server by its mail address; its secrets prove that a mail or an export is its own; keys of others
encrypt what it sends them. All belong to the database, not to a process. The agenda holds what is to be done, each
thing once. Clocks stand still for players on vacation or out of reach, and for everybody while the server was down.
What operators did is logged.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, bindparam, func, or_, select

from pbm.domain.calendars import Stop, StopKind
from pbm.store.pulse import HEARTBEAT
from pbm.store.statements import Queries, among, made
from pbm.store.tables import absences, acts, agenda, meta, peer_keys
from pbm.values import frozen

_DOMAIN, _LOCAL_PART, _FORMER = "domain", "local_part", "former_addresses"


_KEPT = select(meta.c.key, meta.c.value).where(among(meta.c.key, "keys"))


class _Meta(Queries):
    """Single values by name."""

    def _kept(self, *keys: str) -> dict[str, str]:
        """Those of the values that there are."""
        return {row.key: row.value for row in self._connection.execute(_KEPT, {"keys": [*keys]})}

    def _keep(self, key: str, value: str) -> None:
        self._put(meta, {"key": key}, {"value": value})


class Identity(_Meta):
    """The two halves of the server's address; a database that no server has used yet has none."""

    def get(self) -> tuple[str, str] | None:
        """The part before the @, and the domain; None if there is no address yet."""
        kept = self._kept(_DOMAIN, _LOCAL_PART)
        return (kept[_LOCAL_PART], kept[_DOMAIN]) if len(kept) == 2 else None

    def former(self) -> tuple[str, ...]:
        """The addresses it had before, oldest first."""
        return tuple(self._kept(_FORMER).get(_FORMER, "").split())

    def set(self, local_part: str, domain: str) -> None:
        """Set the address; the previous one is kept as a former one."""
        address, before, former = f"{local_part}@{domain}", self.get(), self.former()
        if before is not None:
            former = (*former, "@".join(before))
            kept = " ".join(dict.fromkeys(old for old in former if old.lower() != address.lower()))
            self._keep(_FORMER, kept)
        self._keep(_LOCAL_PART, local_part)
        self._keep(_DOMAIN, domain)


_SECRET, _FORMER_SECRETS, _GENERATION = "secret", "former_secrets", "generation"


class Secrets(_Meta):
    """The secret that seals the server's tokens and exports, and earlier ones that are still valid."""

    def ensure(self, fresh: str) -> None:
        """Keep the secret of the database; if it has none, `fresh` (hexadecimal) becomes it."""
        if _SECRET not in self._sealed():
            self._keep(_SECRET, fresh)

    def keys(self, now: datetime) -> list[bytes]:
        """The keys of tokens: the one that seals them, and after it those that still open older ones."""
        kept = self._sealed()
        # Drawn anew whenever the database is set back: tokens of the lost time become invalid, but not its exports.
        generation = bytes.fromhex(kept.get(_GENERATION, ""))
        return [secret + generation for secret in _all(kept, now)]

    def sign(self, content: bytes) -> str:
        """A signature which shows that this server wrote the content."""
        return _seal(bytes.fromhex(self._sealed()[_SECRET]), content)

    def has_signed(self, content: bytes, signature: str, now: datetime) -> bool:
        """Whether this is our signature of the content, with any secret that is still valid."""
        ours = [_seal(secret, content) for secret in _all(self._sealed(), now)]
        # In constant time, as for tokens.
        return any(hmac.compare_digest(signature.encode(), seal.encode()) for seal in ours)

    def rotate(self, fresh: str, now: datetime, until: datetime) -> None:
        """Make `fresh` (random, hexadecimal) the secret. Earlier ones are valid until then at most."""
        kept = self._sealed()
        former = [(kept[_SECRET], until), *((secret, min(end, until)) for secret, end in _former(kept, now))]
        self._keep(_SECRET, fresh)
        self._keep_former([(secret, end) for secret, end in former if end > now])

    def former_until(self, now: datetime) -> list[datetime]:
        """Until when each earlier secret is valid, newest first."""
        return [until for _, until in _former(self._sealed(), now)]

    def sweep(self, now: datetime) -> None:
        """Drop earlier secrets that are no longer valid."""
        kept = self._sealed()
        former = _former(kept, now)
        if len(former) < len(json.loads(kept.get(_FORMER_SECRETS, "[]"))):
            self._keep_former(former)

    def draw_generation(self, fresh: str) -> None:
        """Invalidate all tokens given out so far. fresh: random, hexadecimal."""
        self._keep(_GENERATION, fresh)

    def _sealed(self) -> dict[str, str]:
        return self._kept(_SECRET, _FORMER_SECRETS, _GENERATION)

    def _keep_former(self, former: list[tuple[str, datetime]]) -> None:
        self._keep(_FORMER_SECRETS, json.dumps([(secret, until.isoformat()) for secret, until in former]))


def _seal(secret: bytes, content: bytes) -> str:
    return hmac.new(secret, b"export" + content, "sha256").hexdigest()


def _former(kept: Mapping[str, str], now: datetime) -> list[tuple[str, datetime]]:
    former = [(secret, datetime.fromisoformat(until)) for secret, until in json.loads(kept.get(_FORMER_SECRETS, "[]"))]
    return [(secret, until) for secret, until in former if until > now]


def _all(kept: Mapping[str, str], now: datetime) -> list[bytes]:
    return [bytes.fromhex(secret) for secret in (kept[_SECRET], *(secret for secret, _ in _former(kept, now)))]


class Peer(NamedTuple):
    """The OpenPGP key of an address."""

    key: bytes
    wanted: bool
    """Whether its owner wants encrypted mail."""
    proven: bool
    """Whether it came with a mail that was surely from the address; otherwise only answers to that mail use the key."""
    chats: bool
    """Whether its owner's program is a chat app."""
    brought_by: tuple[str, ...]
    """The ids of the last mails that brought this key, as many as MOST_BRINGERS; answers to each of them may use it."""


MOST_BRINGERS = 8  # newcomers with a chat app write several mails before the first is answered


class Peers(Queries):
    """One key for each address, whatever its case."""

    def find(self, address: str) -> Peer | None:
        own = peer_keys.c.address_key == address.casefold()
        query = select(*(peer_keys.c[name] for name in Peer._fields)).where(own)
        return self._first(query, lambda row: Peer._make(row)._replace(brought_by=tuple(row.brought_by.split())))

    def put(self, address: str, peer: Peer, now: datetime) -> None:
        """Keep the key in place of the previous one."""
        values = peer._asdict() | {"brought_by": " ".join(peer.brought_by), "seen_at": now}
        self._put(peer_keys, {"address_key": address.casefold()}, values)

    def sweep(self, before: datetime) -> None:
        """Drop keys that were never proven and were last seen before then."""
        self._delete(peer_keys, ~peer_keys.c.proven, peer_keys.c.seen_at < before)


TOLD = "set back"
"""The kind of the item that tells players how their boards stand, after a set-back or once old tokens are invalid."""
THINK = "think"
"""The kind of items that need long thought: only thinkers take them, `next_at` and `claim` pass them over."""


@frozen
class Item:
    """kind: what is to be done. key: to what; a kind has one item for each key. payload: values for JSON.

    attempts: how often it has failed through our fault.
    """

    kind: str
    key: str
    due_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 0


def _item(row: Row[Any]) -> Item:
    return Item(row.kind, row.key, row.due_at, json.loads(row.payload), row.attempts)


_NEXT_DUE = select(func.min(agenda.c.due_at)).where(agenda.c.kind != THINK)


class Agenda(Queries):
    """An item is taken off in the transaction that does it, so it is done once, whichever process is killed when."""

    def put(self, kind: str, key: object, due_at: datetime, **payload: Any) -> None:
        """Add an item, in place of the kind's earlier one with this key."""
        values = {"due_at": due_at, "payload": json.dumps(payload, sort_keys=True), "attempts": 0}
        self._put(agenda, {"kind": kind, "key": str(key)}, values)

    def drop(self, kind: str, key: object) -> bool:
        """Take an item off; whether there was one."""
        return self._drop(agenda, kind=kind, key=str(key)) != 0

    def get(self, kind: str, key: object) -> Item | None:
        query = select(agenda).where(agenda.c.kind == kind, agenda.c.key == str(key))
        return self._first(query, _item)

    def of(self, kind: str) -> list[Item]:
        """All items of a kind, those due longest first."""
        query = select(agenda).where(agenda.c.kind == kind).order_by(agenda.c.due_at, agenda.c.key)
        return self._all(query, _item)

    def next_at(self) -> datetime | None:
        """When the next item is due, THINK aside; None if there is none."""
        return self._only(_NEXT_DUE)

    def claim(self, now: datetime) -> Item | None:
        """The item that has been due longest; nobody else gets it until the transaction ends. None if none is due."""
        due = select(agenda).where(agenda.c.due_at <= now, agenda.c.kind != THINK)
        first = due.order_by(agenda.c.due_at, agenda.c.kind, agenda.c.key).limit(1)
        return self._first(first.with_for_update(skip_locked=True), _item)

    def postpone(self, item: Item, due_at: datetime) -> None:
        """Count a failure, and try the item again at `due_at`."""
        own = (agenda.c.kind == item.kind) & (agenda.c.key == item.key)
        self._update(agenda, own, due_at=due_at, attempts=item.attempts + 1)

    def counts(self, now: datetime) -> dict[str, tuple[int, int]]:
        """By kind: how many items there are, and how many of them are due."""
        due = func.count().filter(agenda.c.due_at <= now)
        query = select(agenda.c.kind, func.count(), due).group_by(agenda.c.kind).order_by(agenda.c.kind)
        return {row[0]: (row[1], row[2]) for row in self._connection.execute(query)}


DELIVERED, BACKED_UP = "delivered", "backed_up"
"""Keys for when mails were last handled or could have been, a mail was delivered, the database was copied."""
LISTENS, DELIVERS, LOOKS, THINKS = "listens", "delivers", "looks", "thinks"
"""When a process last took mail in, sent mail, looked into the mailbox, or let robots think, or could have."""
NOTED = (HEARTBEAT, LISTENS, DELIVERS, LOOKS, THINKS, DELIVERED, BACKED_UP)


class Absence(NamedTuple):
    """player_id: None for the whole server."""

    id: int
    player_id: int | None
    stop: Stop


_ABSENCES = select(absences).order_by(absences.c.starts_at, absences.c.id)
_OPEN = _ABSENCES.where(
    absences.c.player_id.is_(None), absences.c.kind == bindparam("kind"), absences.c.ends_at.is_(None)
)


class Absences(_Meta):
    """Absences are kept as long as a clock may have run through them, and longer if an allowance counts them."""

    def add(self, player_id: int | None, stop: Stop) -> None:
        """player_id: None for the whole server."""
        instants = {"starts_at": stop.starts_at, "ends_at": stop.ends_at}
        self._insert(absences, player_id=player_id, kind=stop.kind.value, **instants)

    def end(self, absence: Absence, ends_at: datetime) -> None:
        """Let the absence end then; one that would not have begun by then is deleted."""
        own = absences.c.id == absence.id
        if ends_at <= absence.stop.starts_at:
            self._delete(absences, own)
        else:
            self._update(absences, own, ends_at=ends_at)

    def of(self, player_id: int | None, kind: StopKind, since: datetime) -> list[Absence]:
        """Absences of one kind that last beyond an instant, earliest first. player_id: None for the whole server."""
        # SQLAlchemy compares with None by IS NULL.
        own = (absences.c.player_id == player_id) & (absences.c.kind == kind.value)
        return self._all(_ABSENCES.where(own, _lasts_beyond(since)), _absence)

    def open(self, kind: StopKind) -> list[Absence]:
        """The server's absences of one kind whose end is not known."""
        return self._all(_OPEN, _absence, {"kind": kind.value})

    def stops(self, player_ids: Collection[int], since: datetime) -> dict[int, tuple[Stop, ...]]:
        """The stops of the clock of each of the players after an instant."""
        theirs = absences.c.player_id.in_(player_ids) | absences.c.player_id.is_(None)
        lasting = self._all(_ABSENCES.where(theirs, _lasts_beyond(since)), _absence)
        return {
            player_id: tuple(absence.stop for absence in lasting if absence.player_id in (None, player_id))
            for player_id in player_ids
        }

    def forget(self, now: datetime, after: timedelta) -> None:
        """Drop absences that ended longer ago than `after`, not counting outages."""
        # If outages counted, a clock that is years ahead would drop absences that boards need again once it is right.
        ours = absences.c.player_id.is_(None) & (absences.c.kind == StopKind.OUTAGE.value)
        outages = self._connection.execute(select(absences.c.ends_at, absences.c.starts_at).where(ours))
        until, left = now, after
        for ends_at, starts_at in sorted(((ends_at or now, starts_at) for ends_at, starts_at in outages), reverse=True):
            if until - ends_at >= left:
                break
            left -= max(until - ends_at, timedelta())  # they may overlap
            until = min(until, starts_at)
        self._delete(absences, absences.c.ends_at < until - left)

    def note(self, what: str, now: datetime) -> None:
        """Note that something, such as HEARTBEAT, happens now."""
        self._keep(what, now.isoformat())

    def noted(self, what: str) -> datetime | None:
        """When it last happened, as far as was noted; None if never."""
        last = self._kept(what).get(what)
        return None if last is None else datetime.fromisoformat(last)


def _lasts_beyond(instant: datetime) -> ColumnElement[bool]:
    return absences.c.ends_at.is_(None) | (absences.c.ends_at > instant)


def _absence(row: Row[Any]) -> Absence:
    return Absence(row.id, row.player_id, Stop(StopKind(row.kind), row.starts_at, row.ends_at))


class LogLine(NamedTuple):
    """who: the operator, by their name on the system. words: the command, with passwords masked."""

    at: datetime
    who: str
    words: str


class Acts(Queries):
    """No line is ever deleted; an erased player gets another name in them."""

    def add(self, act: LogLine) -> None:
        self._insert(acts, **act._asdict())

    def newest_at(self) -> datetime | None:
        """The latest instant of the last lines; the clock may have been put right between two of them."""
        return max(self._column(select(acts.c.at).order_by(acts.c.id.desc()).limit(20)), default=None)

    def latest(self, limit: int, about: str = "") -> list[LogLine]:
        """The latest lines, newest last. about: text that the command must hold, in any case."""
        query = select(acts).order_by(acts.c.id.desc()).limit(limit)
        if about:
            query = query.where(func.lower(acts.c.words).contains(about.lower(), autoescape=True))
        return self._all(query, partial(made, LogLine))[::-1]

    def rename(self, names: Collection[str], name: str) -> None:
        """Replace each of a player's names by this one."""
        word = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-])", re.IGNORECASE)
        named = or_(*(func.lower(acts.c.words).contains(old_name.lower(), autoescape=True) for old_name in names))
        for row in self._connection.execute(select(acts.c.id, acts.c.words).where(named)).all():
            self._update(acts, acts.c.id == row.id, words=word.sub(name, row.words))
