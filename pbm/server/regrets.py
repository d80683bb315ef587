"""What people are told whose mails are not carried out, and the operator about such mails. None is sent too often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pbm.core.notify import Desk, Tools, reader_of
from pbm.domain.mail import Mail
from pbm.features.postmaster import address_of, tell_operator
from pbm.mailin import Message
from pbm.server.docket import Prepared
from pbm.server.guard import Cause, Throttle
from pbm.server.senders import is_player
from pbm.store import Transaction
from pbm.store.players import Ban

SUSPENDED = "pbm: you are suspended"
LOCKED = "pbm: your email is encrypted"
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Regrets:
    """Letters of the house; where nobody is to be told, there are none."""

    tools: Tools
    throttle: Throttle

    def of_silence(self, tx: Transaction, address: str, until: str, *, ignored: bool = False) -> tuple[Mail, ...]:
        """A player gets no answers for a while, and is told so; nobody else is, nor a player twice.

        until: empty where that was told. ignored: what they ask is not done either.
        """
        players = tx.players.of_address(address) if until else []
        if not players:
            return ()
        player = players[0] if len(players) == 1 else None
        token = self.tools.composer.answered_by(reader_of(Desk(tx, self.tools), player)) if player else ""
        return (
            self._letter(
                tx, address, "pbm: no answers for a while", "silent.txt", player=player, reply_to=token,
                userid=" and ".join(player.userid for player in players), until=until, ignored=ignored,
            ),
        )  # fmt: skip

    def of_suspension(self, tx: Transaction, ban: Ban) -> tuple[Mail, ...]:
        """A player is kept out, and told so at each address; once a day."""
        player = tx.players.find(ban.subject) if is_player(ban.subject) else None
        if player is None or tx.outbox.written_since(player.id, SUSPENDED, tx.now - _DAY):
            return ()
        return tuple(
            self._letter(
                tx, address, SUSPENDED, "suspended.txt", player=player, userid=player.userid, asked=True,
                until=ban.until, reason=ban.reason.rstrip("."), postmaster=address_of(self.tools),
            )
            for address in tx.players.confirmed(player.id)[player.id]
        )  # fmt: skip

    def of_locked(self, tx: Transaction, mail: Prepared, *, reads: bool) -> tuple[Mail, ...]:
        """An encrypted mail cannot be read; once a day. reads: others can be."""
        address, cause = mail.letter.sender, mail.cause(proven=mail.sender.proven is not None)
        if not address or tx.outbox.wrote_to(address, LOCKED, tx.now - _DAY):
            return ()
        letter = self._letter(tx, address, LOCKED, "locked.txt", to=mail.letter, reads=reads)._replace(reply=True)
        return () if self.throttle.excess(tx, letter, cause) else (letter,)

    def for_operator(self, tx: Transaction, mail: Prepared) -> tuple[Mail, ...]:
        """A mail to postmaster or abuse waits for the operator."""
        return self._few(tx, *tell_operator(Desk(tx, self.tools), mail.row, mail.letter))

    def of_fault(self, tx: Transaction, mail: Prepared, reference: str) -> tuple[Mail, ...]:
        """A mail is kept for the operator by a fault of ours; the sender is told, too, if they are known."""
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        known = sender if tx.players.of_address(sender) else ""
        operator = (self.tools.operator, f"pbm: fault {reference}", "fault-operator.txt")
        told = [each for each in ((known, "pbm: our fault", "fault.txt"), operator) if each[0]]
        return self._few(tx, *(self._letter(tx, *each, inbox_id=mail.row.id, reference=reference) for each in told))

    def _letter(self, tx: Transaction, address: str, subject: str, page: str, **words: Any) -> Mail:
        return self.tools.composer.letter(address, subject, page, tx.now, **words)

    def _few(self, tx: Transaction, *letters: Mail) -> tuple[Mail, ...]:
        """Those of them that are not too many; they count."""
        return tuple(letter for letter in letters if not self.throttle.refusal(tx, letter, Cause()))
