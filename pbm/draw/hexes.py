"""Hexagonal boards of any shape, with the coordinates of their lines at both ends.

As text the last move stands in (brackets), and the chain that decided the game in capitals. A coordinate follows its
line off the board over / or \\ or -, so far that it touches no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count, groupby
from operator import itemgetter

from games.scene import HexBoard, Label, Place
from pbm.draw.brush import PLAIN, Marks
from pbm.draw.grid import Line, Run, plain, run

Sheet = dict[Place, Run]
"""What stands at a character's row and column; a run of several characters covers the columns to its right."""


def lines(board: HexBoard, marks: Marks = PLAIN) -> list[Line]:
    """The board from top to bottom. marks: what to draw in place of an ASCII mark."""
    drawn = dict(_labels(board.labels))
    for cell in board.cells:
        mark = (cell.piece.upper() if cell.winning else cell.piece.lower()) or (" " if cell.closed else ".")
        drawn[cell.place] = run(marks.get(mark, mark), cell.name)
        if cell.last:
            drawn[cell.row, cell.column - 1], drawn[cell.row, cell.column + 1] = run("("), run(")")
    return list(_rows(drawn))


def text(board: HexBoard, marks: Marks = PLAIN) -> list[str]:
    return plain(lines(board, marks))


def _rows(drawn: Sheet) -> Iterator[Line]:
    left = min(column for _, column in drawn)
    for _, places in groupby(sorted(drawn), itemgetter(0)):
        line, at = [], left
        for place in places:
            if place[1] > at:
                line.append(run(" " * (place[1] - at)))
            line.append(drawn[place])
            at = place[1] + len(drawn[place].text)
        yield line


@lru_cache(maxsize=64)
def _labels(labels: tuple[Label, ...]) -> Sheet:
    """The labels and the strokes that lead to them."""
    drawn: Sheet = {}
    lettered: set[Place] = set()
    for each in labels:
        (row, column), length = each.place, len(each.text)
        if each.down == 0:
            drawn[row, column + each.right] = run("-")
            drawn[row, column + 3 if each.right > 0 else column - 2 - length] = run(each.text)
            continue
        stroke, back = ("/", "\\")[each.down == each.right], length - 1 if each.right < 0 else 0
        for far in count(2):
            line, start = row + each.down * far, column + each.right * far - back
            if lettered.isdisjoint((line, at) for at in range(start - 1, start + length + 1)):
                break
        for near in range(1, far):
            drawn[row + each.down * near, column + each.right * near] = run(stroke)
        drawn[line, start] = run(each.text)
        lettered.update((line, at) for at in range(start, start + length))
    return drawn


NICER: Marks = {".": "·", "o": "○", "O": "◎", "x": "●", "X": "◉"}
