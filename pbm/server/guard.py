"""How much anybody may cause: answers that go out, computing, and guesses of passwords.

Answers are counted so that two robots cannot talk for ever; a new process reads them from the outbox. A player who
gets no more of them is told so once, and until when; that is kept to, although the count falls before. Computing is
counted since some games have positions that take seconds, and nobody else should wait; each process counts for itself,
and what takes no time worth speaking of is not even noted.

After a few wrong passwords none is looked at for a while, which doubles with each next one. It is counted for each
userid, for each sender and for each machine that hands mails over, so that neither many passwords for one account nor
one password for many accounts get far; and for all strangers together, since each look at a password costs as much as
hundreds of moves. A player who answers a mail of ours is never locked out: a token proves more than a password, and
cannot be guessed. Whether a userid exists, or a password that came too early was right, is told to nobody.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from pbm.core.credentials import is_password
from pbm.core.notify import Tools
from pbm.core.request import Credentials
from pbm.core.unasked import excess_of_unasked
from pbm.domain.commands import Command
from pbm.domain.configuration import Limits
from pbm.domain.errors import Rejected
from pbm.domain.likeness import domain_of, mailbox
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.domain.verbs import passwords_behind
from pbm.store import Transaction
from pbm.store.tickets import Attempts, Key

_HOUR = timedelta(hours=1)


class _Key(NamedTuple):
    """The measure of answers: all of them, or those of an address, a board, a network; which is named for whoever reads
    why one was left out.
    """

    name: str
    unproven: bool = False
    """Only those to mails that proved nothing."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The mail that is answered."""

    proven: bool = True
    """Its sender showed who they are."""
    sender: str = ""
    """The address in its From."""
    network: str = ""
    """Where the machine is that it came from; empty for one of ours."""
    vouched: bool = False
    """A trusted mail server says that it is from the address in its From."""
    reads_help: bool = False
    """It asks for nothing but pages of help, which players may read more of though their mails prove little."""


