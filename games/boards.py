"""Boards shared by games: squares, hexagons in rows of any shape, points on lines.

A cell is identified by its index; a set of cells is an int with the bits of their indices. On squares and hexagons an
index is row * stride + column, and each row ends with a place off the board, so that a shift never wraps around. A
board knows its cells' names, neighbours, edges, chains and lines, reads what a player types, and draws itself; it does
not know what a game allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, reduce
from itertools import combinations, count, pairwise, product, takewhile
from operator import or_
from typing import Any, NamedTuple

from games.rules import BadNotation, IllegalMove, Side, fold, quoted, read_cell
from games.scene import Box, Cell, Crossing, Form, GridBoard, Ground, HexBoard, Join, Label, Look, Place

Cells = int
"""A set of cells: bit i for the cell of index i."""


def bits(cells: Cells) -> Iterator[int]:
    """The indices of a set, in ascending order."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def union(indices: Iterable[int]) -> Cells:
    return reduce(or_, map((1).__lshift__, indices), 0)


class BothSides(NamedTuple):
    """The cells of the first and of the second side on a board."""

    first: Cells = 0
    second: Cells = 0

    @classmethod
    def seen_by(cls, side: Side, own: Cells, others: Cells) -> BothSides:
        """A side's own cells, and those of the other one."""
        return cls(own, others) if side is Side.FIRST else cls(others, own)

    @property
    def all(self) -> Cells:
        return self.first | self.second

    def of(self, side: Side) -> Cells:
        return self[side - 1]

    def owner(self, index: int) -> Side | None:
        """The side whose piece is on a cell; None if it is free."""
        return Side.FIRST if self.first >> index & 1 else Side.SECOND if self.second >> index & 1 else None

    def with_(self, side: Side, cells: Cells) -> BothSides:
        """The same, with more cells of a side."""
        return BothSides(self[0] | cells, self[1]) if side is Side.FIRST else BothSides(self[0], self[1] | cells)

    def without(self, cells: Cells) -> BothSides:
        return BothSides(self.first & ~cells, self.second & ~cells)


NOTHING = BothSides()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WITHOUT_I = "abcdefghjklmnopqrstuvwxyz"

_BETWEEN = re.compile(r"\b(?:to|arrow|shoot(?:s|ing)?)\b|[^a-z0-9]|x")  # no board has a column x
"""Marks and words that may separate the cells of a path."""
_CELL = re.compile(r"[a-z] *[0-9]{1,4}|[0-9]{1,4} *[a-z]")


class Names:
    """The names of a board's cells: the letter of a line and a number in it, such as f6.

    letters: of the lines. indices: of the cells, by line, counted from 0, and number. line, cell: the words for a line
    with a letter, such as "column", and for a cell.
    """

    def __init__(
        self, letters: str, indices: Mapping[tuple[int, int], int], *, line: str = "column", cell: str = "cell"
    ) -> None:
        self.letters, self._line, self._cell = letters, line, cell
        self._indices = indices
        self._names = {index: f"{letters[at]}{number}" for (at, number), index in indices.items()}
        self._plain = {name.lower(): index for index, name in self._names.items()}

    def __getitem__(self, index: int) -> str:
        return self._names[index]

    def of(self, cells: Cells) -> list[str]:
        """The names of a set, in the order of the indices."""
        return [self._names[index] for index in bits(cells)]

    def read(self, text: str, example: Callable[[], str]) -> int:
        """The index of the cell that a text names: "F6", "f-6", "F 6" and "6f" -> f6.

        example: returns a legal move, for a refusal. Raises: BadNotation, IllegalMove.
        """
        # Records and taps write exactly this, and need no pattern.
        plain = self._plain.get(text.lower())
        if plain is not None:
            return plain
        cell = read_cell(fold(text))
        if cell is None:
            raise BadNotation(
                f"{quoted(text)} is not a {self._cell}. Write a letter and a number, such as {example()}."
            )
        return self.find(*cell)

    def read_path(self, text: str, example: Callable[[], str]) -> tuple[int, ...]:
        """The indices of the cells that a text names in turn: "b2-c3", "B2 x C3", "b2c3" and "2b to 3c" -> b2, c3.

        Raises: BadNotation, IllegalMove.
        """
        plain = _BETWEEN.sub(" ", fold(text))
        cells = [read_cell(word) for word in _CELL.findall(plain)]
        if not cells or _CELL.sub("", plain).strip():
            raise BadNotation(f"{quoted(text)} is not a move. Write it as in {example()}.")
        return tuple(self.find(*cell) for cell in cells if cell)

    def find(self, letter: str, number: int) -> int:
        """The index of a cell by its lower-case letter and its number. Raises: IllegalMove if there is no such cell."""
        line = self.letters.lower().find(letter)
        if line < 0:
            cased = str.upper if self.letters.isupper() else str.lower
            # Go leaves out i, which is easily taken for j or l.
            is_skipped = cased("i") not in self.letters and self.letters[-1] > cased("i")
            skipped = f" without {cased('i')}" if is_skipped else ""
            raise IllegalMove(
                f"There is no {self._line} {cased(letter)} here: "
                f"the {self._line}s are {self.letters[0]} to {self.letters[-1]}{skipped}."
            )
        index = self._indices.get((line, number))
        if index is None:
            here, numbers = self.letters[line], sorted(other for at, other in self._indices if at == line)
            names = [f"{here}{other}" for other in numbers]
            # "a1-a7" would name points that Morris does not have.
            unbroken = 1 < len(numbers) == numbers[-1] - numbers[0] + 1
            held = f"{names[0]}-{names[-1]}" if unbroken else ", ".join(names)
            raise IllegalMove(f"There is no {self._cell} {here}{number}: {self._line} {here} holds {held}.")
        return index


