"""What boards show, as values: cells, pieces, segments, labels, the last move. No pixels and no characters.

A scene is a board of one of three shapes, with the sentences and lists below it. Text, pictures and spoken descriptions
are all made from the same scene, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple


class Form(StrEnum):
    """The look of a piece, which also shows its letter."""

    STONE = "stone"
    QUEEN = "queen"
    ARROW = "arrow"
    WALL = "wall"


Place = tuple[int, int]
"""The row and column of a cell, or of a place next to the cells."""


class Cell(NamedTuple):
    """A place of a hexagonal or square board.

    row, column: counted from 0 at the top left; on a hexagonal board columns count half cells (see HexBoard).
    """

    row: int
    column: int
    name: str
    """What a player types for the place; empty if it cannot be named, like a faint copy beyond the board's edge."""
    piece: str = ""
    """The letter of the piece on it, such as "O"; empty if free."""
    last: bool = False
    winning: bool = False
    closed: bool = False
    """Free, but nobody may play there now."""
    faint: bool = False
    shaded: bool = False
    """Darker than its neighbours, as on a chequered board; on a board of lines, a dot."""
    form: Form = Form.STONE
    """The form of the piece."""

    @property
    def place(self) -> Place:
        return self.row, self.column


def rows(cells: Iterable[Cell]) -> dict[int, list[Cell]]:
    """The cells by the number of their row, from the top, and in each row from the left."""
    by_row: dict[int, list[Cell]] = {}
    for cell in sorted(cells):
        by_row.setdefault(cell.row, []).append(cell)
    return by_row


Colours = tuple[tuple[str, str], ...]
"""Letters of pieces with a colour that is not the letter's usual one, such as ("B", "blue")."""


class Label(NamedTuple):
    """A coordinate at one end of a line of cells, such as a row's letter.

    down, right: the step from there off the board, in rows and columns as cells count them; the label may be shown any
    number of such steps away.
    """

    text: str
    place: Place
    """The outermost cell of the line."""
    down: int
    right: int
    owner: str = ""
    """The letter of the side that owns the edge of the board; empty in most games."""


@dataclass(frozen=True)
class HexBoard:
    """Hexagons in rows, of any shape.

    A cell's column counts half cells: neighbours in a row are two columns apart, neighbours in the next row one. The
    leftmost column may be any number.
    """

    cells: tuple[Cell, ...]
    labels: tuple[Label, ...]
    """At both ends of each line that has a name; those with down == 0 name rows."""
    path: tuple[Place, ...] = ()
    """The places of the last move, from the first to the last, if it has a path."""
    colours: Colours = ()
    joins: ClassVar[tuple[Join, ...]] = ()
    """Only cells in rows and columns have any."""


class Look(StrEnum):
    """How a join is drawn."""

    DRAWN = "drawn"
    """A heavy line."""
    GROUND = "ground"
    """A thin line that is part of the board."""
    OPEN = "open"
    """No line yet; a player may draw it."""


class Join(NamedTuple):
    """A straight segment between two cells of the same row or the same column, ends included."""

    start: Place
    end: Place
    look: Look = Look.DRAWN
    name: str = ""
    """What a player types for it; empty if it cannot be named."""
    last: bool = False


class Crossing(NamedTuple):
    """A mark on a cell where two joins cross."""

    row: int
    column: int
    owner: str
    """The letter of the side that gets the point."""


class Box(NamedTuple):
    """A mark in the middle of four neighbouring cells. row, column: of the upper left one."""

    row: int
    column: int
    owner: str
    """As in Crossing."""


class Ground(StrEnum):
    """The ground of a board of rows and columns."""

    SQUARES = "squares"
    """Pieces fill squares."""
    LINES = "lines"
    """Pieces stand on the intersections of lines, as on a Go board."""
    POINTS = "points"
    """Pieces stand on points, and only joins are drawn as lines."""


@dataclass(frozen=True)
class GridBoard:
    """A rectangular board of squares or points; some may be missing.

    columns, rows: the labels, left to right and top to bottom, for all four sides. path, colours: as in HexBoard.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[Cell, ...]
    """All that are on the board and, if the board wraps around, faint copies outside it (rows and columns that are
    negative or beyond the last).
    """
    joins: tuple[Join, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    boxes: tuple[Box, ...] = ()
    ground: Ground = Ground.SQUARES
    path: tuple[Place, ...] = ()
    colours: Colours = ()


class Stroke(StrEnum):
    """How a segment of a plane drawing looks: an outline, or one of the colours of the games."""

    OUTLINE = "outline"
    GREEN = "green"
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plane drawing."""

    x: int
    y: int
    label: str = ""
    """A short text next to it; empty for none."""
    name: str = ""
    """What a player types for the point; empty if it cannot be named."""
    here: bool = False
    """The current point, from which the next move starts."""
    target: bool = False
    """The next move may end here."""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A straight segment of a plane drawing."""

    x1: int
    y1: int
    x2: int
    y2: int
    stroke: Stroke
    label: str = ""
    """A short text on it, such as an edge's number."""
    last: bool = False
    name: str = ""
    """What a player types for the segment; empty if it cannot be named."""
    gone: bool = False
    """The last move removed it; it is shown as a ghost."""
    ends: tuple[str, str] = ("", "")
    """The names of its two ends, which may share their points with others; empty if they have none."""


@dataclass(frozen=True, slots=True)
class PlaneBoard:
    """Points and segments in the plane, seen through the window 0 <= x <= width, 0 <= y <= height; y grows upwards.

    Coordinates are integers on a grid fine enough for every drawing (the game chooses its unit); segments may extend
    outside the window, and are clipped when drawn. width, height: at least 1.
    """

    width: int
    height: int
    points: tuple[Point, ...]
    segments: tuple[Segment, ...]
    start: PlaneBoard | None = None
    """The same board before the first move, if moves only remove segments; labels, which are all different, keep their
    places from it.
    """


@dataclass(frozen=True, slots=True)
class Listing:
    """A heading and its rows, to show below the board; each row is a tuple of columns of text."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One board, and what is shown below it."""

    board: HexBoard | GridBoard | PlaneBoard
    notes: tuple[str, ...] = ()
    """Sentences on the state, such as a score."""
    lists: tuple[Listing, ...] = ()
    """What does not fit into the drawing."""
    legend: tuple[str, ...] = ()
    """The meaning of marks in the drawing, for readers who see it."""
