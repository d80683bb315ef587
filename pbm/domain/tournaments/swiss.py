"""Swiss, by FIDE's Dutch system (C.04.3): in each round everybody meets an opponent with about as many points.

Nobody has a second bye, meets the same opponent twice, or gets a seat against an absolute claim, except leaders in the
last round. If no round can be paired like this, as in small tournaments, these rules are dropped as far as necessary,
the last of them first.

The system's criteria for the pairs of a bracket are C.5 to C.19, as they stood until January 2026. Each is a measure:
the sum of an integer over pairs, larger is better. So a matching can be found that is best by the first measure, among
these by the second, and so on. A rule that counts differences in points, the largest first, becomes one measure for
each possible difference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations, count, groupby, product

from pbm.domain.tournaments.bouts import DOWN, DRAW, LOSS, STRONG, UP, Bout, Contender, Entrant, contenders, seated
from pbm.values import frozen

Edge = tuple[int, int]
"""Two vertices, the smaller number first."""


def best(edges: Mapping[Edge, Sequence[int]]) -> set[Edge]:
    """The edges of a best matching; among equals an unspecified one, but always the same."""
    import networkx  # it takes a quarter of a second and 24 MB, and only a round of a Swiss needs it

    graph = networkx.Graph()
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in folded(edges).items())
    return {(one, two) if one < two else (two, one) for one, two in networkx.max_weight_matching(graph)}


def folded(edges: Mapping[Edge, Sequence[int]]) -> dict[Edge, int]:
    """The measures of each edge as one integer, whose sums over a matching are ordered like those of the measures."""
    most = len({vertex for edge in edges for vertex in edge}) // 2
    weights = [0] * len(edges)
    for column in zip(*edges.values(), strict=True):
        base = most * (max(0, *column) - min(0, *column)) + 1
        # A measure that is the same for all edges decides nothing.
        if base > 1:
            weights = [weight * base + value for weight, value in zip(weights, column, strict=True)]
    return dict(zip(edges, weights, strict=True))


_POINT = 2
"""A point, in half points."""


_AT_ONCE = 8  # with more, the integers become too long
"""The opponents of this many in the upper half are found together."""
Edges = Mapping[Edge, int]


@dataclass(slots=True)
class Bracket:
    """The entrants considered when a bracket is paired, by rank: floaters from above, residents, some of those below.

    Vertices are their indices.
    """

    ranked: Sequence[Contender]
    moved: int
    """How many of them floated down from above."""
    size: int
    """How many of them are in the bracket."""
    may_meet: Callable[[Contender, Contender], bool]
    must_complete: int | None
    """If all but one must be paired: how many byes that one may have had. None: those below form the next bracket."""
    _gaps: list[int] = field(init=False)
    """The possible differences in points, the largest first."""

    def __post_init__(self) -> None:
        inside = self.ranked[: self.size]
        apart = {higher.points - lower.points for higher, lower in combinations(inside, 2)}
        self._gaps = sorted({0, *apart, *map(self._fall, inside)} - {0}, reverse=True)

    def edges(self) -> dict[Edge, int]:
        """The pairs who may meet, by index, with their weights."""
        places = combinations(range(len(self.ranked)), 2)
        pairs = ((edge, self.ranked[edge[0]], self.ranked[edge[1]]) for edge in places)
        return folded(
            {
                edge: tuple(self._below(edge, one, two) if edge[1] >= self.size else self._inside(one, two))
                for edge, one, two in pairs
                if self.may_meet(one, two)
            }
        )

    def _fall(self, contender: Contender) -> int:
        """The difference in points that counts for an entrant who is not paired in the bracket."""
        return contender.points - self.ranked[self.size - 1].points + _POINT

    def _inside(self, higher: Contender, lower: Contender) -> Iterator[int]:
        """The measures of a pair within the bracket."""
        gap, falls = higher.points - lower.points, (self._fall(higher), self._fall(lower))
        saved = [falls.count(size) for size in self._gaps]
        yield self._completing(higher, lower)
        # C.5: as many pairs as possible. C.6: the differences in points of those left over, and of pairs, the largest
        # first.
        yield 1
        yield from (count - (gap == size) for count, size in zip(saved, self._gaps, strict=True))
        yield 0  # C.7 is about the pairs below, see there
        yield from saved if self.must_complete is None else (0,) * len(saved)
        yield from _seats(higher, lower)
        for back in (0, 1):
            yield from _floats(higher, lower, back)
        # C.16 to C.19: where a float must repeat, the smaller difference in points repeats.
        for back in (0, 1):
            down = [fall for one, fall in zip((higher, lower), falls, strict=True) if one.floats[back] == DOWN]
            again = gap if higher.floats[back] == DOWN else 0
            yield from (down.count(size) - (again == size) for size in self._gaps)
            yield from (-(lower.floats[back] == UP and gap == size) for size in self._gaps)

    def _below(self, edge: Edge, higher: Contender, lower: Contender) -> Iterator[int]:
        """The measures of a pair with at least one below the bracket: C.7, for the bracket after this one."""
        minds = self.must_complete is None
        fall = self._fall(higher) if minds and edge[0] < self.size else 0
        yield self._completing(higher, lower)
        yield from (0,) * (1 + len(self._gaps))
        yield minds
        yield from (fall == size for size in self._gaps)
        yield from (0,) * (8 + 4 * len(self._gaps))

    def _completing(self, higher: Contender, lower: Contender) -> int:
        """The measure that pairs as many as possible, and above all those who may not have a bye."""
        most = self.must_complete
        return 0 if most is None else 1 + (higher.byes > most) + (lower.byes > most)

    def pairs(self) -> list[tuple[Contender, Contender]]:
        """The best pairs, each with the higher-ranked one first."""
        ranked = self.ranked
        return [(ranked[one], ranked[two]) for one, two in sorted(self._chosen())]

    def _chosen(self) -> Iterator[Edge]:
        edges = self.edges()
        matched = best({edge: (weight, *self._order_of_moved(edge)) for edge, weight in edges.items()})
        fixed = {edge for edge in matched if self._is_moved(edge)}
        yield from fixed
        taken = _vertices(fixed)
        rest = _without_these(range(self.moved, self.size), taken)
        left = {edge: weight for edge, weight in _apart(edges, taken).items() if not self._is_moved(edge)}
        goal = sum(edges[edge] for edge in matched - fixed)
        count = sum(map(self._is_inside, matched - fixed))
        # No exchange (D.2) is needed where the halves as they stand weigh as much as the best pairs.
        straight = _straight(left, rest[:count], rest[count:], goal)
        if straight is None:
            upper = self._upper(left, rest, count)
            yield from self._across(left, upper, _without_these(rest, upper), goal)
        else:
            yield from straight

    def _is_inside(self, edge: Edge) -> bool:
        return edge[1] < self.size

    def _is_moved(self, edge: Edge) -> bool:
        return edge[0] < self.moved and self._is_inside(edge)

    def _order_of_moved(self, edge: Edge) -> Iterator[int]:
        """D.3 and D.1: the highest floaters are paired, the first with the highest opponent, and so on."""
        moved, inside = self.moved, self._is_inside(edge)
        yield sum(1 << moved - vertex for vertex in edge if vertex < moved) * inside
        for vertex in range(moved):
            yield (self.size - edge[1]) * (edge[0] == vertex) * inside

    def _upper(self, edges: Edges, rest: Sequence[int], count: int) -> Sequence[int]:
        """D.2: the members of the rest that are in the upper half of its pairs. count: how many."""
        middle = rest[count] if count < len(rest) else self.size

        def exchanged(edge: Edge) -> tuple[int, int, int, int]:
            """Fewest exchanges; near the middle; the lowest of the upper half, then the highest of the lower half."""
            vertex = edge[0]
            if not self._is_inside(edge):
                return 0, 0, 0, 0
            if vertex < middle:
                return 1, -vertex, -(1 << vertex), 0
            return 0, -vertex, 0, 1 << self.size - vertex

        # The fewest exchanges alone decide mostly, and make much shorter integers.
        for measures in (1, 4):
            chosen = best({edge: (weight, *exchanged(edge)[:measures]) for edge, weight in edges.items()})
            upper = sorted(edge[0] for edge in chosen if self._is_inside(edge))
            if all(vertex < middle for vertex in upper):
                break
        return upper

    def _across(self, edges: Edges, upper: Sequence[int], lower: Sequence[int], goal: int) -> Iterator[Edge]:
        """D.1: the first of the upper half gets the highest possible opponent, then the second, and so on.

        goal: the weight of the best matching.
        """
        above = frozenset(upper)
        left = {
            edge: weight
            for edge, weight in edges.items()
            if edge[1] not in above and (edge[0] in above) == self._is_inside(edge)
        }
        while upper:
            # Mostly the halves need not be transposed, and then no graph has to be searched.
            straight = _straight(left, upper, lower, goal)
            if straight is not None:
                yield from straight
                return
            these, upper = upper[:_AT_ONCE], upper[_AT_ONCE:]
            weights = {
                edge: (weight, *((self.size - edge[1]) * (edge[0] == vertex) for vertex in these))
                for edge, weight in left.items()
            }
            fixed = {edge for edge in best(weights) if edge[0] in these}
            yield from fixed
            taken = _vertices(fixed)
            goal -= sum(left[edge] for edge in fixed)
            lower = _without_these(lower, taken)
            left = _apart(left, taken)


def _seats(higher: Contender, lower: Contender) -> Iterator[int]:
    """C.8 to C.11: both get the seats due to them, or at least one claim is weak."""
    one, two = higher.seats, lower.seats
    agree = one.due != two.due or not one.due
    leads = higher.is_leader or lower.is_leader
    yield agree or not (leads and abs(one.balance) > 1 and abs(two.balance) > 1)  # C.8
    yield agree or not (leads and one.is_doubled and two.is_doubled)  # C.9
    yield agree  # C.10
    yield agree or one.claim < STRONG or two.claim < STRONG  # C.11


def _floats(higher: Contender, lower: Contender, back: int) -> Iterator[int]:
    """C.12 to C.15: neither floats again as in an earlier round; an unpaired one floats down. back: 0 for the last."""
    are_level = higher.points == lower.points
    yield (higher.floats[back] == DOWN and are_level) + (lower.floats[back] == DOWN)  # C.12, C.14
    yield are_level or lower.floats[back] != UP  # C.13, C.15


def _straight(edges: Edges, upper: Sequence[int], lower: Sequence[int], goal: int) -> list[Edge] | None:
    """The preferred pairs, the first with the first and so on; None if they do not weigh as much as the goal."""
    pairs = list(zip(upper, lower, strict=False))
    return pairs if sum(edges.get(pair, -goal - 1) for pair in pairs) == goal else None


def _vertices(edges: Iterable[Edge]) -> set[int]:
    return {vertex for edge in edges for vertex in edge}


def _without_these(vertices: Iterable[int], taken: Collection[int]) -> list[int]:
    return [vertex for vertex in vertices if vertex not in taken]


def _apart(edges: Edges, taken: Set[int]) -> dict[Edge, int]:
    """The edges that have none of these vertices."""
    return {edge: weight for edge, weight in edges.items() if taken.isdisjoint(edge)}


Pair = tuple[Contender, Contender]


def rounds(number: int) -> int:
    """How many rounds this number of entrants play: enough to find a winner, and one more."""
    return max(1, min((number - 1).bit_length() + 1, number - 1))


def rest(entrant: Entrant, before: Iterable[Bout], *, is_last: bool = False) -> Bout:
    """A round without a bout, on request or before a late entry: half a point once, but not in the last round."""
    rested = any(bout.holds(entrant) and not bout.played and bout.score(entrant) == DRAW for bout in before)
    return Bout(entrant, None, (LOSS if rested or is_last else DRAW, LOSS), played=False)


def bouts(
    seeded: Sequence[Entrant],
    before: Sequence[Sequence[Bout]],
    *,
    absent: Collection[Entrant] = (),
    is_last: bool = False,
) -> list[Bout]:
    """The bouts of the next round, the highest pair first, a bye last.

    seeded: all entrants, the strongest first. before: the bouts of each earlier round. absent: entrants not to pair.
    """
    ranked = contenders(seeded, before, absent, is_last=is_last)
    pairs = next(complete for rules in _rules(ranked) if (complete := _Round(ranked, rules).pairs()) is not None)
    pairs.sort(key=lambda pair: (-pair[0].points, -pair[1].points, pair[0].number))
    paired = {contender.entrant for pair in pairs for contender in pair}
    resting = [Bout(contender.entrant, played=False) for contender in ranked if contender.entrant not in paired]
    seats = {contender.entrant: contender.seats for contender in ranked}
    played = [
        Bout(*seated(higher.entrant, lower.entrant, seats, is_odd=higher.number % 2 == 1)) for higher, lower in pairs
    ]
    return played + resting


@frozen
class _Rules:
    """Pairs and byes that are ruled out."""

    byes: int
    """A player with more byes gets none."""
    meetings: int
    """The most earlier meetings of two who may meet again."""
    are_seats_kept: bool

    def allow(self, one: Contender, two: Contender) -> bool:
        if one.met.count(two.entrant) > self.meetings:
            return False
        # C.3, which C.3 itself lifts for leaders in the last round.
        if not one.insists or one.insists != two.insists or not self.are_seats_kept:
            return True
        return one.is_leader or two.is_leader


def _rules(ranked: Sequence[Contender]) -> Iterator[_Rules]:
    """FIDE's rules, then weaker and weaker ones."""
    most = max((contender.met.count(rival) for contender in ranked for rival in contender.met), default=0)
    for byes in count():
        yield from (_Rules(byes, meetings, kept) for meetings, kept in product(range(most + 1), (True, False)))


