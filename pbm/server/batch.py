"""Handles many mails together, in short transactions: everything that is there for speed.

What a batch needs is read in one go, locked in one go, and its results are written in one go. Mails that only read are
answered before, from a view of the database, while others write; the effects of moves are worked out there, too. If
writing a batch fails, it is handled again, mail by mail, so that only the faulty mail is parked. If only one process
can write at a time, it lets others write between its mails, so that no arriving mail waits long. `waiting` decides
which mails come next; `handle` decides what a mail does, and what its sender gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf
from time import monotonic, thread_time

import structlog
from structlog.contextvars import bound_contextvars

from pbm.mailin import Message
from pbm.server.docket import Journal, Obeyed, Prepared
from pbm.server.handle import Handler
from pbm.server.waiting import Unfinished, WaitingMails, alike, parted
from pbm.store import HOUSE, Conflict, DatabaseTrouble, Store, Transaction

log = structlog.get_logger()

_MAILS_AT_ONCE, _SECONDS_AT_ONCE = 40, 0.05
"""Limits of a transaction during which nobody else can write; it still finishes the mail in hand.

It takes at most twice as many mails as the transaction before it settled in time.
"""
_SECONDS_AHEAD = 0.2
"""How long the effects of mails are worked out while others write."""
_SECONDS_OF_A_BITE = 0.03
"""How often long work is interrupted to check for moves that have come in."""


@dataclass(slots=True)
class Foreseen:
    """What is worked out about mails before the transaction in which they are settled."""

    age: int | None
    """The age of the database then, see Transaction.age; None once it has changed."""
    seen: dict[int, object] = field(default_factory=dict)
    """What was known of each mail's board and sender, see Transaction.seen, by the mails' numbers."""
    obeyed: dict[int, Obeyed] = field(default_factory=dict)
    """By the mails' numbers: answers to mails that only read, and effects of moves, each on a different board, which
    hold as long as nothing else changes.
    """

    def of(self, tx: Transaction, mail: Prepared) -> Obeyed | None:
        obeyed = self.obeyed.get(mail.row.id)
        if obeyed is None or obeyed.rehearsal is None:
            return obeyed
        seen = self.seen[mail.row.id]
        is_same = seen is None or seen == tx.seen(mail.sender.board, mail.letter.sender)
        return obeyed if is_same and self.holds(tx) else None

    def holds(self, tx: Transaction) -> bool:
        """Whether nothing else was changed."""
        return tx.age == self.age and not tx.disturbed


class Batches:
    """Handles the mails that wait, many in one transaction."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self._waiting = WaitingMails(store, handler)
        self._journal = Journal()
        self._committed: Callable[[], None] = lambda: None
        self._at_once = _MAILS_AT_ONCE
        self._one_by_one = False
        self._done = 0
        """Mails that the present `handle` has settled and committed."""
        self._more = False
        """Whether more mails waited that can be handled at once."""
        self.is_idle = True
        """Whether no more mails waited at the last look."""
        self._in_hand: set[str] = set()
        """The lanes of the mails that are being handled."""
        self._passing = False
        """Whether long work is interrupted to let moves pass."""
        self._looked_at = 0.0
        """When moves to let pass were last looked for, by the monotonic clock."""

    def handle(self, limit: int, committed: Callable[[], None]) -> int:
        """Handle the next mails; returns how many, 0 only if none waits that can be handled.

        Mails whose results cannot be written together are handled and written again, one by one. committed: is called
        after each commit, when mails may be sent. Raises: DatabaseTrouble; mails whose transaction was rolled back then
        wait on.
        """
        self._committed, self._done, self._more = committed, 0, True
        while self._more and not self._done:
            some = self._waiting.begin(limit, self._give_up)
            try:
                self._handle(some, one_by_one=False)
            except DatabaseTrouble:
                raise
            except Exception as error:
                log.error("batch_fault", exc_info=error)
                self._handle(some, one_by_one=True)
        self.is_idle = not self._more and not (self._done and self._store.locks_rows)
        return self._done

    def let_pass(self) -> None:
        """Settle mails that answer a board and have come in since the last look.

        Long work calls this in a transaction that only reads. Mails that fail are handled again later.
        """
        is_early = monotonic() < self._looked_at + _SECONDS_OF_A_BITE
        if self._passing or self._waiting.left_over != 0 or is_early:
            return
        self._passing, begun = True, thread_time()
        try:
            if self._store.locks_rows:
                self._pass_claimed()
            else:
                self._settle_in_turn(self._of_boards())
        except Exception as error:  # noqa: BLE001  it must not fail the work that was interrupted
            log.warning("not_let_pass", error=str(error))
            self._begin_anew()
        finally:
            self._passing, self._looked_at = False, monotonic()
            self._handler.overtaken += thread_time() - begun

    def _handle(self, limit: int, *, one_by_one: bool) -> None:
        self._one_by_one, self._more = one_by_one, False
        try:
            (self._handle_claimed if self._store.locks_rows else self._handle_waiting)(limit)
        except Exception:
            self._begin_anew()
            self._in_hand.clear()
            raise

    def _begin_anew(self) -> None:
        """Forget everything that was not committed."""
        self._journal.clear()
        self._waiting.see_all_again()
        self._handler.throttle.forget()
        self._handler.tools.states.forget()

    def _give_up(self, mail: Prepared, error: Unfinished) -> None:
        """Park a mail that was begun too often and never finished."""
        with self._store.write() as tx:
            self._journal.note(mail.row.id, self._handler.park(tx, mail, error))
            self._journal.write_down(tx)
        self._tell()

    def _tell(self) -> None:
        """Log and report what is now committed."""
        self._done += self._journal.tell()
        self._committed()

    # If only one process can write at a time, nothing slow is done while it does.

    def _handle_waiting(self, limit: int) -> None:
        with self._store.read() as tx:
            if self._handler.heed(tx):
                return
            work, self._more = self._waiting.next(tx, limit)
            self._settle_in_turn(work, tx)

    def _settle_in_turn(self, work: list[Prepared], view: Transaction | None = None) -> None:
        """Settle the mails, and others that answer a board and come in meanwhile.

        Those are settled first, and apart from the rest, which is worked out after them. view: the transaction in which
        the mails were read; it is closed.
        """
        while work:
            if not self._passing:
                self._in_hand = {mail.row.lane for mail in work}
            some = self._handler.check(alike(work[: self._at_once]))
            later = work[len(some) :]
            foreseen, rest = self._foresee(some, view)
            view = None
            now: Sequence[Prepared] = some[: len(some) - len(rest)]
            self._adapt(len(now), len(some))
            while now:
                now = self._settle_at_once(now, foreseen)
            work = [*rest, *later]
            if work and not self._waiting.left_over:
                work = sorted([*work, *self._of_boards()], key=lambda mail: not mail.row.answers_board)
        if not self._passing:
            self._in_hand.clear()

    def _of_boards(self) -> list[Prepared]:
        """Mails that answer a board; while long work is interrupted, only those before any mail of a lane in hand."""
        with self._store.read() as tx:
            return self._waiting.of_boards(tx, self._in_hand if self._passing else ())

    def _adapt(self, settled: int, work: int) -> None:
        """Adapt the size of a batch. settled: how many mails of `work` were done in time."""
        self._at_once = min(_MAILS_AT_ONCE, 2 * (settled if settled < work else self._at_once))

    def _settle_at_once(self, work: Sequence[Prepared], foreseen: Foreseen) -> Sequence[Prepared]:
        """Settle as many of the mails as one short transaction can; returns the rest."""
        with self._store.write() as tx:
            until = monotonic() + _SECONDS_AT_ONCE
            rest = self._settle_all(tx, work, foreseen, until)
            holds = foreseen.holds(tx)
        foreseen.age = tx.age if holds else None
        self._tell()
        return rest

    # If other processes handle mails at the same time, all locks that are known to be needed are taken together.

    def _handle_claimed(self, limit: int) -> None:
        """Claim and settle mails. Passwords are checked between transactions, so mails with some are claimed twice."""
        with self._store.write(alone=False) as tx:
            if self._handler.heed(tx):
                return
            work, unchecked = self._waiting.claim(tx, min(limit, self._at_once))
            settled = self._settle_claimed(tx, some := alike(work))
            self._adapt(settled, len(some))
            self._more = bool(unchecked) or settled < len(work)  # the rest is foreseen when it is claimed again
        self._tell()
        self._waiting.check(unchecked)

    def _pass_claimed(self) -> None:
        """As `_handle_claimed`, but only mails that answer a board, while others are claimed."""
        with self._store.read() as tx:
            if not self._waiting.has_of_boards(tx):
                return
        with suppress(Conflict), self._store.write(alone=False) as tx:
            self._settle_claimed(tx, self._waiting.claim(tx, 0)[0])
        self._tell()

    def _settle_claimed(self, tx: Transaction, work: Sequence[Prepared]) -> int:
        """Settle as many of the mails as can be foreseen together; returns how many."""
        foreseen, later = self._foresee(work)
        work = work[: len(work) - len(later)]
        tx.lock(name for mail in work for name in mail.locks)
        on_boards, others = parted(work, lambda mail: not (mail.row.id in foreseen.obeyed or mail.stays_on_boards))
        self._settle_all(tx, on_boards, foreseen)
        if others:
            tx.lock([HOUSE])
            self._settle_all(tx, others, foreseen)
        return len(work)

    # What both ways have in common.

    def _foresee(
        self, work: Sequence[Prepared], view: Transaction | None = None
    ) -> tuple[Foreseen, Sequence[Prepared]]:
        """Answer mails that only read, and work out the effects of the others, while others write.

        Also returns the mails from the first one that must wait: for an earlier mail of its lane, sender or board,
        which may change what it reads and is counted first, or because this took too long. view: a transaction that
        reads, which is closed; None for a new one.
        """
        met, until = set[str](), monotonic() + _SECONDS_AHEAD
        with closing(view) if view else self._store.read() as tx:
            found, tx.let_pass = Foreseen(tx.age), self.let_pass
            self._read_ahead(tx, work)
            for place, mail in enumerate(work):
                if place and not mail.row.answers_board:
                    self.let_pass()
                ways = mail.ways if (only_reads := mail.only_reads) else {*mail.boards}
                if place and (ways & met or monotonic() > until):
                    return found, work[place:]
                seen = tx.seen(mail.sender.board if len(ways) == 1 else None, getattr(mail.message, "sender", ""))
                obeyed = self._foreseen(tx, mail)
                if not only_reads:
                    ways |= mail.ways
                elif obeyed is None:
                    continue
                if obeyed is not None and (only_reads or mail.stays_on_boards):
                    found.obeyed[mail.row.id], found.seen[mail.row.id] = obeyed, seen
                met |= ways
        return found, []

    def _read_ahead(self, tx: Transaction, mails: Sequence[Prepared]) -> None:
        tx.players.foresee_owners({mail.message.sender for mail in mails if isinstance(mail.message, Message)})
        boards = {mail.sender.board for mail in mails if mail.sender.board is not None}
        tx.foresee(boards, self._handler.tools.states.match)

    def _foreseen(self, tx: Transaction, mail: Prepared) -> Obeyed | None:
        """The effects of a mail; None after any error, which comes up again when the mail is handled."""
        try:
            return self._handler.foresee(tx, mail)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            log.info("not_foreseen", mail=mail.row.id, error=str(error))
            return None

    def _settle_all(
        self, tx: Transaction, work: Sequence[Prepared], foreseen: Foreseen, until: float = inf
    ) -> Sequence[Prepared]:
        """Settle the mails that nobody has settled; returns the rest. until: when to stop, by the monotonic clock."""
        identities = {identity for mail in work if (identity := mail.identity)}
        still_new, known = tx.inbox.standing([mail.row.id for mail in work], identities)
        self._journal.recall(known)
        fresh = [mail for mail in work if mail.row.id in still_new]
        self._read_ahead(tx, [mail for mail in fresh if foreseen.of(tx, mail) is None])
        settled = 0
        for mail in fresh:
            obeyed = foreseen.of(tx, mail)
            if not mail.stays_on_boards or (obeyed is None and self._journal.holds_plies):
                self._journal.write_down(tx)
            with bound_contextvars(mail=mail.row.id):
                self._settle(tx, mail, obeyed)
            settled += 1
            if monotonic() > until:
                break
        self._journal.write_down(tx)
        return fresh[settled:]

    def _settle(self, tx: Transaction, mail: Prepared, obeyed: Obeyed | None) -> None:
        """Settle one mail, whatever happens except trouble with the database. obeyed: what was foreseen of it."""
        identity, number = mail.identity, mail.row.id
        if isinstance(mail.message, Exception):
            self._journal.note(number, self._handler.park(tx, mail, mail.message))
            return
        if identity is not None and self._journal.is_settled(identity):
            self._journal.note(number, self._handler.repeated(mail))
            return
        self._handler.count_logins(tx, mail)
        try:
            with tx.savepoint():
                self._journal.note(number, self._handler.handle(tx, mail, obeyed), identity)
                if self._one_by_one:
                    self._journal.write_down(tx)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours, and must not stop the next mail
            self._journal.note(number, self._handler.park(tx, mail, error), identity)
