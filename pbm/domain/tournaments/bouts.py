"""Bouts of a tournament: two entrants who meet, or one with a bye; the standings, and the state of each entrant.

Standings are by points, and then by exact tie-breaks. A player who has a bye, or wins because the opponent has left,
has met nobody; in tie-breaks this counts as meeting an opponent with as many points as the player has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import partial

from pbm.values import frozen

Entrant = int
WIN, DRAW, LOSS = 2, 1, 0  # half points, so that all scores are integers


@frozen
class Bout:
    """first: moves first. second: None for a bye. points: half points of both; None while it goes on.

    played: on a board. An unplayed bout (a bye, or a win because the opponent has left) gives points, but is not a
    meeting, and nobody moved first in it.
    """

    first: Entrant
    second: Entrant | None = None
    points: tuple[int, int] | None = None
    played: bool = True

    @property
    def is_meeting(self) -> bool:
        return self.played and self.second is not None

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def holds(self, entrant: Entrant) -> bool:
        return entrant in self.entrants

    def opponent(self, entrant: Entrant) -> Entrant | None:
        return self.second if entrant == self.first else self.first

    def score(self, entrant: Entrant) -> int:
        """Half points; 0 while it goes on."""
        return 0 if self.points is None else self.points[entrant != self.first]


@frozen
class Seats:
    """The seats an entrant has played in, the oldest first: 1 moved first, -1 second."""

    taken: tuple[int, ...] = ()

    @classmethod
    def of(cls, entrant: Entrant, bouts: Iterable[Bout]) -> Seats:
        mine = (bout for bout in bouts if bout.is_meeting and bout.holds(entrant))
        return cls(tuple(1 if bout.first == entrant else -1 for bout in mine))

    @property
    def balance(self) -> int:
        """How many times more often the entrant moved first than second."""
        return sum(self.taken)

    @property
    def is_doubled(self) -> bool:
        """Whether the last two seats were the same."""
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
    """The two as (moves first, moves second), by part E of FIDE's Dutch system.

    is_odd: whether the higher one, if nothing else decides, moves first, as for odd numbers.
    """
    one, two = seats[higher], seats[lower]
    seat = one.due
    # E.1: both get the seat that is due to them.
    if one.due == two.due or not one.due:
        latest = zip(reversed(one.taken), reversed(two.taken), strict=False)
        turn = next((theirs for own, theirs in latest if own != theirs), 0)
        strength = _strength(one) > _strength(two), _strength(one) < _strength(two)
        # E.2: the stronger claim. E.3: not as the last time they differed. E.4 and E.5: the higher-ranked one decides.
        seat = one.due * strength[0] - two.due * strength[1] or turn or one.due or (1 if is_odd else -1)
    return (higher, lower) if seat > 0 else (lower, higher)


def _strength(seats: Seats) -> tuple[int, int]:
    """A key for the strength of a claim; of two absolute ones, that with the larger balance is stronger."""
    return seats.claim, abs(seats.balance) if seats.claim == ABSOLUTE else 0


DOWN, LEVEL, UP = -1, 0, 1
"""An entrant's float in a round: met an opponent with fewer points or nobody, with as many, with more points."""


@frozen
class Contender:
    """An entrant before a round."""

    entrant: Entrant
    number: int
    """By seed, from 1; at equal points the lower number ranks higher."""
    points: int
    """Half points."""
    seats: Seats
    insists: int
    """The seat claimed absolutely, 1 or -1; 0 for none."""
    floats: tuple[int, int]
    """In the last round and the one before it: DOWN, LEVEL or UP."""
    met: tuple[Entrant, ...]
    """Opponents of played bouts; one met twice is listed twice."""
    byes: int
    """Rounds that gave the points of a win without a played bout."""
    is_leader: bool  # rules on seats yield to rules on points (C.3, C.8, C.9)
    """Has more than half of all points before the last round."""


def contenders(
    seeded: Sequence[Entrant], rounds: Sequence[Sequence[Bout]], absent: Collection[Entrant], *, is_last: bool
) -> list[Contender]:
    """The entrants to pair in the next round, the highest rank first. absent: seeded entrants to leave out."""
    scores = _scores(rounds)
    # Or all bouts would be looked through for each entrant.
    by_entrant = [{entrant: bout for bout in bouts for entrant in bout.entrants} for bouts in rounds]
    entering = [
        _contender(entrant, number, [bouts.get(entrant) for bouts in by_entrant], scores, is_last=is_last)
        for number, entrant in enumerate(seeded, 1)
        if entrant not in absent
    ]
    return sorted(entering, key=lambda contender: (-contender.points, contender.number))


def _contender(
    entrant: Entrant,
    number: int,
    rounds: Sequence[Bout | None],
    scores: Sequence[Mapping[Entrant, int]],
    *,
    is_last: bool,
) -> Contender:
    """rounds: the entrant's bout in each; None before a late entry. scores: as _scores returns them."""
    points = scores[-1].get(entrant, 0)
    floats = [LEVEL, LEVEL, *map(partial(_float, entrant), rounds, scores)]
    own = [bout for bout in rounds if bout is not None]
    seats = Seats.of(entrant, own)
    return Contender(
        entrant,
        number,
        points,
        seats,
        seats.due if seats.claim == ABSOLUTE else 0,
        (floats[-1], floats[-2]),
        tuple(other for bout in own if bout.is_meeting for other in bout.entrants if other != entrant),
        # A win without a bout counts as a bye (C.2); half a point for a rest does not.
        sum(bout.score(entrant) >= WIN for bout in own if not bout.is_meeting),
        # Points are half points, so as many as there were rounds is half of all.
        is_last and points > len(rounds),
    )