NEAR = 6
"""How many legal cells are offered when a cell is refused."""

_FORMS = frozenset(Form)


class Board:
    """Cells with their names and their places in scenes. Each kind of board defines `grow` or `beside`.

    indices: of all cells, in ascending order. places: where scenes show them.
    """

    names: Names
    full: Cells
    """The set of all cells."""
    steps: tuple[int, ...]
    """The index steps to the next cell along each kind of line, in one direction."""
    shading: Cells = 0
    """The cells that are shaded, regardless of what is on them."""

    def __init__(self, names: Names, places: Mapping[int, Place]) -> None:
        """places: of each cell in scenes, by its index."""
        self.names, self.places = names, dict(sorted(places.items()))
        self.indices = tuple(self.places)
        self.full = union(places)

    @cached_property
    def beside(self) -> Mapping[int, Cells]:
        """The neighbours of each cell."""
        return {index: self.around(1 << index) for index in self.indices}

    def grow(self, cells: Cells) -> Cells:
        """The cells and all their neighbours, possibly with places off the board."""
        return cells | self.reach(cells)

    def reach(self, cells: Cells) -> Cells:
        """All neighbours of the cells, possibly including some of the cells themselves."""
        return reduce(or_, map(self.beside.__getitem__, bits(cells)), 0)

    def around(self, cells: Cells) -> Cells:
        """The neighbours of the cells, without the cells themselves."""
        return self.grow(cells) & self.full & ~cells

    def chain(self, seed: Cells, within: Cells) -> Cells:
        """The cells of `within` that are connected to the seed, which is part of it."""
        reached = seed
        while (grown := self.grow(reached) & within) != reached:
            reached = grown
        return reached

    def borders(self, seed: Cells, within: Cells, goal: Cells) -> bool:
        """Whether the cells of `within` that are connected to the seed have a neighbour in the goal."""
        reached = seed
        # Nearly every chain meets a goal, such as a free point, after a step or two; the whole chain is not needed.
        while not (grown := self.grow(reached)) & goal:
            if grown & within == reached:
                return False
            reached = grown & within
        return True

    def chains(self, cells: Cells) -> Iterator[Cells]:
        """The connected parts of a set."""
        while cells:
            chain = self.chain(cells & -cells, cells)
            yield chain
            cells ^= chain

    def runs(self, index: int, within: Cells) -> Iterator[Cells]:
        """The unbroken lines of `within` through one of its cells, one for each kind of line."""
        for step in self.steps:
            run = 1 << index
            for way in (step, -step):
                at = index + way
                # Below the first cell the index is negative, and Python refuses to shift by that.
                while at >= 0 and within >> at & 1:
                    run |= 1 << at
                    at += way
            yield run

    def near(self, index: int, legal: Cells) -> list[str]:
        """The names of the legal cells nearest to a cell; at most NEAR."""
        names: list[str] = []
        reached = 1 << index
        while reached != self.full and len(names) < NEAR:
            fresh = self.around(reached)
            names += self.names.of(fresh & legal)
            # Without this a board in two parts would be searched for ever.
            if not fresh:
                break
            reached |= fresh
        return names[:NEAR]

    def shown(self, pieces: Mapping[str, Cells], **marks: Cells) -> tuple[Cell, ...]:
        """All cells as scenes show them.

        pieces: the cells for each letter. marks: the cells that are last, winning, closed or shaded; queen, arrow and
        wall give pieces that form.
        """
        letters = {index: letter for letter, placed in reversed([*pieces.items()]) for index in bits(placed)}
        cells = {
            index: Cell(*place, self.names[index], letters.get(index, ""), shaded=bool(self.shading >> index & 1))
            for index, place in self.places.items()
        }
        for name, marked in marks.items():
            mark: dict[str, Any] = {"form": Form(name)} if name in _FORMS else {name: True}
            for index in bits(marked):
                cells[index] = cells[index]._replace(**mark)
        return tuple(cells.values())


