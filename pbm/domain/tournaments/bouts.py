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
        """How many times more often he moved first than second."""
        return sum(self.taken)

    def after(self, seat: int) -> Seats:
        return Seats((*self.taken, seat))

    @property
    def one_sided(self) -> bool:
        """Three times the same seat in a row."""
        return len(self.taken) >= 3 and abs(sum(self.taken[-3:])) == 3


def histories(entrants: Iterable[Entrant], bouts: Sequence[Bout]) -> dict[Entrant, Seats]:
    return {entrant: Seats.of(entrant, bouts) for entrant in entrants}


def flaws(first: Seats, second: Seats) -> tuple[int, int]:
    """What is wrong if they meet in these seats: balances beyond two, and third times in a row."""
    both = first.after(1), second.after(-1)
    return sum(abs(each.balance) > 2 for each in both), sum(each.one_sided for each in both)


def seated(one: Entrant, two: Entrant, seats: Mapping[Entrant, Seats]) -> tuple[Entrant, Entrant]:
    """Who moves first and who second if these two meet; one does where nothing else decides.

    Who has moved first less often does; else they exchange the seats of the last time when these differed.
    """
    orders = ((one, two), (two, one))
    return min(orders, key=lambda order: _doubts(*(seats[each] for each in order)))


def _doubts(first: Seats, second: Seats) -> tuple[int, int, int, int]:
    """What speaks against these two meeting in these seats, the gravest first."""
    latest = zip(reversed(first.taken), reversed(second.taken), strict=False)
    turn = next((mine for mine, his in latest if mine != his), 0)
    return *flaws(first, second), first.balance - second.balance, turn
