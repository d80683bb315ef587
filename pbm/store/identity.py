"""Who the server is: its mail address, by which players know it, the secrets that prove its mails, and others' keys.

All belong to the database, not to a process.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from pbm.store.tables import meta, peer_keys

_DOMAIN, _LOCAL_PART, _FORMER = "domain", "local_part", "former_addresses"


class Identity:
    """The two halves of the address; a database that no server has used yet has none."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self) -> tuple[str, str] | None:
        """The part before the @ and the domain."""
        rows = self._connection.execute(select(meta.c.key, meta.c.value).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        found = {row.key: row.value for row in rows}
        return (found[_LOCAL_PART], found[_DOMAIN]) if len(found) == 2 else None

    def former(self) -> tuple[str, ...]:
        """Addresses it had before, the oldest first."""
        found = self._connection.execute(select(meta.c.value).where(meta.c.key == _FORMER)).scalar_one_or_none()
        return tuple((found or "").split())

    def set(self, local_part: str, domain: str) -> None:
        """In place of the one before, which is kept as a former one."""
        address, before, former = f"{local_part}@{domain}", self.get(), self.former()
        if before is not None:
            former = (*former, "@".join(before))
            self._connection.execute(delete(meta).where(meta.c.key == _FORMER))
            kept = " ".join(dict.fromkeys(each for each in former if each.lower() != address.lower()))
            self._connection.execute(insert(meta).values(key=_FORMER, value=kept))
        self._connection.execute(delete(meta).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        rows = [{"key": _LOCAL_PART, "value": local_part}, {"key": _DOMAIN, "value": domain}]
        self._connection.execute(insert(meta), rows)


_SECRET, _FORMER_SECRETS, _GENERATION = "secret", "former_secrets", "generation"


class Secrets:
    """What seals the server's own tokens and exports, and what did before and is still good.

    A token is sealed with a generation besides, which is drawn anew each time the database is set back: so none from
    the time that is lost is good any more, and exports are.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ensure(self, fresh: str, now: datetime) -> None:
        """Keep the secret the database has; fresh (hexadecimal) becomes it where there is none."""
        if _SECRET not in self._kept():
            self._keep(_SECRET, fresh)
            self._keep("created_at", now.isoformat())

    def keys(self, now: datetime) -> list[bytes]:
        """Of tokens: that which seals them, and after it those that still open them."""
        kept = self._kept()
        generation = bytes.fromhex(kept.get(_GENERATION, ""))
        return [secret + generation for secret in _all(kept, now)]

    def sign(self, content: bytes) -> str:
        """What shows that this server wrote the content."""
        return _seal(bytes.fromhex(self._kept()[_SECRET]), content)

    def has_signed(self, content: bytes, signature: str, now: datetime) -> bool:
        """Whether that is such a signature, also of a secret from before that is still good."""
        ours = [_seal(secret, content) for secret in _all(self._kept(), now)]
        return any(hmac.compare_digest(signature.encode(), each.encode()) for each in ours)

    def rotate(self, fresh: str, now: datetime, until: datetime) -> None:
        """Let fresh (random, hexadecimal) be the secret. The one before, and all before that, are good until then."""
        kept = self._kept()
        former = [(kept[_SECRET], until), *((secret, min(end, until)) for secret, end in _former(kept, now))]
        self._keep(_SECRET, fresh)
        self._keep_former([each for each in former if each[1] > now])

    def former_until(self, now: datetime) -> list[datetime]:
        """Until when each secret from before is good, the newest first."""
        return [until for _, until in _former(self._kept(), now)]

    def sweep(self, now: datetime) -> None:
        """What is good for nothing any more is kept nowhere."""
        kept = self._kept()
        former = _former(kept, now)
        if len(former) < len(json.loads(kept.get(_FORMER_SECRETS, "[]"))):
            self._keep_former(former)

    def draw_generation(self, fresh: str) -> None:
        """No token that was given out so far is good any more. fresh: random, hexadecimal."""
        self._keep(_GENERATION, fresh)

    def _kept(self) -> dict[str, str]:
        wanted = select(meta.c.key, meta.c.value).where(meta.c.key.in_((_SECRET, _FORMER_SECRETS, _GENERATION)))
        return {row.key: row.value for row in self._connection.execute(wanted)}

    def _keep(self, key: str, value: str) -> None:
        self._connection.execute(delete(meta).where(meta.c.key == key))
        self._connection.execute(insert(meta), [{"key": key, "value": value}])

    def _keep_former(self, former: list[tuple[str, datetime]]) -> None:
        self._keep(_FORMER_SECRETS, json.dumps([(secret, until.isoformat()) for secret, until in former]))


def _seal(secret: bytes, content: bytes) -> str:
    return hmac.new(secret, b"export" + content, "sha256").hexdigest()


def _former(kept: Mapping[str, str], now: datetime) -> list[tuple[str, datetime]]:
    found = [(secret, datetime.fromisoformat(until)) for secret, until in json.loads(kept.get(_FORMER_SECRETS, "[]"))]
    return [(secret, until) for secret, until in found if until > now]


def _all(kept: Mapping[str, str], now: datetime) -> list[bytes]:
    return [bytes.fromhex(secret) for secret in (kept[_SECRET], *(secret for secret, _ in _former(kept, now)))]


@dataclass(frozen=True, slots=True)
class Peer:
    """The OpenPGP key of an address. wanted: its owner wants to get encrypted mail.

    proven: it came with a mail that was surely from there; any other counts for answers to that mail alone, whose id is
    brought_by. chats: its owner's program is a chat app. dated_at: when it was written.
    """

    key: bytes
    wanted: bool
    proven: bool
    chats: bool
    brought_by: str
    dated_at: datetime


class Peers:
    """One key for each address, in whatever case that is written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, address: str) -> Peer | None:
        found = select(peer_keys).where(peer_keys.c.address_key == address.casefold())
        row = self._connection.execute(found).one_or_none()
        return None if row is None else Peer(row.key, row.wanted, row.proven, row.chats, row.brought_by, row.dated_at)

    def put(self, address: str, peer: Peer, now: datetime) -> None:
        """In place of the one before."""
        self.forget(address)
        values = {
            "address_key": address.casefold(),
            "seen_at": now,
            **{name: getattr(peer, name) for name in peer.__slots__},
        }
        self._connection.execute(insert(peer_keys).values(values))

    def forget(self, address: str) -> bool:
        """Whether there was one."""
        gone = self._connection.execute(delete(peer_keys).where(peer_keys.c.address_key == address.casefold()))
        return bool(gone.rowcount)

    def sweep(self, before: datetime) -> None:
        """Forget what was last seen before then and never proven."""
        old = ~peer_keys.c.proven & (peer_keys.c.seen_at < before)
        self._connection.execute(delete(peer_keys).where(old))
