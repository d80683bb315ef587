"""What is due is done, whenever that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import structlog

from pbm.core.bus import RecordDamaged, publish
from pbm.core.notify import Desk, Tools
from pbm.core.registry import JOBS, Occasion
from pbm.domain.errors import Unreadable
from pbm.store import DatabaseTrouble, Store, Transaction
from pbm.store.house import Item

Attend = Callable[[Desk, int], None]

log = structlog.get_logger()

_RETRY = timedelta(hours=1)
"""When a job that failed through a fault of ours is tried again; an agenda item waits twice as long after each further
failure, up to a day."""
_MOST_DOUBLINGS = 5


class Runner:
    """Does what is due. Any number of processes may run one on the same database."""

    def __init__(self, store: Store, tools: Tools, attend: Attend) -> None:
        """attend: does what a board is due for."""
        self._store = store
        self._tools = tools
        self._attend = attend

    def run(self, limit: int = 100, at: datetime | None = None) -> int:
        """Do what is due, the longest overdue first; returns how many things were done.

        at: the present instant, if the caller has its own; None for the store's clock. Raises: DatabaseTrouble.
        """
        damaged = self._tools.states.damaged
        # The boards that were found damaged since the last time.
        if damaged:
            with self._store.write(at=at) as tx:
                for board, reason in list(damaged.items()):
                    publish(RecordDamaged(board, reason), tx)
            damaged.clear()
        for done in range(limit):
            if not self._do_next(at or self._store.clock()):
                return done
        return limit

    def _do_next(self, now: datetime) -> bool:
        """Do what is due next, but nothing that became due after a waiting mail came in: the mail may be in time."""
        with self._store.read() as tx:
            until = min(now, tx.inbox.waits_since() or now)
            item_at, board_at = tx.agenda.next_at(), tx.matches.next_due_at()
        first = min(filter(None, (item_at, board_at)), default=None)
        # A move that came in before a deadline counts, even if it is handled after it.
        if first is None or first > until:
            return False
        return self._do_item(until, now) if first == item_at else self._attend_next(until, now)

    def _attend_next(self, until: datetime, now: datetime) -> bool:
        with self._store.write(at=now) as tx:
            board = tx.matches.claim_due(until)
            if board is None:
                return False
            with self._forgiven(tx, lambda _: tx.matches.put_off(board, now + _RETRY), "board_fault", board=board):
                self._attend(Desk(tx, self._tools), board)
        return True

    def _do_item(self, until: datetime, now: datetime) -> bool:
        with self._store.write(at=now) as tx:
            item = tx.agenda.claim(until)
            # Another process was quicker.
            if item is None:
                return False
            told = {"kind": item.kind, "key": item.key, "attempts": item.attempts}
            with self._forgiven(tx, lambda error: _postpone(tx, item, now, error), "agenda_fault", **told):
                tx.agenda.drop(item.kind, item.key)
                JOBS[item.kind](Occasion(tx, self._tools, item))
        return True

    @contextmanager
    def _forgiven(
        self, tx: Transaction, put_off: Callable[[Exception], None], fault: str, **told: Any
    ) -> Iterator[None]:
        """After a fault in the block, log it, undo what the block wrote, and put it off.

        The same happens if a board cannot be read, but then another mail tells the operator. Raises: DatabaseTrouble.
        """
        try:
            with tx.savepoint():
                yield
        except Exception as error:
            self._tools.states.forget()
            # No fault of the item: the whole transaction is tried again.
            if isinstance(error, DatabaseTrouble):
                raise
            if isinstance(error, Unreadable):
                log.info("board_waits", **told, reason=str(error))
            else:
                log.error(fault, **told, exc_info=error)
            put_off(error)


def _postpone(tx: Transaction, item: Item, now: datetime, error: Exception) -> None:
    """Put an item off, longer after each failure; but no longer for an unreadable board, which may soon be mended."""
    doublings = 0 if isinstance(error, Unreadable) else min(item.attempts, _MOST_DOUBLINGS)
    tx.agenda.postpone(item, now + min(_RETRY * 2**doublings, timedelta(days=1)))
