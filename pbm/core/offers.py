"""What one player asks the other: a draw, a ply back, a pause."""

from __future__ import annotations

from collections.abc import Callable

from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.core.decisions import move_of, waiting
from pbm.core.request import Request
from pbm.domain.errors import NotAllowed
from pbm.domain.events import Proposed
from pbm.domain.match import Offer, OfferKind, Seat, other

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
