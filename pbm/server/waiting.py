"""The mails that wait, and which of them come next.

Moves do not wait for other mails: mails that answer a board come first, even from far behind, and mails with passwords,
each of which takes as long as many moves, are put off until those without are done. No mail passes an earlier one of
its lane. A mail that waited when this process started may have crashed an earlier one: it is noted as begun, and comes
alone if it was begun before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from heapq import nsmallest
from itertools import takewhile

from pbm.mailin import Message
from pbm.server.docket import Prepared
from pbm.server.handle import Handler
from pbm.store import Store, Transaction

_AHEAD_AT_ONCE = 20
"""Mails that answer a board and are handled before earlier ones, while more wait than can be done in time."""
_SLOW_AT_ONCE = 2
"""Mails with passwords that are handled before mails without are looked for again."""
MOST_BEGUN = 3
"""How often a mail may be begun and not be finished."""


class Unfinished(Exception):
    """A mail crashes every process that handles it."""


class WaitingMails:
    """One process's view of the mails that wait; others may handle them, too."""

    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler
        self.left_over: int | None = None
        """The number of the last mail that waited at the start; 0 once all up to it are done."""
        self._begun: set[int] = set()
        """The numbers of those mails that are noted as begun."""
        self.put_off: dict[int, str] = {}
        """The lanes of mails that wait although later ones were read, by the mails' numbers."""
        self._seen = 0
        """The number of the last mail that was read while any are put off."""
        self._ahead = 0
        """The number of the last mail up to which mails that answer a board were read."""
        self._checked: dict[int, Prepared] = {}
        """Mails whose passwords are checked, and which are to be claimed again, by their numbers."""

    def begin(self, limit: int, give_up: Callable[[Prepared, Unfinished], None]) -> int:
        """Note the mails that are left over as begun; returns how many mails to handle now.

        Later mails are not noted, because that costs a commit. give_up: parks a mail that was begun too often; it is
        read once more, to tell its sender.
        """
        if self.left_over is None:
            with self._store.read() as tx:
                self.left_over = tx.inbox.newest_waiting()
        if not self.left_over:
            return limit
        with self._store.write(alone=False) as tx:
            found = tx.inbox.left_over(self.left_over, limit)
            tx.inbox.begin([row.id for row, _ in found if row.id not in self._begun])
        if not found:
            self.left_over = 0
            self._begun.clear()
            return limit
        (row, times), *_ = found
        before = times - (row.id in self._begun)
        self._begun |= {row.id for row, _ in found}
        if before < MOST_BEGUN:
            return len(found)
        error = Unfinished(f"begun {MOST_BEGUN} times and never finished: the server ended each time")
        give_up(Prepared(row, self._handler.message_of(row) if before == MOST_BEGUN else error), error)
        return self.begin(limit, give_up)

    def see_all_again(self) -> None:
        self.put_off.clear()
        self._seen = self._ahead = 0

    def next(self, tx: Transaction, limit: int) -> tuple[list[Prepared], bool]:
        """The mails to settle now: the next without passwords, and a few with; and whether others wait.

        If more wait than these, moves come first whoever sends them, because anybody can write in a player's name.
        """
        if self.left_over:  # only those that are noted as begun
            self.see_all_again()
        again = nsmallest(_SLOW_AT_ONCE, self.put_off)
        rows = {row.id: row for row in tx.inbox.waiting(limit, again, self._seen)}
        newest = max([self._seen, *(rows.keys() - {*again})])
        self._ahead = max(self._ahead, newest)
        for number in again:
            del self.put_off[number]
        quick, slow = self._parted(self._handler.read(tx, [*rows.values()]))
        first = nsmallest(_SLOW_AT_ONCE, self.put_off)
        for mail in (slow := [mail for mail in slow if mail.row.id in first]):
            del self.put_off[mail.row.id]
        self._seen = newest if self.put_off else 0
        work = [*quick, *slow]
        if not work and self.put_off:  # another process has handled the mails whose turn it is
            self.see_all_again()
            return self.next(tx, limit)
        if self.left_over or len(rows) < limit:
            return moves_first(work), bool(self.left_over or self.put_off)
        return sorted([*work, *self.of_boards(tx)], key=lambda mail: not mail.row.answers_board), True

    def of_boards(self, tx: Transaction, in_hand: Collection[str] = ()) -> list[Prepared]:
        """Mails that answer a board, from further behind, and hold no passwords; each is returned once.

        in_hand: the lanes of mails that must not be passed.
        """
        rows = list(takewhile(lambda row: row.lane not in in_hand, tx.inbox.of_boards(_AHEAD_AT_ONCE, self._ahead)))
        self._ahead = max([self._ahead, *(row.id for row in rows)])
        return self._parted(self._handler.read(tx, rows))[0]

    def _parted(self, mails: Sequence[Prepared]) -> tuple[list[Prepared], list[Prepared]]:
        """Mails without passwords, and those that are put off."""
        quick, slow = parted(mails, lambda mail: mail.holds_passwords, self.put_off.values())
        self.put_off |= {mail.row.id: mail.row.lane for mail in slow}
        return quick, slow

    def has_of_boards(self, tx: Transaction) -> bool:
        """Whether mails that answer a board have come in since the last look."""
        return bool(tx.inbox.of_boards(1, self._ahead))

    def claim(self, tx: Transaction, limit: int) -> tuple[list[Prepared], list[Prepared]]:
        """Mails that nobody else gets before the transaction ends: those to settle, and those to check first.

        If more wait than these, moves come first whoever sends them, as in `next`.
        """
        rows = tx.inbox.claim(limit, 0 if self.left_over else _AHEAD_AT_ONCE)
        self._ahead = max([self._ahead, *(row.id for row in rows)])
        read = self._handler.read(tx, rows)
        is_flood = len(rows) >= limit and not self.left_over
        ordered = sorted(read, key=lambda mail: not mail.row.answers_board) if is_flood else moves_first(read)
        mails = [self._as_checked(mail) for mail in ordered]
        return parted(mails, lambda mail: mail.is_unchecked)

    def check(self, claimed: Sequence[Prepared]) -> None:
        """Check the passwords of some of the mails, outside of any transaction."""
        some = [mail for mail in claimed if mail.is_unchecked][:_SLOW_AT_ONCE]
        self._checked = {mail.row.id: mail for mail in self._handler.check(some)}

    def _as_checked(self, mail: Prepared) -> Prepared:
        known = self._checked.get(mail.row.id)
        if known is None or not known.logins.covers(mail.logins):
            return mail
        return mail._replace(logins=known.logins, checked=known.checked)


