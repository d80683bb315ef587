"""Segments drawn from point to point inside a convex polygon: what crosses what, decided exactly and fast.

A point is a vertex with integer coordinates or the crossing of two segments, so all points are rational, and their
numbers grow with their weight, which is bounded. Every question is tried with balls first (a midpoint and a certified
radius, by python-flint or else by `games.balls`): a ball that does not contain zero proves a sign. What balls of three
precisions leave open is decided by integers in homogeneous coordinates, so rounding never decides anything. A Drawing
is immutable, and shares its points and segments, including what is known about them, with the drawings made from it.

The polygon itself has integer corners, made from sides and a seed by integer arithmetic only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations, count
from math import gcd
from operator import itemgetter
from typing import Any

from games.points import BELOW_ZERO, LABELLED, POINT, unlisted, with_good_numbers
from games.rules import OptionError, quoted

numbers: Any = import_module("flint" if find_spec("flint") else "games.balls")
# Both decide alike.

MAX_WEIGHT = 1 << 16
"""The weight of the heaviest point that a player may go to.

A vertex weighs 1, and a crossing as much as the four ends of its two segments together. A point's homogeneous
coordinates, computed without cancelling, have at most 16 bits per unit of its weight: the lengths of two points add up
in the line through them, and those of two lines in their common point.
"""

CHEAP_BITS = 1 << 14  # up to this it is fast
"""Up to this length common factors are removed; longer numbers stay as they are."""

FIRST_PRECISION = 128  # it only affects speed
"""Bits of the first balls. A drawing that needs more raises it for itself."""

Place = int | tuple[int, int]
"""A vertex, counted from 0, or the crossing of two segments, by their plies, the smaller first."""

Ball = Any
Triple = tuple[Any, Any, Any]
"""Homogeneous integers: (x, y, w) with w > 0 for a point, (a, b, c) for a line. Long ones may have a common factor."""


def _cross(one: Triple, two: Triple) -> Triple:
    """The line through two points, or the common point of two lines; may have a common factor."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def _dot(one: Triple, two: Triple) -> Any:
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2]


def _common(one: Any, two: Any, three: Any) -> Any:
    """The greatest common divisor, by flint if the numbers are its own."""
    return gcd(one, two, three) if isinstance(one, int) else three.gcd(two).gcd(one)


def _lowest(triple: Triple) -> Triple:
    """The triple without its common factor, if the numbers are short enough."""
    if triple[2].bit_length() > CHEAP_BITS:
        return triple
    factor = _common(*triple)
    return triple[0] // factor, triple[1] // factor, triple[2] // factor


class Vertex:
    """A vertex of the polygon."""

    weight = 1

    def __init__(self, x: int, y: int) -> None:
        self.exact: Triple = (numbers.fmpz(x), numbers.fmpz(y), numbers.fmpz(1))
        self._ball = (numbers.arb(x), numbers.arb(y))

    def ball(self, precision: int) -> tuple[Ball, Ball]:
        return self._ball


class Intersection:
    """The point where two segments cross. weight: see MAX_WEIGHT."""

    def __init__(self, one: Chord, two: Chord) -> None:
        self.lines = (one, two)
        self.weight: int = one.weight + two.weight
        self._balls: dict[int, tuple[Ball, Ball]] = {}

    def ball(self, precision: int) -> tuple[Ball, Ball]:
        if (ball := self._balls.get(precision)) is None:
            one, two = self.lines
            x, y, dx, dy = two.ball(precision)
            share = one.share(two, precision)
            ball = self._balls[precision] = (x + share * dx, y + share * dy)
        return ball

    @cached_property
    def exact(self) -> Triple:
        """In a long game the segments' exact values must be computed before, or recursion gets too deep."""
        x, y, w = _lowest(_cross(self.lines[0].exact, self.lines[1].exact))
        return (x, y, w) if w > 0 else (-x, -y, -w)


Point = Vertex | Intersection


