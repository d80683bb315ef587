"""Pictures in mails: complete, opaque, of the size they say, and with labels on any machine."""

from __future__ import annotations

import re
import struct
import zlib
from itertools import pairwise

import pytest

from games import GAMES
from games.scene import HexBoard, Scene
from pbm import draw
from pbm.domain.match import State
from pbm.draw import png
from tests.draw.test_words import played

TEXT = re.compile(r"<text.*?</text>", re.DOTALL)


def pixels(data: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and the rows of an 8-bit RGBA picture; the filters as the PNG specification has them."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, colours = struct.unpack(">IIBB", data[16:26])
    assert (depth, colours) == (8, 6)
    packed, at = b"", 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    rows, above = [], bytes(4 * width)
    for start in range(0, len(raw), 4 * width + 1):
        above = unfiltered(raw[start], raw[start + 1 : start + 1 + 4 * width], above)
        rows.append(above)
    assert len(rows) == height
    return width, height, rows


def unfiltered(kind: int, row: bytes, above: bytes) -> bytes:
    out = bytearray()
    for index, byte in enumerate(row):
        left, corner = (out[index - 4], above[index - 4]) if index >= 4 else (0, 0)
        up = above[index]
        nearest = min((left, up, corner), key=lambda near: abs(left + up - corner - near))
        out.append((byte + (0, left, up, (left + up) // 2, nearest)[kind]) % 256)
    return bytes(out)


def letters(drawing: str) -> int:
    """How many pixels the labels of a drawing change."""
    width = 300
    _, _, with_labels = pixels(png.render(drawing, width))
    _, _, without = pixels(png.render(TEXT.sub("", drawing), width))
    changed = 0
    for one, other in zip(with_labels, without, strict=True):
        changed += sum(one[at : at + 4] != other[at : at + 4] for at in range(0, 4 * width, 4))
    return changed


@pytest.mark.parametrize("name", GAMES)
def test_every_label_is_drawn(name: str) -> None:
    """A renderer that finds no font draws none, and says nothing."""
    drawing = draw.svg(played(name))
    labels = TEXT.findall(drawing)
    assert labels
    assert letters(drawing) > 8 * len(labels)
    for family in re.findall(r'font-family="([^",]+)', drawing):
        assert family in ("DejaVu Sans", "DejaVu Sans Mono"), "another family needs a font of its own"


def test_a_label_alone_is_drawn_in_either_font() -> None:
    for family in ("DejaVu Sans", "DejaVu Sans Mono"):
        words = f'<text x="10" y="60" font-size="40" font-family="{family}" fill="black">Fgj7é</text>'
        drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80">{words}</svg>'
        assert letters(drawing) > 500


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_is_opaque_and_as_large_as_it_says(name: str) -> None:
    picture = png.picture(played(name))
    assert picture is not None
    width, height, rows = pixels(picture.data)
    assert (width, height) == (picture.width, picture.height), "also where it was made smaller"
    assert width <= png.MAX_WIDTH
    assert all(set(row[3::4]) == {255} for row in rows)
    assert rows[0][:4] == b"\xff\xff\xff\xff"


def test_a_picture_is_rendered_once_for_all_its_readers() -> None:
    first, second = png.picture(played("cross")), png.picture(played("cross"))
    assert first is second
    assert png.picture(played("cross", 4)) != first


def test_a_picture_that_is_too_large_is_left_out() -> None:
    state = State.start(GAMES["crossgeo"], ["-board=random", "-edges=200", "-seed=3"])
    picture = png.picture(state.game.scene(state.position, None))
    assert picture is None or len(picture.data) <= png.MAX_OCTETS


def test_characters_of_a_drawing_stand_for_what_is_typed() -> None:
    """Each cell's word is found where its mark stands, and nowhere else."""
    scene = played("cross")
    assert isinstance(scene.board, HexBoard)
    lines = draw.lines(scene)
    words = [run.word for line in lines for run in line if run.word]
    assert words == [cell.name for cell in scene.board.cells]
    free = {cell.name for cell in scene.board.cells if not cell.piece}
    assert {run.word for line in lines for run in line if run.text == "." and run.word} == free


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("style", draw.STYLES)
def test_runs_are_the_text(name: str, style: str) -> None:
    scene = played(name)
    joined = ["".join(run.text for run in line).rstrip() for line in draw.lines(scene, style)]
    assert "\n".join(joined) + "\n" == draw.text(scene, style)
    assert not any(one == other == "" for one, other in pairwise(joined))


@pytest.mark.parametrize("name", ["crossgeo", "polygon", "loops", "luddit", "cross"])
def test_moves_of_a_board_are_found_in_its_drawing(name: str) -> None:
    """CrossGeo: the numbers of edges; polygon: the targets; the others: the places."""
    state = State.start(GAMES[name], [])
    if name == "polygon":
        state, _ = state.play("A-D")
    scene = state.game.scene(state.position, state.last)
    assert {state.game.notate(state.position, move) for move in state.game.moves(state.position)} & {
        run.word for line in draw.lines(Scene(scene.board)) for run in line
    }
