"""Everything that features register: handlers of verbs, of answers to their mails and of settings, and jobs.

Features register by decorators when they are imported. A job is done when its time on the agenda has come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import structlog

from games import GAMES, leave_out
from games.rules import GameError
from pbm.compose import Answer, Posed
from pbm.core.bus import RecordDamaged, joins, publish, registers
from pbm.core.notify import Desk, Tools
from pbm.core.reply import refuse
from pbm.core.request import Request
from pbm.domain.errors import Rejected, Unreadable
from pbm.domain.match import Player
from pbm.domain.settings import Settings
from pbm.reading.commands import Command
from pbm.reading.verbs import PLAYING, Alteration, Entry, Locks, Verb, register
from pbm.store import DatabaseTrouble, Store, Transaction
from pbm.store.house import Item
from pbm.store.tickets import Ticket

Handler = Callable[[Request, Command], Answer | None]
H = TypeVar("H", bound=Handler)
Redeemer = Callable[[Request, Ticket], bool | None]
"""Returns False if the mail does not answer the ticket's mail after all, and is to be read like any other."""

HANDLERS: dict[str, Handler] = {}
REDEEMERS: dict[str, Redeemer] = {}
LASTING: set[str] = set()
"""Purposes of tickets that may be redeemed more than once."""
CONSENTED: set[str] = set()
"""Purposes of tickets that only a clear yes or no redeems."""
REFUSALS = (Rejected, GameError)
"""Errors that a handler may raise; they are told to the sender."""


def handles(verb: Verb, entry: Entry) -> Callable[[H], H]:
    """Registers the verb, which the decorated function carries out."""

    def register_with(handler: H) -> H:
        register(verb, entry)
        HANDLERS[verb.name] = handler
        # "show 101" must stay the command, whatever package brings a game named show.
        for word in {called.split()[0] for called in verb.words} & {*GAMES}:
            leave_out(word, f'"{word}" is a command, so no game can have this name.')
        return handler

    return register_with


deed = partial(Verb, group=PLAYING, locks=Locks.BOARDS, alters=Alteration())
"""A verb that changes nothing but its board."""


def redeems(purpose: str, *, lasting: bool = False, consented: bool = False) -> Callable[[Redeemer], Redeemer]:
    """The decorated function is called when a ticket of the purpose is answered. lasting: every time, not only once.

    consented: only for a clear yes or no; after any other answer the question is asked again.
    """
    if lasting:
        LASTING.add(purpose)
    if consented:
        CONSENTED.add(purpose)
    return registers(REDEEMERS, purpose)


def by_player(redeemer: Callable[[Request, Ticket, Player], None]) -> Redeemer:
    """The decorated function redeems tickets of players; it is given the player, who counts as the mail's author.

    Nothing is done for a player who has left. An error of REFUSALS becomes the answer.
    """

    def redeem(request: Request, ticket: Ticket) -> None:
        player = request.author.player = request.tx.players.get(ticket.player_id)
        if player is not None:
            try:
                redeemer(request, ticket, player)
            except REFUSALS as error:
                refuse(request, "your answer", error)

    return redeem


Keeper = Callable[[Request, Player, Settings, Mapping[str, str]], None]
KEEPERS: dict[str, Keeper] = {}


def keeps(*names: str) -> Callable[[Keeper], Keeper]:
    """The decorated function saves the settings of these names, because more than mails depends on them."""
    return registers(KEEPERS, *names)


log = structlog.get_logger()

_RETRY = timedelta(hours=1)
"""When a deed that failed through a fault of ours is tried again; an agenda item waits twice as long after each further
failure, up to a day."""
_MOST_DOUBLINGS = 5


@dataclass(slots=True)
class Occasion(Desk):
    """An agenda item whose time has come, perhaps long ago."""

    item: Item


Contribution = Callable[[Occasion, Player, Settings, bool], Posed | None]
DIGESTED: list[Contribution] = []

digests = joins(DIGESTED)
"""The decorated function is asked once a day, for each reader, what to add to their digest.

It is told whether there is to be a digest; if not, it may send a mail of its own.
"""

Attend = Callable[[Desk, int], None]
Deed = Callable[[Occasion], None]
DEEDS: dict[str, Deed] = {}
WITHIN: dict[str, timedelta] = {}
"""By kind, how far ahead items are put down at most, if that is known."""


def when_due(kind: str, within: timedelta | None = None) -> Callable[[Deed], Deed]:
    """The decorated function is called for due items of the kind; it puts a new item down if there is to be a next.

    within: how far ahead items are put down at most; one due later was put down while the clock was ahead, and is due
    at once when the clock is right again.
    """
    if within is not None:
        WITHIN[kind] = within
    return registers(DEEDS, kind)


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
        self._tell_of_damage(at or self._store.clock())
        for done in range(limit):
            if not self._do_next(at or self._store.clock()):
                return done
        return limit

    def _tell_of_damage(self, now: datetime) -> None:
        """Publish the boards that were found damaged since the last time."""
        damaged = self._tools.states.damaged
        if damaged:
            with self._store.write(at=now) as tx:
                for board, reason in list(damaged.items()):
                    publish(RecordDamaged(board, reason), tx)
            damaged.clear()

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
                DEEDS[item.kind](Occasion(tx, self._tools, item))
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
