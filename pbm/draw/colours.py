"""Colours of boards and pieces, and drawings as values: what is known without PIL, which is slow to import."""

from __future__ import annotations

from collections.abc import Mapping

from games.scene import Cell, Ground
from pbm.values import frozen

INK = "#222222"
LINE = "#777777"
FAINT = "#c8c8c8"
PAPER = "#ffffff"
WOOD, SHADED, CLOSED = "#f0e2c0", "#d9bf8c", "#bdb9b0"
"""The grounds of places: usual ones, shaded ones, and those where nobody may play now."""
SURFACES = {Ground.SQUARES: (WOOD, SHADED), Ground.LINES: (WOOD, WOOD), Ground.POINTS: (PAPER, SHADED)}
"""The grounds of usual and of shaded places."""
DOTTED = {Ground.SQUARES: (False, False), Ground.LINES: (False, True), Ground.POINTS: (True, True)}
"""Whether usual and shaded places have a dot."""
LAST = "#d62f1f"
WINNING = "#1f9a4b"

COLOURS = {
    "black": INK, "white": PAPER, "red": "#c62828", "blue": "#1f4fbf", "yellow": "#ffd92e", "purple": "#6a2fa3",
    "green": "#2e8b57", "grey": FAINT,
}  # fmt: skip
_USUAL = {"B": "black", "X": "black", "W": "white", "O": "white", "Y": "yellow", "P": "purple", "R": "red"}
_DARK = {COLOURS[name] for name in ("black", "red", "blue", "purple", "green")}


def fill_of(letter: str, colours: Mapping[str, str]) -> str:
    """The colour of a piece by its letter. colours: colour names by letter that differ from the usual ones."""
    return COLOURS.get(colours.get(letter, _USUAL.get(letter, "grey")), FAINT)


def text_on(fill: str) -> str:
    """The colour of letters that can be read on it."""
    return PAPER if fill in _DARK else INK


def ring_of(fill: str) -> str:
    """The colour of the ring around the piece played last; yellow on a red piece, where red would not be seen."""
    return COLOURS["yellow"] if fill == COLOURS["red"] else LAST


def ground_of(cell: Cell) -> str:
    """The colour of the place below a piece."""
    if cell.closed:
        return CLOSED
    return SHADED if cell.shaded else WOOD


def edge_of(cell: Cell, fill: str, usual: str) -> str:
    """The colour of the edge of a piece with this fill. usual: if nothing marks it."""
    if cell.last:
        return ring_of(fill)
    return WINNING if cell.winning else usual


def faded(fill: str) -> str:
    """The colour of a faint piece; white on paper would not be seen."""
    return FAINT if fill == PAPER else fill


@frozen
class Picture:
    """An image file, and the width and height to show it at, in pixels."""

    data: bytes
    width: int
    height: int
    kind: str = "image/png"
