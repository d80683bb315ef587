"""What the sender of a command is told: that it was done, or why it was refused; long lists come in parts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from games.rules import GameError, MoveError
from pbm.compose.notices import Answer, Drawn, Outcome
from pbm.compose.views import wrapped
from pbm.core.board import OpenBoard
from pbm.core.notify import notice_of, reader_of
from pbm.core.request import Flaw, Request
from pbm.core.robots import is_robot
from pbm.domain.errors import NeedsIdentity, NotAllowed, Rejected, UnknownCommand, Unsure
from pbm.domain.match import Seat
from pbm.mailin import strip_subject
from pbm.reading.commands import Command, is_ours
from pbm.reading.intent import is_courteous, is_prose
from pbm.reading.sentences import is_signature, unsigned
from pbm.reading.verbs import numbered, redact, redact_quoted

MOST_LISTED = 200
"""Boards of one list, so that no answer exceeds 60 kB; its last line says how to get more."""
MOST_DIGITS = 12
_NAME = 3
"""The most words of a name that stands alone below a command."""


def parted(words: Sequence[str], mark: str) -> tuple[list[str], int | None]:
    """The words without `mark NUMBER` at their end, and that number, which asks for the next part of a list."""
    if len(words) > 1 and words[-2].casefold() == mark and words[-1].isdecimal() and len(words[-1]) <= MOST_DIGITS:
        return list(words[:-2]), int(words[-1])
    return list(words), None


def is_full(listed: Sequence[object]) -> bool:
    """Whether there may be more than this list holds."""
    return len(listed) >= MOST_LISTED


def done(command: Command, text: str, subject: str = "") -> Answer:
    """The answer to a command that was carried out. text: one line is wrapped; several are left as they are."""
    return Answer(command.line, Outcome.DONE, text if "\n" in text else wrapped(text), subject)


def return_words(request: Request) -> None:
    """Tell a player that what they wrote below their commands has reached nobody, if it is meant for somebody."""
    words, outgoing = unsigned(request.discreetly(request.words.unheard)), request.outgoing
    if request.refusal is not None or request.author.reader().player is None:
        return
    # "Thanks, Bob" below a command is for nobody, and needs no answer; who wrote a password wonders where it went.
    if not (says_something(words) or request.secrets):
        return
    sentence = "What you wrote was not passed on" + (': "chat" sends it.' if _is_heard(request) else ".")
    if outgoing.notices:
        last = outgoing.notices[-1]
        outgoing.notices[-1] = replace(last, shown=f"{last.shown or 'how it stands.'} {sentence}")
    elif outgoing.answers:
        answer = outgoing.answers[-1]
        outgoing.answers[-1] = replace(answer, text=f"{answer.text.rstrip()}\n\n{wrapped(sentence)}".lstrip())
    else:
        outgoing.answers.append(Answer("your words", Outcome.DONE, wrapped(sentence), "pbm: your words"))


def _is_heard(request: Request) -> bool:
    """Whether a person reads what a player writes about the board in question: robots read nothing."""
    notices = request.outgoing.notices
    board = notices[-1].match.board if notices else request.sender.board
    match = request.tx.matches.summary(board) if board is not None else None
    others = set(match.players) - {request.author.reader().player} if match is not None else set()
    return not all(is_robot(request.tx, player) for player in others)


def says_something(words: str) -> bool:
    """Whether words are meant for somebody: they are prose, and more than a courtesy, a name or a signature."""
    is_name = all(word[:1].isupper() for word in words.split()) and len(words.split()) <= _NAME
    return is_prose(words) and not (is_name or is_courteous(words) or is_signature(words))


def tell_sender(
    request: Request,
    command: Command,
    board: OpenBoard,
    seat: Seat,
    what: str,
    line: tuple[str, ...] = (),
) -> Answer | None:
    """Tell the sender alone what came of their command, with the board unless it is mailed to them anyway.

    line: plies, after which the board is shown instead of as it stands.
    """
    # The board goes to both players in any case, so the sender needs no second one.
    if board.events and not line:
        return done(command, what[0].upper() + what[1:])
    drawn = Drawn(board.state.plies, line) if line else None
    reader = replace(request.author.reader(), seat=seat)
    request.outgoing.notices.append(notice_of(board, reader, drawn=drawn, shown=what))
    return None


_VOID = (
    "The email you answer is void. Answer a newer one of ours; if you have none, write for instance "
    '"show 101" from the address where you get our emails, or put your userid and password into the command.'
)


def refuse(request: Request, line: str, error: Rejected | GameError, named: int | None = None) -> None:
    """Answer a command that was not carried out, with the board if it was the only command and the sender has a seat.

    named: the board the command is about.
    """
    # The refusal itself would ask for something that the sender believes to have given.
    if _is_for_want_of_proof(request, error):
        error = NotAllowed(_VOID)
    request.refusal = error
    advice = error.suggestion if isinstance(error, Rejected) else ""
    candidates = error.candidates if isinstance(error, MoveError | Unsure) else ()
    text = redact_quoted(str(error), request.secrets)
    # In an answer to several boards, a line that names none would be done on the wrong one.
    if request.several and named is not None:
        text, advice = numbered(text, named), numbered(f'"{advice}"', named).strip('"')
    board = None if request.several else _own_board(request)
    player = request.author.player
    if board is None or player is None:
        suggestion = advice or " or ".join(candidates[:3])
        request.outgoing.answers.append(Answer(line, Outcome.FAILED, text, suggestion=suggestion))
        return
    request.outgoing.notices.append(
        notice_of(
            board,
            reader_of(request, player, request.author.seat_shown(board, player)),
            problem=f"{'Not played' if isinstance(error, MoveError) else 'Not done'}: {text}",
            advice=advice,
            nearby=candidates,
            original=redact(original_of(request), request.secrets),
        )
    )


def _is_for_want_of_proof(request: Request, error: Rejected | GameError) -> bool:
    """Whether the command failed only because the mail that is answered proves nothing any more."""
    sender = request.sender
    if sender.flaw is Flaw.LOST and sender.claimed and isinstance(error, UnknownCommand):
        return True
    return sender.flaw is Flaw.VOID and (isinstance(error, NeedsIdentity) or not isinstance(error, NotAllowed))


def _own_board(request: Request) -> OpenBoard | None:
    """The board the mail was about, if its sender has a seat there."""
    token = request.sender.seat
    if request.author.player is None and not request.boards.in_hand and token is not None:
        with suppress(NotAllowed):
            request.author.player = request.boards.load(token.board).match.player(token.seat)
    if request.author.player is None:
        return None
    own = [board for board in request.boards.in_hand if board.match.seat_of(request.author.player.id) is not None]
    return own[-1] if own else None


def original_of(request: Request) -> str:
    """The sender's words, to be quoted: their subject, unless it is one of ours, and their text."""
    subject = strip_subject(request.message.subject)
    shown = "" if is_ours(subject) else subject
    return "\n\n".join(part for part in (shown, request.message.text.strip("\n")) if part)
