"""Scenes drawn: as text for mails, and in words; pictures are in picture.py."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from games.scene import GridBoard, HexBoard, Listing, PlaneBoard, Scene
from pbm.draw import grid, hexes, plane, words
from pbm.draw.brush import PLAIN

__all__ = ["STYLES", "board", "lines", "text"]

ASCII, UNICODE, WORDS = STYLES = ("ascii", "unicode", "words")
"""How a board is told in text: drawn in plain characters, drawn in more of them, or read aloud."""

WIDTH = 78
"""Characters of a line of a mail; notes are wrapped, boards have to see to it themselves."""


def text(scene: Scene, style: str = ASCII) -> str:
    """The board, then its notes and lists, without trailing blanks; ends with a newline."""
    return "\n".join(lines(scene, style)) + "\n"


def lines(scene: Scene, style: str = ASCII, first: Sequence[str] = (), last: Sequence[str] = ()) -> list[str]:
    """What text draws; blocks are separated by empty lines.

    first, last: sentences to be heard before and after a board in words.
    """
    lists = [_listing(listing) for listing in scene.lists]
    if style == WORDS:
        blocks = [_wrapped((*first, *scene.notes)), board(scene.board, style), *lists, _wrapped(last)]
    else:
        blocks = [board(scene.board, style), _wrapped((*scene.notes, *scene.legend)), *lists]
    return [line for block in blocks if block for line in ("", *block)][1:]


def _wrapped(sentences: Sequence[str]) -> list[str]:
    return [line for told in sentences for line in textwrap.wrap(told, WIDTH, break_on_hyphens=False)]


def board(shown: HexBoard | GridBoard | PlaneBoard, style: str = ASCII, columns: int = WIDTH) -> list[str]:
    """The board alone. columns: what it may take, if its shape leaves the choice."""
    if style == WORDS:
        return words.lines(shown)
    nicer = style == UNICODE
    if isinstance(shown, HexBoard):
        return hexes.text(shown, hexes.NICER if nicer else PLAIN)
    if isinstance(shown, GridBoard):
        return grid.text(shown, grid.NICER if nicer else PLAIN)
    return plane.text(shown, plane.NICER if nicer else PLAIN, columns)


def _listing(listing: Listing) -> list[str]:
    """The heading and the rows below it, columns aligned, text cut nowhere."""
    widths = [max(map(len, column)) for column in zip(*listing.rows, strict=True)]
    rows = ["".join(f"  {cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in listing.rows]
    return [listing.heading, *(row.rstrip() for row in rows)]
