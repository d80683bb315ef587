"""Plain words in an answer to a board: what is to be done there, or a message to the opponent; where no command stood.

Nothing is guessed between two. Anything that may be a mistyped move, a command with an error, or a password, is no
message.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from games.rules import GameError
from pbm.core.board import OpenBoard
from pbm.core.request import Request
from pbm.domain.commands import Command, begins, clean
from pbm.domain.consent import Answer, consent
from pbm.domain.errors import BadArguments, Rejected, UnknownCommand
from pbm.domain.mail import RemarkKind, passwords_behind
from pbm.domain.match import Player
from pbm.domain.meaning import Act, Meaning, meaning
from pbm.domain.reading import Reading
from pbm.domain.sentences import plain
from pbm.domain.verbs import VERBS, find

CHAT = "chat"
_COMMANDS = {
    Act.SWAP: "swap",
    Act.RESIGN: "resign",
    Act.DRAW: "propose",
    Act.UNDO: "undo",
    Act.PASS: "pass",
    Act.ACCEPT: "accept",
    Act.REJECT: "reject",
}
_COURTESIES = frozenset(
    """
    thanks thx thank gg hello hi hey bye ok okay sorry wow nice great cool super congratulations congrats ouch oops
    cheers bravo well interesting ciao merci danke gracias hallo haha
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Words that are a message all by themselves."""
_QUALIFIERS = _COURTESIES | frozenset(
    """
    a another any best first good i it last my next no one strong that the they this to we what you your
    """.split()  # noqa: SIM905  as above
)
"""Words after which the name of a verb is none: "nice move"."""
_NEAR = 0.8
"""How like a verb a first word is that is a misspelt one."""
_WORDS_TO_A_NUMBER = 4
"""Words of a text that hold one number: with more numbers it may be a move."""
_PLACE = re.compile(
    r"\b(?:middle|cent(?:er|re)|corner|edge|top|bottom|left|right|row|column|line|cell|square|vertex|hexagon|stone|piece)s?\b",
    re.IGNORECASE,
)
"""Words that may describe a move: "the one in the middle"."""
_PASSWORD = re.compile(r"\b(?:password|passwort|passwd)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Restated:
    """What plain words mean: a command, what is left for the opponent, and how the writer is told of it."""

    line: str
    comment: str
    read_as: str


def restated(request: Request, reading: Reading, command: Command | Rejected) -> Restated | None:
    """What a mail that answers a board means in plain words; None where that cannot be told, or a command stood there.

    command: the first of it, which was refused. Raises: BadArguments where more than one thing may be meant.
    """
    number = request.sender.board
    if number is None or not reading.text or not _is_open(command, reading):
        return None
    board, text = request.board(number), reading.text
    meant = meaning(text, _legal(board))
    if meant.act is Act.UNSURE:
        named = " or ".join(meant.between)
        raise BadArguments(f"Your mail may mean {named}, so nothing is done. Answer with the one that you mean.")
    if meant.act is Act.RULES:
        return Restated(f"help {board.match.game}", "", "")
    if meant.act is Act.SAY and consent(text, ()).answer is Answer.NEVER:
        raise BadArguments(
            'You ask for no more mails. "resign" gives this game up, and "help account" tells how to leave for good. '
            f'To write to your opponent, begin with "{CHAT}".'
        )
    if meant.act is Act.SAY:
        return Restated(CHAT, text.strip(), "a message") if _is_message(request, board, text, meant) else None
    line = meant.move or _COMMANDS[meant.act]
    return None if reading.lines == (line,) else Restated(line, meant.comment, line)


def _is_open(command: Command | Rejected, reading: Reading) -> bool:
    """The strict reading found no command: no verb at all, or one whose words do not fit it."""
    if isinstance(command, Rejected):
        return isinstance(command, UnknownCommand | BadArguments)
    return command.verb.name == "move" and command.args == {"MOVE": reading.lines[0]}


def _legal(board: OpenBoard) -> Callable[[str], str | None]:
    """What the rules make of words on the board as it stands; nothing once the match has ended."""
    game, position = board.state.game, board.state.position

    def notation(words: str) -> str | None:
        if board.match.result is not None:
            return None
        try:
            return game.notate(position, game.parse(position, words))
        except GameError:
            return None

    return notation


def _is_message(request: Request, board: OpenBoard, text: str, meant: Meaning) -> bool:
    """The text can be nothing but words for the opponent, and its writer may send such."""
    writer = request.sender.proven or request.sender.claimed
    if writer is None or _begins_like_a_command(text) or not _is_prose(text):
        return False
    seat = board.match.seat_of(writer.id)
    is_to_move = board.match.result is None and seat == board.state.to_move
    if is_to_move and meant.between:
        named = " or ".join(meant.between)
        raise BadArguments(
            f"Your mail speaks of {named}, and does not say that you play it. To play, answer with nothing but the "
            f'move; to write to your opponent, begin with "{CHAT}".'
        )
    if (is_to_move and _PLACE.search(text)) or not _may_write(request, board, writer, text):
        return False
    lines = text.splitlines()
    unchecked = {(writer.userid.casefold(), word) for word in passwords_behind(lines, writer.userid.casefold())}
    if _PASSWORD.search(text) or unchecked & request.locked.keys():
        return False
    return meaning(text, str.casefold).act is Act.SAY


def _may_write(request: Request, board: OpenBoard, writer: Player, text: str) -> bool:
    """Programs that answer every mail say the same again and again, or too much."""
    since = request.now - timedelta(days=1)
    if request.tx.remarks.written_since(RemarkKind.COMMENT, writer.id, since) >= request.tools.limits.messages_per_day:
        return False
    said = request.tx.remarks.of(RemarkKind.COMMENT, board.match.board)
    return all(remark.author != writer or remark.text.split() != text.split() for remark in said)


def _begins_like_a_command(text: str) -> bool:
    """Its first line is a command with an error in it: a verb or a game, as it is or misspelt, or a verb after one."""
    line = next(filter(None, map(clean, text.splitlines())), "")
    first, *rest = line.casefold().split() or [""]
    names = [word for verb in VERBS for word in verb.words]
    openings = {name.split()[0] for name in names}
    misspelt = first not in _COURTESIES and difflib.get_close_matches(first[:40], openings, n=1, cutoff=_NEAR)
    of_a_game = first not in _QUALIFIERS and any(map(find, rest[:1]))
    return begins(line) or first in openings or bool(misspelt) or of_a_game


def _is_prose(text: str) -> bool:
    """The text is words of a language: a lone word is a courtesy, and there are few numbers."""
    words = plain(text).split()
    bare = [word.strip(".,;:!?()\"'") for word in words]
    numbers = sum(any(map(str.isdigit, word)) for word in words)
    if numbers * _WORDS_TO_A_NUMBER > len(words) or text.rstrip().endswith(":"):
        return False
    if len([word for word in bare if word.isalpha()]) < 2:
        return any(word in _COURTESIES for word in bare) and len(words) == 1
    return any(len(word) > 3 or word in _COURTESIES for word in bare)
