"""Who loses a game that goes on beyond the end of its round: time alone decides, so that nobody can hold it up."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbm.domain.match import Match, Seat

EVEN = timedelta(days=1)
"""Up to this difference both have used as much time."""


def time_used(match: Match, to_move: Seat, now: datetime) -> tuple[timedelta, timedelta]:
    """How long each seat has had the move, nights and absences included."""
    used = {1: timedelta(), 2: timedelta()}
    since = match.started_at
    for ply in match.record:
        used[ply.seat] += ply.played_at - since
        since = ply.played_at
    used[to_move] += max(now, since) - since
    return used[1], used[2]


def winner(used: tuple[timedelta, timedelta]) -> Seat | None:
    """The seat that has used less time; None if that is about equal."""
    if abs(used[0] - used[1]) <= EVEN:
        return None
    return 1 if used[0] < used[1] else 2


def reason(match: Match, used: tuple[timedelta, timedelta]) -> str:
    """The clause behind "won" or "drawn"."""
    seat = winner(used)
    if seat is None:
        return "because the round is over and both have used about as much time"
    slow = 3 - seat
    days = [span // EVEN for span in used]
    shown = [f"{number} day{'' if number == 1 else 's'}" for number in days]
    return (
        f"because the round is over and {match.player(slow).userid} has used more time: "
        f"{shown[slow - 1]}, and {match.player(seat).userid} {shown[seat - 1]}"
    )
