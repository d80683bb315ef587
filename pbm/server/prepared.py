"""What is known of a mail at each stage, and how its end is written.

Received -> Prepared: who sent it and what it asks; its passwords are Checked
         -> Settled: its end, and the mails that are owed because of it -> Ended: both written
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import structlog

from pbm.core.counts import SETTLED
from pbm.core.limits import Pool, Whose
from pbm.core.request import Credentials, Sender
from pbm.domain.errors import Rejected
from pbm.domain.mail import Arrival, Mail, Received, Settlement
from pbm.domain.match import Player
from pbm.mailin import FOR_OPERATOR, Discard, Message, strip_subject
from pbm.mailin.mime import split
from pbm.reading.command_lines import Reading
from pbm.reading.commands import Command
from pbm.reading.verbs import Locks
from pbm.server.guard import Cause
from pbm.server.logins import Logins, Origin
from pbm.store import Transaction

log = structlog.get_logger()

HELP = "help"
"""The verb whose answers have a limit of their own for players whose mails prove nothing."""


class Checked(NamedTuple):
    """The results of argon2 for the passwords of a mail."""

    verified: Mapping[Credentials, str]
    """The right credentials, with the hash of each."""
    fresh: Mapping[str, str]
    """The hashes of new passwords."""


UNCHECKED = Checked({}, {})


class Prepared(NamedTuple):
    """A mail read, before any transaction that writes."""

    row: Received
    message: Message | Discard | Exception
    sender: Sender = Sender()
    reading: Reading = Reading(())
    commands: tuple[Command | Rejected, ...] = ()
    logins: Logins = Logins()
    checked: Checked = UNCHECKED
    origin: Origin = Origin()
    is_plain: bool = True
    """Whether plain words may mean something, and not only commands."""
    is_answered: bool = True
    """Whether its sender may get an answer."""
    is_guess: bool = False
    """Whether it came to a reply address we never gave to anybody."""
    secrets: frozenset[str] = frozenset()
    """The passwords in it, to be taken out of the stored mail."""

    @property
    def letter(self) -> Message:
        """The message; only for mails that are neither parked nor laid aside."""
        assert isinstance(self.message, Message)  # noqa: S101  all others are parked or laid aside before
        return self.message

    @property
    def identity(self) -> str | None:
        """The mark by which a second delivery of the same mail is known: its sender, Message-ID, token and words.

        A Message-ID alone is no mark: anybody may give their mail the one that a player's next mail will have, and a
        mail to two addresses of ours is for two boards. The bytes differ where two mail servers brought them, and so
        does the subject if one of them put "[EXT]" in front. Without a Message-ID the bytes are the mark if they are
        dated; None if not even that.
        """
        message = self.message
        if not isinstance(message, Message):
            return None
        if message.message_id is not None:
            marks = (
                message.sender,
                message.message_id,
                message.token or "",
                strip_subject(message.subject),
                message.text,
            )
            return hashlib.sha256("\n".join(marks).encode(errors="replace")).hexdigest()
        # Without either, two moves that a script pipes in may be the same to the letter, and both are meant.
        is_dated = not {"date", "received"}.isdisjoint(split(self.row.raw.lstrip())[0])
        return hashlib.sha256(self.row.raw).hexdigest() if is_dated else None

    @property
    def holds_passwords(self) -> bool:
        """Whether it holds passwords to be checked or hashed."""
        return bool(self.logins.charges)

    @property
    def verified(self) -> set[str]:
        """The userids, in lower case, whose right passwords it holds."""
        return {userid for userid, _ in self.checked.verified}

    @property
    def is_own(self) -> bool:
        """Whether its sender speaks for themselves, whatever they answer: they write a password, or have shown who they
        are and ask for nothing on a board.
        """
        changes_board = any(isinstance(each, Command) and each.verb.alters for each in self.commands)
        return self.holds_passwords or (self.sender.proven is not None and not changes_board)

    @property
    def only_reads(self) -> bool:
        """Whether it only asks to be told something, and changes nothing."""
        is_understood = all(isinstance(each, Command) for each in self.commands)
        asks = is_understood and self._locked == {Locks.NOTHING}
        return asks and not self.is_guess and not self.is_for_operator

    @property
    def asks_for_action(self) -> bool:
        """Whether it holds a command that changes something, or has players asked something."""
        return not self._locked <= {Locks.NOTHING}

    @property
    def _locked(self) -> set[Locks]:
        """What carrying out its commands locks; those that are refused lock nothing."""
        return {each.verb.locks for each in self.commands if isinstance(each, Command)}

    @property
    def is_for_operator(self) -> bool:
        """Whether it came to postmaster or abuse only."""
        recipients = self.row.recipients
        return bool(recipients) and all(each.casefold().partition("@")[0] in FOR_OPERATOR for each in recipients)

    @property
    def stays_on_boards(self) -> bool:
        """Whether it changes boards at most, so that others may be handled at the same time that lock other boards."""
        message, sender = self.message, self.sender
        # Tickets, bounces and letters to the operator may concern anybody.
        if not isinstance(message, Message) or self.is_for_operator:
            return False
        if message.token is not None and sender.seat is None:
            return False
        known = sender.proven is not None or sender.seat is not None or self.holds_passwords
        return known and Locks.HOUSE not in self._locked

    @property
    def boards(self) -> Iterator[str]:
        """The names of locks of the boards it is about, as far as that is known."""
        if self.sender.board is not None:
            yield f"board {self.sender.board}"
        for command in self.commands:
            number = "" if isinstance(command, Rejected) else command.args.get("BOARD", "").partition("#")[0]
            if number.isdecimal():
                yield f"board {int(number)}"

    @property
    def locks(self) -> Iterator[str]:
        """The names of locks it needs while it is handled, as far as that is known beforehand."""
        identity = self.identity
        if identity is not None:
            yield f"mail {identity}"
        yield from self.boards
        yield from self.logins.locks

    def cause(self, player: Player | None) -> Cause:
        """The cause that answers to it are counted by. player: who gets them; None for whoever has the address."""
        helps = all(isinstance(each, Command) and each.verb.name == HELP for each in self.commands)
        pool = self.sender.pool(player, self.verified, vouched=self.origin.vouched)
        seat = self._seat if player == self.sender.seated else ""
        return Cause(pool, self.origin, helps and self.sender.standing.known, seat=seat)

    @property
    def _seat(self) -> str:
        """The seat whose token it brings, and from which network; empty for none. Board mails are passed on."""
        seat = self.sender.seat
        return f"board {seat.board}, seat {seat.seat} from {self.origin.network}" if seat is not None else ""

    @property
    def payers(self) -> set[Whose]:
        """Who is charged for the handling: who has proved to have sent the mail, or else its seat, or its address."""
        proven = {self.sender.proven.userid.casefold()} if self.sender.proven is not None else set()
        players = proven | self.verified
        if players:
            return {Whose(author=userid) for userid in players}
        pool = Pool.UNPROVEN if self.sender.usual is None else Pool.USUAL
        return {Whose(pool, author=self._seat or self.letter.sender.casefold())}


class Settled(NamedTuple):
    """The end of a mail, its reason, and the mails that are owed because of it."""

    state: Arrival
    reason: str = ""
    mails: tuple[Mail, ...] = ()
    kept: bytes | None = None
    """The bytes stored in place of the mail; None for the mail itself."""
    about: Mapping[str, str] = {}
    """Its userid, verbs and boards, for the log."""
    identity: str | None = None
    """See Prepared.identity; None if a second delivery is to be handled like any mail."""


class Ended(NamedTuple):
    """The end of a mail as it was written down."""

    mail: int
    settled: Settled
    outbox: Sequence[int]
    """The outbox rows of the mails that are owed because of it."""


def write_down(tx: Transaction, done: Sequence[tuple[Prepared, Settled]]) -> list[Ended]:
    """Write the ends of mails, and the mails that are owed because of them."""
    tx.inbox.settle(
        [
            Settlement(mail.row.id, settled.state, settled.reason, settled.identity, settled.kept)
            for mail, settled in done
        ],
        tx.now,
    )
    owed = tx.outbox.add_all({mail.row.id: settled.mails for mail, settled in done}, tx.now)
    return [Ended(mail.row.id, settled, owed[mail.row.id]) for mail, settled in done]


def tell(ended: Sequence[Ended]) -> None:
    """Log and count mails whose ends are now committed, without their contents."""
    for each in ended:
        state, reason = each.settled.state, each.settled.reason
        SETTLED.labels(state.value).inc()
        words = dict[str, Any](each.settled.about)
        if each.outbox:
            words["outbox"] = each.outbox
        # The reason of a parked mail is logged with its fault.
        if reason and state is not Arrival.PARKED:
            words["reason"] = reason
        log.info("settled", mail=each.mail, state=state.value, **words)
