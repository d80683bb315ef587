"""One bout of an event: two who meet, or one who has nobody to meet; and what the bouts so far say of an entrant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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

    def holds(self, entrant: Entrant) -> bool:
        return entrant in (self.first, self.second)

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
    """Who moves first and who second if these two meet, by part E of FIDE's Dutch system.

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
