"""Boards as they are shown, as values: cells, pieces, segments, labels, the last move. No pixels and no characters.

A scene is one board of one of three shapes, and the lines and lists that belong under it. Text, pictures and
spoken descriptions are all made from the same scene, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Form(StrEnum):
    """The look of a piece; its letter is shown in any case."""

    STONE = "stone"
    QUEEN = "queen"
    ARROW = "arrow"
    WALL = "wall"


Place = tuple[int, int]
"""Row and column of a cell, or of a place beside the cells."""


class Cell(NamedTuple):
    """A place of a hexagonal or square board.

    row, column: counted from 0 at the top left; on a hexagonal board columns count half cells (see HexBoard).
    """

    row: int
    column: int
    name: str
    """What a player types to mean the place; empty where nobody can, as for a faint copy beyond the board's edge."""
    piece: str = ""
    """The letter of the piece on it, such as "O"; empty when free."""
    last: bool = False
    winning: bool = False
    closed: bool = False
    """Free, but nobody may play there now."""
    faint: bool = False
    shaded: bool = False
    """Darker than its neighbours, as on a chequered board; a dot where lines cross."""
    form: Form = Form.STONE
    """Of the piece."""

    @property
    def place(self) -> Place:
        return self.row, self.column


class Known(tuple[T, ...]):
    """A tuple that is often looked up, and made once: it is equal to nothing but itself, which costs nothing to see.

    Whoever looks up one with the same content that was made apart finds nothing, and does the work again.
    """

    __hash__, __eq__, __ne__ = object.__hash__, object.__eq__, object.__ne__


Row = Known[Cell]
"""Cells of a row from the left; on a board all rows but one or two are as they were at the ply before."""
ROWS = 8192
"""How many of them are remembered by whoever shows them."""


_first: Callable[[Any], Any] = itemgetter(0)


def numbers(rows: Iterable[Row]) -> Iterator[int]:
    """Which rows of the board they are."""
    return map(_first, map(_first, rows))


def in_rows(cells: Iterable[Cell]) -> tuple[Row, ...]:
    """The rows of cells that come one row after another."""
    return tuple(Row(row) for _, row in groupby(cells, _first))


Plain = Known[tuple[int, int, bool, bool]]
"""A row without what is on its cells: the row and column of each, whether it is faint and whether shaded."""
_plain: Callable[[tuple[Any, ...]], Known[Any]] = lru_cache(512)(Known)
"""The same for rows, and for boards, that differ in what is on them."""


_GROUND = itemgetter(*map(Cell._fields.index, ("row", "column", "faint", "shaded")))


@lru_cache(ROWS)
def plain(row: Row) -> Plain:
    return _plain(tuple(map(_GROUND, row)))


@lru_cache(ROWS)
def marked(row: Row) -> list[Cell]:
    """The cells of a row that are not just free."""
    return [cell for cell in row if cell.piece or cell.last or cell.winning or cell.closed]


Noted = tuple[tuple[int, str], ...]
"""Marks of a row, by their columns."""


def by_row(marks: Mapping[Place, T]) -> dict[int, tuple[tuple[int, T], ...]]:
    """The marks of each row that has some, by their columns."""
    rows: dict[int, list[tuple[int, T]]] = {}
    for (row, column), mark in marks.items():
        rows.setdefault(row, []).append((column, mark))
    return {row: tuple(noted) for row, noted in rows.items()}


class _Rows:
    """What boards in rows have in common."""

    in_rows: tuple[Row, ...]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(chain.from_iterable(self.in_rows))

    @cached_property
    def plain(self) -> Known[Plain]:
        """The cells without what is on them, by rows."""
        return _plain(tuple(map(plain, self.in_rows)))


Colours = tuple[tuple[str, str], ...]
"""What the pieces of a letter look like where it is not the usual colour of the letter, such as ("B", "blue")."""


class Label(NamedTuple):
    """A coordinate at one end of a line of cells, such as a row's letter.

    down, right: the step that leads from there off the board, in rows and columns as cells count them; any number of
    such steps away the label still belongs to the line.
    """

    text: str
    place: Place
    """The outermost cell of the line."""
    down: int
    right: int
    owner: str = ""
    """The letter of the side to whom the edge of the board belongs; empty for most games."""


@dataclass(frozen=True)
class HexBoard(_Rows):
    """Hexagons in rows, of any shape.

    A cell's column counts half cells: neighbours in a row are two columns apart, neighbours in the next row one. The
    leftmost column may be any number.
    """

    in_rows: tuple[Row, ...]
    """The cells."""
    labels: tuple[Label, ...]
    """At both ends of each line that has a name; those with down == 0 name rows."""
    path: tuple[Place, ...] = ()
    """The places the last move went through, from the first to the last, where it has a way."""
    colours: Colours = ()


class Look(StrEnum):
    """How a join is drawn."""

    DRAWN = "drawn"
    """A heavy line."""
    GROUND = "ground"
    """A thin line that belongs to the board."""
    OPEN = "open"
    """No line yet; a player may draw it."""


class Join(NamedTuple):
    """A straight segment between two cells of the same row or the same column, ends included."""

    start: Place
    end: Place
    look: Look = Look.DRAWN
    name: str = ""
    """What a player types to mean it; empty where nobody can."""
    last: bool = False


class Crossing(NamedTuple):
    """A mark on a cell where two joins cross."""

    row: int
    column: int
    owner: str
    """The letter of the side that has the point."""


class Box(NamedTuple):
    """A mark in the middle of four neighbouring cells. row, column: of its upper left cell."""

    row: int
    column: int
    owner: str
    """As of a Crossing."""


class Ground(StrEnum):
    """The ground of a board of rows and columns."""

    SQUARES = "squares"
    """Pieces fill squares."""
    LINES = "lines"
    """Pieces stand on the intersections of lines, as on a Go board."""
    POINTS = "points"
    """Pieces stand on points, and no lines but the joins are drawn."""


@dataclass(frozen=True)
class GridBoard(_Rows):
    """A rectangular board of squares or points; some may be missing.

    columns, rows: the labels, left to right and top to bottom; they belong along all four sides. path, colours: as of a
    HexBoard.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    in_rows: tuple[Row, ...]
    """The cells: all on the board, and where the board wraps around also faint copies outside it (negative rows and
    columns, or beyond the last).
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
    """A short text to stand beside it; empty for none."""
    name: str = ""
    """What a player types to mean the point; empty where they cannot."""
    here: bool = False
    """The present point, from which the next move starts."""
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
    """A short text to stand on it, such as an edge's number."""
    last: bool = False
    name: str = ""
    """What a player types to mean the segment; empty where nobody can."""
    gone: bool = False
    """The last move removed it; it is shown as a ghost."""
    ends: tuple[str, str] = ("", "")
    """The names of its two ends, which may share their points with others; empty where they have none."""


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
    start: PlaneBoard | None = None
    """The same board before the first move, where moves only remove segments; labels, no two of them alike, keep their
    places of then.
    """


@dataclass(frozen=True, slots=True)
class Listing:
    """A heading and its rows, to stand under the board; each row is a tuple of columns of text."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One board and what belongs under it."""

    board: HexBoard | GridBoard | PlaneBoard
    notes: tuple[str, ...] = ()
    """Sentences on the state, such as a score."""
    lists: tuple[Listing, ...] = ()
    """What does not fit into the drawing."""
    legend: tuple[str, ...] = ()
    """What marks of the drawing mean, for those who see it."""
