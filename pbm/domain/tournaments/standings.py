"""How the entrants of a tournament stand: by points, and where these are equal by exact tie-breaks.

A player who has a bye, or wins because the opponent has left, has met nobody; in the tie-breaks they count as if they
had met somebody with as many points as they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from fractions import Fraction

from games.rules import counted
from pbm.domain.calendars import Calendar
from pbm.domain.match import Match, Seat
from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout, Entrant


class TieBreak(StrEnum):
    """As the columns of a table call them."""

    DIRECT = "Direct"
    BUCHHOLZ = "Buchholz"
    SONNEBORN_BERGER = "S-B"


ROBIN = (TieBreak.DIRECT, TieBreak.SONNEBORN_BERGER)
SWISS = (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT)
"""In the order they are asked."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant in the standings."""

    rank: int
    """Who is equal in all has the same."""
    entrant: Entrant
    points: Fraction
    won: int
    drawn: int
    lost: int
    tie_breaks: tuple[Fraction, ...]
    """In their order, in points."""


def standings(seeded: Sequence[Entrant], bouts: Iterable[Bout], tie_breaks: Sequence[TieBreak]) -> list[Line]:
    """The best first; of equals, the one who is seeded higher. What still goes on counts for nobody yet."""
    table = _Table.of(seeded, bouts)
    groups = _split([list(seeded)], lambda _, each: table.points[each])
    found: dict[Entrant, list[Fraction]] = {entrant: [] for entrant in seeded}
    for tie_break in tie_breaks:
        measure = _MEASURES[tie_break]
        for group in groups:
            for entrant in group:
                found[entrant].append(measure(table, group, entrant))
        groups = _split(groups, lambda _, each: found[each][-1])
    lines: list[Line] = []
    for group in groups:
        rank = len(lines) + 1
        lines += [table.line(rank, entrant, tuple(found[entrant])) for entrant in group]
    return lines


Group = list[Entrant]
Measure = Callable[["_Table", Group, Entrant], Fraction]


def _split(groups: Iterable[Group], measure: Callable[[Group, Entrant], Fraction]) -> list[Group]:
    """Each group in groups of equals, the larger first; the order of equals stays."""
    parts: list[Group] = []
    for group in groups:
        values = {each: measure(group, each) for each in group}
        parts += [[each for each in group if values[each] == value] for value in sorted(set(values.values()))[::-1]]
    return parts


@dataclass(frozen=True, slots=True)
class _Table:
    """bouts: of each entrant, those that are over. points: of everybody who took part, also of who has left."""

    bouts: Mapping[Entrant, Sequence[Bout]]
    points: Mapping[Entrant, Fraction]

    @classmethod
    def of(cls, seeded: Iterable[Entrant], bouts: Iterable[Bout]) -> _Table:
        own: dict[Entrant, list[Bout]] = {entrant: [] for entrant in seeded}
        for bout in bouts:
            for entrant in bout.entrants if bout.points is not None else ():
                own.setdefault(entrant, []).append(bout)
        return cls(own, {each: Fraction(sum(b.score(each) for b in mine), 2) for each, mine in own.items()})

    def line(self, rank: int, entrant: Entrant, tie_breaks: tuple[Fraction, ...]) -> Line:
        scores = [bout.score(entrant) for bout in self.bouts[entrant] if bout.second is not None]
        won, drawn, lost = (scores.count(score) for score in (WIN, DRAW, LOSS))
        return Line(rank, entrant, self.points[entrant], won, drawn, lost, tie_breaks)

    def met(self, bout: Bout, entrant: Entrant) -> Fraction:
        """The points of the opponent."""
        opponent = bout.opponent(entrant)
        return self.points[opponent] if bout.played and opponent is not None else self.points[entrant]


def _buchholz(table: _Table, _group: Group, entrant: Entrant) -> Fraction:
    """The points of all one has met."""
    return sum((table.met(bout, entrant) for bout in table.bouts[entrant]), Fraction())


def _sonneborn_berger(table: _Table, _group: Group, entrant: Entrant) -> Fraction:
    """The points of all one has beaten, and half of those of whom one has drawn."""
    beaten = (Fraction(bout.score(entrant), 2) * table.met(bout, entrant) for bout in table.bouts[entrant])
    return sum(beaten, Fraction())


def _direct(table: _Table, group: Group, entrant: Entrant) -> Fraction:
    """The points from bouts within a group of equals, if all of them have met."""
    others = set(group)
    within = {each: [b for b in table.bouts[each] if {b.first, b.second} <= others] for each in group}
    complete = all(len({bout.opponent(each) for bout in mine}) == len(group) - 1 for each, mine in within.items())
    return Fraction(sum(bout.score(entrant) for bout in within[entrant]), 2) if complete else Fraction()


_MEASURES: Mapping[TieBreak, Measure] = {
    TieBreak.DIRECT: _direct,
    TieBreak.BUCHHOLZ: _buchholz,
    TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
}


EVEN = timedelta(days=1)
"""Up to this difference both have used as much time."""


def time_used(match: Match, to_move: Seat, now: datetime, counted: Calendar) -> tuple[timedelta, timedelta]:
    """How long each seat has had the move, nights and absences included. counted: which time counts for all."""
    used = {1: timedelta(), 2: timedelta()}
    since = match.started_at
    for seat, until in (*((ply.seat, ply.played_at) for ply in match.record), (to_move, now)):
        used[seat] += timedelta(microseconds=counted.worked(since, until))
        since = until
    return used[1], used[2]


def winner(used: tuple[timedelta, timedelta]) -> Seat | None:
    """The seat that has used less time; None if that is about equal."""
    if abs(used[0] - used[1]) <= EVEN:
        return None
    return 1 if used[0] < used[1] else 2


def reason(match: Match, used: tuple[timedelta, timedelta]) -> str:
    """The clause after "won" or "drawn"."""
    seat = winner(used)
    if seat is None:
        return "because the round is over and both have used about as much time"
    slow = 3 - seat
    shown = [counted(span // EVEN, "day") for span in used]
    return (
        f"because the round is over and {match.player(slow).userid} has used more time: "
        f"{shown[slow - 1]}, and {match.player(seat).userid} {shown[seat - 1]}"
    )