def _scores(rounds: Sequence[Sequence[Bout]]) -> list[dict[Entrant, int]]:
    """Everybody's half points before each round, and at the end."""
    scores: list[dict[Entrant, int]] = [{}]
    for bouts in rounds:
        after = dict(scores[-1])
        for bout in bouts:
            for entrant in bout.entrants:
                after[entrant] = after.get(entrant, 0) + bout.score(entrant)
        scores.append(after)
    return scores


def _float(entrant: Entrant, bout: Bout | None, before: Mapping[Entrant, int]) -> int:
    # By the Dutch system, whoever does not play floats down.
    opponent = None if bout is None or not bout.played else bout.opponent(entrant)
    if opponent is None:
        return DOWN
    own, theirs = before.get(entrant, 0), before.get(opponent, 0)
    return (theirs > own) - (theirs < own)


class TieBreak(StrEnum):
    """Tie-breaks, by their column headings."""

    DIRECT = "Direct"
    BUCHHOLZ = "Buchholz"
    SONNEBORN_BERGER = "S-B"


ROBIN = (TieBreak.DIRECT, TieBreak.SONNEBORN_BERGER)
SWISS = (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT)
"""In order of precedence."""


@frozen
class Line:
    """One entrant in the standings."""

    rank: int
    """Entrants equal in everything share a rank."""
    entrant: Entrant
    points: Fraction
    won: int
    drawn: int
    lost: int
    tie_breaks: tuple[Fraction, ...]
    """In order of precedence, in points."""


def standings(seeded: Sequence[Entrant], bouts: Iterable[Bout], tie_breaks: Sequence[TieBreak]) -> list[Line]:
    """The standings, the best first, equals by seed. Unfinished bouts do not count yet."""
    table = _Table.of(seeded, bouts)
    keys: dict[Entrant, tuple[Fraction, ...]] = {entrant: (table.points[entrant],) for entrant in seeded}
    for tie_break in tie_breaks:
        # Among equals, because the direct encounter counts only within a group.
        equals = {key: [entrant for entrant in seeded if keys[entrant] == key] for key in keys.values()}
        keys = {entrant: (*key, _MEASURES[tie_break](table, equals[key], entrant)) for entrant, key in keys.items()}
    best_first = sorted(seeded, key=keys.__getitem__, reverse=True)
    ranks = [keys[entrant] for entrant in best_first]
    return [table.line(ranks.index(keys[entrant]) + 1, entrant, keys[entrant][1:]) for entrant in best_first]


Group = list[Entrant]
Measure = Callable[["_Table", Group, Entrant], Fraction]


@frozen
class _Table:
    """bouts: the finished ones of each entrant. points: of everybody who took part, including leavers."""

    bouts: Mapping[Entrant, Sequence[Bout]]
    points: Mapping[Entrant, Fraction]

    @classmethod
    def of(cls, seeded: Iterable[Entrant], bouts: Iterable[Bout]) -> _Table:
        own: dict[Entrant, list[Bout]] = {entrant: [] for entrant in seeded}
        for bout in bouts:
            for entrant in bout.entrants if bout.points is not None else ():
                own.setdefault(entrant, []).append(bout)
        return cls(own, {entrant: Fraction(sum(b.score(entrant) for b in mine), 2) for entrant, mine in own.items()})

    def line(self, rank: int, entrant: Entrant, tie_breaks: tuple[Fraction, ...]) -> Line:
        scores = [bout.score(entrant) for bout in self.bouts[entrant] if bout.second is not None]
        won, drawn, lost = (scores.count(score) for score in (WIN, DRAW, LOSS))
        return Line(rank, entrant, self.points[entrant], won, drawn, lost, tie_breaks)

    def met(self, bout: Bout, entrant: Entrant) -> Fraction:
        """The opponent's points; the entrant's own if the bout was not played."""
        opponent = bout.opponent(entrant)
        return self.points[opponent] if bout.played and opponent is not None else self.points[entrant]


def _buchholz(table: _Table, _group: Group, entrant: Entrant) -> Fraction:
    """The sum of the points of all opponents."""
    return sum((table.met(bout, entrant) for bout in table.bouts[entrant]), Fraction())


def _sonneborn_berger(table: _Table, _group: Group, entrant: Entrant) -> Fraction:
    """The sum of the points of all opponents beaten, and half of the points of those drawn with."""
    beaten = (Fraction(bout.score(entrant), 2) * table.met(bout, entrant) for bout in table.bouts[entrant])
    return sum(beaten, Fraction())


def _direct(table: _Table, group: Group, entrant: Entrant) -> Fraction:
    """The points from bouts within a group of equals, if all of them have met; otherwise 0."""
    others = set(group)
    within = {entrant: [b for b in table.bouts[entrant] if {b.first, b.second} <= others] for entrant in group}
    # With a meeting that is missing, the others would be compared by different opponents.
    complete = all(len({bout.opponent(entrant) for bout in mine}) == len(group) - 1 for entrant, mine in within.items())
    return Fraction(sum(bout.score(entrant) for bout in within[entrant]), 2) if complete else Fraction()


_MEASURES: Mapping[TieBreak, Measure] = {
    TieBreak.DIRECT: _direct,
    TieBreak.BUCHHOLZ: _buchholz,
    TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
}
