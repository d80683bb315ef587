"""Boards of rows and columns: squares, intersections of lines, points on lines."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import count, pairwise, product, takewhile

from games.boards.board import LETTERS, Board, Cells, Names, union
from games.scene import Box, Crossing, GridBoard, Ground, Join, Look, Place

LARGE = 16
"""Boards of lines with more rows than this also have star points at the sides."""


class Squares(Board):
    """A rectangle of squares, or of intersections of lines; columns have letters, rows have numbers.

    rows: the cells of each row, in the order of the row numbers.
    """

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        letters: str = LETTERS,
        from_top: bool = False,
        ground: Ground = Ground.SQUARES,
        cell: str = "square",
        chequered: bool = False,
        only: Container[Place] | None = None,
    ) -> None:
        """from_top: row 1 is at the top, not at the bottom. only: the cells that exist, by column and row counted from
        0, if some are missing.
        """
        # One place more than a row has stays free, so that a step beyond a row's end is not on the next row.
        self.stride = stride = columns + 1
        self.steps = (1, stride, stride + 1, stride - 1)
        spots = {
            (column, row + 1): row * stride + column
            for row, column in product(range(rows), range(columns))
            if only is None or (column, row) in only
        }
        # Where a row stands, from the top, and just as well which row stands there: turned over twice it is back.
        top = range(rows) if from_top else range(rows - 1, -1, -1)
        super().__init__(
            Names(letters[:columns], spots, cell=cell),
            {index: (top[index // stride], index % stride) for index in spots.values()},
        )
        self.rows = tuple(((1 << columns) - 1) << row * stride for row in range(rows))
        self._row_names = tuple(str(row + 1) for row in top)
        self._ground = ground
        if chequered:  # a1 is dark, as on a chess board
            self.shading = union(index for index in self.indices if sum(divmod(index, stride)) % 2 == 0)
        elif ground is Ground.LINES:
            self.shading = self._stars()

    @property
    def star_lines(self) -> tuple[int, int, int]:
        """The rows, and also the columns, of star points on a board of lines: low, middle, high."""
        low, size = (3 if len(self.rows) > 11 else 2), len(self.rows)
        return low, size // 2, size - 1 - low

    def _stars(self) -> Cells:
        """The marked points of a board of lines: near the corners, in the middle, and on large boards at the sides."""
        low, middle, high = self.star_lines
        spots = [(row, column) for row in (low, high) for column in (low, high)]
        # A board with an even number of lines has no middle.
        if len(self.rows) % 2:
            spots += [(middle, middle)]
        if len(self.rows) % 2 and len(self.rows) > LARGE:
            spots += [(middle, low), (middle, high), (low, middle), (high, middle)]
        return union(row * self.stride + column for row, column in spots)

    def grow(self, cells: Cells) -> Cells:
        return cells | cells << 1 | cells >> 1 | cells << self.stride | cells >> self.stride

    def grow_all(self, cells: Cells) -> Cells:
        """As `grow`, including diagonal neighbours."""
        row = cells | cells << 1 | cells >> 1
        return row | row << self.stride | row >> self.stride

    @cached_property
    def rays(self) -> Mapping[int, tuple[tuple[int, ...], ...]]:
        """For each cell, the cells from the next one to the edge, in each of the eight directions."""
        ways = [way for step in self.steps for way in (step, -step)]
        there = self.places.__contains__
        return {
            index: tuple(tuple(takewhile(there, count(index + way, way))) for way in ways) for index in self.indices
        }

    def board(
        self,
        pieces: Mapping[str, Cells],
        *,
        path: Iterable[int] = (),
        joins: Iterable[Join] = (),
        crossings: Iterable[Crossing] = (),
        boxes: Iterable[Box] = (),
        colours: Iterable[tuple[str, str]] = (),
        **marks: Cells,
    ) -> GridBoard:
        """The board as a scene shows it. pieces, marks: as for shown. path: the cells of the last move."""
        return GridBoard(
            columns=tuple(self.names.letters),
            rows=self._row_names,
            cells=self.shown(pieces, **marks),
            joins=tuple(joins),
            crossings=tuple(crossings),
            boxes=tuple(boxes),
            ground=self._ground,
            path=tuple(self.places[index] for index in path),
            colours=tuple(colours),
        )


squares = cache(Squares)


class Points(Squares):
    """Points of a grid that are joined by lines; neighbours are adjacent on a line.

    lines: the points of each, in order. links: the pairs of neighbours, the lower index first; their names are like
    a1-a2.
    """

    def __init__(self, lines: Sequence[Sequence[tuple[int, int]]]) -> None:
        """lines: the points of each, as (column, row) counted from 0 at the lower left; every point is on a line."""
        there = {point for line in lines for point in line}
        columns, rows = (1 + max(axis) for axis in zip(*there, strict=True))
        super().__init__(columns, rows, ground=Ground.POINTS, cell="point", only=there)
        self.lines = tuple(tuple(row * self.stride + column for column, row in line) for line in lines)
        self.links = tuple(sorted({(min(pair), max(pair)) for line in self.lines for pair in pairwise(line)}))
        # By the lines of the board, where squares have the neighbours in the grid.
        self.beside = dict.fromkeys(self.indices, 0)
        for one, other in self.links:
            self.beside[one] |= 1 << other
            self.beside[other] |= 1 << one
        numbers = range(len(self.links))
        self._numbers: dict[tuple[int, ...], int] = dict(zip(self.links, numbers, strict=True))
        self.link_names = tuple("-".join(self.names[end] for end in link) for link in self.links)

    # By the lines of the board: points beside each other in the grid may not be joined.
    grow = Board.grow

    def link(self, ends: Iterable[int]) -> int | None:
        """The number of the link between two points, in any order; None if there is none."""
        return self._numbers.get(tuple(sorted(ends)))

    def joins(self, drawn: Cells | None = None, last: int | None = None) -> tuple[Join, ...]:
        """The lines between neighbours: the ground of the board, or if players draw them, the drawn and the open ones.

        drawn: the set of the drawn links' numbers; None if all lines are the ground. last: the link drawn last.
        """
        ends = [(self.places[one], self.places[other]) for one, other in self.links]
        if drawn is None:
            return tuple(Join(start, end, Look.GROUND) for start, end in ends)
        looks = (Look.OPEN, Look.DRAWN)
        return tuple(
            Join(start, end, looks[drawn >> link & 1], name, link == last)
            for link, ((start, end), name) in enumerate(zip(ends, self.link_names, strict=True))
        )


@cache
def lattice(columns: int, rows: int) -> Points:
    """Rows and columns of points, each joined to the next one."""
    return Points(
        [[(column, row) for column in range(columns)] for row in range(rows)]
        + [[(column, row) for row in range(rows)] for column in range(columns)]
    )
