"""Loops: random completions of the grid with counted points, and exact endings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_
from random import Random

from games.boards import Cells, bits
from games.loops import Position
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Exact, Rollout, Skill, Solution

MOST_ENDS = 20_000
"""With at most this many completions of the grid, solving is tried."""

Square = tuple[int, int]


class LoopsSkill(Skill):
    """Deals the remaining squares of a random completion of the grid to both sides."""

    full = 15_000
    explore = 0.12
    rave = 250.0
    slips = (0.96, 0.54, 0.2, 0.04)

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        squares = shuffled_rest(pos, dice)
        mover = self.game.to_move(pos)
        first = list(pos.rows[0])
        for row, column in squares[mover - 1 :: 2]:
            first[row] |= 1 << column
        filled = list(pos.filled)
        for row, column in squares:
            filled[row] |= 1 << column
        margin = yellow_margin(first, filled) * (1 if pos.options.first == "yellow" else -1)
        value = max(-1.0, min(1.0, 0.8 * ((margin > 0) - (margin < 0)) + 0.02 * margin))
        return Rollout.of(value, mover, squares[::2], squares[1::2])

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        size, side = pos.options.size, self.game.to_move(pos)
        try:
            ends = completions(pos.filled)
        except OutOfSteps:
            return None
        own, others = _cells(pos.rows[side - 1]), _cells(pos.rows[side.other - 1])
        yellow = (side is Side.FIRST) == (pos.options.first == "yellow")
        return Filling(size, steps).solution((own, others, ends, yellow), side)


Rest = tuple[Cells, Cells, Sequence[Cells], bool]
"""The squares of the side to move and of the other side, all possible full grids, and whether Yellow is to move."""


class Filling(Exact[Rest]):
    """Exact endings, given all possible full grids."""

    def __init__(self, size: int, steps: Steps) -> None:
        super().__init__(steps)
        self._size = size

    def look(self, at: Rest) -> int | Sequence[tuple[Square, Rest]]:
        own, others, ends, yellow = at
        taken = own | others
        if ends[0] == taken:
            # Of four ends the parity of either side's count tells the owner.
            margin = sum(-1 if (own & four).bit_count() & 1 else 1 for four in crossed(self._size, taken))
            return ((margin > 0) - (margin < 0)) * (1 if yellow else -1)
        legal = reduce(or_, ends) & ~taken
        kids: list[tuple[Square, Rest]] = []
        for cell in bits(legal):
            square = 1 << cell
            left = [end for end in ends if end & square] if len(ends) > 1 else ends
            kids.append((divmod(cell, self._size), (others, own | square, left, not yellow)))
        # Those that leave the fewest grids decide soonest.
        return sorted(kids, key=lambda kid: len(kid[1][2]))


def _cells(rows: Sequence[int]) -> Cells:
    return sum(line << row * len(rows) for row, line in enumerate(rows))


def completions(filled: Sequence[int]) -> list[Cells]:
    """All full grids that a position can lead to, built by rows. Raises: OutOfSteps if there are too many."""
    size = len(filled)
    filled_once = filled_twice = 0
    for line in filled:
        filled_twice |= filled_once & line
        filled_once |= line
    full = (1 << size) - 1
    # The columns with room for one more square and for two, and the grid so far.
    grids = [(full & ~filled_twice, full & ~filled_once, 0)]
    for row, line in enumerate(filled):
        further = []
        for once, twice, grid in grids:
            free = [1 << column for column in bits(once & ~line)]
            for chosen in map(sum, combinations(free, 2 - line.bit_count())):
                left = once & ~chosen | twice & chosen, twice & ~chosen
                further.append((*left, grid | (line | chosen) << row * size))
            if len(further) > MOST_ENDS:
                raise OutOfSteps
        grids = further
    return [grid for once, _, grid in grids if not once]


@lru_cache(MOST_ENDS)
def crossed(size: int, grid: Cells) -> list[Cells]:
    """The four ends of each crossing of a full grid."""
    across, down = (1 << size) - 1, sum(1 << row * size for row in range(size))
    rows = [grid & across << row * size for row in range(size)]
    columns = [grid & down << column for column in range(size)]
    return [
        row | column
        for number, row in enumerate(rows)
        for place, column in enumerate(columns)
        if all(line & -line < 1 << number * size + place < line & line - 1 for line in (row, column))
    ]


def shuffled_rest(pos: Position, dice: Random) -> list[Square]:
    """Squares that complete the grid, in random order: those of the position's completion, randomly swapped."""
    rows = list(pos.completion)
    rest = [
        (row, column)
        for row, (whole, filled) in enumerate(zip(rows, pos.filled, strict=True))
        for column in range(pos.options.size)
        if (whole & ~filled) >> column & 1
    ]
    dice.shuffle(rest)
    last = len(rest) - 1
    for at in range(last):
        other = int(dice.random() * last)
        (row, column), (row2, column2) = rest[at], rest[other]
        # Unless one of the rows has the square already.
        if not (rows[row] >> column2 & 1 or rows[row2] >> column & 1):
            rows[row] ^= 1 << column | 1 << column2
            rows[row2] ^= 1 << column | 1 << column2
            rest[at], rest[other] = (row, column2), (row2, column)
    return rest


def yellow_margin(own: list[int], filled: list[int]) -> int:
    """Yellow's points minus Purple's on a full grid. own: the squares of one side, an integer for each row."""
    odd_columns = covering = begun = margin = 0
    for row in own:
        odd_columns ^= row
    for mine, line in zip(own, filled, strict=True):
        covering ^= line & begun  # the lines of columns whose second square is in this row end here
        low = line & -line
        between = (line ^ low) - (low << 1)
        crossed = between & covering
        odd = (crossed & odd_columns).bit_count()
        even = crossed.bit_count() - odd
        # Of a crossing's four ends two are its row's and two its column's: it is Yellow's if both numbers of yellow
        # squares are even, or both odd.
        margin += even - odd if mine.bit_count() % 2 == 0 else odd - even
        covering |= line & ~begun
        begun |= line
    return margin
