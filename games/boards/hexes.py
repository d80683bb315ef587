"""Boards of hexagons in rows, of any shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

from games.boards.board import LETTERS, Board, Cells, Names, union
from games.scene import HexBoard, Label


class Hexes(Board):
    """Hexagons in rows. Columns of indices are lines that run down to the left, so each cell's number is one of `/`.

    sides: the cells along each straight side of the board, clockwise from the top. corners: cells on two sides.
    """

    def __init__(
        self,
        rows: Sequence[range],
        *,
        lettered: str = "row",
        slope: str = "/",
        owners: tuple[str, str] = ("", ""),
    ) -> None:
        """rows: the columns of each row, from the top. lettered: "row" for row letters and numbers of the slanting
        lines, "column" for letters of the slanting lines and row numbers. slope: which lines have names, "/" or "\\".
        owners: letters of the sides to whom the edges belong where rows end, and where slanting lines do.
        """
        self.stride = stride = max(row.stop for row in rows) + 1
        self.steps = (1, stride, stride + 1)
        self._ends: list[dict[int, list[int]]] = [{}, {}]  # the cells of rows, and of slanting lines
        spots: dict[tuple[int, int], int] = {}
        for row, column in ((row, column) for row, columns in enumerate(rows) for column in columns):
            index, line = row * stride + column, column - (row if slope == "\\" else 0)
            self._ends[0].setdefault(row, []).append(index)
            self._ends[1].setdefault(line, []).append(index)
            spots[(row, line + 1) if lettered == "row" else (line, row + 1)] = index
        letters = (LETTERS.upper() if lettered == "row" else LETTERS)[: 1 + max(line for line, _ in spots)]
        places = {index: (index // stride, 2 * (index % stride) - index // stride) for index in spots.values()}
        super().__init__(Names(letters, spots, line=lettered), places)
        self._lettered, self._slope, self._owners = lettered, slope, owners
        around = (-stride - 1, -stride, 1, stride + 1, stride, -1)
        off = [union(index for index in spots.values() if not self._holds(index + way)) for way in around]
        sides = [off[at] & off[(at + 1) % 6] for at in range(6)]
        self.sides = tuple(side for side in sides if side.bit_count() > 1)
        self.corners = union(index for index in self.indices if sum(side >> index & 1 for side in self.sides) > 1)

    def _holds(self, index: int) -> bool:
        return index >= 0 and bool(self.full >> index & 1)

    def grow(self, cells: Cells) -> Cells:
        after, before = cells | cells << 1, cells | cells >> 1
        return after | after << self.stride | before | before >> self.stride

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The coordinates at both ends of each line, but where a row's would stand among those of slanting lines."""
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
        """The board as a scene shows it; pieces, marks: see cells. path: the cells the last move went through."""
        way = tuple(self.places[index] for index in path)
        return HexBoard(self.cells(pieces, **marks), self.labels, way, tuple(colours))


@cache
def hexagon(size: int) -> Hexes:
    """A regular hexagon of `size` cells a side; rows lettered, `/` lines numbered."""
    return Hexes([range(max(0, row - size + 1), min(2 * size - 1, size + row)) for row in range(2 * size - 1)])


@cache
def rhombus(size: int, owners: tuple[str, str] = ("", "")) -> Hexes:
    """Rows of `size` cells, each half a cell further to the right; lettered `\\` lines, numbered rows.

    owners: of the edges at the left and the right, and of those at the top and the bottom.
    """
    return Hexes([range(row, row + size) for row in range(size)], lettered="column", slope="\\", owners=owners)


@cache
def triangle(size: int) -> Hexes:
    """Rows of one to `size` cells; lettered `/` lines, numbered rows."""
    return Hexes([range(row + 1) for row in range(size)], lettered="column")
