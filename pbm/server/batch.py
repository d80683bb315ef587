"""Mails that are handled together, and all that is there for speed and for several processes at once.

All that is foreseen is read at once, all that is to be locked is locked at once, and what becomes of the mails is
written down at once. Mails that only read are answered before, from a view of the database, while others write. A fault
in writing a batch down is met by handling it again, mail by mail, so that only the faulty one is parked; a mail during
which server after server ends is parked, too. Where only one can write at a time, handling lets others write between
its mails, so that none that comes in waits for long. Nothing here decides what a mail asks for, or what its sender
gets: see `handle`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from time import monotonic, thread_time

import structlog
from structlog.contextvars import bind_contextvars, unbind_contextvars

from pbm.core.counts import COUNTS, SETTLED
from pbm.domain.errors import Rejected
from pbm.domain.mail import Arrival, Received, Settlement
from pbm.domain.verbs import Locks
from pbm.mailin import Message
from pbm.server.guard import Gate, Logins
from pbm.server.handle import Checked, Handler, Obeyed, Prepared, Settled
from pbm.store import HOUSE, Conflict, DatabaseTrouble, Store, Transaction

log = structlog.get_logger()

Work = tuple[Prepared, Checked]

_MAILS_AT_ONCE, _SECONDS_AT_ONCE = 40, 0.05
"""Of a transaction that nobody else can write beside; it goes on until the mail in hand is settled.

