"""Hexagonal boards of any shape, with the coordinates of their lines at both ends.

As text the last move stands in (brackets), and the chain that decided the game in capitals. A coordinate follows its
line off the board over / or \\ or -, so far that it touches no other.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count

from games.scene import HexBoard, Label, Place
from pbm.draw.brush import PLAIN, Marks

Sheet = dict[Place, str]
"""What stands at a character's row and column; several characters cover the columns to its right."""


def text(board: HexBoard, marks: Marks = PLAIN) -> list[str]:
    """The board from top to bottom. marks: what to draw in place of an ASCII mark."""
    drawn = dict(_labels(board.labels))
    for cell in board.cells:
        mark = (cell.piece.upper() if cell.winning else cell.piece.lower()) or (" " if cell.closed else ".")
        drawn[cell.row, cell.column] = marks.get(mark, mark)
        if cell.last:
            drawn[cell.row, cell.column - 1], drawn[cell.row, cell.column + 1] = "()"
    return _rows(drawn)


def _rows(drawn: Sheet) -> list[str]:
    left = min(column for _, column in drawn)
    rows: dict[int, str] = {}
    for (row, column), mark in sorted(drawn.items()):
        line = rows.get(row, "")
        rows[row] = f"{line:{column - left}}{mark}" if column > left else mark
    return [line.rstrip() for line in rows.values()]


@lru_cache(maxsize=64)
def _labels(labels: tuple[Label, ...]) -> Sheet:
    """The labels and the strokes that lead to them."""
    drawn: Sheet = {}
    lettered: set[Place] = set()
    for each in labels:
        (row, column), length = each.place, len(each.text)
        if each.down == 0:
            drawn[row, column + each.right] = "-"
            drawn[row, column + 3 if each.right > 0 else column - 2 - length] = each.text
            continue
        stroke, back = ("/", "\\")[each.down == each.right], length - 1 if each.right < 0 else 0
        for far in count(2):
            line, start = row + each.down * far, column + each.right * far - back
            if lettered.isdisjoint((line, at) for at in range(start - 1, start + length + 1)):
                break
        for near in range(1, far):
            drawn[row + each.down * near, column + each.right * near] = stroke
        drawn[line, start] = each.text
        lettered.update((line, at) for at in range(start, start + length))
    return drawn


NICER: Marks = {".": "·", "o": "○", "O": "◎", "x": "●", "X": "◉"}
