"""Line games: Four in a Row with exact endings, Gomoku, Yavalath; wins in one, and threats that must be stopped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from math import tanh
from operator import or_
from pathlib import Path
from random import Random

from games.boards import Cells, Hexes, Squares, bits, union
from games.four import Four
from games.gomoku import Gomoku
from games.placing import Position
from games.steps import Steps
from pbm.bots.skill import Exact, Rollout, Skill, Solution, Stones, completing
from pbm.bots.threats import Prospects, Threats, ThreatSkill

SQUARES_AT_MOST = 36
"""With at most this many free squares, solving Four in a Row is tried."""
BOOK_STEPS = 100_000
"""Whoever may take fewer steps does not look into the book of Four in a Row: lower levels should lose now and then."""
_BOOK = Path(__file__).with_name("four.txt")
_WIDTH = 7
"""The columns of the usual board, which is the book's."""


class Opened(dict[Cells, Cells]):
    """The squares that a stone opens, by the stones of its side around it; each case is computed once."""

    def __init__(self, move: Cells, lines: Iterable[Cells]) -> None:
        self._lines = [line & ~move for line in lines if line & move]
        self.around = reduce(or_, self._lines, 0)

    def __missing__(self, stones: Cells) -> Cells:
        self[stones] = squares = completing(self._lines, stones)
        return squares


class Columns:
    """A board of Four in a Row, and the threats of its sides.

    A side's open squares are those that would complete a line of that side; some hold stones of the other side.
    """

    def __init__(self, board: Squares, line: int) -> None:
        self._board = board
        rays = [(cell, ray) for cell in board.indices for ray in board.rays[cell] if len(ray) >= line - 1]
        lines = {union((cell, *ray[: line - 1])) for cell, ray in rays}
        self._opened = {1 << cell: Opened(1 << cell, lines) for cell in board.indices}
        first_column, middle = board.full // board.rows[0], (board.stride - 2) / 2
        # The middle first: most lines run through it.
        order = sorted(range(board.stride - 1), key=lambda column: abs(column - middle))
        self._columns = [first_column << column for column in order]

    def open(self, stones: Cells) -> Cells:
        """The open squares of a side."""
        return reduce(or_, (self.opened(1 << cell, stones) for cell in bits(stones)), 0)

    def opened(self, move: Cells, stones: Cells) -> Cells:
        """The open squares of the lines through a stone. move: the stone. stones: all of its side."""
        opened = self._opened[move]
        return opened[stones & opened.around]

    def under(self, squares: Cells) -> Cells:
        """The squares directly below these."""
        return squares >> self._board.stride

    def moves(self, taken: Cells, mine: Cells, theirs: Cells) -> tuple[Cells, list[Cells]]:
        """Winning squares, or if there are none the moves to try: one that stops a threat, or squares below no threat.

        mine, theirs: the open squares of the side to move, and of the other side.
        """
        board = self._board
        playable = board.full & ~taken & (taken << board.stride | board.rows[0])
        if wins := mine & playable:
            return wins, []
        threats = theirs & playable
        # Of two threats only one can be stopped, so any will do.
        playable = threats & -threats or playable & ~self.under(theirs) or playable
        return 0, [bit for column in self._columns if (bit := column & playable)]


_columns = cache(Columns)


@cache
def four_book() -> dict[int, tuple[int, int]]:
    """The best moves of Four in a Row by the key of a position; a mirror image has one key with it.

    Each is the column to play, from 0, and the value for the side to move.
    """
    # Computed by bench/four_book.c: whoever follows the book, as either side, only meets positions that are in it, or
    # that are solved within the steps of the highest level.
    rows = (line.split() for line in _BOOK.read_text().splitlines())
    return {int(key, 16): (int(column), int(value)) for key, column, value in rows}


def _key(pos: Position, stride: int, *, mirrored: bool) -> int:
    """The key of a position in the book, or of its mirror image."""
    key = sum(1 << column * _WIDTH for column in range(_WIDTH))
    for cells in (pos.own, pos.taken):
        for cell in bits(cells):
            row, column = divmod(cell, stride)
            key += 1 << (_WIDTH - 1 - column if mirrored else column) * _WIDTH + row
    return key


Drop = tuple[Cells, Cells, Cells, Cells]
"""The stones of the side to move and of the other side, and the open squares of both."""


