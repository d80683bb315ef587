"""What is known of a mail at each stage, and the journal that writes the ends of many mails.

Received -> Prepared: who sent it and what it asks; its passwords are Checked -> Obeyed: what that leads to
         -> Settled: its end, and the mails that are owed because of it, which the Journal writes
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog

from pbm.core.counts import SETTLED
from pbm.core.request import Credentials, Sender
from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.domain.mail import Arrival, Mail, Received, Settlement
from pbm.domain.match import Player
from pbm.domain.reading import Reading
from pbm.domain.verbs import Locks
from pbm.mailin import FOR_OPERATOR, Discard, Message
from pbm.mailin.mime import split
from pbm.server.guard import Cause
from pbm.server.guesses import Logins, Origin
from pbm.store import Plied, Rehearsal, Transaction

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
    unsaid: frozenset[str] = frozenset()
    """Lines, as they are read, to be taken out of the stored mail: a new password, or what may be one."""

    @property
    def letter(self) -> Message:
        """The message; only for mails that are neither parked nor laid aside."""
        assert isinstance(self.message, Message)  # noqa: S101  all others are parked or laid aside before
        return self.message

    @property
    def identity(self) -> str | None:
        """The mark by which a second delivery of the same mail is known: its sender, Message-ID, token and words.

        A Message-ID alone is no mark: anybody may give their mail the one that a player's next mail will have, and a
        mail to two addresses of ours is for two boards. The bytes differ where two mail servers brought them. Without a
        Message-ID the bytes are the mark if they are dated; None if not even that.
        """
        message = self.message
        if not isinstance(message, Message):
            return None
        if message.message_id is not None:
            marks = (message.sender, message.message_id, message.token or "", message.subject, message.text)
            return hashlib.sha256("\n".join(marks).encode(errors="replace")).hexdigest()
        is_dated = not {"date", "received"}.isdisjoint(split(self.row.raw.lstrip())[0])
        return hashlib.sha256(self.row.raw).hexdigest() if is_dated else None

    @property
    def holds_passwords(self) -> bool:
        """Whether it holds passwords to be checked or hashed."""
        return bool(self.logins.keys)

    @property
    def is_unchecked(self) -> bool:
        return self.holds_passwords and self.checked is UNCHECKED

    @property
    def verified(self) -> set[str]:
        """The userids, in lower case, whose right passwords it holds."""
        return {userid for userid, _ in self.checked.verified}

    @property
    def only_reads(self) -> bool:
        """Whether it only asks to be told something, and changes nothing."""
        asks = bool(self.commands) and all(
            isinstance(each, Command) and each.verb.locks is Locks.NOTHING for each in self.commands
        )
        return asks and not self.is_guess and not self.is_for_operator

    @property
    def is_for_operator(self) -> bool:
        """Whether it came to postmaster or abuse only."""
        recipients = self.row.recipients
        return bool(recipients) and all(each.casefold().partition("@")[0] in FOR_OPERATOR for each in recipients)

    @property
    def stays_on_boards(self) -> bool:
        """Whether it only acts on boards, and so does not depend on mails that are yet to be put into the outbox."""
        message, sender = self.message, self.sender
        answers_no_board = isinstance(message, Message) and message.token is not None and sender.seat is None
        if not isinstance(message, Message) or answers_no_board or self.is_for_operator:
            return False
        known = sender.proven is not None or sender.seat is not None or self.holds_passwords
        return known and all(isinstance(each, Rejected) or each.verb.locks is Locks.BOARDS for each in self.commands)

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
        for keys in self.logins.keys.values():
            yield from (f"guess {key.kind} {key.subject}" for key in keys)

    @property
    def ways(self) -> set[str]:
        """Its lane and senders: mails that share one of them are settled in order."""
        is_message = isinstance(self.message, Message)
        senders = self.payers() | {self.letter.sender.casefold()} if is_message else set()
        return (senders | {self.row.lane}) - {""}

    def cause(self, *, proven: bool) -> Cause:
        """The cause that answers to it are counted by."""
        helps = all(isinstance(each, Command) and each.verb.name == HELP for each in self.commands)
        return Cause(proven, self.origin, helps and self.sender.standing.known)

    def payers(self, identified: Player | None = None) -> set[str]:
        """Who is charged for the handling: the players who have proved to have sent the mail, or else its address.

        The two are kept apart, because anybody can write any address into From.
        """
        players = {player.userid.casefold() for player in (self.sender.proven, identified) if player is not None}
        return players | self.verified or {f"from {self.letter.sender.casefold()}"}


class Obeyed(NamedTuple):
    """A mail's effects, before answers that are too many are left out."""

    mails: tuple[Mail, ...]
    proven: bool
    """Whether its sender has proved who they are."""
    withheld: str = ""
    """Why a question was left out; empty if none was."""
    told: str = ""
    """Why it gets no answers; empty if it gets them."""
    about: Mapping[str, str] = {}
    payers: frozenset[str] = frozenset()
    rehearsal: Rehearsal | None = None
    """What it would have written, if it was only rehearsed."""


