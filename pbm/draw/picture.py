"""Boards as pictures for mails, and a whole game as an animated GIF.

A picture is an opaque PNG with our own fonts, for a phone 390 pixels wide. A GIF stores only what changes from one
board to the next, so it is small.

For a board in the plane, its most crowded part, which has a frame, follows below, enlarged. Vertices are small dots,
targets larger ones with their codes beside them, and the current point is a ring. Red strokes are heavy, blue ones
dashed, and those removed by the last move grey and dotted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from PIL import GifImagePlugin, Image, ImageChops, ImageDraw

from games.scene import GridBoard, HexBoard, PlaneBoard, Scene, Segment, Stroke
from pbm.draw import brush, cell_pictures
from pbm.draw.colours import COLOURS, FAINT, INK, LINE, PAPER, Picture
from pbm.draw.layout import Layout, Line, Place, Sheet, Spot, most_crowded, pictured

WIDTH = 460  # in pixels; a phone shrinks it to four fifths
LETTERS = 14  # a phone shows eleven
"""The height of a label in pixels."""
CELL_WIDTH, CELL_HEIGHT = 9, 16
"""The pixels of a label's letter, including the space around it."""
ASIDE = 0.34
"""The largest shift of a name, in cells, with which it follows its point so as not to hide it."""
TARGET = COLOURS["purple"]

_PENS = {
    Stroke.OUTLINE: (LINE, 1, 0),
    Stroke.GREEN: (COLOURS["green"], 1, 0),
    Stroke.RED: (COLOURS["red"], 2, 0),
    Stroke.BLUE: (COLOURS["blue"], 1, 12),
}
"""Colour, width in pixels without the soft edge, and length of dashes; 0 for none."""


def of_plane(board: PlaneBoard, *, enlarged: bool = True, soft: bool = True) -> Image.Image:
    """enlarged: with the most crowded part. soft: with soft edges of strokes."""
    layout = _laid_out(board)
    part = most_crowded(layout) if enlarged else None
    below = _laid_out(part.board) if part else None
    height = _height(layout)
    image = brush.blank(WIDTH, height + (_height(below) if below else 0))
    _paint(image, layout, 0, soft=soft)
    if part and below:
        # A thin frame around the part that is shown enlarged.
        left, bottom = _pixel(layout.sheet.spot(part.left, part.low))
        right, upper = _pixel(layout.sheet.spot(part.left + part.board.width, part.low + part.board.height))
        ImageDraw.Draw(image).rectangle((left, upper, right, bottom), None, brush.number(TARGET), 1)
        _paint(image, below, height, soft=soft)
        edge = 0, height, WIDTH - 1, image.height - 1
        ImageDraw.Draw(image).rectangle(edge, None, brush.number(TARGET), 2)
    return image


def _laid_out(board: PlaneBoard) -> Layout:
    return Layout(_sheet(board), _laid_out_at_start(board.start) if board.start else None)


@lru_cache(maxsize=256)  # finding places for labels takes most of the time, and they stay during a game
def _laid_out_at_start(board: PlaneBoard) -> Layout:
    return Layout(_sheet(board))


