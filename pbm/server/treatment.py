"""What is done with a mail that bears a mark of a machine: to obey and to answer are two decisions.

Relays, rules of companies and filters stamp such marks on people's own mails, so a mark alone never decides whether a
move is played: who is proven, and what stands there, do. The mark decides whether we answer, so that no two machines
talk for ever. A mail without a mark is a person's: it is obeyed, passed on and answered, and is not in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from enum import Enum
from itertools import product
from typing import NamedTuple

from pbm.core.board import States
from pbm.core.credentials import is_clear
from pbm.core.reply import MOST_DIGITS
from pbm.domain.errors import Unreadable
from pbm.domain.match import Match
from pbm.mailin import Mark
from pbm.reading.commands import Command
from pbm.reading.consent import is_bare
from pbm.reading.intent import Sure, Surroundings, read
from pbm.server.prepared import Prepared
from pbm.store import Transaction


class Proof(Enum):
    """Who the sender is."""

    BOT = "the token of a seat whose player is a program by its own account, and comes from its address"
    SEAT = "the token of a seat"
    PLAYER = "what proves a player anywhere: a vouched address, a player's token, or userid and password, yet unchecked"
    TICKET = "the token of a question of ours"
    BYSTANDER = "the token of a seat from somebody who is not at the board; its player is asked"
    NOBODY = "anything else"


class Content(Enum):
    """What the person's, or the machine's, own words are."""

    MOVE = "a move or a command that alters a board on the first line, whatever stands below"
    SAID = "words that surely play a move"
    ANSWER = "a clear yes or no, and nothing else"
    CHAT = "words behind the command that sends them, which no program writes"
    WORDS = "anything else: a notice of absence, a text, nothing"


class Treatment(NamedTuple):
    """obey: its commands are carried out, and the words below them go to the opponent. plain: plain words may mean
    something, too. answer: its sender hears of it, once a ply.
    """

    obey: bool = True
    plain: bool = False
    answer: bool = False


IGNORED = Treatment(obey=False)
_PLAYERS = Proof.BOT, Proof.SEAT, Proof.PLAYER
_ROWS: Sequence[tuple[Sequence[Proof], Sequence[Content], Sequence[Mark], Treatment]] = (
    # A program's account says all it has to say in marked mails (RFC 3834).
    ((Proof.BOT,), (*Content,), (Mark.PROGRAM,), Treatment(plain=True, answer=True)),
    # Exchange's X-Auto-Response-Suppress, a filter's X-Spam-Flag, a relay's List-Unsubscribe on a person's mail.
    (_PLAYERS, (Content.MOVE,), (Mark.RELAY,), Treatment(answer=True)),
    (_PLAYERS, (Content.SAID, Content.ANSWER, Content.CHAT), (Mark.RELAY,), Treatment(plain=True, answer=True)),
    ((Proof.TICKET,), (Content.ANSWER,), (Mark.RELAY,), Treatment(plain=True, answer=True)),
    ((Proof.BYSTANDER,), (Content.MOVE, Content.SAID), (Mark.RELAY,), Treatment(plain=True)),
    # A machine that plays without saying so, or a person whose program marks all it sends.
    (_PLAYERS, (Content.MOVE,), (Mark.PROGRAM, Mark.RESPONDER), Treatment()),
    (_PLAYERS, (Content.SAID,), (Mark.PROGRAM, Mark.RESPONDER), Treatment(plain=True)),
)
TREATMENTS: dict[tuple[Proof, Content, Mark], Treatment] = {}
"""By proof, content and mark; whatever is not here is ignored: notices of absence, bounces, lists, read receipts."""
for _proofs, _contents, _marks, _treatment in _ROWS:
    for _key in product(_proofs, _contents, _marks):
        TREATMENTS.setdefault(_key, _treatment)


def treatment_of(tx: Transaction, mail: Prepared, states: States) -> Treatment:
    """How a marked mail is treated. mail: as it would be read without the mark."""
    proof = _proof(tx, mail)
    if proof is Proof.NOBODY:
        return IGNORED
    return TREATMENTS.get((proof, _content(tx, mail, states), mail.letter.mark), IGNORED)


def _proof(tx: Transaction, mail: Prepared) -> Proof:
    sender, token = mail.sender, mail.letter.token
    if sender.seated is not None:
        is_bot = sender.seated in sender.at_home and tx.players.bots((sender.seated.id,))
        return Proof.BOT if is_bot else Proof.SEAT
    if sender.bystander_of is not None:
        return Proof.BYSTANDER
    # A password is checked only once it is known that the mail is obeyed.
    if sender.proven is not None or mail.holds_passwords:
        return Proof.PLAYER
    is_question = token is not None and tx.tickets.find(token, tx.now) is not None
    return Proof.TICKET if is_question else Proof.NOBODY


def is_lost_move(tx: Transaction, mail: Prepared, states: States) -> bool:
    """Whether a marked mail that is ignored may have been a move of a player; it is counted, and should never be."""
    match, known = _board(tx, mail), mail.sender.at_home
    return match is not None and any(player in match.players for player in known) and plays(tx, mail, states)


def plays(tx: Transaction, mail: Prepared, states: States) -> bool:
    """Whether a mail is a move or a command on its first line, or surely plays in words."""
    return _content(tx, mail, states) in (Content.MOVE, Content.SAID)


def _board(tx: Transaction, mail: Prepared) -> Match | None:
    """The board that the first command names, or that the mail answers."""
    first = next(iter(mail.commands), None)
    named = first.args.get("BOARD", "").partition("#")[0] if isinstance(first, Command) else ""
    board = int(named) if named.isdecimal() and len(named) <= MOST_DIGITS else mail.sender.board
    return tx.matches.load(board) if board is not None else None


def _content(tx: Transaction, mail: Prepared, states: States) -> Content:
    first, text = next(iter(mail.commands), None), mail.letter.text
    match = _board(tx, mail)
    if isinstance(first, Command) and _alters(first, match, states):
        return Content.MOVE
    if match is not None and _is_named(match, states, mail.reading.text):
        return Content.SAID
    if text.casefold().split(maxsplit=1)[:1] == ["chat"]:
        return Content.CHAT
    is_answer = text.strip() != "" and is_clear(text)
    return Content.ANSWER if is_answer and is_bare(text) else Content.WORDS


def _alters(command: Command, match: Match | None, states: States) -> bool:
    """Whether a command changes a board. To any line in answer to a board that is no command, `parse` gives the verb of
    a move.
    """
    if command.verb.name == "move":
        return _is_notation(match, states, command.args.get("MOVE", ""))
    return bool(command.verb.alters) and not command.verb.has_text


def _is_notation(match: Match | None, states: States, line: str) -> bool:
    """Whether a line is a move, legal or not."""
    if len(line.split()) == 1 and any(letter.isdigit() for letter in line):
        return True  # no notice consists of "F6", and its writer must hear why it is not legal
    try:
        return match is not None and states.of(match).named(line) is not None
    except Unreadable:
        return False


def _is_named(match: Match, states: States, words: str) -> bool:
    """Whether words surely play a legal move."""
    with suppress(Unreadable):
        named = states.of(match).named
        meant = read(words, Surroundings(named, is_turn=True))
        return isinstance(meant, Sure) and named(meant.line) is not None
    return False
