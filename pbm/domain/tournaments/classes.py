"""Large brackets of a Swiss, paired by classes of players who are alike.

A search over all pairs of a thousand players takes minutes. But the measures of a pair depend only on the classes of
the two (their points, the seats due, their floats), and there are few classes. So what the best pairs could weigh, if
everybody might meet everybody, is a small transport problem; its prices say which classes the best pairs join. Pairs
that join only these weigh as much as that bound, so none weigh more, and those that weigh as much join only these too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbm.values import frozen


@frozen
class Classes:
    """Vertices that are alike: the weight of an edge depends only on the classes of the two.

    sizes: how many are in each class and still to be paired. prices: of each class, see there.
    """

    numbers: Mapping[int, int]
    """The class of each vertex."""
    sizes: list[int]
    weights: Mapping[tuple[int, int], int]
    prices: Sequence[int]

    @classmethod
    def of(cls, members: Sequence[Sequence[int]], weights: Mapping[tuple[int, int], int]) -> Classes | None:
        """None if not all can be paired. members: the vertices of each class. weights: see prices."""
        sizes = list(map(len, members))
        found = prices(sizes, weights)
        numbers = {vertex: number for number, vertices in enumerate(members) for vertex in vertices}
        return None if found is None else cls(numbers, sizes, weights, found)

    def belong(self, one: int, two: int) -> bool:
        """Whether best pairs may join the classes of these two vertices."""
        first, second = sorted((self.numbers[one], self.numbers[two]))
        weight = self.weights.get((first, second))
        return weight is not None and 2 * weight == self.prices[first] + self.prices[second]

    def may_leave(self, one: int, two: int) -> bool:
        """Whether the others can still be as good as they can be, as far as their classes tell, without this pair."""
        sizes = list(self.sizes)
        sizes[self.numbers[one]] -= 1
        sizes[self.numbers[two]] -= 1
        found = prices(sizes, self.weights)
        return found is not None and _total(sizes, found) == _total(sizes, self.prices)

    def leave(self, one: int, two: int) -> None:
        """Count this pair as paired."""
        for vertex in (one, two):
            self.sizes[self.numbers[vertex]] -= 1


def _total(sizes: Sequence[int], prices_: Sequence[int]) -> int:
    return sum(size * price for size, price in zip(sizes, prices_, strict=True))


def prices(sizes: Sequence[int], weights: Mapping[tuple[int, int], int]) -> list[int] | None:
    """For each class, so that no pair weighs more than half the prices of its two; None if not all can be paired.

    sizes: how many are in each class, by its number. weights: of a pair of members of two classes, the smaller number
    first.
    """
    # A matching that pairs everybody is a best one if each of its pairs weighs half the prices of its two, and then so
    # do the pairs of every best one.
    import networkx  # it takes a quarter of a second and 24 MB, and only a round of a Swiss needs it

    # Each entrant stands on both sides, so that a transport problem, which has no odd circles, bounds the matching.
    both = {**weights, **{(two, one): weight for (one, two), weight in weights.items()}}
    numbers = range(len(sizes))
    graph = networkx.DiGraph()
    for number in numbers:
        graph.add_node(("from", number), demand=-sizes[number])
        graph.add_node(("to", number), demand=sizes[number])
    graph.add_edges_from((("from", one), ("to", two), {"weight": -weight}) for (one, two), weight in both.items())
    try:
        flows = networkx.network_simplex(graph)[1]
    except networkx.NetworkXUnfeasible:
        return None
    # Forth through any pair, and back through one that is used: the shortest ways are the prices of a best flow.
    ways = [(("from", one), ("to", two), -weight) for (one, two), weight in both.items()]
    ways += [(end, start, -cost) for start, end, cost in ways if flows[start][end]]
    reached = dict.fromkeys(graph, 0)
    is_settled = False
    while not is_settled:
        is_settled = True
        for start, end, cost in ways:
            if reached[start] + cost < reached[end]:
                reached[end], is_settled = reached[start] + cost, False
    return [reached["from", number] - reached["to", number] for number in numbers]


def straightest(choices: Sequence[Sequence[int]]) -> list[int] | None:
    """A different one for each row, the smallest possible for the first, then for the second, and so on.

    choices: of each row, ascending, from 0 to less than the number of rows. None if there is no such assignment.
    """
    chosen = _assigned(choices)
    if chosen is None:
        return None
    owners = {column: row for row, column in enumerate(chosen)}
    choosers = [0] * len(choices)
    for row, columns in enumerate(choices):
        for column in columns:
            choosers[column] |= 1 << row
    for row, columns in enumerate(choices):
        onward = _ways(row, chosen, choosers)
        mover = row
        step: int | None = next(column for column in columns if column in onward)
        while step is not None:  # each owner moves on, the last one to the column that the row leaves
            owner, owners[step], chosen[mover] = owners[step], mover, step
            mover, step = owner, onward[step]
    return chosen


def _ways(row: int, chosen: Sequence[int], choosers: Sequence[int]) -> dict[int, int | None]:
    """The columns that this row can take if rows below it move on; each with the column that its owner moves to.

    choosers: the rows that may take each column, as bits.
    """
    onward: dict[int, int | None] = {chosen[row]: None}
    waiting, unseen = [chosen[row]], (1 << len(chosen)) - (2 << row)
    while waiting:
        column = waiting.pop()
        found = choosers[column] & unseen
        unseen ^= found
        while found:
            other = found.bit_length() - 1
            found ^= 1 << other
            onward[chosen[other]] = column
            waiting.append(chosen[other])
    return onward


def _assigned(choices: Sequence[Sequence[int]]) -> list[int] | None:
    """Any different ones."""
    owners: dict[int, int] = {}
    for start in range(len(choices)):
        came: dict[int, int] = {}  # the row from which a column was reached
        waiting, free = [start], None
        while waiting and free is None:
            row = waiting.pop(0)
            for column in choices[row]:
                if column in came:
                    continue
                came[column] = row
                if column not in owners:
                    free = column
                    break
                waiting.append(owners[column])
        if free is None:
            return None
        _take(free, start, came, owners)
    return [column for _, column in sorted((row, column) for column, row in owners.items())]


def _take(free: int, start: int, came: Mapping[int, int], owners: dict[int, int]) -> None:
    """Give the free column to the row that reached it, that row's column to the one before it, up to the start."""
    held = {row: column for column, row in owners.items()}
    column, row = free, came[free]
    owners[column] = row
    while row != start:
        column = held[row]
        row = came[column]
        owners[column] = row
