"""Pictures of cells are joined from bands: they must be what is drawn as a whole, in a file that any reader takes."""

from __future__ import annotations

import gc
import io
import random
import weakref
import zlib
from itertools import islice

import pytest
from PIL import Image

from games import GAMES
from games.scene import Cell, GridBoard, HexBoard, PlaneBoard, in_rows
from pbm.domain.match import State
from pbm.draw import cell_pictures
from tests.draw.test_grid import CROSSED, SPREAD
from tests.draw.test_hexes import WON
from tests.games.variants import largest, smallest

PLIES = 12
CELLS = [name for name in GAMES if not isinstance(State.start(GAMES[name], ()).scene.board, PlaneBoard)]


def boards(name: str, options: tuple[str, ...]) -> list[GridBoard | HexBoard]:
    """Those of a random game, as far as it goes."""
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
    """The octets that the file's chunks hold, each checked, and the stream with nothing after it."""
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


def is_whole(board: GridBoard | HexBoard) -> bool:
    drawn, shown = cell_pictures.image(board), cell_pictures.picture(board)
    assert len(rows(shown.data)) == (drawn.width + 1) * drawn.height
    return Image.open(io.BytesIO(shown.data)).convert("RGB").tobytes() == drawn.convert("RGB").tobytes()


@pytest.mark.parametrize("name", CELLS)
def test_bands_are_the_whole_to_the_pixel(name: str) -> None:
    for options in dict.fromkeys([smallest(GAMES[name]), (), largest(GAMES[name])]):
        assert all(is_whole(board) for board in boards(name, options))


@pytest.mark.parametrize("board", [WON, CROSSED, SPREAD])
def test_marks_of_all_kinds_are_whole(board: GridBoard | HexBoard) -> None:
    assert is_whole(board)


def test_a_piece_that_reaches_into_the_next_band_is_whole() -> None:
    """On hexagons as narrow as those of a row of 45 discs are as high as the row."""
    cells = tuple(Cell(row, 2 * column + row % 2, "", "X") for row in range(3) for column in range(45))
    board = HexBoard(in_rows(cells), ())
    assert [len(bands) for bands in cell_pictures._sheet(board, cell_pictures.USUAL).touched.values()] == [2, 2, 1]
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
