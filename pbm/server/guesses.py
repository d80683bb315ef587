"""Guesses of passwords, and how soon the next password is checked.

After a few wrong passwords none is checked for a while, which doubles with each further wrong one. They are counted
for each userid, each sender and each machine that hands mails over, so that neither many passwords for one account nor
one password for many accounts get far; and for all strangers together, because each check costs as much as hundreds of
moves. A player who answers a mail of ours is never locked out: a token proves more than a password, and cannot be
guessed. Nobody is told whether a userid exists, or whether a password that was not checked was right.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from pbm.core.credentials import is_password
from pbm.core.request import Credentials
from pbm.domain.configuration import Limits
from pbm.domain.match import Player
from pbm.store import Transaction
from pbm.store.tickets import Attempts, Key

LOGIN, SENDER, PEER, TOKEN, STRANGERS = "login", "sender", "peer", "token", "strangers"

NEW = ""
"""In place of a userid, for a new password."""

_FIRST_LOCK = timedelta(minutes=1)
_MEMORY = timedelta(days=1)


class Origin(NamedTuple):
    """Where a mail came from, as far as it matters for counting guesses."""

    address: str = ""
    """The address in From; anybody can write that unless it is vouched for."""
    vouched: bool = False
    claimed: Player | None = None
    """The player whose address that is."""
    peer: str = ""
    """The machine that handed it over; empty for one of ours."""
    network: str = ""
    """The network of that machine, an IPv4 /24 or an IPv6 /64; empty for one of ours."""

    @property
    def sender(self) -> str:
        """The sender as counted; a vouched one apart, so that forgers cannot lock them out."""
        return f"{self.address.casefold()} vouched for" if self.vouched else self.address.casefold()

    def sources(self, now: datetime) -> tuple[Key, ...]:
        keys = [Key(SENDER, self.sender)]
        if self.peer:
            keys.append(Key(PEER, self.peer))
        if self.claimed is None:
            keys.append(Key(STRANGERS, f"{now:%Y-%m-%d %H}"))
        return tuple(keys)

    def guesses(self) -> tuple[Key, ...]:
        """The keys to count a mail under that came to a reply address we never gave to anybody."""
        return tuple(Key(TOKEN, source) for source in (self.sender, self.peer) if source)

    def login(self, userid: str, now: datetime) -> tuple[Key, ...]:
        """The keys to count a login under. The player's own address has its own: guesses by others do not lock it."""
        own = self.claimed is not None and self.claimed.userid.casefold() == userid
        return (Key(LOGIN, f"{userid} {self.sender}" if own else userid), *self.sources(now))


@dataclass(slots=True)
class Gate:
    """Admits the guesses of one batch of mails; all that it admits may turn out wrong together."""

    tx: Transaction
    limits: Limits
    _known: dict[Key, Attempts | None] = field(default_factory=dict)
    _let_in: Counter[Key] = field(default_factory=Counter)
    _guessed: set[tuple[Credentials, tuple[Key, ...]]] = field(default_factory=set)

    def guess_closed_until(self, login: Credentials, keys: tuple[Key, ...]) -> datetime | None:
        """As closed_until. The same login in many mails of a batch is one guess: all are right, or all wrong."""
        if (login, keys) in self._guessed:
            return None
        until = self.closed_until(keys)
        if until is None and login[0] != NEW:
            self._guessed.add((login, keys))
        return until

    def closed_until(self, keys: Sequence[Key]) -> datetime | None:
        """Until when nothing under the keys is checked; None if it may be checked, and then it is counted."""
        fresh = [key for key in keys if key not in self._known]
        self._known.update(dict.fromkeys(fresh) | self.tx.guesses.get(fresh))
        for key in keys:
            until = self._closed(key)
            if until is not None:
                return until
        self._let_in.update(keys)
        return None

    def counted(self, keys: Sequence[Key]) -> datetime | None:
        """As closed_until, but an admitted guess counts as wrong at once."""
        until = self.closed_until(keys)
        if until is None:
            went_wrong(self.tx, self.limits, keys)
        return until

    def _closed(self, key: Key) -> datetime | None:
        known = self._known[key]
        if known is not None and known.locked_until is not None and known.locked_until > self.tx.now:
            return known.locked_until
        left = allowance(self.limits, key.kind) - remembered(known, self.tx.now)
        return self.tx.now + _FIRST_LOCK if self._let_in[key] >= max(left, 1) else None


