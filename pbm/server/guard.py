"""How much anybody may cause: answers that go out, and computing.

Answers are counted so that two robots cannot talk for ever; a new process reads them from the outbox. A player who
gets no more of them is told so once, and until when; that is kept to, although the count falls before. Computing is
counted since some games have positions that take seconds, and nobody else should wait; each process counts for itself,
and what takes no time worth speaking of is not even noted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from pbm.core.notify import Tools
from pbm.core.unasked import excess_of_unasked
from pbm.domain.configuration import Limits
from pbm.domain.likeness import domain_of, mailbox
from pbm.domain.mail import Mail
from pbm.server.guesses import remembered
from pbm.store import Transaction
from pbm.store.tickets import Key

_HOUR = timedelta(hours=1)


class _Key(NamedTuple):
    """The measure of answers: all of them, or those of an address, a board, a network; which is named for whoever reads
    why one was left out.
    """

    name: str
    unproven: bool = False
    """Only those to mails that proved nothing."""


class Cause(NamedTuple):
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
        yield _Key("to emails that prove nothing", unproven=True), max(1, limits.answers_per_hour_in_all // 2)
    if not cause.proven and cause.reads_help:
        yield _Key(f"{to}, who only reads help and proves nothing", unproven=True), limits.unproven_help_per_hour
    elif not cause.proven:
        yield _Key(f"{to}, whose emails prove nothing", unproven=True), limits.unproven_answers_per_hour
    if not cause.proven and not cause.vouched and cause.sender:  # of whom the outbox tells nothing
        about = f"to {domain_of(address)}, whose emails prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_domain_per_hour
    if not cause.proven and cause.network:
        about = f"to emails from {cause.network} that prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_network_per_hour


REPLY = "reply"
"""Counted like guesses: what went to an address of nobody's, which may never have written to us."""


def replies_to(tx: Transaction, address: str) -> int:
    """How many replies the mailbox of an address of nobody's got of late."""
    key = Key(REPLY, mailbox(address))
    return remembered(tx.guesses.get([key]).get(key), tx.now)


def replied_to(tx: Transaction, address: str) -> None:
    """One more reply goes to an address of nobody's."""
    key = Key(REPLY, mailbox(address))
    tx.lock([f"guess {key.kind} {key.subject}"])
    tx.guesses.put(key, replies_to(tx, address) + 1, tx.now, None)


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
