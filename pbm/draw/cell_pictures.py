"""Pictures of boards of cells: the empty board is drawn once per game and size, and pieces are stamped on its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from PIL import Image, ImageDraw

from games import scene
from games.scene import Colours, Form, GridBoard, Ground, HexBoard, Label, Look, Place
from pbm.draw import brush
from pbm.draw.colours import (
    CLOSED,
    DOTTED,
    FAINT,
    INK,
    LAST,
    LINE,
    PAPER,
    SHADED,
    SURFACES,
    WOOD,
    edge_of,
    faded,
    fill_of,
    ground_of,
)

UNIT = 36
"""Pixels between neighbours, if there is room."""


class Scale(NamedTuple):
    """How large a picture is, in pixels."""

    width: int
    """The maximum."""
    letters: int


USUAL, SMALL = Scale(480, 15), Scale(280, 11)
# A phone shrinks the usual ones to three quarters, so letters have eleven pixels; it enlarges small ones.

At = Callable[[int, int], Place]
"""Returns the centre (x, y), in pixels, of the place in a row and a column."""


Plain = tuple[tuple[int, int, bool, bool], ...]
"""The cells without their content: the row and column of each, whether it is faint, and whether shaded."""


class Sheet(NamedTuple):
    """An empty board in palette numbers, and where its places are.

    unit: the distance between neighbours; for hexagons half of it. radius: of a piece. square: the side of what turns
    grey in a closed cell, or 0.
    """

    empty: Image.Image
    at: At
    unit: int
    radius: int
    square: int = 0


def image(board: GridBoard | HexBoard, scale: Scale = USUAL) -> Image.Image:
    """The picture in palette numbers."""
    sheet, colours = _sheet(board, scale), dict(board.colours)
    drawn = sheet.empty.copy()
    pen = ImageDraw.Draw(drawn)
    for cell in board.cells:
        # Only the ground of square cells turns grey.
        if cell.closed and sheet.square:
            left, top = (middle - sheet.square // 2 for middle in sheet.at(*cell.place))
            pen.rectangle((left + 1, top + 1, left + sheet.square - 1, top + sheet.square - 1), brush.number(CLOSED))
    _put_below(drawn, board, sheet)
    for cell in board.cells:
        _stamp(drawn, cell, colours, sheet.at(*cell.place), sheet.radius)
    return drawn


def _put_below(drawn: Image.Image, board: GridBoard | HexBoard, sheet: Sheet) -> None:
    """Draws what is below the pieces, the lowest first."""
    pen, colours = ImageDraw.Draw(drawn), dict(board.colours)
    for start, end, look, _, last in board.joins:
        if look is Look.DRAWN:
            pen.line((sheet.at(*start), sheet.at(*end)), brush.number(LAST if last else INK), 3)
    if isinstance(board, GridBoard):
        for row, column, owner in board.boxes:
            x, y = sheet.at(row, column)
            disc = brush.piece(sheet.unit // 3, fill_of(owner, colours), INK, owner, PAPER)
            brush.stamp(drawn, disc, (x + sheet.unit // 2, y + sheet.unit // 2))
        for row, column, owner in board.crossings:
            disc = brush.piece(sheet.unit // 4, fill_of(owner, colours), INK, owner, WOOD)
            brush.stamp(drawn, disc, sheet.at(row, column))
    if len(board.path) > 1:
        pen.line([sheet.at(*place) for place in board.path], brush.number(LAST), 3)


def _stamp(image: Image.Image, cell: scene.Cell, colours: Mapping[str, str], middle: Place, radius: int) -> None:
    """Stamps the piece, or a ring on a marked free cell; nothing on any other free cell."""
    if not (cell.piece or cell.last or cell.winning):
        return
    ground = ground_of(cell)
    fill = fill_of(cell.piece, colours) if cell.piece else ground
    # A copy beyond the edge of a board that wraps around.
    if cell.piece and cell.faint:
        fill, radius = faded(fill), radius * 2 // 3
    stamp = brush.piece(radius, fill, edge_of(cell, fill, INK), "" if cell.faint else cell.piece, ground, cell.form)
    brush.stamp(image, stamp, middle, square=cell.form in (Form.ARROW, Form.WALL))


def _sheet(board: GridBoard | HexBoard, scale: Scale) -> Sheet:
    plain = tuple((cell.row, cell.column, cell.faint, cell.shaded) for cell in board.cells)
    if isinstance(board, GridBoard):
        ground = tuple([join[:2] for join in board.joins if join.look is Look.GROUND])
        return _grid_base(board.columns, board.rows, plain, board.ground, ground, scale)
    return _hexagon_base(plain, board.labels, board.colours, scale)


@lru_cache(maxsize=64)
def _grid_base(
    columns: tuple[str, ...],
    rows: tuple[str, ...],
    cells: Plain,
    ground: Ground,
    joins: tuple[tuple[Place, Place], ...],
    scale: Scale,
) -> Sheet:
    """joins: the ends of the joins that are part of the empty board."""
    (top, bottom), (left, right) = ((min(ends), max(ends)) for ends in list(zip(*cells, strict=True))[:2])
    unit = min(UNIT, scale.width // (right - left + 3))

    def at(row: int, column: int) -> Place:
        return unit * (column - left + 1) + unit // 2, unit * (row - top + 1) + unit // 2

    image = Image.new("RGB", (unit * (right - left + 3), unit * (bottom - top + 3)), PAPER)
    pen, half = ImageDraw.Draw(image), unit // 2
    for row, column, _, shaded in cells:
        x, y = at(row, column)
        wood = SURFACES[ground][shaded]
        edge = LINE if ground is Ground.SQUARES else wood
        pen.rectangle((x - half, y - half, x - half + unit, y - half + unit), wood, edge)
    # Faint lines beyond the edge come first, so that those of the board run over them.
    for row, column, faint, shaded in sorted(cells, key=lambda cell: not cell[2]):
        x, y = at(row, column)
        if ground is Ground.LINES:
            ink = FAINT if faint else LINE
            pen.line((x - half, y, x + half, y), ink)
            pen.line((x, y - half, x, y + half), ink)
        if DOTTED[ground][shaded]:
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), INK)
    for start, end in joins:
        pen.line((at(*start), at(*end)), LINE)
    for words, place in beside(columns, rows, (top - 1, bottom + 1), (left - 1, right + 1)):
        brush.write(pen, words, scale.letters, *at(*place))
    return Sheet(brush.flat(image), at, unit, unit * 2 // 5, unit if ground is Ground.SQUARES else 0)


def beside(
    columns: Sequence[str], rows: Sequence[str], above_below: Sequence[int], left_right: Sequence[int]
) -> Iterator[tuple[str, Place]]:
    """The labels along all four sides, and their places. above_below: two rows; left_right: two columns."""
    for column, words in enumerate(columns):
        yield from ((words, (row, column)) for row in above_below)
    for row, words in enumerate(rows):
        yield from ((words, (row, column)) for column in left_right)


_CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
"""The corners of a hexagon: x in half widths, y in thirds of the distance between rows."""


@lru_cache(maxsize=50)
def _hexagon(half: int, step: int, fill: str) -> tuple[Image.Image, Image.Image]:
    """The image of a cell with its edge, and its mask; the cell is centred in both."""
    x, y = half + 1, step * 2 // 3 + 2

    def paint(pen: brush.Pen, finer: int, inside: str = fill, edge: str = LINE) -> None:
        corners = [((x + dx * half) * finer, (y + dy * step / 3) * finer) for dx, dy in _CORNERS]
        pen.polygon(corners, inside, edge, finer)

    cell = brush.smooth(2 * x, 2 * y, LINE, paint)
    mask = brush.smooth(2 * x, 2 * y, "black", partial(paint, inside="white", edge="white"))
    return cell, mask.convert("L")


@lru_cache(maxsize=64)
def _hexagon_base(cells: Plain, labels: tuple[Label, ...], colours: Colours, scale: Scale) -> Sheet:
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
        # White letters would not be seen on paper.
        brush.write(pen, label.text, scale.letters, *at(*spot), fill=INK if colour == PAPER else colour)
    return Sheet(brush.flat(image), at, half, half * 4 // 5)
