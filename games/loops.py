"""Intersections of Rectangular Loops, by Leroy Quet (2009).

Two players fill the squares of a grid in turn until every row and every column has exactly two. Then the two squares
of each row, and of each column, are joined; each crossing of a row's and a column's join is a point for Yellow if an
even number of its four end squares is yellow, otherwise for Purple. More points win; equal points are a draw. Source:
the author's article of 20 January 2009.

Rulings. A square is legal only if the grid can still be completed afterwards; room in its row and column is not enough.
A square where two joins meet at an end is not a crossing. Either colour may begin; the one that does is the first side.

How completability is decided: every position keeps one completion. A row may take over an unfilled square of the
completion from another row in the same column, which then needs one elsewhere, and so on; a square is legal exactly if
such a chain of takeovers closes. Which rows can take over from which is the same for every completion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, reduce
from operator import or_

from games.boards import LETTERS, Cells, Squares, bits, squares
from games.rules import IllegalMove, Info, Judging, Option, OptionValues, Outcome, Side, joined, leader, score
from games.scene import Crossing, Join, Scene

Line = int
"""A set of places in one row or column: bit i for the place i, counted from 0 at the left or the top."""


@dataclass(frozen=True, slots=True)
class Options:
    """first: the colour that begins, "yellow" or "purple"."""

    size: int
    first: str


@dataclass(frozen=True, slots=True)
class Position:
    """rows: the squares filled by the first and by the second side, each as a Line per row. completion: one possible
    final grid, as all filled squares of each row; which one it is does not matter for the rules.
    """

    options: Options
    rows: tuple[tuple[Line, ...], tuple[Line, ...]]
    completion: tuple[Line, ...] = field(compare=False, repr=False)

    @property
    def filled(self) -> tuple[Line, ...]:
        return tuple(map(or_, *self.rows))


class Room:
    """Which squares of a position are legal, and why others are not."""

    def __init__(self, pos: Position) -> None:
        self.size = pos.options.size
        self.completion, self.filled = pos.completion, pos.filled
        self.loose = [whole & ~filled for whole, filled in zip(self.completion, self.filled, strict=True)]
        self.fill = cache(self._completion_with)

    @cached_property
    def reach(self) -> list[Line]:
        """For each row, the rows that a chain of takeovers can lead to, including itself: Warshall's closure."""
        rows = range(self.size)
        reach = [
            sum(1 << giver for giver in rows if giver == taker or self.loose[giver] & ~self.completion[taker])
            for taker in rows
        ]
        for via in rows:
            beyond = reach[via]
            reach = [seen | beyond if seen >> via & 1 else seen for seen in reach]
        return reach

    def legal(self, row: int) -> Line:
        """The legal squares of a row: those it can take over from a giver from which chains lead back to the row."""
        columns = 0
        for giver in range(self.size):
            # The square is taken from the giver, who must get one back: only a chain to this row closes the circle.
            if self.reach[giver] >> row & 1:
                columns |= self.loose[giver]
        return columns & ~self.filled[row]

    def _completion_with(self, row: int, column: int) -> tuple[Line, ...] | None:
        """A completion that contains a square; None if there is none, or the square is filled."""
        if self.completion[row] >> column & 1:
            # The completion has the square already; nothing has to be taken over.
            return None if self.filled[row] >> column & 1 else self.completion
        taken_by: dict[int, tuple[int, Line]] = {}
        queue = [(row, 1 << column)]
        for taker, wanted in queue:
            for giver, loose in enumerate(self.loose):
                if giver not in taken_by and (shared := loose & wanted):
                    taken_by[giver] = taker, shared & -shared
                    queue.append((giver, ~self.completion[giver]))
            if row in taken_by:
                return self._taken_over(row, taken_by)
        return None

    def _taken_over(self, row: int, taken_by: Mapping[int, tuple[int, Line]]) -> tuple[Line, ...]:
        """The completion after a chain of takeovers that leads back to a row."""
        completion, giver = list(self.completion), row
        while True:
            taker, square = taken_by[giver]
            completion[giver] ^= square
            completion[taker] ^= square
            giver = taker
            if giver == row:
                return tuple(completion)

    def bound(self, column: int) -> tuple[Line, Line]:
        """Rows and columns that can only be completed by each other, the columns including this one, which has room."""
        # Every chain from the column stays within these rows, so their missing squares need all the room of these
        # columns, and the column cannot have a square in any other row.
        givers = [giver for giver in range(self.size) if self.loose[giver] >> column & 1]
        rows = reduce(or_, (self.reach[giver] for giver in givers), 0)
        wanted = reduce(or_, (~self.completion[row] for row in bits(rows)), 0)
        return rows, reduce(or_, self.loose) & (wanted | 1 << column)


