"""Pictures of boards of cells: an empty board drawn once for each game and size, pieces stamped on it.

A file is joined from bands of some rows each, and bands that were seen lately are remembered.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import NamedTuple
from weakref import ref

from PIL import Image, ImageDraw

from games import scene
from games.scene import Box, Colours, Crossing, Form, GridBoard, Ground, HexBoard, Join, Label, Look, Place, Plain, Row
from pbm.draw import brush
from pbm.draw.brush import CLOSED, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, Picture, fill_of, ring_of

UNIT = 36
"""Pixels between neighbours, where there is room."""


class Scale(NamedTuple):
    """How large a picture is, in pixels."""

    width: int
    """The most it may have."""
    letters: int


USUAL, SMALL = Scale(480, 15), Scale(280, 11)
"""A phone shows three quarters of the usual side by side, so letters of eleven pixels; it stretches small ones."""

At = Callable[[int, int], Place]
"""The pixel, x and y, in the middle of the place of a row and a column."""

ROWS = 1
"""Of cells in a band. The more, the smaller is a file, and the more is compressed again after each move."""
MOST_BANDS = 8_000
"""Remembered ones, of a kilobyte each."""

Mark = Join | Box | Crossing | Row | tuple[Place, ...]
"""What stands on a board, that on cells by rows; places are the path of a piece."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Sheet:
    """A board with nothing on it, and where its places are.

    ground: None of hexagons. unit: the distance of neighbours, of hexagons half of it. radius: of a piece. cuts: where
    bands begin and the last one ends. blanks: the bands, each with a margin to the left of it. touched: the bands that
    the pieces of a row may reach into. shares: of each band the board's rows whose pieces may.
    """

    image: Image.Image
    mount: brush.Mount
    ground: Ground | None
    at: At
    unit: int
    radius: int
    cuts: Sequence[int]
    blanks: Sequence[Image.Image]
    touched: Mapping[int, range]
    shares: Sequence[slice]


def image(board: GridBoard | HexBoard) -> Image.Image:
    """In numbers of the palette."""
    sheet = _sheet(board, USUAL)
    marks = [*(mark for mark, _, _ in _below(board)), *board.in_rows]
    return _stamped(sheet, sheet.image.copy(), marks, board.colours)


def picture(board: GridBoard | HexBoard, scale: Scale = USUAL) -> Picture:
    sheet = _sheet(board, scale)
    shares: list[tuple[Mark, ...]] = [board.in_rows[rows] for rows in sheet.shares]
    for mark, first, last in reversed([*_below(board)]):
        for number in range(sheet.touched[first].start, sheet.touched[last].stop):
            shares[number] = mark, *shares[number]
    bands = [_band(ref(sheet), number, share, board.colours) for number, share in enumerate(shares)]
    return brush.joined(bands, sheet.mount)


@lru_cache(maxsize=MOST_BANDS)
def _band(sheet: ref[Sheet], number: int, marks: tuple[Mark, ...], colours: Colours) -> brush.Band:
    """sheet: held by whoever asks, and not by what is remembered."""
    whole = sheet()
    assert whole is not None  # noqa: S101  see above
    return brush.band(_stamped(whole, whole.blanks[number].copy(), marks, colours, brush.MARGIN, whole.cuts[number]))


def _below(board: GridBoard | HexBoard) -> Iterator[tuple[Mark, int, int]]:
    """What stands on the board below the pieces, the lowest first, and the rows it goes from and to."""
    if isinstance(board, GridBoard):
        for join in board.joins:
            if join.look is not Look.OPEN:
                first, last = sorted((join.start[0], join.end[0]))
                yield join, first, last
        yield from ((box, box.row, box.row + 1) for box in board.boxes)
        yield from ((mark, mark.row, mark.row) for mark in board.crossings)
    if len(board.path) > 1:
        yield board.path, min(board.path)[0], max(board.path)[0]