class Drops(Exact[Drop]):
    """Exact endings of Four in a Row; moves that leave the most open squares are tried first."""

    def __init__(self, columns: Columns, steps: Steps) -> None:
        super().__init__(steps)
        self._columns = columns

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
    """Solves positions if it can; otherwise takes wins, stops threats, and plays at random in a deep search."""

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
        """A random game in which both sides take wins in one, stop threats, and avoid squares below an open square of
        the other side as long as possible, so that it shows which side must give way in the end.
        """
        columns, own, others = self._columns(pos), pos.own, pos.others
        mine, theirs = columns.open(own), columns.open(others)
        value, chance = float(pos.to_move.sign), dice.random
        while True:
            wins, moves = columns.moves(own | others, mine, theirs)
            if wins:
                return Rollout(value)
            if not moves:
                return Rollout(0.0)
            # Whoever plays below an own open square lets the other side take it.
            if wasted := columns.under(mine):
                moves = [move for move in moves if not move & wasted] or moves
            move = moves[int(chance() * len(moves))]
            own, others, mine, theirs = others, own | move, theirs, mine | columns.opened(move, own)
            value = -value

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        columns = self._columns(pos)
        if steps.left >= BOOK_STEPS and (entry := self.in_book(pos)):
            move, value = entry
            return Solution(float(pos.to_move.sign * value), (move,))
        if (self.game.board(pos.options).full & ~pos.taken).bit_count() > SQUARES_AT_MOST:
            return None
        at = pos.own, pos.others, columns.open(pos.own), columns.open(pos.others)
        return Drops(columns, steps).solution(at, pos.to_move)

    def in_book(self, pos: Position) -> tuple[int, int] | None:
        """The best move that the book has for a position, and its value for the side to move; None if it has none."""
        if pos.options != self.game.options(()):
            return None
        stride = self.game.board(pos.options).stride
        key, image = (_key(pos, stride, mirrored=mirrored) for mirrored in (False, True))
        entry = four_book().get(min(key, image))
        if entry is None:
            return None
        column, value = entry
        # The book has the smaller key of the two.
        wanted = column if key <= image else _WIDTH - 1 - column
        return next(move for move in self.game.moves(pos) if move % stride == wanted), value


_WORTH = (0, 1, 4, 16, 60, 0)
"""The value of a window of five points with stones of only one side, by their number."""

_GROWN, _STOPPED = (0, 2, 8, 40, 400), (0, 1, 6, 30, 300)
"""The value of a stone in such a window: with stones of its own side, and of the other side."""
WIDTH = 12
"""How many points of a position are tried."""

FREE_AT_MOST = 18
"""With at most this many free cells, solving Yavalath is tried."""


@cache
def windows(board: Squares) -> tuple[Cells, ...]:
    """All sets of five points in a line."""
    rays = [(cell, ray[:4]) for cell in board.indices for ray in board.rays[cell] if len(ray) >= 4 and ray[0] > cell]
    return tuple(union((cell, *ray)) for cell, ray in rays)


class GomokuSkill(Skill):
    """Makes five, stops five, tries points where most lines grow or are stopped, and judges by counting lines."""

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
            # Empty it means nothing yet, and with stones of both it can never be a five.
            if bool(mine) == bool(theirs):
                continue
            stones = (mine or theirs).bit_count()
            left = window & free
            if stones == 4 and not exact:  # more than five in a row do not win
                wins, threats = (wins | left, threats) if mine else (wins, threats | left)
            gain = _GROWN[stones] if mine else _STOPPED[stones]
            for cell in bits(left):
                worth[cell] = worth.get(cell, 0) + gain
        if wins:
            return list(bits(wins & -wins))
        if threats:
            return list(bits(threats))
        best = sorted(worth, key=lambda cell: (-worth[cell], cell))[:WIDTH]
        return best or list(bits(free))

    def evaluate(self, pos: Position) -> float:
        (first, second), total = pos.stones, 0
        mover = pos.to_move.sign
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
        return fours | completing(of_four, stones), threes | completing(of_three, stones)


def _through(board: Hexes, cell: int, length: int) -> tuple[Cells, ...]:
    """The lines of this many cells through a cell."""
    starts = [(cell - back * step, step) for step in board.steps for back in range(length)]
    lines = [[start + at * step for at in range(length)] for start, step in starts]
    return tuple(union(line) for line in lines if min(line) >= 0 and not union(line) & ~board.full)


runs = cache(Runs)


class YavalathSkill(ThreatSkill):
    """Makes four, stops four, and avoids three, also in random games."""

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