room = lru_cache(maxsize=256)(Room)


def _columns(rows: Sequence[Line]) -> list[Line]:
    """The same squares, a Line for every column."""
    return [sum((row >> column & 1) << place for place, row in enumerate(rows)) for column in range(len(rows))]


def _joins(lines: Sequence[Line]) -> dict[int, tuple[int, int]]:
    """The ends of the joins of full rows (or columns), by row (or column)."""
    return {
        index: ((line & -line).bit_length() - 1, line.bit_length() - 1)
        for index, line in enumerate(lines)
        if line.bit_count() == 2
    }


def crossings(pos: Position) -> list[Crossing]:
    """The crossings of full rows with full columns; others are not decided yet."""
    filled = pos.filled
    rows, columns = _joins(filled), _joins(_columns(filled))
    own = pos.rows[0]  # there are four ends, so the parity of either side's count tells the owner

    def owner(row: int, column: int) -> str:
        ends = [(row, place) for place in rows[row]] + [(place, column) for place in columns[column]]
        return "P" if sum(own[at] >> place & 1 for at, place in ends) % 2 else "Y"

    return [
        Crossing(row, column, owner(row, column))
        for row, (left, right) in rows.items()
        for column in range(left + 1, right)
        if column in columns and columns[column][0] < row < columns[column][1]
    ]


