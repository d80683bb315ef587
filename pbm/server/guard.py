"""How many answers and how much computing anybody may cause.

Answers are counted so that two robots cannot talk for ever; a new process reads them from the outbox. A player who gets
no more answers is told so once, and until when; that holds even if the count falls before. Computing is counted because
some games have positions that take seconds, for which others should not wait; each process counts for itself, and
ignores trifles.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from pbm.core.notify import Tools
from pbm.core.unasked import Pool, excess_of_unasked
from pbm.domain.configuration import Limits
from pbm.domain.likeness import domain_of, is_shared, mailbox
from pbm.domain.mail import Mail
from pbm.server.guesses import Origin, remembered
from pbm.store import Transaction
from pbm.store.tickets import Key

_HOUR = timedelta(hours=1)


class _Key(NamedTuple):
    """What answers are counted by: all of them, or those to an address, on a board, or because of a network."""

    name: str
    """In words, for the reason why an answer was left out."""
    unproven: bool = False
    """Whether only answers to mails that proved nothing count."""


class Cause(NamedTuple):
    """The mail that is answered."""

    proven: bool = True
    """Whether its sender proved who they are."""
    origin: Origin = Origin()
    """Where it came from; nothing is known of that for answers recalled from the outbox."""
    reads_help: bool = False
    """Whether it asks only for pages of help, of which players get more even if their mails prove nothing."""


class Throttle:
    """Counts the answers of the last hour, in memory; a new process reads them from the outbox."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._recent: deque[tuple[datetime, tuple[_Key, ...]]] | None = None
        self._counts: Counter[_Key] = Counter()
        self._silent: dict[tuple[str, _Key], datetime] = {}

    def forget(self) -> None:
        """Forget all counts, some of which were not committed; they are read from the outbox again."""
        self._recent = None
        self._counts.clear()
        self._silent.clear()

    def excess(self, tx: Transaction, mail: Mail, cause: Cause) -> str:
        """Why a mail is left out as one answer too many; empty if it is not, or is no answer (a board after a move)."""
        to_sender = mail.board is None and mailbox(mail.address) == mailbox(cause.origin.address)
        if not mail.reply and not to_sender:
            return ""
        unknown = mail.reply and mail.player_id is None and not tx.players.of_address(mail.address)
        most = (
            self._tools.limits.newcomer_replies_per_day if cause.proven else self._tools.limits.stranger_replies_per_day
        )
        if unknown and replies_to(tx, mail.address) >= most:
            return f"{most} a day to {mail.address}, whom nobody knows"
        unasked = unknown and not cause.proven and not (to_sender and cause.origin.vouched)
        if unasked:
            pool = Pool.VOUCHED if cause.origin.vouched else Pool.STRANGERS
            excess = excess_of_unasked(tx, self._tools.limits, mail.address, cause.origin.network, pool)
            if excess:
                return excess
        refusal = self.refusal(tx, mail, cause)
        if unknown and not refusal:
            replied_to(tx, mail.address)
        return refusal

    def refusal(self, tx: Transaction, mail: Mail, cause: Cause) -> str:
        """Why an answer has to be left out; empty if it may go, and then it is counted."""
        reason = self.spent(tx, mail.address, mail.board, cause)
        if not reason:
            self._count(tx.now, tuple(key for key, _ in _measures(self._tools.limits, mail.address, mail.board, cause)))
        return reason

    def spent(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> str:
        """Why an answer would have to be left out; empty if it could go. Nothing is counted."""
        key, most = self._exhausted(tx, address, board, cause)
        return f"{most} answers within an hour {key.name}" if key else ""

    def _exhausted(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> tuple[_Key | None, int]:
        """The key under which an answer is one too many, and its limit; None if the answer could go."""
        recent, box = self._recalled(tx), mailbox(address)
        while recent and recent[0][0] <= tx.now - _HOUR:
            self._drop(recent.popleft()[1])
        for key, most in _measures(self._tools.limits, address, board, cause):
            if self._counts[key] >= most or self._silent.get((box, key), tx.now) > tx.now:
                return key, most
        return None, 0

    def silent_until(self, tx: Transaction, address: str, board: int | None, cause: Cause) -> str:
        """Until when further answers are left out, for the player to be told; empty if they were told before.

        That is when half of the answers of the last hour no longer count.
        """
        key, _ = self._exhausted(tx, address, board, cause)
        if key is None:
            return ""
        times = [at for at, keys in self._recalled(tx) if key in keys]
        until = (times[len(times) // 2] if times else tx.now) + _HOUR
        return self.keep_silent(address, key.name, until, tx.now, unproven=key.unproven)

    def keep_silent(self, address: str, name: str, until: datetime, now: datetime, *, unproven: bool = True) -> str:
        """Note and return until when the address gets no answers, to the minute; empty if that was told before."""
        at = (mailbox(address), _Key(name, unproven))
        self._silent = {each: end for each, end in self._silent.items() if end > now}
        if at in self._silent:
            return ""
        self._silent[at] = until.replace(second=0, microsecond=0) + timedelta(minutes=1)
        return f"{self._silent[at]:%Y-%m-%d %H:%M} UTC"

    def _recalled(self, tx: Transaction) -> deque[tuple[datetime, tuple[_Key, ...]]]:
        """The recent answers. The outbox does not say which went to mails that proved nothing, so all count as such.

        Counts from a time when the clock was ahead would never expire, so they are read again.
        """
        if self._recent and self._recent[0][0] >= tx.now + _HOUR:
            self.forget()
        if self._recent is None:
            self._recent = deque()
            for created_at, address, board in tx.outbox.answers_since(tx.now - _HOUR):
                causes = Cause(proven=True), Cause(proven=False)
                measures = (_measures(self._tools.limits, address, board, cause) for cause in causes)
                self._count(created_at, tuple(key for each in measures for key, _ in each))
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
    """The keys to count an answer under, each with its limit; what proves nothing draws only from what is its own."""
    to, origin = f"to {mailbox(address)}", cause.origin
    if cause.proven:
        yield _Key("in all"), limits.answers_per_hour_in_all
        yield _Key(to), limits.answers_per_hour
        if board is not None:
            yield _Key(f"on board {board}"), limits.answers_per_board_per_hour
        return
    yield _Key("to emails that prove nothing", unproven=True), max(1, limits.answers_per_hour_in_all // 2)
    if board is not None:
        about = f"on board {board} to emails that prove nothing"
        yield _Key(about, unproven=True), limits.answers_per_board_per_hour
    if cause.reads_help:
        yield _Key(f"{to}, who only reads help and proves nothing", unproven=True), limits.unproven_help_per_hour
    else:
        yield _Key(f"{to}, whose emails prove nothing", unproven=True), limits.unproven_answers_per_hour
    domain = domain_of(address)
    if origin.address and not origin.vouched and not is_shared(domain):
        about = f"to {domain}, whose emails prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_domain_per_hour
    if origin.network:
        about = f"to emails from {origin.network} that prove nothing"
        yield _Key(about, unproven=True), limits.unproven_answers_per_network_per_hour


REPLY = "reply"
"""The kind of counts, kept with those of guesses, of replies to addresses without an account."""


def replies_to(tx: Transaction, address: str) -> int:
    """How many replies the mailbox of an address without an account has got lately."""
    key = Key(REPLY, mailbox(address))
    return remembered(tx.guesses.get([key]).get(key), tx.now)


def replied_to(tx: Transaction, address: str) -> None:
    """Count one more reply to an address without an account."""
    key = Key(REPLY, mailbox(address))
    tx.lock([f"guess {key.kind} {key.subject}"])
    tx.guesses.put(key, replies_to(tx, address) + 1, tx.now, None)


_SLIGHT_SECONDS = 0.1


class Costs:
    """Seconds of computing within the last hour, by the player or address they were for."""

    def __init__(self, most_seconds: Callable[[], float]) -> None:
        """most_seconds: gives the limit of one key within an hour."""
        self._most = most_seconds
        self._spent: dict[str, deque[tuple[datetime, float]]] = {}

    def charge(self, keys: Collection[str], seconds: float, now: datetime) -> None:
        if seconds >= _SLIGHT_SECONDS:
            for key in keys:
                self._spent.setdefault(key, deque()).append((now, seconds))

    def used_up_until(self, keys: Collection[str], now: datetime) -> datetime | None:
        """When the keys may ask again, if one of them has used up its limit; None if none has."""
        waits = [until for key in keys if key in self._spent and (until := self._until(key, now)) is not None]
        return max(waits, default=None)

    def _until(self, key: str, now: datetime) -> datetime | None:
        spent = self._spent[key]
        while spent and abs(now - spent[0][0]) >= _HOUR:  # in the future if the clock was ahead
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
