"""The layout of a plane board's lines, points and labels on a sheet of cells, for characters and for pictures.

Segments are clipped at the window. A label is placed at its own stroke or point, never over another label; a label
without room is left out, and listed in `lost`. The work is bounded by the number of segments times the size of the
sheet: each label tries few places, and a place knows only how many segments it holds.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, floor

from games.scene import PlaneBoard, Point, Segment
from pbm.values import frozen

Place = tuple[int, int]
"""A cell of the sheet: row counted downwards, column counted to the right."""

Lettering = tuple[Place, str]
"""The place of a label's first letter, and the label."""

Choice = tuple[int, Place]
"""The cost of a place for a label, and where it begins."""

Spot = tuple[float, float]
"""A Place in fractions of cells; whole numbers are the centres of cells."""

TRIED = 12  # fewer if there are many strokes, to bound the work
"""How many places on a stroke are tried for its label."""
MEETING = 4
"""How many segments of a cell are checked for crossings."""
BESIDE = 200
"""From this harm on, a label is better placed beside its stroke."""
PAD = 16
"""How many columns a label may extend beyond either edge of a sheet."""
ON = ((0, 0, 0),)
ASIDE = (*ON, (-1, 0, 0), (1, 0, 0), (0, -1, -1), (0, 1, 1))
"""Offsets for a label beside its stroke: rows down; half label lengths, and columns, to the right."""
MANY = 80  # beside its stroke a label could not be matched to it
"""With more segments, labels are only on their strokes."""
HARD = 55
"""From this harm per character on, a label is hard to find among the strokes around it."""
MOST_LOST = 60  # beyond that, enlarging a part of the board does not help
ENLARGED = 3
"""How many times the most crowded part of a board is enlarged."""
TALLEST = 3
"""The largest ratio of the height of a board in a picture to its width."""


@frozen
class Sheet:
    """How the window is mapped to cells: its left edge is the centre of column 1, its top edge that of row 0."""

    board: PlaneBoard
    columns: int
    rows: int
    beside: bool = False
    """Signs are beside their points, which have dots, and labels may be beside their strokes, which have colours."""

    def spot(self, x: int, y: int, scale: int = 1) -> Spot:
        """The spot of a point. scale: the factor in x and y, for points between those of the board's grid."""
        down = y * self.rows / (self.board.height * scale)
        return self.rows - down, 1 + x * self.columns / (self.board.width * scale)

    def shows(self, point: Point) -> bool:
        """Whether the point is inside the window or on its edge."""
        return 0 <= point.x <= self.board.width and 0 <= point.y <= self.board.height

    def place(self, point: Point) -> Place:
        """The cell of the point."""
        return _nearest(self.spot(point.x, point.y))


