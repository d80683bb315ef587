"""One bracket of FIDE's Dutch system: who of it meet; the others float down.

Of all ways to pair it the best is taken by what is asked of pairs, and of equals the first in the order of section D.
Both are sums over pairs, so a best matching tells it. One matching for all of it would take long, so who has floated
down is paired first; then it is known who is in the upper half of the others, and at last whom each of these meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbm.domain.tournaments.contenders import Contender
from pbm.domain.tournaments.matching import Edge, best
from pbm.domain.tournaments.measures import Field

_AT_ONCE = 8
"""Of so many in the upper half the opponents are found together: with more, the integers become long."""
Edges = Mapping[Edge, int]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Vertices are places in the field."""

    field: Field

    def pairs(self) -> list[tuple[Contender, Contender]]:
        """The higher one first."""
        ranked = self.field.ranked
        return [(ranked[one], ranked[two]) for one, two in sorted(self._chosen())]

    def _chosen(self) -> Iterator[Edge]:
        edges = self.field.edges()
        matched = best({edge: (weight, *self._order_of_moved(edge)) for edge, weight in edges.items()})
        fixed = {edge for edge in matched if self._is_moved(edge)}
        yield from fixed
        taken = _vertices(fixed)
        rest = [vertex for vertex in range(self.field.moved, self.field.size) if vertex not in taken]
        left = {e: weight for e, weight in edges.items() if taken.isdisjoint(e) and not self._is_moved(e)}
        goal = sum(edges[edge] for edge in matched - fixed)
        count = sum(map(self._is_inside, matched - fixed))
        straight = _straight(left, rest[:count], rest[count:], goal)
        if straight is None:
            upper = self._upper(left, rest, count)
            lower = [vertex for vertex in rest if vertex not in upper]
            yield from self._across(left, upper, lower, goal)
        else:
            yield from straight

    def _is_inside(self, edge: Edge) -> bool:
        return edge[1] < self.field.size

    def _is_moved(self, edge: Edge) -> bool:
        return edge[0] < self.field.moved and self._is_inside(edge)

    def _order_of_moved(self, edge: Edge) -> Iterator[int]:
        """D.3 and D.1: the highest who have floated down are paired, the first with the highest, and so on."""
        moved, inside = self.field.moved, self._is_inside(edge)
        yield sum(1 << moved - vertex for vertex in edge if vertex < moved) * inside
        for vertex in range(moved):
            yield (self.field.size - edge[1]) * (edge[0] == vertex) * inside

    def _upper(self, edges: Edges, rest: Sequence[int], count: int) -> Sequence[int]:
        """D.2: who of the rest is in the upper half of its pairs, so many."""
        middle = rest[count] if count < len(rest) else self.field.size

        def exchanged(edge: Edge) -> tuple[int, int, int, int]:
            """As few as can be; near the middle; the lowest of the upper half, then the highest of the lower half."""
            vertex = edge[0]
            if not self._is_inside(edge):
                return 0, 0, 0, 0
            if vertex < middle:
                return 1, -vertex, -(1 << vertex), 0
            return 0, -vertex, 0, 1 << self.field.size - vertex

        for measures in (1, 4):
            chosen = best({edge: (weight, *exchanged(edge)[:measures]) for edge, weight in edges.items()})
            upper = sorted(edge[0] for edge in chosen if self._is_inside(edge))
            if all(vertex < middle for vertex in upper):
                break
        return upper

    def _across(self, edges: Edges, upper: Sequence[int], lower: Sequence[int], goal: int) -> Iterator[Edge]:
        """D.1: the first of the upper half has the highest opponent that can be, then the second has, and so on.

        goal: what the best matching weighs.
        """
        above = frozenset(upper)
        left = {
            edge: weight
            for edge, weight in edges.items()
            if edge[1] not in above and (edge[0] in above) == self._is_inside(edge)
        }
        while upper:
            straight = _straight(left, upper, lower, goal)
            if straight is not None:
                yield from straight
                return
            these, upper = upper[:_AT_ONCE], upper[_AT_ONCE:]
            weights = {
                edge: (weight, *((self.field.size - edge[1]) * (edge[0] == vertex) for vertex in these))
                for edge, weight in left.items()
            }
            fixed = {edge for edge in best(weights) if edge[0] in these}
            yield from fixed
            taken = _vertices(fixed)
            goal -= sum(left[edge] for edge in fixed)
            lower = [vertex for vertex in lower if vertex not in taken]
            left = {edge: weight for edge, weight in left.items() if taken.isdisjoint(edge)}


def _straight(edges: Edges, upper: Sequence[int], lower: Sequence[int], goal: int) -> list[Edge] | None:
    """The pairs that come first of all, the first with the first and so on; None if these do not weigh as much."""
    pairs = list(zip(upper, lower, strict=False))
    return pairs if sum(edges.get(pair, -goal - 1) for pair in pairs) == goal else None


def _vertices(edges: set[Edge]) -> set[int]:
    return {vertex for edge in edges for vertex in edge}