class Settled(NamedTuple):
    """The end of a mail, its reason, and the mails that are owed because of it."""

    state: Arrival
    reason: str = ""
    mails: tuple[Mail, ...] = ()
    kept: bytes | None = None
    """The bytes stored in place of the mail; None for the mail itself."""
    about: Mapping[str, str] = {}
    """Its userid, verbs and boards, for the log."""
    plies: Sequence[Plied] = ()
    """Plies that are yet to be written because of it."""


@dataclass(slots=True)
class _Entry:
    """The journal's notes on one mail."""

    settlement: Settlement
    settled: Settled
    outbox: list[int] = field(default_factory=list)
    """The outbox rows of the mails that are owed because of it, once they are written."""


class Journal:
    """Holds the ends of mails from one commit to the next."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._unwritten: dict[int, _Entry] = {}
        self._identities: set[str] = set()

    def note(self, mail: int, settled: Settled, identity: str | None = None) -> None:
        """Note the end of a mail, in place of an earlier note. identity: see Prepared.identity."""
        settlement = Settlement(mail, settled.state, settled.reason, identity, settled.kept)
        self._unwritten[mail] = _Entry(settlement, settled)
        if identity is not None:
            self._identities.add(identity)

    def recall(self, identities: Collection[str]) -> None:
        """Remember that mails of these identities were settled before."""
        self._identities |= {*identities}

    def is_settled(self, identity: str) -> bool:
        """Whether a mail of this identity was noted or recalled since the last commit."""
        return identity in self._identities

    @property
    def holds_plies(self) -> bool:
        """Whether some plies are not written yet."""
        return any(entry.settled.plies for entry in self._unwritten.values())

    def write_down(self, tx: Transaction) -> None:
        """Write the notes into the transaction."""
        tx.matches.add_plies([ply for entry in self._unwritten.values() for ply in entry.settled.plies])
        owed = [(mail, number) for number, entry in self._unwritten.items() for mail in entry.settled.mails]
        rows = tx.outbox.add([mail for mail, _ in owed], tx.now, [number for _, number in owed])
        tx.inbox.settle([entry.settlement for entry in self._unwritten.values()], tx.now)
        for (_, number), row in zip(owed, rows, strict=True):
            self._unwritten[number].outbox.append(row)
        self._entries |= self._unwritten
        self._unwritten.clear()

    def tell(self) -> int:
        """Log and count the mails whose ends are now committed, without their contents; returns how many."""
        told = len(self._entries)
        for state, mails in Counter(entry.settlement.state.value for entry in self._entries.values()).items():
            SETTLED.labels(state).inc(mails)
        for number, entry in self._entries.items():
            settlement, words = entry.settlement, {}
            if settlement.reason and settlement.state is not Arrival.PARKED:
                words["reason"] = settlement.reason
            outbox = {"outbox": entry.outbox} if entry.outbox else {}
            log.info("settled", mail=number, **outbox, state=settlement.state.value, **entry.settled.about, **words)
        self.clear()
        return told

    def clear(self) -> None:
        self._entries.clear()
        self._unwritten.clear()
        self._identities.clear()