class Chord:
    """A drawn segment, and its line. weight: the sum of its ends' weights."""

    def __init__(self, start: Point, end: Point) -> None:
        self.start, self.end = start, end
        self.weight: int = start.weight + end.weight
        self._balls: dict[int, tuple[Ball, Ball, Ball, Ball]] = {}

    def ball(self, precision: int) -> tuple[Ball, Ball, Ball, Ball]:
        """The start, and the vector from there to the end: x, y, dx, dy."""
        if (ball := self._balls.get(precision)) is None:
            (x, y), (to_x, to_y) = self.start.ball(precision), self.end.ball(precision)
            ball = self._balls[precision] = (x, y, to_x - x, to_y - y)
        return ball

    @cached_property
    def exact(self) -> Triple:
        """The line, positive on points to its left. As with Intersection, earlier segments must be computed before."""
        return _lowest(_cross(self.start.exact, self.end.exact))

    @property
    def settled(self) -> bool:
        """Whether the exact value has been computed."""
        return "exact" in self.__dict__

    def side(self, point: Point, precision: int) -> Ball:
        """Positive if the point is to the left of the line, negative if to the right."""
        x, y, dx, dy = self.ball(precision)
        to_x, to_y = point.ball(precision)
        return dx * (to_y - y) - dy * (to_x - x)

    def share(self, other: Chord, precision: int) -> Ball:
        """Where the line meets the other segment: 0 at its start, 1 at its end; not finite if balls are too wide."""
        start = self.side(other.start, precision)
        return start / (start - self.side(other.end, precision))


def rests_on(point: Point) -> tuple[Chord, ...]:
    """The two segments of a crossing; none for a vertex."""
    return point.lines if isinstance(point, Intersection) else ()


def settle(wanted: Iterable[Chord]) -> None:
    """Computes the exact values of segments after those of all they rest on, because recursion would get too deep."""
    waiting = list(wanted)
    while waiting:
        points = waiting[-1].start, waiting[-1].end
        if missing := [line for point in points for line in rests_on(point) if not line.settled]:
            waiting += missing
        else:
            waiting.pop().exact  # noqa: B018  cached


class Geometer:
    """Exact answers about the points and segments of one drawing. segments: in the order of drawing.

    precision: of the balls tried first; it grows if a question needed more. Questions change the working precision of
    balls, which the caller must restore.
    """

    def __init__(self, segments: Sequence[Chord], precision: int) -> None:
        self.segments = segments
        self.precision = precision
        self._prepare(precision)

    def _prepare(self, precision: int) -> None:
        """Computes all balls in the order of drawing: each rests on earlier ones, and recursion would get too deep."""
        numbers.ctx.prec = precision
        for segment in self.segments:
            segment.ball(precision)

    def _precisions(self) -> Iterator[int]:
        """The precisions to try in turn."""
        first = self.precision
        numbers.ctx.prec = first
        yield first
        for precision in (4 * first, 16 * first):
            self._prepare(precision)
            yield precision

    def sign(self, segment: Chord, point: Point) -> int:
        """1 if the point is to the left of the segment's line, -1 if to the right, 0 if on it."""
        for precision in self._precisions():
            side = segment.side(point, precision)
            # A ball that contains zero is neither.
            if side > 0 or side < 0:
                self.precision = precision
                return 1 if side > 0 else -1
        settle((segment, *rests_on(point)))
        exact = _dot(segment.exact, point.exact)
        return int(exact > 0) - int(exact < 0)

    def concurrent(self, new: Chord, one: Chord, two: Chord) -> bool:
        """Whether two segments that cross the new one do so in the same point."""
        for precision in self._precisions():
            if not _bounded(one.share(new, precision)).overlaps(_bounded(two.share(new, precision))):
                self.precision = precision
                return False
        settle((new, one, two))
        return bool(_dot(new.exact, _cross(one.exact, two.exact)) == 0)

    def crowds(self, new: Chord, crossed: Mapping[int, Chord]) -> Iterator[tuple[int, int]]:
        """The pairs, by ply, of segments that cross the new one in the same point. crossed: those crossed, by ply."""
        numbers.ctx.prec = self.precision
        shares = ((_bounded(segment.share(new, self.precision)), ply) for ply, segment in crossed.items())
        near: list[int] = []
        reach = numbers.arb(-1)
        for low, high, ply in sorted(((share.lower(), share.upper(), ply) for share, ply in shares), key=itemgetter(0)):
            # In the order of their lower ends, all before are behind this one, and behind those to come.
            if low > reach:
                near.clear()
            for other in near:
                if self.concurrent(new, crossed[ply], crossed[other]):
                    yield min(ply, other), max(ply, other)
            near.append(ply)
            reach = max(reach, high)

    def holds(self, segment: Chord, other: Chord) -> bool:
        """Whether the segment contains the point where the other's line meets its line; the lines are not parallel."""
        return self.sign(other, segment.start) * self.sign(other, segment.end) <= 0

    def floor(self, point: Point, factor: int) -> tuple[int, int]:
        """The coordinates times the factor, rounded down; a whole number may come out as its neighbour."""
        # For drawing only, which need not wait for exact values, as these may be long.
        if isinstance(point, Vertex):
            return int(point.exact[0] * factor), int(point.exact[1] * factor)
        for precision in self._precisions():
            scaled = [part * factor for part in point.ball(precision)]
            if all(part.floor().unique_fmpz() is not None for part in scaled):
                break
        x, y = map(_floor, scaled)
        return x, y


