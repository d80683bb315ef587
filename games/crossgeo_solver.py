"""The exact winner at CrossGeo: a board is the sum of its components, by the theory of sums of games.

Edges that cross, directly or through others, make a component; a pick in one never affects another. The value of an
all-green component is a nimber (Sprague and Grundy), that of any other a value in the sense of Conway. It is kept in
canonical form, so equal values are one number in a table, and are computed once. Red is Left, Blue is Right.

The steps that a solver may take limit the work for each question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count

from games.boards import bits
from games.crossgeo_boards import Edges, Graph, random_graph
from games.rules import Side
from games.steps import OutOfSteps, Steps

MAX_FAIR = 60  # finding larger ones takes too long
"""The most edges of a fair board."""

_TRIES, _STEPS = 50, 20_000
_MOST_WINNING = 3

Value = int
"""The index of a game in the table of forms."""

ZERO: Value = 0
Choices = tuple[Value, ...]


class Forms:
    """Values of games, each identified by a number. Every computation takes a step."""

    def __init__(self, steps: Steps) -> None:
        self.step = steps.take
        self._forms: list[tuple[Choices, Choices]] = []
        self._numbers: dict[tuple[Choices, Choices], Value] = {}
        self._canonical: dict[Value, Value] = {}
        self._sums: dict[tuple[Value, Value], Value] = {}
        self._nimbers = [self._numbered((), ())]
        self.at_most = cache(self._is_at_most)

    def _numbered(self, left: Iterable[Value], right: Iterable[Value]) -> Value:
        form = (tuple(sorted(set(left))), tuple(sorted(set(right))))
        if (number := self._numbers.get(form)) is None:
            number = self._numbers[form] = len(self._forms)
            self._forms.append(form)
        return number

    def nimber(self, size: int) -> Value:
        """The value of a Nim heap of this size."""
        while len(self._nimbers) <= size:
            self._nimbers.append(self._numbered(self._nimbers, self._nimbers))
        return self._nimbers[size]

    def of(self, left: Iterable[Value], right: Iterable[Value]) -> Value:
        """The canonical value of the game in which Left and Right may move to these values."""
        raw = self._numbered(left, right)
        if (value := self._canonical.get(raw)) is None:
            form, shorter = None, self._forms[raw]
            # A reversible option brings in others, which may be dominated in turn.
            while form != shorter:
                form = shorter
                shorter = self._shortened(raw, form[0], 0), self._shortened(raw, form[1], 1)
            value = self._canonical[raw] = self._numbered(*shorter)
        return value

    def _shortened(self, game: Value, options: Choices, player: int) -> Choices:
        """A player's options without dominated ones, and with reversible ones replaced."""
        kept: list[Value] = []
        for option in options:
            if all(option == other or not self._better(other, option, player) for other in options):
                kept += self._reversed(game, option, player)
        return tuple(sorted(set(kept)))

    def _better(self, one: Value, other: Value, player: int) -> bool:
        """Whether the first value is at least as good for the player as the other."""
        self.step()
        return self.at_most(one, other) if player else self.at_most(other, one)

    def _reversed(self, game: Value, option: Value, player: int) -> Iterable[Value]:
        """The replacement for an option: the options after the opponent's answer if that reverses it, else itself."""
        for answer in self._forms[option][1 - player]:
            if self._better(game, answer, player):
                return self._forms[answer][player]
        return (option,)

    def options(self, value: Value) -> tuple[Choices, Choices]:
        """The options of Left and of Right."""
        return self._forms[value]

    def _is_at_most(self, one: Value, other: Value) -> bool:
        """one <= other."""
        if one == other:
            return True
        self.step()
        if any(self.at_most(other, left) for left in self._forms[one][0]):
            return False
        return not any(self.at_most(right, one) for right in self._forms[other][1])

    def sum(self, one: Value, other: Value) -> Value:
        """The canonical value of both games side by side."""
        if ZERO in (one, other):
            return one + other  # the index of zero is 0, so this is the other's
        pair = (min(one, other), max(one, other))
        if (total := self._sums.get(pair)) is None:
            self.step()
            (a_left, a_right), (b_left, b_right) = self._forms[one], self._forms[other]
            total = self._sums[pair] = self.of(
                [self.sum(a, other) for a in a_left] + [self.sum(one, b) for b in b_left],
                [self.sum(a, other) for a in a_right] + [self.sum(one, b) for b in b_right],
            )
        return total


