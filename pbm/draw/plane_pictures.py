"""Pictures of plane boards, for a phone 390 pixels wide: what is most crowded follows below, enlarged, in a frame.

Vertices are small dots, targets larger ones with their codes beside them, and the present point is a ring. Red strokes
are heavy, blue ones dashed, those that the last move removed grey and dotted.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

from PIL import Image, ImageDraw

from games.scene import PlaneBoard, Point, Segment, Stroke
from pbm.draw import brush
from pbm.draw.brush import COLOURS, FAINT, INK, LINE, PAPER
from pbm.draw.layout import Excerpt, Layout, Line, Place, Sheet, Spot, most_crowded

WIDTH = 560
"""Pixels; a phone shows two thirds of them side by side."""
LETTERS = 17
"""Pixels of a label, so that a phone shows eleven."""
CELL_WIDTH, CELL_HEIGHT = 11, 20
"""Pixels of a label's letter, with what is around it."""
ENLARGED = 3
TALLEST = 3
"""A board is shown at most so many times as high as it is wide."""
FINER = 2
TARGET = "#7b1fa2"

_PENS = {
    Stroke.OUTLINE: (LINE, 1.5, 0),
    Stroke.GREEN: (COLOURS["green"], 1.8, 0),
    Stroke.RED: (COLOURS["red"], 3.0, 0),
    Stroke.BLUE: (COLOURS["blue"], 2.0, 10),
}
"""Colour, width in pixels, and length of dashes; 0 for none."""


def of_plane(board: PlaneBoard, *, enlarged: bool = True) -> Image.Image:
    """enlarged: with the part that is most crowded."""
    layout = _laid_out(board)
    images = [_painted(layout)]
    if part := most_crowded(layout, ENLARGED) if enlarged else None:
        _frame(images[0], layout.sheet, part)
        images.append(_painted(_laid_out(part.board)))
        ImageDraw.Draw(images[1]).rectangle((0, 0, WIDTH - 1, images[1].height - 1), None, TARGET, 2)
    whole = Image.new("RGB", (WIDTH, sum(image.height for image in images)), PAPER)
    top = 0
    for image in images:
        whole.paste(image, (0, top))
        top += image.height
    return brush.flat(whole)


def _laid_out(board: PlaneBoard) -> Layout:
    columns = WIDTH // CELL_WIDTH - 4
    rows = max(3, columns * CELL_WIDTH * board.height // (board.width * CELL_HEIGHT))
    return Layout(Sheet(board, columns, min(rows, columns * TALLEST), beside=True))


def _pixel(spot: Spot | Place) -> tuple[float, float]:
    """The middle of a cell: x, y."""
    return (spot[1] + 1) * CELL_WIDTH, (spot[0] + 1.5) * CELL_HEIGHT


def _painted(layout: Layout) -> Image.Image:
    sheet = layout.sheet
    size = WIDTH, (sheet.rows + 3) * CELL_HEIGHT

    def paint(pen: brush.Pen, finer: int) -> None:
        for segment, line in sorted(_lines(layout), key=lambda each: not each[0].gone):
            _stroke(pen, segment, line, finer)
        for index, point in enumerate(sheet.board.points):
            if sheet.shows(point):
                _dot(pen, point, _pixel(sheet.spot(point.x, point.y)), finer, named=index in layout.signs)

    image = brush.smooth(*size, PAPER, paint, FINER)
    pen = ImageDraw.Draw(image)
    for index, (start, label) in layout.numbers.items():
        segment = layout.segments[index]
        _write(pen, start, label, LINE if segment.gone else _PENS[segment.stroke][0])
    for index, (start, sign) in layout.signs.items():
        _write(pen, start, sign, TARGET if sheet.board.points[index].target else INK)
    return image


def _lines(layout: Layout) -> Iterator[tuple[Segment, Line]]:
    for segment, line in zip(layout.segments, layout.lines, strict=True):
        if line:
            yield segment, line


def _stroke(pen: brush.Pen, segment: Segment, line: Line, finer: int) -> None:
    colour, width, dash = (FAINT, 1.5, 4) if segment.gone else _PENS[segment.stroke]
    (x, y), (to_x, to_y) = (tuple(part * finer for part in _pixel(spot)) for spot in (line.start, line.end))
    thick = max(1, round((width + 2 * segment.last) * finer))
    steps = int(hypot(to_x - x, to_y - y) / (dash * finer)) | 1 if dash else 1
    for step in range(0, steps, 2):
        share, until = step / steps, (step + 1) / steps
        ends = (x + (to_x - x) * share, y + (to_y - y) * share, x + (to_x - x) * until, y + (to_y - y) * until)
        pen.line(ends, colour, thick)


def _dot(pen: brush.Pen, point: Point, pixel: tuple[float, float], finer: int, *, named: bool) -> None:
    x, y = (part * finer for part in pixel)
    reach = finer * (8 if point.here else 5 if point.target else 3)
    fill = "#ffd54f" if point.here else TARGET if point.target else INK
    if point.here or point.target or named:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill, INK, finer)


def _write(pen: brush.Pen, start: Place, label: str, ink: str) -> None:
    """A label whose first letter has that cell, on white, which keeps the strokes away from it."""
    x, y = _pixel((start[0], start[1] + (len(label) - 1) / 2))
    half = len(label) * CELL_WIDTH / 2
    pen.rectangle((x - half, y - 8, x + half, y + 8), PAPER)
    brush.write(pen, label, LETTERS, x, y, ink, bold=True)


def _frame(image: Image.Image, sheet: Sheet, part: Excerpt) -> None:
    """A thin frame around what is shown enlarged."""
    left, bottom = _pixel(sheet.spot(part.left, part.low))
    right, top = _pixel(sheet.spot(part.left + part.board.width, part.low + part.board.height))
    ImageDraw.Draw(image).rectangle((left, top, right, bottom), None, TARGET, 1)
