"""Everything that features register: handlers of verbs, of answers to their mails and of settings, and jobs.

Features register by decorators when they are imported. A job is done when its time on the agenda has come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeVar

from games import GAMES, leave_out
from games.rules import GameError
from pbm.compose.notices import Answer, Posed
from pbm.core.bus import joins, registers
from pbm.core.notify import Desk
from pbm.core.reply import refuse
from pbm.core.request import Request
from pbm.domain.errors import Rejected
from pbm.domain.match import Player
from pbm.domain.settings import Settings
from pbm.reading.commands import Command
from pbm.reading.verbs import PLAYING, Alteration, Entry, Locks, Verb, register
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


on_board = partial(Verb, group=PLAYING, locks=Locks.BOARDS, alters=Alteration())
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


keeps = partial(registers, KEEPERS)
"""The decorated function saves the settings of these names, because more than mails depends on them."""


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

Job = Callable[[Occasion], None]
JOBS: dict[str, Job] = {}
WITHIN: dict[str, timedelta] = {}
"""By kind, how far ahead items are put down at most, if that is known."""


def when_due(kind: str, within: timedelta | None = None) -> Callable[[Job], Job]:
    """The decorated function is called for due items of the kind; it puts a new item down if there is to be a next.

    within: how far ahead items are put down at most; one due later was put down while the clock was ahead, and is due
    at once when the clock is right again.
    """
    if within is not None:
        WITHIN[kind] = within
    return registers(JOBS, kind)
