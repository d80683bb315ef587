"""What the pictures of all boards with cells share: the sheet of paper, labels, pieces, the mark of the last move."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import drawsvg

from games.scene import Cell

Marks = Mapping[str, str]
"""Characters that stand for those of the plain drawing; those it does not have stay."""
PLAIN: Marks = MappingProxyType({})

INK = "#222222"
LINE = "#777777"
FAINT = "#c8c8c8"
PAPER = "#ffffff"
CLOSED = "#dedede"
LAST = "#d62f1f"
WINNING = "#1f9a4b"
FILLS = {"B": "#222222", "X": "#222222", "W": "#ffffff", "O": "#ffffff", "Y": "#ffd92e", "P": "#6a2fa3"}
"""Colour of a piece by its letter, which is written on it besides; other letters are grey."""

_DARK = {"B", "X", "P"}


def text_on(letter: str) -> str:
    """The colour in which a piece's letter can be read on it."""
    return PAPER if letter in _DARK else INK


def named(cell: Cell, element: Any) -> Any:
    """The element, telling the cell's name when pointed at."""
    if cell.name:
        element.append_title(cell.name)
    return element


def sheet(width: int, height: int) -> Any:
    """An empty opaque picture, measured in pixels."""
    drawing = drawsvg.Drawing(width, height)
    drawing.append(drawsvg.Rectangle(0, 0, width, height, fill=PAPER))
    return drawing


def label(words: str, size: int, x: int, y: int, fill: str = INK) -> Any:
    """Words centred on a point."""
    # The baseline is set by hand, for some renderers know no other.
    baseline = y + size * 7 // 20
    return drawsvg.Text(
        words, size, x, baseline, fill=fill, font_family="DejaVu Sans, sans-serif", text_anchor="middle"
    )


def is_marked(cell: Cell) -> bool:
    """There is something to draw on the cell."""
    return bool(cell.piece) or cell.last or cell.winning


def piece(cell: Cell, radius: int, x: int, y: int) -> Any:
    """The cell's piece with its letter, if there is one, and a ring if it belongs to the last move or to the win."""
    group = drawsvg.Group(opacity=0.35) if cell.faint else drawsvg.Group()
    if cell.piece:
        group.append(drawsvg.Circle(x, y, radius, fill=FILLS.get(cell.piece, FAINT), stroke=INK, stroke_width=1))
        group.append(label(cell.piece, radius, x, y, text_on(cell.piece)))
    if cell.last or cell.winning:
        ring = LAST if cell.last else WINNING
        group.append(drawsvg.Circle(x, y, radius, fill="none", stroke=ring, stroke_width=3))
    return group
