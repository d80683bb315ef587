"""Pictures of boards of cells: the empty board is drawn once per game and size, and pieces are stamped on its cells.

A file is joined from bands of one row each, and a band from tiles of one cell each; both are cached. What covers
several cells, such as the path of a move, is drawn on an empty band, and the pieces are stamped on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, count, pairwise, repeat
from operator import itemgetter
from typing import NamedTuple
from weakref import ref

from PIL import Image, ImageDraw

from games import scene
from games.scene import Colours, Form, GridBoard, Ground, HexBoard, Label, Look, Place, Plain, Row
from pbm.draw import brush
from pbm.draw.colours import (
    CLOSED,
    FAINT,
    INK,
    LAST,
    LINE,
    PAPER,
    SHADED,
    WOOD,
    Picture,
    edge_of,
    faded,
    fill_of,
    ground_of,
)
from pbm.draw.words import top_down

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

MOST_BANDS = 8_000
"""How many bands are cached, a kilobyte each."""
MOST_TILES = 4_000
"""How many tiles are cached, three kilobytes each."""


class Underlay(NamedTuple):
    """Something drawn below the pieces: a line through places, or a disc in the middle of them."""

    places: tuple[Place, ...]
    colour: str
    """The colour of a line, or of the ground of a disc."""
    owner: str = ""
    """The letter on a disc; empty for a line."""


Looks = tuple[str, bool, bool, bool, bool, bool, Form]
"""A cell without its place and name."""
_looks: Callable[[scene.Cell], Looks] = itemgetter(slice(3, None))


class Patch(NamedTuple):
    """The empty part of a band around a cell, from its left edge to that of the next cell."""

    ground: bytes
    """Its pixels."""
    width: int
    x: int
    y: int
    """The middle of the cell."""
    square: int
    """As in Sheet."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Sheet:
    """An empty board, and where its places are.

    unit: the distance between neighbours; for hexagons half of it. radius: of a piece. bands: the number of the band
    for each row. tops: where each band begins. blanks: the empty bands, each with a margin on its left. patches: of
    each band. square: the side of what turns grey in a closed cell, or 0. overlaps: pieces extend into the next band.
    """

    mount: brush.Mount
    at: At
    unit: int
    radius: int
    bands: Mapping[int, int]
    tops: Sequence[int]
    blanks: Sequence[Image.Image]
    patches: Sequence[Sequence[Patch]]
    square: int
    overlaps: bool


def image(board: GridBoard | HexBoard) -> Image.Image:
    """The picture in palette numbers."""
    sheet = _sheet(board, USUAL)
    bands = map(_raster, repeat(sheet), count(), *_shares(board, sheet), repeat(board.colours))
    size = sheet.mount.width + brush.MARGIN, sheet.mount.height
    drawn = Image.frombytes("P", size, b"".join(bands)).crop((brush.MARGIN, 0, *size))
    drawn.putpalette(brush.palette().getpalette() or [])
    return drawn


def picture(board: GridBoard | HexBoard, scale: Scale = USUAL) -> Picture:
    sheet = _sheet(board, scale)
    bands = map(_band, repeat(ref(sheet)), count(), *_shares(board, sheet), repeat(board.colours))
    return brush.joined([*bands], sheet.mount)


def unit(board: GridBoard | HexBoard, scale: Scale = USUAL) -> int:
    """As in Sheet."""
    return _sheet(board, scale).unit


def _shares(board: GridBoard | HexBoard, sheet: Sheet) -> tuple[list[tuple[Underlay, ...]], list[tuple[Row, ...]]]:
    """For each band, what is drawn below its pieces, and the rows whose pieces touch it, its own row last."""
    rows = top_down(board.in_rows)
    marks: list[tuple[Underlay, ...]] = [()] * len(rows)
    for mark in _below(board):
        for number in range(sheet.bands[min(mark.places)[0]], sheet.bands[max(mark.places)[0]] + 1):
            marks[number] += (mark,)
    return marks, [(rows[0],), *pairwise(rows)] if sheet.overlaps else [*zip(rows, strict=True)]


