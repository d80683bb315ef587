"""Bouts of a tournament: two who meet, or one who has nobody to meet; how all stand by them, and who is paired next.

All stand by points, and where these are equal by exact tie-breaks. A player who has a bye, or wins because the opponent
has left, has met nobody; in the tie-breaks they count as if they had met somebody with as many points as they have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial

Entrant = int
WIN, DRAW, LOSS = 2, 1, 0
"""Half points, so that all scores are integers."""


@dataclass(frozen=True, slots=True)
class Bout:
    """first: who moves first. second: None for a bye. points: half points of both; None while it goes on.

    played: on a board. What is not played (a bye, or a win because the opponent has left) counts its points, but it
    is no meeting, and nobody has moved first in it.
    """

    first: Entrant
    second: Entrant | None = None
    points: tuple[int, int] | None = None
    played: bool = True

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def holds(self, entrant: Entrant) -> bool:
        return entrant in self.entrants

    def opponent(self, entrant: Entrant) -> Entrant | None:
        return self.second if entrant == self.first else self.first

    def score(self, entrant: Entrant) -> int:
        """Half points; none while it goes on."""
        return 0 if self.points is None else self.points[entrant != self.first]


@dataclass(frozen=True, slots=True)
class Seats:
    """In which seats an entrant has played, the oldest first: 1 moved first, -1 second."""

    taken: tuple[int, ...] = ()

    @classmethod
    def of(cls, entrant: Entrant, bouts: Iterable[Bout]) -> Seats:
        mine = (bout for bout in bouts if bout.holds(entrant) and bout.second is not None and bout.played)
        return cls(tuple(1 if bout.first == entrant else -1 for bout in mine))

    @property
    def balance(self) -> int:
        """How many times more often the entrant moved first than second."""
        return sum(self.taken)

    @property
    def is_doubled(self) -> bool:
        """The same seat twice in a row, the last two times."""
        return len(self.taken) > 1 and self.taken[-1] == self.taken[-2]

    @property
    def due(self) -> int:
        """The seat the entrant should have next: 1 or -1; 0 before the first bout."""
        if abs(self.balance) > 1 or (self.balance and not self.is_doubled):
            return -1 if self.balance > 0 else 1
        return -self.taken[-1] if self.taken else 0

    @property
    def claim(self) -> int:
        """How strongly that seat is due: ABSOLUTE, STRONG, MILD, or 0 before the first bout."""
        if abs(self.balance) > 1 or self.is_doubled:
            return ABSOLUTE
        return STRONG if self.balance else MILD if self.taken else 0


ABSOLUTE, STRONG, MILD = 3, 2, 1


def histories(entrants: Iterable[Entrant], bouts: Sequence[Bout]) -> dict[Entrant, Seats]:
    return {entrant: Seats.of(entrant, bouts) for entrant in entrants}


def seated(
    higher: Entrant, lower: Entrant, seats: Mapping[Entrant, Seats], *, is_odd: bool = True
) -> tuple[Entrant, Entrant]:
    """The one who moves first, and the other, if these two meet, by part E of FIDE's Dutch system.

    Both have the seat that is due to them; else the one to whom it is due more has it; else they exchange the seats of
    the last time when these differed; else the higher has the due one. is_odd: whether the higher moves first where
    nothing decides, as those with odd numbers do.
    """
    one, two = seats[higher], seats[lower]
    seat = one.due
    if one.due == two.due or not one.due:
        latest = zip(reversed(one.taken), reversed(two.taken), strict=False)
        turn = next((theirs for own, theirs in latest if own != theirs), 0)
        strength = _strength(one) > _strength(two), _strength(one) < _strength(two)
        seat = one.due * strength[0] - two.due * strength[1] or turn or one.due or (1 if is_odd else -1)
    return (higher, lower) if seat > 0 else (lower, higher)


def _strength(seats: Seats) -> tuple[int, int]:
    """Of two absolute claims the one of the larger balance is stronger."""
    return seats.claim, abs(seats.balance) if seats.claim == ABSOLUTE else 0


DOWN, LEVEL, UP = -1, 0, 1
"""How an entrant floated in a round: met somebody with fewer points or played nobody, as many, more points."""


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant before a round."""

    entrant: Entrant
    number: int
    """By seed, from 1; of equal points the lower number ranks higher."""
    points: int
    """Half points."""
    seats: Seats
    floats: tuple[int, int]
    """In the last round, and in the one before it: DOWN, LEVEL or UP."""
    met: tuple[Entrant, ...]
    """Opponents of played bouts, one that was met twice standing twice."""
    byes: int
    """Rounds in which as many points as for a win came without a played bout."""
    is_leader: bool
    """Has more than half of all points before the last round: rules on seats yield to those on points."""


def contenders(
    seeded: Sequence[Entrant], rounds: Sequence[Sequence[Bout]], absent: Collection[Entrant], *, is_last: bool
) -> list[Contender]:
    """Those who are paired in the next round, the highest rank first. absent: who of the seeded is not."""
    scores, found = _scores(rounds), []
    for number, entrant in enumerate(seeded, 1):
        if entrant in absent:
            continue
        own = [next((bout for bout in bouts if bout.holds(entrant)), None) for bouts in rounds]
        played = [bout for bout in own if bout is not None and bout.played and bout.second is not None]
        points = scores[-1].get(entrant, 0)
        floats = [LEVEL, LEVEL, *map(partial(_float, entrant), own, scores)]
        contender = Contender(
            entrant,
            number,
            points,
            Seats.of(entrant, played),
            (floats[-1], floats[-2]),
            tuple(opponent for bout in played if (opponent := bout.opponent(entrant)) is not None),
            sum(bout is not None and bout not in played and bout.score(entrant) >= WIN for bout in own),
            is_last and points > len(rounds),
        )
        found.append(contender)
    return sorted(found, key=lambda each: (-each.points, each.number))


def _scores(rounds: Sequence[Sequence[Bout]]) -> list[dict[Entrant, int]]:
    """The half points of all before each round, and at the end."""
    scores: list[dict[Entrant, int]] = [{}]
    for bouts in rounds:
        after = dict(scores[-1])
        for bout in bouts:
            for entrant in bout.entrants:
                after[entrant] = after.get(entrant, 0) + bout.score(entrant)
        scores.append(after)
    return scores


def _float(entrant: Entrant, bout: Bout | None, before: Mapping[Entrant, int]) -> int:
    opponent = None if bout is None or not bout.played else bout.opponent(entrant)
    if opponent is None:
        return DOWN
    own, theirs = before.get(entrant, 0), before.get(opponent, 0)
    return (theirs > own) - (theirs < own)


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
