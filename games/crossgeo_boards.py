"""Boards of CrossGeo: drawings of graphs, from the built-in file, from a seed, or from a challenger's own lines.

Knows what crosses, what overlaps and how vertices are lettered; hides how boards are made. All geometry is exact: signs
of integer determinants. Every board is the same on every machine, because it has its own integer random generator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from games.rules import OptionError, fold, lettered, quoted

Spot = tuple[int, int]
"""A point of the plane: (x, y); y grows upwards."""

Edges = int
"""A set of edges: bit i is the edge with index i, which players see as number i + 1."""

MAX_EDGES = 200
MAX_COORDINATE = 999
COLOURS = {"g": "green", "r": "red", "b": "blue"}
BUILT_IN = Path(__file__).with_name("crossgeo_graphs.json")


@dataclass(frozen=True)
class Graph:
    """A drawing of a graph. Two vertices may share a point; they are still different ends."""

    vertices: tuple[Spot, ...]
    edges: tuple[tuple[int, int], ...]
    """Pairs of vertex indices, in the order of their numbers."""
    colours: str
    """A letter of COLOURS for each edge."""

    @cached_property
    def lines(self) -> tuple[tuple[Spot, Spot], ...]:
        """The two points of each edge."""
        return tuple((self.vertices[a], self.vertices[b]) for a, b in self.edges)

    @cached_property
    def crossings(self) -> tuple[Edges, ...]:
        """For each edge, those that cross it; never itself."""
        found = [0] * len(self.edges)
        boxes = [_box(line) for line in self.lines]
        for i, (one, box) in enumerate(zip(self.lines, boxes, strict=True)):
            for j in range(i):
                if _touch(box, boxes[j]) and cross(one, self.lines[j]):
                    found[i] |= 1 << j
                    found[j] |= 1 << i
        return tuple(found)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The vertices' letters: A to Z, then AA, AB, ..."""
        return tuple(map(lettered, range(len(self.vertices))))

    @cached_property
    def by_ends(self) -> dict[frozenset[str], int]:
        """The edge between two vertices, by their letters."""
        return {frozenset((self.labels[a], self.labels[b])): index for index, (a, b) in enumerate(self.edges)}

    def ends(self, index: int) -> str:
        """An edge by its vertices, such as "A-F"."""
        return "-".join(self.labels[end] for end in self.edges[index])

    @cached_property
    def _coloured(self) -> dict[str, Edges]:
        """The edges of each colour."""
        return {letter: sum(1 << at for at, one in enumerate(self.colours) if one == letter) for letter in COLOURS}

    def of_colours(self, letters: str) -> Edges:
        """The edges that have one of these colours."""
        return sum(map(self._coloured.__getitem__, letters))


def _box(line: tuple[Spot, Spot]) -> tuple[int, int, int, int]:
    """The smallest and the largest x, then the smallest and the largest y, of a segment."""
    (x1, y1), (x2, y2) = line
    return min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)