class Loops(Judging[Position, tuple[int, int]]):
    """The rules. A move is the pair row, column of the square filled, counted from 0 at the top left."""

    info = Info(
        name="loops",
        title="Intersections of Rectangular Loops",
        kind="territory",
        summary="fill squares, score where lines cross",
        source="Leroy Quet, 2009",
        options=(
            Option("size", "squares per side", 8, low=2, high=20),
            Option("first", "who begins", "yellow", choices=("yellow", "purple"), also=("colours", "colors")),
        ),
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        values = OptionValues(self.info.options, words)
        return Options(values.number("size"), values.choice("first"))

    def sides(self, options: Options) -> tuple[str, str]:
        return ("Yellow", "Purple") if options.first == "yellow" else ("Purple", "Yellow")

    def start(self, options: Options) -> Position:
        size, empty = options.size, (0,) * options.size
        return Position(options, (empty, empty), tuple(1 << row | 1 << (row + 1) % size for row in range(size)))

    def to_move(self, pos: Position) -> Side:
        return Side.SECOND if sum(map(int.bit_count, pos.filled)) % 2 else Side.FIRST

    def moves(self, pos: Position) -> Iterator[tuple[int, int]]:
        here = room(pos)
        for row in range(pos.options.size):
            yield from ((row, column) for column in bits(here.legal(row)))

    def read(self, pos: Position, text: str) -> tuple[int, int]:
        board = _grid(pos)
        index = board.names.read(text, lambda: next(map(board.names.__getitem__, bits(_legal(pos))), "A1"))
        return divmod(index, board.stride)

    def check(self, pos: Position, move: tuple[int, int]) -> None:
        self._filled(pos, move)

    def _filled(self, pos: Position, move: tuple[int, int]) -> tuple[Line, ...]:
        """A completion that contains the square, which is on the board. Raises: IllegalMove, with the reason."""
        # Room in the row and the column is not enough: one random game in eight on 5 x 5 would end without a move.
        completion = room(pos).fill(*move)
        if completion is None:
            board = _grid(pos)
            near = board.near(move[0] * board.stride + move[1], _legal(pos))
            raise IllegalMove(self._refusal(pos, *move), near)
        return completion

    def _refusal(self, pos: Position, row: int, column: int) -> str:
        """Why an empty or filled square is not legal."""
        name, names = _name(row, column), self.sides(pos.options)
        for side, owner in zip(pos.rows, names, strict=True):
            if side[row] >> column & 1:
                return f"{name} is taken: {owner} filled it."
        in_row = [_name(row, place) for place in bits(pos.filled[row])]
        if len(in_row) == 2:
            return f"{name} cannot be filled: row {row + 1} is full with {joined(in_row)}."
        in_column = [_name(place, column) for place in bits(_columns(pos.filled)[column])]
        if len(in_column) == 2:
            return f"{name} cannot be filled: column {LETTERS[column].upper()} is full with {joined(in_column)}."
        # There is room, so that it is the rest of the grid which could not be completed.
        rows, columns = room(pos).bound(column)
        needy = _listed("row", [str(place + 1) for place in bits(rows)])
        needed = _listed("column", [LETTERS[place].upper() for place in bits(columns)])
        return f"{name} would be a dead end: to get two squares, {needy} must have all the room left in {needed}."

    def notate(self, pos: Position, move: tuple[int, int]) -> str:
        return _name(*move)

    def play(self, pos: Position, move: tuple[int, int]) -> Position:
        rows = [list(side) for side in pos.rows]
        rows[self.to_move(pos) - 1][move[0]] |= 1 << move[1]
        return Position(pos.options, (tuple(rows[0]), tuple(rows[1])), self._filled(pos, move))

    def points(self, pos: Position) -> tuple[int, int]:
        """The points so far of the first and of the second side."""
        owners = [crossing.owner for crossing in crossings(pos)]
        first, second = (owners.count(name[0]) for name in self.sides(pos.options))
        return first, second

    def outcome(self, pos: Position) -> Outcome | None:
        if sum(map(int.bit_count, pos.filled)) < 2 * pos.options.size:
            return None
        points = self.points(pos)
        return Outcome(leader(points), f"on points, {max(points)} to {min(points)}", points)

    def scene(self, pos: Position, last: tuple[int, int] | None) -> Scene:
        joins = [Join((row, left), (row, right)) for row, (left, right) in _joins(pos.filled).items()]
        joins += [Join((top, at), (end, at)) for at, (top, end) in _joins(_columns(pos.filled)).items()]
        pieces = {name[0]: _cells(rows) for name, rows in zip(self.sides(pos.options), pos.rows, strict=True)}
        grid, legal = _grid(pos), _legal(pos)
        board = grid.board(
            pieces,
            joins=joins,
            crossings=crossings(pos),
            last=0 if last is None else 1 << last[0] * grid.stride + last[1],
            closed=grid.full & ~legal & ~_cells(pos.filled),
        )
        told = score(self.sides(pos.options), self.points(pos)) + self._gained(pos, last, board.crossings)
        legend = ["A small letter on a crossing tells whose point it is."] if board.crossings else []
        # Some free squares are closed and others are not.
        if any(cell.closed for cell in board.cells) and legal:
            notes = told, "A closed square can no longer be filled."
            return Scene(board, notes, legend=("Closed squares are grey, or have no dot.", *legend))
        return Scene(board, (told,), legend=tuple(legend))

    def _gained(self, pos: Position, last: tuple[int, int] | None, marks: Sequence[Crossing]) -> str:
        """A sentence, after a blank, on the points that the last move brought; empty if it brought none."""
        if last is None:
            return ""
        # A square fills its row, its column or both, so that a crossing it decides is on one of the two.
        new = [mark.owner for mark in marks if mark.row == last[0] or mark.column == last[1]]
        gained = [f"{name} {count}" for name in self.sides(pos.options) if (count := new.count(name[0]))]
        return f" {_name(*last)} brought {joined(gained)}." if gained else ""


def _grid(pos: Position) -> Squares:
    return squares(pos.options.size, pos.options.size, letters=LETTERS.upper(), from_top=True)


def _cells(rows: Sequence[Line]) -> Cells:
    """The squares of all rows as a set of cells."""
    return sum(line << row * (len(rows) + 1) for row, line in enumerate(rows))


def _legal(pos: Position) -> Cells:
    return _cells([room(pos).legal(row) for row in range(pos.options.size)])


def _name(row: int, column: int) -> str:
    return f"{LETTERS[column].upper()}{row + 1}"


def _listed(noun: str, words: Sequence[str]) -> str:
    """Such as "row 3" or "rows 3, 4 and 7"."""
    return f"{noun}{'s' if len(words) > 1 else ''} {joined(words)}"