def allowance(limits: Limits, kind: str) -> int:
    """How often something may go wrong before there is a lock."""
    if kind == STRANGERS:
        return limits.stranger_passwords_per_hour
    return limits.wrong_logins if kind == LOGIN else limits.wrong_logins_per_source


def went_wrong(tx: Transaction, limits: Limits, keys: Iterable[Key]) -> None:
    """Count one more failure under each of the keys, and lock those with too many."""
    keys = sorted(keys)
    tx.lock(f"guesses of {kind} {subject}" for kind, subject in keys)
    known = tx.guesses.get(keys)
    for key in keys:
        failures = remembered(known.get(key), tx.now) + 1
        excess = failures - allowance(limits, key.kind)
        until = None if excess < 0 else _locked_until(limits, key, excess, tx.now)
        tx.guesses.put(key, failures, tx.now, until)


def _locked_until(limits: Limits, key: Key, excess: int, now: datetime) -> datetime:
    if key.kind == STRANGERS:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    doubled: timedelta = _FIRST_LOCK * 2 ** min(excess, 20)
    return now + min(timedelta(hours=limits.longest_lock_hours), doubled)


def remembered(known: Attempts | None, now: datetime) -> int:
    """How many failures still count: none after a day without a further one or a lock."""
    if known is None:
        return 0
    last_at = max(known.last_at, known.locked_until or known.last_at)
    return known.failures if now - last_at < _MEMORY else 0


@lru_cache(1000)
def network_of(peer: str, bits: int = 32) -> str:
    """The network that counts as one machine: an IPv4 address, or so many bits of it; of IPv6 a /64.

    Empty for private addresses, which may be a mail server of ours, and for what is no address.
    """
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return ""
    if not address.is_global:
        return ""
    if address.version == 4 and bits == 32:
        return peer
    return str(ipaddress.ip_network((peer, 64 if address.version == 6 else bits), strict=False))


MAX_LOGINS = 3
"""Different passwords that are checked in one mail, and as many new ones: a person needs one, and each costs as much as
hundreds of moves."""


class Held(NamedTuple):
    """The passwords in one mail, by where they stand."""

    logins: tuple[Credentials, ...] = ()
    """Credentials in commands."""
    new: tuple[str, ...] = ()
    """New passwords that it sets."""


class Logins(NamedTuple):
    """The passwords of one mail, before any of them is checked."""

    hashes: Mapping[Credentials, str] = {}
    """The hash to check each login against."""
    fresh: tuple[str, ...] = ()
    """New passwords."""
    keys: Mapping[Credentials, tuple[Key, ...]] = {}
    """The keys to count each under, if it is wrong."""
    locked: Mapping[Credentials, datetime] = {}
    """Logins that are not checked, and until when."""

    def covers(self, later: Logins) -> bool:
        """Whether these include all that is to be checked of the same mail when it is read again later."""
        same = self.fresh == later.fresh and self.locked == later.locked
        return same and later.hashes.items() <= self.hashes.items()


def admitted(gate: Gate, held: Held, origin: Origin) -> Logins:
    """The passwords of a mail that are to be checked."""
    strangers = tuple(key for key in origin.sources(gate.tx.now) if key.kind == STRANGERS)
    keys = {login: origin.login(login[0], gate.tx.now) for login in held.logins}
    keys = dict(list(keys.items())[:MAX_LOGINS])
    keys |= {(NEW, password): strangers for password in list(filter(is_password, held.new))[:MAX_LOGINS]}
    locked = {login: until for login, about in keys.items() if (until := gate.guess_closed_until(login, about))}
    open_ = {login: about for login, about in keys.items() if login not in locked}
    hashes = {login: _hash_of(gate.tx, login[0]) for login in open_ if login[0] != NEW}
    return Logins(hashes, tuple(password for userid, password in open_ if userid == NEW), open_, locked)


def settle(tx: Transaction, limits: Limits, logins: Logins, verified: Mapping[Credentials, str]) -> None:
    """Count wrong passwords, and every check for strangers; a right password clears the wrong ones before it."""
    for login, keys in logins.keys.items():
        if login in verified:
            tx.guesses.forget([key for key in keys if key.kind == LOGIN])
        wrong = login[0] != NEW and login not in verified
        went_wrong(tx, limits, [key for key in keys if wrong or key.kind == STRANGERS])


def _hash_of(tx: Transaction, userid: str) -> str:
    player = tx.players.find(userid)
    return tx.players.password_hash(player.id) if player else ""
