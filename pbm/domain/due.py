"""When a board needs the server by itself: to remind the player to move, or because his time is up."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from pbm.domain.clock import Clock
from pbm.domain.match import Match
from pbm.domain.reminders import next_reminder

LOOK_AGAIN = timedelta(minutes=15)
"""How often to look whether a clock runs that an outage has stopped."""


def with_clock(match: Match, clock: Clock | None, now: datetime) -> Match:
    """The match with its clock changed, and due at its next reminder or deadline.

    A clock that is paused or has run out keeps when it is due.
    """
    if clock is None or clock.paused or clock.overrun_at is not None:
        return replace(match, clock=clock)
    stopped = clock.control.timed and clock.deadline_at is None
    due = [
        at for at in (clock.deadline_at, reminder_at(match, clock, now), now + LOOK_AGAIN if stopped else None) if at
    ]
    return replace(match, clock=replace(clock, due_at=min(due, default=None)))


def reminder_at(match: Match, clock: Clock, now: datetime) -> datetime | None:
    """When the player to move is to be reminded next, after now; None for not at all. clock: as it will be."""
    ladder = match.settings[clock.seat - 1].remind
    return next_reminder(ladder, match.moved_at, clock.deadline_at, clock.control.nag, now)