class Solver:
    """The values of one graph's boards, within its steps; keeps its results."""

    def __init__(self, graph: Graph, steps: Steps) -> None:
        self._crossings = graph.crossings
        self._red, self._blue = graph.of_colours("rg"), graph.of_colours("bg")
        self._forms = Forms(steps)
        self._component, self._heap = cache(self._value_of), cache(self._heap_of)

    def wins(self, standing: Edges, side: Side) -> bool:
        """Whether the side to move wins. Raises: OutOfSteps."""
        value = self.value(standing)
        if side is Side.FIRST:
            return not self._forms.at_most(value, ZERO)
        return not self._forms.at_most(ZERO, value)

    def winning_picks(self, standing: Edges, side: Side) -> list[int]:
        """The edges whose pick wins for the side to move. Raises: OutOfSteps."""
        own = standing & (self._red if side is Side.FIRST else self._blue)
        left = zip(bits(own), self._after(standing, own), strict=True)
        return [edge for edge, rest in left if not self.wins(rest, side.other)]

    def value(self, standing: Edges) -> Value:
        """The sum of the components' values. Raises: OutOfSteps."""
        total, heap = ZERO, 0
        for component in self.components(standing):
            self._forms.step()
            # Both sides have the same picks: an impartial game, whose nimber is far cheaper than a canonical form.
            if component & self._red == component & self._blue:
                heap ^= self._heap(component)
            else:
                total = self._forms.sum(total, self._component(component))
        return self._forms.sum(total, self._forms.nimber(heap))

    def components(self, standing: Edges) -> Iterator[Edges]:
        """The independent parts of a board."""
        while standing:
            whole = fresh = standing & -standing
            while fresh:
                lowest = fresh & -fresh
                beside = self._crossings[lowest.bit_length() - 1] & standing & ~whole
                whole |= beside
                fresh = fresh ^ lowest | beside
            yield whole
            standing &= ~whole

    def _after(self, standing: Edges, picks: Edges) -> Iterator[Edges]:
        """The remaining edges after each of the picks."""
        while picks:
            lowest = picks & -picks
            yield standing & ~(lowest | self._crossings[lowest.bit_length() - 1])
            picks ^= lowest

    def _value_of(self, component: Edges) -> Value:
        self._forms.step()
        return self._forms.of(
            {self.value(left) for left in self._after(component, component & self._red)},
            {self.value(left) for left in self._after(component, component & self._blue)},
        )

    def _heap_of(self, component: Edges) -> int:
        """The size of the Nim heap equal to a green component."""
        self._forms.step()
        reached = set()
        for left in self._after(component, component):
            heap = 0
            for part in self.components(left):
                heap ^= self._heap(part)
            reached.add(heap)
        return next(size for size in count() if size not in reached)


def fair_graph(number: int, seed: int, version: str) -> Graph:
    """The first fair one of some random boards; if none is fair, as with very few edges, the first one."""
    # Of boards with 12 to 60 edges one in three to one in twelve is fair.
    boards = (random_graph(number, seed * _TRIES + attempt, version) for attempt in range(_TRIES))
    return next(filter(is_fair, boards), random_graph(number, seed * _TRIES, version))


def is_fair(board: Graph) -> bool:
    """Whether the side that begins wins, and Red has at most three winning picks. False if that takes too long."""
    solver, standing = Solver(board, Steps(_STEPS)), (1 << len(board.edges)) - 1
    try:
        # With a colour that wins whoever begins, nothing would be left to play for.
        if not all(solver.wins(standing, side) for side in Side):
            return False
        return len(solver.winning_picks(standing, Side.FIRST)) <= _MOST_WINNING
    # Undecided boards are passed over, so that the same seed gives the same board on machines of every speed.
    except OutOfSteps:
        return False
