"""Points and segments in the plane, drawn in characters or as a picture.

Both come from a layout on a sheet of character cells; only the picture's cells are finer. Strokes are cut off at the
window. Every label stands on its own stroke or point, never over another label; one that finds no room is left out,
and the game's lists below the board name what it belongs to. All arithmetic is exact, so that the same board looks the
same everywhere.

In characters: red strokes are `#`, blue ones `:` or, when nearly level, `=`; green ones and outlines follow their
slope. `+` is a crossing, `@` the present point, and the last move stands in (brackets).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

import drawsvg

from games.scene import PlaneBoard, Point, Segment, Stroke
from pbm.draw import runs
from pbm.draw.pieces import PLAIN, Marks
from pbm.draw.runs import Run

Place = tuple[int, int]
"""A cell of the sheet: row counted downwards, column counted to the right."""

COLUMNS = 78
MOST_ROWS = 66
HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Sheet:
    """How the window lies on the cells: its left edge is the middle of column 1, its top edge that of row 0."""

    board: PlaneBoard
    columns: int
    rows: int

    def column(self, x: Fraction | int) -> Fraction:
        """Where x lies, in columns; a whole number is the middle of one."""
        return 1 + Fraction(x * self.columns) / self.board.width

    def row(self, y: Fraction | int) -> Fraction:
        """Where y lies, in rows from the top."""
        return self.rows - Fraction(y * self.rows) / self.board.height

    def shows(self, point: Point) -> bool:
        """The point is inside the window or on its edge."""
        return 0 <= point.x <= self.board.width and 0 <= point.y <= self.board.height

    def place(self, point: Point) -> Place:
        """The cell the point falls into."""
        return floor(self.row(point.y) + HALF), floor(self.column(point.x) + HALF)


@dataclass(frozen=True, slots=True)
class Line:
    """The visible part of a segment on the sheet, ends as (row, column), exact."""

    start: tuple[Fraction, Fraction]
    end: tuple[Fraction, Fraction]

    def cells(self) -> list[tuple[Place, str]]:
        """The cells under the line, from one end to the other, each with a character of its slope."""
        (row, column), (to_row, to_column) = self.start, self.end
        if abs(to_row - row) > abs(to_column - column):
            return list(_steep(*sorted((self.start, self.end))))
        if to_column == column:
            return [((floor(row + HALF), floor(column + HALF)), ".")]
        return list(_level(*sorted((self.start, self.end), key=lambda end: end[1])))

    def meets(self, other: Line, place: Place) -> bool:
        """The lines cross inside both, within a cell of the place."""
        (a, b), (c, d) = self.start, other.start
        down, right = self.end[0] - a, self.end[1] - b
        other_down, other_right = other.end[0] - c, other.end[1] - d
        area = down * other_right - right * other_down
        if area == 0:
            return False
        along = ((c - a) * other_right - (d - b) * other_down) / area
        along_other = ((c - a) * right - (d - b) * down) / area
        if not (0 < along < 1 and 0 < along_other < 1):
            return False
        return abs(a + along * down - place[0]) <= 1 and abs(b + along * right - place[1]) <= 1


def _steep(top: tuple[Fraction, Fraction], bottom: tuple[Fraction, Fraction]) -> Iterator[tuple[Place, str]]:
    """One cell a row: bars where the line stays in its column, strokes where it changes it."""
    shift = (bottom[1] - top[1]) / (bottom[0] - top[0])
    for row in range(ceil(top[0]), floor(bottom[0]) + 1):
        middle = top[1] + (row - top[0]) * shift
        column = floor(middle + HALF)
        stays = abs(shift) < HALF and floor(middle + HALF - shift / 2) == column == floor(middle + HALF + shift / 2)
        yield (row, column), "|" if stays else "\\" if shift > 0 else "/"


def _level(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> Iterator[tuple[Place, str]]:
    """One cell a column: a character as high in its cell as the line is there."""
    drop = (right[0] - left[0]) / (right[1] - left[1])
    high = "`" if drop > 0 else "'"
    for column in range(ceil(left[1]), floor(right[1]) + 1):
        middle = left[0] + (column - left[1]) * drop
        row = floor(middle + HALF)
        low = middle - row
        if abs(drop) >= Fraction(3, 4):
            mark = "\\" if drop > 0 else "/"
        elif abs(drop) >= Fraction(3, 10):
            mark = high if low < 0 else "."
        elif abs(drop) < Fraction(1, 50):
            mark = "-"
        else:
            mark = high if low < -HALF / 2 else "-" if low < HALF / 5 else "." if low < HALF * 3 / 5 else "_"
        yield (row, column), mark


def _clipped(segment: Segment, sheet: Sheet) -> Line | None:
    """The part of the segment inside the window, None when there is none (Liang and Barsky's way)."""
    run, rise = segment.x2 - segment.x1, segment.y2 - segment.y1
    enter, leave = Fraction(0), Fraction(1)
    for speed, room in (
        (-run, segment.x1),
        (run, sheet.board.width - segment.x1),
        (-rise, segment.y1),
        (rise, sheet.board.height - segment.y1),
    ):
        if speed == 0 and room < 0:
            return None
        if speed < 0:
            enter = max(enter, Fraction(room, speed))
        elif speed > 0:
            leave = min(leave, Fraction(room, speed))
    if enter > leave:
        return None
    start, end = (
        (sheet.row(segment.y1 + part * rise), sheet.column(segment.x1 + part * run)) for part in (enter, leave)
    )
    return Line(start, end)


def _around(place: Place, length: int) -> Iterator[Place]:
    """Where a label of that length may start so that it covers the place, best first: centred, then to either side."""
    row, column = place
    for back in sorted(range(length), key=lambda back: abs(2 * back - length + 1)):
        yield row, column - back


class Layout:
    """What stands where on a sheet.

    lines, paths: for each segment its visible line and the cells under it. signs: the place of each point's sign, by
    the point's index, and its text. numbers: likewise for the segments' labels.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.segments = sheet.board.segments
        self.lines = [_clipped(segment, sheet) for segment in self.segments]
        self.paths = [line.cells() if line else [] for line in self.lines]
        self.under: dict[Place, list[int]] = {}
        for index, path in enumerate(self.paths):
            for place, _ in path:
                self.under.setdefault(place, []).append(index)
        self._taken: set[Place] = set()
        self.signs = self._place_signs()
        self.numbers = self._place_numbers()

    def _cells(self, start: Place, length: int, margin: int = 0) -> list[Place]:
        return [(start[0], start[1] + step) for step in range(-margin, length + margin)]

    def _free(self, start: Place, length: int) -> bool:
        """The cells and the one on either side hold no other label, and the sheet has them all."""
        if start[1] < 0 or start[1] + length > self.sheet.columns + 4:
            return False
        return self._taken.isdisjoint(self._cells(start, length, margin=1))

    def _covered(self, lettering: tuple[Place, str]) -> int:
        """How many segments a sign would hide."""
        start, sign = lettering
        return sum(len(self.under.get(place, ())) for place in self._cells(start, len(sign)))

    def _place_signs(self) -> dict[int, tuple[Place, str]]:
        """The present point first, then the others in the board's order."""
        points = self.sheet.board.points
        placed: dict[int, tuple[Place, str]] = {}
        inside = [index for index, point in enumerate(points) if self.sheet.shows(point)]
        for index in sorted(inside, key=lambda index: not points[index].here):
            place = self.sheet.place(points[index])
            beside = sorted(_signs_beside(points[index], place), key=self._covered)
            for start, sign in (*_signs_on(points[index], place), *beside):
                if self._free(start, len(sign)):
                    placed[index] = start, sign
                    self._taken.update(self._cells(start, len(sign)))
                    break
        return placed

    def _place_numbers(self) -> dict[int, tuple[Place, str]]:
        """Each label where it disturbs least: those with the fewest places choose first, then all may improve twice."""
        texts = {index: f"({s.label})" if s.last else s.label for index, s in enumerate(self.segments) if s.label}
        choices = {index: self._choices(index, len(text)) for index, text in texts.items()}
        placed: dict[int, tuple[Place, str]] = {}
        for index in sorted(choices, key=lambda index: (len(choices[index]), index)) * 3:
            text = texts[index]
            if index in placed:
                self._taken.difference_update(self._cells(placed.pop(index)[0], len(text)))
            best = self._best(choices[index], len(text))
            if best is not None:
                placed[index] = best, text
                self._taken.update(self._cells(best, len(text)))
        return placed

    def _choices(self, index: int, length: int) -> list[tuple[int, Place]]:
        """The places on a segment that no point's sign has taken, each with its cost, cheapest first."""
        path = [place for place, _ in self.paths[index]]
        costs: dict[Place, int] = {}
        for step, place in enumerate(path):
            off_middle = 16 * abs(2 * step + 1 - len(path)) // len(path)
            for off_centre, start in enumerate(_around(place, length)):
                if self._free(start, length):
                    cost = off_middle + 2 * off_centre + self._harm(index, start, length)
                    costs[start] = min(cost, costs.get(start, cost))
        return sorted((cost, start) for start, cost in costs.items())

    def _harm(self, index: int, start: Place, length: int) -> int:
        """How much a label hides of the other segments, or might be taken for theirs."""
        harm = 0
        for row, column in self._cells(start, length, margin=1):
            covered = start[1] <= column < start[1] + length
            harm += (24 if covered else 6) * sum(other != index for other in self.under.get((row, column), ()))
            for near in ((row - 1, column), (row + 1, column)):
                harm += 3 * sum(other != index for other in self.under.get(near, ())) + (near in self._taken)
        return harm

    def _best(self, choices: Sequence[tuple[int, Place]], length: int) -> Place | None:
        """The cheapest free place; one below or above another label costs more."""
        best: tuple[int, Place] | None = None
        for cost, start in choices:
            if best is not None and cost >= best[0]:
                break
            if self._free(start, length):
                near = (place for row in (-1, 1) for place in self._cells((start[0] + row, start[1]), length))
                total = cost + 4 * sum(place in self._taken for place in near)
                best = min(best or (total, start), (total, start))
        return best[1] if best else None

    def crossing(self, place: Place) -> bool:
        """Two of the segments under the place cross at it."""
        lines = [line for index in self.under[place] if (line := self.lines[index])]
        return any(one.meets(other, place) for one, other in combinations(lines, 2))


def _signs_on(point: Point, place: Place) -> Iterator[tuple[Place, str]]:
    """Where a point's sign may stand so that it covers the point, best first."""
    row, column = place
    label = point.label or "o"
    if not point.here:
        if point.last:
            yield (row, column - 1), f"({label})"
        yield from ((start, label) for start in _around(place, len(label)))
        return
    if point.label:
        yield place, f"@{label}"
        yield (row, column - len(label)), f"{label}@"
    yield place, "@"


def _signs_beside(point: Point, place: Place) -> Iterator[tuple[Place, str]]:
    """Where a label may stand next to its point; nowhere for a target, whose place must be exact."""
    if not point.label or point.target or point.here:
        return
    row, column = place
    for down, right in ((0, 2), (0, -1 - len(point.label)), (-1, 0), (1, 0), (-1, 2), (1, 2), (-1, -2), (1, -2)):
        yield (row + down, column + right), point.label


def _text_sheet(board: PlaneBoard) -> Sheet:
    """Whole cells a unit where the unit is coarse; half as tall again as true, so that labels find room."""
    room = COLUMNS - 4
    columns = board.width * min(6, room // board.width) or room
    wanted = Fraction(columns * 3, board.width * 4)
    step = min(ceil(wanted), max(2, MOST_ROWS // board.height))
    if wanted >= 1 and board.height * step <= 2 * MOST_ROWS:
        return Sheet(board, columns, board.height * step)
    return Sheet(board, columns, min(MOST_ROWS, max(8, ceil(wanted * board.height))))


def _stroke(segment: Segment, mark: str) -> str:
    if segment.stroke is Stroke.RED:
        return "#"
    if segment.stroke is Stroke.BLUE:
        return ":" if mark in "|/\\.'`" else "="
    return mark


def lines(board: PlaneBoard, marks: Marks = PLAIN) -> list[runs.Line]:
    """The drawing in at most COLUMNS columns, from top to bottom.

    marks: what to draw in place of an ASCII mark; labels stay as they are.
    """
    layout = Layout(_text_sheet(board))
    drawn: dict[Place, str] = {}
    for segment, path in zip(layout.segments, layout.paths, strict=True):
        for place, mark in path:
            drawn.setdefault(place, _stroke(segment, mark))
    for place, segments in layout.under.items():
        if len(segments) > 1 and layout.crossing(place):
            drawn[place] = "+"
    cells = {place: Run(marks.get(mark, mark)) for place, mark in drawn.items()}
    for index, (start, label) in layout.numbers.items():
        cells |= _labelled(start, label, layout.segments[index].name)
    for index, (start, sign) in layout.signs.items():
        cells |= _labelled(start, sign, board.points[index].name)
    return _rows(cells)


def text(board: PlaneBoard, marks: Marks = PLAIN) -> list[str]:
    return runs.plain(lines(board, marks))


def _labelled(start: Place, label: str, word: str) -> dict[Place, Run]:
    """A label in its first place; the places it covers besides are empty."""
    covered = {(start[0], start[1] + step): Run("") for step in range(len(label))}
    return covered | {start: Run(label, word)}


def _rows(cells: dict[Place, Run]) -> list[runs.Line]:
    rows: dict[int, list[int]] = {}
    for row, column in sorted(cells):
        rows.setdefault(row, []).append(column)
    blank = Run(" ")
    return [
        [cells.get((row, column), blank) for column in range(max(rows.get(row, [-1])) + 1)]
        for row in range(min(rows, default=0), max(rows, default=-1) + 1)
    ]


NICER: Marks = {"|": "│", "/": "╱", "\\": "╲", "-": "─", "#": "█", ":": "┊", "=": "┄", "+": "┼"}

CELL_WIDTH, CELL_HEIGHT = 9, 16
"""Pixels of a picture's cell; a label's letters are as wide."""

_INK = {
    Stroke.OUTLINE: ("#555555", 1.5, "none"),
    Stroke.GREEN: ("#2e8b57", 1.8, "none"),
    Stroke.RED: ("#c62828", 2.8, "none"),
    Stroke.BLUE: ("#1f4fbf", 2, "8 3"),
}
"""Colour, width in pixels and dashes of a picture's strokes."""

_FONT = "DejaVu Sans Mono, monospace"


def svg(board: PlaneBoard) -> str:
    """The drawing as an SVG document 900 pixels wide, on white; blue strokes are dashed, red ones heavy."""
    true_rows = ceil(Fraction(board.height * 96 * CELL_WIDTH, board.width * CELL_HEIGHT))
    layout = Layout(Sheet(board, 96, min(160, max(8, true_rows))))
    width, height = (layout.sheet.columns + 4) * CELL_WIDTH, (layout.sheet.rows + 4) * CELL_HEIGHT
    picture = drawsvg.Drawing(width, height)
    picture.append(drawsvg.Rectangle(0, 0, width, height, fill="white"))
    for segment, line in zip(layout.segments, layout.lines, strict=True):
        if line:
            colour, thickness, dashes = _INK[segment.stroke]
            ends = (*_pixel(*line.start), *_pixel(*line.end))
            picture.append(drawsvg.Line(*ends, stroke=colour, stroke_width=thickness, stroke_dasharray=dashes))
    for index, (start, label) in layout.numbers.items():
        picture.extend(_lettering(start, label, _INK[layout.segments[index].stroke][0]))
    for index, (start, sign) in layout.signs.items():
        picture.extend(_mark(layout.sheet, board.points[index], start, sign))
    return str(picture.as_svg())


def _pixel(row: Fraction | int, column: Fraction | int) -> tuple[float, float]:
    """Where the middle of a cell lies in the picture: (x, y)."""
    return round(float(column + 1) * CELL_WIDTH, 1), round(float(row + 2) * CELL_HEIGHT, 1)


def _lettering(start: Place, label: str, ink: str) -> list[drawsvg.DrawingElement]:
    """A label whose first letter has that cell, on white, which keeps the strokes away from it."""
    x, y = _pixel(start[0], start[1] + Fraction(len(label) - 1, 2))
    half = len(label) * CELL_WIDTH / 2
    ground = drawsvg.Rectangle(x - half, y - 7, 2 * half, 14, fill="white", fill_opacity=0.8)
    # The baseline is set by hand: many mail clients' renderers ignore dominant-baseline.
    letters = drawsvg.Text(label, 14, x, y + 5, fill=ink, font_family=_FONT, font_weight="bold", text_anchor="middle")
    return [ground, letters]


def _mark(sheet: Sheet, point: Point, start: Place, sign: str) -> list[drawsvg.DrawingElement]:
    """A point's sign; a ring around the present point, a dot where the sign stands beside the point."""
    x, y = _pixel(sheet.row(point.y), sheet.column(point.x))
    if point.here:
        ring = drawsvg.Circle(x, y, 8, fill="#ffd54f", stroke="black", stroke_width=2)
        letter = drawsvg.Text(point.label, 13, x, y + 4.5, fill="black", font_family=_FONT, text_anchor="middle")
        return [ring, letter]
    row, column = sheet.place(point)
    covered = row == start[0] and start[1] <= column < start[1] + len(sign)
    dot = [] if covered else [drawsvg.Circle(x, y, 2.5, fill="black")]
    return dot + _lettering(start, sign, "#7b1fa2" if point.target else "black")
