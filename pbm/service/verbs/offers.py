"""Verbs that ask the opponent for his consent, and that give or refuse it."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.events import Proposed
from pbm.domain.match import Offer, OfferKind, Seat, other
from pbm.service import holding
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.timing import pause
from pbm.service.verbs.choices import accept_challenges
from pbm.service.verbs.registry import handles

WISHES = {OfferKind.DRAW: "a draw", OfferKind.UNDO: "taking the last ply back", OfferKind.PAUSE: "a pause"}


@handles("propose")
def propose(handling: Handling, command: Command) -> Answer | None:
    ask(*handling.seated(command), OfferKind.DRAW)
    return None


@handles("undo")
def undo(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    table.check_running()
    if not table.match.record:
        raise NotAllowed("There is nothing to take back yet.")
    ask(table, seat, OfferKind.UNDO)
    return None


def ask(table: Table, seat: Seat, kind: OfferKind) -> None:
    """Ask the opponent for something. Raises: MatchOver; NotAllowed while an offer waits."""
    table.check_running()
    waiting = table.match.offer
    if waiting is not None and waiting.seat == seat:
        opponent = table.match.player(other(seat)).userid
        raise NotAllowed(f"{opponent} has not answered yet what you asked: {WISHES[waiting.kind]}.", "reject")
    if waiting is not None:
        asker = table.match.player(waiting.seat).userid
        raise NotAllowed(f'{asker} asks you for {WISHES[waiting.kind]}: answer "accept" or "reject" first.')
    held = holding.waiting(table, seat)
    if held is not None and kind is not OfferKind.PAUSE:
        move = holding.move_of(held)
        raise NotAllowed(f"{move} still waits to be played, and would take back what you ask for.", "cancel")
    table.set_offer(Offer(kind, seat))
    notation = table.match.record[-1].notation if table.match.record else ""
    table.events.append(Proposed(table.match.board, seat, kind, notation))
    table.answer_offer()


@handles("accept")
def accept(handling: Handling, command: Command) -> Answer | None:
    if _is_of_game(handling, command):
        return accept_challenges(handling, command, accepts=True)
    table, seat, offer = _answered(handling, command)
    if offer.seat == seat and table.match.player(other(seat)).id != table.match.player(seat).id:
        raise NotAllowed(f"You asked for {WISHES[offer.kind]} yourself; your opponent must answer.")
    if offer.kind is OfferKind.UNDO:
        table.take_back(seat)
        return None
    if offer.kind is OfferKind.PAUSE:
        pause(table, seat, handling.tools.limits)
        return None
    table.agree(seat)
    return None


@handles("reject")
def reject(handling: Handling, command: Command) -> Answer | None:
    """Who rejects what he asked himself takes it back."""
    if _is_of_game(handling, command):
        return accept_challenges(handling, command, accepts=False)
    table, seat, offer = _answered(handling, command)
    if offer.seat == seat:
        table.cancel_offer()
    else:
        table.reject_offer(seat)
    return None


def _is_of_game(handling: Handling, command: Command) -> bool:
    """The command is about the challenges of a game, not about a board."""
    if "BOARD" in command.args or "MOVE" in command.args:
        return False
    return handling.sender.board is None or command.credentials is not None


def _answered(handling: Handling, command: Command) -> tuple[Table, Seat, Offer]:
    """The board and the offer that waits on it. Raises: NotFound, NotAllowed, MatchOver, Stale."""
    table, seat = handling.seated(command)
    table.check_running()
    if table.match.offer is None:
        raise NotFound(f"Nobody has asked for anything on board {table.match.board}.")
    return table, seat, table.match.offer
