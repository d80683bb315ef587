"""The exact end of a game, as far as steps go: the line is followed that could settle it soonest.

Four in a Row has a search of its own for that, which sees the end from fourteen stones on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from games import AnyGame
from games.boards import Cells, Squares, bits, union
from games.four import Four
from games.placing import Position
from games.rules import Side
from pbm.bots.exact import TooFar
from pbm.bots.skill import Rollout, Skill, Solution


class Claim:
    """A position in the tree of a proof, and its moves that are worth a look."""

    __slots__ = ("kids", "moves", "pos", "size", "to_lose", "to_win")

    def __init__(self, pos: Any, moves: Sequence[Any], won: bool) -> None:
        self.pos, self.moves, self.kids, self.size = pos, moves, list[Claim](), 1
        self.to_win, self.to_lose = (1, len(moves)) if moves else (0, _NEVER) if won else (_NEVER, 0)
        """The fewest positions that could show it won, or lost, for the side to move; 0 where that is shown."""

    @property
    def settled(self) -> bool:
        return not self.to_win or not self.to_lose

    def count(self) -> None:
        self.to_win = min(kid.to_lose for kid in self.kids)
        self.to_lose = min(sum(kid.to_win for kid in self.kids), _NEVER)
        self.size = 1 + sum(kid.size for kid in self.kids)

    def next(self) -> int:
        """The move to look into, or to play once all is settled: a win, or of losses what took longest to show."""
        return min(range(len(self.kids)), key=lambda at: (self.kids[at].to_lose, -self.settled * self.kids[at].size))


_NEVER = 1 << 60


class Proof:
    """Who wins a game without draws, by proof numbers (Allis): the line is followed that could settle it soonest.

    steps: positions that may be looked at.
    """

    def __init__(self, game: AnyGame, steps: int) -> None:
        self._game, self._steps = game, steps

    def solution(self, pos: Any, moves: Sequence[Any] = ()) -> Solution | None:
        """The truth about a position that is not over; None when the steps do not suffice.

        moves: those that may be played in it, if not all.
        """
        root = self._claim(pos, moves)
        while not root.settled:
            path = [root]
            while path[-1].kids:
                path.append(path[-1].kids[path[-1].next()])
            leaf = path[-1]
            self._steps -= len(leaf.moves)
            if self._steps < 0:
                return None
            leaf.kids = [self._claim(self._game.play(leaf.pos, move)) for move in leaf.moves]
            for claim in reversed(path):
                claim.count()
        won = (self._game.to_move(pos) is Side.FIRST) is (root.to_win == 0)
        return Solution(1.0 if won else -1.0, tuple(self._line(root)))

    def _claim(self, pos: Any, moves: Sequence[Any] = ()) -> Claim:
        outcome = self._game.outcome(pos)
        if not moves and outcome is None:
            moves = list(self._game.moves(pos))
        return Claim(pos, moves, outcome is not None and outcome.winner is self._game.to_move(pos))

    def _line(self, claim: Claim) -> Iterator[Any]:
        while claim.kids:
            at = claim.next()
            yield claim.moves[at]
            claim = claim.kids[at]


FREE_AT_MOST = 34
"""Free squares with which it is worth a try to solve Four in a Row."""


@cache
def _lines(board: Squares, length: int) -> dict[Cells, tuple[Cells, ...]]:
    """For each square the lines that it is part of; the square as a set of itself."""
    rays = [(cell, ray) for cell in board.indices for ray in board.rays[cell] if len(ray) >= length - 1]
    lines = {union((cell, *ray[: length - 1])) for cell, ray in rays}
    return {1 << cell: tuple(line for line in sorted(lines) if line >> cell & 1) for cell in board.indices}


class Columns:
    """A board of Four in a Row, and what its sides can do at once.

    The open squares of a side are those that complete a line of theirs; some hold stones of the other side.
    """

    def __init__(self, board: Squares, line: int) -> None:
        self._board, self._lines = board, _lines(board, line)
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
        found = 0
        for move in self._lines:
            if move & stones:
                found = self.opened(move, stones, found)
        return found

    def opened(self, move: Cells, stones: Cells, before: Cells) -> Cells:
        """The open squares of a side after its move. stones: with the new one. before: the open squares then."""
        for line in self._lines[move]:
            left = line & ~stones
            if not left & left - 1:
                before |= left
        return before

    def moves(self, taken: Cells, mine: Cells, theirs: Cells) -> tuple[Cells, list[Cells]]:
        """Wins, and what is worth a try where there are none: an answer to a threat, or squares under none.

        mine, theirs: the open squares of the side to move, and of the other one.
        """
        board = self._board
        playable = board.full & ~taken & (taken << board.stride | board.rows[0])
        if wins := mine & playable:
            return wins, []
        if threats := theirs & playable:
            playable = threats & -threats
        else:
            playable = playable & ~(theirs >> board.stride) or playable
        return 0, [bit for column in self._columns if (bit := column & playable)]


@cache
def _columns(board: Squares, line: int) -> Columns:
    return Columns(board, line)


class End:
    """Four in a Row, solved by alpha-beta over two sets of stones; positions met before are not searched again.

    Values are those of the side to move: 1, 0 or -1. steps: positions that may be looked at.
    """

    def __init__(self, columns: Columns, steps: int) -> None:
        self._columns, self._steps = columns, steps
        self._known: dict[tuple[Cells, Cells], tuple[int, int]] = {}

    def value(self, own: Cells, others: Cells) -> int:
        """Raises: TooFar."""
        return self._value(own, others, self._columns.open(own), self._columns.open(others), -1, 1)

    def _value(self, own: Cells, others: Cells, mine: Cells, theirs: Cells, low: int, high: int) -> int:
        """Between the bounds; beyond them only a bound itself. mine, theirs: as for moves. Raises: TooFar."""
        self._steps -= 1
        if self._steps < 0:
            raise TooFar
        wins, moves = self._columns.moves(own | others, mine, theirs)
        if wins:
            return 1
        if not moves:
            return 0
        least, most = self._known.get((own, others), (-1, 1))
        low, high = max(low, least), min(high, most)
        if low >= high:
            return least if least >= high else most
        best, floor = -1, low
        after = [(self._columns.opened(move, own | move, mine), own | move) for move in moves]
        if len(moves) > 1:
            after.sort(key=lambda each: -(each[0] & ~others).bit_count())
        for opened, stones in after:
            best = max(best, -self._value(others, stones, theirs, opened, -high, -floor))
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
                if choice & self._columns.open(own):
                    break
                own, others = others, own | choice
        except TooFar:
            if not line:
                raise
        return line

    def _best(self, own: Cells, others: Cells) -> Cells | None:
        wins, moves = self._columns.moves(own | others, self._columns.open(own), self._columns.open(others))
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

    def _columns(self, pos: Position) -> Columns:
        assert isinstance(self.game, Four)  # noqa: S101  this skill is for that game
        return _columns(self.game.board(pos.options), pos.options.number("line"))

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        columns = self._columns(pos)
        wins, moves = columns.moves(pos.taken, columns.open(pos.own), columns.open(pos.others))
        return list(bits(wins & -wins)) or [move.bit_length() - 1 for move in moves]

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game in which both take a win in one and stop one."""
        columns, own, others = self._columns(pos), pos.own, pos.others
        mine, theirs = columns.open(own), columns.open(others)
        value, chance = 1.0 if pos.to_move is Side.FIRST else -1.0, dice.random
        while True:
            wins, moves = columns.moves(own | others, mine, theirs)
            if wins:
                return Rollout(value)
            if not moves:
                return Rollout(0.0)
            move = moves[int(chance() * len(moves))]
            stones = own | move
            own, others, mine, theirs = others, stones, theirs, columns.opened(move, stones, mine)
            value = -value

    def solve(self, pos: Position, steps: int) -> Solution | None:
        columns = self._columns(pos)
        if columns.free(pos.taken) > FREE_AT_MOST:
            return None
        end = End(columns, steps)
        try:
            value = end.value(pos.own, pos.others)
            line = end.line(pos.own, pos.others)
        except TooFar:
            return None
        return Solution(float(value if pos.to_move is Side.FIRST else -value), tuple(line))
