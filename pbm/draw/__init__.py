"""Scenes drawn: as text for mails, and in words; pictures are in picture.py."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from games.scene import GridBoard, HexBoard, Listing, PlaneBoard, Scene
from pbm.draw import grid, hexes, plane, words
from pbm.draw.brush import PLAIN
from pbm.draw.grid import Line, Run, plain

__all__ = ["STYLES", "Line", "Run", "board", "lines", "text"]

ASCII, UNICODE, WORDS = STYLES = ("ascii", "unicode", "words")
"""How a board is told in text: drawn in plain characters, drawn in more of them, or read aloud."""

WIDTH = 78
"""Characters of a line of a mail; notes are wrapped, boards have to see to it themselves."""


def text(scene: Scene, style: str = ASCII) -> str:
    """The board, then its notes and lists, without trailing blanks; ends with a newline."""
    return "\n".join(plain(lines(scene, style))) + "\n"


def lines(scene: Scene, style: str = ASCII, first: Sequence[str] = (), last: Sequence[str] = ()) -> list[Line]:
    """What text draws, with the words its characters stand for; blocks are separated by empty lines.

    first, last: sentences to be heard before and after a board in words.
    """
    lists = [_listing(listing) for listing in scene.lists]
    if style == WORDS:
        blocks = [_wrapped((*first, *scene.notes)), board(scene.board, style), *lists, _wrapped(last)]
    else:
        blocks = [board(scene.board, style), _wrapped((*scene.notes, *scene.legend)), *lists]
    return [line for block in blocks if block for line in ([], *block)][1:]


def _wrapped(sentences: Sequence[str]) -> list[Line]:
    return [[Run(line)] for told in sentences for line in textwrap.wrap(told, WIDTH, break_on_hyphens=False)]


def board(shown: HexBoard | GridBoard | PlaneBoard, style: str = ASCII, columns: int = WIDTH) -> list[Line]:
    """The board alone. columns: what it may take, if its shape leaves the choice."""
    if style == WORDS:
        return [[Run(line)] for line in words.lines(shown)]
    nicer = style == UNICODE
    if isinstance(shown, HexBoard):
        return hexes.lines(shown, hexes.NICER if nicer else PLAIN)
    if isinstance(shown, GridBoard):
        return grid.lines(shown, grid.NICER if nicer else PLAIN)
    return plane.lines(shown, plane.NICER if nicer else PLAIN, columns)


def _listing(listing: Listing) -> list[Line]:
    """The heading and the rows below it, columns aligned, text cut nowhere; a column may end in what is to be typed."""
    widths = [max(map(len, column)) for column in zip(*listing.rows, strict=True)]
    rows = [
        [run for cell, width in zip(row, widths, strict=True) for run in (Run("  "), *_cell(cell, width))]
        for row in listing.rows
    ]
    return [[Run(listing.heading)], *rows]


def _cell(cell: str, width: int) -> Line:
    """A column of a list: its last word, if it has no more than two, may be what a player types."""
    *_, last = cell.split() or [""]
    typed = last if len(cell.split()) <= 2 else ""
    return [Run(cell.removesuffix(last)), Run(last, typed), Run(" " * (width - len(cell)))]
