"""Mails between reading and handling: what is known of each before any transaction that writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from pbm.core.notify import day_of
from pbm.core.request import Credentials, Sender
from pbm.domain.calendars import instant_at
from pbm.domain.commands import Command, Standing, board_of_subject
from pbm.domain.errors import Rejected
from pbm.domain.mail import Arrival, Mail, Received, Sent, Settlement
from pbm.domain.match import Player
from pbm.domain.reading import Reading
from pbm.domain.tokens import DigestToken, PlayerToken, SeatToken, Signer
from pbm.domain.verbs import Locks
from pbm.mailin import Discard, Message, strip_subject
from pbm.server.guard import Logins, Origin
from pbm.store import Transaction


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mail read, before any transaction that writes. is_guess: it answers an address we never gave to anybody."""

    row: Received
    message: Message | Discard | Exception
    sender: Sender = field(default_factory=Sender)
    reading: Reading = field(default_factory=lambda: Reading(()))
    commands: tuple[Command | Rejected, ...] = ()
    logins: Logins = field(default_factory=Logins)
    origin: Origin | None = None
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """What argon2 had to say of some mails. verified: credentials that are right; fresh: hashes of new passwords."""

    verified: dict[Credentials, str]
    fresh: dict[str, str]


Work = tuple[Prepared, Checked]


def boards_of(prepared: Sequence[Prepared]) -> set[int]:
    """The boards that the mails answer."""
    return {mail.sender.board for mail in prepared if mail.sender.board is not None}


def names_to_lock(mail: Prepared) -> Iterator[str]:
    """What nobody else may change while the mail is handled, as far as that is known beforehand."""
    identity = identity_of(mail)
    if identity is not None:
        yield f"mail {identity}"
    yield from _names(mail.sender, mail.commands, mail.logins)


def parted(work: Sequence[Work]) -> tuple[list[Work], list[Work]]:
    """Mails that stay on their boards, and all others; a mail stays behind those of its lane that came before it."""
    on_boards: list[Work] = []
    others: list[Work] = []
    lanes_of_others: set[str] = set()
    for mail, checks in work:
        if mail.row.lane not in lanes_of_others and stays_on_boards(mail):
            on_boards.append((mail, checks))
        else:
            others.append((mail, checks))
            lanes_of_others |= {mail.row.lane} - {""}
    return on_boards, others


def stays_on_boards(mail: Prepared) -> bool:
    """Whether a mail is about nothing but boards; what it asks for does not depend on mails that wait to be sent."""
    message = mail.message
    answers_no_board = isinstance(message, Message) and message.token is not None and mail.sender.seat is None
    if not isinstance(message, Message) or answers_no_board or is_for_operator(mail.row):
        return False
    return _needs_only_boards(mail.sender, mail.commands, mail.logins)


def is_for_operator(row: Received) -> bool:
    """Whether a mail came to postmaster only."""
    return bool(row.recipients) and all(each.casefold().startswith("postmaster@") for each in row.recipients)


def payers_of(mail: Prepared, checked: Checked, identified: Player | None = None) -> set[str]:
    """At whose expense the handling of a mail is: the player's who proves to have sent it, or else its address's.

    The two are apart, for anybody can write in an address's name.
    """
    assert isinstance(mail.message, Message)  # noqa: S101  nothing else is carried out
    players = {player.userid.casefold() for player in (mail.sender.proven, identified) if player is not None}
    players |= {userid for userid, _ in checked.verified}
    return players or {f"from {mail.message.sender.casefold()}"}


def own_of(mail: Prepared, verified: dict[Credentials, str]) -> dict[Credentials, str]:
    """Of all logins that are right, those of the mail."""
    return {login: verified[login] for login in mail.logins.hashes if login in verified}


def identity_of(mail: Prepared) -> str | None:
    """What tells a second delivery of the same mail; None for one without an id."""
    message = mail.message
    if not isinstance(message, Message) or message.message_id is None:
        return None
    return hashlib.sha256(f"{message.sender}\n{message.message_id}".encode(errors="replace")).hexdigest()


log = structlog.get_logger()


@dataclass(slots=True)
class _Entry:
    """mails: what is owed because of one mail. outbox: their rows, once they are written down."""

    settlement: Settlement | None = None
    mails: list[Mail] = field(default_factory=list)
    outbox: list[int] = field(default_factory=list)


