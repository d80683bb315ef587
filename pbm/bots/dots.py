"""Dots and Boxes: chains and loops counted exactly, by the theory of Nimstring, and the end of the game solved.

A line is safe if it leaves no box with one line missing. When no safe line is left, the side to move must open a chain
or a loop. The other side takes all of it, or declines the last two boxes of a chain, or four of a loop, so as not to
have to open the next one. The result follows from the lengths alone. So a random game plays all safe lines and then
counts. Most games are decided by whether the number of long chains is odd or even, and this method sees that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import tanh
from random import Random

from games.boards import Cells, Points, bits
from games.dots import Dots, Position, sides_of
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Rollout, Skill, Solution, completing

SOLVED_FROM = 32
"""With this many lines left, solving is tried."""

Parts = tuple[int, ...]
"""The boxes of each chain, and of each loop as a negative number, sorted."""


@cache
def opened(parts: Parts) -> int:
    """The boxes of the side that must open one of the parts, minus those of the other side, with best play by both.

    Worked examples: (1,) -> -1; (3,) -> -3; (3, 3) -> -2, because the other side keeps control for the second one.
    """
    values = []
    for at, part in enumerate(parts):
        boxes, rest = abs(part), opened(parts[:at] + parts[at + 1 :])
        worth = boxes + rest
        # Declining leaves four boxes of a loop, or two of a chain; a chain of two or less cannot be declined.
        if part < 0 or part > 2:
            worth = max(worth, boxes - (8 if part < 0 else 4) - rest)
        values.append(-worth)
    return max(values, default=0)


class Grid:
    """The lines and boxes of one board. beside: the boxes of each line. boxes: the lines of each box."""

    def __init__(self, board: Points) -> None:
        sides = sides_of(board)
        lines = {box: around for boxes in sides for box, around in boxes}
        numbers = {box: number for number, box in enumerate(lines)}
        self.boxes = tuple(lines.values())
        self.beside = tuple(tuple(numbers[box] for box, _ in boxes) for boxes in sides)
        self.full = (1 << len(sides)) - 1

    def closing(self, drawn: Cells) -> Cells:
        """The lines that close a box."""
        return completing(self.boxes, drawn)

    def safe(self, drawn: Cells) -> Cells:
        """The lines that close no box, and leave none with only one line missing."""
        unsafe = 0
        for box in self.boxes:
            left = box & ~drawn
            if left.bit_count() == 2:
                unsafe |= left
        return self.full & ~drawn & ~unsafe & ~self.closing(drawn)

    def parts(self, drawn: Cells) -> list[tuple[int, Cells]]:
        """Chains and loops of boxes with two lines missing: the number of boxes, negative for loops, and the lines."""
        missing = {number: left for number, box in enumerate(self.boxes) if (left := box & ~drawn).bit_count() == 2}
        parts = []
        while missing:
            number, lines = missing.popitem()
            boxes, fresh = {number}, [number]
            while fresh:
                for line in bits(self.boxes[fresh.pop()] & ~drawn):
                    for other in self.beside[line]:
                        if other in missing:
                            lines |= missing.pop(other)
                            boxes.add(other)
                            fresh.append(other)
            # A chain has one line more than boxes.
            loop = len(boxes) > 3 and lines.bit_count() == len(boxes)
            parts.append((-len(boxes) if loop else len(boxes), lines))
        return parts

    def missing(self, drawn: Cells) -> list[int]:
        """How many lines each box lacks."""
        return [(lines & ~drawn).bit_count() for lines in self.boxes]

    def lengths(self, drawn: Cells) -> tuple[int, ...]:
        """The boxes of each chain and loop, as in `parts`, in order."""
        return tuple(sorted(boxes for boxes, _ in self.parts(drawn)))


grid = cache(Grid)


class Strings:
    """Exact endings. Values: the boxes the side to move still gets, minus the other's. steps: positions to visit."""

    def __init__(self, board: Grid, steps: Steps) -> None:
        self._grid, self._steps = board, steps
        self._values = {board.full: 0}

    def value(self, drawn: Cells) -> int:
        """Raises: OutOfSteps."""
        if drawn not in self._values:
            self._steps.take()
            self._values[drawn] = max(self.worth(drawn, line) for line in self.choices(drawn))
        return self._values[drawn]

    def worth(self, drawn: Cells, line: int) -> int:
        """The value of drawing a line, for the side that draws it. Raises: OutOfSteps."""
        after = drawn | 1 << line
        closed = sum(not self._grid.boxes[box] & ~after for box in self._grid.beside[line])
        return closed + self.value(after) if closed else -self.value(after)

    def choices(self, drawn: Cells) -> list[int]:
        """Lines that include a best one."""
        closing = self._grid.closing(drawn)
        if not closing:
            return self._openings(drawn)
        declining = 0
        for line in bits(closing):
            further = self._lacking_two(line, drawn)
            # A box that leads to no other can be taken at no cost.
            if not further:
                return [line]
            declining |= further[0] & ~(1 << line)
        return [(closing & -closing).bit_length() - 1, *bits(declining & ~closing)]

    def _openings(self, drawn: Cells) -> list[int]:
        """The safe lines, and one line of each chain and loop; of a chain of two, the one between its boxes."""
        chosen = self._grid.safe(drawn)
        for boxes, lines in self._grid.parts(drawn):
            between = [line for line in bits(lines) if len(self._lacking_two(line, drawn)) == 2]
            line = between[0] if boxes != 1 and between else lines.bit_length() - 1
            chosen |= 1 << line
        return list(bits(chosen))

    def _lacking_two(self, line: int, drawn: Cells) -> list[Cells]:
        """The lines left of each box beside a line that lacks two."""
        left = (self._grid.boxes[box] & ~drawn for box in self._grid.beside[line])
        return [lines for lines in left if lines.bit_count() == 2]


