"""Scenes drawn: as text for mails, in words, as SVG for pictures."""

from __future__ import annotations

import textwrap

from games.scene import GridBoard, HexBoard, Listing, PlaneBoard, Scene
from pbm.draw import grid, hexes, plane, words
from pbm.draw.pieces import PLAIN

__all__ = ["STYLES", "svg", "text"]

ASCII, UNICODE, WORDS = STYLES = ("ascii", "unicode", "words")
"""How a board is told in text: drawn in plain characters, drawn in more of them, or read aloud."""

WIDTH = 78
"""Characters of a line of a mail; notes are wrapped, boards have to see to it themselves."""


def text(scene: Scene, style: str = ASCII) -> str:
    """The board, then its notes and lists, without trailing blanks; ends with a newline."""
    lines = words.lines(scene.board) if style == WORDS else _drawing(scene.board, nicer=style == UNICODE)
    notes = [line for note in scene.notes for line in textwrap.wrap(note, WIDTH, break_on_hyphens=False)]
    blocks = [lines, notes, *map(_listing, scene.lists)]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


def _drawing(board: HexBoard | GridBoard | PlaneBoard, *, nicer: bool) -> list[str]:
    if isinstance(board, HexBoard):
        return hexes.text(board, hexes.NICER if nicer else PLAIN)
    if isinstance(board, GridBoard):
        return grid.text(board, grid.NICER if nicer else PLAIN)
    return plane.text(board, plane.NICER if nicer else PLAIN)


def _listing(listing: Listing) -> list[str]:
    """The heading and the rows below it, columns aligned, text cut nowhere."""
    widths = [max(map(len, column)) for column in zip(*listing.rows, strict=True)]
    rows = ("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in listing.rows)
    return [listing.heading, *(f"  {row}" for row in rows)]


def svg(scene: Scene) -> str:
    """The board alone as an SVG document on an opaque background."""
    board = scene.board
    if isinstance(board, HexBoard):
        return hexes.svg(board)
    if isinstance(board, GridBoard):
        return grid.svg(board)
    return plane.svg(board)