def _stamped(
    sheet: Sheet, image: Image.Image, marks: Sequence[Mark], colours: Colours, margin: int = 0, top: int = 0
) -> Image.Image:
    """The image with what stands on it. top: where it begins on the sheet, with a margin to the left of it."""
    named, unit = dict(colours), sheet.unit
    pen = partial(ImageDraw.Draw, image)

    def at(row: int, column: int) -> tuple[int, int]:
        x, y = sheet.at(row, column)
        return x + margin, y - top

    if sheet.ground is Ground.SQUARES:
        rows = [mark for mark in marks if isinstance(mark, scene.Known)]
        for cell in [cell for row in rows for cell in scene.marked(row) if cell.closed]:
            left, high = (middle - unit // 2 for middle in at(*cell.place))
            pen().rectangle((left + 1, high + 1, left + unit - 1, high + unit - 1), brush.number(CLOSED))
    for mark in marks:
        match mark:
            case scene.Known():
                _stamp_pieces(image, mark, named, at, sheet.radius)
            case Join():
                colour = LAST if mark.last else LINE if mark.look is Look.GROUND else INK
                width = 1 if mark.look is Look.GROUND else max(3, unit // 10)
                pen().line((*at(*mark.start), *at(*mark.end)), brush.number(colour), width)
            case Box(row, column, owner):
                (x, y), (right, below) = at(row, column), at(row + 1, column + 1)
                stamp = brush.piece(unit // 3, fill_of(owner, named), INK, owner, PAPER)
                brush.stamp(image, stamp, ((x + right) // 2, (y + below) // 2))
            case Crossing(row, column, owner):
                brush.stamp(image, brush.piece(unit // 4, fill_of(owner, named), INK, owner, WOOD), at(row, column))
            case _:
                pen().line([at(*place) for place in mark], brush.number(LAST), 3)
    return image


def _stamp_pieces(image: Image.Image, row: Row, colours: Mapping[str, str], at: At, radius: int) -> None:
    for cell in scene.marked(row):
        ground = CLOSED if cell.closed else SHADED if cell.shaded else WOOD
        if cell.piece:
            fill = FAINT if cell.faint and fill_of(cell.piece, colours) == PAPER else fill_of(cell.piece, colours)
            edge = ring_of(fill) if cell.last else WINNING if cell.winning else INK
            small = radius * 2 // 3 if cell.faint else radius
            stamp = brush.piece(small, fill, edge, "" if cell.faint else cell.piece, ground, cell.form)
            brush.stamp(image, stamp, at(*cell.place), square=cell.form in (Form.ARROW, Form.WALL))
        elif cell.last or cell.winning:
            brush.stamp(image, brush.outline(radius, LAST if cell.last else WINNING, ground), at(*cell.place))


def _sheet(board: GridBoard | HexBoard, scale: Scale) -> Sheet:
    if isinstance(board, GridBoard):
        return _grid_base(board.columns, board.rows, board.plain, board.ground, scale)
    return _hexagon_base(board.plain, board.labels, board.colours, scale)


def _cut(
    image: Image.Image, plain: Iterable[Plain], at: At, unit: int, step: int, radius: int, ground: Ground | None = None
) -> Sheet:
    """step: the distance of rows."""
    rows = [row[0][0] for row in plain]
    middles = {row: at(row, 0)[1] for row in sorted(rows)}
    cuts = [0, *(middle - step // 2 for middle in [*middles.values()][ROWS::ROWS]), image.height]
    touched = {row: range(bisect(cuts, y - radius) - 1, bisect(cuts, y + radius)) for row, y in middles.items()}
    near = [[at for at, row in enumerate(rows) if band in touched[row]] for band in range(len(cuts) - 1)]
    shares = [slice(each[0], each[-1] + 1) for each in near]
    blanks = [image.crop((-brush.MARGIN, top, image.width, bottom)) for top, bottom in pairwise(cuts)]
    return Sheet(image, brush.mount(image), ground, at, unit, radius, cuts, blanks, touched, shares)


@lru_cache(maxsize=64)
def _grid_base(
    columns: tuple[str, ...], rows: tuple[str, ...], plain: tuple[Plain, ...], ground: Ground, scale: Scale
) -> Sheet:
    cells = list(chain.from_iterable(plain))
    (top, bottom), (left, right) = ((min(ends), max(ends)) for ends in list(zip(*cells, strict=True))[:2])
    unit = min(UNIT, scale.width // (right - left + 3))

    def at(row: int, column: int) -> Place:
        return unit * (column - left + 1) + unit // 2, unit * (row - top + 1) + unit // 2

    image = Image.new("RGB", (unit * (right - left + 3), unit * (bottom - top + 3)), PAPER)
    pen, half, light = ImageDraw.Draw(image), unit // 2, PAPER if ground is Ground.POINTS else WOOD
    for row, column, _, shaded in cells:
        x, y = at(row, column)
        wood = SHADED if shaded and ground is not Ground.LINES else light
        edge = LINE if ground is Ground.SQUARES else wood
        pen.rectangle((x - half, y - half, x - half + unit, y - half + unit), wood, edge)
    for row, column, faint, shaded in sorted(cells, key=lambda cell: not cell[2]):
        x, y = at(row, column)
        if ground is Ground.LINES:
            pen.line((x - half, y, x + half, y), FAINT if faint else LINE)
            pen.line((x, y - half, x, y + half), FAINT if faint else LINE)
        if ground is Ground.POINTS or (ground is Ground.LINES and shaded):
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), INK)
    beside = [(words, row, column) for column, words in enumerate(columns) for row in (top - 1, bottom + 1)]
    beside += [(words, row, column) for row, words in enumerate(rows) for column in (left - 1, right + 1)]
    for words, row, column in beside:
        brush.write(pen, words, scale.letters, *at(row, column))
    return _cut(brush.flat(image), plain, at, unit, unit, unit * 2 // 5, ground)


_CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
"""Of a hexagon, around it: in half widths, and in thirds of the distance of two rows."""


@lru_cache(maxsize=50)
def _hexagon(half: int, step: int, fill: str) -> tuple[Image.Image, Image.Image]:
    """A cell with its edge, and how much of each pixel it covers; its middle is in the middle of both."""
    x, y = half + 1, step * 2 // 3 + 2

    def paint(pen: brush.Pen, finer: int, inside: str = fill, edge: str = LINE) -> None:
        corners = [((x + dx * half) * finer, (y + dy * step / 3) * finer) for dx, dy in _CORNERS]
        pen.polygon(corners, inside, edge, finer)

    cell = brush.smooth(2 * x, 2 * y, LINE, paint)
    mask = brush.smooth(2 * x, 2 * y, "black", partial(paint, inside="white", edge="white"))
    return cell, mask.convert("L")


@lru_cache(maxsize=64)
def _hexagon_base(plain: tuple[Plain, ...], labels: tuple[Label, ...], colours: Colours, scale: Scale) -> Sheet:
    cells = list(chain.from_iterable(plain))
    spots = [(label.place[0] + label.down, label.place[1] + label.right) for label in labels]
    rows, columns = zip(*(cell[:2] for cell in cells), *spots, strict=True)
    top, left = min(rows), min(columns)
    half = min(UNIT // 2, scale.width // (max(columns) - left + 2))
    step = half * 7 // 4

    def at(row: int, column: int) -> Place:
        return half * (column - left + 1), step * (row - top) + step * 2 // 3

    right, bottom = at(max(rows), max(columns))
    image = Image.new("RGB", (right + half, bottom + step * 2 // 3), PAPER)
    for row, column, _, shaded in cells:
        cell, mask = _hexagon(half, step, SHADED if shaded else WOOD)
        x, y = at(row, column)
        image.paste(cell, (x - cell.width // 2, y - cell.height // 2), mask)
    pen = ImageDraw.Draw(image)
    for spot, label in zip(spots, labels, strict=True):
        colour = fill_of(label.owner, dict(colours)) if label.owner else INK
        brush.write(pen, label.text, scale.letters, *at(*spot), fill=INK if colour == PAPER else colour)
    return _cut(brush.flat(image), plain, at, half, step, half * 4 // 5)
