"""Mails that waited when this process started: work on one of them may have ended an earlier process.

As long as one of them waits, mails are noted as begun, first several together, then, if a process has ended meanwhile,
each alone. A mail that alone was in hand when a process ended is a suspect, and no more: power cuts and kills from
outside hit innocent mails, too. So it is handled in a process of its own. Whatever kills this process as well proves
nothing; only a mail whose own process ends, twice, while this one lives on, is at fault.
"""

from __future__ import annotations

from collections.abc import Callable

from pbm.domain.mail import Received
from pbm.server.handle import Handler
from pbm.server.prepared import Prepared, tell, write_down
from pbm.store import Store

Apart = Callable[[int], int]
"""Handles the mail with this id in a process of its own; gives its exit code, which is negative if it was killed."""

SUSPECTED = 2
"""How often a mail was begun that alone was in hand when a process ended: once with others, and once alone."""
TRIES_APART = 2


class Unfinished(Exception):
    """A mail ends every process that handles it."""


class LeftOver:
    """The mails that waited at the start, as far as they are not done."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self.apart: Apart | None = None
        """How a mail is handled in a process of its own; None if there are no others, so that none is ever parked."""
        self.may_wait = True
        """Whether any of them may still wait."""
        self.begun: list[int] = []
        """The numbers of those that come next, which are noted as begun; empty once all are done."""
        self._up_to: int | None = None
        """The number of the last of them; 0 for none, None as long as nobody has looked."""
        self._noted: set[int] = set()
        """The numbers of those that this process has noted as begun."""

    def begin(self, limit: int, committed: Callable[[], None]) -> None:
        """Note the next mails as begun; a suspect is finished in a process of its own, or given up, before.

        Once none may wait, none is noted, because that costs a commit. committed: as for Batches.handle.
        Raises: DatabaseTrouble.
        """
        # Mails that come later cannot have ended an earlier process.
        if self._up_to is None:
            with self._store.read() as tx:
                self._up_to = tx.inbox.newest_waiting()
        rows: list[Received] = []
        while self._up_to:
            rows, times = self._note(self._up_to, limit)
            if not rows:
                self._noted.clear()
                break
            if times < SUSPECTED or self.apart is None or not self._is_finished(self.apart, rows[0], times, committed):
                break
        self.may_wait = bool(rows)
        self.begun = [row.id for row in rows]

    def _note(self, up_to: int, limit: int) -> tuple[list[Received], int]:
        """The next of them, now noted as begun, and how often processes that ended had begun the first."""
        with self._store.write(alone=False) as tx:
            rows = tx.inbox.left_over(up_to, limit)
            tx.inbox.begin([row.id for row in rows if row.id not in self._noted])
        before = [row.begun - (row.id in self._noted) for row in rows]
        self._noted |= {row.id for row in rows}
        return rows, next(iter(before), 0)

    def _is_finished(self, apart: Apart, row: Received, times: int, committed: Callable[[], None]) -> bool:
        """Whether a suspect was handled in a process of its own, or given up because it ends those."""
        for _ in range(TRIES_APART):
            code = apart(row.id)
            if code == 0:
                committed()
            # A process that ends in good order, such as because the database is locked, was not ended by the mail.
            if code >= 0:
                return code == 0
        error = Unfinished(f"the process of its own that handled it ended, {TRIES_APART} times")
        # It is read here, to tell its sender, unless reading it has ended a process like this one before.
        mail = Prepared(row, self._handler.message_of(row) if times == SUSPECTED else error)
        with self._store.write() as tx:
            ended = write_down(tx, [(mail, self._handler.give_up(tx, mail, error))])
        tell(ended)
        committed()
        return True