def _floor(ball: Ball) -> int:
    """The ball rounded down, or a whole number that it contains."""
    surely = ball.floor().unique_fmpz()
    return int((ball.mid() + numbers.arb(0.5)).floor().unique_fmpz() if surely is None else surely)


def _bounded(share: Ball) -> Ball:
    """The share, or the whole segment if the ball is not finite."""
    return share if share.is_finite() else numbers.arb(0.5, 0.5)


class Drawing:
    """A polygon and the segments drawn in it, each from the end of the one before. Immutable.

    places, points: where the first segment starts, then where each one ends, by name and as points.
    here: the plies of the segments that contain the current point. rows: for each segment the plies of the earlier ones
    that it crosses inside both. closed: crossings that are not targets, because a segment ends or a third one passes
    there. touching: the plies of the segments that end at each vertex, if any. sides: the side of each segment on which
    the current point is, as from `Geometer.sign`; 0 for those that contain it.
    """

    def __init__(self, vertices: tuple[Vertex, ...], start: int) -> None:
        self.vertices = vertices
        self.places: tuple[Place, ...] = (start,)
        self.points: tuple[Point, ...] = (vertices[start],)
        self.segments: tuple[Chord, ...] = ()
        self.here: frozenset[int] = frozenset()
        self.rows: tuple[tuple[int, ...], ...] = ()
        self.closed: frozenset[tuple[int, int]] = frozenset()
        self.touching: dict[int, frozenset[int]] = {}
        self.sides: tuple[int, ...] = ()
        self.precision = FIRST_PRECISION

    def point(self, place: Place) -> Point:
        if isinstance(place, int):
            return self.vertices[place]
        return Intersection(*(self.segments[ply - 1] for ply in place))

    def holding(self, place: Place) -> frozenset[int]:
        """The plies of the segments that contain a vertex, or a crossing that is not closed."""
        return self.touching.get(place, frozenset()) if isinstance(place, int) else frozenset(place)

    def crossings(self) -> Iterator[tuple[int, int]]:
        """Every crossing that is not closed, in the order of drawing."""
        for ply, row in enumerate(self.rows, 1):
            for other in row:
                if (other, ply) not in self.closed:
                    yield other, ply

    def drawable(self, crossing: tuple[int, int]) -> bool:
        """Whether the crossing is not heavier than MAX_WEIGHT."""
        one, two = crossing
        return self.segments[one - 1].weight + self.segments[two - 1].weight <= MAX_WEIGHT

    def floors(self, places: Sequence[Place], factor: int) -> list[tuple[int, int]]:
        """The coordinates of places, including closed ones, times the factor, rounded down."""
        precision = max(self.precision, 2 * factor.bit_length())
        with numbers.ctx.workprec(precision):
            judge = Geometer(self.segments, precision)
            return [judge.floor(self.point(place), factor) for place in places]

    def extended(self, place: Place) -> Drawing:
        """The drawing with one more segment, to a vertex or a crossing that is not closed, on no segment of `here`."""
        new = Chord(self.points[-1], self.point(place))
        longer = Drawing(self.vertices, 0)
        longer.places = (*self.places, place)
        longer.points = (*self.points, new.end)
        longer.segments = (*self.segments, new)
        far, ply = self.holding(place), len(longer.segments)
        longer.here = far | {ply}
        corners = (end for end in (self.places[-1], place) if isinstance(end, int))
        longer.touching = self.touching | {corner: self.holding(corner) | {ply} for corner in corners}
        with numbers.ctx.workprec(self.precision):
            judge = Geometer(longer.segments, self.precision)
            # It is known to be on these, which no ball can prove.
            ends = [0 if old in far else judge.sign(line, new.end) for old, line in enumerate(self.segments, 1)]
            crossed, closed = self._met(new, ends, judge)
        longer.sides = (*ends, 0)
        longer.rows = (*self.rows, crossed)
        longer.closed = self.closed | closed | ({place} if isinstance(place, tuple) else set())
        longer.precision = judge.precision
        return longer

    def _met(self, new: Chord, ends: Sequence[int], judge: Geometer) -> tuple[tuple[int, ...], set[tuple[int, int]]]:
        """The plies a new segment crosses, and the crossings it closes. ends: on which side of each segment it ends."""
        ply = len(self.segments) + 1
        crossed: dict[int, Chord] = {}
        along: dict[int, Chord] = {}
        for old_ply, (old, start, end) in enumerate(zip(self.segments, self.sides, ends, strict=True), 1):
            # Both ends are on its line, but it does not hold both: the two may overlap.
            if start == end == 0:
                along[old_ply] = old
            elif start * end < 0 and judge.sign(new, old.start) * judge.sign(new, old.end) < 0:
                crossed[old_ply] = old
        crowds = set(judge.crowds(new, crossed))
        # Whatever crosses two segments on one line crosses both in the same point, where three then meet.
        crowds |= {
            (min(one, two), max(one, two))
            for one, beside in along.items()
            for two, other in crossed.items()
            if judge.holds(beside, other)
        }
        closed = crowds | {(old_ply, ply) for pair in crowds for old_ply in pair}
        return tuple(crossed), closed


