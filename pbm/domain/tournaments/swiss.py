"""Swiss: in each round everybody meets somebody with about as many points, and nobody twice as long as that can be.

What is asked of a round, the gravest first; a graver wish is given up only if no way of pairing all fulfils it:

1. Of an odd number, one who has had the fewest byes has one, the lowest of them.
2. Nobody meets the same opponent again; if some must, then as seldom as can be.
3. Nobody's balance of first and second moves goes beyond two; nobody has the same seat three times in a row.
4. The largest difference in points within a pair is as small as can be.

Of all rounds that do that, the one is taken which a director finds who goes from the top and gives each the best
opponent who still lets all others be paired: in the upper half of those with equal points the one as far below the
middle as he is below the top, then the next below that one, then those above, then whoever has fewer points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from pbm.domain.tournaments.bouts import Bout, Entrant, flaws, histories, seated
from pbm.domain.tournaments.matching import Graph, augmented, perfect

Quality = tuple[int, int, int]
"""Of a pair: how often it has met, and the flaws of its seats."""


def rounds(number: int) -> int:
    """As many as find a winner among so many entrants, and one more."""
    return max(1, min((number - 1).bit_length() + 1, number - 1))


def bouts(seeded: Sequence[Entrant], before: Sequence[Bout]) -> list[Bout]:
    """The bouts of the next round, the highest pair first, a bye last. seeded: who is in, the strongest first."""
    return _Round(seeded, before).bouts() if seeded else []


@dataclass(slots=True)
class _Round:
    seeded: Sequence[Entrant]
    before: Sequence[Bout]
    points: dict[Entrant, int] = field(init=False)
    ranked: list[Entrant] = field(init=False)
    orders: dict[frozenset[Entrant], tuple[Entrant, Entrant]] = field(init=False)
    quality: dict[frozenset[Entrant], Quality] = field(init=False)

    def __post_init__(self) -> None:
        self.points = {each: sum(b.score(each) for b in self.before if b.holds(each)) for each in self.seeded}
        self.ranked = sorted(self.seeded, key=lambda each: -self.points[each])
        seats = histories(self.seeded, self.before)
        met = [frozenset((bout.first, bout.second)) for bout in self.before if bout.played]
        times = {pair: met.count(pair) for pair in set(met)}
        self.orders, self.quality = {}, {}
        for one, two in combinations(self.ranked, 2):
            pair, order = frozenset((one, two)), seated(one, two, seats)
            self.orders[pair] = order
            self.quality[pair] = times.get(pair, 0), *flaws(*(seats[each] for each in order))

    def bouts(self) -> list[Bout]:
        for limits in self._limits():
            for resting in self._resting():
                playing = [each for each in self.ranked if each != resting]
                if perfect(self._graph(playing, limits, max(self.points.values()))) is not None:
                    pairs = [Bout(*self.orders[frozenset(pair)]) for pair in self._best(playing, limits)]
                    return pairs if resting is None else [*pairs, Bout(resting, played=False)]
        raise AssertionError("without limits, all can be paired")

    def _limits(self) -> Iterator[Quality]:
        most = max((met for met, _, _ in self.quality.values()), default=0)
        for met in range(most + 1):
            yield from ((met, 0, 0), (met, 0, 2), (met, 2, 2))

    def _resting(self) -> list[Entrant | None]:
        """Who may have the bye, the lowest first; None of an even number."""
        if len(self.ranked) % 2 == 0:
            return [None]
        idle = [bout for bout in self.before if not bout.played]
        byes = {each: sum(bout.holds(each) and bout.score(each) > 0 for bout in idle) for each in self.ranked}
        return [each for each in reversed(self.ranked) if byes[each] == min(byes.values())]

    def _graph(self, playing: Sequence[Entrant], limits: Quality, gap: int) -> Graph:
        return {
            one: [
                two
                for two in playing
                if one != two
                and abs(self.points[one] - self.points[two]) <= gap
                and all(map(int.__le__, self.quality[frozenset((one, two))], limits))
            ]
            for one in playing
        }

    def _best(self, playing: Sequence[Entrant], limits: Quality) -> Iterator[tuple[Entrant, Entrant]]:
        """The pairs, from the top; all who play can be paired within the limits."""
        gaps = sorted({abs(self.points[one] - self.points[two]) for one, two in combinations(playing, 2)})
        graphs = (self._graph(playing, limits, gap) for gap in gaps)
        graph, mates = next(((graph, mates) for graph in graphs if (mates := perfect(graph)) is not None), ({}, {}))
        while graph:
            top, *others = graph
            ways = ((other, _others(graph, mates, top, other)) for other in self._preferred(top, others, graph[top]))
            other, mates = next((other, rest) for other, rest in ways if rest is not None)
            graph = _without(graph, top, other)
            yield top, other

    def _preferred(self, top: Entrant, others: Sequence[Entrant], allowed: Sequence[Entrant]) -> list[Entrant]:
        """Whom the first of those who are left may meet, the best first. others: the rest of them, by rank."""
        equals = [each for each in others if self.points[each] == self.points[top]]
        middle = max(0, (len(equals) - 1) // 2)
        fewer = others[len(equals) :]
        order = [*equals[middle:], *reversed(equals[:middle]), *fewer]
        return sorted(set(allowed), key=lambda each: (self.quality[frozenset((top, each))], order.index(each)))


def _others(graph: Graph, mates: Mapping[int, int], one: int, two: int) -> dict[int, int] | None:
    """A partner for everybody else if these two are paired; None if somebody would be left over."""
    rest = {each: mate for each, mate in mates.items() if not {each, mate} & {one, two}}
    paired = mates[one] == two or augmented(_without(graph, one, two), rest, mates[one])
    return rest if paired else None


def _without(graph: Graph, one: int, two: int) -> Graph:
    return {
        each: [o for o in others if o not in (one, two)] for each, others in graph.items() if each not in (one, two)
    }
