"""Pictures of boards of cells: an empty board drawn once for each game and size, pieces stamped on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from PIL import Image, ImageDraw

from games.scene import Cell, Form, GridBoard, Ground, HexBoard, Join, Label, Look, Place
from pbm.draw import brush
from pbm.draw.brush import CLOSED, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, fill_of, ring_of

MAX_WIDTH = 480
"""Pixels. A phone shows three quarters of it side by side."""
UNIT = 36
"""Pixels between neighbours, where there is room."""
LETTERS = 15
"""Pixels, so that a phone shows eleven."""

At = Callable[[int, int], Place]
"""The pixel, x and y, in the middle of the place of a row and a column."""


def of_grid(board: GridBoard) -> Image.Image:
    places = tuple((cell.place, _ground(cell, board.ground), cell.faint) for cell in board.cells)
    base, at, unit = _grid_base(board.columns, board.rows, places, board.ground)
    image = base.copy()
    pen = ImageDraw.Draw(image)
    for cell in board.cells:
        if cell.closed and board.ground is Ground.SQUARES:
            (x, y), half = at(*cell.place), unit // 2
            pen.rectangle((x - half + 1, y - half + 1, x - half + unit - 1, y - half + unit - 1), brush.number(CLOSED))
    _draw_joins(pen, board.joins, at, unit)
    for box in board.boxes:
        (x, y), (right, below) = at(box.row, box.column), at(box.row + 1, box.column + 1)
        stamp = brush.piece(unit // 3, fill_of(box.owner, dict(board.colours)), INK, box.owner, PAPER)
        brush.stamp(image, stamp, ((x + right) // 2, (y + below) // 2))
    for mark in board.crossings:
        fill = fill_of(mark.owner, dict(board.colours))
        brush.stamp(image, brush.piece(unit // 4, fill, INK, mark.owner, WOOD), at(mark.row, mark.column))
    _draw_path(pen, board.path, at)
    _stamp_pieces(image, board, at, unit * 2 // 5)
    return image


def of_hexagons(board: HexBoard) -> Image.Image:
    places = tuple(cell.place for cell in board.cells)
    shaded = frozenset(cell.place for cell in board.cells if cell.shaded)
    base, at, half = _hexagon_base(places, shaded, board.labels, board.colours)
    image = base.copy()
    _draw_path(ImageDraw.Draw(image), board.path, at)
    _stamp_pieces(image, board, at, half * 4 // 5)
    return image


def _ground(cell: Cell, ground: Ground) -> str:
    return SHADED if cell.shaded else WOOD if ground is not Ground.POINTS else PAPER


def _stamp_pieces(image: Image.Image, board: GridBoard | HexBoard, at: At, radius: int) -> None:
    colours = dict(board.colours)
    for cell in board.cells:
        if not (cell.piece or cell.last or cell.winning):
            continue
        ground = CLOSED if cell.closed else SHADED if cell.shaded else WOOD
        if not cell.piece:
            brush.stamp(image, brush.outline(radius, LAST if cell.last else WINNING, ground), at(*cell.place))
            continue
        fill = FAINT if cell.faint and fill_of(cell.piece, colours) == PAPER else fill_of(cell.piece, colours)
        edge = ring_of(fill) if cell.last else WINNING if cell.winning else INK
        small = radius * 2 // 3 if cell.faint else radius
        stamp = brush.piece(small, fill, edge, "" if cell.faint else cell.piece, ground, cell.form)
        brush.stamp(image, stamp, at(*cell.place), square=cell.form in (Form.ARROW, Form.WALL))


def _draw_joins(pen: brush.Pen, joins: Iterable[Join], at: At, unit: int) -> None:
    for join in joins:
        if join.look is not Look.OPEN:
            colour = LAST if join.last else LINE if join.look is Look.GROUND else INK
            width = 1 if join.look is Look.GROUND else max(3, unit // 10)
            pen.line((*at(*join.start), *at(*join.end)), brush.number(colour), width)


def _draw_path(pen: brush.Pen, path: tuple[Place, ...], at: At) -> None:
    if len(path) > 1:
        pen.line([at(*place) for place in path], brush.number(LAST), 3)


def _grid_at(places: Iterable[Place]) -> tuple[At, int]:
    """Where places are, and the distance of neighbours."""
    rows, columns = zip(*places, strict=True)
    top, left = min(rows), min(columns)
    unit = min(UNIT, MAX_WIDTH // (max(columns) - left + 3))
    return lambda row, column: (unit * (column - left + 1) + unit // 2, unit * (row - top + 1) + unit // 2), unit


@lru_cache(maxsize=64)
def _grid_base(
    columns: tuple[str, ...], rows: tuple[str, ...], places: tuple[tuple[Place, str, bool], ...], ground: Ground
) -> tuple[Image.Image, At, int]:
    """The board with nothing on it, where places are, and the distance of neighbours."""
    at, unit = _grid_at(place for place, _, _ in places)
    top, left = (min(place[axis] for place, _, _ in places) for axis in (0, 1))
    bottom, right = (max(place[axis] for place, _, _ in places) for axis in (0, 1))
    width, height = unit * (right - left + 3), unit * (bottom - top + 3)
    image = Image.new("RGB", (width, height), PAPER)
    pen, half = ImageDraw.Draw(image), unit // 2
    for place, fill, _ in places:
        x, y = at(*place)
        wood = WOOD if ground is Ground.LINES else fill
        edge = LINE if ground is Ground.SQUARES else wood
        pen.rectangle((x - half, y - half, x - half + unit, y - half + unit), wood, edge)
    for place, fill, faint in sorted(places, key=lambda each: not each[2]):
        x, y = at(*place)
        if ground is Ground.LINES:
            pen.line((x - half, y, x + half, y), FAINT if faint else LINE)
            pen.line((x, y - half, x, y + half), FAINT if faint else LINE)
        if ground is Ground.POINTS or (ground is Ground.LINES and fill == SHADED):
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), INK)
    for column, words in enumerate(columns):
        for row in (top - 1, bottom + 1):
            brush.write(pen, words, LETTERS, *at(row, column))
    for row, words in enumerate(rows):
        for column in (left - 1, right + 1):
            brush.write(pen, words, LETTERS, *at(row, column))
    return brush.flat(image), at, unit


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


def _hexagon_at(places: tuple[Place, ...], labels: tuple[Label, ...]) -> tuple[At, int, int]:
    """Where places are, half of a cell's width, and the distance of two rows."""
    beside = [(label.place[0] + label.down, label.place[1] + label.right) for label in labels]
    rows, columns = zip(*places, *beside, strict=True)
    top, left = min(rows), min(columns)
    half = min(UNIT // 2, MAX_WIDTH // (max(columns) - left + 2))
    step = half * 7 // 4
    return lambda row, column: (half * (column - left + 1), step * (row - top) + step * 2 // 3), half, step


@lru_cache(maxsize=64)
def _hexagon_base(
    places: tuple[Place, ...],
    shaded: frozenset[Place],
    labels: tuple[Label, ...],
    colours: tuple[tuple[str, str], ...],
) -> tuple[Image.Image, At, int]:
    """The board with nothing on it, where places are, and half of a cell's width."""
    at, half, step = _hexagon_at(places, labels)
    spots = [(label.place[0] + label.down, label.place[1] + label.right) for label in labels]
    right, bottom = (max(at(*place)[axis] for place in (*places, *spots)) for axis in (0, 1))

    image = Image.new("RGB", (right + half, bottom + step * 2 // 3), PAPER)
    for place in places:
        cell, mask = _hexagon(half, step, SHADED if place in shaded else WOOD)
        x, y = at(*place)
        image.paste(cell, (x - cell.width // 2, y - cell.height // 2), mask)
    pen = ImageDraw.Draw(image)
    for spot, label in zip(spots, labels, strict=True):
        colour = fill_of(label.owner, dict(colours)) if label.owner else INK
        brush.write(pen, label.text, LETTERS, *at(*spot), fill=INK if colour == PAPER else colour)
    return brush.flat(image), at, half
