"""Boards as pictures for mails, and a whole game as an animated GIF.

A picture is an opaque PNG with fonts of our own, as wide as a phone shows it without shrinking. Of a GIF, what stays
the same from one board to the next is left out, which makes it small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from PIL import GifImagePlugin, Image, ImageChops

from games.scene import GridBoard, HexBoard, PlaneBoard, Scene
from pbm.draw import brush, cell_pictures, plane_pictures
from pbm.draw.brush import Picture

MAX_OCTETS = 160_000
"""A picture that takes more is not worth its mail."""


def picture(scene: Scene) -> Picture | None:
    """The board alone; None where it would be too large."""
    return _picture(scene.board)


@lru_cache(maxsize=32)
def _picture(board: HexBoard | GridBoard | PlaneBoard) -> Picture | None:
    shown = drawn(board)
    return shown if len(shown.data) <= MAX_OCTETS else None


@lru_cache(maxsize=32)
def smaller(board: HexBoard | GridBoard | PlaneBoard) -> Picture | None:
    """The same in half the octets: in the plane without soft edges and what is enlarged, of cells in fewer pixels.

    None where little is to be saved.
    """
    if isinstance(board, PlaneBoard):
        return brush.finished(plane_pictures.of_plane(board, enlarged=False, soft=False), 9)
    whole, small = _picture(board), cell_pictures.picture(board, cell_pictures.SMALL)
    enlarged = replace(small, width=small.width * 3 // 2, height=small.height * 3 // 2)
    return None if whole and 3 * len(small.data) >= 2 * len(whole.data) else enlarged


def drawn(board: HexBoard | GridBoard | PlaneBoard) -> Picture:
    """The picture made anew, whatever it takes."""
    if isinstance(board, PlaneBoard):
        return brush.finished(plane_pictures.of_plane(board))
    return cell_pictures.picture(board)


FILM_OCTETS, FILM_OCTETS_OF_PLANES = 24_000, 20_000
"""So that no mail it comes with is above 60 kB; that of a plane has much besides."""
MAX_BOARDS, MAX_PLANES = 120, 16
"""Boards that are shown of a game, spread evenly over it; planes take ten times as long to draw."""
LAST_SECONDS, ALL_SECONDS = 5.0, 60.0
"""How long the last board stays, and all the others together at most."""
BOARD_SECONDS = 0.8
_SIZES = (1, 2 / 3, 1 / 2)
"""Of its boards, in which it is made one after another before boards are left out."""
_KEPT = 255
"""The number of a pixel that stays as it is; the palette has fewer colours."""
_CHANGED = [0, *[255] * 255]


def film(board: Callable[[int], Scene], plies: int, most: int = 0) -> Picture | None:
    """The boards after 0 to so many plies, in little or only some of them where it would be too large.

    None where that is of no use. board: the scene after a ply. most: octets of it, if not as many as usual.
    """
    is_plane = isinstance(board(0).board, PlaneBoard)
    shown, most = MAX_PLANES if is_plane else MAX_BOARDS, most or (FILM_OCTETS_OF_PLANES if is_plane else FILM_OCTETS)
    full = _level([_frame(board(ply)) for ply in _spread(plies + 1, shown)])
    frames = full
    for size in _SIZES:
        frames = [_scaled(frame, size) for frame in full]
        if len(data := _gif(frames)) <= most:
            break
    while len(data) > most and len(frames) > 2:
        frames = [frames[place] for place in _spread(len(frames), (len(frames) + 1) // 2)]
        data = _gif(frames)
    return Picture(data, *frames[0].size, "image/gif") if len(data) <= most and len(frames) > 1 else None


def _scaled(frame: Image.Image, size: float) -> Image.Image:
    """The same in little, soft where colours meet."""
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
    """At most so many of the places from 0, two or more, evenly, the first and the last among them."""
    if number <= most:
        return list(range(number))
    return [place * (number - 1) // (most - 1) for place in range(most)]


def _frame(scene: Scene) -> Image.Image:
    """The numbers of its pixels as greys, which can be compared."""
    board = scene.board
    if isinstance(board, PlaneBoard):
        drawn = plane_pictures.of_plane(board, enlarged=False)
    else:
        drawn = cell_pictures.image(board)
    return Image.frombytes("L", drawn.size, drawn.tobytes())


def _level(frames: Sequence[Image.Image]) -> list[Image.Image]:
    """All as large as the largest."""
    width, height = max(frame.width for frame in frames), max(frame.height for frame in frames)
    return [frame.crop((0, 0, width, height)) for frame in frames]  # beyond them is number 0, which is paper


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
    """The part of a frame that differs from the one before, and where its upper left corner belongs."""
    difference = ImageChops.difference(before, frame)
    box = difference.getbbox() or (0, 0, 1, 1)
    mask = difference.crop(box).point(_CHANGED)
    part = frame.crop(box)
    return Image.composite(part, Image.new("L", part.size, _KEPT), mask), box[:2]