def _below(board: GridBoard | HexBoard) -> Iterator[Underlay]:
    """What is drawn below the pieces, the lowest first."""
    if isinstance(board, GridBoard):
        for start, end, look, _, last in board.joins:
            if look is Look.DRAWN:
                yield Underlay((start, end), LAST if last else INK)
        for row, column, owner in board.boxes:
            yield Underlay(((row, column), (row + 1, column + 1)), PAPER, owner)
        for row, column, owner in board.crossings:
            yield Underlay(((row, column),), WOOD, owner)
    if len(board.path) > 1:
        yield Underlay(board.path, LAST)


@lru_cache(maxsize=MOST_BANDS)
def _band(
    sheet: ref[Sheet], number: int, marks: tuple[Underlay, ...], rows: tuple[Row, ...], colours: Colours
) -> brush.Band:
    """sheet: a weak reference, so that the cache does not keep the sheet alive; the caller does."""
    whole = sheet()
    assert whole is not None  # noqa: S101  see above
    return brush.band(_raster(whole, number, marks, rows, colours))


def _raster(sheet: Sheet, number: int, marks: tuple[Underlay, ...], rows: tuple[Row, ...], colours: Colours) -> bytes:
    """The pixels of a band with everything on it."""
    # Mostly nothing reaches beyond its own cell, so that a row is joined from what other boards had, too.
    if not marks and len(rows) == 1:
        tiles = map(_tile, sheet.patches[number], map(_looks, rows[0]), repeat(colours), repeat(sheet.radius))
        return b"".join(chain.from_iterable(zip(*tiles, strict=True)))
    image = sheet.blanks[number].copy()
    named = dict(colours)

    def at(row: int, column: int) -> Place:
        x, y = sheet.at(row, column)
        return x + brush.MARGIN, y - sheet.tops[number]

    pen, pieces = ImageDraw.Draw(image), [*chain.from_iterable(map(scene.marked, rows))]
    for cell in pieces:
        if cell.closed:
            _close(pen, at(*cell.place), sheet.square)
    for places, colour, owner in marks:
        spots = [at(*place) for place in places]
        if not owner:
            pen.line(spots, brush.number(colour), 3)
            continue
        size = sheet.unit // (3 if len(places) > 1 else 4)
        middle = (spots[0][0] + spots[-1][0]) // 2, (spots[0][1] + spots[-1][1]) // 2
        brush.stamp(image, brush.piece(size, fill_of(owner, named), INK, owner, colour), middle)
    for cell in pieces:
        _stamp(image, cell, named, at(*cell.place), sheet.radius)
    return image.tobytes()


