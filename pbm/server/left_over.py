"""Mails that waited when this process started: work on one of them may have ended an earlier process.

They are noted as begun, first several together, then, if a process has ended meanwhile, each alone. A mail that alone
was in hand when a process ended is a suspect, and no more: power cuts and kills from outside hit innocent mails, too.
So it is handled in a process of its own. Whatever kills this process as well proves nothing; only a mail whose own
process ends, twice, while this one lives on, is at fault.
"""

from __future__ import annotations

from collections.abc import Callable

from pbm.domain.mail import Received
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

    def __init__(self, store: Store) -> None:
        self._store = store
        self._up_to: int | None = None
        """The number of the last of them; 0 once all are done, None as long as nobody has looked."""
        self._noted: set[int] = set()
        """The numbers of those that this process has noted as begun."""

    @property
    def is_done(self) -> bool:
        return self._up_to == 0

    def begin(self, limit: int) -> list[tuple[Received, int]]:
        """The next of them, now noted as begun, and how often each was begun by processes that ended.

        Later mails are not noted, because that costs a commit. Raises: DatabaseTrouble.
        """
        if self._up_to is None:
            with self._store.read() as tx:
                self._up_to = tx.inbox.newest_waiting()
        if not self._up_to:
            return []
        with self._store.write(alone=False) as tx:
            found = tx.inbox.left_over(self._up_to, limit)
            tx.inbox.begin([row.id for row, _ in found if row.id not in self._noted])
        if not found:
            self._up_to = 0
            self._noted.clear()
        before = [(row, times - (row.id in self._noted)) for row, times in found]
        self._noted |= {row.id for row, _ in found}
        return before


def is_harmful(apart: Apart, mail_id: int) -> bool | None:
    """Whether a mail ends the processes of its own that handle it; None if one has handled it.

    A process that ends in good order, for example because the database is locked, was not ended by the mail.
    """
    for _ in range(TRIES_APART):
        code = apart(mail_id)
        if code >= 0:
            return None if code == 0 else False
    return True
