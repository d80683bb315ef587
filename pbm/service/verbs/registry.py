"""Handlers by verb, and handlers of answered tickets by purpose.

A handler changes what it must through the handling, and returns the answer to the command; None where the mails it
causes say all. It raises Rejected or GameError, and then has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from games.rules import GameError
from pbm.compose import Answer, Outcome
from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.service.handling import Handling
from pbm.store.tickets import Ticket

Handler = Callable[[Handling, Command], Answer | None]
Redeemer = Callable[[Handling, Ticket], None]

HANDLERS: dict[str, Handler] = {}
REDEEMERS: dict[str, Redeemer] = {}
REFUSALS = (Rejected, GameError)
"""What a handler may raise that is the sender's to mend."""


def handles(verb: str) -> Callable[[Handler], Handler]:
    """The decorated function carries the verb out."""

    def register(handler: Handler) -> Handler:
        HANDLERS[verb] = handler
        return handler

    return register


def redeems(purpose: str) -> Callable[[Redeemer], Redeemer]:
    """The decorated function is called when a ticket of the purpose is answered."""

    def register(redeemer: Redeemer) -> Redeemer:
        REDEEMERS[purpose] = redeemer
        return redeemer

    return register


def done(command: Command, text: str, subject: str = "") -> Answer:
    return Answer(command.line, Outcome.DONE, text, subject)


def run(handling: Handling, command: Command) -> Answer | None:
    """Carry one command out. Raises: Rejected, GameError."""
    return HANDLERS[command.verb.name](handling, command)
