"""A ply and what follows it: a seat's decisions for later (plans, held moves), and its questions to the other seat.

A plan is followed as soon as the ply it waits for is played. A held move is checked when it is sent; until its time
nobody else hears of it or of the words sent with it, so that its player can take it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING

from games.rules import GameError
from pbm.core.board import OpenBoard
from pbm.core.bus import registers
from pbm.core.robots import is_robot
from pbm.domain import plans
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected
from pbm.domain.events import IntentDropped, Proposed
from pbm.domain.mail import RemarkKind
from pbm.domain.match import SWAP, Intent, IntentKind, Offer, OfferKind, Seat, State, other
from pbm.domain.plans import Plan
from pbm.domain.spans import OFF, read_duration

if TYPE_CHECKING:  # it brings the reading of mails, and to play a move takes none
    from pbm.core.request import Request

MAX_SECONDS_OF_A_PLAN = 1.0
"""Processor time that checking a plan may take: in late positions of Polygon one ply takes some hundredths."""
_IN_TIME = timedelta(seconds=1)
"""A held move is played at least this long before its player's time is up."""


def play_ply(
    board: OpenBoard,
    seat: Seat,
    text: str,
    guard: int | None = None,
    plan: Plan = (),
    decided_at: datetime | None = None,
) -> str:
    """Play one ply, and whatever the players have decided to do after it; returns the ply's notation.

    plan: what the seat will do next. decided_at: when its clock stopped, if not just now.
    Raises: as try_play; BadArguments for a faulty plan.
    """
    state, notation = board.try_play(seat, text, guard)
    checked = check_plan(board, state, seat, plan)
    board.add_ply(state, notation, decided_at=decided_at)
    if checked:
        keep_plan(board, seat, checked)
    # The move was legal, so it counts; only what was to follow has no game left.
    elif plan:
        reason, text = "The game is over.", plans.write(plan)
        board.events.append(IntentDropped(board.match.board, seat, IntentKind.PLAN, text, reason))
    while _go_on(board):
        pass
    return notation


def check_plan(board: OpenBoard, state: State, seat: Seat, plan: Plan) -> Plan:
    """The plan of the seat, for a state, in canonical form; empty if the game is over then. Raises: BadArguments."""
    if not plan or state.outcome is not None:
        return ()
    # In Dots and Boxes a closed box gives another move.
    if state.to_move == seat:
        raise BadArguments(
            "You move again then, and a plan is for your opponent's next move: send it with your last move."
        )
    patience = thread_time() + MAX_SECONDS_OF_A_PLAN
    return plans.check(state, plan, board.match.player(other(seat)).userid, lambda: thread_time() > patience)


def keep_plan(board: OpenBoard, seat: Seat, plan: Plan) -> None:
    """Store a plan in place of an earlier one. It holds for the next ply only."""
    for intent in board.intents.of(seat):
        if intent.kind in plans.KINDS:
            board.intents.drop(intent)
    board.intents.keep(Intent(seat, IntentKind.PLAN, f"{plans.write(plan)}#{board.next_ply}"))


def _go_on(board: OpenBoard) -> bool:
    """Do what the player to move has decided for this turn, or else the move they are forced to make.

    Returns False if there is neither. A queued move waits for a turn in which there is a choice.
    """
    if board.match.result is not None:
        return False
    mine, forced = {intent.kind: intent for intent in board.intents.of(board.state.to_move)}, board.state.forced
    # A resignation waits for its player's turn, and goes before whatever else they had decided.
    if IntentKind.RESIGN in mine:
        board.resign(board.state.to_move)
        return True
    intent = mine.get(IntentKind.PLAN) or (mine.get(IntentKind.QUEUE) if forced is None else None)
    if intent is not None:
        _follow(board, intent)
        return True
    if forced is not None:
        board.add_ply(*board.state.play(forced), forced=True)
    return forced is not None


def _follow(board: OpenBoard, intent: Intent) -> None:
    """Answer the last ply as planned, if that is legal now; the rest of the plan stays."""
    board.intents.drop(intent)
    where = ""
    try:
        plan, ply = plans.of(intent)
        played = _plies_to_answer(board, intent, ply)
        branch = plans.fitting(plan, plans.TOGETHER.join(played))
        # A plan that does not fit is dropped: later it would answer another position than it was made for.
        if branch is None:
            raise NotFound(f"{_just_played(board, played)}, and it has no answer to that.")
        where = f'In "{plans.head(branch)}": ' if intent.kind is IntentKind.PLAN else ""
        if branch.answer == plans.RESIGN:
            board.resign(intent.seat)
            return
        _, answers = plans.turn(board.state, branch.answer)
        state, notation = board.try_play(intent.seat, answers[0])
    # The position may have changed since the plan was checked; the opponent's move stands in any case.
    except (Rejected, GameError) as error:
        reason = f"{_just_played(board, played)}. {where}{error}" if where else str(error)
        board.events.append(IntentDropped(board.match.board, intent.seat, intent.kind, intent.text, reason))
        return
    board.add_ply(state, notation, by=intent.kind)
    for answer in answers[1:]:
        board.add_ply(*board.try_play(intent.seat, answer), by=intent.kind)
    # "any" was written for no position, so what it goes on with is judged by the one that came.
    then = plans.settled(board.state, branch.then) if branch.condition == plans.ANY else branch.then
    if then and board.match.result is None:
        keep_plan(board, intent.seat, then)


def _plies_to_answer(board: OpenBoard, intent: Intent, ply: int | None) -> tuple[str, ...]:
    """The plies that an intent for this one answers. Raises: as OpenBoard.check_running."""
    notations = board.match.record.notations
    # Several, if the other side moved more than once.
    if intent.kind is IntentKind.PLAN and ply is not None and ply <= len(notations):
        return notations[ply - 1 :]
    board.check_running(ply and ply + 1, intent.text.partition("#")[0])
    return notations[-1:]


