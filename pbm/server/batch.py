"""The mails that wait: which of them come next, and how many are handled in one transaction.

They are read, and passwords are checked, before the transaction that writes. That one handles some of them, until its
time is over. `handle` decides what one mail does. A fault of ours undoes the transaction; then its mails are handled
one by one, and the one that is at fault is parked.

Moves do not wait for other mails: mails that answer a board come first, even from far behind. Mails with passwords,
each of which takes as long as many moves, are put off until those without are done. No mail passes an earlier one of
its lane. Mails that waited when this process started come first; see `left_over`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from time import monotonic

from pbm.domain.mail import Received
from pbm.mailin import Message
from pbm.server.docket import Ended, Prepared, Settled, tell, write_down
from pbm.server.handle import Handler
from pbm.server.left_over import SUSPECTED, TRIES_APART, Apart, LeftOver, Unfinished, is_harmful
from pbm.store import Conflict, DatabaseTrouble, Store, Transaction, translated

_SECONDS_AT_ONCE = 0.05
"""How long mails are handled in one transaction, which still finishes the mail in hand."""
_SECONDS_OF_A_READING = 0.3
"""How long mails are handled after they were read; then others may have come that go first."""
_LEAST, _MOST = 10, 40
"""Mails that are read at once."""
_AHEAD_AT_ONCE = 20
"""Mails that answer a board and are handled before earlier ones, while more wait than are read at once."""
_SLOW_AT_ONCE = 2
"""Mails with passwords that are handled before mails without are looked for again."""


class Fault(Exception):
    """A fault of ours, which undoes a transaction."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def faults() -> Iterator[None]:
    """Turn whatever goes wrong in the block into Fault, except for trouble with the database."""
    try:
        with translated():
            yield
    except DatabaseTrouble:
        raise
    except Exception as error:
        raise Fault(error) from error


