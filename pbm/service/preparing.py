"""Mails between reading and handling: what is known of each before any transaction that writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pbm.domain.commands import Command
from pbm.domain.errors import Rejected
from pbm.domain.mail import Received
from pbm.domain.match import Player
from pbm.domain.reading import Reading
from pbm.mailin import Discard, Message
from pbm.service import locks
from pbm.service.guarding import Origin
from pbm.service.handling import Credentials, Sender
from pbm.service.logins import Logins


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
    yield from locks.names(mail.sender, mail.commands, mail.logins)


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
    return locks.stays_on_boards(mail.sender, mail.commands, mail.logins)


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
