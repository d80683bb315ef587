"""Moves that wait a while before they are played, for players who have chosen to be able to take them back.

A move is checked when it is sent. Until its time nobody else hears of it, nor of what was written with it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pbm.core.board import OpenBoard
from pbm.core.request import Request
from pbm.domain import plans
from pbm.domain.durations import read_duration
from pbm.domain.match import Intent, IntentKind, Seat, State
from pbm.domain.plans import Plan
from pbm.domain.reminders import OFF

_IN_TIME = timedelta(seconds=1)
"""How long before its player's time is up a move is played at the latest."""


def waiting(board: OpenBoard, seat: Seat) -> Intent | None:
    """The move of the seat that waits."""
    return next((intent for intent in board.intents(seat) if intent.kind is IntentKind.HOLD), None)


def until(request: Request, board: OpenBoard, seat: Seat) -> datetime | None:
    """When a move sent now is to be played; None for at once."""
    chosen = board.match.settings[seat - 1].hold
    if chosen == OFF:
        return None
    latest = request.now + timedelta(microseconds=read_duration(chosen))
    clock = board.match.clock
    if clock is not None and clock.deadline_at is not None and clock.seat == seat:
        latest = min(latest, clock.deadline_at - _IN_TIME)
    return latest if latest > request.now else None


def hold(
    request: Request, board: OpenBoard, seat: Seat, text: str, guard: int | None, plan: Plan, at: datetime
) -> tuple[str, State]:
    """Keep a move until its time, in place of one that waits; returns a sentence on it and the state it leads to.

    text: a move, or resign. Raises: as OpenBoard.play.
    """
    if text == plans.RESIGN:
        board.check_running(guard)
        state, notation = board.state, text
    else:
        state, notation = board.try_play(seat, text, guard)
        plan = board.check_plan(state, seat, plan)
    below = f"\n{plans.write(plan)}" if plan else ""
    comment = "\n".join(comment.text for comment in request.comments(board.match.board))
    earlier = waiting(board, seat)
    board.keep(Intent(seat, IntentKind.HOLD, f"{notation}#{board.next_ply}{below}", comment, until=at))
    instead = f" It takes the place of {move_of(earlier)}." if earlier is not None else ""
    if text == plans.RESIGN:
        return f"you have not resigned yet.{instead}", state
    return f"{notation} is not played yet. The board shows what it will lead to.{instead}", state


def move_of(intent: Intent) -> str:
    """The move that waits, as its player knows it."""
    move = intent.text.partition("\n")[0].rpartition("#")[0]
    return "your resignation" if move == plans.RESIGN else move
