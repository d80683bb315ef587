"""Which answers are one too many, so that two programs cannot talk for ever, and nobody is flooded in another's name.

A player who gets no more answers for a while is told so once, and until when.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pbm.core.limits import Act, Pool, TooMuch, Whose, drawn, excess, minute
from pbm.core.notify import Tools
from pbm.domain.likeness import mailbox
from pbm.domain.mail import Mail
from pbm.server.logins import Origin
from pbm.store import Transaction
from pbm.store.tickets import Key


class Cause(NamedTuple):
    """The mail that is answered."""

    pool: Pool
    """What its answers draw from."""
    origin: Origin = Origin()
    reads_help: bool = False
    """Whether it asks only for pages of help, of which players get more even if their mails prove nothing."""

    is_refused: bool = False
    """Whether nothing was done."""
    seat: str = ""
    """The seat of the player who gets them, if the mail brings its token, and from where; empty otherwise."""

    def whose(self, address: str) -> Whose:
        """Who draws an answer to the address."""
        return Whose(self.pool, network=self.origin.network, to=address, writer=self.seat)

    def act(self, tx: Transaction, address: str) -> Act:
        """What kind of answer goes to the address."""
        if not tx.players.of_address(address):
            return Act.STRANGER
        # Board mails are passed on: whoever has one must not use up what its player gets for other mails.
        if self.seat:
            return Act.REFUSAL if self.is_refused else Act.BOARD
        return Act.HELP if self.reads_help else Act.ANSWER


class Throttle:
    """Counts answers."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def excess(self, tx: Transaction, mail: Mail, cause: Cause) -> TooMuch | None:
        """Why a mail is left out as one answer too many; None if it may go, and then it is counted."""
        act = cause.act(tx, mail.address) if mail.reply else Act.ANSWER
        return drawn(tx, self._tools.limits, act, cause.whose(mail.address))

    def spent(self, tx: Transaction, address: str, cause: Cause) -> TooMuch | None:
        """Why an answer would have to be left out; None if it could go. Nothing is counted."""
        return excess(tx.guesses, self._tools.limits, tx.now, cause.act(tx, address), cause.whose(address))

    def first_word(self, tx: Transaction, address: str, until: datetime) -> str:
        """Until when an address gets no answers, for its player to be told; empty if they were told before."""
        key = Key("silence", mailbox(address))
        known = tx.guesses.get([key]).get(key)
        # Told once for each silence: a letter for each mail of a flood would be a flood.
        if known is not None and known.locked_until is not None and known.locked_until >= until:
            return ""
        tx.guesses.put(key, 1, tx.now, until)
        return minute(until)