class Batches:
    """One process's view of the mails that wait; others may handle them, too."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self._committed: Callable[[], None] = lambda: None
        self._left_over = LeftOver(store)
        self.apart: Apart | None = None
        """How a mail is handled in a process of its own; None if there are no others, so that none is ever parked."""
        self._put_off: dict[int, str] = {}
        """The lanes of mails that wait although later ones are handled, by the mails' numbers."""
        self._at_once = _MOST
        self.is_idle = True
        """Whether no more mails waited at the last look."""

    def handle(self, limit: int, committed: Callable[[], None]) -> int:
        """Handle the next mails; returns how many, 0 only if none waits that can be handled.

        committed: is called after each commit, when mails may be sent. Raises: DatabaseTrouble; mails whose transaction
        was rolled back then wait on. Conflict: others have all mails in hand for which these must wait.
        """
        self._committed = committed
        finished = self._begin_left_over(limit)
        with self._store.look() as tx:
            if self._handler.heed(tx):
                return finished
            quick, slow, is_more = self._next(tx, min(limit, self._at_once))
        done, rest = self._settle(quick)
        if slow:
            done += self._settle(self._handler.check(fresh(slow)))[0]
        if (quick or slow) and not done:
            raise Conflict("The mails that wait must wait for others, which another process is handling.")
        self.is_idle = not (is_more or rest) and done == len(quick) + len(slow)
        return done + finished

    def _begin_left_over(self, limit: int) -> int:
        """Note the next mails that are left over as begun; returns how many were finished elsewhere, or given up."""
        were_done = self._left_over.is_done
        found = self._left_over.begin(limit)
        if not found and not were_done:
            self._at_once = _MOST
        if not found:
            return 0
        self._at_once = len(found)
        row, times = found[0]
        if times < SUSPECTED or self.apart is None:
            return 0
        harmful = is_harmful(self.apart, row.id)
        if harmful is None:
            self._committed()
            return 1
        if harmful:
            self._give_up(row, is_read=times == SUSPECTED)
        return int(harmful)

    def _give_up(self, row: Received, *, is_read: bool) -> None:
        """Park a mail that ends its processes. is_read: it is read here, to tell its sender; not if that ended us."""
        error = Unfinished(f"the process of its own that handled it ended, {TRIES_APART} times")
        mail = Prepared(row, self._handler.message_of(row) if is_read else error)
        with self._store.write() as tx:
            ended = write_down(tx, [(mail, self._handler.give_up(tx, mail, error))])
        self._tell(ended)

    def handle_only(self, mail_id: int) -> int:
        """Handle one waiting mail and no other; returns 1, or 0 if it does not wait. Raises: DatabaseTrouble."""
        with self._store.look() as tx:
            self._handler.heed(tx)
            mails = self._handler.read(tx, tx.inbox.these([mail_id]))
        return self._settle(self._handler.check(mails))[0]

    def _next(self, tx: Transaction, limit: int) -> tuple[list[Prepared], list[Prepared], bool]:
        """The next mails without passwords, a few with, and whether others wait."""
        rows = tx.inbox.waiting(limit, but=self._put_off)
        is_flood = len(rows) >= limit and self._left_over.is_done
        if is_flood:
            rows += tx.inbox.of_boards(_AHEAD_AT_ONCE, rows[-1].id, but=self._put_off)
        again = tx.inbox.these(sorted(self._put_off)[:_SLOW_AT_ONCE])
        lanes = {lane for lane in self._put_off.values() if lane}
        quick, slow = list[Prepared](), self._handler.read(tx, again)
        for mail in self._handler.read(tx, rows):
            if mail.holds_passwords or mail.row.lane in lanes:
                slow.append(mail)
                lanes |= {mail.row.lane} - {""}
            else:
                quick.append(mail)
        # One that was left over last time is earlier than those put off, and none passes an earlier one of its lane.
        slow.sort(key=lambda mail: mail.row.id)
        first = slow[:_SLOW_AT_ONCE]
        self._put_off = {
            number: lane for number, lane in self._put_off.items() if number not in {row.id for row in again}
        }
        self._put_off |= {mail.row.id: mail.row.lane for mail in slow[_SLOW_AT_ONCE:]}
        return (
            moves_first(quick, is_flood=is_flood),
            first,
            bool(is_flood or self._put_off) or not self._left_over.is_done,
        )

    def _settle(self, mails: Sequence[Prepared]) -> tuple[int, Sequence[Prepared]]:
        """Handle the mails in one short transaction after another; returns how many were handled, and the rest.

        A mail that comes after another of its sender or lane is left for the next time, because it must be read anew:
        the first may change what the second means.
        """
        done, rest, until = 0, fresh(mails), monotonic() + _SECONDS_OF_A_READING
        left = mails[len(rest) :]
        while rest:
            handled, rest = self._settle_some(rest)
            done += handled
            if monotonic() > until:
                break
        # What time was too short for was read for nothing, so next time fewer are read.
        self._at_once = max(_LEAST, len(mails) - len(rest)) if rest else min(_MOST, 2 * self._at_once)
        return done, [*rest, *left]

    def _settle_some(self, mails: Sequence[Prepared]) -> tuple[int, Sequence[Prepared]]:
        """Handle the first of the mails in one transaction; returns how many were handled, and those not looked at.

        Mails that may change more than boards lock the whole house, so they are not mixed with others.
        """
        only_boards = mails[0].stays_on_boards
        some = [*takewhile(lambda mail: mail.stays_on_boards == only_boards, mails)]
        try:
            with self._store.write(alone=not only_boards) as tx:
                looked_at, ended = self._handled(tx, some, only_boards=only_boards)
        except Fault as fault:
            self._handler.forget()
            if len(some) > 1:  # whichever is at fault, the others are handled
                return sum(self._settle_some([mail])[0] for mail in some), mails[len(some) :]
            return self._park(some[0], fault.error), mails[1:]
        except Exception:
            self._handler.forget()
            raise
        self._tell(ended)
        return len(ended), mails[looked_at:]

    def _handled(self, tx: Transaction, mails: Sequence[Prepared], *, only_boards: bool) -> tuple[int, list[Ended]]:
        """How many of the mails were looked at, and how those ended that were ours. Raises: Fault, DatabaseTrouble."""
        until, looked_at = monotonic() + _SECONDS_AT_ONCE, 0
        ours = tx.inbox.claim([mail.row.id for mail in mails])
        claimed = [mail for mail in mails if mail.row.id in ours]
        tx.lock(name for mail in claimed for name in mail.locks)
        known = tx.inbox.settled([mail.identity for mail in claimed if mail.identity is not None])
        ended, done = list[Ended](), list[tuple[Prepared, Settled]]()
        with faults():
            for mail in mails:
                looked_at += 1
                if mail.row.id in ours:
                    done.append((mail, self._handler.settle(tx, mail, known)))
                # What a mail does to more than boards may concern mails that earlier ones have caused.
                if not only_boards:
                    ended += write_down(tx, done)
                    done.clear()
                if monotonic() > until:
                    break
            return looked_at, ended + write_down(tx, done)

    def _park(self, mail: Prepared, error: Exception) -> int:
        """Park a mail whose fault undid a transaction; returns 0 if another process has taken it meanwhile."""
        with self._store.write() as tx:
            if not tx.inbox.claim([mail.row.id]):
                return 0
            settled = self._handler.give_up(tx, mail, error)
            ended = write_down(tx, [(mail, settled._replace(identity=mail.identity))])
        self._tell(ended)
        return 1

    def _tell(self, ended: Sequence[Ended]) -> None:
        tell(ended)
        self._committed()


def moves_first(mails: Sequence[Prepared], *, is_flood: bool) -> list[Prepared]:
    """Mails that answer a board before others, but none before an earlier one of its sender or its lane.

    is_flood: moves come before whatever their senders seem to have written, because anybody can write in their names.
    """
    first, later = list[Prepared](), list[Prepared]()
    passed: set[str] = set()
    for mail in mails:
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        if mail.row.answers_board and (is_flood or passed.isdisjoint({mail.row.lane, sender})):
            first.append(mail)
        else:
            later.append(mail)
            passed |= {mail.row.lane, sender}
    return first + later


def fresh(mails: Sequence[Prepared]) -> Sequence[Prepared]:
    """The first of the mails, up to one that comes after another of its sender or its lane."""
    met = set[str]()
    for place, mail in enumerate(mails):
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        ways = {mail.row.lane, sender} - {""}
        if ways & met:
            return mails[:place]
        met |= ways
    return mails
