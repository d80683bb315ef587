"""Boards in the plane as marks, laid out once for the whole game, so that no label moves from ply to ply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from games.scene import PlaneBoard, Point, Segment, Stroke
from pbm.draw.brush import COLOURS, FAINT, INK, LAST, LINE, PAPER
from pbm.draw.layout import Layout, Line, Sheet, Spot
from pbm.draw.marks import Depth, Mark, Markings, label

WIDTH = 560
CELL_WIDTH, CELL_HEIGHT = 11, 20
"""Of a label's letter, with what is around it."""
TALLEST = 3
"""A board is shown at most so many times as high as it is wide."""
TARGET = "#7b1fa2"
STYLE = (
    f".g{{stroke:{COLOURS['green']};stroke-width:1.8}}.r{{stroke:{COLOURS['red']};stroke-width:3}}"
    f".b{{stroke:{COLOURS['blue']};stroke-width:2;stroke-dasharray:10}}.o{{stroke:{LINE};stroke-width:1.5}}"
    f".q{{stroke:{FAINT};stroke-width:1.5;stroke-dasharray:4}}.h{{stroke:{LAST};stroke-opacity:.35;stroke-width:8}}"
    f".board .n{{font:bold 17px monospace;stroke:{PAPER};stroke-width:4;paint-order:stroke}}"
)
_KINDS = {Stroke.GREEN: "g", Stroke.RED: "r", Stroke.BLUE: "b", Stroke.OUTLINE: "o"}
_INKS = {"g": COLOURS["green"], "r": COLOURS["red"], "b": COLOURS["blue"], "o": LINE, "q": LINE}


def drawings(boards: Sequence[PlaneBoard]) -> list[Markings]:
    plan = _Plan.of(boards)
    height = (plan.layout.sheet.rows + 3) * CELL_HEIGHT
    paper = Mark(Depth.GROUND, f'<path d="M0 0h{WIDTH}v{height}h-{WIDTH}z" fill="{PAPER}"/>')
    return [Markings((0, 0, WIDTH, height), (paper, *plan.marks(board))) for board in boards]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The layout of all that is ever seen, and where in it a segment and a point are found."""

    layout: Layout
    segments: dict[Segment, int]
    points: dict[Point, int]

    @classmethod
    def of(cls, boards: Sequence[PlaneBoard]) -> _Plan:
        segments = {_bare(segment): None for board in boards for segment in board.segments}
        points = {_place(point): None for board in boards for point in board.points}
        whole = replace(boards[-1], segments=tuple(segments), points=tuple(points))
        columns = WIDTH // CELL_WIDTH - 4
        rows = max(3, columns * CELL_WIDTH * whole.height // (whole.width * CELL_HEIGHT))
        layout = Layout(Sheet(whole, columns, min(rows, columns * TALLEST), beside=True))
        return cls(layout, {s: n for n, s in enumerate(segments)}, {p: n for n, p in enumerate(points)})

    def marks(self, board: PlaneBoard) -> Iterator[Mark]:
        for segment in board.segments:
            if line := self.layout.lines[self.segments[_bare(segment)]]:
                yield from self._stroke(segment, line)
        for point in board.points:
            if self.layout.sheet.shows(point):
                yield from self._dot(point)

    def _stroke(self, segment: Segment, line: Line) -> Iterator[Mark]:
        kind = "q" if segment.gone else _KINDS[segment.stroke]
        (x, y), (to_x, to_y) = _spot(line.start), _spot(line.end)
        way = f'd="M{x:g} {y:g}L{to_x:g} {to_y:g}"/>'
        if segment.last:
            yield Mark(Depth.GROUND, f'<path class="h" {way}')
        yield Mark(Depth.LINES, f'<path class="{kind}" {way}')
        if (number := self.layout.numbers.get(self.segments[_bare(segment)])) is not None:
            yield Mark(Depth.WORDS, _words(number[0], segment.label, _INKS[kind]))

    def _dot(self, point: Point) -> Iterator[Mark]:
        sign = self.layout.signs.get(self.points[_place(point)])
        x, y = _spot(self.layout.sheet.spot(point.x, point.y))
        radius = 8 if point.here else 5 if point.target else 3
        fill = "#ffd54f" if point.here else TARGET if point.target else INK
        if point.here or point.target or sign:
            dot = f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="{INK}"/>'
            yield Mark(Depth.PIECES, dot)
        if sign:
            yield Mark(Depth.WORDS, _words(sign[0], point.label, TARGET if point.target else INK))


def _bare(segment: Segment) -> Segment:
    """What stays of it whatever happens to it."""
    return replace(segment, last=False, gone=False, name="", ends=("", ""))


def _place(point: Point) -> Point:
    return Point(point.x, point.y, point.label)


def _spot(spot: Spot) -> tuple[float, float]:
    return round((spot[1] + 1) * CELL_WIDTH, 1), round((spot[0] + 1.5) * CELL_HEIGHT, 1)


def _words(start: tuple[int, int], text: str, ink: str) -> str:
    x, y = _spot((start[0], start[1] + (len(text) - 1) / 2))
    return label(x, y, text, "n", ink)
