"""The clocks of boards: that somebody's time is up, what comes of it, and when clocks stand still or run again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from pbm.core.board import OpenBoard, set_clocks
from pbm.core.bus import Reload
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import Clock
from pbm.domain.configuration import HouseRules
from pbm.domain.events import ClocksResumed, TimeClaimed, TimeoutUndone, TimeUp
from pbm.domain.match import Ending, IntentKind, Match, Player, Result, Seat, other
from pbm.store import Transaction

_INSTANT, _YEAR = timedelta(microseconds=1), timedelta(days=365)
FREE_NO_SHOWS, NO_SHOWS_WITHIN = 2, timedelta(days=90)
"""First moves that a player may miss within such a time; if they miss more, they lose those games."""
_ON_TIME = "on time"
_NO_SHOW = "did not make their first move in time"
"""How the reason of a result begins, or how it ends, if time was up."""


def call_time(board: OpenBoard, clock: Clock, house: HouseRules) -> None:
    """Declare that the time of the player to move is up; before their own first move, the game is void.

    In a tournament they lose at once in either case, so that no opponent's choice holds up a round. A player with a
    held move was in time, even if their nights or vacations have changed since: the move is played first.
    """
    match, now = board.match, board.now
    if board.intents.find(clock.seat, IntentKind.HOLD):
        board.tx.agenda.put(IntentKind.HOLD, f"{match.board}:{clock.seat}", min(now, clock.due_at or now) - _INSTANT)
        return
    late = match.player(clock.seat)
    if match.tournament:
        board.end(
            Result(Ending.FORFEIT, other(clock.seat), _ON_TIME), TimeClaimed(match.board, clock.seat, waited=True)
        )
        return
    no_show = f"{late.userid} {_NO_SHOW}"
    # They may never have seen the board, so nobody wins it; but a habit of that wastes others' time.
    if clock.seat not in match.record.seats:
        result = Result(Ending.VOID, None, no_show)
        if board.tx.matches.voided_since(late.id, no_show, now - NO_SHOWS_WITHIN) >= FREE_NO_SHOWS:
            reason = f"{_ON_TIME}: {late.userid} has let first moves pass before"
            result = Result(Ending.FORFEIT, other(clock.seat), reason)
        board.end(result, TimeUp(match.board, clock.seat))
        return
    over = clock.charged(now, match.calendars)
    due_at = now + timedelta(days=house.claim_days)
    board.set_clock(over._replace(deadline_at=clock.deadline(match.calendars), overrun_at=now, due_at=due_at))
    board.events.append(TimeUp(match.board, clock.seat))


def end_on_time(board: OpenBoard, clock: Clock, *, draw: bool = False, waited: bool = False) -> None:
    """End a game whose time is up. draw: the opponent chose a draw. waited: the opponent did not choose in time."""
    match, late, seat = board.match, clock.seat, other(clock.seat)
    reason = f"{_ON_TIME}, as {match.player(seat).userid} chose" if draw else _ON_TIME
    result = Result(Ending.FORFEIT, None if draw else seat, reason)
    board.end(result, TimeClaimed(match.board, late, draw, waited))


def undo_timeout(board: OpenBoard) -> None:
    """Take back that somebody's time was up; the turn begins again, with the time left at the last move."""
    undone = TimeoutUndone(board.match.board)
    if board.match.result is None:
        board.set_clock(board.clock_anew())
        board.events.append(undone)
    else:
        board.reopen(undone)


def is_timed_out(match: Match) -> bool:
    """Whether somebody's time is up, or was and nothing else has ended the game."""
    if match.result is None:
        return match.clock is not None and match.clock.overrun_at is not None
    lost = match.result.ending is Ending.FORFEIT and match.result.reason.startswith(_ON_TIME)
    return lost or (match.result.ending is Ending.VOID and match.result.reason.endswith(_NO_SHOW))


def let_run(board: OpenBoard, seat: Seat | None) -> None:
    """Let the clocks go on from where they stopped. seat: the one that asked for it; None for the server."""
    clock = board.match.clock
    assert clock is not None  # noqa: S101  every caller has checked
    board.set_clock(clock.with_pause(False, board.now, board.match.calendars))
    board.events.append(ClocksResumed(board.match.board, seat))


@contextmanager
def calendar_changing(tx: Transaction, player_id: int, reloads: Iterable[Reload]) -> Iterator[None]:
    """The context of a change of the times when a player's clocks run: until now they run by the old times.

    reloads: of the boards in hand, which must read the change.
    """
    numbers = tx.matches.ticking(player_id)
    set_clocks(tx, numbers, lambda match, clock: clock.charged(tx.now, match.calendars))
    yield
    set_clocks(tx, numbers, lambda match, clock: clock.refreshed(match.calendars))
    for reload in reloads:
        reload()


def note_reach(tx: Transaction, player: Player, days: int, reloads: Iterable[Reload] = ()) -> None:
    """Stop a player's clocks if no mail reaches them any more, or let them go on; call it whenever that may change.

    days: how many days a year the clocks may stop for this, so that nobody gains time by letting mail bounce for ever.
    """
    absences = tx.absences.of(player.id, StopKind.UNREACHABLE, tx.now - _YEAR)
    stops = [absence.stop for absence in absences]
    left = timedelta(days=days) - sum(((stop.ends_at or tx.now) - stop.starts_at for stop in stops), timedelta())
    lasting = [absence for absence in absences if absence.stop.holds(tx.now)]
    unreachable = tx.players.unreachable(player.id)
    if unreachable == bool(lasting):
        return
    with calendar_changing(tx, player.id, reloads):
        for absence in lasting:
            tx.absences.end(absence, tx.now)
        # Beyond so many days a year their clocks run, whether mail reaches them or not.
        if unreachable and left > timedelta():
            tx.absences.add(player.id, Stop(StopKind.UNREACHABLE, tx.now, tx.now + left))