class Hexes(Board):
    """Hexagons in rows. A column of indices is a line that runs down to the left, like `/`."""

    def __init__(
        self, rows: Sequence[range], *, lettered: str = "row", slope: str = "/", owners: tuple[str, str] = ("", "")
    ) -> None:
        """rows: the columns of each row, from the top. lettered: "row" for row letters and numbered slanting lines,
        "column" for lettered slanting lines and row numbers. slope: the slanting lines that have names, "/" or "\\".
        owners: letters of the sides that own the edges where rows end, and where slanting lines end.
        """
        # One place more than a row has stays free, so that a step beyond a row's end is not on the next row.
        self.stride = stride = max(row.stop for row in rows) + 1
        self.steps = (1, stride, stride + 1)
        self._ends: list[dict[int, list[int]]] = [{}, {}]  # the cells of rows, and of slanting lines
        spots: dict[tuple[int, int], int] = {}
        places: dict[int, Place] = {}
        for row, columns in enumerate(rows):
            for column in columns:
                index, line = row * stride + column, column - (row if slope == "\\" else 0)
                self._ends[0].setdefault(row, []).append(index)
                self._ends[1].setdefault(line, []).append(index)
                spots[(row, line + 1) if lettered == "row" else (line, row + 1)] = index
                places[index] = (row, 2 * column - row)
        letters = (LETTERS.upper() if lettered == "row" else LETTERS)[: 1 + max(line for line, _ in spots)]
        super().__init__(Names(letters, spots, line=lettered), places)
        self._lettered, self._slope, self._owners = lettered, slope, owners

    @cached_property
    def sides(self) -> tuple[Cells, ...]:
        """The cells along each straight side of the board, clockwise from the top."""
        full, stride = self.full, self.stride
        # The cells with a neighbour in each of the six directions, clockwise from the upper left.
        beside = (full << stride + 1, full << stride, full >> 1, full >> stride + 1, full >> stride, full << 1)
        off = [full & ~cells for cells in beside]
        sides = [off[at] & off[(at + 1) % 6] for at in range(6)]
        # A rhombus has only four sides and a triangle three: there the other two directions leave it at a corner.
        return tuple(side for side in sides if side.bit_count() > 1)

    @cached_property
    def corners(self) -> Cells:
        """The cells on two sides."""
        return reduce(or_, (one & other for one, other in combinations(self.sides, 2)))

    def grow(self, cells: Cells) -> Cells:
        after, before = cells | cells << 1, cells | cells >> 1
        return after | after << self.stride | before | before >> self.stride

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The coordinates at both ends of each line, except for a row's where those of slanting lines would be."""
        rows, lines = self._ends
        letters, numbers = self.names.letters, range(1, 1 + max(len(rows), len(lines)))
        row_names, line_names = (letters, numbers) if self._lettered == "row" else (numbers, letters)
        lean = 1 if self._slope == "/" else -1
        taken, labels = set(self.places.values()), []
        for (_, row), name in zip(sorted(rows.items()), row_names, strict=False):
            for end, out in ((self.places[row[0]], -1), (self.places[row[-1]], 1)):
                if (end[0] + lean * out, end[1] + out) not in taken:
                    labels.append(Label(str(name), end, 0, 2 * out, self._owners[0]))
        for (_, line), name in zip(sorted(lines.items()), line_names, strict=False):
            labels.append(Label(str(name), self.places[line[0]], -1, lean, self._owners[1]))
            labels.append(Label(str(name), self.places[line[-1]], 1, -lean, self._owners[1]))
        return tuple(labels)

    def board(
        self,
        pieces: Mapping[str, Cells],
        *,
        path: Iterable[int] = (),
        colours: Iterable[tuple[str, str]] = (),
        **marks: Cells,
    ) -> HexBoard:
        """The board as a scene shows it. pieces, marks: as for shown. path: the cells of the last move."""
        way = tuple(self.places[index] for index in path)
        return HexBoard(self.shown(pieces, **marks), self.labels, way, tuple(colours))


@cache
def hexagon(size: int) -> Hexes:
    """A regular hexagon with `size` cells per side; rows have letters, `/` lines have numbers."""
    return Hexes([range(max(0, row - size + 1), min(2 * size - 1, size + row)) for row in range(2 * size - 1)])


@cache
def rhombus(size: int, owners: tuple[str, str] = ("", "")) -> Hexes:
    """Rows of `size` cells, each half a cell further right; `\\` lines have letters, rows have numbers.

    owners: of the left and right edges, and of the top and bottom edges.
    """
    return Hexes([range(row, row + size) for row in range(size)], lettered="column", slope="\\", owners=owners)


@cache
def triangle(size: int) -> Hexes:
    """Rows of one to `size` cells; `/` lines have letters, rows have numbers."""
    return Hexes([range(row + 1) for row in range(size)], lettered="column")


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
