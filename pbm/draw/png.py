"""Boards as pictures for mails: opaque PNGs with fonts of our own, since a machine without fonts drops all labels."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import resvg_py

from games.scene import GridBoard, HexBoard, PlaneBoard, Scene
from pbm.draw import svg

FONTS = tuple(str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf")))
MAX_WIDTH = 600
"""Pixels; as wide as mail programs show a picture without shrinking it."""
CELLS_WIDTH = 480
"""Pixels; enough for the largest board of cells, whose labels are short. A mail is as large as its picture."""
MAX_OCTETS = 160_000
"""A picture that takes more is not worth its mail."""

_WIDTH = re.compile(r'width="(\d+)"')


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, and how wide and high it is, in pixels."""

    data: bytes
    width: int
    height: int


def picture(scene: Scene) -> Picture | None:
    """The board alone; None where it would be too large."""
    return _picture(scene.board)


@lru_cache(maxsize=8)
def rendered(drawing: str) -> Picture:
    """An SVG document as a picture, as wide as it says."""
    width = _WIDTH.search(drawing)
    assert width is not None  # noqa: S101  every drawing of ours has one
    data = render(drawing, int(width[1]))
    return Picture(data, *struct.unpack(">II", data[16:24]))


@lru_cache(maxsize=32)
def _picture(board: HexBoard | GridBoard | PlaneBoard) -> Picture | None:
    drawing = svg(Scene(board), names=False)
    width = _WIDTH.search(drawing)
    assert width is not None  # noqa: S101  every drawing of ours has one
    data = render(drawing, min(int(width[1]), MAX_WIDTH if isinstance(board, PlaneBoard) else CELLS_WIDTH))
    return Picture(data, *struct.unpack(">II", data[16:24])) if len(data) <= MAX_OCTETS else None


def render(drawing: str, width: int) -> bytes:
    """An SVG document as a PNG so many pixels wide, its labels in the fonts shipped and no others."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=drawing, width=width, background="#ffffff", skip_system_fonts=True, font_files=list(FONTS)
        )
    )