def _just_played(board: OpenBoard, played: Sequence[str]) -> str:
    """The clause that says who has just played these plies, without a full stop."""
    userid = board.match.player(board.match.record[-1].seat).userid
    return f"{userid} swapped sides" if played[-1] == SWAP else f"{userid} played {plans.TOGETHER.join(played)}"


def answer_offer(board: OpenBoard) -> None:
    """Answer an open draw offer, if its hearer has planned how."""
    offer = board.match.offer
    if offer is None or offer.kind is not OfferKind.DRAW:
        return
    hearer = other(offer.seat)
    intent = board.intents.find(hearer, IntentKind.PLAN)
    if intent is None:
        return
    branch = plans.answer_to_offer(intent, board.next_ply)
    if branch is None:
        return
    if branch.answer == plans.REJECT:
        board.reject_offer(hearer)
        return
    board.intents.drop(intent)
    if branch.answer == plans.ACCEPT:
        board.agree(hearer)
    else:
        board.resign(hearer)


def until(request: Request, board: OpenBoard, seat: Seat) -> datetime | None:
    """When a move sent now is to be played; None for at once."""
    chosen = board.match.settings[seat - 1].hold
    if chosen == OFF:
        return None
    latest = request.now + timedelta(microseconds=read_duration(chosen))
    clock = board.match.clock
    # Nobody may lose on time with a move that was sent in time.
    if clock is not None and clock.deadline_at is not None and clock.seat == seat:
        latest = min(latest, clock.deadline_at - _IN_TIME)
    # No time is left to take it back in.
    return latest if latest > request.now else None


def hold(
    request: Request, board: OpenBoard, seat: Seat, text: str, guard: int | None, plan: Plan, at: datetime
) -> tuple[str, tuple[str, ...]]:
    """Hold a move until its time, in place of an earlier one; returns a sentence on it, and the ply that waits, if any.

    text: a move, or `resign`. Raises: as OpenBoard.try_play, and as check_plan.
    """
    if text == plans.RESIGN:
        board.check_running(guard)
        notation = text
    else:
        state, notation = board.try_play(seat, text, guard)
        plan = check_plan(board, state, seat, plan)
    below = f"\n{plans.write(plan)}" if plan else ""
    comment = "\n".join(comment.text for comment in request.comments(board.match.board))
    earlier = board.intents.find(seat, IntentKind.HOLD)
    board.intents.keep(Intent(seat, IntentKind.HOLD, f"{notation}#{board.next_ply}{below}", comment, until=at))
    instead = f" It takes the place of {move_of(earlier)}." if earlier is not None else ""
    if text == plans.RESIGN:
        return f"you have not resigned yet.{instead}", ()
    return f"{notation} is not played yet. The board shows what it will lead to.{instead}", (notation,)


def move_of(intent: Intent) -> str:
    """A held move, as its player knows it."""
    move = intent.text.partition("\n")[0].rpartition("#")[0]
    return "your resignation" if move == plans.RESIGN else move


Grant = Callable[["Request", OpenBoard, Seat], None]
GRANTS: dict[OfferKind, Grant] = {}
"""What is done when the hearer accepts an offer, by its kind."""

WISHES = {OfferKind.DRAW: "a draw", OfferKind.UNDO: "a takeback", OfferKind.PAUSE: "a pause"}


grants = partial(registers, GRANTS)
"""The decorated function does what was asked, once the hearer has agreed; it is given the hearer's seat."""


def ask(board: OpenBoard, seat: Seat, kind: OfferKind) -> None:
    """Ask the opponent for something. A robot gives a ply back at once, with its own answer to it.

    Raises: MatchOver; NotAllowed while an offer waits, or where there is nothing to take back.
    """
    board.check_running()
    offer, opponent = board.match.offer, board.match.player(other(seat))
    if offer is not None and offer.seat == seat:
        raise NotAllowed(f"You have asked {opponent.userid} for {WISHES[offer.kind]} already.")
    if offer is not None:
        raise NotAllowed(f'{opponent.userid} asks you for {WISHES[offer.kind]}: answer "accept" or "reject" first.')
    intent = board.intents.find(seat, IntentKind.HOLD)
    # The held move cancels any offer when it is played.
    if intent is not None and kind is not OfferKind.PAUSE:
        raise NotAllowed(f"{move_of(intent)} still waits to be played, and would take back what you ask for.", "cancel")
    ply = board.match.last_chosen(seat)
    if kind is OfferKind.UNDO and not ply:
        raise NotAllowed("You have played nothing yet that could be taken back.")
    # A robot would have no reason to refuse, and nobody reads the question.
    if kind is OfferKind.UNDO and is_robot(board.tx, opponent):
        board.take_back(seat)
        return
    board.set_offer(Offer(kind, seat, board.now))
    notation = board.match.record.notations[ply - 1] if ply else ""
    board.events.append(Proposed(board.match.board, seat, kind, notation, ply))
    answer_offer(board)


def check_plain(board: OpenBoard, seat: Seat, since: datetime | None, answers: str) -> None:
    """Check that the seat's bare yes or no answers the open question, and not words that players wrote after it.

    answers: a sentence that names the clear answers. Raises: BadArguments.
    """
    remarks = board.tx.remarks.of(RemarkKind.COMMENT, board.match.board)
    # "Yes" may answer "are you well?".
    if since is not None and any(remark.written_at > since for remark in remarks):
        raise BadArguments(
            "There were words on this board after that question, and yours may answer them, so nothing is done. "
            f'{answers} To write to {board.match.player(other(seat)).userid}, begin with "chat".'
        )