def _touch(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether the boxes have a point in common; a fast test for segments that cannot meet."""
    return one[0] <= other[1] and other[0] <= one[1] and one[2] <= other[3] and other[2] <= one[3]


def turn(a: Spot, b: Spot, c: Spot) -> int:
    """Twice the signed area of the triangle: positive if a, b, c turn left, 0 if they are on a line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def cross(one: tuple[Spot, Spot], other: tuple[Spot, Spot]) -> bool:
    """Whether the segments meet in one point inside both."""
    (a, b), (c, d) = one, other
    left, right = turn(a, b, c), turn(a, b, d)
    if left == 0 or right == 0 or (left > 0) is (right > 0):
        return False
    left, right = turn(c, d, a), turn(c, d, b)
    return left != 0 and right != 0 and (left > 0) is not (right > 0)


def overlap(one: tuple[Spot, Spot], other: tuple[Spot, Spot]) -> bool:
    """Whether the segments are on one line and have more than a point in common."""
    (a, b), (c, d) = one, other
    if turn(a, b, c) or turn(a, b, d):
        return False
    return max(min(a, b), min(c, d)) < min(max(a, b), max(c, d))


def inside(spot: Spot, line: tuple[Spot, Spot]) -> bool:
    """Whether the point is on the segment, but not an end of it."""
    return turn(*line, spot) == 0 and min(line) < spot < max(line)


@cache
def _built_in_graphs() -> dict[str, Any]:
    graphs: dict[str, Any] = json.loads(BUILT_IN.read_text(encoding="ascii"))["graphs"]
    return graphs


def built_in(name: str, version: str) -> Graph:
    """The board with that number, coloured for a version."""
    drawn = _built_in_graphs()[name]
    return Graph(
        tuple((x, y) for x, y in drawn["vertices"]),
        tuple((a, b) for a, b in drawn["edges"]),
        drawn["colours"][version],
    )


class Dice:
    """A random generator with integers only (SplitMix64), so that a seed gives the same board everywhere."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1; limit is far below 2**64, so the bias is negligible."""
        self._state = (self._state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self._state ^ self._state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return (mixed ^ mixed >> 31) % limit

    def shuffled(self, letters: str) -> str:
        """The letters in random order."""
        pool = list(letters)
        return "".join(pool.pop(self.below(len(pool))) for _ in letters)


def _balanced(number: int, version: str) -> str:
    """This many colour letters, with as many red as blue ones; the rest is green, or red if green is not allowed."""
    if version == "g":
        return "g" * number
    pairs = number // 2 if version == "rb" else (number + 1) // 3
    return "rb" * pairs + ("r" if version == "rb" else "g") * (number - 2 * pairs)


def random_graph(number: int, seed: int, version: str) -> Graph:
    """This many short edges on a lattice 15 points wide; for clarity no end touches the inside of another edge.

    The lattice starts with about four points per edge, and gains a row with every 64th refusal, so the search ends.
    """
    dice, height = Dice(seed), max(5, number // 4 + 1)
    lines: list[tuple[Spot, Spot]] = []
    boxes: list[tuple[int, int, int, int]] = []
    refused = 0
    while len(lines) < number:
        start = (dice.below(15), dice.below(height))
        line = (start, (start[0] + dice.below(7) - 3, start[1] + dice.below(7) - 3))
        box = _box(line)
        if _fits(line, height, [other for other, near in zip(lines, boxes, strict=True) if _touch(box, near)]):
            lines.append(line)
            boxes.append(box)
            refused = 0
        else:
            refused += 1
            height += refused % 64 == 0
    return _graph(sorted(lines, key=_reading_order), dice.shuffled(_balanced(number, version)))


def _fits(line: tuple[Spot, Spot], height: int, others: Sequence[tuple[Spot, Spot]]) -> bool:
    """Whether the segment is on the lattice, at least two units long, and meets others only in ends or crossings."""
    (x1, y1), (x2, y2) = line
    if not (0 <= x2 < 15 and 0 <= y2 < height) or max(abs(x1 - x2), abs(y1 - y2)) < 2:
        return False
    return not any(
        overlap(line, other) or any(inside(spot, other) for spot in line) or any(inside(spot, line) for spot in other)
        for other in others
    )


def _reading_order(line: tuple[Spot, Spot]) -> tuple[int, int]:
    """A sort key: by the middle of the edge, from top to bottom, then from left to right."""
    (x1, y1), (x2, y2) = line
    return -(y1 + y2), x1 + x2


def complete_graph(number: int, seed: int, version: str) -> Graph:
    """All edges between this many points, at most 12, of a lattice of 121 by 121; no three points are on a line.

    Each point is the best of 40 tries, the one whose smallest triangle with two others is largest, which keeps lines
    apart. Twelve points have 66 lines of at most 121 places each, so there are always places left.
    """
    dice = Dice(seed)
    spots: list[Spot] = []

    def smallest_triangle(spot: Spot) -> int:
        far = max((abs(spot[0] - x) + abs(spot[1] - y) for x, y in spots), default=1)
        return min((abs(turn(a, b, spot)) for a, b in combinations(spots, 2)), default=far)

    while len(spots) < number:
        best = max(((dice.below(121), dice.below(121)) for _ in range(40)), key=smallest_triangle)
        if smallest_triangle(best):
            spots.append(best)
    edges = tuple(combinations(range(number), 2))
    return Graph(tuple(sorted(spots)), edges, dice.shuffled(_balanced(len(edges), version)))


def _graph(lines: Sequence[tuple[Spot, Spot]], colours: str) -> Graph:
    """The graph of these segments, with vertices in order of appearance."""
    indices: dict[Spot, int] = {}
    edges = tuple((indices.setdefault(a, len(indices)), indices.setdefault(b, len(indices))) for a, b in lines)
    return Graph(tuple(indices), edges, colours)


_SPOT = r"[(\[]?\s*([0-9]{1,9})(?:\s*[,;:]\s*|\s+)([0-9]{1,9})\s*[)\]]?"
_BETWEEN = r"(?:[\s;,:>-]|to)+"
_LABEL = r"([a-z]{1,2}|[a-z][0-9]{1,3})"
_LINE = re.compile(_SPOT + _BETWEEN + _SPOT)
_NAMED = re.compile(rf"(?:point\s+)?{_LABEL}\s*[=:@,]?\s*{_SPOT}")
_JOINED = re.compile(_LABEL + _BETWEEN + _LABEL)
_COLOUR = r"red|blue|green|[rgb]"
_COLOURED = re.compile(
    rf"(?:({_COLOUR})[\s:,;]+)?(.*?)(?:(?<=[0-9)\]])[\s,;:(]*([a-z]+)\)?|[\s,;:(]+({_COLOUR})\)?)?", re.DOTALL
)
"""Behind coordinates any word is taken for a colour, so that one that is none can be named."""
_HEADING = re.compile(rf"({_COLOUR})(?:\s+(?:edges|lines)\s*:?|\s*:)")


def own_graph(body: str, version: str | None, *, is_new: bool = False) -> Graph:
    """The graph of a challenger's lines: `x1,y1 x2,y2 [green|red|blue]`, or points `A 0,0` and then edges `A-B [red]`.

    The colour may stand first, or above edges as in "red edges:", until the next such line. Points may be written as
    (0,0) or 0 0; blank lines are skipped.
    version: the colours allowed; None allows all. An edge without a colour is green, if that is allowed.
    is_new: nobody has played on it yet, so that points which are placed twice, or of no edge, are refused, too.
    Raises: OptionError, quoting the wrong line.
    """
    lines: list[tuple[Spot, Spot]] = []
    colours = heading = ""
    numbers: list[int] = []
    named: dict[str, Spot] = {}
    placed: dict[str, int] = {}
    rows = body.rstrip().splitlines()
    for number, words in enumerate(rows, start=1):
        if not words.strip():
            continue
        try:
            if (point := _read_point(words)) is not None:
                if is_new and point[0] in named:
                    raise ValueError(f"places {point[0].upper()} once more, after line {placed[point[0]]}")
                named[point[0]], placed[point[0]] = point[1], number
                continue
            if (above := _HEADING.fullmatch(words.strip().casefold())) is not None:
                heading = above[1]
                if number == len(rows):
                    raise ValueError("has no edge below it")
                continue
            line, colour = _read_line(words, version or "rgb", named, heading)
            _check_line(line, lines, numbers)
        except ValueError as error:
            raise OptionError(f"Line {number} of your graph, {quoted(words)}, {error}.") from None
        lines.append(line)
        numbers.append(number)
        colours += colour
    idle = next((label for label, spot in named.items() if is_new and all(spot not in line for line in lines)), None)
    if idle is not None:
        number = placed[idle]
        raise OptionError(f"Line {number} of your graph, {quoted(rows[number - 1])}, places a point of no edge.")
    return _graph(lines, colours)


def _read_point(words: str) -> tuple[str, Spot] | None:
    """The point that a line names; None if it names none. Raises: ValueError as _spot."""
    match = _NAMED.fullmatch(fold(words))
    return (match[1], _spot(match[2], match[3])) if match is not None else None


def _spot(*digits: str) -> Spot:
    """Raises: ValueError with the end of a sentence about the line."""
    x, y = map(int, digits)
    if max(x, y) > MAX_COORDINATE:
        raise ValueError(f"goes too far: coordinates are numbers from 0 to {MAX_COORDINATE}")
    return x, y


def _read_line(words: str, version: str, named: Mapping[str, Spot], heading: str) -> tuple[tuple[Spot, Spot], str]:
    """named: the points with letters. heading: the colour said above. Raises: ValueError with the end of a sentence
    about the line.
    """
    first, ends, last, behind = "", fold(words), "", ""
    whole = _COLOURED.fullmatch(ends)
    if whole is not None and not _JOINED.fullmatch(ends):  # in "A B" the letter B is a point
        first, ends, last, behind = whole.groups()
    match, joined = _LINE.fullmatch(ends.strip()), _JOINED.fullmatch(ends.strip())
    if match is not None:
        line = _spot(match[1], match[2]), _spot(match[3], match[4])
    elif joined is not None:
        missing = next((label for label in joined.groups() if label not in named), None)
        if missing is not None:
            raise ValueError(f"names a point {missing.upper()}, which no line before it places")
        line = named[joined[1]], named[joined[2]]
    else:
        raise ValueError(
            'is not an edge: write two points, and a colour if you like, such as "0,0 30,40 red"; '
            "words to your opponent go below a blank line"
        )
    given = first or last or behind or heading
    allowed = {name: letter for letter, name in COLOURS.items() if letter in version}
    word = given or "green"
    fitting = [letter for name, letter in allowed.items() if word in (name, letter)]
    if not fitting:
        raise ValueError(
            f"{'is' if given else 'has no colour, which means'} {word}: an edge here is {' or '.join(allowed)}"
        )
    return line, fitting[0]


def _check_line(line: tuple[Spot, Spot], earlier: Sequence[tuple[Spot, Spot]], numbers: Sequence[int]) -> None:
    """numbers: the line numbers of the earlier edges. Raises: ValueError with the end of a sentence about the line."""
    if line[0] == line[1]:
        raise ValueError("joins a point to itself: an edge has two different ends")
    for other, number in zip(earlier, numbers, strict=True):
        if overlap(line, other):
            same = set(line) == set(other)
            raise ValueError(
                f"repeats the edge of line {number}"
                if same
                else f"lies on the edge of line {number}, so nobody could tell them apart"
            )
    if len(earlier) == MAX_EDGES:
        raise ValueError(f"is one too many: a graph has at most {MAX_EDGES} edges")
