"""Handlers by verb, and handlers of answered tickets by purpose.

A handler changes what it must through the handling, and returns the answer to the command; None where the mails it
causes say all. It raises Rejected or GameError, and then has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from games.rules import GameError
from pbm.compose import Answer, Outcome
from pbm.compose.pages import wrapped
from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.service.handling import Handling
from pbm.store.tickets import Ticket

Handler = Callable[[Handling, Command], Answer | None]
Redeemer = Callable[[Handling, Ticket], None]

HANDLERS: dict[str, Handler] = {}
REDEEMERS: dict[str, Redeemer] = {}
LASTING: set[str] = set()
"""Purposes of tickets that may be redeemed more than once."""
REFUSALS = (Rejected, GameError)
"""What a handler may raise that is the sender's to mend."""


def handles(verb: str) -> Callable[[Handler], Handler]:
    """The decorated function carries the verb out."""

    def register(handler: Handler) -> Handler:
        HANDLERS[verb] = handler
        return handler

    return register


def redeems(purpose: str, *, lasting: bool = False) -> Callable[[Redeemer], Redeemer]:
    """The decorated function is called when a ticket of the purpose is answered. lasting: every time it is."""

    def register(redeemer: Redeemer) -> Redeemer:
        REDEEMERS[purpose] = redeemer
        if lasting:
            LASTING.add(purpose)
        return redeemer

    return register


def done(command: Command, text: str, subject: str = "") -> Answer:
    """The answer to a command that was carried out. text: one line is a sentence and wrapped; more stay as they are."""
    return Answer(command.line, Outcome.DONE, text if "\n" in text else wrapped(text), subject)


def run(handling: Handling, command: Command) -> Answer | None:
    """Carry one command out. Raises: Rejected, GameError."""
    return HANDLERS[command.verb.name](handling, command)
