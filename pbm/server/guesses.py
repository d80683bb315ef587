"""Guesses of passwords, and how soon the next one is looked at.

After a few wrong passwords none is looked at for a while, which doubles with each next one. It is counted for each
userid, for each sender and for each machine that hands mails over, so that neither many passwords for one account nor
one password for many accounts get far; and for all strangers together, since each look at a password costs as much as
hundreds of moves. A player who answers a mail of ours is never locked out: a token proves more than a password, and
cannot be guessed. Whether a userid exists, or a password that came too early was right, is told to nobody.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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

LOGIN, ASIDE, SENDER, PEER, TOKEN, STRANGERS = "login", "aside", "sender", "peer", "token", "strangers"

NEW = ""
"""Stands for the userid where a password is a new one."""

_FIRST_LOCK = timedelta(minutes=1)
_MEMORY = timedelta(days=1)
_MOST_ASIDE = 10
"""Words a day that may be a player's password in the wrong place: whoever has a forwarded mail of theirs, and writes
their address into From, learns by these no more than anybody learns by logging in. Of what people write, one mail in a
hundred holds such a word.
"""


class Origin(NamedTuple):
    """Where a mail came from, as far as it counts against guessing."""

    address: str = ""
    """Of From, which anybody can write unless it is vouched for."""
    vouched: bool = False
    claimed: Player | None = None
    """The player whose address that is."""
    peer: str = ""
    """The machine that handed it over; empty for one of ours, as the network is, in which it is: an IPv4 /24."""
    network: str = ""

    @property
    def sender(self) -> str:
        """Forgers cannot lock out whom a mail server vouches for."""
        return f"{self.address.casefold()} vouched for" if self.vouched else self.address.casefold()

    def sources(self, now: datetime) -> tuple[Key, ...]:
        keys = [Key(SENDER, self.sender)]
        if self.peer:
            keys.append(Key(PEER, self.peer))
        if self.claimed is None:
            keys.append(Key(STRANGERS, f"{now:%Y-%m-%d %H}"))
        return tuple(keys)

    def guesses(self) -> tuple[Key, ...]:
        """The measures that a reply address counts for that we never gave to anybody."""
        return tuple(Key(TOKEN, source) for source in (self.sender, self.peer) if source)

    def login(self, userid: str, now: datetime) -> tuple[Key, ...]:
        """Mails from the player's own address have an account of their own: others' guesses do not lock it."""
        own = self.claimed is not None and self.claimed.userid.casefold() == userid
        return (Key(LOGIN, f"{userid} {self.sender}" if own else userid), *self.sources(now))


@dataclass(slots=True)
class Gate:
    """The guesses that one batch of mails may make; what it lets in may all prove wrong together."""

    tx: Transaction
    limits: Limits
    _known: dict[Key, Attempts | None] = field(default_factory=dict)
    _let_in: Counter[Key] = field(default_factory=Counter)
    _guessed: set[tuple[Credentials, tuple[Key, ...]]] = field(default_factory=set)

    def guess_closed_until(self, login: Credentials, keys: tuple[Key, ...]) -> datetime | None:
        """As closed_until. The same login in many mails of a batch is one guess: all are right or wrong."""
        if (login, keys) in self._guessed:
            return None
        until = self.closed_until(keys)
        if until is None and login[0] != NEW:
            self._guessed.add((login, keys))
        return until

    def closed_until(self, keys: Sequence[Key]) -> datetime | None:
        """Until when nothing under the keys is looked at; None where it may be, and then it counts."""
        fresh = [key for key in keys if key not in self._known]
        self._known.update(dict.fromkeys(fresh) | self.tx.guesses.get(fresh))
        for key in keys:
            until = self._closed(key)
            if until is not None:
                return until
        self._let_in.update(keys)
        return None

    def counted(self, keys: Sequence[Key]) -> datetime | None:
        """As closed_until; what is let in counts as wrong at once."""
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
    if kind == ASIDE:
        return _MOST_ASIDE
    return limits.wrong_logins if kind == LOGIN else limits.wrong_logins_per_source


def went_wrong(tx: Transaction, limits: Limits, keys: Iterable[Key]) -> None:
    """Count one more failure at each of the keys, and lock those at which there are too many."""
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
    if key.kind == ASIDE:
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    doubled: timedelta = _FIRST_LOCK * 2 ** min(excess, 20)
    return now + min(timedelta(hours=limits.longest_lock_hours), doubled)


def remembered(known: Attempts | None, now: datetime) -> int:
    """Failures that still count: none once a day has passed without another or a lock."""
    if known is None:
        return 0
    last_at = max(known.last_at, known.locked_until or known.last_at)
    return known.failures if now - last_at < _MEMORY else 0


@lru_cache(1000)
def network_of(peer: str, bits: int = 32) -> str:
    """The network that counts as one machine: an IPv4 address, or so many bits of it, an IPv6 /64.

    Empty for one that may be a mail server of ours.
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
"""Different passwords that are looked at in one mail, and as many new ones: a person needs one, and each costs as much
as hundreds of moves."""


