"""What is done with a mail that bears a mark of a machine: to obey and to answer are two decisions.

Relays, rules of companies and filters stamp such marks on people's own mails, so a mark alone never decides whether a
move is played: who is proven, and what stands there, do. The mark decides whether we answer, so that no two machines
talk for ever. A mail without a mark is a person's: it is obeyed, passed on and answered, and is not in the table.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pbm.core.board import States
from pbm.domain.errors import Unreadable
from pbm.mailin import Mark
from pbm.reading.commands import Command
from pbm.server.docket import Prepared
from pbm.store import Transaction


class Proof(Enum):
    """Who the sender is."""

    BOT = "the token of a seat whose player is a program by its own account, and comes from its address"
    SEAT = "the token of a seat"
    NOBODY = "anything else"


class Content(Enum):
    """What the person's, or the machine's, own words are."""

    MOVE = "moves and commands about a board, of which the first line holds one"
    WORDS = "anything else: a notice of absence, a text, nothing"


class Treatment(NamedTuple):
    """obey: its commands are carried out, and the words below them go to the opponent. plain: plain words may mean
    something, too. answer: its sender hears of it, once a ply.
    """

    obey: bool = True
    plain: bool = False
    answer: bool = False


IGNORED = Treatment(obey=False)
TREATMENTS = {
    # A program's account says all it has to say in marked mails (RFC 3834).
    (Proof.BOT, Content.MOVE, Mark.PROGRAM): Treatment(plain=True, answer=True),
    (Proof.BOT, Content.WORDS, Mark.PROGRAM): Treatment(plain=True, answer=True),
    (Proof.BOT, Content.MOVE, Mark.RELAY): Treatment(answer=True),
    (Proof.BOT, Content.MOVE, Mark.RESPONDER): Treatment(),
    # Exchange's X-Auto-Response-Suppress, a filter's X-Spam-Flag, a relay's List-Unsubscribe on a person's mail.
    (Proof.SEAT, Content.MOVE, Mark.RELAY): Treatment(answer=True),
    # A machine that plays without saying so, or a person whose program marks all it sends.
    (Proof.SEAT, Content.MOVE, Mark.PROGRAM): Treatment(),
    (Proof.SEAT, Content.MOVE, Mark.RESPONDER): Treatment(),
}
"""By proof, content and mark; whatever is not here is ignored: notices of absence, bounces, lists, read receipts."""


def treatment_of(tx: Transaction, mail: Prepared, states: States) -> Treatment:
    """How a marked mail is treated. mail: as it would be read without the mark."""
    seated, proof = mail.sender.seated, Proof.NOBODY
    if seated is not None:
        is_home = seated in mail.sender.at_home
        proof = Proof.BOT if is_home and tx.players.bots((seated.id,)) else Proof.SEAT
    return TREATMENTS.get((proof, _content(tx, mail, states), mail.letter.mark), IGNORED)


def is_lost_move(tx: Transaction, mail: Prepared, states: States) -> bool:
    """Whether a marked mail that is ignored may have been a move of a player; it is counted, and should never be."""
    board, known = mail.sender.board, mail.sender.at_home
    match = tx.matches.summary(board) if board is not None else None
    plays = match is not None and any(player in match.players for player in known)
    return plays and _content(tx, mail, states) is Content.MOVE


def _content(tx: Transaction, mail: Prepared, states: States) -> Content:
    if not mail.commands:
        return Content.WORDS
    for command in mail.commands:
        if not isinstance(command, Command) or not command.verb.alters or command.verb.has_text:
            return Content.WORDS
    first = mail.commands[0]
    assert isinstance(first, Command)  # noqa: S101  all of them are
    if first.verb.name == "move" and not _is_notation(tx, mail, states, first.args.get("MOVE", "")):
        return Content.WORDS
    return Content.MOVE


def _is_notation(tx: Transaction, mail: Prepared, states: States, line: str) -> bool:
    """Whether a line is a move, legal or not: to any other line in answer to a board, `parse` gives the verb, too."""
    if len(line.split()) == 1 and any(letter.isdigit() for letter in line):
        return True  # no notice consists of "F6", and its writer must hear why it is not legal
    match = tx.matches.load(mail.sender.board) if mail.sender.board is not None else None
    if match is None:
        return False
    try:
        return states.of(match).named(line) is not None
    except Unreadable:
        return False