class Journal:
    """Holds, from one commit to the next, what became of each mail."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._unwritten: dict[int, _Entry] = {}
        self._identities: set[str] = set()

    def settle(self, mail: int, state: Arrival, reason: str = "", identity: str | None = None) -> None:
        """identity: what tells a second delivery of the same mail; None where nothing does."""
        self._entry(mail).settlement = Settlement(mail, state, reason, identity)
        if identity is not None:
            self._identities.add(identity)

    def owe(self, mail: int, mails: Sequence[Mail]) -> None:
        self._entry(mail).mails += mails

    def strike_out(self, mail: int) -> None:
        """Nothing that was noted of the mail since it was last written down has come to pass; it has yet to settle."""
        self._unwritten.pop(mail, None)

    def is_settled(self, identity: str) -> bool:
        """A mail of this identity was settled since the last commit."""
        return identity in self._identities

    def write_down(self, tx: Transaction, now: datetime) -> None:
        """Put what was noted where the transaction commits it."""
        settlements = [entry.settlement for entry in self._unwritten.values() if entry.settlement is not None]
        owed = [(mail, number) for number, entry in self._unwritten.items() for mail in entry.mails]
        rows = tx.outbox.add([mail for mail, _ in owed], now, [number for _, number in owed])
        tx.inbox.settle(settlements, now)
        for (_, number), row in zip(owed, rows, strict=True):
            self._unwritten[number].outbox.append(row)
        self._entries |= self._unwritten
        self._unwritten.clear()

    def tell(self) -> None:
        """Log what is committed now; of what a mail holds, nothing."""
        for number, entry in self._entries.items():
            settlement, words = entry.settlement, {}
            assert settlement is not None  # noqa: S101  every mail that was handled is settled
            if settlement.reason and settlement.state is not Arrival.PARKED:
                words["reason"] = settlement.reason
            outbox = {"outbox": entry.outbox} if entry.outbox else {}
            log.info("settled", mail=number, **outbox, state=settlement.state.value, **words)
        self.clear()

    def clear(self) -> None:
        self._entries.clear()
        self._unwritten.clear()
        self._identities.clear()

    def _entry(self, mail: int) -> _Entry:
        return self._unwritten.setdefault(mail, _Entry())


def _needs_only_boards(sender: Sender, commands: Sequence[Command | Rejected], logins: Logins) -> bool:
    """Whether the commands of a mail need no more than their boards."""
    known = sender.proven is not None or bool(logins.keys)
    return known and all(isinstance(each, Rejected) or each.verb.locks is Locks.BOARDS for each in commands)


def _names(sender: Sender, commands: Sequence[Command | Rejected], logins: Logins) -> Iterator[str]:
    """The boards a mail is about, as far as that can be seen, and what its passwords count for."""
    if sender.board is not None:
        yield f"board {sender.board}"
    for command in commands:
        number = "" if isinstance(command, Rejected) else command.args.get("BOARD", "").partition("#")[0]
        if number.isdecimal():
            yield f"board {int(number)}"
    for keys in logins.keys.values():
        yield from (f"guess {key.kind} {key.subject}" for key in keys)


def identify(tx: Transaction, signer: Signer, message: Message, now: datetime) -> Sender:
    token = signer.open(message.token) if message.token else None
    seat = token if isinstance(token, SeatToken) else None
    answered = _answered(tx, message) if seat is None else None
    claimed = _claimed(tx, message, answered)
    proven = _of_token(tx, token, now) or (claimed if message.authenticated else None)
    board = seat.board if seat else _board_answered(message, answered)
    as_of = instant_at(token.as_of) if isinstance(token, DigestToken) else _written_at(token, answered)
    match = tx.matches.summary(board) if board is not None else None
    if match is None:
        return Sender(Standing(known=bool(proven or claimed), proven=bool(proven)), None, None, proven, claimed, as_of)
    if seat is not None and seat.epoch != match.epochs[seat.seat - 1]:
        seat = None
    if seat is not None:
        proven = match.players[seat.seat - 1]
    standing = Standing(match.game, match.board, known=bool(proven or claimed), proven=bool(proven))
    return Sender(standing, seat, match.board, proven, claimed, as_of)


def _written_at(token: object, answered: Sent | None) -> datetime | None:
    """When the mail was written that is answered; a mail with a player's token is no mail of a board."""
    return None if answered is None or isinstance(token, PlayerToken) else answered.created_at


def _claimed(tx: Transaction, message: Message, answered: Sent | None) -> Player | None:
    """The player of the address in From: of several who share it, the one whose mail is answered; or else none."""
    players = tx.players.of_address(message.sender) if message.sender else []
    if len(players) > 1:
        players = [player for player in players if answered is not None and player.id == answered.player_id]
    return players[0] if players else None


def _of_token(tx: Transaction, token: object, now: datetime) -> Player | None:
    """The player of a token that is still good."""
    if not isinstance(token, PlayerToken | DigestToken) or token.last_day < day_of(now):
        return None
    player = tx.players.get(token.player_id)
    return player if player is not None and tx.players.epoch(player.id) == token.epoch else None


def _answered(tx: Transaction, message: Message) -> Sent | None:
    """The mail of ours that is answered, by its id. It tells what the mail is about, and proves nothing: others may
    know the id.
    """
    references = filter(None, (message.in_reply_to, *reversed(message.references)))
    found = (tx.outbox.recall(reference.strip("<>").partition("@")[0]) for reference in references)
    return next(filter(None, found), None)


def _board_answered(message: Message, answered: Sent | None) -> int | None:
    """The board of the mail that is answered, where plus tags got lost; without its id, by the subject."""
    return answered.board if answered is not None else board_of_subject(strip_subject(message.subject))
