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


@cache
def windows(board: Squares) -> tuple[Cells, ...]:
    """All sets of five points in a line."""
    rays = [(cell, ray[:4]) for cell in board.indices for ray in board.rays[cell] if len(ray) >= 4 and ray[0] > cell]
    return tuple(union((cell, *ray)) for cell, ray in rays)


class GomokuSkill(Skill):
    """Looks near the stones, makes five, stops five, and counts lines that can still become five."""

    full = 15_000
    explore = 0.3
    least = 400
    slips = (0.03, 0.019, 0.0085, 0.004)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        assert isinstance(self.game, Gomoku)  # noqa: S101  this skill is for that game
        board = self.game.board(pos.options)
        free = board.full & ~pos.taken
        wins, threats = self._fifths(board, pos.own, free), self._fifths(board, pos.others, free)
        near = board.grow_all(board.grow_all(pos.taken)) & free if pos.taken else 0
        if pos.options.choice("exact") == "yes":  # a sixth stone does nothing
            wins = threats = 0
        return list(bits(wins & -wins or threats or near or free))

    def _fifths(self, board: Squares, stones: Cells, free: Cells) -> Cells:
        """The points that complete a window of five."""
        found = 0
        for window in windows(board):
            left = window & ~stones
            if not left & left - 1 and left & free:
                found |= left
        return found

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
