"""A whole game as one SVG, in which every mark occurs once, with the plies at which it appears and disappears.

The document around it has an element with the id p0, p1, ... for each position, in this order in one parent, and
everything is inside an element of class replay. The position shown is the one whose element is the `:target`; without
a target it is the last one. This needs no script, only a browser that supports `:has()`.

    a mark that appears at ply 5 and disappears at ply 9   ->   <g class="a5"><g class="x9">...</g></g>
    a position before ply 5 is the target                  ->   .replay:has(:target~#p5) .a5{display:none}

A board of cells has a mark for each ground, each line of the board and each piece. A board in the plane is laid out
once for the whole game, so labels do not move from ply to ply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import IntEnum
from html import escape
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from games.scene import Cell, Form, GridBoard, Ground, HexBoard, Join, Look, Place, PlaneBoard, Point, Segment, Stroke
from pbm.draw.cell_pictures import beside
from pbm.draw.colours import (
    CLOSED,
    COLOURS,
    DOTTED,
    FAINT,
    INK,
    LAST,
    LINE,
    PAPER,
    SHADED,
    SURFACES,
    WINNING,
    WOOD,
    faded,
    fill_of,
    ring_of,
    text_on,
)
from pbm.draw.layout import Layout, Line, Spot, pictured
from pbm.values import frozen


class Depth(IntEnum):
    """The layers, from the lowest to the highest."""

    GROUND = 0
    LINES = 1
    PIECES = 2
    WORDS = 3
    LAST = 4


class Stamp(NamedTuple):
    """A piece of SVG; marks with the same text are the same mark."""

    depth: Depth
    text: str


@frozen
class Markings:
    """The marks of one position."""

    box: tuple[int, int, int, int]
    """The left, top, width and height of the view."""
    marks: tuple[Stamp, ...]
    pieces: Mapping[str, str] = field(default_factory=dict)
    """The drawings for `<use>`, by id."""


def label(x: float, y: float, text: str, kind: str = "", fill: str = "") -> str:
    """Words centred on a point. kind: a CSS class. fill: a colour other than the usual one."""
    attributes = f' class="{kind}"' * bool(kind) + f' style="fill:{fill}"' * bool(fill)
    return f'<text x="{x:g}" y="{y:g}" dy=".35em"{attributes}>{escape(text)}</text>'


UNIT = 20
"""The distance between neighbours in a grid, and in a row of hexagons."""
HALF = UNIT // 2
RADIUS = 8
ROW = 18
"""The distance between rows of hexagons; the height of a slanting side is a third of it."""
CELL_STYLE = (
    f".board{{text-anchor:middle;font:12px sans-serif;color:{INK}}}"
    f".c{{fill:{CLOSED};stroke:{LINE}}}.l{{fill:none;stroke:{LAST};stroke-width:2.5}}"
    f".y{{fill:none;stroke:{ring_of(COLOURS['red'])};stroke-width:2.5}}"
    f".w{{fill:none;stroke:{WINNING};stroke-width:2.5}}.j{{stroke:{INK};stroke-width:3}}.f{{stroke:{LINE}}}"
)

At = Callable[[int, int], Place]
"""Returns the centre (x, y) of the cell in a row and a column."""


def of_cells(board: GridBoard | HexBoard) -> Markings:
    colours = dict(board.colours)
    pieces = {_name(cell): _piece(cell, fill_of(cell.piece, colours)) for cell in board.cells if cell.piece}
    if isinstance(board, HexBoard):
        marks = (*_hexagons(board), *_stones(board, _hexagon))
        spots = [_hexagon(*cell.place) for cell in board.cells]
        spots += [_hexagon(name.place[0] + name.down, name.place[1] + name.right) for name in board.labels]
    else:
        marks = (*_squares(board), *_joined(board), *_stones(board, _square))
        spots = [_square(*place) for place in _beside(board)]
    xs, ys = zip(*spots, strict=True)
    left, top = min(xs) - UNIT * 2 // 3, min(ys) - UNIT * 2 // 3
    return Markings((left, top, max(xs) - left + UNIT * 2 // 3, max(ys) - top + UNIT * 2 // 3), marks, pieces)


def _square(row: int, column: int) -> Place:
    return UNIT * column, UNIT * row


def _hexagon(row: int, column: int) -> Place:
    return HALF * column, ROW * row


def _path(shapes: Iterable[str], **attributes: str) -> str:
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<path{written} d="{"".join(shapes)}"/>'


def _shape(place: Place, *, six: bool) -> str:
    """The outline of a cell."""
    if six:
        x, y = _hexagon(*place)
        side = ROW // 3
        return f"M{x} {y - 2 * side}l{HALF} {side}v{2 * side}l-{HALF} {side}l-{HALF}-{side}v-{2 * side}z"
    x, y = _square(*place)
    return f"M{x - HALF} {y - HALF}h{UNIT}v{UNIT}h-{UNIT}z"


def _grounds(cells: Iterable[Cell], fill: Callable[[Cell], str], edge: str | None, *, six: bool) -> Iterator[Stamp]:
    """One mark for the cells of each colour. edge: the colour of their outlines; None for that of the cell."""
    for colour, alike in groupby(sorted(cells, key=fill), key=fill):
        shapes = (_shape(cell.place, six=six) for cell in alike)
        yield Stamp(Depth.GROUND, _path(shapes, fill=colour, stroke=edge or colour))


def _hexagons(board: HexBoard) -> Iterator[Stamp]:
    yield from _grounds(board.cells, lambda cell: SHADED if cell.shaded else WOOD, LINE, six=True)
    colours = dict(board.colours)
    for name in board.labels:
        x, y = _hexagon(name.place[0] + name.down, name.place[1] + name.right)
        owned = fill_of(name.owner, colours) if name.owner else INK
        # Only dark colours can be read on paper.
        yield Stamp(Depth.WORDS, label(x, y, name.text, fill=owned if text_on(owned) == PAPER else INK))


def _beside(board: GridBoard) -> list[Place]:
    """The places of all cells, and the corners of the labels around them."""
    rows, columns = zip(*(cell.place for cell in board.cells), strict=True)
    ends = (min(rows) - 1, min(columns) - 1), (max(rows) + 1, max(columns) + 1)
    return [cell.place for cell in board.cells] + list(ends)


def _squares(board: GridBoard) -> Iterator[Stamp]:
    usual, shaded = SURFACES[board.ground]
    # Elsewhere the grounds are one surface.
    edge = LINE if board.ground is Ground.SQUARES else None
    yield from _grounds(board.cells, lambda cell: shaded if cell.shaded else usual, edge, six=False)
    # The lines of a board of lines, those of faint places apart.
    if board.ground is Ground.LINES:
        for is_faint, alike in groupby(sorted(board.cells, key=attrgetter("faint")), key=attrgetter("faint")):
            places = (_square(*cell.place) for cell in alike)
            crosses = (f"M{x - HALF} {y}h{UNIT}M{x} {y - HALF}v{UNIT}" for x, y in places)
            yield Stamp(Depth.GROUND, _path(crosses, fill="none", stroke=FAINT if is_faint else LINE))
    for cell in board.cells:
        if DOTTED[board.ground][cell.shaded]:
            x, y = _square(*cell.place)
            yield Stamp(Depth.LINES, f'<circle cx="{x}" cy="{y}" r="1.5"/>')
    (top, left), (bottom, right) = _beside(board)[-2:]
    for text, place in beside(board.columns, board.rows, (top, bottom), (left, right)):
        yield Stamp(Depth.WORDS, label(*_square(*place), text))


def _joined(board: GridBoard) -> Iterator[Stamp]:
    colours = dict(board.colours)
    for join in board.joins:
        if join.look is not Look.OPEN:
            yield Stamp(Depth.LINES, _line(join, "f" if join.look is Look.GROUND else "j"))
            # Above the line itself, which stays when another one is the last.
            if join.last:
                yield Stamp(Depth.LAST, _line(join, "l"))
    for box in board.boxes:
        x, y = _square(box.row, box.column)
        yield Stamp(Depth.LINES, _disc(x + HALF, y + HALF, RADIUS * 3 // 4, fill_of(box.owner, colours), box.owner))
    for mark in board.crossings:
        x, y = _square(mark.row, mark.column)
        yield Stamp(Depth.PIECES, _disc(x, y, RADIUS * 2 // 3, fill_of(mark.owner, colours), mark.owner))


def _line(join: Join, kind: str) -> str:
    (x, y), (to_x, to_y) = _square(*join.start), _square(*join.end)
    return f'<path class="{kind}" d="M{x} {y}L{to_x} {to_y}"/>'


def _disc(x: int, y: int, radius: int, fill: str, letter: str) -> str:
    circle = f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{INK}"/>'
    size = f' style="font-size:{radius + 2}px;fill:{text_on(fill)}"'
    return f'{circle}<text x="{x}" y="{y}" dy=".35em"{size}>{escape(letter)}</text>'


def _stones(board: GridBoard | HexBoard, at: At) -> Iterator[Stamp]:
    """The pieces, their marks, and the path of the last move."""
    colours = dict(board.colours)
    for cell in board.cells:
        x, y = at(*cell.place)
        if cell.closed and not cell.piece and isinstance(board, GridBoard):
            yield Stamp(Depth.LINES, _path((_shape(cell.place, six=False),), **{"class": "c"}))
        if cell.piece:
            yield Stamp(Depth.PIECES, f'<use href="#{_name(cell)}" x="{x}" y="{y}"/>')
        ring = _ring(cell, fill_of(cell.piece, colours))
        if ring:
            yield Stamp(Depth.LAST, f'<circle class="{ring}" cx="{x}" cy="{y}" r="{RADIUS}"/>')
    # A stone that was placed has no way.
    if len(board.path) > 1:
        way = "L".join(f"{x} {y}" for x, y in (at(*place) for place in board.path))
        yield Stamp(Depth.LINES, f'<path class="l" d="M{way}"/>')


def _ring(cell: Cell, fill: str) -> str:
    """The class of the ring around a cell; empty for none."""
    if cell.last:
        return "l" if ring_of(fill) == LAST else "y"
    return "w" if cell.winning else ""


def _name(cell: Cell) -> str:
    """The id of a piece's drawing; it has letters by number, because not all characters are allowed in an id."""
    letters = "-".join(str(ord(letter)) for letter in cell.piece)
    return f"s{letters}{cell.form.value[0]}{'f' if cell.faint else ''}"


