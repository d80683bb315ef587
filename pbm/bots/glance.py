"""Games judged by a static evaluation of the board instead of random games.

A value is the tanh of a sum of the first side's advantages over the second's. Each evaluation is a few lines; the tree
search does the rest, and proves what it can.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import tanh
from random import Random
from typing import Any

from games.boards import Cells, Squares, bits
from games.breakthrough import Breakthrough
from games.moving import Moving, Path
from games.moving import Position as Moved
from games.placing import Position as Placed
from games.reversi import Reversi
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Exact, Skill, Solution, value_of


class GlanceSkill(Skill):
    """Judges positions by `balance`, which each game defines."""

    full = 6000
    explore = 0.3
    least = 40
    slips = (0.1, 0.055, 0.025, 0.005)

    def balance(self, pos: Any) -> float:
        """The first side's advantage over the second; 1 is a clear advantage."""
        raise NotImplementedError

    def evaluate(self, pos: Any) -> float:
        return 0.98 * tanh(self.balance(pos) + 0.05 * self.game.to_move(pos).sign)


class BreakthroughSkill(GlanceSkill):
    """Counts pawns and how far they have advanced; a pawn that no opposing one can stop wins."""

    game: Breakthrough
    least = 120
    slips = (0.08, 0.055, 0.033, 0.007)

    def balance(self, pos: Moved) -> float:
        rows = self.game.board(pos.options).rows
        total = 0.0
        for number, row in enumerate(rows):
            first, second = ((pieces & row).bit_count() for pieces in pos.pieces)
            advanced, to_go = number / len(rows), 1 - (number + 1) / len(rows)
            total += first * (2 + advanced**3 * 5) - second * (2 + to_go**3 * 5)
        return total / 10


class LoaSkill(GlanceSkill):
    """Counts how close a side's pieces are to their centre, and their groups."""

    game: Moving
    least = 120
    explore = 0.08
    slips = (0.09, 0.06, 0.035, 0.015)

    def balance(self, pos: Moved) -> float:
        board = self.game.board(pos.options)
        first, second = (_scattered(board, pieces) for pieces in pos.pieces)
        return (second - first) / 2

    def obvious(self, pos: Moved) -> Solution | None:
        """A move that joins all pieces of the side to move, if it has one."""
        board = self.game.board(pos.options)
        # The piece that moves may be a group by itself.
        if len(_groups(board, pos.own)) > MOST_JOINED + 1:
            return None
        for start in bits(pos.own):
            rest = _groups(board, pos.own ^ 1 << start)
            for path in self.game.paths_from(pos, start) if len(rest) <= MOST_JOINED else ():
                around = board.grow_all(1 << path[-1])
                if all(around & group for group in rest):
                    return Solution(float(pos.mover.sign), (path,))
        return None

    def solve(self, pos: Moved, steps: Steps) -> Solution | None:
        with suppress(OutOfSteps):
            steps.take()
            return self.obvious(pos)
        return None


MOST_JOINED = 4
"""The most groups of pieces that one more piece can join."""


def _groups(board: Squares, pieces: Cells) -> list[Cells]:
    """The groups of connected pieces, including diagonal neighbours."""
    groups = []
    while pieces:
        group = pieces & -pieces
        while (grown := board.grow_all(group) & pieces) != group:
            group = grown
        groups.append(group)
        pieces ^= group
    return groups


def _scattered(board: Squares, pieces: Cells) -> float:
    """The mean distance from the centre of the pieces, less what their number makes unavoidable, and their groups."""
    places = [divmod(cell, board.stride) for cell in bits(pieces)]
    row, column = (sum(place[axis] for place in places) / len(places) for axis in (0, 1))
    apart = sum(max(abs(place[0] - row), abs(place[1] - column)) for place in places) / len(places)
    unavoidable: float = len(places) ** 0.5 / 3
    return apart - unavoidable + len(_groups(board, pieces)) / 3