def pictured(board: PlaneBoard, columns: int, width: int, height: int) -> Sheet:
    """The sheet of a picture with so many columns. width, height: of a cell, in pixels."""
    rows = max(3, columns * width * board.height // (board.width * height))
    return Sheet(board, columns, min(rows, columns * TALLEST), beside=True)


def _run(start: Place, length: int, margin: int = 0) -> list[Place]:
    """The cells of a label. margin: how many on both sides belong to it, too."""
    return [(start[0], column) for column in range(start[1] - margin, start[1] + length + margin)]


def _nearest(spot: Spot) -> Place:
    return floor(spot[0] + 0.5), floor(spot[1] + 0.5)


@frozen
class Line:
    """The visible part of a segment on the sheet."""

    start: Spot
    end: Spot

    def cells(self) -> list[tuple[Place, str]]:
        """The cells under the line, from one end to the other, each with a character of its slope."""
        (row, column), (to_row, to_column) = self.start, self.end
        # A character for each row or for each column, whichever are more, so that the line has no gaps.
        if abs(to_row - row) > abs(to_column - column):
            return list(_steep(*sorted((self.start, self.end))))
        # It is hardly more than a point.
        if to_column == column:
            return [(_nearest(self.start), ".")]
        return list(_level(*sorted((self.start, self.end), key=lambda end: end[1])))

    def meets(self, other: Line, place: Place) -> bool:
        """Whether the lines cross, not at an end, within a cell of the place."""
        (a, b), (c, d) = self.start, other.start
        down, right = self.end[0] - a, self.end[1] - b
        other_down, other_right = other.end[0] - c, other.end[1] - d
        area = down * other_right - right * other_down
        # Parallel lines, as far as their rounded ends tell; only a drawing depends on it.
        if abs(area) < 1e-9:
            return False
        along = ((c - a) * other_right - (d - b) * other_down) / area
        along_other = ((c - a) * right - (d - b) * down) / area
        if not (1e-9 < along < 1 - 1e-9 and 1e-9 < along_other < 1 - 1e-9):
            return False
        return abs(a + along * down - place[0]) <= 1 and abs(b + along * right - place[1]) <= 1


def _steep(top: Spot, bottom: Spot) -> Iterator[tuple[Place, str]]:
    """One cell per row: a bar if the line stays in its column, otherwise a slash."""
    shift = (bottom[1] - top[1]) / (bottom[0] - top[0])
    stroke = "\\" if shift > 0 else "/"
    for row in range(ceil(top[0]), floor(bottom[0]) + 1):
        middle = top[1] + (row - top[0]) * shift + 0.5
        column = floor(middle)
        stays = abs(shift) < 0.5 and floor(middle - shift / 2) == column == floor(middle + shift / 2)
        yield (row, column), "|" if stays else stroke


def _level(left: Spot, right: Spot) -> Iterator[tuple[Place, str]]:
    """One cell per column: a character as high in its cell as the line."""
    drop = (right[0] - left[0]) / (right[1] - left[1])
    for column in range(ceil(left[1]), floor(right[1]) + 1):
        middle = left[0] + (column - left[1]) * drop
        row = floor(middle + 0.5)
        yield (row, column), _slope(drop, middle - row)


def _slope(drop: float, low: float) -> str:
    """The character for a line. drop: rows per column. low: how far below the centre of the cell the line is."""
    if abs(drop) >= 0.75:
        return "\\" if drop > 0 else "/"
    # A nearly level line stands at some height in its cell, which these characters tell.
    high = "`" if drop > 0 else "'"
    if abs(drop) >= 0.3:
        return high if low < 0 else "."
    if abs(drop) < 0.02:
        return "-"
    return (high, "-", ".", "_")[bisect(_LOWER, low)]


_LOWER = (-0.25, 0.1, 0.3)
"""How far below the centre of its cell a level line is at the least to be shown by the next lower character."""


def _clipped(segment: Segment, sheet: Sheet) -> Line | None:
    """The part of the segment inside the window; None if it is at most a point. By the method of Liang and Barsky."""
    width, height = sheet.board.width, sheet.board.height
    ends = ((segment.x1, segment.y1), (segment.x2, segment.y2))
    # Mostly so, and exact fractions are slow.
    if all(0 <= x <= width and 0 <= y <= height for x, y in ends):
        return Line(sheet.spot(*ends[0]), sheet.spot(*ends[1]))
    run, rise = segment.x2 - segment.x1, segment.y2 - segment.y1
    enter, leave = Fraction(0), Fraction(1)
    for speed, room in (
        (-run, segment.x1),
        (run, width - segment.x1),
        (-rise, segment.y1),
        (rise, height - segment.y1),
    ):
        if room < min(0, speed):
            return None  # on this side all of it is outside
        if speed < 0:
            enter = max(enter, Fraction(room, speed))
        elif speed > 0:
            leave = min(leave, Fraction(room, speed))
    if enter >= leave:
        return None
    (top, left), (bottom, right) = (
        sheet.spot(
            segment.x1 * part.denominator + part.numerator * run,
            segment.y1 * part.denominator + part.numerator * rise,
            part.denominator,
        )
        for part in (enter, leave)
    )
    return Line((top, left), (bottom, right))


class Layout:
    """The places of everything on a sheet. whole: the layout of a larger board, from which labels keep their places.

    lines, paths: each segment's visible line, and the cells under it. signs: the place and text of each point's sign,
    by the point's index. numbers: the same for the segments' labels. under: the segments in each cell.
    """

    def __init__(self, sheet: Sheet, whole: Layout | None = None) -> None:
        self.sheet = sheet
        self.segments = sheet.board.segments
        if whole is None:
            self.lines = [_clipped(segment, sheet) for segment in self.segments]
            self.paths = [line.cells() if line else [] for line in self.lines]
        else:
            # A number that jumped from ply to ply would be taken for another edge's.
            places = {segment.label: index for index, segment in enumerate(whole.segments)}
            self.lines = [whole.lines[places[segment.label]] for segment in self.segments]
            self.paths = [whole.paths[places[segment.label]] for segment in self.segments]
        self.under: dict[Place, list[int]] = {}
        for index, path in enumerate(self.paths):
            for place, _ in path:
                self.under.setdefault(place, []).append(index)
        self._nothing = [0] * (sheet.columns + 2 * PAD)
        self._crowd = self._sums()
        self._taken: set[Place] = set()
        if whole is None:
            self.signs = self._place_signs()
            self.numbers = self._place_numbers()
        else:
            self.signs = _kept(whole.signs, whole.sheet.board.points, sheet.board.points)
            self.numbers = _kept(whole.numbers, whole.segments, self.segments)

    @property
    def lost(self) -> list[Place]:
        """Where labels are left out or hard to find, and where points are too close together to tell apart."""
        board = self.sheet.board
        places = {index: self.sheet.place(point) for index, point in enumerate(board.points) if self.sheet.shows(point)}
        hard = (start for start, text in self.numbers.values() if self._harm(start, len(text)) > HARD * len(text))
        return [*self._unlabelled(places), *hard, *self._too_close(places)]

    def _unlabelled(self, places: Mapping[int, Place]) -> Iterator[Place]:
        """Where points and segments are whose labels found no room. places: of the points shown, by index."""
        points = self.sheet.board.points
        yield from (place for index, place in places.items() if points[index].label and index not in self.signs)
        for index, path in enumerate(self.paths):
            if path and self.segments[index].label and index not in self.numbers:
                yield path[len(path) // 2][0]

    def _too_close(self, places: Mapping[int, Place]) -> Iterator[Place]:
        """Where points are too close together to be told apart at a glance. places: of the points shown, by index."""
        points = self.sheet.board.points
        # Rows down and columns to the right; a row of a picture is high enough for a point and its label.
        around = [(0, 1)]
        if not self.sheet.beside:
            around = [(0, right) for right in range(1, 4)] + [(1, right) for right in range(-3, 4)]
        spots = {place: (points[index].x, points[index].y) for index, place in places.items()}
        for (row, column), spot in spots.items():
            if any(spots.get((row + down, column + right), spot) != spot for down, right in around):
                yield row, column

    def off_middle(self, index: int) -> float:
        """How far right of its cell's centre a point is, in columns."""
        point = self.sheet.board.points[index]
        return self.sheet.spot(point.x, point.y)[1] - self.sheet.place(point)[1]

    def crossings(self) -> Iterator[Place]:
        """The cells in which two segments cross."""
        for place, segments in self.under.items():
            some = [line for index in segments[:MEETING] if (line := self.lines[index])]
            if len(some) > 1 and any(one.meets(other, place) for one, other in pairwise([*some, some[0]])):
                yield place

    def _free(self, start: Place, length: int) -> bool:
        """Whether the cells are on the sheet and hold no label; in text, nor do the cells on either side."""
        # In characters two labels beside each other would be read as one.
        margin = 0 if self.sheet.beside else 1
        is_inside = 0 <= start[1] <= self.sheet.columns + 4 - length
        return is_inside and self._taken.isdisjoint(_run(start, length, margin))

    def _covered(self, lettering: Lettering) -> int:
        """How many segments a sign would hide."""
        (row, column), sign = lettering
        sums = self._crowd.get(row, self._nothing)
        return sums[column + len(sign) + PAD] - sums[column + PAD]

    def _place_signs(self) -> dict[int, Lettering]:
        """The current point's sign first, then the others in the board's order; two touch only if there is no room."""
        points, sheet = self.sheet.board.points, self.sheet
        placed: dict[int, Lettering] = {}
        adjoining: set[Place] = set()
        inside = [index for index, point in enumerate(points) if sheet.shows(point)]
        # No label may hide the dot of another point.
        if sheet.beside:
            for index in inside:
                self._taken.add(sheet.place(points[index]))
        for index in sorted(inside, key=lambda index: not points[index].here):
            place = sheet.place(points[index])
            on = [] if sheet.beside else list(_signs_on(points[index], place))
            beside = sorted(_signs_beside(points[index], place, everywhere=sheet.beside), key=self._covered)
            free = [(start, sign) for start, sign in (*on, *beside) if self._free(start, len(sign))]
            if free:
                apart = ((start, sign) for start, sign in free if adjoining.isdisjoint(_run(start, len(sign))))
                start, sign = placed[index] = next(apart, free[0])
                self._taken.update(_run(start, len(sign)))
                adjoining |= {(start[0], start[1] - 1), (start[0], start[1] + len(sign))}
        return placed

    def _place_numbers(self) -> dict[int, Lettering]:
        """Each label where it does the least harm: those with the fewest places choose first, then all may improve."""
        texts = {
            index: f"({s.label})" if s.last else s.label
            for index, s in enumerate(self.segments)
            if s.label and self.paths[index]
        }
        choices = {index: self._choices(index, len(text)) for index, text in texts.items()}
        more: dict[int, list[Choice]] = {}
        placed: dict[int, Lettering] = {}
        for index in sorted(choices, key=lambda index: (len(choices[index]), index)) * 2:
            text = texts[index]
            # The second time its own place is free for it, too.
            if index in placed:
                self._taken.difference_update(_run(placed.pop(index)[0], len(text)))
            best = self._first_free(choices[index], len(text), BESIDE)
            # Beside its stroke only if there is no good place on it.
            if best is None:
                more[index] = more.get(index) or self._choices(index, len(text), everywhere=True)
                best = self._first_free(more[index], len(text))
            if best is not None:
                placed[index] = best, text
                self._taken.update(_run(best, len(text)))
        return placed

    def _first_free(self, choices: Sequence[Choice], length: int, most: int = 10**9) -> Place | None:
        """The first place that is free. most: the highest cost allowed."""
        return next((start for cost, start in choices if cost <= most and self._free(start, length)), None)

    def _choices(self, index: int, length: int, *, everywhere: bool = False) -> list[Choice]:
        """Some places on a segment not taken by a point's sign, with their costs, the cheapest first.

        everywhere: also beside it, if the sheet allows that.
        """
        path = [place for place, _ in self.paths[index]]
        # Few places of a long stroke, and fewer of many strokes, so that the work is bounded.
        every = max(1, len(path) * max(len(self.segments), MANY) // (TRIED * MANY))
        offs = ASIDE if everywhere and self.sheet.beside and len(self.segments) <= MANY else ON
        costs = {}
        for step in range(len(path) // 2 % every, len(path), every):
            off_middle = 16 * abs(2 * step + 1 - len(path)) // len(path)
            row, column = path[step]
            for down, halves, right in offs:
                start = row + down, column - length // 2 + halves * (length + 1) // 2 + right
                if self._free(start, length):
                    costs[start] = BESIDE * bool(down or right) + off_middle + self._harm(start, length)
        return sorted((cost, start) for start, cost in costs.items())

    def _harm(self, start: Place, length: int) -> int:
        """How much a label covers or could seem to belong to; its own segment counts the same at every place."""
        row, left, right = start[0], start[1] - 1 + PAD, start[1] + length + 1 + PAD
        crowd, nothing = self._crowd.get, self._nothing
        above, here, below = crowd(row - 1, nothing), crowd(row, nothing), crowd(row + 1, nothing)
        covered, near = here[right - 1] - here[left + 1], here[right] - here[left]
        return 18 * covered + 6 * near + 3 * (above[right] - above[left] + below[right] - below[left])

    def _sums(self) -> dict[int, list[int]]:
        """For each row and column + PAD, how many times segments occur in the places to its left."""
        rows: dict[int, list[int]] = {}
        for (row, column), segments in self.under.items():
            rows.setdefault(row, self._nothing.copy())[max(0, column) + 1 + PAD] += len(segments)
        return {row: list(accumulate(counts)) for row, counts in rows.items()}


def _kept(
    placed: Mapping[int, Lettering], whole: Sequence[Point | Segment], some: Sequence[Point | Segment]
) -> dict[int, Lettering]:
    """The placed labels of the whole, for those that `some` has, by their indices there."""
    places = {whole[index].label: lettering for index, lettering in placed.items()}
    return {index: places[item.label] for index, item in enumerate(some) if item.label in places}


def _signs_on(point: Point, place: Place) -> Iterator[tuple[Place, str]]:
    """Where a point's sign may be so that it covers the point, the best first."""
    row, column = place
    label = point.label or "o"
    if not point.here:
        if point.last:
            yield (row, column - 1), f"({label})"
        for back in sorted(range(len(label)), key=lambda back: abs(2 * back - len(label) + 1)):
            yield (row, column - back), label
        return
    if point.label:
        yield place, f"@{label}"
        yield (row, column - len(label)), f"{label}@"
    yield place, "@"


def _signs_beside(point: Point, place: Place, *, everywhere: bool) -> Iterator[tuple[Place, str]]:
    """Where a label may be next to its point; nowhere for a target, whose place must be exact, unless everywhere."""
    if not point.label or (not everywhere and (point.target or point.here)):
        return
    (row, column), length = place, len(point.label)
    gap = 1 if everywhere else 2
    for down, right in ((0, gap), (0, 1 - gap - length), (-1, 0), (1, 0), (-1, gap), (1, gap), (-1, -2), (1, -2)):
        yield (row + down, column + right), point.label


@frozen
class Excerpt:
    """A part of a board, and where its lower left corner is on the board."""

    board: PlaneBoard
    left: int
    low: int


def most_crowded(layout: Layout) -> Excerpt | None:
    """The window in which most labels are lost; None if there are none, or too many."""
    sheet, lost = layout.sheet, layout.lost
    if not 0 < len(lost) <= MOST_LOST:
        return None
    board = sheet.board
    width, height = max(1, board.width // ENLARGED), max(1, min(board.height, board.width) // ENLARGED)
    reach = sheet.rows * height / board.height / 2, sheet.columns / ENLARGED / 2

    def inside(middle: Place) -> int:
        return sum(abs(row - middle[0]) <= reach[0] and abs(at - middle[1]) <= reach[1] for row, at in lost)

    # The place decides among equals, so that the picture is the same each time.
    row, column = max(lost, key=lambda place: (inside(place), place))
    left = min(max(0, (column - 1) * board.width // sheet.columns - width // 2), board.width - width)
    low = min(max(0, (sheet.rows - row) * board.height // sheet.rows - height // 2), board.height - height)
    start = board.start and _cut(board.start, left, low, width, height)
    return Excerpt(replace(_cut(board, left, low, width, height), start=start), left, low)


def _cut(board: PlaneBoard, left: int, low: int, width: int, height: int) -> PlaneBoard:
    """The part of a board that a window shows."""
    right, top = left + width, low + height
    points = tuple(
        replace(point, x=point.x - left, y=point.y - low)
        for point in board.points
        if left <= point.x <= right and low <= point.y <= top
    )
    segments = tuple(
        replace(line, x1=line.x1 - left, y1=line.y1 - low, x2=line.x2 - left, y2=line.y2 - low)
        for line in board.segments
        # A segment with both ends outside may still cross the window.
        if min(line.x1, line.x2) <= right
        and max(line.x1, line.x2) >= left
        and min(line.y1, line.y2) <= top
        and max(line.y1, line.y2) >= low
    )
    return PlaneBoard(width, height, points, segments)