def _piece(cell: Cell, fill: str) -> str:
    if cell.faint:
        return f'<circle r="5" fill="{faded(fill)}" stroke="{INK}" stroke-width=".5"/>'
    ink = text_on(fill)
    words = f'<text dy=".35em" style="font-size:9px;fill:{ink}">{escape(cell.piece)}</text>'
    if cell.form in (Form.ARROW, Form.WALL):
        return f'<path d="M-8-8h16v16h-16z" fill="{fill}" stroke="{INK}"/>{words}'
    inner = f'<circle r="6" fill="none" stroke="{ink}"/>' if cell.form is Form.QUEEN else ""
    return f'<circle r="{RADIUS}" fill="{fill}" stroke="{INK}"/>{inner}{words}'


WIDTH = 560
CELL_WIDTH, CELL_HEIGHT = 11, 20
"""The size of a label's letter, including the space around it."""
TARGET = "#7b1fa2"
PLANE_STYLE = (
    f".g{{stroke:{COLOURS['green']};stroke-width:1.8}}.r{{stroke:{COLOURS['red']};stroke-width:3}}"
    f".b{{stroke:{COLOURS['blue']};stroke-width:2;stroke-dasharray:10}}.o{{stroke:{LINE};stroke-width:1.5}}"
    f".q{{stroke:{FAINT};stroke-width:1.5;stroke-dasharray:4}}.h{{stroke:{LAST};stroke-opacity:.35;stroke-width:8}}"
    f".board .n{{font:bold 17px monospace;stroke:{PAPER};stroke-width:4;paint-order:stroke}}"
)
_KINDS = {Stroke.GREEN: "g", Stroke.RED: "r", Stroke.BLUE: "b", Stroke.OUTLINE: "o"}
_INKS = {"g": COLOURS["green"], "r": COLOURS["red"], "b": COLOURS["blue"], "o": LINE, "q": LINE}


