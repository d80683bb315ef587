"""Scenes drawn in characters for mails, or described in words; pictures are in picture.py.

On a board of hexagons the last move is in (brackets), and the chain that decided the game in capitals. A label extends
its line beyond the board with / or \\ or -, far enough not to touch another label.

On squares and crossings every place is three characters wide, with column letters above and below and row numbers on
both sides. The last move is in (brackets), and what decided the game in [brackets]. A free place is a dot, a colon if
it is shaded, and blank if nobody may play there now. Joins are drawn with - and |, their crossings as the small letter
of the owner. On a board of lines a free place is a +, or a * if it is shaded, and the copies beyond the edge of a board
that wraps around are small letters and dots. Points are four characters apart on every second line, with room between
them for the joins and the owners of boxes; a join that may be drawn is a dot.

In the plane a drawing is as small as readable labels allow. Red strokes are `#`, blue ones `:` or, if nearly level,
`=`; green ones and outlines follow their slope. `+` is a crossing, `@` the current point, and the last move is in
(brackets). If some labels have no room, the most crowded part of the board follows, enlarged. Edges that the last move
removed are not drawn, but named in the notes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from math import isqrt

from games.scene import (
    Cell,
    GridBoard,
    Ground,
    HexBoard,
    Join,
    Label,
    Listing,
    Look,
    Place,
    PlaneBoard,
    Scene,
    Segment,
    Stroke,
)
from pbm.draw import words
from pbm.draw.layout import ENLARGED, Layout, Sheet, most_crowded

__all__ = ["STYLES", "board", "lines", "text"]

ASCII, UNICODE, WORDS = STYLES = ("ascii", "unicode", "words")
"""How text shows a board: drawn in ASCII, drawn in Unicode, or described in words."""

WIDTH, WIDTH_OF_WORDS = 78, 76
"""Characters in a line of a mail. Notes and boards in words are wrapped; drawings must fit by themselves."""


def text(scene: Scene, style: str = ASCII) -> str:
    """The board, then its notes and lists, without trailing blanks; ends with a newline."""
    return "\n".join(lines(scene, style)) + "\n"


def lines(
    scene: Scene, style: str = ASCII, first: Sequence[str] = (), last: Sequence[str] = (), sides: words.Sides = ()
) -> list[str]:
    """The lines that `text` joins; blocks are separated by empty lines.

    first, last: sentences before and after a board in words. sides: their names, for a board in words.
    """
    lists = [_listing(listing) for listing in scene.lists]
    if style == WORDS:
        # Whoever listens hears first what has changed.
        blocks = [_wrapped((*first, *scene.notes)), board(scene.board, style, sides=sides), *lists, _wrapped(last)]
    else:
        blocks = [board(scene.board, style), _wrapped((*scene.notes, *scene.legend)), *lists]
    return [*chain.from_iterable(("", *block) for block in blocks if block)][1:]


def _wrapped(sentences: Iterable[str], width: int = WIDTH) -> list[str]:
    return [line for sentence in sentences for line in textwrap.wrap(sentence, width, break_on_hyphens=False)]


def board(
    shown: HexBoard | GridBoard | PlaneBoard, style: str = ASCII, columns: int = WIDTH, sides: words.Sides = ()
) -> list[str]:
    """Only the board. columns: the most it may take, if its size is not fixed. sides: as for `lines`."""
    if style == WORDS:
        return _wrapped(words.sentences(shown, sides), WIDTH_OF_WORDS)
    nicer = style == UNICODE
    if isinstance(shown, HexBoard):
        return _hexes(shown, HEX_MARKS if nicer else {})
    if isinstance(shown, GridBoard):
        return _grid(shown, GRID_MARKS if nicer else {})
    return _plane(shown, PLANE_MARKS if nicer else {}, columns)


def _listing(listing: Listing) -> list[str]:
    """The heading and the rows below it, with aligned columns and nothing cut off."""
    widths = [max(map(len, column)) for column in zip(*listing.rows, strict=True)]
    rows = ["".join(f"  {cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in listing.rows]
    return [listing.heading, *(row.rstrip() for row in rows)]


Marks = Mapping[str, str]
"""Replacements for characters of the plain drawing; characters not in it stay."""

Drawing = dict[Place, str]
"""Characters by row and column; a longer text also covers the columns to its right."""


def _hexes(board: HexBoard, marks: Marks) -> list[str]:
    """The board from top to bottom, without trailing blanks."""
    drawn = _labels(board.labels)
    for cell in board.cells:
        mark = (cell.piece.upper() if cell.winning else cell.piece.lower()) or (" " if cell.closed else FREE)
        drawn[cell.place] = marks.get(mark, mark)
        if cell.last:
            drawn[cell.row, cell.column - 1], drawn[cell.row, cell.column + 1] = "()"
    return _rows(drawn, min(column for _, column in drawn))


def _labels(labels: tuple[Label, ...]) -> Drawing:
    """The labels, and the strokes that lead to them."""
    drawn: Drawing = {}
    lettered: set[Place] = set()
    for label in labels:
        (row, column), length = label.place, len(label.text)
        if label.down == 0:
            drawn[row, column + label.right] = "-"
            drawn[row, column + 3 if label.right > 0 else column - 2 - length] = label.text
            continue
        stroke, back = ("/", "\\")[label.down == label.right], length - 1 if label.right < 0 else 0
        for far in count(2):
            line, start = row + label.down * far, column + label.right * far - back
            # With a blank on both sides, or two labels would be read as one.
            if lettered.isdisjoint((line, at) for at in range(start - 1, start + length + 1)):
                break
        for near in range(1, far):
            drawn[row + label.down * near, column + label.right * near] = stroke
        drawn[line, start] = label.text
        lettered.update((line, at) for at in range(start, start + length))
    return drawn


FREE = "."
HEX_MARKS: Marks = {".": "·", "o": "○", "O": "◎", "x": "●", "X": "◉"}


def _grid(board: GridBoard, marks: Marks) -> list[str]:
    """The board from top to bottom, without trailing blanks."""
    # The lines, and the characters, from a place to the next one.
    down, right = (2, 4) if board.ground is Ground.POINTS else (1, 3)
    drawn = _joins(board.joins, down, right, marks)
    for box in board.boxes:
        drawn[down * box.row + 1, right * box.column + 2] = box.owner
    for crossing in board.crossings:
        mark = crossing.owner.lower()
        drawn[down * crossing.row, right * crossing.column] = marks.get(mark, mark)
    for cell in board.cells:
        place = row, column = down * cell.row, right * cell.column
        # What is on top is seen: a piece, the owner of a crossing, a line.
        if cell.piece or place not in drawn:
            mark = _mark(cell, board.ground)
            drawn[place] = marks.get(mark, mark)
        if cell.last or cell.winning:
            drawn[row, column - 1], drawn[row, column + 1] = "()" if cell.last else "[]"
    drawn |= _beside(board, down, right)
    return _rows(drawn, min(column for _, column in drawn))


def _beside(board: GridBoard, down: int, right: int) -> Drawing:
    """The labels on all four sides. down, right: from a place to the next one, in characters."""
    drawn = Drawing()
    lines, columns = zip(*(cell.place for cell in board.cells), strict=True)
    for number, label in enumerate(board.rows):
        drawn[down * number, right * min(columns) - 2 - len(label)] = label
        drawn[down * number, right * max(columns) + 3] = label
    for number, label in enumerate(board.columns):
        drawn[down * min(lines) - 1, right * number] = drawn[down * max(lines) + 1, right * number] = label
    return drawn


def _joins(joins: Iterable[Join], down: int, right: int, marks: Marks) -> Drawing:
    """The lines through places and between them. down, right: from a place to the next one, in characters."""
    drawn = Drawing()
    for join in joins:
        (row, column), (to_row, to_column) = sorted((join.start, join.end))
        middle, at = down * (row + to_row) // 2, right * (column + to_column) // 2
        # A join that may be drawn is seen by its dot.
        if join.look is Look.OPEN:
            drawn[middle, at] = "."
        elif row == to_row:
            drawn |= {(middle, at): marks.get("-", "-") for at in range(right * column + 1, right * to_column)}
        else:
            # Where lines cross, the level one is seen.
            for line in range(down * row + 1, down * to_row):
                drawn.setdefault((line, at), marks.get("|", "|"))
        if join.last:
            drawn[middle, at - 1], drawn[middle, at + 1] = "()"
    return drawn


def _mark(cell: Cell, ground: Ground) -> str:
    if cell.piece:
        return cell.piece.lower() if cell.faint else cell.piece
    if cell.closed:
        return " "
    if cell.shaded:
        return ":" if ground is Ground.SQUARES else "*"
    return "." if cell.faint or ground is Ground.SQUARES else "+"


GRID_MARKS: Marks = {
    ".": "·", "+": "┼", "-": "─", "|": "│", "B": "●", "W": "○", "b": "•", "w": "◦", "X": "●", "O": "○",
    "x": "•", "o": "◦",
}  # fmt: skip


LEAST = 26
"""The fewest columns of a drawing."""
ROOM = 14
"""Cells per label, including the strokes around it; smaller drawings are not even tried."""

PLANE_MARKS: Marks = {"|": "│", "/": "╱", "\\": "╲", "-": "─", "#": "█", ":": "┊", "=": "┄", "+": "┼"}


def _plane(board: PlaneBoard, marks: Marks, columns: int) -> list[str]:
    """The drawing from top to bottom, without trailing blanks. columns: the most it may take.

    marks: replacements for ASCII marks; labels stay as they are.
    """
    # In characters a removed edge would look like one that stands.
    standing = replace(board, segments=tuple(segment for segment in board.segments if not segment.gone))
    layout = _fitted(standing, columns)
    drawn = _drawn(layout, marks)
    if part := most_crowded(layout):
        enlarged = Layout(_sheet(part.board, columns))
        named = [part.board.points[index].label for index in sorted(enlarged.signs)]
        near = f", around {', '.join(named[:6])}" if any(named[:6]) else ""
        heading = textwrap.wrap(f"The most crowded part{near}, {ENLARGED} times as large:", columns)
        drawn += ["", *heading, "", *_drawn(enlarged, marks)]
    return drawn


def _fitted(board: PlaneBoard, most: int) -> Layout:
    """The layout with the fewest columns in which no label is lost; with `most` if there is none."""
    labels = sum(bool(point.label) for point in board.points) + sum(bool(line.label) for line in board.segments)
    least = max(LEAST, min(most, isqrt(2 * ROOM * labels * board.width // board.height)))
    for columns in range(least, most, 12):
        layout = Layout(_sheet(board, columns))
        if not layout.lost:
            return layout
    return Layout(_sheet(board, most))


def _sheet(board: PlaneBoard, columns: int) -> Sheet:
    """A sheet with whole cells per unit if units are coarse; rows are about twice as high as columns are wide."""
    room = columns - 4
    wide = board.width * (room // board.width) if 3 * board.width <= room else room
    rows = max(5, min(wide, -(-wide * 11 * board.height // (board.width * 20))))
    step = rows // board.height
    return Sheet(board, wide, board.height * step if step and 3 * board.width <= room else rows)


def _drawn(layout: Layout, marks: Marks) -> list[str]:
    drawn = Drawing()
    for segment, path in zip(layout.segments, layout.paths, strict=True):
        for place, mark in path:
            drawn.setdefault(place, _stroke(segment, mark))
    drawn |= dict.fromkeys(layout.crossings(), "+")
    cells = {place: marks.get(mark, mark) for place, mark in drawn.items()}
    # Last, over all strokes.
    for start, label in (*layout.numbers.values(), *layout.signs.values()):
        cells |= {(start[0], start[1] + step): letter for step, letter in enumerate(label)}
    return _rows(cells)


def _stroke(segment: Segment, mark: str) -> str:
    if segment.stroke is Stroke.RED:
        return "#"
    if segment.stroke is Stroke.BLUE:
        return ":" if mark in "|/\\.'`" else "="
    return mark


def _rows(drawn: Drawing, left: int = 0) -> list[str]:
    """The lines from top to bottom, without trailing blanks. left: the first column."""
    lines: dict[int, str] = {}
    for (row, column), mark in sorted(drawn.items()):
        lines[row] = f"{lines.get(row, ''):{column - left}}{mark}"
    return [lines.get(row, "").rstrip() for row in range(min(lines, default=0), max(lines, default=-1) + 1)]
