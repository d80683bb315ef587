"""Handlers by verb, and handlers of answered tickets by purpose.

A handler changes what it must through the request, and returns the answer to the command; None where the mails it
causes say all. It raises Rejected or GameError, and then has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from games.rules import GameError
from pbm.compose import Answer
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.domain.match import Player
from pbm.domain.settings import Settings
from pbm.domain.verbs import Verb, register
from pbm.store.tickets import Ticket

Handler = Callable[[Request, Command], Answer | None]
Redeemer = Callable[[Request, Ticket], None]

HANDLERS: dict[str, Handler] = {}
REDEEMERS: dict[str, Redeemer] = {}
LASTING: set[str] = set()
"""Purposes of tickets that may be redeemed more than once."""
REFUSALS = (Rejected, GameError)
"""What a handler may raise that is the sender's to mend."""


def handles(verb: Verb) -> Callable[[Handler], Handler]:
    """The decorated function carries the verb out, which is known from then on."""

    def register_with(handler: Handler) -> Handler:
        register(verb)
        HANDLERS[verb.name] = handler
        return handler

    return register_with


def redeems(purpose: str, *, lasting: bool = False) -> Callable[[Redeemer], Redeemer]:
    """The decorated function is called when a ticket of the purpose is answered. lasting: every time it is."""

    def register_with(redeemer: Redeemer) -> Redeemer:
        REDEEMERS[purpose] = redeemer
        if lasting:
            LASTING.add(purpose)
        return redeemer

    return register_with


Keeper = Callable[[Request, Player, Settings, Mapping[str, object]], None]
_KEEPERS: dict[str, Keeper] = {}


def keeps(*names: str) -> Callable[[Keeper], Keeper]:
    """The decorated function saves players' settings of these names, for more depends on them than mails."""

    def register_with(keeper: Keeper) -> Keeper:
        _KEEPERS.update(dict.fromkeys(names, keeper))
        return keeper

    return register_with


def keeper_of(name: str) -> Keeper | None:
    """What saves a setting; None where it need only be stored."""
    return _KEEPERS.get(name)


def run(request: Request, command: Command) -> Answer | None:
    """Carry one command out. Raises: Rejected, GameError."""
    return HANDLERS[command.verb.name](request, command)
