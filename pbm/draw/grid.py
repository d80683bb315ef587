"""Square boards and Go boards: column letters above and below, row numbers on both sides.

As text every place is three characters wide. The last move stands in (brackets), what decided the game in [brackets].
A free place is a dot, a colon where it is shaded, and blank where nobody may play now. Joins are drawn with - and |,
their crossings as the small letter of the owner. On a board of lines a free place is a +, a * where it is shaded, and
the copies beyond the edge of a board that wraps around are small letters and dots.

Points are four characters apart and every second line, with room between them for the joins and the owners of boxes; a
join that may be drawn is a dot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from games.scene import Cell, GridBoard, Ground, Join, Look, Place
from pbm.draw.brush import PLAIN, Marks


class Run(NamedTuple):
    """Characters side by side. word: what a player types to mean them; empty where they mean nothing."""

    text: str
    word: str = ""


Line = list[Run]
run = lru_cache(maxsize=10_000)(Run)
"""A run of a board's place: boards have a few thousand different ones, drawn over and over."""


def plain(lines: Sequence[Line]) -> list[str]:
    """The characters alone, without trailing blanks."""
    return ["".join(run.text for run in line).rstrip() for line in lines]


def lines(board: GridBoard, marks: Marks = PLAIN) -> list[Line]:
    """The board from top to bottom. marks: what to draw in place of an ASCII mark."""
    if board.ground is Ground.POINTS:
        return _spaced(board, marks)
    drawn = _places(board, marks)
    left = min(drawn)[1]
    margin = max(map(len, board.rows))
    letters = [Run(" " * (margin + 1 - 3 * left) + "".join(f" {label} " for label in board.columns))]
    middle = []
    for row, places in groupby(sorted(drawn), itemgetter(0)):
        label = board.rows[row] if 0 <= row < len(board.rows) else ""
        parts = [part for place in places for part in drawn[place]]
        middle.append([Run(f"{label:>{margin}} "), *parts, Run(f" {label}")])
    return [letters, *middle, letters]


def text(board: GridBoard, marks: Marks = PLAIN) -> list[str]:
    return plain(lines(board, marks))


def _places(board: GridBoard, marks: Marks) -> dict[Place, Line]:
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
        three = [marks.get(each, each) for each in (left, mark, right)]
        drawn[place] = [run(three[0]), run(three[1], cell.name), run(three[2])]
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


def _spaced(board: GridBoard, marks: Marks) -> list[Line]:
    """Points with what is between them."""
    drawn: dict[Place, Run] = {}
    for join in board.joins:
        for place, mark in _strokes(join):
            drawn[place] = run(marks.get(mark, mark))
        (row, column), (to_row, to_column) = join.start, join.end
        middle = row + to_row, 2 * (column + to_column)
        drawn[middle] = run(drawn[middle].text, join.name) if middle in drawn else run(".", join.name)
        if join.last:
            drawn[middle[0], middle[1] - 1], drawn[middle[0], middle[1] + 1] = run("("), run(")")
    for box in board.boxes:
        drawn[2 * box.row + 1, 4 * box.column + 2] = run(box.owner)
    for cell in board.cells:
        row, column = 2 * cell.row, 4 * cell.column
        mark = _piece(cell) or _free(cell, board.ground)
        drawn[row, column] = run(marks.get(mark, mark), cell.name)
        if brackets := _brackets(cell):
            drawn[row, column - 1], drawn[row, column + 1] = run(brackets[0]), run(brackets[1])
    margin, blank = max(map(len, board.rows)), run(" ")
    letters = [Run(" " * (margin + 2) + "   ".join(board.columns))]
    middle_lines = []
    for line in range(2 * len(board.rows) - 1):
        label = "" if line % 2 else board.rows[line // 2]
        parts = [drawn.get((line, at), blank) for at in range(-1, 4 * len(board.columns) - 2)]
        middle_lines.append([Run(f"{label:>{margin}} "), *parts, Run(f" {label}")])
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