For no more mails is read ahead than twice as many as the one before settled in time.
"""
_SECONDS_IN_ALL, _SECONDS_OF_A_FLOOD = 1.0, 0.1
"""After which what is owed so far is sent, though mails still wait; and where these hold passwords."""
_SECONDS_AHEAD = 0.2
"""Of working out what mails lead to, while others write."""
_SECONDS_OF_A_BITE = 0.03
"""Of something that takes long, until it is looked whether anybody has moved meanwhile."""
_AHEAD_AT_ONCE = 20
"""Mails that answer a board which are handled before those that came earlier, while more wait than are done in time."""
_SLOW_AT_ONCE = 2
"""Mails with passwords that are handled before it is looked again for mails without."""
_MOST_BEGUN = 3
"""How often a mail may be begun and not be finished."""


@dataclass(slots=True)
class Foreseen:
    """What is known of mails before the transaction in which they are settled, by their numbers."""

    age: int | None = None
    """Of the database as it was then; see Transaction.age."""
    answers: dict[int, Obeyed] = field(default_factory=dict)
    """To those that only read."""
    deeds: dict[int, Obeyed] = field(default_factory=dict)
    """What comes of moves, each on another board, while nothing else is changed."""


class Unfinished(Exception):
    """A mail ends the server that handles it."""


class Batches:
    """Handles the mails that wait, many in one transaction."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self._journal = Journal()
        self._one_by_one = False
        self._at_once = _MAILS_AT_ONCE
        self._left_over: int | None = None
        self._begun: set[int] = set()
        self._put_off: dict[int, str] = {}
        """The lanes of mails that wait although later ones were seen, by their numbers."""
        self._seen = 0
        """The number of the last mail that was seen while any are put off."""
        self._ahead = 0
        """The number of the last mail about a board that was looked at before it was its turn."""
        self._settled = 0
        self.is_idle = True
        """No more mails waited when it was looked last."""
        self._released = False
        """Mails that were claimed last were not settled, and are to be claimed anew."""
        self._checked: dict[int, tuple[Logins, Checked]] = {}
        """The verdicts of argon2 on mails that are to be claimed anew, by their numbers."""
        self._committed: Callable[[], None] = lambda: None
        self._newest = 0
        """The number of the last mail that was read to be handled."""
        self._in_hand: set[str] = set()
        """The lanes of the mails that are being handled."""
        self._passing = False
        """Something long waits until those have passed who play."""
        self._looked_at = 0.0
        """When it was looked last whether there are any, by the monotonic clock."""

    def handle(self, limit: int, committed: Callable[[], None]) -> int:
        """Handle the mails that wait, oldest first, in one transaction; returns how many there were.

        Mails that cannot be written down together are handled once more, and written down, one by one. committed: is
        told whenever mails are owed that can be sent, though more is to be handled.
        Raises: DatabaseTrouble, and then none is handled.
        """
        self._committed = committed
        handled, more, begun = 0, False, monotonic()
        while handled < limit:
            some = self._handle_some(limit)
            handled += some
            more = self._released if self._store.locks_rows else bool(some and (self._left_over or self._put_off))
            seconds = _SECONDS_OF_A_FLOOD if self._put_off else _SECONDS_IN_ALL
            if not more or (handled and monotonic() > begun + seconds):
                break
        self.is_idle = not handled or not (more or handled >= limit or self._store.locks_rows)
        return handled

    def let_pass(self) -> None:
        """Settle mails that answer a board and have come during the last bite of something long.

        It is called by whoever works that out, in a transaction that only reads. What fails is handled again later.
        """
        if self._passing or self._left_over != 0 or monotonic() < self._looked_at + _SECONDS_OF_A_BITE:
            return
        self._passing, begun = True, thread_time()
        try:
            if self._store.locks_rows:
                self._pass_claimed()
            else:
                self._settle_in_turn(self._of_boards(self._newest), self._newest)
        except Exception as error:  # noqa: BLE001  whoever is interrupted has no part in it
            log.warning("not_let_pass", error=str(error))
            self._begin_anew()
        finally:
            unbind_contextvars("mail")
            self._passing, self._looked_at = False, monotonic()
            self._handler.overtaken += thread_time() - begun

    def _handle_some(self, limit: int) -> int:
        begun = self._begin(limit)
        self._settled = 0
        try:
            return self._handle(begun)
        except DatabaseTrouble:
            raise
        except Exception as error:
            log.error("batch_fault", exc_info=error)
            return self._settled + self._handle(begun, one_by_one=True)

    def _begin(self, limit: int) -> int:
        """How many mails to handle now. What waited when this process started may be what has ended another one.

        So it is noted, once in each process, that they are begun; those that were begun before come one by one, and one
        that was begun too often is parked. What comes in later is not noted, for that costs a commit.
        """
        if self._left_over is None:
            with self._store.read() as tx:
                self._left_over = tx.inbox.newest_waiting()
        if not self._left_over:
            return limit
        with self._store.write(alone=False) as tx:
            found = tx.inbox.left_over(self._left_over, limit)
            tx.inbox.begin([row.id for row, _ in found if row.id not in self._begun])
        if not found:
            self._left_over = 0
            self._begun.clear()
            return limit
        (row, times), *_ = found
        before = times - (row.id in self._begun)
        self._begun |= {row.id for row, _ in found}
        if before >= _MOST_BEGUN:
            self._give_up(row, readable=before == _MOST_BEGUN)
            return self._begin(limit)
        return len(found)

    def _give_up(self, row: Received, *, readable: bool) -> None:
        """Park a mail that was never finished. readable: it may still be read, to tell its sender."""
        error = Unfinished(f"begun {_MOST_BEGUN} times and never finished: the server ended each time")
        message = self._handler.message_of(row) if readable else error
        with self._store.write() as tx:
            self._journal.note(row.id, self._handler.park(tx, Prepared(row, message), error))
            self._journal.write_down(tx)
        self._journal.tell()

    def _handle(self, limit: int, *, one_by_one: bool = False) -> int:
        self._one_by_one = one_by_one
        try:
            handled = self._handle_claimed(limit) if self._store.locks_rows else self._handle_waiting(limit)
            unbind_contextvars("mail")
            self._journal.tell()
            return handled
        except Exception:
            unbind_contextvars("mail")
            self._begin_anew()
            self._in_hand.clear()
            raise

    def _begin_anew(self) -> None:
        """Nothing came to pass of what was to be committed last."""
        self._journal.clear()
        self._see_all_again()
        self._handler.throttle.forget()
        self._handler.tools.states.forget()

    def _handle_waiting(self, limit: int) -> int:
        """Where only one can write at a time, nothing that takes long is done while nobody else can."""
        if self._left_over:  # those alone that are noted as begun
            self._see_all_again()
        again = list(self._put_off)[:_SLOW_AT_ONCE]
        with self._store.read() as tx:
            rows = {row.id: row for row in tx.inbox.waiting(limit, again, self._seen)}
            waiting = self._read_all(tx, list(rows.values()))
            self._newest = newest = max([self._seen, *(rows.keys() - {*again})])
            for number in again:
                del self._put_off[number]
            prepared = soon_done(waiting, self._put_off)
            done = {mail.row.id for mail in prepared}
            self._put_off |= {mail.row.id: mail.row.lane for mail in waiting if mail.row.id not in done}
            self._seen = newest if self._put_off else 0
            is_flood = len(rows) >= limit and not self._left_over
            handled = 0 if is_flood else self._settle_in_turn(prepared, newest, tx)
        if is_flood:
            first = [*(mail for mail in prepared if mail.row.answers_board), *self._of_boards(newest)]
            handled = self._settle_in_turn(first, newest)
            handled += self._settle_in_turn([mail for mail in prepared if not mail.row.answers_board], newest)
        if not handled and self._put_off:  # another process has handled those that were to come now
            self._see_all_again()
            return self._handle_waiting(limit)
        return handled

    def _settle_in_turn(self, prepared: list[Prepared], newest: int, view: Transaction | None = None) -> int:
        """Settle the mails, and others that answer a board and come meanwhile; returns how many.

        While more wait than are settled in time, these come first, and they come alone: what else is asked for is
        worked out when they are settled. newest: the number of the last that was seen. view: in which they were read.
        """
        work, settled = self._checked_all(_moves_first(prepared)), 0
        while work:
            if not self._passing:
                self._in_hand = {mail.row.lane for mail, _ in work}
            some = _alike(work[: self._at_once])
            later = work[len(some) :]
            rest = self._settle_some(some, view)
            view = None
            settled += len(some) - len(rest)
            self._adapt(len(some) - len(rest), len(some))
            work = [*rest, *later]
            if work and not self._left_over:
                work += self._checked_all(self._of_boards(newest))
                work.sort(key=lambda each: not each[0].row.answers_board)
        if not self._passing:
            self._in_hand.clear()
        return settled

    def _adapt(self, settled: int, work: int) -> None:
        """settled: how many were done in time of those that were to be."""
        self._at_once = min(_MAILS_AT_ONCE, 2 * (settled if settled < work else self._at_once))

    def _checked_all(self, prepared: list[Prepared]) -> list[Work]:
        return list(zip(prepared, self._handler.check(prepared), strict=True))

    def _of_boards(self, newest: int) -> list[Prepared]:
        """Mails that answer a board, from further behind: whoever plays does not wait for a flood to end.

        Each is given once. Those with passwords, and what must come after them, are put off. While something long
        waits, a mail stays behind those in hand that answer the same board.
        """
        with self._store.read() as tx:
            rows = tx.inbox.of_boards(_AHEAD_AT_ONCE, max(newest, self._ahead))
            if self._passing:
                rows = list(takewhile(lambda row: row.lane not in self._in_hand, rows))
            self._ahead = max([self._ahead, *(row.id for row in rows)])
            read = self._read_all(tx, rows)
        quick: list[Prepared] = []
        for mail in read:
            if mail.logins.keys or mail.row.lane in self._put_off.values():
                self._put_off[mail.row.id] = mail.row.lane
            else:
                quick.append(mail)
        return quick

    def _see_all_again(self) -> None:
        self._put_off.clear()
        self._seen = self._ahead = 0

    def _settle_some(self, work: Sequence[Work], view: Transaction | None) -> Sequence[Work]:
        """Settle as many of the mails as can be foreseen at once; returns the rest."""
        foreseen, later = self._foresee(work, view)
        work = work[: len(work) - len(later)]
        while work:
            work = self._settle_at_once(work, foreseen)
        return later

    def _settle_at_once(self, work: Sequence[Work], foreseen: Foreseen) -> Sequence[Work]:
        """Settle as many of the mails as can be settled while others wait; returns the rest."""
        with self._store.write() as tx:
            until = monotonic() + _SECONDS_AT_ONCE
            still_new = tx.inbox.still_new([mail.row.id for mail, _ in work])
            fresh = [each for each in work if each[0].row.id in still_new]
            if tx.age != foreseen.age:
                foreseen.deeds.clear()
            known = foreseen.answers.keys() | foreseen.deeds.keys()
            self._read_ahead(tx, [mail for mail, _ in fresh if mail.row.id not in known])
            rest = self._settle_all(tx, fresh, foreseen, until)
            if tx.disturbed:
                foreseen.deeds.clear()
        foreseen.age = tx.age
        self._settled += len(work) - len(rest)
        self._journal.tell()
        self._committed()
        return rest

    def _foresee(self, work: Sequence[Work], view: Transaction | None = None) -> tuple[Foreseen, Sequence[Work]]:
        """The answers to mails that only read, found and composed while others write.

        What all others lead to and show is worked out. And the mails from the first on that has to wait: for an earlier
        one of its lane, its sender or its board, which may change what it reads and is counted first, or because this
        took long. view: of the database, which is closed; None for a new one.
        """
        found = Foreseen()
        met, until = set[str](), monotonic() + _SECONDS_AHEAD
        with closing(view) if view else self._store.read() as tx:
            found.age, tx.let_pass = tx.age, self.let_pass
            self._read_ahead(tx, [mail for mail, _ in work])
            for place, (mail, checked) in enumerate(work):
                if place and not mail.row.answers_board:
                    self.let_pass()
                ways = ways_of(mail, checked) if mail.only_reads else set(_boards(mail))
                if place and (ways & met or monotonic() > until):
                    return found, work[place:]
                if mail.only_reads:
                    obeyed = self._foreseen(tx, mail, checked)
                    if obeyed is None:
                        continue
                    found.answers[mail.row.id] = obeyed
                else:
                    rehearsed = self._handler.rehearse(tx, mail, checked)
                    if rehearsed is not None and found.age is not None and stays_on_boards(mail):
                        found.deeds[mail.row.id] = rehearsed
                    ways |= ways_of(mail, checked)
                met |= ways
        return found, []

    def _read_ahead(self, tx: Transaction, mails: Sequence[Prepared]) -> None:
        tx.players.foresee_owners({mail.message.sender for mail in mails if isinstance(mail.message, Message)})
        tx.foresee(boards_of(mails), self._handler.tools.states.match)

    def _foreseen(self, tx: Transaction, mail: Prepared, checked: Checked) -> Obeyed | None:
        """None where anything stands against it; that comes up again where it is dealt with."""
        try:
            return self._handler.foresee(tx, mail, checked)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            log.info("not_foreseen", mail=mail.row.id, error=str(error))
            return None

    def _handle_claimed(self, limit: int) -> int:
        """Where others handle mails at the same time: of what is to be locked as much as is known is locked at once.

        Passwords are looked at in between, so a mail that holds any is claimed twice.
        """
        with self._store.write(alone=False) as tx:
            rows = tx.inbox.claim(min(limit, self._at_once), 0 if self._left_over else _AHEAD_AT_ONCE)
            self._newest = max([self._newest, *(row.id for row in rows)])
            work, slow = self._checked_before(_moves_first(self._read_all(tx, rows)))
            settled = self._settle_claimed(tx, alike := _alike(work))
            self._adapt(settled, len(alike))
            self._released = bool(slow) or settled < len(work)  # the rest is foreseen when it is claimed anew
        self._journal.tell()
        self._committed()
        some = [mail for mail in slow if mail.holds_passwords][:_SLOW_AT_ONCE]
        checks = zip(some, self._handler.check(some), strict=True)
        self._checked = {mail.row.id: (mail.logins, checked) for mail, checked in checks}
        return settled

    def _pass_claimed(self) -> None:
        """As `_handle_claimed`, of mails alone that answer a board, while others are claimed."""
        with self._store.read() as tx:
            if not tx.inbox.of_boards(1, self._newest):
                return
        with suppress(Conflict), self._store.write(alone=False) as tx:
            self._settle_claimed(tx, self._checked_before(self._read_all(tx, tx.inbox.claim(0, _AHEAD_AT_ONCE)))[0])
        self._journal.tell()
        self._committed()

    def _settle_claimed(self, tx: Transaction, work: Sequence[Work]) -> int:
        """Settle as many of the mails as can be foreseen at once; returns how many."""
        foreseen, later = self._foresee(work)
        work = work[: len(work) - len(later)]
        tx.lock(name for mail, _ in work for name in names_to_lock(mail))
        on_boards, others = parted(work, foreseen.answers)
        self._read_ahead(tx, [mail for mail, _ in on_boards if mail.row.id not in foreseen.answers])
        self._settle_all(tx, on_boards, foreseen)
        if others:
            tx.lock([HOUSE])
            self._settle_all(tx, others, Foreseen())
        return len(work)

    def _checked_before(self, prepared: Sequence[Prepared]) -> tuple[list[Work], list[Prepared]]:
        """Mails that hold no passwords, or whose passwords were looked at, and the others; lanes keep their order."""
        work: list[Work] = []
        slow: list[Prepared] = []
        for mail in prepared:
            logins, checked = self._checked.get(mail.row.id, (None, None))
            if mail.row.lane and mail.row.lane in {each.row.lane for each in slow}:
                slow.append(mail)
            elif checked is not None and logins == mail.logins:
                work.append((mail, checked))
            elif mail.holds_passwords:
                slow.append(mail)
            else:
                work += zip([mail], self._handler.check([mail]), strict=True)
        return work, slow

    def _read_all(self, tx: Transaction, rows: Sequence[Received]) -> list[Prepared]:
        handler = self._handler
        gate = Gate(tx, handler.tools.limits)
        read = [handler.message_of(row) for row in rows]
        messages = [each for each in read if isinstance(each, Message)]
        tx.players.foresee_owners({message.sender for message in messages})
        boards = map(handler.board_of, messages)
        tx.matches.foresee_summaries({board for board in boards if board is not None})
        return [handler.read(gate, row, message) for row, message in zip(rows, read, strict=True)]

    def _settle_all(
        self,
        tx: Transaction,
        work: Sequence[Work],
        foreseen: Foreseen,
        until: float = inf,
    ) -> Sequence[Work]:
        """until: when to leave the rest, by the monotonic clock; returns that."""
        known = tx.inbox.settled({identity for mail, _ in work if (identity := mail.identity)})
        settled = 0
        for mail, checked in work:
            obeyed = foreseen.answers.get(mail.row.id) or (None if tx.disturbed else foreseen.deeds.get(mail.row.id))
            if not stays_on_boards(mail) or (obeyed is None and self._journal.holds_plies):
                self._journal.write_down(tx)
            self._settle(tx, mail, checked, known, obeyed)
            settled += 1
            if monotonic() > until:
                break
        self._journal.write_down(tx)
        return work[settled:]

    def _settle(
        self,
        tx: Transaction,
        mail: Prepared,
        checked: Checked,
        known: Collection[str],
        obeyed: Obeyed | None,
    ) -> None:
        """Settle one mail whatever happens, but for trouble with the database itself.

        known: identities of mails that were settled in earlier transactions. obeyed: what was foreseen of it.
        """
        bind_contextvars(mail=mail.row.id)
        identity, number = mail.identity, mail.row.id
        if isinstance(mail.message, Exception):
            self._journal.note(number, self._handler.park(tx, mail, mail.message))
            return
        if identity is not None and (identity in known or self._journal.is_settled(identity)):
            reason = "ignore: a mail with this Message-ID was handled before"
            kept = self._handler.without_passwords(mail, checked)
            self._journal.note(number, Settled(Arrival.IGNORED, reason, kept=kept))
            return
        self._handler.count_logins(tx, mail, checked)
        try:
            with tx.savepoint():
                self._journal.note(number, self._handler.handle(tx, mail, checked, obeyed), identity)
                if self._one_by_one:
                    self._journal.write_down(tx)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours, and the next mail must not wait for it
            self._journal.strike_out(number)
            self._journal.note(number, self._handler.park(tx, mail, error), identity)


