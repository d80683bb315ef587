"""The exact end of a game: every line is played out, as far as a number of steps goes.

Four in a Row has a search of its own for that, which sees the end from fourteen stones on.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from games import AnyGame
from games.boards import Cells, Squares, bits
from games.four import Four
from games.placing import Position
from games.rules import Side
from pbm.bots.skill import Rollout, Skill, Solution, value_of


class TooFar(Exception):
    """The end of the game is too far away."""


class Tail:
    """Values and best moves of positions, each worked out once. steps: positions that may be looked at."""

    def __init__(self, game: AnyGame, steps: int) -> None:
        self._game = game
        self._steps = steps
        self._known: dict[Any, tuple[float, Any]] = {}

    def solution(self, pos: Any) -> Solution | None:
        """The truth about a position that is not over; None when the steps do not suffice."""
        try:
            value = self._value(pos)
        except (TooFar, RecursionError):
            return None
        line: list[Any] = []
        while pos in self._known:
            move = self._known[pos][1]
            line.append(move)
            pos = self._game.play(pos, move)
        return Solution(value, tuple(line))

    def _value(self, pos: Any) -> float:
        """The value of a position to the first side. Raises: TooFar."""
        if pos in self._known:
            return self._known[pos][0]
        self._steps -= 1
        if self._steps < 0:
            raise TooFar
        if (outcome := self._game.outcome(pos)) is not None:
            return value_of(outcome)
        sign = 1.0 if self._game.to_move(pos) is Side.FIRST else -1.0
        best, chosen = -2.0, None
        for move in self._game.moves(pos):
            worth = sign * self._value(self._game.play(pos, move))
            if worth > best:
                best, chosen = worth, move
            if best >= 1.0:
                break
        self._known[pos] = sign * best, chosen
        return sign * best


FREE_AT_MOST = 28
"""Free squares with which it is worth a try to solve Four in a Row."""


class Columns:
    """Four in a Row, solved by alpha-beta over two sets of stones; positions met before are not searched again.

    Values are those of the side to move: 1, 0 or -1. steps: positions that may be looked at.
    """

    def __init__(self, board: Squares, line: int, steps: int) -> None:
        self._board, self._line, self._steps = board, line, steps
        middle = (board.stride - 2) / 2
        columns = [board.rows[0] & 1 << column for column in range(board.stride - 1)]
        self._columns = sorted(
            (bit * (board.full // board.rows[0]) for bit in columns),
            key=lambda column: abs((column & -column).bit_length() - 1 - middle),
        )
        self._known: dict[tuple[Cells, Cells], tuple[int, int]] = {}

    def free(self, taken: Cells) -> int:
        return (self._board.full & ~taken).bit_count()

    def completing(self, stones: Cells) -> Cells:
        """The squares that a stone more makes a line with, and places off the board; some hold stones."""
        found = 0
        for step in self._board.steps:
            before, after = [-1], [-1]
            for distance in range(step, step * self._line, step):
                before.append(before[-1] & stones << distance)
                after.append(after[-1] & stones >> distance)
            for one, other in zip(before, reversed(after), strict=True):
                found |= one & other
        return found

    def _in_line(self, stones: Cells) -> bool:
        return bool(self.completing(stones) & stones)

    def moves(self, own: Cells, others: Cells) -> tuple[Cells, list[Cells]]:
        """Wins, and what is worth a try where there are none: an answer to a threat, or squares under none."""
        board, taken = self._board, own | others
        playable = board.full & ~taken & (taken << board.stride | board.rows[0])
        if wins := self.completing(own) & playable:
            return wins, []
        lost = self.completing(others)
        if threats := lost & playable:
            playable = threats & -threats
        else:
            playable = playable & ~(lost >> board.stride) or playable
        return 0, [bit for column in self._columns if (bit := column & playable)]

    def value(self, own: Cells, others: Cells, low: int = -1, high: int = 1) -> int:
        """Between the bounds; beyond them only a bound itself. Raises: TooFar."""
        self._steps -= 1
        if self._steps < 0:
            raise TooFar
        wins, moves = self.moves(own, others)
        if wins:
            return 1
        if not moves:
            return 0
        least, most = self._known.get((own, others), (-1, 1))
        low, high = max(low, least), min(high, most)
        if low >= high:
            return least if least >= high else most
        best, floor = -1, low
        for move in moves:
            best = max(best, -self.value(others, own | move, -high, -floor))
            floor = max(floor, best)
            if floor >= high:
                break
        self._known[own, others] = (best, most) if best >= high else (least, best) if best <= low else (best, best)
        return best

    def line(self, own: Cells, others: Cells) -> list[int]:
        """Best play to the end, or as far as the steps last. Raises: TooFar when they do not for one move."""
        line: list[int] = []
        try:
            while (choice := self._best(own, others)) is not None:
                line.append(choice.bit_length() - 1)
                if self._in_line(own | choice):
                    break
                own, others = others, own | choice
        except TooFar:
            if not line:
                raise
        return line

    def _best(self, own: Cells, others: Cells) -> Cells | None:
        wins, moves = self.moves(own, others)
        if wins:
            return wins & -wins
        values = {}
        for move in moves:
            values[move] = -self.value(others, own | move)
            if values[move] == 1:
                break
        return max(values, key=lambda move: values[move], default=None)


class FourSkill(Skill):
    """Solves what it can, stops what must be stopped, and plays out the rest at random; a search sees far."""

    full = 12_000
    explore = 0.8
    slips = (0.94, 0.38, 0.15, 0.02)
    complete = False

    def _columns(self, pos: Position, steps: int = 0) -> Columns:
        assert isinstance(self.game, Four)  # noqa: S101  this skill is for that game
        return Columns(self.game.board(pos.options), pos.options.number("line"), steps)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        wins, moves = self._columns(pos).moves(pos.own, pos.others)
        return list(bits(wins & -wins)) or [move.bit_length() - 1 for move in moves]

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game in which both take a win in one and stop one."""
        columns, own, others = self._columns(pos), pos.own, pos.others
        value = 1.0 if pos.to_move is Side.FIRST else -1.0
        while True:
            wins, moves = columns.moves(own, others)
            if wins:
                return Rollout(value)
            if not moves:
                return Rollout(0.0)
            own, others = others, own | dice.choice(moves)
            value = -value

    def solve(self, pos: Position, steps: int) -> Solution | None:
        columns = self._columns(pos, steps // 5)
        free = columns.free(pos.taken)
        if free > FREE_AT_MOST:
            return None
        try:
            value = columns.value(pos.own, pos.others)
            line = columns.line(pos.own, pos.others)
        except TooFar:
            return None
        return Solution(float(value if pos.to_move is Side.FIRST else -value), tuple(line))