def moves_first(mails: Sequence[Prepared]) -> list[Prepared]:
    """Mails that answer a board before others, but none before an earlier one of its sender or its board."""
    if len(mails) < 2:
        return [*mails]
    passed: set[str] = set()

    def comes_later(mail: Prepared) -> bool:
        ways = {mail.row.lane, mail.message.sender if isinstance(mail.message, Message) else ""}
        if mail.row.answers_board and passed.isdisjoint(ways):
            return False
        passed.update(ways)
        return True

    return sorted(mails, key=comes_later)


def alike(mails: Sequence[Prepared]) -> list[Prepared]:
    """The first mails, as far as all of them answer a board, or none does."""
    if len(mails) < 2:
        return [*mails]
    return list(takewhile(lambda mail: mail.row.answers_board == mails[0].row.answers_board, mails))


def parted(
    mails: Iterable[Prepared], waits: Callable[[Prepared], bool], lanes: Iterable[str] = ()
) -> tuple[list[Prepared], list[Prepared]]:
    """The mails that need not wait, and those that wait, with all mails after a waiting one in the same lane.

    lanes: the lanes of other mails that wait.
    """
    held = {"", *lanes} - {""}
    others: list[Prepared] = []
    waiting: list[Prepared] = []
    for mail in mails:
        if mail.row.lane in held or waits(mail):
            waiting.append(mail)
            held |= {mail.row.lane} - {""}
        else:
            others.append(mail)
    return others, waiting
