"""How reliable a player is: whether he brings his games to an end, and how long he thinks. Apart from his strength."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from pbm.domain.match import Ending, Match, Seat


@dataclass(frozen=True, slots=True)
class Pace:
    """What a player's ended games tell. timeouts: games he lost by forfeit. moves: plies he played himself.

    time: what all of these took, from the ply before, nights and absences included.
    """

    finished: int = 0
    timeouts: int = 0
    moves: int = 0
    time: timedelta = timedelta(0)

    def __add__(self, more: Pace) -> Pace:
        return Pace(
            self.finished + more.finished, self.timeouts + more.timeouts, self.moves + more.moves, self.time + more.time
        )

    def __sub__(self, less: Pace) -> Pace:
        return Pace(
            self.finished - less.finished, self.timeouts - less.timeouts, self.moves - less.moves, self.time - less.time
        )

    @property
    def per_move(self) -> timedelta | None:
        """The mean; None if there was no move."""
        return self.time / self.moves if self.moves else None

    @property
    def shown(self) -> str:
        """The mean time of a move in its largest unit; empty if there was no move."""
        mean = self.per_move
        if mean is None:
            return ""
        minutes = mean / timedelta(minutes=1)
        if minutes < 1:
            return "under 1 min"
        amount, unit = next(
            ((minutes / size, unit) for size, unit in ((1440, "days"), (60, "h")) if minutes >= size),
            (minutes, "min"),
        )
        return f"{amount:.1f} {unit}" if unit == "days" else f"{amount:.0f} {unit}"


def pace_of(match: Match, seat: Seat) -> Pace:
    """What one match tells of a seat; nothing while it goes on, if it was void, and if one played against oneself."""
    first, second = match.players
    if match.result is None or match.result.ending is Ending.VOID or first.id == second.id:
        return Pace()
    instants = [match.started_at, *(ply.played_at for ply in match.record)]
    own = [
        later - earlier
        for ply, (earlier, later) in zip(match.record, pairwise(instants), strict=True)
        if ply.seat == seat and not ply.auto
    ]
    lost_by_forfeit = match.result.ending is Ending.FORFEIT and match.result.winner == 3 - seat
    return Pace(1, int(lost_by_forfeit), len(own), sum(own, timedelta(0)))
