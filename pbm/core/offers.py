"""What one player asks the other, a draw, a ply back or a pause, and what the sender of a command is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pbm.compose import Answer, Outcome
from pbm.compose.pages import wrapped
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.core.decisions import move_of, waiting
from pbm.core.notify import notice_of
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed
from pbm.domain.events import Proposed
from pbm.domain.match import Offer, OfferKind, Seat, State, other

MOST_LISTED = 200
"""Boards of a list; the next ones come by its last line, so that no answer grows beyond 60 kB."""
MOST_DIGITS = 12

Grant = Callable[[Request, OpenBoard, Seat], None]
GRANTS: dict[OfferKind, Grant] = {}
"""What is done when the hearer of an offer accepts it, by what was asked."""

WISHES = {OfferKind.DRAW: "a draw", OfferKind.UNDO: "taking the last ply back", OfferKind.PAUSE: "a pause"}


def grants(kind: OfferKind) -> Callable[[Grant], Grant]:
    """The decorated function does what was asked, once the hearer's seat has agreed."""

    def register(grant: Grant) -> Grant:
        GRANTS[kind] = grant
        return grant

    return register


def ask(board: OpenBoard, seat: Seat, kind: OfferKind) -> None:
    """Ask the opponent for something. Raises: MatchOver; NotAllowed while an offer waits."""
    board.check_running()
    asked = board.match.offer
    if asked is not None and asked.seat == seat:
        opponent = board.match.player(other(seat)).userid
        raise NotAllowed(f"{opponent} has not answered yet what you asked: {WISHES[asked.kind]}.", "reject")
    if asked is not None:
        asker = board.match.player(asked.seat).userid
        raise NotAllowed(f'{asker} asks you for {WISHES[asked.kind]}: answer "accept" or "reject" first.')
    held = waiting(board, seat)
    if held is not None and kind is not OfferKind.PAUSE:
        move = move_of(held)
        raise NotAllowed(f"{move} still waits to be played, and would take back what you ask for.", "cancel")
    board.set_offer(Offer(kind, seat))
    ply = board.last_chosen
    notation = board.match.record[ply - 1].notation if ply else ""
    board.events.append(Proposed(board.match.board, seat, kind, notation, ply))
    decisions.answer_offer(board)


def parted(words: Sequence[str], mark: str) -> tuple[list[str], int | None]:
    """Words without `mark NUMBER` at their end, by which the next part of a list is asked for, and that number."""
    if len(words) > 1 and words[-2].casefold() == mark and words[-1].isdecimal() and len(words[-1]) <= MOST_DIGITS:
        return list(words[:-2]), int(words[-1])
    return list(words), None


def is_full(listed: Sequence[object]) -> bool:
    """There may be more than this list."""
    return len(listed) >= MOST_LISTED


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
    """Tell the sender alone what came of their command: with the board, unless it is mailed to them anyway.

    after: the state to show in place of the present one. passes_on: their comment will be.
    """
    if request.comment and not passes_on:
        what += ' What you wrote was not passed on: "chat" sends it.'
    if board.events and after is None:
        return done(command, what[0].upper() + what[1:])
    scene = after.game.scene(after.position, after.last) if after else None
    request.notices.append(notice_of(board, replace(request.correspondent(), seat=seat), scene=scene, shown=what))
    return None
