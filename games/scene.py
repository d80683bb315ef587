"""What a board shows, as values: cells, pieces, segments, labels, the last move. No pixels and no characters.

A scene is one board of one of three shapes, and the lines and lists that belong under it. Text, pictures and
spoken descriptions are all made from the same scene, so they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of a hexagonal or square board.

    row, column: counted from 0 at the top left; on a hexagonal board the column is the number of the `/` diagonal,
    counted from 0. name: what a player types to mean the place; empty for a faint copy beyond the board's edge.
    piece: the letter of the piece on it, such as "O"; empty when free. closed: free, but nobody may play there now.
    """

    row: int
    column: int
    name: str
    piece: str = ""
    last: bool = False
    winning: bool = False
    closed: bool = False
    faint: bool = False


cell = lru_cache(maxsize=10_000)(Cell)
"""A cell, not made anew each time: most of a board is as it was at the ply before."""


@dataclass(frozen=True, slots=True)
class HexBoard:
    """A hexagon of hexagons, `size` cells a side; rows lettered from the top, `/` diagonals numbered from the left."""

    size: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """A straight segment between two cells of the same row or the same column, ends included: (row, column) each."""

    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Crossing:
    """A mark on a cell where two joins cross. owner: the letter of the side that has the point."""

    row: int
    column: int
    owner: str


@dataclass(frozen=True, slots=True)
class GridBoard:
    """A rectangular board of squares or intersections.

    columns, rows: the labels, left to right and top to bottom. cells: all on the board, and where the board wraps
    around also faint copies outside it (negative rows and columns, or beyond the last). lines: True when pieces
    stand on the intersections of drawn lines (a Go board), False when they fill squares.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[Cell, ...]
    joins: tuple[Join, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    lines: bool = False


class Stroke(StrEnum):
    """How a segment of a plane drawing looks: an outline, or one of the colours of the games."""

    OUTLINE = "outline"
    GREEN = "green"
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plane drawing. label: a short text to stand beside it; empty for none.

    here: the present point, from which the next move starts. target: the next move may end here.
    name: what a player types to mean the point; empty where he cannot.
    """

    x: int
    y: int
    label: str = ""
    name: str = ""
    here: bool = False
    target: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight segment of a plane drawing.

    label: a short text to stand on it, such as an edge's number. name: what a player types to mean the segment; empty
    where he cannot.
    """

    x1: int
    y1: int
    x2: int
    y2: int
    stroke: Stroke
    label: str = ""
    last: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class PlaneBoard:
    """Points and segments in the plane, seen through the window 0 <= x <= width, 0 <= y <= height; y grows upwards.

    Coordinates are integers of a grid fine enough for every drawing (the game chooses its unit); segments may reach
    outside the window and are to be clipped by whoever draws. width, height: at least 1.
    """

    width: int
    height: int
    points: tuple[Point, ...]
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A heading and its rows, to stand under the board; each row is a tuple of columns of text."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One board and what belongs under it.

    notes: sentences on the state, such as a score. lists: what does not fit into the drawing.
    """

    board: HexBoard | GridBoard | PlaneBoard
    notes: tuple[str, ...] = ()
    lists: tuple[Listing, ...] = ()
