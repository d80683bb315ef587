"""Letters to and from the operator: mail to postmaster or abuse, the answers to it, and letters to players.

The operator is told of each such mail; their answer goes to its writer, and is never read as a command.

The operator is also told, once for each board, if a stored record cannot be replayed, as when somebody has altered the
database. Nobody can play on such a board, no time runs out there, and it goes on once the record is mended. An agenda
item notes that the operator was told, as long as the board cannot be read.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pbm.compose import Answer, File, Outcome
from pbm.core import notify
from pbm.core.bus import RecordDamaged, subscribes
from pbm.core.notify import Desk, Tools, letters_for, readers_of
from pbm.core.registry import Occasion, redeems, when_due
from pbm.core.request import Request
from pbm.domain.mail import Arrival, Mail, Received, Settlement
from pbm.domain.match import Player
from pbm.mailin import Discard, Envelope, Message, Robot, strip_subject
from pbm.store import Transaction
from pbm.store.tickets import Ticket

POSTMASTER = "postmaster"
"""The purpose of tickets whose answer goes to the person who wrote to the operator."""
_ANSWER_DAYS = 90
_MOST_OF_A_SUBJECT = 150
"""Characters of a foreign subject that are repeated: in no script are so many too long for a line of the header."""
_CLOSE = frozenset({"close", "closed"})
"""The operator's answer to close a mail without answering it."""


def tell_operator(at: Desk, row: Received, message: Message) -> list[Mail]:
    """The mail that tells the operator of a letter to them, with its text; none if they have no address."""
    tools = at.tools
    if not tools.operator:
        return []
    token = at.issue(POSTMASTER, tools.operator, days=_ANSWER_DAYS, mail=row.id)
    mailbox = row.recipients[0].casefold().partition("@")[0] if row.recipients else POSTMASTER
    subject = f"pbm: mail {row.id} to {mailbox}"
    words: dict[str, Any] = {"sender": message.sender, "mailbox": mailbox, "about": strip_subject(message.subject)}
    page, text = "postmaster-operator.txt", message.text.strip()
    letter = tools.composer.letter(
        tools.operator, subject, page, at.now, reply_to=token, inbox_id=row.id, text=text, **words
    )
    return [letter]


@redeems(POSTMASTER, lasting=True)
def answer_as_operator(request: Request, ticket: Ticket) -> None:
    """Pass the operator's answer to the writer of the letter, or close it."""
    number, text = int(ticket.payload["mail"]), request.message.text.strip()
    row = request.tx.inbox.get(number)
    # An empty answer may have been sent by mistake, and closing the mail would lose it.
    if row is None or not text:
        said = f"Mail {number} is not there any more." if row is None else "Your answer was empty, so nothing was sent."
        request.outgoing.answers.append(Answer("your answer", Outcome.FAILED, said, "pbm: not sent"))
        return
    # An operator on the way has only a mail program.
    if text.casefold().rstrip(".!") in _CLOSE:
        close(request.tx, [number], "closed by mail")
        _confirm(request, f"Mail {number} is closed.")
        return
    written = answer_to(request.tools, row, text, request.now)
    if written is None:
        said = f"Mail {number} cannot be read, or does not tell who wrote it: pbm inbox show {number}"
        request.outgoing.answers.append(Answer("your answer", Outcome.FAILED, said, "pbm: not sent"))
        return
    request.outgoing.letters.append(written)
    close(request.tx, [number], "answered by mail")
    _confirm(request, f"Your answer is on its way to {written.address}; mail {number} is closed.")


def _confirm(request: Request, said: str) -> None:
    """Tell the operator, who need not be a player, what was done."""
    request.outgoing.write(request.tools.operator, "pbm: done", "done-operator.txt", said=said)


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
    told = [letters_for(at, readers[each.id], subject, "by-operator.txt", **words) for each in players]
    return [letter for letters in told for letter in letters]


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


DAMAGE = "damage"
_LOOK_AGAIN = timedelta(days=1)


@subscribes(RecordDamaged)
def note_damage(event: RecordDamaged, tx: Transaction) -> None:
    """Have the operator told, unless they were."""
    tx.lock([f"{DAMAGE} {event.board}"])
    if tx.agenda.get(DAMAGE, event.board) is None:
        tx.agenda.put(DAMAGE, event.board, tx.now, reason=event.reason)


@when_due(DAMAGE, within=_LOOK_AGAIN)
def tell_of_damage(occasion: Occasion) -> None:
    tx, board, reason = occasion.tx, int(occasion.item.key), occasion.item.payload.get("reason", "")
    match = tx.matches.load(board)
    # It is gone, or mended: the next damage is told again.
    if match is None or occasion.tools.states.reads(match):
        return
    if reason:
        page, subject = "damage-operator.txt", f"pbm: board {board} cannot be read"
        notify.tell_operator(occasion, subject, page, match=match, reason=reason)
    tx.agenda.put(DAMAGE, board, occasion.now + _LOOK_AGAIN)