def _sheet(board: PlaneBoard) -> Sheet:
    return pictured(board, WIDTH // CELL_WIDTH - 5, CELL_WIDTH, CELL_HEIGHT)


def _height(layout: Layout) -> int:
    return (layout.sheet.rows + 3) * CELL_HEIGHT


def _pixel(spot: Spot | Place, top: int = 0) -> Spot:
    """The centre of a cell: x, y."""
    return (spot[1] + 1) * CELL_WIDTH, (spot[0] + 1.5) * CELL_HEIGHT + top


def _paint(image: Image.Image, layout: Layout, top: int, *, soft: bool) -> None:
    """Draws the layout from this row of pixels on: soft edges of strokes, strokes, points, then labels."""
    pen, board = ImageDraw.Draw(image), layout.sheet.board
    lines = zip(layout.segments, layout.lines, strict=True)
    strokes = [_stroke(segment, line, top) for segment, line in lines if line]
    # All soft edges first, or they would eat into other strokes.
    for around in (True, False) if soft else (False,):
        for stroke in strokes:
            for ends in stroke.dashes:
                pen.line(ends, stroke.edge if around else stroke.ink, stroke.width + 2 * around)
    _stamp_points(image, layout, top)
    for index, (start, label) in layout.numbers.items():
        _write(image, start, label, _pen(layout.segments[index])[0], top)
    for index, (start, sign) in layout.signs.items():
        aside = max(-ASIDE, min(ASIDE, layout.off_middle(index)))
        _write(image, (start[0], start[1] + aside), sign, TARGET if board.points[index].target else INK, top)


def _stamp_points(image: Image.Image, layout: Layout, top: int) -> None:
    for index, point in enumerate(layout.sheet.board.points):
        # The end of a stroke needs no dot, unless it is what a label stands for.
        is_marked = point.here or point.target or index in layout.signs
        if is_marked and layout.sheet.shows(point):
            radius, colour = (4, TARGET) if point.target else (3, INK)
            if point.here:
                radius, colour = 7, COLOURS["yellow"]
            brush.stamp(image, brush.dot(radius, colour), _pixel(layout.sheet.spot(point.x, point.y), top))


class _Drawn(NamedTuple):
    """A stroke in pixels and palette numbers."""

    dashes: list[tuple[float, float, float, float]]
    ink: int
    edge: int
    """The colour of its soft edge."""
    width: int


def _pen(segment: Segment) -> tuple[str, int, int]:
    return (LINE, 2, 4) if segment.gone else _PENS[segment.stroke]


def _stroke(segment: Segment, line: Line, top: int) -> _Drawn:
    colour, width, dash = _pen(segment)
    (x, y), (to_x, to_y) = _pixel(line.start, top), _pixel(line.end, top)
    # An odd number, so that dashes begin and end at the points.
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
    """Writes a label with its first letter in that cell, on white, so that strokes do not touch it."""
    middle = _pixel((start[0], start[1] + (len(label) - 1) / 2), top)
    brush.stamp(image, brush.lettering(label, LETTERS, CELL_WIDTH * len(label) + 1, ink), middle, square=True)


MAX_OCTETS = 160_000
"""A larger picture is not sent."""


@lru_cache(maxsize=32)
def picture(board: HexBoard | GridBoard | PlaneBoard) -> Picture | None:
    """The picture of the board; None if it would be too large."""
    shown = drawn(board)
    return shown if len(shown.data) <= MAX_OCTETS else None


@lru_cache(maxsize=32)
def smaller(board: HexBoard | GridBoard | PlaneBoard) -> Picture | None:
    """A smaller picture: in the plane without soft edges and enlarged part, of cells with fewer pixels.

    None if it would save little.
    """
    if isinstance(board, PlaneBoard):
        return brush.finished(of_plane(board, enlarged=False, soft=False))
    small, whole = brush.finished(cell_pictures.image(board, cell_pictures.SMALL)), picture(board)
    if whole is not None and 3 * len(small.data) >= 2 * len(whole.data):
        return None
    return replace(small, width=small.width * 3 // 2, height=small.height * 3 // 2)


def drawn(board: HexBoard | GridBoard | PlaneBoard) -> Picture:
    """The picture, not cached, however large."""
    return brush.finished(of_plane(board) if isinstance(board, PlaneBoard) else cell_pictures.image(board))


FILM_OCTETS, FILM_OCTETS_OF_PLANES = 24_000, 20_000
# Its mail stays below 60 kB; that of a plane has more other content.
"""The most octets of a GIF."""
MAX_BOARDS, MAX_PLANES = 120, 16
# Planes take ten times as long to draw.
"""The most boards shown of a game, spread evenly over it."""
LAST_SECONDS, ALL_SECONDS = 5.0, 60.0
"""How long the last board is shown, and all others together at most."""
BOARD_SECONDS = 0.8
_SIZES = (1, 2 / 3, 1 / 2)
"""The sizes tried, one after another, before boards are left out."""
_KEPT = 255  # the palette has fewer colours
"""The number of a pixel that does not change."""
_CHANGED = [0, *[255] * 255]


def film(board: Callable[[int], Scene], plies: int) -> Picture | None:
    """The boards after 0 to this many plies; made smaller, or with boards left out, if it would be too large.

    None if it would be useless. board: returns the scene after this many plies.
    """
    is_plane = isinstance(board(0).board, PlaneBoard)
    shown, most = (MAX_PLANES, FILM_OCTETS_OF_PLANES) if is_plane else (MAX_BOARDS, FILM_OCTETS)
    full = _level([_still(board(ply)) for ply in _spread(plies + 1, shown)])
    frames = full
    for size in _SIZES:
        frames = [_scaled(frame, size) for frame in full]
        if len(data := _gif(frames)) <= most:
            break
    # A smaller board still shows each move; only then are boards left out.
    while len(data) > most and len(frames) > 2:
        frames = [frames[place] for place in _spread(len(frames), (len(frames) + 1) // 2)]
        data = _gif(frames)
    return Picture(data, *frames[0].size, "image/gif") if len(data) <= most and len(frames) > 1 else None


def _scaled(frame: Image.Image, size: float) -> Image.Image:
    """The frame made smaller, with soft edges between colours."""
    if size == 1:
        return frame
    coloured = frame.copy()
    coloured.putpalette(_colours())
    small = coloured.convert("RGB").resize(
        (round(frame.width * size), round(frame.height * size)), Image.Resampling.BOX
    )
    return Image.frombytes("L", small.size, brush.flat(small).tobytes())


def _colours() -> list[int]:
    colours = brush.palette().getpalette() or []
    return [*colours, *[0] * (768 - len(colours))]


def _spread(number: int, most: int) -> list[int]:
    """At most `most` (2 or more) indices out of `number`, evenly spread, including the first and the last."""
    if number <= most:
        return list(range(number))
    return [place * (number - 1) // (most - 1) for place in range(most)]


def _still(scene: Scene) -> Image.Image:
    """The board with its palette numbers as greys, which can be compared."""
    board = scene.board
    drawn = of_plane(board, enlarged=False) if isinstance(board, PlaneBoard) else cell_pictures.image(board)
    return Image.frombytes("L", drawn.size, drawn.tobytes())


def _level(frames: Sequence[Image.Image]) -> list[Image.Image]:
    """All frames at the size of the largest."""
    width, height = max(frame.width for frame in frames), max(frame.height for frame in frames)
    return [frame.crop((0, 0, width, height)) for frame in frames]  # the new pixels have number 0, which is paper


def _gif(frames: Sequence[Image.Image]) -> bytes:
    pause = round(1000 * min(BOARD_SECONDS, ALL_SECONDS / len(frames)), -1)
    first = frames[0].copy()
    first.putpalette(_colours())
    blocks, _ = GifImagePlugin.getheader(first, info={"loop": 0, "transparency": _KEPT})
    blocks += GifImagePlugin.getdata(first, duration=pause)
    for before, frame in pairwise(frames):
        is_last = frame is frames[-1]
        changed, corner = _changed(before, frame)
        duration = 1000 * LAST_SECONDS if is_last else pause
        blocks += GifImagePlugin.getdata(changed, corner, duration=duration, transparency=_KEPT, disposal=1)
    return b"".join([*blocks, b";"])


def _changed(before: Image.Image, frame: Image.Image) -> tuple[Image.Image, tuple[int, int]]:
    """The part of a frame that differs from the one before, and the position of its upper left corner."""
    difference = ImageChops.difference(before, frame)
    # A frame of a GIF cannot be empty.
    box = difference.getbbox() or (0, 0, 1, 1)
    mask = difference.crop(box).point(_CHANGED)
    part = frame.crop(box)
    return Image.composite(part, Image.new("L", part.size, _KEPT), mask), box[:2]