@lru_cache(maxsize=MOST_TILES)
def _tile(patch: Patch, looks: Looks, colours: Colours, radius: int) -> tuple[bytes, ...]:
    """The pixel lines of a patch with the content of its cell."""
    ground, width, x, y, square = patch
    image = Image.frombytes("P", (width, len(ground) // width), ground)
    cell = scene.Cell(0, 0, "", *looks)
    if cell.closed:
        _close(ImageDraw.Draw(image), (x, y), square)
    _stamp(image, cell, dict(colours), (x, y), radius)
    drawn = image.tobytes()
    return tuple([drawn[at : at + width] for at in range(0, len(drawn), width)])


def _close(pen: brush.Pen, middle: Place, square: int) -> None:
    """Turns the ground of a square cell grey; other cells stay."""
    if square:
        left, top = middle[0] - square // 2, middle[1] - square // 2
        pen.rectangle((left + 1, top + 1, left + square - 1, top + square - 1), brush.number(CLOSED))


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
    if isinstance(board, GridBoard):
        ground = tuple([join[:2] for join in board.joins if join.look is Look.GROUND])
        return _grid_base(board.columns, board.rows, board.plain, board.ground, ground, scale)
    return _hexagon_base(board.plain, board.labels, board.colours, scale)


def _cut(
    image: Image.Image, plain: Sequence[Plain], at: At, unit: int, step: int, radius: int, ground: Ground | None = None
) -> Sheet:
    """The image cut into a Sheet. step: the distance between rows. ground: None for hexagons."""
    rows = sorted(plain)
    middles = [at(cells[0][0], 0)[1] for cells in rows]
    cuts = [0, *(middle - step // 2 for middle in middles[1:]), image.height]
    square, half = unit if ground is Ground.SQUARES else 0, unit // 2 if ground else unit
    patches: list[list[Patch]] = []
    for cells, y, (top, bottom) in zip(rows, middles, pairwise(cuts), strict=True):
        xs = [at(row, column)[0] for row, column, _, _ in cells]
        # Each reaches to the next cell, so that joined they leave no gap.
        edges = pairwise([-brush.MARGIN, *(x - half for x in xs[1:]), image.width])
        patches.append(
            [
                Patch(image.crop((left, top, right, bottom)).tobytes(), right - left, x - left, y - top, square)
                for x, (left, right) in zip(xs, edges, strict=True)
            ]
        )
    bands = {cells[0][0]: number for number, cells in enumerate(rows)}
    blanks = [image.crop((-brush.MARGIN, top, image.width, bottom)) for top, bottom in pairwise(cuts)]
    overlaps = step // 2 + radius >= step
    return Sheet(brush.mount(image), at, unit, radius, bands, cuts[:-1], blanks, patches, square, overlaps)


@lru_cache(maxsize=64)
def _grid_base(
    columns: tuple[str, ...],
    rows: tuple[str, ...],
    plain: tuple[Plain, ...],
    ground: Ground,
    joins: tuple[tuple[Place, Place], ...],
    scale: Scale,
) -> Sheet:
    """joins: the ends of the joins that are part of the empty board."""
    cells = list(chain.from_iterable(plain))
    (top, bottom), (left, right) = ((min(ends), max(ends)) for ends in list(zip(*cells, strict=True))[:2])
    unit = min(UNIT, scale.width // (right - left + 3))

    def at(row: int, column: int) -> Place:
        return unit * (column - left + 1) + unit // 2, unit * (row - top + 1) + unit // 2

    image = Image.new("RGB", (unit * (right - left + 3), unit * (bottom - top + 3)), PAPER)
    pen, half = ImageDraw.Draw(image), unit // 2
    for row, column, _, shaded in cells:
        x, y = at(row, column)
        wood = _WOODS[ground][shaded]
        edge = LINE if ground is Ground.SQUARES else wood
        pen.rectangle((x - half, y - half, x - half + unit, y - half + unit), wood, edge)
    # Faint lines beyond the edge come first, so that those of the board run over them.
    for row, column, faint, shaded in sorted(cells, key=lambda cell: not cell[2]):
        x, y = at(row, column)
        if ground is Ground.LINES:
            ink = FAINT if faint else LINE
            pen.line((x - half, y, x + half, y), ink)
            pen.line((x, y - half, x, y + half), ink)
        if ground is Ground.POINTS or (ground is Ground.LINES and shaded):
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), INK)
    for start, end in joins:
        pen.line((at(*start), at(*end)), LINE)
    for words, place in beside(columns, rows, (top - 1, bottom + 1), (left - 1, right + 1)):
        brush.write(pen, words, scale.letters, *at(*place))
    return _cut(brush.flat(image), plain, at, unit, unit, unit * 2 // 5, ground)


_WOODS = {Ground.SQUARES: (WOOD, SHADED), Ground.LINES: (WOOD, WOOD), Ground.POINTS: (PAPER, SHADED)}
"""The ground of usual and of shaded places; on lines these have a dot."""


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
        # White letters would not be seen on paper.
        brush.write(pen, label.text, scale.letters, *at(*spot), fill=INK if colour == PAPER else colour)
    return _cut(brush.flat(image), plain, at, half, step, half * 4 // 5)
