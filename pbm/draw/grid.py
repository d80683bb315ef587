"""Square boards and Go boards: column letters above and below, row numbers on both sides.

As text every place is three characters wide. The last move stands in (brackets), what decided the game in [brackets].
A free place is a dot, a colon where it is shaded, and blank where nobody may play now. Joins are drawn with - and |,
their crossings as the small letter of the owner. On a board of lines a free place is a +, a * where it is shaded, and
the copies beyond the edge of a board that wraps around are small letters and dots.

Points are four characters apart and every second line, with room between them for the joins and the owners of boxes; a
join that may be drawn is a dot.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from games.scene import Cell, GridBoard, Ground, Join, Look, Place
from pbm.draw.brush import PLAIN, Marks


def text(board: GridBoard, marks: Marks = PLAIN) -> list[str]:
    """The board from top to bottom, without trailing blanks. marks: what to draw in place of an ASCII mark."""
    if board.ground is Ground.POINTS:
        return _spaced(board, marks)
    drawn = _places(board, marks)
    left = min(drawn)[1]
    margin = max(map(len, board.rows))
    letters = (" " * (margin + 1 - 3 * left) + "".join(f" {label} " for label in board.columns)).rstrip()
    middle = []
    for row, places in groupby(sorted(drawn), itemgetter(0)):
        label = board.rows[row] if 0 <= row < len(board.rows) else ""
        middle.append(f"{label:>{margin}} {''.join([drawn[place] for place in places])} {label}".rstrip())
    return [letters, *middle, letters]


def _places(board: GridBoard, marks: Marks) -> dict[Place, str]:
    """Every place's three characters: its mark, and the brackets or the joins beside it."""
    # A join is drawn to the right of the places in `across`, and straight down through those in `down`.
    across = {(join.start[0], at) for join in board.joins for at in range(join.start[1], join.end[1])}
    down = {(at, join.start[1]) for join in board.joins for at in range(join.start[0] + 1, join.end[0])}
    owners = {(crossing.row, crossing.column): crossing.owner.lower() for crossing in board.crossings}
    drawn = {}
    for cell in board.cells:
        place, before = (cell.row, cell.column), (cell.row, cell.column - 1)
        line = "-" if place in across else "|" if place in down else ""
        mark = _piece(cell) or owners.get(place, "") or line or _free(cell, board.ground)
        left, right = _brackets(cell) or tuple("-" if gap in across else " " for gap in (before, place))
        drawn[place] = "".join([marks.get(each, each) for each in (left, mark, right)])
    return drawn


def _piece(cell: Cell) -> str:
    return cell.piece.lower() if cell.faint else cell.piece


def _brackets(cell: Cell) -> tuple[str, ...]:
    return ("(", ")") if cell.last else ("[", "]") if cell.winning else ()


def _free(cell: Cell, ground: Ground) -> str:
    if cell.closed:
        return " "
    if cell.shaded:
        return ":" if ground is Ground.SQUARES else "*"
    return "." if cell.faint or ground is Ground.SQUARES else "+"


def _spaced(board: GridBoard, marks: Marks) -> list[str]:
    """Points with what is between them."""
    drawn: dict[Place, str] = {}
    for join in board.joins:
        for place, mark in _strokes(join):
            drawn[place] = marks.get(mark, mark)
        (row, column), (to_row, to_column) = join.start, join.end
        middle = row + to_row, 2 * (column + to_column)
        drawn.setdefault(middle, ".")
        if join.last:
            drawn[middle[0], middle[1] - 1], drawn[middle[0], middle[1] + 1] = "()"
    for box in board.boxes:
        drawn[2 * box.row + 1, 4 * box.column + 2] = box.owner
    for cell in board.cells:
        row, column = 2 * cell.row, 4 * cell.column
        mark = _piece(cell) or _free(cell, board.ground)
        drawn[row, column] = marks.get(mark, mark)
        if brackets := _brackets(cell):
            drawn[row, column - 1], drawn[row, column + 1] = brackets
    margin = max(map(len, board.rows))
    letters = " " * (margin + 2) + "   ".join(board.columns)
    middle_lines = []
    for line in range(2 * len(board.rows) - 1):
        label = "" if line % 2 else board.rows[line // 2]
        parts = [drawn.get((line, at), " ") for at in range(-1, 4 * len(board.columns) - 2)]
        middle_lines.append(f"{label:>{margin}} {''.join(parts)} {label}".rstrip())
    return [letters, *middle_lines, letters]


def _strokes(join: Join) -> Iterator[tuple[Place, str]]:
    """The characters of a join between its ends; none where it is not drawn yet."""
    (row, column), (to_row, to_column) = sorted((join.start, join.end))
    if join.look is Look.OPEN:
        return
    for at in range(4 * column + 1, 4 * to_column):
        yield (2 * row, at), "-"
    for at in range(2 * row + 1, 2 * to_row):
        yield (at, 4 * column), "|"


NICER: Marks = {
    ".": "·", "+": "┼", "-": "─", "|": "│", "B": "●", "W": "○", "b": "•", "w": "◦", "X": "●", "O": "○",
    "x": "•", "o": "◦",
}  # fmt: skip
