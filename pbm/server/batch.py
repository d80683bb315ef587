"""The mails that wait: which of them come next, and how many are handled in one transaction.

They are read, and passwords are checked, before the transaction that writes. That one handles some of them, until its
time is over. A fault of ours undoes it; its first mail is then handled alone, and parked if it is at fault. `handle`
decides what one mail does.

The first of each lane come next, in the order in which they came: whoever floods one lane keeps nobody else waiting.
If more wait than are read at once, those that answer boards go first. See `left_over` for those from before the start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from time import monotonic

from pbm.mailin import Message
from pbm.server.handle import Handler
from pbm.server.left_over import LeftOver
from pbm.server.prepared import Ended, Prepared, Settled, tell, write_down
from pbm.store import Conflict, DatabaseTrouble, Store, Transaction, translated

_SECONDS_AT_ONCE = 0.05
"""How long mails are handled in one transaction, which still finishes the mail in hand."""
_SECONDS_OF_A_READING = 0.3
"""How long mails are handled after they were read; then others may have come that go first."""
_AT_ONCE = 20
"""Mails that are read at once."""
_SLOW_AT_ONCE = 2
"""Mails with passwords that are handled before others are looked for again: each takes as long as many moves."""


class Batches:
    """One process's view of the mails that wait; others may handle them, too."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self.left_over = LeftOver(store, handler)
        self.is_idle = True
        """Whether no more mails waited at the last look."""

    def handle(self, limit: int, committed: Callable[[], None]) -> int:
        """Handle the next mails; returns how many, 0 only if none waits that can be handled.

        committed: is called after each commit, when mails may be sent. Raises: DatabaseTrouble; mails whose transaction
        was rolled back then wait on. Conflict: others have all mails in hand for which these must wait.
        """
        if self.left_over.may_wait:
            self.left_over.begin(limit, committed)
        with self._store.look() as tx:
            if self._handler.heed(tx):
                return 0
            mails, waiting = self._next(tx, min(limit, _AT_ONCE))
        quick, slow = list[Prepared](), list[Prepared]()
        for mail in ready(mails):
            (slow if mail.holds_passwords else quick).append(mail)
        done = self._settle(quick, committed) + self._settle(self._handler.check(slow), committed)
        if mails and not done:
            raise Conflict("The mails that wait must wait for others, which another process is handling.")
        # If others have all of them in hand, they go on with those behind, and this process has other things to do.
        self.is_idle = not mails or done == waiting
        return done

    def handle_only(self, mail_id: int) -> int:
        """Handle one waiting mail and no other; returns 1, or 0 if it does not wait. Raises: DatabaseTrouble."""
        with self._store.look() as tx:
            self._handler.heed(tx)
            mails = self._handler.read(tx, tx.inbox.these([mail_id]))
        return self._settle(self._handler.check(mails), lambda: None)

    def _next(self, tx: Transaction, limit: int) -> tuple[list[Prepared], int]:
        """The mails to be handled next, as they read now, and how many wait, with these."""
        # One of these may have ended an earlier process, so no others are put at risk with them.
        if self.left_over.begun:
            rows, waiting = tx.inbox.these(self.left_over.begun), len(self.left_over.begun) + 1
        else:
            rows, waiting = tx.inbox.next(limit)
        return self._handler.read(tx, rows), waiting

    def _settle(self, mails: Sequence[Prepared], committed: Callable[[], None]) -> int:
        """Handle the mails in one short transaction after another, for a while; returns how many were handled."""
        done, until = 0, monotonic() + _SECONDS_OF_A_READING
        while mails:
            looked_at, ended = self._settle_some(mails)
            tell(ended)
            committed()
            done, mails = done + len(ended), mails[looked_at:]
            if monotonic() > until:
                break
        return done

    def _settle_some(self, mails: Sequence[Prepared]) -> tuple[int, list[Ended]]:
        """Handle the first of the mails in one transaction; returns how many were looked at, and how ours ended.

        A mail that may change more than boards locks the whole house, and may concern what earlier ones have caused, so
        it is handled alone.
        """
        some = [*takewhile(lambda mail: mail.stays_on_boards, mails)] or mails[:1]
        try:
            return self._handled(some)
        except DatabaseTrouble:
            self._handler.tools.states.forget()
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            self._handler.tools.states.forget()
            return self._settle_some(some[:1]) if len(some) > 1 else (1, self._parked(some[0], error))

    def _handled(self, mails: Sequence[Prepared]) -> tuple[int, list[Ended]]:
        """As _settle_some. Raises: DatabaseTrouble, and whatever goes wrong through our fault."""
        looked_at, done = 0, list[tuple[Prepared, Settled]]()
        with self._store.write(alone=not mails[0].stays_on_boards) as tx, translated():
            until = monotonic() + _SECONDS_AT_ONCE
            ours = tx.inbox.claim([mail.row.id for mail in mails])
            # Another process may have taken some meanwhile.
            claimed = [mail for mail in mails if mail.row.id in ours]
            # All at once: locks that are taken one after the other can deadlock.
            tx.lock(name for mail in claimed for name in mail.locks)
            known = tx.inbox.settled([mail.identity for mail in claimed if mail.identity is not None])
            for mail in mails:
                looked_at += 1
                if mail.row.id in ours:
                    done.append((mail, self._handler.settle(tx, mail, known)))
                if monotonic() > until:
                    break
            return looked_at, write_down(tx, done)

    def _parked(self, mail: Prepared, error: Exception) -> list[Ended]:
        """Park a mail whose fault undid a transaction, unless another process has taken it meanwhile."""
        with self._store.write() as tx:
            if not tx.inbox.claim([mail.row.id]):
                return []
            settled = self._handler.give_up(tx, mail, error)
            return write_down(tx, [(mail, settled._replace(identity=mail.identity))])


def ready(mails: Sequence[Prepared]) -> list[Prepared]:
    """The mails that can be handled as they were read: none after another of its sender or lane, which may change what
    it means, and few with passwords.
    """
    found, met, slow = list[Prepared](), set[str](), 0
    for mail in mails:
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        ways = {mail.row.lane, sender} - {""}
        is_ready = met.isdisjoint(ways) and (not mail.holds_passwords or slow < _SLOW_AT_ONCE)
        met |= ways
        if is_ready:
            found.append(mail)
            slow += mail.holds_passwords
    return found
