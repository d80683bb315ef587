"""How many answers may go out: so few that two robots which answer each other come to an end.

What a mail asks for is done whatever it says here, and mails that tell of a move are no answers. An answer left out is
one that a robot cannot answer, so that is how a loop ends.
"""

from __future__ import annotations

from collections import Counter, deque
from datetime import datetime, timedelta

from pbm.domain.mail import Mail
from pbm.service.telling import Limits
from pbm.store import Transaction

_HOUR = timedelta(hours=1)
_IN_ALL = ""
"""The key under which every answer counts."""


class Throttle:
    """The answers of the last hour, held in memory; a new process reads them from the outbox."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._recent: deque[tuple[datetime, tuple[str | int, ...]]] | None = None
        self._counts: Counter[str | int] = Counter()

    def forget(self) -> None:
        """What was counted has not been committed: the outbox knows better."""
        self._recent = None
        self._counts.clear()

    def refusal(self, tx: Transaction, mail: Mail, now: datetime) -> str:
        """Why an answer has to be left out; empty where it may go, and then it counts."""
        recent = self._recalled(tx, now)
        while recent and recent[0][0] <= now - _HOUR:
            self._drop(recent.popleft()[1])
        keys, limits = _keys(mail.address, mail.board), self._limits
        most = (limits.answers_per_hour_in_all, limits.answers_per_hour, limits.answers_per_board_per_hour)
        for key, limit in zip(keys, most, strict=False):
            if self._counts[key] >= limit:
                return f"{limit} answers within an hour {_named(key)}"
        self._count(now, keys)
        return ""

    def _recalled(self, tx: Transaction, now: datetime) -> deque[tuple[datetime, tuple[str | int, ...]]]:
        if self._recent is None:
            self._recent = deque()
            for created_at, address, board in tx.outbox.answers_since(now - _HOUR):
                self._count(created_at, _keys(address, board))
        return self._recent

    def _count(self, at: datetime, keys: tuple[str | int, ...]) -> None:
        assert self._recent is not None  # noqa: S101  recalled before
        self._recent.append((at, keys))
        self._counts.update(keys)

    def _drop(self, keys: tuple[str | int, ...]) -> None:
        for key in keys:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]


def _keys(address: str, board: int | None) -> tuple[str | int, ...]:
    """What an answer counts for, in the order of the limits."""
    return (_IN_ALL, address.casefold()) if board is None else (_IN_ALL, address.casefold(), board)


def _named(key: str | int) -> str:
    if key == _IN_ALL:
        return "in all"
    return f"to {key}" if isinstance(key, str) else f"on board {key}"