class Throttle:
    """The answers of the last hour, held in memory; a new process reads them from the outbox."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._recent: deque[tuple[datetime, tuple[_Key, ...]]] | None = None
        self._counts: Counter[_Key] = Counter()
        self._silent: dict[tuple[str, _Key], datetime] = {}

    def forget(self) -> None:
        """Forget what was counted and not committed: the outbox knows better."""
        self._recent = None
        self._counts.clear()
        self._silent.clear()

    def excess(self, tx: Transaction, mail: Mail, cause: Cause) -> str:
        """Why a mail is left out, being one answer too many; empty for all else, such as a board after a move."""
        to_sender = mail.board is None and mailbox(mail.address) == mailbox(cause.sender)
        if not mail.reply and not to_sender:
            return ""
        unknown = mail.reply and mail.player_id is None and not tx.players.of_address(mail.address)
        most = (
            self._tools.limits.newcomer_replies_per_day if cause.proven else self._tools.limits.stranger_replies_per_day
        )
        if unknown and replies_to(tx, mail.address) >= most:
            return f"{most} a day to {mail.address}, whom nobody knows"
        unasked = unknown and not cause.proven and not (to_sender and cause.vouched)
        if unasked and (excess := excess_of_unasked(tx, self._tools.limits, mail.address, cause.network)):
            return excess
        refusal = self.refusal(tx, mail, cause)
        if unknown and not refusal:
            replied_to(tx, mail.address)
        return refusal

    def refusal(self, tx: Transaction, mail: Mail, cause: Cause) -> str:
        """Why an answer has to be left out; empty where it may go, and then it counts."""
        reason = self.spent(tx, mail.address, mail.board, cause)
        if not reason:
            self._count(tx.now, tuple(key for key, _ in _measures(self._tools.limits, mail.address, mail.board, cause)))
        return reason

    def spent(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> str:
        """Why an answer would have to be left out; empty where it could go."""
        key, most = self._exhausted(tx, address, board, cause)
        return f"{most} answers within an hour {key.name}" if key else ""

    def _exhausted(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> tuple[_Key | None, int]:
        """The measure of which an answer is one too many, and how many there may be; None where it could go."""
        recent, box = self._recalled(tx), mailbox(address)
        while recent and recent[0][0] <= tx.now - _HOUR:
            self._drop(recent.popleft()[1])
        for key, most in _measures(self._tools.limits, address, board, cause):
            if self._counts[key] >= most or self._silent.get((box, key), tx.now) > tx.now:
                return key, most
        return None, 0

    def silent_until(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> str:
        """Until when an answer that is left out has no followers, as players are told; empty where they were, before.

        That is when half of what went out within the hour is forgotten.
        """
        key, _ = self._exhausted(tx, address, board, cause)
        if key is None:
            return ""
        times = [at for at, keys in self._recalled(tx) if key in keys]
        until = (times[len(times) // 2] if times else tx.now) + _HOUR
        return self.keep_silent(address, key.name, until, tx.now, unproven=key.unproven)

    def keep_silent(self, address: str, name: str, until: datetime, now: datetime, *, unproven: bool = True) -> str:
        """Until when there are no answers to the address, to the minute; empty where that was told before."""
        at = (mailbox(address), _Key(name, unproven))
        self._silent = {each: end for each, end in self._silent.items() if end > now}
        if at in self._silent:
            return ""
        self._silent[at] = until.replace(second=0, microsecond=0) + timedelta(minutes=1)
        return f"{self._silent[at]:%Y-%m-%d %H:%M} UTC"

    def _recalled(self, tx: Transaction) -> deque[tuple[datetime, tuple[_Key, ...]]]:
        """The outbox does not tell which of its answers went to mails that proved nothing, so all count as such.

        Where the clock was ahead, what was counted meanwhile would never be an hour ago.
        """
        if self._recent and self._recent[0][0] >= tx.now + _HOUR:
            self.forget()
        if self._recent is None:
            self._recent = deque()
            for created_at, address, board in tx.outbox.answers_since(tx.now - _HOUR):
                keys = tuple(key for key, _ in _measures(self._tools.limits, address, board, Cause(proven=False)))
                self._count(created_at, keys)
        return self._recent

    def _count(self, at: datetime, keys: tuple[_Key, ...]) -> None:
        assert self._recent is not None  # noqa: S101  recalled before
        self._recent.append((at, keys))
        self._counts.update(keys)

    def _drop(self, keys: tuple[_Key, ...]) -> None:
        for key in keys:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]


def _measures(limits: Limits, address: str, board: int | None, cause: Cause) -> Iterator[tuple[_Key, int]]:
    """The measures that an answer counts for, and how many may."""
    to = f"to {mailbox(address)}"
    yield _Key("in all"), limits.answers_per_hour_in_all
    yield _Key(to), limits.answers_per_hour
    if board is not None:
        yield _Key(f"on board {board}"), limits.answers_per_board_per_hour
    if not cause.proven:
        yield _Key("to mails that prove nothing", unproven=True), max(1, limits.answers_per_hour_in_all // 2)
    if not cause.proven and cause.reads_help:
        yield _Key(f"{to}, who only reads help and proves nothing", unproven=True), limits.unproven_help_per_hour
    elif not cause.proven:
        yield _Key(f"{to}, whose mails prove nothing", unproven=True), limits.unproven_answers_per_hour
    if not cause.proven and not cause.vouched and cause.sender:  # of whom the outbox tells nothing
        about = f"to {domain_of(address)}, whose mails prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_domain_per_hour
    if not cause.proven and cause.network:
        about = f"to mails from {cause.network} that prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_network_per_hour


_SLIGHT_SECONDS = 0.1


class Costs:
    """Seconds of computing within the last hour, by whom they were for."""

    def __init__(self, most_seconds: Callable[[], float]) -> None:
        """most_seconds: within an hour, for one key."""
        self._most = most_seconds
        self._spent: dict[str, deque[tuple[datetime, float]]] = {}

    def charge(self, keys: Collection[str], seconds: float, now: datetime) -> None:
        if seconds >= _SLIGHT_SECONDS:
            for key in keys:
                self._spent.setdefault(key, deque()).append((now, seconds))

    def used_up_until(self, keys: Collection[str], now: datetime) -> datetime | None:
        """When the one of the keys that has used up its hour may ask again; None if none has."""
        waits = [until for key in keys if key in self._spent and (until := self._until(key, now)) is not None]
        return max(waits, default=None)

    def _until(self, key: str, now: datetime) -> datetime | None:
        spent = self._spent[key]
        while spent and abs(now - spent[0][0]) >= _HOUR:  # later: the clock was ahead
            spent.popleft()
        if not spent:
            del self._spent[key]
            return None
        excess = sum(seconds for _, seconds in spent) - self._most()
        for at, seconds in spent:
            if excess <= 0:
                return None
            excess -= seconds
            if excess <= 0:
                return at + _HOUR
        return None


LOGIN, ASIDE, SENDER, PEER, TOKEN, STRANGERS = "login", "aside", "sender", "peer", "token", "strangers"
REPLY = "reply"
"""No guess, but counted like one: what went to an address of nobody's, which may never have written to us."""