Corner = tuple[int, int]

FEWEST_SIDES, MOST_SIDES, MAX_CORNER = 4, 24, 9999
"""Bounds of a challenger's own polygon; the last one is of its coordinates."""
_HEADING = re.compile(r"\W*(?:points|vertices|corners|polygon)\b\s*:?", re.IGNORECASE)
_NEXT = re.compile(rf"(?:{POINT}|{LABELLED})(?:[\s,;>|-]|to\b|and\b)*")
_ONE = 10**30
_PI = 3_141592653589793238462643383279
"""Pi times _ONE."""
RADIUS = 10_000
"""About half the width of a polygon; coordinates are from 0 to 2 * RADIUS."""

FULL_TURN = 1 << 24
UNIT = 1 << 24
"""The unit of angles and sines."""


@lru_cache(maxsize=256)
def convex_polygon(sides: int, seed: int) -> tuple[Corner, ...]:
    """Corners in clockwise order from the top, with no three diagonals through one point; the same on every machine."""
    # SHA-256 gives the same noise everywhere; the first attempt with the wanted properties is taken.
    for attempt in count():
        corners = tuple(
            _corner(index, sides, sha256(f"polygon {sides} {seed} {attempt} {index}".encode()).digest())
            for index in range(sides)
        )
        if _dent(corners) is None and _meeting(corners) is None:
            return corners
    raise AssertionError("count() does not end")


def _corner(index: int, sides: int, noise: bytes) -> Corner:
    """A corner near its regular place: off by up to a fifth of a side's angle and a hundredth of the radius."""
    turn = (int.from_bytes(noise[:2], "big") - 32768) * 2 // 5
    angle = (index * 65536 + turn) * FULL_TURN // (sides * 65536)
    radius = RADIUS - RADIUS * int.from_bytes(noise[2:4], "big") // (100 * 65536)
    return RADIUS + radius * _sine(angle) // UNIT, RADIUS + radius * _sine(angle + FULL_TURN // 4) // UNIT


def _sine(angle: int) -> int:
    """UNIT times the sine of angle / FULL_TURN turns, by Bhaskara I's formula in integers, accurate to 0.2 percent."""
    half = FULL_TURN // 2
    angle %= FULL_TURN
    if angle >= half:
        return -_sine(angle - half)
    product = angle * (half - angle)
    return 16 * UNIT * product // (5 * half * half - 4 * product)


def _read_row(line: str) -> list[Corner] | None:
    """The corners in a line, none in a heading; None if it is no part of a polygon."""
    heading = _HEADING.match(line)
    words = unlisted(line[heading.end() :] if heading else line)
    corners, place = list[Corner](), 0
    while place < len(words):
        match = _NEXT.match(words, place)
        # Read as a mark, a minus would turn a point into another one.
        if match is None or BELOW_ZERO.search(words):
            return None
        x, y = (int(digits) for digits in (match[1] or match[4], match[2] or match[5]))
        if max(x, y) > MAX_CORNER:
            return None
        corners.append((x, y))
        place = match.end()
    return corners if corners or heading else None


def polygon_in(lines: Sequence[str]) -> range:
    """The lines from the first to the last that can be a part of a polygon."""
    numbered = [number for number, line in enumerate(lines) if _read_row(with_good_numbers(line)) is not None]
    return range(numbered[0], numbered[-1] + 1) if numbered else range(0)