class DotsSkill(Skill):
    """Plays safe lines at random, then counts chains; solves the end."""

    game: Dots
    full = 6000
    explore = 0.5
    slips = (0.9, 0.6, 0.22, 0.02)
    complete = False

    def _grid(self, pos: Position) -> Grid:
        return grid(self.game.board(pos.options))

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """The lines that may be best: boxes that cost nothing are taken at once, and chains offer one line each."""
        return Strings(self._grid(pos), Steps(0)).choices(pos.drawn)

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        board, drawn, mover = self._grid(pos), pos.drawn, pos.mover.sign
        margin = pos.boxes[0].bit_count() - pos.boxes[1].bit_count()
        missing = board.missing(drawn)
        safe = list(bits(board.full & ~drawn))
        dice.shuffle(safe)
        closing = [box for box, left in enumerate(missing) if left == 1]
        while safe or closing:
            # Boxes are taken first: what is gained now cannot be lost, and the turn stays.
            line = (board.boxes[closing.pop()] & ~drawn).bit_length() - 1 if closing else safe.pop()
            if line < 0 or drawn >> line & 1:
                continue  # drawn meanwhile, to close a box
            beside = board.beside[line]
            if min(map(missing.__getitem__, beside)) == 2:
                continue  # it would offer a box; no line that does is drawn before the count at the end
            drawn, closed = drawn | 1 << line, 0
            for box in beside:
                missing[box] -= 1
                closed += not missing[box]
                if missing[box] == 1:
                    closing.append(box)
            margin += closed * mover
            mover = mover if closed else -mover
        margin += mover * opened(board.lengths(drawn))
        return Rollout(0.9 * ((margin > 0) - (margin < 0)) + 0.1 * tanh(margin / 5))

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        board = self._grid(pos)
        if (board.full & ~pos.drawn).bit_count() > SOLVED_FROM:
            return None
        strings = Strings(board, steps.of(8))
        line: list[int] = []
        drawn, mover = pos.drawn, pos.mover.sign
        margin = pos.boxes[0].bit_count() - pos.boxes[1].bit_count()
        try:
            margin += mover * strings.value(drawn)
            while drawn != board.full:
                line.append(max(strings.choices(drawn), key=partial(strings.worth, drawn)))
                drawn |= 1 << line[-1]
        except OutOfSteps:
            return None
        return Solution(float((margin > 0) - (margin < 0)), tuple(line))