def of_planes(boards: Sequence[PlaneBoard]) -> list[Markings]:
    plan = _Plan.of(boards)
    height = (plan.layout.sheet.rows + 3) * CELL_HEIGHT
    paper = Stamp(Depth.GROUND, f'<path d="M0 0h{WIDTH}v{height}h-{WIDTH}z" fill="{PAPER}"/>')
    return [Markings((0, 0, WIDTH, height), (paper, *plan.marks(board))) for board in boards]


@frozen
class _Plan:
    """The layout of everything that is ever shown, and the indices of its segments and points."""

    layout: Layout
    segments: dict[Segment, int]
    points: dict[Point, int]

    @classmethod
    def of(cls, boards: Sequence[PlaneBoard]) -> _Plan:
        segments = {_bare(segment): None for board in boards for segment in board.segments}
        points = {_place(point): None for board in boards for point in board.points}
        whole = replace(boards[-1], segments=tuple(segments), points=tuple(points))
        layout = Layout(pictured(whole, WIDTH // CELL_WIDTH - 4, CELL_WIDTH, CELL_HEIGHT))
        return cls(layout, {s: n for n, s in enumerate(segments)}, {p: n for n, p in enumerate(points)})

    def marks(self, board: PlaneBoard) -> Iterator[Stamp]:
        for segment in board.segments:
            if line := self.layout.lines[self.segments[_bare(segment)]]:
                yield from self._stroke(segment, line)
        for point in board.points:
            if self.layout.sheet.shows(point):
                yield from self._dot(point)

    def _stroke(self, segment: Segment, line: Line) -> Iterator[Stamp]:
        kind = "q" if segment.gone else _KINDS[segment.stroke]
        (x, y), (to_x, to_y) = _spot(line.start), _spot(line.end)
        way = f'd="M{x:g} {y:g}L{to_x:g} {to_y:g}"/>'
        if segment.last:
            yield Stamp(Depth.GROUND, f'<path class="h" {way}')
        yield Stamp(Depth.LINES, f'<path class="{kind}" {way}')
        if (number := self.layout.numbers.get(self.segments[_bare(segment)])) is not None:
            yield Stamp(Depth.WORDS, _words(number[0], segment.label, _INKS[kind]))

    def _dot(self, point: Point) -> Iterator[Stamp]:
        sign = self.layout.signs.get(self.points[_place(point)])
        x, y = _spot(self.layout.sheet.spot(point.x, point.y))
        radius, fill, ink = (5, TARGET, TARGET) if point.target else (3, INK, INK)
        if point.here:
            radius, fill = 8, "#ffd54f"
        # The end of a stroke needs no dot.
        if point.here or point.target or sign:
            dot = f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="{INK}"/>'
            yield Stamp(Depth.PIECES, dot)
        if sign:
            yield Stamp(Depth.WORDS, _words(sign[0], point.label, ink))


def _bare(segment: Segment) -> Segment:
    """The segment without what changes during a game."""
    return replace(segment, last=False, gone=False, name="", ends=("", ""))


def _place(point: Point) -> Point:
    return Point(point.x, point.y, point.label)


def _spot(spot: Spot) -> tuple[float, float]:
    return round((spot[1] + 1) * CELL_WIDTH, 1), round((spot[0] + 1.5) * CELL_HEIGHT, 1)


def _words(start: tuple[int, int], text: str, ink: str) -> str:
    x, y = _spot((start[0], start[1] + (len(text) - 1) / 2))
    return label(x, y, text, "n", ink)


Board = HexBoard | GridBoard | PlaneBoard
Life = tuple[int, int | None, Stamp]
"""The index of the board where a mark appears, that where it disappears or None for never, and the mark."""


def replay(boards: Sequence[Board], described: str, first: int = 0) -> str:
    """The boards of a game, at least one, as SVG. described: for readers who do not see it.

    first: the number of the first board's anchor.
    """
    drawings = _drawings(boards)
    lives = sorted(
        _lives([drawing.marks for drawing in drawings]), key=lambda life: (life[2].depth, life[0], life[1] or 0)
    )
    left, top, width, height = drawings[-1].box
    texts = {name: text for drawing in drawings for name, text in drawing.pieces.items()}
    pieces = "".join(f'<g id="{name}">{text}</g>' for name, text in sorted(texts.items()))
    rules = "".join(_rules(lives, first))
    return (
        f'<svg class="board" viewBox="{left} {top} {width} {height}" role="img" aria-label="{escape(described)}">'
        f"<style>{CELL_STYLE}{PLANE_STYLE}{rules}</style><defs>{pieces}</defs>"
        f"{''.join(_groups(lives, first))}</svg>"
    )


def _drawings(boards: Sequence[Board]) -> list[Markings]:
    if planes := [board for board in boards if isinstance(board, PlaneBoard)]:
        return of_planes(planes)
    return [of_cells(board) for board in boards if not isinstance(board, PlaneBoard)]


def _lives(frames: Sequence[Sequence[Stamp]]) -> Iterator[Life]:
    """The lives of all marks; a mark that appears again has several."""
    since: dict[Stamp, int] = {}
    for number, marks in enumerate(frames):
        present = dict.fromkeys(marks)
        for mark in [mark for mark in since if mark not in present]:
            yield since.pop(mark), number, mark
        for mark in present:
            since.setdefault(mark, number)
    yield from ((begun, None, mark) for mark, begun in since.items())


def _rules(lives: Sequence[Life], first: int) -> Iterator[str]:
    # Without a target the last position is shown, on which nothing is left that has gone.
    yield ".replay [class^=x]{display:none}"
    for number in sorted({start for start, _, _ in lives if start}):
        yield f".replay:has(:target~#p{first + number}) .a{first + number}{{display:none}}"
    for number in sorted({end for _, end, _ in lives if end}):
        yield f".replay:has(:target~#p{first + number}) .x{first + number}{{display:inline}}"


def _groups(lives: Sequence[Life], first: int) -> Iterator[str]:
    for (_, start), coming in groupby(lives, key=lambda life: (life[2].depth, life[0])):
        yield f'<g class="a{first + start}">' if start else "<g>"
        for end, going in groupby(coming, key=lambda life: life[1]):
            drawn = "".join(mark.text for _, _, mark in going)
            yield f'<g class="x{first + end}">{drawn}</g>' if end else drawn
        yield "</g>"
