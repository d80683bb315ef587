"""Letters of the operator: to players, in answer to mails in the inbox, and with such a mail as it came in."""

from __future__ import annotations

from datetime import datetime
from itertools import chain

from pbm.compose.notices import File
from pbm.core.notify import Desk, Tools, letters_for, readers_of
from pbm.domain.mail import Arrival, Mail, Received, Settlement
from pbm.domain.match import Player
from pbm.mailin import Discard, Envelope, Message, Robot, strip_subject
from pbm.store import Transaction

POSTMASTER = "postmaster"
"""Where people reach the operator."""
_MOST_OF_A_SUBJECT = 150
"""Characters of a foreign subject that are repeated: in no script are so many too long for a line of the header."""


def answer_to(tools: Tools, row: Received, text: str, now: datetime) -> Mail | None:
    """The operator's answer to a mail in the inbox; None if its writer is unknown."""
    message = _message(row, tools.composer.robot)
    if message is None or not message.sender:
        return None
    subject = f"Re: {strip_subject(message.subject)[:_MOST_OF_A_SUBJECT]}".strip()
    headers = _from_operator(tools)
    return tools.composer.letter(
        message.sender, subject, "by-operator.txt", now, to=message, headers=headers, text=text
    )


def close(tx: Transaction, numbers: list[int], why: str) -> None:
    """Close mails that waited for the operator; they can be handled again later."""
    tx.inbox.settle([Settlement(number, Arrival.IGNORED, f"closed: {why}") for number in numbers], tx.now)


def letters_to(at: Desk, players: list[Player], subject: str, text: str) -> list[Mail]:
    """A letter from the operator to each address of the players; answers go to the operator."""
    readers, words = readers_of(at, players), {"headers": _from_operator(at.tools), "text": text}
    mails = [letters_for(at, readers[player.id], subject, "by-operator.txt", **words) for player in players]
    return [*chain.from_iterable(mails)]


def forwarded(tools: Tools, row: Received, address: str, now: datetime) -> Mail:
    """A letter with a mail from the inbox attached, as it came in."""
    message = _message(row, tools.composer.robot)
    sender = message.sender if message is not None else ""
    headers, attached = _from_operator(tools), (File("mail.eml", "application/octet-stream", row.raw),)
    text = f"{sender or 'Somebody'} has written this to the operator; it is attached as it came."
    subject = f"pbm: mail {row.id} forwarded"
    return tools.composer.letter(
        address, subject, "by-operator.txt", now, headers=headers, attached=attached, text=text
    )


def address_of(tools: Tools) -> str:
    """The address at which people reach the operator."""
    robot = tools.composer.robot
    return tools.operator or robot.address if robot.one_mailbox else f"{POSTMASTER}@{robot.domain}"


def _message(row: Received, robot: Robot) -> Message | None:
    from pbm.mailin.written import read as read_mail  # the server has it; others need not wait for it

    read = read_mail(row.raw, Envelope(row.mail_from, row.recipients), robot)
    return read.letter if isinstance(read, Discard) else read


def _from_operator(tools: Tools) -> dict[str, str]:
    return {"From": f'"pbm operator" <{tools.composer.robot.address}>', "Reply-To": address_of(tools)}
