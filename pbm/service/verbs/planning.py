"""The verb that says what one does if the opponent does this or that."""

from __future__ import annotations

from dataclasses import replace

from pbm.compose import Answer
from pbm.domain import plans
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed, NotFound, NotYourTurn
from pbm.domain.match import Intent, Offer, OfferKind, Seat, other
from pbm.domain.plans import Plan
from pbm.service import holding
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.telling import notice_of
from pbm.service.verbs.playing import NOTHING, tell_sender
from pbm.service.verbs.registry import handles


@handles("plan")
def plan(handling: Handling, command: Command) -> Answer | None:
    command = _with_plies(handling, command)
    table, seat = handling.seated(command)
    table.check_running()
    text = "\n".join(filter(None, (command.args.get("PLAN", ""), command.plan)))
    planned = next((intent for intent in table.intents(seat) if intent.kind in plans.KINDS), None)
    if text and text.casefold() not in NOTHING:
        return _keep(handling, command, table, seat, text)
    if planned is None:
        raise NotFound(f"You have no plan on board {table.match.board}.", "plan if E5: D4; if any: F6")
    if not text:
        _show(handling, table, planned)
        return None
    table.drop(planned)
    return tell_sender(handling, command, table, seat, "you have no plan any more.")


def _with_plies(handling: Handling, command: Command) -> Command:
    """The command; in an answer to a board, of nothing but numbers, the first is a ply, for there moves are numbers."""
    board, plies = command.args.get("BOARD", ""), command.args.get("PLAN", "")
    answers = handling.sender.seat is not None and command.credentials is None
    if not (answers and board and plies and all(map(str.isdecimal, plies.split()))):
        return command
    return replace(command, args={"PLAN": f"{board} {plies}"})


def _keep(handling: Handling, command: Command, table: Table, seat: Seat, text: str) -> Answer | None:
    """Keep a plan in place of an earlier one. Raises: BadArguments, NotYourTurn, NotAllowed."""
    tree = plans.understood(text)
    _check_time(table, seat, tree)
    replaces = any(intent.kind in plans.KINDS for intent in table.intents(seat))
    table.keep_plan(seat, table.check_plan(table.state, seat, tree))
    instead = ", in place of the earlier one" if replaces else ""
    return tell_sender(handling, command, table, seat, f"your plan is kept{instead}.")


def _check_time(table: Table, seat: Seat, tree: Plan) -> None:
    """A plan is for what the opponent does next. Raises: NotYourTurn, NotAllowed."""
    held = holding.waiting(table, seat)
    if held is not None:
        move = holding.move_of(held)
        raise NotYourTurn(f"{move} still waits to be played. To change your plan, send the move once more, with it.")
    if seat == table.state.to_move:
        raise NotYourTurn(
            "It is your turn, and a plan is for what your opponent does then. Send your move, and your plan below it."
        )
    if table.match.offer == Offer(OfferKind.DRAW, other(seat)) and plans.fitting(tree, plans.DRAW):
        userid = table.match.player(other(seat)).userid
        raise NotAllowed(f'{userid} offers a draw already: answer "accept" or "reject".')


def _show(handling: Handling, table: Table, planned: Intent) -> None:
    tree, _ = plans.of(planned)
    reader = replace(handling.correspondent(), seat=planned.seat)
    handling.notices.append(notice_of(table, reader, shown="this is your plan.", plan=tuple(plans.layout(tree))))
