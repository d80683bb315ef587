"""Pictures of plane boards, for a phone 390 pixels wide: what is most crowded follows below, enlarged, in a frame.

Vertices are small dots, targets larger ones with their codes beside them, and the present point is a ring. Red strokes
are heavy, blue ones dashed, those that the last move removed grey and dotted.
"""

from __future__ import annotations

from functools import lru_cache
from math import hypot
from typing import NamedTuple

from PIL import Image, ImageDraw

from games.scene import PlaneBoard, Segment, Stroke
from pbm.draw import brush
from pbm.draw.brush import COLOURS, FAINT, INK, LINE, PAPER
from pbm.draw.layout import Excerpt, Layout, Line, Place, Sheet, Spot, most_crowded

WIDTH = 460
"""Pixels; a phone shows four fifths of them side by side."""
LETTERS = 14
"""Pixels of a label, so that a phone shows eleven."""
CELL_WIDTH, CELL_HEIGHT = 9, 16
"""Pixels of a label's letter, with what is around it."""
ENLARGED = 3
ASIDE = 0.34
"""Of a cell, by which a name at most goes aside with its point, so that it does not hide it."""
TALLEST = 3
"""A board is shown at most so many times as high as it is wide."""
TARGET = COLOURS["purple"]

_PENS = {
    Stroke.OUTLINE: (LINE, 1, 0),
    Stroke.GREEN: (COLOURS["green"], 1, 0),
    Stroke.RED: (COLOURS["red"], 2, 0),
    Stroke.BLUE: (COLOURS["blue"], 1, 12),
}
"""Colour, width in pixels without the soft edge, and length of dashes; 0 for none."""


def of_plane(board: PlaneBoard, *, enlarged: bool = True, soft: bool = True) -> Image.Image:
    """enlarged: with the part that is most crowded. soft: the edges of strokes."""
    layout = _laid_out(board)
    part = most_crowded(layout, ENLARGED) if enlarged else None
    below = _laid_out(part.board) if part else None
    height = _height(layout)
    image = brush.blank(WIDTH, height + (_height(below) if below else 0))
    _paint(image, layout, 0, soft=soft)
    if part and below:
        _frame(image, layout.sheet, part)
        _paint(image, below, height, soft=soft)
        edge = 0, height, WIDTH - 1, image.height - 1
        ImageDraw.Draw(image).rectangle(edge, None, brush.number(TARGET), 2)
    return image


def _laid_out(board: PlaneBoard) -> Layout:
    return Layout(_sheet(board), _laid_out_at_start(board.start) if board.start else None)


@lru_cache(maxsize=256)
def _laid_out_at_start(board: PlaneBoard) -> Layout:
    """Once for all positions of a game, as most of what takes time is to find places for labels."""
    return Layout(_sheet(board))


def _sheet(board: PlaneBoard) -> Sheet:
    columns = WIDTH // CELL_WIDTH - 5
    rows = max(3, columns * CELL_WIDTH * board.height // (board.width * CELL_HEIGHT))
    return Sheet(board, columns, min(rows, columns * TALLEST), beside=True)


def _height(layout: Layout) -> int:
    return (layout.sheet.rows + 3) * CELL_HEIGHT


def _pixel(spot: Spot | Place, top: int = 0) -> Spot:
    """The middle of a cell: x, y."""
    return (spot[1] + 1) * CELL_WIDTH, (spot[0] + 1.5) * CELL_HEIGHT + top


def _paint(image: Image.Image, layout: Layout, top: int, *, soft: bool) -> None:
    """The layout drawn, from this row of pixels on: strokes, soft edges first, points, then labels."""
    pen, board = ImageDraw.Draw(image), layout.sheet.board
    lines = zip(layout.segments, layout.lines, strict=True)
    strokes = [_stroke(segment, line, top) for segment, line in lines if line]
    for around in (True, False) if soft else (False,):
        for stroke in strokes:
            for ends in stroke.dashes:
                pen.line(ends, stroke.edge if around else stroke.ink, stroke.width + 2 * around)
    for index, point in enumerate(board.points):
        if layout.sheet.shows(point) and (point.here or point.target or index in layout.signs):
            radius = 7 if point.here else 4 if point.target else 3
            fill = COLOURS["yellow"] if point.here else TARGET if point.target else INK
            brush.stamp(image, brush.dot(radius, fill), _pixel(layout.sheet.spot(point.x, point.y), top))
    for index, (start, label) in layout.numbers.items():
        _write(image, start, label, _pen(layout.segments[index])[0], top)
    for index, (start, sign) in layout.signs.items():
        aside = max(-ASIDE, min(ASIDE, layout.off_middle(index)))
        _write(image, (start[0], start[1] + aside), sign, TARGET if board.points[index].target else INK, top)


class _Drawn(NamedTuple):
    """A stroke in pixels and numbers of the palette."""

    dashes: list[tuple[float, float, float, float]]
    ink: int
    edge: int
    """Of its soft edge."""
    width: int


def _pen(segment: Segment) -> tuple[str, int, int]:
    return (LINE, 2, 4) if segment.gone else _PENS[segment.stroke]


def _stroke(segment: Segment, line: Line, top: int) -> _Drawn:
    colour, width, dash = _pen(segment)
    (x, y), (to_x, to_y) = _pixel(line.start, top), _pixel(line.end, top)
    steps = int(hypot(to_x - x, to_y - y) / dash) | 1 if dash else 1
    right, down = (to_x - x) / steps, (to_y - y) / steps
    dashes = [
        (x + right * step, y + down * step, x + right * (step + 1), y + down * (step + 1))
        for step in range(0, steps, 2)
    ]
    ink = FAINT if segment.gone else colour
    soft = brush.number(brush.mixed(ink, PAPER), brush.FEW)
    return _Drawn(dashes, brush.number(ink), soft, width + 2 * segment.last)


def _write(image: Image.Image, start: Spot, label: str, ink: str, top: int) -> None:
    """A label whose first letter has that cell, on white, which keeps the strokes away from it."""
    middle = _pixel((start[0], start[1] + (len(label) - 1) / 2), top)
    brush.stamp(image, brush.lettering(label, LETTERS, CELL_WIDTH * len(label) + 1, ink), middle, square=True)


def _frame(image: Image.Image, sheet: Sheet, part: Excerpt) -> None:
    """A thin frame around what is shown enlarged."""
    left, bottom = _pixel(sheet.spot(part.left, part.low))
    right, top = _pixel(sheet.spot(part.left + part.board.width, part.low + part.board.height))
    ImageDraw.Draw(image).rectangle((left, top, right, bottom), None, brush.number(TARGET), 1)
