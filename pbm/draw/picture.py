"""Boards as pictures for mails: opaque PNGs with fonts of our own, as wide as a phone shows them without shrinking."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

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