class MorrisSkill(GlanceSkill):
    """Counts men, and points to move to."""

    game: Moving
    least = 120
    slips = (0.76, 0.42, 0.27, 0.11)

    def balance(self, pos: Moved) -> float:
        board = self.game.board(pos.options)
        first, second = pos.pieces
        free = board.full & ~first & ~second
        room = (board.around(first) & free).bit_count() - (board.around(second) & free).bit_count()
        return (first.bit_count() - second.bit_count()) * 0.45 + room * 0.05


class AmazonsSkill(GlanceSkill):
    """Counts squares that one side's queens reach in fewer moves. Tries only the best moves of a sample."""

    game: Moving
    full = 2500
    explore = 0.08
    ordered = True
    complete = False
    sampled = 200
    kept = 40
    least = 60
    slips = (0.15, 0.105, 0.08, 0.04)

    def balance(self, pos: Moved) -> float:
        board = self.game.board(pos.options)
        free = board.full & ~pos.pieces[0] & ~pos.pieces[1] & ~pos.walls
        reached, total, left = list(pos.pieces), 0, free
        for _ in range(4):
            fresh = [_by_queens(board, cells, free) & left for cells in reached]
            total += (fresh[0] & ~fresh[1]).bit_count() - (fresh[1] & ~fresh[0]).bit_count()
            left &= ~(fresh[0] | fresh[1])
            reached = [cells | more for cells, more in zip(reached, fresh, strict=True)]
        return total / 8

    def moves(self, pos: Moved, dice: Random) -> Sequence[Path]:
        moves = list(super().moves(pos, dice))
        if len(moves) > self.sampled:
            moves = dice.sample(moves, self.sampled)
        sign = pos.mover.sign
        return sorted(moves, key=lambda move: -sign * self.balance(self.game.play(pos, move)))[: self.kept]


def _by_queens(board: Squares, cells: Cells, free: Cells) -> Cells:
    """The free squares that a queen on one of the cells reaches in one move."""
    reached = 0
    for step in board.steps:
        for way in (step, -step):
            run = cells
            while run := (run << way if way > 0 else run >> -way) & free:
                reached |= run
    return reached


SOLVED_FROM = 13
"""With at most this many free squares, solving Reversi is tried."""


class ReversiSkill(GlanceSkill):
    """Counts corners and legal moves; solves the end."""

    game: Reversi
    slips = (0.155, 0.08, 0.04, 0.018)

    def balance(self, pos: Placed) -> float:
        board = self.game.board(pos.options)
        corners = sum(row & -row | 1 << row.bit_length() - 1 for row in (board.rows[0], board.rows[-1]))
        first, second = pos.stones
        free = board.full & ~first & ~second
        beside = board.grow_all(corners & free) & ~corners
        moves = [self.game.legal(replace(pos, to_move=side)).bit_count() for side in Side]
        taken: int = (first & corners).bit_count() - (second & corners).bit_count()
        risked = (first & beside).bit_count() - (second & beside).bit_count()
        return 0.06 * (moves[0] - moves[1]) + 0.5 * taken - 0.12 * risked

    def solve(self, pos: Placed, steps: Steps) -> Solution | None:
        left = (self.game.board(pos.options).full & ~pos.taken).bit_count()
        return Discs(self.game, steps.of(8)).solution(pos, pos.to_move) if left <= SOLVED_FROM else None


class Discs(Exact[Placed]):
    """Exact endings of Reversi; moves that leave the fewest replies are tried first."""

    def __init__(self, game: Reversi, steps: Steps) -> None:
        super().__init__(steps)
        self._game = game

    def key(self, at: Placed) -> Hashable:
        return at.stones, at.to_move

    def look(self, at: Placed) -> int | Sequence[tuple[int, Placed]]:
        if (outcome := self._game.outcome(at)) is not None:
            return at.to_move.sign * round(value_of(outcome))
        kids = [(move, self._game.play(at, move)) for move in self._game.moves(at)]
        return sorted(kids, key=lambda kid: self._game.legal(kid[1]).bit_count())
