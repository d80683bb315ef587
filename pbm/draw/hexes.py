"""Hexagonal boards: row letters at the left, the numbers of the `/` diagonals along the top and the upper right edge.

As text the last move stands in (brackets), and the chain that decided the game in capitals.
"""

from __future__ import annotations

from itertools import chain

import drawsvg

from games.scene import Cell, HexBoard
from pbm.draw.pieces import LINE, PAPER, PLAIN, Marks, is_marked, label, named, piece, sheet
from pbm.draw.runs import Line, Run, plain, run


def lines(board: HexBoard, marks: Marks = PLAIN) -> list[Line]:
    """The board from top to bottom. marks: what to draw in place of an ASCII mark."""
    size = board.size
    rows: dict[int, list[Cell]] = {}
    for cell in board.cells:
        rows.setdefault(cell.row, []).append(cell)
    drawn = [
        [Run(" " * (size + 6) + " ".join(str(number) for number in range(1, size + 1)))],
        [Run(" " * (size + 5) + "/ " * size + str(size + 1))],
    ]
    for index, cells in rows.items():
        margin = " " * (abs(size - 1 - index) + 2) + f"{chr(ord('A') + index)}-"
        drawn.append([Run(margin), *_row(cells, marks), Run(_edge(size, index))])
    return drawn


def text(board: HexBoard, marks: Marks = PLAIN) -> list[str]:
    return plain(lines(board, marks))


def _edge(size: int, row: int) -> str:
    """What stands behind a row: the `/` of the next diagonal, and the number of the one after it."""
    if row >= size - 1:
        return ""
    return "/ " + (str(size + row + 2) if row < size - 2 else "")


def _row(cells: list[Cell], marks: Marks) -> Line:
    """The cells of a row between blanks, which the brackets of the last move replace."""
    runs = [Run(" ")]
    for cell in cells:
        mark = (cell.piece.upper() if cell.winning else cell.piece.lower()) or "."
        if cell.last:
            runs[-1] = Run("(")
        runs += (run(marks.get(mark, mark), cell.name), run(")" if cell.last else " "))
    return runs


NICER: Marks = {".": "·", "o": "○", "O": "◎", "x": "●", "X": "◉"}

HALF, STEP = 17, 30
"""Pixels: half a cell's width, and the distance of two rows; together a hexagon as regular as whole pixels allow."""


_CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
"""Of a hexagon, around it: in half widths, and in thirds of the distance of two rows."""


def svg(board: HexBoard, *, names: bool = True) -> str:
    """The board as an SVG document. names: a cell tells its name when pointed at."""
    size = board.size

    def at(row: int, column: int) -> tuple[int, int]:
        """The pixel in the middle of a cell, x and y."""
        return HALF * (2 * column - row + size + 2), STEP * row + 2 * STEP

    drawing = sheet(HALF * (4 * size + 3), STEP * (2 * size + 2))
    edges: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    for cell in board.cells:
        x, y = at(cell.row, cell.column)
        corners = [(x + dx * HALF, y + dy * STEP // 3) for dx, dy in _CORNERS]
        edges.update((min(pair), max(pair)) for pair in zip(corners, (*corners[1:], corners[0]), strict=True))
        if names:
            drawing.append(named(cell, drawsvg.Lines(*chain(*corners), close=True, fill=PAPER)))
    # One path, and each edge once: a renderer takes far longer for many.
    lines = drawsvg.Path(stroke=LINE, fill="none")
    for start, end in sorted(edges):
        lines.M(*start).L(*end)
    drawing.append(lines)
    drawing.extend(piece(cell, HALF * 4 // 5, *at(cell.row, cell.column)) for cell in board.cells if is_marked(cell))
    for row in range(2 * size - 1):
        drawing.append(label(chr(ord("A") + row), HALF, *at(row, max(0, row - size + 1) - 1)))
        drawing.append(label(str(row + 1), HALF, *at(max(0, row - size + 1) - 1, row)))
    return str(drawing.as_svg())
