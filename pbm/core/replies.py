"""What the sender of a command is told of it."""

from __future__ import annotations

from dataclasses import replace

from pbm.compose import Answer, Outcome
from pbm.compose.pages import wrapped
from pbm.core.board import OpenBoard
from pbm.core.notify import notice_of
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.match import Seat, State


def done(command: Command, text: str, subject: str = "") -> Answer:
    """The answer to a command that was carried out. text: one line is a sentence and wrapped; more stay as they are."""
    return Answer(command.line, Outcome.DONE, text if "\n" in text else wrapped(text), subject)


def tell_sender(
    request: Request,
    command: Command,
    board: OpenBoard,
    seat: Seat,
    what: str,
    after: State | None = None,
    *,
    passes_on: bool = False,
) -> Answer | None:
    """Tell the sender alone what came of his command: with the board, unless it is mailed to him anyway.

    after: the state to show in place of the present one. passes_on: his comment will be.
    """
    if request.comment and not passes_on:
        what += ' What you wrote was not passed on: "chat" sends it.'
    if board.events and after is None:
        return done(command, what[0].upper() + what[1:])
    scene = after.game.scene(after.position, after.last) if after else None
    request.notices.append(notice_of(board, replace(request.correspondent(), seat=seat), scene=scene, shown=what))
    return None
