"""The polygon game once more, by the letter of its rules, with fractions and no memory between plies.

Slow, and shares no code with the game except for the vertices. A position is a tuple of ends:
where the first segment starts, then where each one ends; each a vertex's number or a pair of plies.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from typing import Any


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def holds(segment, point):
    """Whether the point lies on the closed segment."""
    (a, b) = segment
    return turn(a, b, point) == 0 and all(min(a[k], b[k]) <= point[k] <= max(a[k], b[k]) for k in (0, 1))


def meeting(one, two):
    """The point where both lines meet, if it lies inside both segments; otherwise None."""
    before, after = turn(one[0], one[1], two[0]), turn(one[0], one[1], two[1])
    if before == after:
        return None
    share = Fraction(before, before - after)
    point = tuple(two[0][k] + share * (two[1][k] - two[0][k]) for k in (0, 1))
    inside = all(holds(segment, point) and point not in segment for segment in (one, two))
    return point if inside else None


class Literal:
    def __init__(self, vertices: Any, colours: str = "different", heaviest: int = 1 << 16) -> None:
        self.vertices = [tuple(map(Fraction, vertex)) for vertex in vertices]
        self.sides = len(vertices)
        self.colours = colours
        self.heaviest = heaviest

    def edges(self):
        return [(self.vertices[k - 1], self.vertices[k]) for k in range(self.sides)]

    def drawn(self, ends):
        """The ends of segments in order, and the segments."""
        points: list[Any] = []
        segments: list[Any] = []
        for end in ends:
            points.append(self.vertices[end] if isinstance(end, int) else meeting(*(segments[ply - 1] for ply in end)))
            if len(points) > 1:
                segments.append((points[-2], points[-1]))
        return points, segments

    def successors(self, ends: Any) -> list[Any]:
        if not ends:
            return [
                (start, end)
                for start in range(self.sides)
                for end in range(self.sides)
                if (end - start) % self.sides not in (0, 1, self.sides - 1)
            ]
        points, segments = self.drawn(ends)
        there = points[-1]
        corners = [(k, self.vertices[k]) for k in range(self.sides) if self.vertex_is_open(self.vertices[k], points)]
        crossings = [
            ((one, two), point)
            for two in range(1, len(segments) + 1)
            for one in range(1, two)
            if (point := meeting(segments[one - 1], segments[two - 1])) is not None
            and self.crossing_is_open(point, segments)
            and self.colours_suit(one, two, len(segments) + 1)
            and self.weight((one, two), ends) <= self.heaviest
        ]
        return [
            (*ends, end)
            for end, point in corners + crossings
            if point != there and not any(holds(s, there) and holds(s, point) for s in [*segments, *self.edges()])
        ]

    def weight(self, end, ends):
        """The number of vertices needed to construct a point, each counted as often as it is used."""
        if isinstance(end, int):
            return 1
        return sum(self.weight(ends[ply - 1], ends) + self.weight(ends[ply], ends) for ply in end)

    def vertex_is_open(self, vertex, points):
        return vertex not in points or (vertex == points[0] and vertex not in points[1:])

    def crossing_is_open(self, point, segments):
        through = [segment for segment in segments if holds(segment, point)]
        return len(through) == 2 and not any(point in segment for segment in through)

    def colours_suit(self, one, two, ply):
        same = one % 2 == two % 2
        rule = self.colours if self.colours != "split" else ("same" if ply % 2 == 1 else "different")
        return rule == "any" or same == (rule == "same")

    def winner(self, ends):
        """The winner, 1 or 2, if the player to move has no segment to draw; None while the game goes on."""
        plies = max(0, len(ends) - 1)
        return None if self.successors(ends) else (1 if plies % 2 == 1 else 2)


@cache
def concurrent_diagonals(vertices):
    """Points inside the polygon where three or more diagonals meet."""
    seen: set[Any] = set()
    shared: set[Any] = set()
    diagonals = list(combinations([tuple(map(Fraction, v)) for v in vertices], 2))
    for one, two in combinations(diagonals, 2):
        if (point := meeting(one, two)) is not None:
            (shared if point in seen else seen).add(point)
    return shared


def turns_right_once_around(vertices):
    """Whether the polygon is strictly convex, in clockwise order."""
    around = [*vertices, *vertices[:2]]
    right = all(turn(a, b, c) < 0 for (a, b), (_, c) in pairwise(pairwise(around)))
    return right and len(set(vertices)) == len(vertices)
