"""Four in a Row: threats and the squares under them, and the exact end by alpha-beta."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cache, reduce
from operator import or_
from random import Random

from games.boards import Cells, Squares, bits, union
from games.four import Four
from games.placing import Position
from games.rules import Side
from games.steps import Steps
from pbm.bots.exact import Exact
from pbm.bots.skill import Rollout, Skill, Solution

FREE_AT_MOST = 34
"""Free squares with which it is worth a try to solve Four in a Row."""


class Opened(dict[Cells, Cells]):
    """What a stone on a square opens, by the stones of its side around it: each case is worked out once."""

    def __init__(self, move: Cells, lines: Iterable[Cells]) -> None:
        self._lines = [line & ~move for line in lines if line & move]
        self.around = reduce(or_, self._lines, 0)

    def __missing__(self, stones: Cells) -> Cells:
        left = (line & ~stones for line in self._lines)
        self[stones] = found = reduce(or_, (square for square in left if not square & square - 1), 0)
        return found


class Columns:
    """A board of Four in a Row, and what its sides can do at once.

    The open squares of a side are those that complete a line of theirs; some hold stones of the other side.
    """

    def __init__(self, board: Squares, line: int) -> None:
        self._board = board
        rays = [(cell, ray) for cell in board.indices for ray in board.rays[cell] if len(ray) >= line - 1]
        lines = {union((cell, *ray[: line - 1])) for cell, ray in rays}
        self._opened = {1 << cell: Opened(1 << cell, lines) for cell in board.indices}
        middle = (board.stride - 2) / 2
        columns = [board.rows[0] & 1 << column for column in range(board.stride - 1)]
        self._columns = sorted(
            (bit * (board.full // board.rows[0]) for bit in columns),
            key=lambda column: abs((column & -column).bit_length() - 1 - middle),
        )

    def free(self, taken: Cells) -> int:
        return (self._board.full & ~taken).bit_count()

    def open(self, stones: Cells) -> Cells:
        """The open squares of a side."""
        return reduce(or_, (self.opened(1 << cell, stones) for cell in bits(stones)), 0)

    def opened(self, move: Cells, stones: Cells) -> Cells:
        """The squares that a side's stone opens, or had opened before. stones: all of the side."""
        known = self._opened[move]
        return known[stones & known.around]

    def under(self, squares: Cells) -> Cells:
        """The squares right below others."""
        return squares >> self._board.stride

    def moves(self, taken: Cells, mine: Cells, theirs: Cells) -> tuple[Cells, list[Cells]]:
        """Wins, and what is worth a try where there are none: an answer to a threat, or squares under none.

        mine, theirs: the open squares of the side to move, and of the other one.
        """
        board = self._board
        playable = board.full & ~taken & (taken << board.stride | board.rows[0])
        if wins := mine & playable:
            return wins, []
        threats = theirs & playable
        playable = threats & -threats or playable & ~self.under(theirs) or playable
        return 0, [bit for column in self._columns if (bit := column & playable)]


_columns = cache(Columns)


Drop = tuple[Cells, Cells, Cells, Cells]
"""The stones of the side to move and of the other one, and the open squares of both."""


class Drops(Exact[Drop]):
    """The end of a game of Four in a Row, those moves first that leave the most open squares."""

    def __init__(self, columns: Columns, steps: Steps) -> None:
        super().__init__(steps)
        self._columns = columns

    def key(self, at: Drop) -> Hashable:
        return at[:2]

    def look(self, at: Drop) -> int | Sequence[tuple[int, Drop]]:
        own, others, mine, theirs = at
        wins, moves = self._columns.moves(own | others, mine, theirs)
        if wins or not moves:
            return 1 if wins else 0
        opened = {move: mine | self._columns.opened(move, own) for move in moves}
        if len(moves) > 1:
            moves.sort(key=lambda move: -(opened[move] & ~others).bit_count())
        return [(move.bit_length() - 1, (others, own | move, theirs, opened[move])) for move in moves]

    def rest(self, at: Drop) -> Sequence[int]:
        """A win in one, if there is one."""
        own, others, mine, theirs = at
        wins, _ = self._columns.moves(own | others, mine, theirs)
        return [next(bits(wins))] if wins else []


class FourSkill(Skill):
    """Solves what it can, stops what must be stopped, and plays out the rest at random; a search sees far."""

    game: Four
    full = 12_000
    explore = 0.8
    slips = (0.94, 0.38, 0.15, 0.02)

    def _columns(self, pos: Position) -> Columns:
        return _columns(self.game.board(pos.options), pos.options.number("line"))

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        columns = self._columns(pos)
        wins, moves = columns.moves(pos.taken, columns.open(pos.own), columns.open(pos.others))
        return list(bits(wins & -wins)) or [move.bit_length() - 1 for move in moves]

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game in which both take a win in one and stop one, and fill up no square under an open one of theirs
        while they can help it: so it shows who must give way in the end.
        """
        columns, own, others = self._columns(pos), pos.own, pos.others
        mine, theirs = columns.open(own), columns.open(others)
        value, chance = 1.0 if pos.to_move is Side.FIRST else -1.0, dice.random
        while True:
            wins, moves = columns.moves(own | others, mine, theirs)
            if wins:
                return Rollout(value)
            if not moves:
                return Rollout(0.0)
            if wasted := columns.under(mine):
                moves = [move for move in moves if not move & wasted] or moves
            move = moves[int(chance() * len(moves))]
            own, others, mine, theirs = others, own | move, theirs, mine | columns.opened(move, own)
            value = -value

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        columns = self._columns(pos)
        if columns.free(pos.taken) > FREE_AT_MOST:
            return None
        at = pos.own, pos.others, columns.open(pos.own), columns.open(pos.others)
        return Drops(columns, steps).solution(at, pos.to_move)
