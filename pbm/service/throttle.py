"""How many answers may go out: so few that two robots which answer each other come to an end.

What a mail asks for is done whatever it says here, and mails that tell of a move are no answers. An answer left out is
one that a robot cannot answer, so that is how a loop ends.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pbm.domain.mail import Mail
from pbm.service.telling import Limits
from pbm.store import Transaction

_HOUR = timedelta(hours=1)


class _Key(NamedTuple):
    """What answers are counted by: all of them, or those of an address, a board, a machine; which is named for
    whoever reads why one was left out. unproven: only those to mails that proved nothing.
    """

    name: str
    unproven: bool = False


@dataclass(frozen=True, slots=True)
class Cause:
    """The mail that is answered. proven: its sender showed who he is. peer: the machine it came from, or empty."""

    proven: bool = True
    peer: str = ""


class Throttle:
    """The answers of the last hour, held in memory; a new process reads them from the outbox."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._recent: deque[tuple[datetime, tuple[_Key, ...]]] | None = None
        self._counts: Counter[_Key] = Counter()

    def forget(self) -> None:
        """What was counted has not been committed: the outbox knows better."""
        self._recent = None
        self._counts.clear()

    def refusal(self, tx: Transaction, mail: Mail, now: datetime, cause: Cause) -> str:
        """Why an answer has to be left out; empty where it may go, and then it counts."""
        recent = self._recalled(tx, now)
        while recent and recent[0][0] <= now - _HOUR:
            self._drop(recent.popleft()[1])
        measures = dict(_measures(self._limits, mail.address, mail.board, cause))
        for key, most in measures.items():
            if self._counts[key] >= most:
                return f"{most} answers within an hour {key.name}"
        self._count(now, tuple(measures))
        return ""

    def _recalled(self, tx: Transaction, now: datetime) -> deque[tuple[datetime, tuple[_Key, ...]]]:
        """The outbox does not tell which of its answers went to mails that proved nothing, so all count as such."""
        if self._recent is None:
            self._recent = deque()
            for created_at, address, board in tx.outbox.answers_since(now - _HOUR):
                keys = tuple(key for key, _ in _measures(self._limits, address, board, Cause(proven=False)))
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
    """What an answer counts for, and how many may."""
    to = f"to {address.casefold()}"
    yield _Key("in all"), limits.answers_per_hour_in_all
    yield _Key(to), limits.answers_per_hour
    if board is not None:
        yield _Key(f"on board {board}"), limits.answers_per_board_per_hour
    if not cause.proven:
        yield _Key("to mails that prove nothing", unproven=True), max(1, limits.answers_per_hour_in_all // 2)
        yield _Key(f"{to}, whose mails prove nothing", unproven=True), limits.unproven_answers_per_hour
    if cause.peer and not cause.proven:
        yield _Key(f"to mails from {cause.peer}", unproven=True), max(1, limits.answers_per_hour_in_all // 10)
