"""Pictures of cells are joined from bands and tiles: the same as if drawn thing by thing, in a file for any reader."""

from __future__ import annotations

import gc
import random
import weakref
import zlib
from dataclasses import replace
from itertools import islice

import pytest
from PIL import Image, ImageDraw

from games import GAMES
from games.scene import Cell, Form, GridBoard, Ground, HexBoard, Look, PlaneBoard, in_rows
from pbm.domain.match import State
from pbm.draw import brush, cell_pictures
from pbm.draw.colours import CLOSED, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, fill_of, ring_of
from tests.draw.test_grid import CROSSED, SPREAD
from tests.draw.test_hexes import WON
from tests.games.variants import largest, smallest

PLIES = 12
CELLS = [name for name in GAMES if not isinstance(State.start(GAMES[name], ()).scene.board, PlaneBoard)]


def boards(name: str, options: tuple[str, ...]) -> list[GridBoard | HexBoard]:
    """The boards of a random game, as far as it goes."""
    chance, state = random.Random(name), State.start(GAMES[name], options)
    found: list[GridBoard | HexBoard] = []
    while state.outcome is None and len(found) < PLIES:
        move = chance.choice(list(islice(state.game.moves(state.position), 200)))
        state, _ = state.play(state.game.notate(state.position, move))
        board = state.game.scene(state.position, state.last).board
        assert not isinstance(board, PlaneBoard)
        found.append(board)
    return found


def rows(data: bytes) -> bytes:
    """The data in the file's chunks, whose checksums must be right; nothing may follow the compressed stream."""
    packed, at = b"", 8
    while at < len(data):
        size, name = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        body, check = data[at + 8 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        assert zlib.crc32(name + body).to_bytes(4) == check
        packed, at = packed + (body if name == b"IDAT" else b""), at + 12 + size
    stream = zlib.decompressobj()
    unpacked = stream.decompress(packed)
    assert stream.eof
    assert not stream.unused_data
    return unpacked


def drawn_thing_by_thing(board: GridBoard | HexBoard) -> Image.Image:
    """The board in numbers of the palette: first closed cells, then what lies below the pieces, then each piece."""
    sheet = cell_pictures._sheet(board, cell_pictures.USUAL)
    empty = in_rows(cell._replace(piece="", last=False, winning=False, closed=False) for cell in board.cells)
    if isinstance(board, GridBoard):
        image = cell_pictures.image(replace(board, in_rows=empty, joins=(), crossings=(), boxes=(), path=()))
        draw_lines(image, board, sheet)
    else:
        image = cell_pictures.image(replace(board, in_rows=empty, path=()))
    if len(board.path) > 1:
        way = [sheet.at(*place) for place in board.path]
        ImageDraw.Draw(image).line(way, brush.number(LAST), 3)
    for cell in board.cells:
        stamp_piece(image, cell, sheet, dict(board.colours))
    return image


def draw_lines(image: Image.Image, board: GridBoard, sheet: cell_pictures.Sheet) -> None:
    pen, unit, colours = ImageDraw.Draw(image), sheet.unit, dict(board.colours)
    for cell in board.cells:
        if cell.closed and board.ground is Ground.SQUARES:
            left, top = (middle - unit // 2 for middle in sheet.at(*cell.place))
            pen.rectangle((left + 1, top + 1, left + unit - 1, top + unit - 1), brush.number(CLOSED))
    for join in (join for join in board.joins if join.look is not Look.OPEN):
        thin = join.look is Look.GROUND
        ink = LAST if join.last else LINE if thin else INK
        pen.line((*sheet.at(*join.start), *sheet.at(*join.end)), brush.number(ink), 1 if thin else max(3, unit // 10))
    for mark in board.boxes:
        (x, y), (right, low) = sheet.at(mark.row, mark.column), sheet.at(mark.row + 1, mark.column + 1)
        stamp = brush.piece(unit // 3, fill_of(mark.owner, colours), INK, mark.owner, PAPER)
        brush.stamp(image, stamp, ((x + right) // 2, (y + low) // 2))
    for crossing in board.crossings:
        fill = fill_of(crossing.owner, colours)
        stamp = brush.piece(unit // 4, fill, INK, crossing.owner, WOOD)
        brush.stamp(image, stamp, sheet.at(crossing.row, crossing.column))


def stamp_piece(image: Image.Image, cell: Cell, sheet: cell_pictures.Sheet, colours: dict[str, str]) -> None:
    ground = CLOSED if cell.closed else SHADED if cell.shaded else WOOD
    radius, fill = sheet.radius, fill_of(cell.piece, colours)
    if cell.piece and cell.faint:
        fill, radius = FAINT if fill == PAPER else fill, radius * 2 // 3
    if cell.piece:
        edge = ring_of(fill) if cell.last else WINNING if cell.winning else INK
        stamp = brush.piece(radius, fill, edge, "" if cell.faint else cell.piece, ground, cell.form)
        brush.stamp(image, stamp, sheet.at(*cell.place), square=cell.form in (Form.ARROW, Form.WALL))
    elif cell.last or cell.winning:
        ring = brush.piece(radius, ground, LAST if cell.last else WINNING, "", ground)
        brush.stamp(image, ring, sheet.at(*cell.place))


def is_whole(board: GridBoard | HexBoard) -> bool:
    expected, shown = drawn_thing_by_thing(board), cell_pictures.picture(board)
    assert (shown.width, shown.height) == expected.size
    return rows(shown.data) == expected.crop((-brush.MARGIN, 0, *expected.size)).tobytes()


@pytest.mark.parametrize("name", CELLS)
def test_bands_are_the_whole_to_the_pixel(name: str) -> None:
    for options in dict.fromkeys([smallest(GAMES[name]), (), largest(GAMES[name])]):
        assert all(is_whole(board) for board in boards(name, options))


@pytest.mark.parametrize("board", [WON, CROSSED, SPREAD])
def test_marks_of_all_kinds_are_whole(board: GridBoard | HexBoard) -> None:
    assert is_whole(board)
    assert is_whole(replace(board, path=tuple(cell.place for cell in board.cells if cell.piece)))


def test_a_piece_that_reaches_into_the_next_band_is_whole() -> None:
    """On narrow hexagons, such as those of a row of 45, discs are as high as the row."""
    cells = tuple(Cell(row, 2 * column + row % 2, "", "X") for row in range(3) for column in range(45))
    board = HexBoard(in_rows(cells), ())
    assert cell_pictures._sheet(board, cell_pictures.USUAL).overlaps
    assert is_whole(board)


def test_rows_that_stayed_as_they_were_are_not_drawn_again() -> None:
    one, other = boards("cross", ())[-2:]
    cell_pictures.picture(one)
    before = cell_pictures._band.cache_info().misses
    cell_pictures.picture(other)
    assert cell_pictures._band.cache_info().misses - before <= 3


def test_bands_do_not_keep_the_board_they_are_cut_from() -> None:
    board = boards("hex", ())[-1]
    first = cell_pictures.picture(board)
    sheet = weakref.ref(cell_pictures._sheet(board, cell_pictures.USUAL))
    cell_pictures._hexagon_base.cache_clear()
    gc.collect()
    assert sheet() is None
    assert cell_pictures.picture(board) == first