class _Round:
    """ranked: the entrants to pair, the highest first."""

    def __init__(self, ranked: Sequence[Contender], rules: _Rules) -> None:
        self._ranked, self._rules = ranked, rules

    def pairs(self) -> list[Pair] | None:
        """All pairs; None if the rules allow none."""
        if not self._can_complete(self._ranked):
            return None
        groups = [list(group) for _, group in groupby(self._ranked, key=lambda contender: contender.points)]
        pairs: list[Pair] = []
        moved: list[Contender] = []
        while groups:
            inside = [*moved, *groups.pop(0)]
            below = [contender for group in groups for contender in group]
            paired = self._paired(inside, len(moved), groups[0] if groups else [])
            left = _without(inside, paired)
            # C.4: the rest must be able to pair; otherwise all below become one last bracket with this one.
            if below and not self._can_complete([*left, *below]):
                groups = [below]
                paired = self._bracket(inside, len(moved), below, self._rules.byes)
                left = _without(inside, paired)
            pairs += paired
            moved = left
        return pairs

    def _paired(self, inside: Sequence[Contender], moved: int, following: Sequence[Contender]) -> list[Pair]:
        """The best pairs of a bracket; if there is a choice, also the best for the following one (C.7)."""
        pairs = self._bracket(inside, moved, [], None if following else self._rules.byes)
        floaters = _without(inside, pairs)
        numbers = {contender.number for contender in floaters}
        # C.7 can only be improved on if somebody who floats down would be left over there.
        if following and floaters and not self._pairs_all([*floaters, *following], numbers):
            pairs = self._bracket(inside, moved, following, None)
        return pairs

    def _bracket(
        self, inside: Sequence[Contender], moved: int, below: Sequence[Contender], must_complete: int | None
    ) -> list[Pair]:
        return Bracket([*inside, *below], moved, len(inside), self._rules.allow, must_complete).pairs()

    def _can_complete(self, these: Sequence[Contender]) -> bool:
        """Whether all of these can be paired, except one who may have a bye."""
        return self._pairs_all(these, {contender.number for contender in these if contender.byes > self._rules.byes})

    def _pairs_all(self, these: Sequence[Contender], wanted: Set[int]) -> bool:
        """Whether these can be paired among themselves with at most one left over, and none of the wanted ones."""
        # Mostly so, and a graph of all pairs takes far longer.
        if self._pairs_all_at_sight(sorted(these, key=lambda contender: contender.number not in wanted), wanted):
            return True
        pairs = combinations(sorted(these, key=lambda contender: contender.number), 2)
        numbered = ((one.number, two.number) for one, two in pairs if self._rules.allow(one, two))
        edges = {pair: (1, len(wanted & {*pair})) for pair in numbered}
        left = {contender.number for contender in these}.difference(*best(edges))
        return len(left) <= 1 and left.isdisjoint(wanted)

    def _pairs_all_at_sight(self, waiting: Sequence[Contender], wanted: Set[int]) -> bool:
        """Whether greedy pairing achieves that, with the last two divided among a pair; it usually does."""
        left: list[Contender] = []
        pairs: list[Pair] = []
        while waiting:
            one, *others = waiting
            two = next((other for other in others if self._rules.allow(one, other)), None)
            if two is None:
                left.append(one)
            else:
                pairs.append((one, two))
            waiting = [other for other in others if other is not two]
        # Often the last two have met.
        if len(left) in (2, 3) and self._may_open(pairs, left[0], left[1]):
            del left[:2]
        return len(left) <= 1 and wanted.isdisjoint(contender.number for contender in left)

    def _may_open(self, pairs: Sequence[Pair], one: Contender, two: Contender) -> bool:
        """Whether there is a pair that these two can be divided among."""
        allow = self._rules.allow
        turned = [*pairs, *(pair[::-1] for pair in pairs)]
        return any(allow(one, first) and allow(two, second) for first, second in turned)


def _without(these: Sequence[Contender], pairs: Sequence[Pair]) -> list[Contender]:
    paired = {contender.entrant for pair in pairs for contender in pair}
    return [contender for contender in these if contender.entrant not in paired]
