"""Scenes drawn: as text for mails, as SVG for pictures."""

from __future__ import annotations

import textwrap

from games.scene import GridBoard, HexBoard, Listing, Scene
from pbm.draw import grid, hexes, plane

__all__ = ["svg", "text"]

WIDTH = 78
"""Characters of a line of a mail; notes are wrapped, boards have to see to it themselves."""


def text(scene: Scene) -> str:
    """The board, then its notes and lists, in plain ASCII without trailing blanks; ends with a newline."""
    board = scene.board
    if isinstance(board, HexBoard):
        lines = hexes.text(board)
    elif isinstance(board, GridBoard):
        lines = grid.text(board)
    else:
        lines = plane.text(board)
    notes = [line for note in scene.notes for line in textwrap.wrap(note, WIDTH, break_on_hyphens=False)]
    blocks = [lines, notes, *map(_listing, scene.lists)]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


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
