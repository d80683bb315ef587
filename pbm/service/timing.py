"""What stops clocks and lets them go on, and what happens to a board when its time has come.

An instant that was worked out for a board may be overtaken: by an outage, after which everybody has more time. So
whatever falls due is looked at anew, and put off if its time has not come after all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import Clock
from pbm.domain.due import reminder_at, with_clock
from pbm.domain.events import ClocksPaused, ClocksResumed, TimeClaimed, TimeUp
from pbm.domain.match import Ending, IntentKind, Player, Result, Seat, other
from pbm.service.reminding import plan_reminder
from pbm.service.tables import Table
from pbm.service.telling import Limits, Tools, tell_players
from pbm.store import Transaction

log = structlog.get_logger()

_INSTANT = timedelta(microseconds=1)
_YEAR = timedelta(days=365)


def attend(tx: Transaction, tools: Tools, board: int, now: datetime) -> None:
    """Do what a board needs the server for: remind, call the time, end a pause that was long enough, or the game."""
    table = Table.load(tx, tools.states, board, now)
    clock = table.match.clock
    if clock is None:
        tx.matches.put_off(board, None)
        return
    if clock.paused:
        resume(table, None)
    elif clock.overrun_at is not None:
        claim(table, waited=True)
    elif clock.expired(now, table.match.calendars):
        call_time(table, tools.limits)
    else:
        _remind(table, clock)
    if table.events:
        tx.outbox.add(tell_players(tx, tools, table), now)


def _remind(table: Table, clock: Clock) -> None:
    fresh, now = clock.refreshed(table.match.calendars), table.now
    due_at = reminder_at(table.match, fresh, (clock.due_at or now) - _INSTANT)
    if due_at is not None and due_at <= now:
        plan_reminder(table.tx, table.match.player(clock.seat), table.match.board, now)
    table.set_clock(fresh)


def call_time(table: Table, limits: Limits) -> None:
    """The time of the player to move is up; before his own first move, the game is void.

    In an event both is a loss at once, so that nobody's choice holds up a round. Who has sent a move that still waits
    was in time, though his nights or vacations have changed since: it is played first.
    """
    match, clock, now = table.match, table.match.clock, table.now
    assert clock is not None  # noqa: S101  who calls has seen it
    if any(intent.kind is IntentKind.HOLD for intent in table.intents(clock.seat)):
        table.tx.agenda.put(IntentKind.HOLD, f"{match.board}:{clock.seat}", min(now, clock.due_at or now) - _INSTANT)
        return
    late = match.player(clock.seat)
    if match.event:
        table.end(
            Result(Ending.FORFEIT, other(clock.seat), "on time"), TimeClaimed(match.board, clock.seat, waited=True)
        )
        return
    if all(ply.seat != clock.seat for ply in match.record):
        result = Result(Ending.VOID, None, f"{late.userid} did not make his first move in time")
        table.end(result, TimeUp(match.board, clock.seat, no_show=True))
        return
    over = clock.charged(now, match.calendars)
    due_at = now + timedelta(days=limits.claim_days)
    table.set_clock(replace(over, deadline_at=clock.deadline(match.calendars), overrun_at=now, due_at=due_at))
    table.events.append(TimeUp(match.board, clock.seat))


def claim(table: Table, *, draw: bool = False, waited: bool = False) -> None:
    """End a game whose time is up. draw: as its opponent wishes; waited: he has not said what he wishes."""
    match, clock = table.match, table.match.clock
    assert clock is not None  # noqa: S101  who calls has seen it
    late, seat = clock.seat, other(clock.seat)
    reason = f"on time, as {match.player(seat).userid} chose" if draw else "on time"
    result = Result(Ending.FORFEIT, None if draw else seat, reason)
    table.end(result, TimeClaimed(match.board, late, draw, waited))


def pause(table: Table, seat: Seat, limits: Limits) -> None:
    """The seat agrees to what its opponent asked: the clocks stand still, for so long at most."""
    clock, now = table.match.clock, table.now
    assert clock is not None  # noqa: S101  nothing else is asked for
    table.set_offer(None)
    paused = clock.with_pause(True, now, table.match.calendars)
    table.set_clock(replace(paused, due_at=now + timedelta(days=limits.pause_days)))
    table.events.append(ClocksPaused(table.match.board, seat))


def resume(table: Table, seat: Seat | None) -> None:
    """The clocks go on from where they stopped. seat: who wished it; None for the server."""
    clock = table.match.clock
    assert clock is not None  # noqa: S101  who calls has seen it
    table.set_clock(clock.with_pause(False, table.now, table.match.calendars))
    table.events.append(ClocksResumed(table.match.board, seat))


@contextmanager
def calendar_changing(tx: Transaction, player_id: int, now: datetime, tables: Iterable[Table] = ()) -> Iterator[None]:
    """Around a change of when a player's clocks run: until now they run by what was, then by what is.

    tables: boards that are in hand already.
    """
    boards = tx.matches.ticking(player_id)
    for board in boards:
        match = tx.matches.load(board)
        if match is not None and match.clock is not None:
            tx.matches.set_clock(board, match.clock.charged(now, match.calendars))
    tx.matches.forget()
    yield
    for board in boards:
        match = tx.matches.load(board)
        if match is not None and match.clock is not None:
            clock = with_clock(match, match.clock.refreshed(match.calendars), now).clock
            assert clock is not None  # noqa: S101  it was there
            tx.matches.set_clock(board, clock)
    tx.matches.forget()
    for table in tables:
        table.renew()


def heard_from(tx: Transaction, player: Player, sender: str, now: datetime, tables: Iterable[Table] = ()) -> None:
    """The player has written from an address of his, so mail gets to him again, should that have been in doubt."""
    if tx.bounces.alive(player.id, sender):
        note_reach(tx, player, 0, now, tables)


def note_reach(tx: Transaction, player: Player, days: int, now: datetime, tables: Iterable[Table] = ()) -> None:
    """A player's clocks stand still while no mail gets to him, so many days within a year; call it when that changes.

    Who lets mail come back again and again has no more time by it.
    """
    known = [each.stop for each in tx.absences.of(player.id, StopKind.UNREACHABLE, now - _YEAR)]
    left = timedelta(days=days) - sum(((stop.ends_at or now) - stop.starts_at for stop in known), timedelta())
    open_ = [each for each in tx.absences.of(player.id, StopKind.UNREACHABLE, now) if each.stop.holds(now)]
    unreachable = tx.players.unreachable(player.id)
    if unreachable == bool(open_):
        return
    with calendar_changing(tx, player.id, now, tables):
        for absence in open_:
            tx.absences.end(absence, now)
        if unreachable and left > timedelta():
            tx.absences.add(player.id, Stop(StopKind.UNREACHABLE, now, now + left))
