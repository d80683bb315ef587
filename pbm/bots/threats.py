"""Games of lines: wins in one, what must be stopped, and no move that loses at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import tanh
from random import Random

from games.boards import Cells, Squares, bits, union
from games.gomoku import Gomoku
from games.placing import Placing, Position
from games.rules import Side
from pbm.bots.skill import Skill

_WORTH = (0, 1, 4, 16, 60, 0)
"""Of a window of five points that only one side has stones in, by how many."""


_GROWN, _STOPPED = (0, 2, 8, 40, 400), (0, 1, 6, 30, 300)
"""What a stone is worth in such a window: of its own side's stones, and of the other's."""
WIDTH = 12
"""Points that are looked at in one position."""


@cache
def windows(board: Squares) -> tuple[Cells, ...]:
    """All sets of five points in a line."""
    rays = [(cell, ray[:4]) for cell in board.indices for ray in board.rays[cell] if len(ray) >= 4 and ray[0] > cell]
    return tuple(union((cell, *ray)) for cell, ray in rays)


class GomokuSkill(Skill):
    """Makes five, stops five, looks where most lines grow or are stopped, and counts lines for the rest."""

    full = 5000
    explore = 0.08
    least = 60
    ordered = True
    complete = False
    slips = (0.05, 0.012, 0.005, 0.002)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        assert isinstance(self.game, Gomoku)  # noqa: S101  this skill is for that game
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
        assert isinstance(self.game, Gomoku)  # noqa: S101
        (first, second), total = pos.stones, 0
        mover = 1 if pos.to_move is Side.FIRST else -1
        for window in windows(self.game.board(pos.options)):
            mine, theirs = window & first, window & second
            if mine and not theirs:
                total += _WORTH[mine.bit_count()] * (3 + mover)
            elif theirs and not mine:
                total -= _WORTH[theirs.bit_count()] * (3 - mover)
        return 0.98 * tanh(total / 250)


class YavalathSkill(Skill):
    """Makes four, stops four, and never three if it can be helped; random games for the rest."""

    slips = (0.48, 0.28, 0.15, 0.03)
    full = 1500
    rave = 40.0
    explore = 0.4

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        assert isinstance(self.game, Placing)  # noqa: S101
        free = self.game.board(pos.options).full & ~pos.taken
        wins, losses = self._ends(pos.own, free, pos)
        threats, _ = self._ends(pos.others, free, pos)
        return list(bits(wins & -wins or threats or free & ~losses or free))

    def _ends(self, stones: Cells, free: Cells, pos: Position) -> tuple[Cells, Cells]:
        """Where a stone makes four in a line, and where three and no more."""
        assert isinstance(self.game, Placing)  # noqa: S101
        board, wins, losses = self.game.board(pos.options), 0, 0
        for cell in bits(board.grow(stones) & free):
            length = max(run.bit_count() for run in board.runs(cell, stones | 1 << cell))
            wins |= (length >= 4) << cell
            losses |= (length == 3) << cell
        return wins, losses
