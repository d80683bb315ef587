"""Points and segments in the plane, drawn in characters, as small as all labels can be read.

Red strokes are `#`, blue ones `:` or, when nearly level, `=`; green ones and outlines follow their slope. `+` is a
crossing, `@` the present point, and the last move stands in (brackets). Where labels find no room, the part of the
board that is most crowded follows, enlarged. Edges that the last move removed are not drawn: the notes name them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from math import isqrt

from games.scene import PlaneBoard, Segment, Stroke
from pbm.draw.brush import PLAIN, Marks
from pbm.draw.layout import Layout, Place, Sheet, most_crowded

COLUMNS = 78
"""Of the widest drawing."""
LEAST = 26
"""Of the narrowest."""
ENLARGED = 3
"""How many times the crowded part is enlarged."""
ROOM = 14
"""Cells that a label takes, with the strokes around it: smaller drawings are not even tried."""

NICER: Marks = {"|": "│", "/": "╱", "\\": "╲", "-": "─", "#": "█", ":": "┊", "=": "┄", "+": "┼"}


def text(board: PlaneBoard, marks: Marks = PLAIN, columns: int = COLUMNS) -> list[str]:
    """The drawing in at most so many columns, from top to bottom, without trailing blanks.

    marks: what to draw in place of an ASCII mark; labels stay as they are.
    """
    standing = replace(board, segments=tuple(segment for segment in board.segments if not segment.gone))
    layout = _fitted(standing, columns)
    drawn = list(_drawn(layout, marks))
    if part := most_crowded(layout, ENLARGED):
        enlarged = Layout(_sheet(part.board, columns))
        named = [part.board.points[index].label for index in sorted(enlarged.signs)]
        near = f", around {', '.join(named[:6])}" if any(named[:6]) else ""
        heading = textwrap.wrap(f"The most crowded part{near}, {ENLARGED} times as large:", columns)
        drawn += ["", *heading, "", *_drawn(enlarged, marks)]
    return drawn


def _fitted(board: PlaneBoard, most: int) -> Layout:
    """The layout in the fewest columns in which no label is lost."""
    labels = sum(bool(point.label) for point in board.points) + sum(bool(each.label) for each in board.segments)
    least = max(LEAST, min(most, isqrt(2 * ROOM * labels * board.width // board.height)))
    for columns in range(least, most, 12):
        layout = Layout(_sheet(board, columns))
        if not layout.lost:
            return layout
    return Layout(_sheet(board, most))


def _sheet(board: PlaneBoard, columns: int) -> Sheet:
    """Whole cells a unit where the unit is coarse; rows are twice as high as columns are wide."""
    room = columns - 4
    wide = board.width * (room // board.width) if 3 * board.width <= room else room
    rows = max(5, min(wide, -(-wide * 11 * board.height // (board.width * 20))))
    step = rows // board.height
    return Sheet(board, wide, board.height * step if step and 3 * board.width <= room else rows)


def _drawn(layout: Layout, marks: Marks) -> Iterator[str]:
    drawn: dict[Place, str] = {}
    for segment, path in zip(layout.segments, layout.paths, strict=True):
        for place, mark in path:
            drawn.setdefault(place, _stroke(segment, mark))
    drawn |= dict.fromkeys(layout.crossings(), "+")
    cells = {place: marks.get(mark, mark) for place, mark in drawn.items()}
    for start, label in (*layout.numbers.values(), *layout.signs.values()):
        cells |= {(start[0], start[1] + step): letter for step, letter in enumerate(label)}
    return _rows(cells)


def _stroke(segment: Segment, mark: str) -> str:
    if segment.stroke is Stroke.RED:
        return "#"
    if segment.stroke is Stroke.BLUE:
        return ":" if mark in "|/\\.'`" else "="
    return mark


def _rows(cells: dict[Place, str]) -> Iterator[str]:
    rows: dict[int, list[int]] = {}
    for row, column in sorted(cells):
        rows.setdefault(row, []).append(column)
    for row in range(min(rows, default=0), max(rows, default=-1) + 1):
        yield "".join([cells.get((row, column), " ") for column in range(max(rows.get(row, [-1])) + 1)]).rstrip()