_FIRST_LOCK = timedelta(minutes=1)
_MEMORY = timedelta(days=1)
_MOST_ASIDE = 50


@dataclass(frozen=True, slots=True)
class Origin:
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
        left = allowance(self.limits, key.kind) - (_remembered(known, self.tx.now))
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
        failures = _remembered(known.get(key), tx.now) + 1
        excess = failures - allowance(limits, key.kind)
        until = None if excess < 0 else _locked_until(limits, key, excess, tx.now)
        tx.guesses.put(key, failures, tx.now, until)


def _locked_until(limits: Limits, key: Key, excess: int, now: datetime) -> datetime:
    if key.kind == STRANGERS:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    doubled: timedelta = _FIRST_LOCK * 2 ** min(excess, 20)
    return now + min(timedelta(hours=limits.longest_lock_hours), doubled)


def _remembered(known: Attempts | None, now: datetime) -> int:
    """Failures that still count: none once a day has passed without another or a lock."""
    if known is None:
        return 0
    last_at = max(known.last_at, known.locked_until or known.last_at)
    return known.failures if now - last_at < _MEMORY else 0


def replies_to(tx: Transaction, address: str) -> int:
    """How many replies the mailbox of an address of nobody's got of late."""
    key = Key(REPLY, mailbox(address))
    return _remembered(tx.guesses.get([key]).get(key), tx.now)


def replied_to(tx: Transaction, address: str) -> None:
    """One more reply goes to an address of nobody's."""
    key = Key(REPLY, mailbox(address))
    tx.lock([f"guess {key.kind} {key.subject}"])
    tx.guesses.put(key, replies_to(tx, address) + 1, tx.now, None)


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

NEW = ""
"""Stands for the userid where a password is a new one."""


@dataclass(frozen=True, slots=True)
class Logins:
    """The passwords of one mail, before any of them is looked at."""

    hashes: dict[Credentials, str] = field(default_factory=dict)
    """What to check each login against."""
    fresh: tuple[str, ...] = ()
    """New passwords."""
    keys: dict[Credentials, tuple[Key, ...]] = field(default_factory=dict)
    """What each counts for, should it be wrong."""
    locked: dict[Credentials, datetime] = field(default_factory=dict)
    """Logins that are not looked at, until then."""


def logins_of(
    gate: Gate,
    commands: Sequence[Command | Rejected],
    lines: Sequence[str],
    fresh: Sequence[str],
    origin: Origin,
    player: Player | None,
) -> Logins:
    """lines: all that the person wrote. fresh: new passwords the mail sets. player: who seems to have sent it."""
    understood = [command for command in commands if isinstance(command, Command)]
    keys = {
        (userid.casefold(), password): origin.login(userid.casefold(), gate.tx.now)
        for userid, password in (command.credentials for command in understood if command.credentials)
    }
    misplaced = _misplaced(player, lines)
    new = [command.args["NEW-PASSWORD"] for command in understood if "NEW-PASSWORD" in command.args]
    if not (keys or misplaced or new or fresh):
        return Logins()
    strangers = tuple(key for key in origin.sources(gate.tx.now) if key.kind == STRANGERS)
    for userid, password in misplaced:
        keys.setdefault((userid.casefold(), password), (Key(ASIDE, userid.casefold()), *strangers))
    keys = dict(list(keys.items())[:MAX_LOGINS])
    keys |= {(NEW, password): strangers for password in list(filter(is_password, (*new, *fresh)))[:MAX_LOGINS]}
    locked = {login: until for login, about in keys.items() if (until := gate.closed_until(about))}
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


def _misplaced(player: Player | None, lines: Sequence[str]) -> list[Credentials]:
    """Words that may be the sender's own password, in the wrong place: after their userid, or after "password".

    Others' are not looked at: a password that is blacked out when it is right would tell that it is.
    """
    if player is None:
        return []
    userid = player.userid.casefold()
    return [(userid, word) for word in passwords_behind(lines, userid)]