@dataclass(slots=True)
class _Entry:
    """The journal's notes on one mail."""

    settlement: Settlement
    settled: Settled
    outbox: list[int] = field(default_factory=list)
    """The rows of the mails that are owed because of it, once they are written down."""


class Journal:
    """Holds, from one commit to the next, what became of each mail."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._unwritten: dict[int, _Entry] = {}
        self._identities: set[str] = set()

    def note(self, mail: int, settled: Settled, identity: str | None = None) -> None:
        """identity: what tells a second delivery of the same mail; None where nothing does."""
        settlement = Settlement(mail, settled.state, settled.reason, identity, settled.kept)
        self._unwritten[mail] = _Entry(settlement, settled)
        if identity is not None:
            self._identities.add(identity)

    def strike_out(self, mail: int) -> None:
        """Nothing that was noted of the mail since it was last written down has come to pass; it has yet to settle."""
        self._unwritten.pop(mail, None)

    def is_settled(self, identity: str) -> bool:
        """A mail of this identity was settled since the last commit."""
        return identity in self._identities

    @property
    def holds_plies(self) -> bool:
        """Some boards are not yet in the database as they are."""
        return any(entry.settled.plies for entry in self._unwritten.values())

    def write_down(self, tx: Transaction) -> None:
        """Put what was noted where the transaction commits it."""
        tx.matches.add_plies([ply for entry in self._unwritten.values() for ply in entry.settled.plies])
        owed = [(mail, number) for number, entry in self._unwritten.items() for mail in entry.settled.mails]
        rows = tx.outbox.add([mail for mail, _ in owed], tx.now, [number for _, number in owed])
        tx.inbox.settle([entry.settlement for entry in self._unwritten.values()], tx.now)
        for (_, number), row in zip(owed, rows, strict=True):
            self._unwritten[number].outbox.append(row)
        self._entries |= self._unwritten
        self._unwritten.clear()

    def tell(self) -> None:
        """Log what is committed now; of what a mail holds, nothing."""
        for number, entry in self._entries.items():
            settlement, words = entry.settlement, {}
            COUNTS.add(SETTLED, settlement.state.value)
            if settlement.reason and settlement.state is not Arrival.PARKED:
                words["reason"] = settlement.reason
            outbox = {"outbox": entry.outbox} if entry.outbox else {}
            log.info("settled", mail=number, **outbox, state=settlement.state.value, **entry.settled.about, **words)
        self.clear()

    def clear(self) -> None:
        self._entries.clear()
        self._unwritten.clear()
        self._identities.clear()


def _moves_first(prepared: list[Prepared]) -> list[Prepared]:
    """Mails that answer a board before others, but none before an earlier one of its sender or its board."""
    if len(prepared) < 2:
        return prepared
    first: list[Prepared] = []
    others: list[Prepared] = []
    passed: set[str] = set()
    for mail in prepared:
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        if mail.row.answers_board and passed.isdisjoint((sender, mail.row.lane)):
            first.append(mail)
        else:
            others.append(mail)
            passed |= {sender, mail.row.lane}
    return [*first, *others]


def _alike(work: list[Work]) -> list[Work]:
    """The first of the mails, which all answer a board, or all do not."""
    if len(work) < 2:
        return work
    first = work[0][0].row.answers_board
    return list(takewhile(lambda each: each[0].row.answers_board == first, work))


def soon_done(prepared: Sequence[Prepared], put_off: Mapping[int, str]) -> list[Prepared]:
    """Mails without passwords and then a few with, since each of those takes as long as many moves.

    None comes before an earlier one of its lane. put_off: the lanes of others that wait, by number; a mail with a
    password waits for those that came before it.
    """
    quick: list[Prepared] = []
    slow: list[Prepared] = []
    lanes, first = {*put_off.values()} - {""}, min(put_off, default=inf)
    for mail in prepared:
        if mail.logins.keys or mail.row.lane in lanes:
            slow.append(mail)
            lanes |= {mail.row.lane} - {""}
        else:
            quick.append(mail)
    return [*quick, *[mail for mail in slow if mail.row.id < first][:_SLOW_AT_ONCE]]


def ways_of(mail: Prepared, checked: Checked) -> set[str]:
    """The lane or the sender that mails have in common which are settled in their order."""
    senders = mail.payers(checked) | {mail.message.sender.casefold()} if isinstance(mail.message, Message) else set()
    return (senders | {mail.row.lane}) - {""}


def boards_of(prepared: Sequence[Prepared]) -> set[int]:
    """The boards that the mails answer."""
    return {mail.sender.board for mail in prepared if mail.sender.board is not None}


def names_to_lock(mail: Prepared) -> Iterator[str]:
    """The locks that the mail needs while it is handled, as far as that is known beforehand."""
    identity = mail.identity
    if identity is not None:
        yield f"mail {identity}"
    yield from _boards(mail)
    for keys in mail.logins.keys.values():
        yield from (f"guess {key.kind} {key.subject}" for key in keys)


def parted(work: Sequence[Work], foreseen: Collection[int]) -> tuple[list[Work], list[Work]]:
    """Mails that stay on their boards, and all others; a mail stays after those of its lane that came before it.

    foreseen: the numbers of those that only read, and have done so.
    """
    on_boards: list[Work] = []
    others: list[Work] = []
    lanes_of_others: set[str] = set()
    for mail, checks in work:
        if mail.row.id in foreseen or (mail.row.lane not in lanes_of_others and stays_on_boards(mail)):
            on_boards.append((mail, checks))
        else:
            others.append((mail, checks))
            lanes_of_others |= {mail.row.lane} - {""}
    return on_boards, others


def stays_on_boards(mail: Prepared) -> bool:
    """Whether a mail is about nothing but boards; what it asks for does not depend on mails that wait to be sent."""
    message = mail.message
    answers_no_board = isinstance(message, Message) and message.token is not None and mail.sender.seat is None
    if not isinstance(message, Message) or answers_no_board or mail.is_for_operator:
        return False
    known = mail.sender.proven is not None or mail.sender.seat is not None or bool(mail.logins.keys)
    return known and all(isinstance(each, Rejected) or each.verb.locks is Locks.BOARDS for each in mail.commands)


def _boards(mail: Prepared) -> Iterator[str]:
    """The boards a mail is about, as far as that can be seen."""
    if mail.sender.board is not None:
        yield f"board {mail.sender.board}"
    for command in mail.commands:
        number = "" if isinstance(command, Rejected) else command.args.get("BOARD", "").partition("#")[0]
        if number.isdecimal():
            yield f"board {int(number)}"
