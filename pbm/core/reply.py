"""What a mail in hand leads to: refusals, and at the end the mails that tell everybody concerned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from games import GAMES
from games.rules import GameError, MoveError
from pbm.compose import Answer, Outcome
from pbm.compose.pages import plain
from pbm.core.board import OpenBoard
from pbm.core.notify import notice_of, tell_players
from pbm.core.request import Request
from pbm.domain.commands import begins, is_ours
from pbm.domain.consent import introduced
from pbm.domain.errors import NeedsIdentity, NotAllowed, Rejected, UnknownCommand
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail, RemarkKind
from pbm.domain.match import State
from pbm.domain.meaning import sentences
from pbm.domain.verbs import redact, redact_quoted
from pbm.mailin import strip_subject

_VOID = (
    "The mail you answer is void. Answer a newer one of ours; if you have none, write for instance "
    '"show 101" from the address where you get our mails, or put your userid and password into the command.'
)


def refuse(request: Request, line: str, error: Rejected | GameError, *, several: bool = False) -> None:
    """Answer a command that was not carried out.

    With the board, where it was the only command and the sender has a seat there.
    """
    if request.sender.is_void and (isinstance(error, NeedsIdentity) or not isinstance(error, NotAllowed)):
        error = NotAllowed(_VOID)
    request.refusal = error
    board = None if several else _own_board(request)
    suggestion = error.suggestion if isinstance(error, Rejected) else _nearby(error)
    text = redact_quoted(str(error), request.secrets)
    if board is None or request.identified is None:
        request.answers.append(Answer(line, Outcome.FAILED, text, suggestion=suggestion))
        return
    token = request.sender.seat
    seated = token is not None and token.board == board.match.board
    seat = token.seat if token and seated else request.seat_of(board, request.identified)
    request.notices.append(
        notice_of(
            board,
            request.reader(request.identified, seat),
            problem=f"{_heading(error)}: {text}",
            advice=error.suggestion if isinstance(error, Rejected) else "",
            nearby=error.candidates if isinstance(error, MoveError) else (),
            original=redact(_original(request), request.secrets),
        )
    )


def _own_board(request: Request) -> OpenBoard | None:
    """The board the mail was about, if its sender has a seat there."""
    token = request.sender.seat
    if request.identified is None and not request.boards and token is not None:
        request.identified = request.board(token.board).match.player(token.seat)
    if request.identified is None:
        return None
    own = [board for board in request.boards if board.match.seat_of(request.identified.id) is not None]
    return own[-1] if own else None


def _original(request: Request) -> str:
    """What the person wrote, to be quoted: their subject, unless it is one of ours, and their text."""
    subject = strip_subject(request.message.subject)
    shown = "" if is_ours(subject) else subject
    return "\n\n".join(part for part in (shown, request.message.text.strip("\n")) if part)


def mails_of(request: Request) -> list[Mail]:
    """Everything there is to tell, once all commands are through; replies to the sender last."""
    mails = list(request.letters)
    changed = [board for board in request.boards if board.events]
    concerned = {board.match.board for board in changed} | {notice.match.board for notice in request.notices}
    concerned |= {mail.board for mail in mails if mail.board is not None}
    answered = request.message if len(concerned) == 1 else replace(request.message, message_id=None)
    for board in changed:
        comments = request.comments(board.match.board)
        _keep(request, board, comments)
        mails += tell_players(
            request.tx, request.tools, board, comments, request.identified, answered,
            read_as=request.read_as.get(board.match.board, ""), sent_from=request.sent_from,
        )  # fmt: skip
    replies: list[Mail] = []
    for notice in request.notices:
        read_as = request.read_as.get(notice.match.board, "")
        told = replace(notice, read_as=read_as, sent_from=request.sent_from)
        replies += request.tools.composer.notice(told, request.now, answered)
    if request.answers:
        replies += _answer(request)
    return mails + [replace(mail, reply=True) for mail in replies]


def _keep(request: Request, board: OpenBoard, comments: Sequence[CommentMade]) -> None:
    """What a player writes to a board stays among their belongings; what only claims to be theirs does not."""
    if request.identified is not None and not request.is_hearsay:
        for comment in comments:
            board.remark(RemarkKind.COMMENT, request.identified, comment.text)


def _answer(request: Request) -> list[Mail]:
    """A stranger gets nothing of their own mail back: somebody else may have sent it to annoy them."""
    reader, answers = request.correspondent(), request.answers
    known = reader.player is not None
    if not known and isinstance(request.refusal, UnknownCommand) and not begins(answers[-1].line):
        answers = [_greeting(request, answers[-1].line)]
    failed = any(answer.outcome is Outcome.FAILED for answer in answers)
    original = redact(_original(request), request.secrets) if failed and known else ""
    answers = [replace(answer, line=redact(answer.line, request.secrets)) for answer in _bounded(answers)]
    return request.tools.composer.answer(reader, answers, request.now, request.message, original, request.sent_from)


MAX_CHARACTERS = 16_000
"""Of the answers to several commands of one mail, lest it grow beyond 60 kB: a list alone may be as long as that."""


def _bounded(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers, those of them without their text for which there is no room in one mail."""
    room = MAX_CHARACTERS
    for number, answer in enumerate(answers):
        is_too_long = number > 0 and len(answer.text) > max(room, 200)
        yield replace(answer, text=_TOO_LONG) if is_too_long else answer
        room -= 0 if is_too_long else len(answer.text)


_TOO_LONG = "There is no room for this here: send the line in a mail of its own."


def _greeting(request: Request, line: str) -> Answer:
    """What a person gets whose mail holds no command: what this is, a board, and three things to answer with.

    line: what could not be understood; few words may be a command with an error, which is told.
    """
    state, robot = State.start(GAMES["cross"], ("-size=3",)), request.tools.composer.robot.address
    for move in ("C3", "B2", "D3"):
        state, _ = state.play(move)
    board = plain(state)
    wish, said = introduced(request.message.text), sentences(line)
    is_typo = len(line.split()) < 3 and "Did you mean" in str(request.refusal) and said and not wish
    again = "Your answer could not be read. One word is enough: a name you like." if request.sender.address else ""
    problem = str(request.refusal) if is_typo else again
    text = request.page("stranger.txt", robot=robot, board=board, wish=wish, problem=problem)
    return Answer("", Outcome.DONE, text.rstrip("\n"), "pbm: games by mail", is_greeting=True)


def _nearby(error: GameError) -> str:
    """Moves that would do, as a player may write them."""
    return " or ".join(error.candidates[:3]) if isinstance(error, MoveError) else ""


def _heading(error: Rejected | GameError) -> str:
    return "Not played" if isinstance(error, MoveError) else "Not done"
