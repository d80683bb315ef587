"""Boards of CrossGeo: drawings of graphs, from the built-in file, from a seed, or from a challenger's own lines.

Knows what crosses, what overlaps and how vertices are lettered; hides how boards are made. All geometry is exact: signs
of integer determinants. Every board is the same on every machine, because it has its own integer random generator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from games.points import BELOW_ZERO, LABEL, LABELLED, POINT, unlisted, with_good_numbers
from games.rules import OptionError, lettered, quoted

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
        crossings = [0] * len(self.edges)
        for (i, one), (j, other) in combinations(enumerate(self.lines), 2):
            if cross(one, other):
                crossings[i] |= 1 << j
                crossings[j] |= 1 << i
        return tuple(crossings)

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


def turn(a: Spot, b: Spot, c: Spot) -> int:
    """Twice the signed area of the triangle: positive if a, b, c turn left, 0 if they are on a line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def cross(one: tuple[Spot, Spot], other: tuple[Spot, Spot]) -> bool:
    """Whether the segments meet in one point inside both."""
    (a, b), (c, d) = one, other
    left, right = turn(a, b, c), turn(a, b, d)
    # An end on the other line is no proper crossing: the source's own program does not count it either.
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


def built_in(name: str, version: str) -> Graph:
    """The board with that number, coloured for a version."""
    drawn = json.loads(BUILT_IN.read_text(encoding="ascii"))["graphs"][name]
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
    """This many short edges on a lattice 15 points wide; for clarity no end touches the inside of another edge."""
    # About four points per edge.
    dice, height = Dice(seed), max(5, number // 4 + 1)
    lines: list[tuple[Spot, Spot]] = []
    refused = 0
    while len(lines) < number:
        start = (dice.below(15), dice.below(height))
        line = (start, (start[0] + dice.below(7) - 3, start[1] + dice.below(7) - 3))
        if _fits(line, height, lines):
            lines.append(line)
            refused = 0
        else:
            refused += 1
            # On a full lattice the search would not end.
            height += refused % 64 == 0
    # In reading order of the middles, from the top left, so that an edge is found by its number.
    lines.sort(key=lambda line: (-(line[0][1] + line[1][1]), line[0][0] + line[1][0]))
    return _graph(lines, dice.shuffled(_balanced(number, version)))


def _fits(line: tuple[Spot, Spot], height: int, others: Sequence[tuple[Spot, Spot]]) -> bool:
    """Whether the segment is on the lattice, at least two units long, and meets others only in ends or crossings."""
    (x1, y1), (x2, y2) = line
    if not (0 <= x2 < 15 and 0 <= y2 < height) or max(abs(x1 - x2), abs(y1 - y2)) < 2:
        return False
    return not any(
        overlap(line, other) or any(inside(spot, other) for spot in line) or any(inside(spot, line) for spot in other)
        for other in others
    )


def complete_graph(number: int, seed: int, version: str) -> Graph:
    """All edges between this many points, at most 12, of a lattice of 121 by 121; no three points are on a line."""
    dice = Dice(seed)
    spots: list[Spot] = []

    def smallest_triangle(spot: Spot) -> int:
        far = max((abs(spot[0] - x) + abs(spot[1] - y) for x, y in spots), default=1)
        return min((abs(turn(a, b, spot)) for a, b in combinations(spots, 2)), default=far)

    # Twelve points have 66 lines of at most 121 places each, so there are always places left.
    while len(spots) < number:
        # Lines are kept apart if even the smallest triangle with two others is large.
        best = max(((dice.below(121), dice.below(121)) for _ in range(40)), key=smallest_triangle)
        # Even the best of the tries may be on a line with two others.
        if smallest_triangle(best):
            spots.append(best)
    edges = tuple(combinations(range(number), 2))
    return Graph(tuple(sorted(spots)), edges, dice.shuffled(_balanced(len(edges), version)))


def _graph(lines: Sequence[tuple[Spot, Spot]], colours: str) -> Graph:
    """The graph of these segments, with vertices in order of appearance."""
    indices: dict[Spot, int] = {}
    edges = tuple((indices.setdefault(a, len(indices)), indices.setdefault(b, len(indices))) for a, b in lines)
    return Graph(tuple(indices), edges, colours)


_BETWEEN = r"(?:[\s;,:>-]|to)+"
_COLOUR = r"(red|blue|green|[rgb])"
_FIRST = r"(?:(red|blue|green|[rgb](?=\s*[:,;]|\s+[(\[0-9]))[\s:,;]+)?"
_ENDS = r"(?![\w>-]|\s+-|[\s:]+[(\[\w])\)?"
# Behind a colour: with an edge after it, it would be that edge's colour.
_EDGE = re.compile(
    rf"(?:(?:edge|line)\s+)?{_FIRST}(?:from\s+)?(?:"
    rf"{POINT}{_BETWEEN}{POINT}(?:[\s,;:(-]*(?:in\s+)?(?!and\b)([a-z]{{3,}}|[rgb]){_ENDS})?|"
    rf"(?:{LABEL}(?:[\s>-]|to)+{LABEL}|([a-z])([a-z])(?![a-z0-9])|{LABEL}[\s,;:]+{LABEL})"
    rf"(?:[\s,;:(]+(?:in\s+)?{_COLOUR}{_ENDS})?)"
)
# Behind coordinates any word is taken for a colour, so that one that is none can be named.
_NAMED = re.compile(LABELLED)
_NEXT = re.compile(r"\s*[,;&]\s*(?:and\s+)?|\s+(?:and\s+)?|$")
_HEADING = re.compile(rf"\W*(?:(?:{_COLOUR}\s+)?(?:edges|lines|points|vertices)\b\s*:?|{_COLOUR}\s*:(?=\s*$))")
_INITIALS = re.compile(r"[a-z] ?[a-z]")
_LETTERS = re.compile(
    r"\b[a-z]\s*[-–—>→]+\s*[a-z]\b|^([a-z]{2})\W+(?!\1\W*$)(?:[a-z]{2}\W+)*[a-z]{2}\W*$", re.IGNORECASE
)
"""Points joined by their letters, however the rest is written."""


@dataclass(frozen=True, slots=True)
class _Row:
    """What one line of a graph says. Ends of edges are points or labels."""

    colour: str | None = None
    """The one in its heading, for the lines below, too; empty if that names none, None if there is no heading."""
    points: tuple[tuple[str, Spot], ...] = ()
    edges: tuple[tuple[str | Spot, str | Spot, str], ...] = ()
    """With the colour of each, empty if it has none of its own."""

    @property
    def doubtful(self) -> frozenset[str]:
        """The labels that may be words, as in "I am red", unless they are placed."""
        ends = (end for *both, _ in self.edges for end in both if isinstance(end, str))
        return frozenset(end for end in ends if len(end) > 1 and end.isalpha())


def _headed(line: str) -> tuple[str | None, str]:
    """The colour in a line's heading, as in _Row, and the rest of the line."""
    heading = _HEADING.match(line.casefold())
    if heading is None:
        return None, line
    return heading[1] or heading[2] or "", line[heading.end() :]


def _read_row(line: str) -> _Row | None:
    """What the line says; None if it is no part of a graph. Raises: ValueError with the end of a sentence about it."""
    colour, rest = _headed(line)
    words = unlisted(rest)
    points, edges = list[tuple[str, Spot]](), list[tuple[str | Spot, str | Spot, str]]()
    place = 0
    while place < len(words):
        is_open = False
        # An edge first: "A 0,0" names a point, but so does the beginning of an edge from A.
        if match := _EDGE.match(words, place):
            edges.append(_edge(match))
            is_open = not edges[-1][2]  # a blank is enough behind a point or a colour
        elif match := _NAMED.match(words, place):
            points.append((match[1], _spot(match[2], match[3])))
        else:
            return None
        following = _NEXT.match(words, match.end())
        if following is None or (is_open and following[0] == " "):
            return None
        place = following.end()
    # Read as a mark, a minus would turn a point into its mirror image without a word.
    if BELOW_ZERO.search(words):
        raise ValueError("goes below 0: coordinates are whole numbers from 0 on")
    if not colour and len({bool(own) for *_, own in edges}) > 1:
        raise ValueError("gives a colour to some of its edges only: write each on a line of its own")
    return _Row(colour, tuple(points), tuple(edges))


def _edge(match: re.Match[str]) -> tuple[str | Spot, str | Spot, str]:
    """Raises: ValueError as _spot, and for two colours."""
    first, x1, y1, x2, y2, behind, *labels, last = match.groups()
    if first and (behind or last):
        raise ValueError("gives two colours to an edge")
    colour = first or behind or last or ""
    if x1:
        return _spot(x1, y1), _spot(x2, y2), colour
    one, two = filter(None, labels)
    return one, two, colour


def graph_in(lines: Sequence[str]) -> range:
    """The lines from the first to the last that can be a part of a graph."""
    rows = [_part(line) for line in lines]
    placed = {label for row in filter(None, rows) for label, _ in row.points}
    initials = [words for words in map(unlisted, lines) if _INITIALS.fullmatch(words)]
    # Two letters alone sign a letter, unless they are two points, or stand above or below such letters.
    signed = initials if len(initials) == 1 and not placed.issuperset(initials[0].replace(" ", "")) else []
    numbers = [
        number
        for number, (line, row) in enumerate(zip(lines, rows, strict=True))
        if _is_said(line, row, placed) and unlisted(line) not in signed
    ]
    return range(numbers[0], numbers[-1] + 1) if numbers else range(0)


def _part(line: str) -> _Row | None:
    """What the line says, with other numbers; nothing if it is wrong, None if it is no part of a graph."""
    try:
        return _read_row(with_good_numbers(line))
    except ValueError:
        return _Row()  # it is meant for one, and own_graph will say what is wrong with it


def _is_said(line: str, row: _Row | None, placed: Container[str]) -> bool:
    """Whether a line is a part of a graph that places these points."""
    if _LETTERS.search(line):
        return True
    if row is None or not line.strip():
        return False
    return all(label in placed for label in row.doubtful)


def own_graph(body: str, version: str | None, *, is_new: bool = False) -> Graph:
    """The graph of a challenger's lines: `x1,y1 x2,y2 [green|red|blue]`, or points `A 0,0` and then edges `A-B [red]`.

    The colour may stand first, or above edges as in "red edges:", until the next such line. Points may be written as
    (0,0) or 0 0; blank lines are skipped, and a line may hold several points or edges.
    version: the colours allowed; None allows all. An edge without a colour is green, if that is allowed.
    is_new: nobody has played on it yet, so that points which are placed twice, or of no edge, are refused, too.
    Raises: OptionError, quoting the wrong line.
    """
    sketch = _Sketch(version or "rgb", is_new=is_new)
    rows = body.rstrip().splitlines()
    for number, words in enumerate(rows, start=1):
        if not words.strip():
            continue
        try:
            row = _read_row(words)
            if row is None:
                raise ValueError(
                    "is not an edge: write two points, in whole numbers from 0 on, and a colour if you like, such as "
                    '"0,0 30,40 red"; words to your opponent stand apart, behind a blank line'
                )
            # The edges below it were forgotten, or got lost on the way.
            if number == len(rows) and not (row.points or row.edges):
                raise ValueError("has no edge below it")
            sketch.add(number, row)
        except ValueError as error:
            raise OptionError(f"Line {number} of your graph, {quoted(words)}, {error}.") from None
    if number := sketch.loose:
        raise OptionError(f"Line {number} of your graph, {quoted(rows[number - 1])}, places a point of no edge.")
    return _graph([*sketch.lines], sketch.colours)


class _Sketch:
    """What a challenger's lines have drawn so far.

    lines, named: edges and points, with the numbers of their lines. colours: as of a Graph. version: those allowed.
    """

    def __init__(self, version: str, *, is_new: bool) -> None:
        self.lines: dict[tuple[Spot, Spot], int] = {}
        self.named: dict[str, tuple[Spot, int]] = {}
        self.colours = self._heading = ""
        self._version, self._is_new = version, is_new

    def add(self, number: int, row: _Row) -> None:
        """Adds what a line says. Raises: ValueError with the end of a sentence about it."""
        if row.colour is not None:
            self._heading = row.colour
        for label, spot in row.points:
            # Graphs of records were accepted before this was refused; there the later place holds.
            if self._is_new and label in self.named:
                raise ValueError(f"places {label.upper()} once more, after line {self.named[label][1]}")
            self.named[label] = spot, number
        for one, two, colour in row.edges:
            line = _placed(one, self.named), _placed(two, self.named)
            _check_line(line, self.lines)
            self.colours += _letter(colour or self._heading, self._version)
            self.lines[line] = number

    @property
    def loose(self) -> int:
        """The number of the first line of a new graph that places a point of no edge; 0 if none does."""
        used = {spot for line in self.lines for spot in line}
        unused = (number for spot, number in self.named.values() if spot not in used)
        return next(unused, 0) if self._is_new else 0


def _spot(*digits: str) -> Spot:
    """Raises: ValueError with the end of a sentence about the line."""
    x, y = map(int, digits)
    if max(x, y) > MAX_COORDINATE:
        raise ValueError(f"goes too far: coordinates are numbers from 0 to {MAX_COORDINATE}")
    return x, y


def _placed(end: str | Spot, named: Mapping[str, tuple[Spot, int]]) -> Spot:
    """The point of an edge. Raises: ValueError with the end of a sentence about the line."""
    if not isinstance(end, str):
        return end
    if end not in named:
        raise ValueError(f"names a point {end.upper()}, which no line before it places")
    return named[end][0]


def _letter(colour: str, version: str) -> str:
    """The letter of a colour, or of none. Raises: ValueError with the end of a sentence about the line."""
    allowed = {name: letter for letter, name in COLOURS.items() if letter in version}
    # By the rulings an edge without a colour is green.
    word = colour or "green"
    for name, letter in allowed.items():
        if word in (name, letter):
            return letter
    raise ValueError(
        f"{'is' if colour else 'has no colour, which means'} {word}: an edge here is {' or '.join(allowed)}"
    )


def _check_line(line: tuple[Spot, Spot], earlier: Mapping[tuple[Spot, Spot], int]) -> None:
    """earlier: the edges so far, with the numbers of their lines. Raises: ValueError with the end of a sentence."""
    if line[0] == line[1]:
        raise ValueError("joins a point to itself: an edge has two different ends")
    for other, number in earlier.items():
        if {*line} == {*other}:
            raise ValueError(f"repeats the edge of line {number}")
        if overlap(line, other):
            raise ValueError(f"lies on the edge of line {number}, so nobody could tell them apart")
    if len(earlier) == MAX_EDGES:
        raise ValueError(f"is one too many: a graph has at most {MAX_EDGES} edges")