class Held(NamedTuple):
    """The passwords of one mail, by where they stand."""

    logins: tuple[Credentials, ...] = ()
    """In commands."""
    aside: tuple[Credentials, ...] = ()
    """Words that may be the sender's own password, in the wrong place: after their userid or "password", or as the
    only one of a message."""
    new: tuple[str, ...] = ()
    """Those that it sets."""


class Logins(NamedTuple):
    """The passwords of one mail, before any of them is looked at."""

    hashes: Mapping[Credentials, str] = {}
    """What to check each login against."""
    fresh: tuple[str, ...] = ()
    """New passwords."""
    keys: Mapping[Credentials, tuple[Key, ...]] = {}
    """What each counts for, should it be wrong."""
    locked: Mapping[Credentials, datetime] = {}
    """Logins that are not looked at, until then."""

    def covers(self, later: Logins) -> bool:
        """What was looked at is all that is to be looked at later, when words that are no passwords are left out."""
        same = self.fresh == later.fresh and self.locked == later.locked
        return same and later.hashes.items() <= self.hashes.items()


def admitted(gate: Gate, held: Held, origin: Origin, is_wrong: Callable[[str, str], bool]) -> Logins:
    """What is looked at of the passwords of a mail that holds some. is_wrong: known not to belong to a hash."""
    strangers = tuple(key for key in origin.sources(gate.tx.now) if key.kind == STRANGERS)
    keys = {login: origin.login(login[0], gate.tx.now) for login in held.logins}
    for login in held.aside:
        if not is_wrong(login[1], _hash_of(gate.tx, login[0])):
            keys.setdefault(login, (Key(ASIDE, f"{login[0]} {gate.tx.now:%Y-%m-%d}"), *strangers))
    keys = dict(list(keys.items())[:MAX_LOGINS])
    keys |= {(NEW, password): strangers for password in list(filter(is_password, held.new))[:MAX_LOGINS]}
    locked = {login: until for login, about in keys.items() if (until := gate.guess_closed_until(login, about))}
    open_ = {login: about for login, about in keys.items() if login not in locked}
    hashes = {login: _hash_of(gate.tx, login[0]) for login in open_ if login[0] != NEW}
    return Logins(hashes, tuple(password for userid, password in open_ if userid == NEW), open_, locked)


def settle(tx: Transaction, limits: Limits, logins: Logins, verified: Mapping[Credentials, str]) -> None:
    """Remember what was wrong, and how much was looked at; a right password makes up for the wrong ones before it."""
    for login, keys in logins.keys.items():
        if login in verified:
            tx.guesses.forget([key for key in keys if key.kind == LOGIN])
        wrong = login[0] != NEW and login not in verified
        went_wrong(tx, limits, [key for key in keys if wrong or key.kind == STRANGERS])


def _hash_of(tx: Transaction, userid: str) -> str:
    player = tx.players.find(userid)
    return tx.players.password_hash(player.id) if player else ""
