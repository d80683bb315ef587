"""Letters to and from the operator: mail to postmaster or abuse, the answers to it, and letters to players.

The operator is told of each such mail; their answer goes to its writer, and is never read as a command.

The operator is also told, once for each board, if a stored record cannot be replayed, as when somebody has altered the
database. Nobody can play on such a board, no time runs out there, and it goes on once the record is mended. An agenda
item notes that the operator was told, as long as the board cannot be read.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pbm.compose.notices import Answer, Outcome
from pbm.core import notify
from pbm.core.bus import RecordDamaged, subscribes
from pbm.core.by_operator import POSTMASTER, answer_to, close
from pbm.core.notify import Desk
from pbm.core.registry import Occasion, redeems, when_due
from pbm.core.request import Request
from pbm.domain.mail import Mail, Received
from pbm.mailin import Message, strip_subject
from pbm.store import Transaction
from pbm.store.tickets import Ticket

_ANSWER_DAYS = 90
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
    # An operator on the way has only a mail program.
    if row is not None and text.casefold().rstrip(".!") in _CLOSE:
        close(request.tx, [number], "closed by mail")
        _confirm(request, f"Mail {number} is closed.")
        return
    written = answer_to(request.tools, row, text, request.now) if row is not None and text else None
    if written is not None:
        request.outgoing.letters.append(written)
        close(request.tx, [number], "answered by mail")
        _confirm(request, f"Your answer is on its way to {written.address}; mail {number} is closed.")
        return
    problem = f"Mail {number} cannot be read, or does not tell who wrote it: pbm inbox show {number}"
    if row is None:
        problem = f"Mail {number} is not there any more."
    # It may have been sent by mistake, and closing the mail would lose it.
    elif not text:
        problem = "Your answer was empty, so nothing was sent."
    request.outgoing.answers.append(Answer("your answer", Outcome.FAILED, problem, "pbm: not sent"))


def _confirm(request: Request, said: str) -> None:
    """Tell the operator, who need not be a player, what was done."""
    request.outgoing.write(request.tools.operator, "pbm: done", "done-operator.txt", said=said)


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