def own_polygon(body: str) -> tuple[Corner, ...]:
    """The corners that a challenger has written, in clockwise order; the first may stand at the end, too.

    Raises: OptionError, which names the fault.
    """
    corners: list[Corner] = []
    for number, words in enumerate(body.splitlines(), start=1):
        points = _read_row(words) if words.strip() else []
        if points is None:
            raise OptionError(
                f"Line {number} of your polygon, {quoted(words)}, is not a list of points: write whole numbers from 0 "
                f'to {MAX_CORNER}, such as "0,0 40,0 50,30 10,40".'
            )
        corners += points
    # Many people and programs close an outline with its first point.
    if len(corners) > 1 and corners[-1] == corners[0]:
        corners.pop()
    return _checked(corners)


def regular_polygon(sides: int) -> tuple[Corner, ...]:
    """A regular polygon, as nearly as whole coordinates allow. Raises: OptionError where that cannot be played on."""
    # In a square only two diagonals meet in the middle, as in any crossing.
    if sides % 2 == 0 and sides > 4:
        odd = f"-sides={sides - 1} or {sides + 1}" if sides < MOST_SIDES else f"-sides={sides - 1}"
        raise OptionError(f"In a regular polygon of {sides} sides diagonals meet in the middle: take {odd}.")
    return _checked([(_rounded(4 * corner, sides), _rounded(4 * corner + sides, sides)) for corner in range(sides)])


def _rounded(part: int, sides: int) -> int:
    """RADIUS plus the sine of part / (4 * sides) turns, to the nearest whole number."""
    angle = 2 * _PI * part // (4 * sides)
    term, total = angle, 0
    for power in range(1, 60, 2):  # the angle is below 8, so that later terms vanish
        total += term
        term = -term * angle // _ONE * angle // _ONE // ((power + 1) * (power + 2))
    return RADIUS + (RADIUS * total + _ONE // 2) // _ONE


def _checked(corners: Sequence[Corner]) -> tuple[Corner, ...]:
    """The corners, made clockwise. Raises: OptionError unless the game can be played on that polygon."""
    # From the coarse to the fine, as each check relies on those before it.
    if not FEWEST_SIDES <= len(corners) <= MOST_SIDES:
        raise OptionError(f"Your polygon has {len(corners)} vertices; it may have {FEWEST_SIDES} to {MOST_SIDES}.")
    twice = next((corner for corner in corners if corners.count(corner) > 1), None)
    if twice is not None:
        raise OptionError(f"Your polygon names {_written(twice)} twice.")
    clockwise = tuple(corners if _turn(*corners[:3]) < 0 else [corners[0], *reversed(corners[1:])])
    if (dent := _dent(clockwise)) is not None:
        raise OptionError(
            f"Your polygon is not convex at {_written(*dent)}: all other vertices must lie on one side of each edge, "
            "none on it, and the vertices must be written in their order around it."
        )
    if (meeting := _meeting(clockwise)) is not None:
        ends = {tuple(sorted(diagonal)) for a, b, c, d in meeting for diagonal in ((a, c), (b, d))}
        told = " and ".join(sorted(_written(*each) for each in ends))
        raise OptionError(f"In your polygon three diagonals meet in one point: {told}. Move a vertex a little.")
    return clockwise


def _written(*corners: Corner) -> str:
    return "-".join(f"({x},{y})" for x, y in corners)


def _turn(one: Corner, two: Corner, three: Corner) -> int:
    """Positive if the path through the three points turns left."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


def _dent(corners: tuple[Corner, ...]) -> tuple[Corner, Corner] | None:
    """An edge with a corner on it or to its left; None if the corners go clockwise around a convex polygon."""
    for before, corner in zip(corners[-1:] + corners[:-1], corners, strict=True):
        if any(_turn(before, corner, other) >= 0 for other in corners if other not in (before, corner)):
            return before, corner
    return None


def _meeting(corners: Sequence[Corner]) -> tuple[tuple[Corner, ...], tuple[Corner, ...]] | None:
    """Two fours of corners whose diagonals meet in the same point. Any four of a convex polygon make one crossing."""
    fours: dict[tuple[int, int, int], tuple[Corner, ...]] = {}
    for four in combinations(corners, 4):
        point = _crossing(*four)
        if point in fours:
            return fours[point], four
        fours[point] = four
    return None


def _crossing(a: Corner, b: Corner, c: Corner, d: Corner) -> tuple[int, int, int]:
    """Where a-c and b-d meet, as homogeneous integers in lowest terms, which are fifteen times as fast as Fractions."""
    before = _turn(a, c, b)
    whole = before - _turn(a, c, d)
    x, y = b[0] * whole + before * (d[0] - b[0]), b[1] * whole + before * (d[1] - b[1])
    common = gcd(x, y, whole) if whole > 0 else -gcd(x, y, whole)
    return x // common, y // common, whole // common
