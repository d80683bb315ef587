"""What FIDE's Dutch system asks of the pairs of a bracket: C.5 to C.19, as they stood until January 2026.

Each is the sum of an integer over pairs, the more the better, so that a matching can be found that is best by the
first, of those by the second, and so on. What the rules count by differences in points, the largest first, is one
measure for each difference there can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

from pbm.domain.tournaments.bouts import DOWN, STRONG, UP, Contender

Edge = tuple[int, int]
"""Two vertices, the smaller number first."""


def best(edges: Mapping[Edge, Sequence[int]]) -> set[Edge]:
    """The edges of a best matching; which one of equals is not said, but always the same."""
    import networkx  # it takes a quarter of a second and 24 MB, and only a round of a Swiss needs it

    graph = networkx.Graph()
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in folded(edges).items())
    return {(one, two) if one < two else (two, one) for one, two in networkx.max_weight_matching(graph)}


def folded(edges: Mapping[Edge, Sequence[int]]) -> dict[Edge, int]:
    """The measures of each edge as one integer: the sums of it are in the order of the sums of the measures."""
    most = len({vertex for edge in edges for vertex in edge}) // 2
    weights = [0] * len(edges)
    for column in zip(*edges.values(), strict=True):
        base = most * (max(0, *column) - min(0, *column)) + 1
        if base > 1:
            weights = [weight * base + value for weight, value in zip(weights, column, strict=True)]
    return dict(zip(edges, weights, strict=True))


_POINT = 2
"""In half points."""


@dataclass(slots=True)
class Field:
    """Who is looked at when a bracket is paired, by rank: floaters from above, its residents, some of those below."""

    ranked: Sequence[Contender]
    moved: int
    """How many of them have floated down from above."""
    size: int
    """How many of them are in the bracket."""
    allowed: Set[frozenset[int]]
    """Who may meet, by their numbers."""
    must_complete: int | None = None
    """If all must be paired but for one: how many byes that one may have had; else those below are a bracket."""
    _gaps: list[int] = field(init=False)
    """The differences in points there can be, the largest first."""

    def __post_init__(self) -> None:
        inside = self.ranked[: self.size]
        apart = {higher.points - lower.points for higher, lower in combinations(inside, 2)}
        self._gaps = sorted({0, *apart, *map(self._fall, inside)} - {0}, reverse=True)

    def edges(self) -> dict[Edge, int]:
        """All who may meet, by their places, weighed."""
        places = combinations(range(len(self.ranked)), 2)
        pairs = ((edge, self.ranked[edge[0]], self.ranked[edge[1]]) for edge in places)
        return folded(
            {
                edge: tuple(self._below(edge, one, two) if edge[1] >= self.size else self._inside(one, two))
                for edge, one, two in pairs
                if frozenset((one.number, two.number)) in self.allowed
            }
        )

    def _fall(self, contender: Contender) -> int:
        """The difference in points that counts where somebody is not paired in the bracket."""
        return contender.points - self.ranked[self.size - 1].points + _POINT

    def _inside(self, higher: Contender, lower: Contender) -> Iterator[int]:
        """Of a pair within the bracket."""
        gap, falls = higher.points - lower.points, (self._fall(higher), self._fall(lower))
        saved = [falls.count(each) for each in self._gaps]
        yield self._completing(higher, lower)
        yield 1
        yield from (count - (gap == each) for count, each in zip(saved, self._gaps, strict=True))
        yield 0
        yield from saved if self.must_complete is None else (0,) * len(saved)
        yield from _seats(higher, lower)
        for back in (0, 1):
            yield from _floats(higher, lower, back)
        for back in (0, 1):
            down = [fall for each, fall in zip((higher, lower), falls, strict=True) if each.floats[back] == DOWN]
            again = gap if higher.floats[back] == DOWN else 0
            yield from (down.count(each) - (again == each) for each in self._gaps)
            yield from (-(lower.floats[back] == UP and gap == each) for each in self._gaps)

    def _below(self, edge: Edge, higher: Contender, lower: Contender) -> Iterator[int]:
        """Of a pair of which one at least is below: C.7, of the bracket after this one."""
        minds = self.must_complete is None
        fall = self._fall(higher) if minds and edge[0] < self.size else 0
        yield self._completing(higher, lower)
        yield from (0,) * (1 + len(self._gaps))
        yield minds
        yield from (fall == each for each in self._gaps)
        yield from (0,) * (8 + 4 * len(self._gaps))

    def _completing(self, higher: Contender, lower: Contender) -> int:
        """As many are paired as can be, and above all those who may have no bye."""
        most = self.must_complete
        return 0 if most is None else 1 + (higher.byes > most) + (lower.byes > most)


def _seats(higher: Contender, lower: Contender) -> Iterator[int]:
    """C.8 to C.11: both have the seats that are due; or these are not due for a strong reason."""
    one, two = higher.seats, lower.seats
    agree = one.due != two.due or not one.due
    leads = higher.is_leader or lower.is_leader
    yield agree or not (leads and abs(one.balance) > 1 and abs(two.balance) > 1)
    yield agree or not (leads and one.is_doubled and two.is_doubled)
    yield agree
    yield agree or one.claim < STRONG or two.claim < STRONG


def _floats(higher: Contender, lower: Contender, back: int) -> Iterator[int]:
    """C.12 to C.15: neither floats as in an earlier round; a floater who is not paired at all does."""
    are_level = higher.points == lower.points
    yield (higher.floats[back] == DOWN and are_level) + (lower.floats[back] == DOWN)
    yield are_level or lower.floats[back] != UP
