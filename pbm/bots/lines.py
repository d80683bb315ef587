"""Games of lines: wins in one, what must be stopped, and no move that loses at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import tanh
from random import Random

from games.boards import Cells, Hexes, Squares, bits, union
from games.gomoku import Gomoku
from games.placing import Position
from games.rules import Side
from games.steps import Steps
from pbm.bots.exact import Stones
from pbm.bots.skill import Skill, Solution
from pbm.bots.threats import Prospects, Threats, ThreatSkill

_WORTH = (0, 1, 4, 16, 60, 0)
"""Of a window of five points that only one side has stones in, by how many."""


_GROWN, _STOPPED = (0, 2, 8, 40, 400), (0, 1, 6, 30, 300)
"""What a stone is worth in such a window: of its own side's stones, and of the other's."""
WIDTH = 12
"""Points that are looked at in one position."""


FREE_AT_MOST = 18
"""Free cells with which it is worth a try to solve Yavalath."""


@cache
def windows(board: Squares) -> tuple[Cells, ...]:
    """All sets of five points in a line."""
    rays = [(cell, ray[:4]) for cell in board.indices for ray in board.rays[cell] if len(ray) >= 4 and ray[0] > cell]
    return tuple(union((cell, *ray)) for cell, ray in rays)


class GomokuSkill(Skill):
    """Makes five, stops five, looks where most lines grow or are stopped, and counts lines for the rest."""

    game: Gomoku
    full = 5000
    explore = 0.08
    least = 60
    ordered = True
    complete = False
    slips = (0.02, 0.006, 0.005, 0.002)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        board, exact = self.game.board(pos.options), pos.options.choice("exact") == "yes"
        free, own, others = board.full & ~pos.taken, pos.own, pos.others
        wins = threats = 0
        worth: dict[int, int] = {}
        for window in windows(board):
            mine, theirs = window & own, window & others
            if bool(mine) == bool(theirs):
                continue
            stones = (mine or theirs).bit_count()
            left = window & free
            if stones == 4 and not exact:  # a sixth stone does nothing there
                wins, threats = (wins | left, threats) if mine else (wins, threats | left)
            gain = _GROWN[stones] if mine else _STOPPED[stones]
            for cell in bits(left):
                worth[cell] = worth.get(cell, 0) + gain
        if wins or threats:
            return list(bits(wins & -wins or threats))
        best = sorted(worth, key=lambda cell: (-worth[cell], cell))[:WIDTH]
        return best or list(bits(free))

    def evaluate(self, pos: Position) -> float:
        (first, second), total = pos.stones, 0
        mover = 1 if pos.to_move is Side.FIRST else -1
        for window in windows(self.game.board(pos.options)):
            mine, theirs = window & first, window & second
            if mine and not theirs:
                total += _WORTH[mine.bit_count()] * (3 + mover)
            elif theirs and not mine:
                total -= _WORTH[theirs.bit_count()] * (3 - mover)
        return 0.98 * tanh(total / 250)


class Runs(Threats):
    """A board of Yavalath: fours win, threes lose."""

    def __init__(self, board: Hexes) -> None:
        super().__init__(board.full)
        self._lines = {1 << cell: [_through(board, cell, length) for length in (4, 3)] for cell in board.indices}

    def opened(self, move: Cells, stones: Cells, before: Prospects) -> Prospects:
        fours, threes, *_ = before
        of_four, of_three = self._lines[move]
        for line in of_four:
            left = line & ~stones
            if not left & left - 1:
                fours |= left
        for line in of_three:
            left = line & ~stones
            if not left & left - 1:
                threes |= left
        return fours, threes


def _through(board: Hexes, cell: int, length: int) -> tuple[Cells, ...]:
    """The lines of so many cells that a cell is part of."""
    starts = [(cell - back * step, step) for step in board.steps for back in range(length)]
    lines = [[start + at * step for at in range(length)] for start, step in starts]
    return tuple(union(line) for line in lines if min(line) >= 0 and not union(line) & ~board.full)


runs = cache(Runs)


class YavalathSkill(ThreatSkill):
    """Makes four, stops four, and never three if it can be helped, in random games, too."""

    slips = (0.74, 0.44, 0.22, 0.06)
    full = 1500
    rave = 40.0
    explore = 0.4
    threats = staticmethod(runs)

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        here, *_ = self.here(pos)
        if (here.full & ~pos.taken).bit_count() > FREE_AT_MOST:
            return None
        at = pos.own, pos.others, pos.to_move
        return Stones(here.full, lambda stones, _: here.prospects(stones)[:2], steps.of(2)).solution(at, pos.to_move)
