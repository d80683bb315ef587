"""CrossGeo once more, slow and word for word from its rules: two rational equations tell where edges meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import count

from tests.games.perft import perft

Spot = tuple[int, int]
Edge = tuple[Spot, Spot, str]
"""Two ends and a colour: "green", "red" or "blue"."""

Drawing = Mapping[int, Edge]
"""The edges by their numbers."""

Game = tuple[frozenset[int], str]
"""The numbers of the standing edges, and the player to move: "red" or "blue"."""


def meeting(one: Edge, other: Edge) -> tuple[Fraction, Fraction] | None:
    """Where the lines of two edges meet, as shares of their lengths; None if they are parallel."""
    (ax, ay), (bx, by), _ = one
    (cx, cy), (dx, dy), _ = other
    slope = Fraction((bx - ax) * (dy - cy) - (by - ay) * (dx - cx))
    if not slope:
        return None
    return ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / slope, (
        (cx - ax) * (by - ay) - (cy - ay) * (bx - ax)
    ) / slope


@cache
def cross(one: Edge, other: Edge) -> bool:
    """Whether they meet in one point that lies inside both."""
    shares = meeting(one, other)
    return shares is not None and all(0 < share < 1 for share in shares)


def picks(drawing: Drawing, game: Game) -> list[int]:
    standing, mover = game
    return [number for number in sorted(standing) if drawing[number][2] in ("green", mover)]


def after(drawing: Drawing, game: Game, number: int) -> Game:
    standing, mover = game
    stay = {other for other in standing if other != number and not cross(drawing[number], drawing[other])}
    return frozenset(stay), "blue" if mover == "red" else "red"


def successors(drawing: Drawing, game: Game) -> Iterator[Game]:
    return (after(drawing, game, number) for number in picks(drawing, game))


def winner(drawing: Drawing, game: Game) -> int | None:
    """1 for red and 2 for blue, if their opponent is to move and has nothing to pick; otherwise None."""
    return None if picks(drawing, game) else 1 if game[1] == "blue" else 2


def start(drawing: Drawing) -> Game:
    return frozenset(drawing), "red"


def counts(drawing: Drawing, depth: int) -> tuple[list[int], list[int]]:
    return perft(start(drawing), lambda game: successors(drawing, game), lambda game: winner(drawing, game), depth)


def grundy(drawing: Drawing) -> int:
    """The value of an all-green drawing by the theory: Node Kayles on the graph of crossings, its parts added."""
    links = {number: {other for other in drawing if cross(drawing[number], drawing[other])} for number in drawing}
    return _kayles(frozenset(drawing), links)


def _kayles(nodes: frozenset[int], links: Mapping[int, set[int]]) -> int:
    value, left = 0, nodes
    while left:
        part = _component(left, links)
        options = {_kayles(part - {node} - links[node], links) for node in part}
        value ^= next(number for number in count() if number not in options)
        left -= part
    return value


def _component(nodes: frozenset[int], links: Mapping[int, set[int]]) -> frozenset[int]:
    reached, todo = set(), [min(nodes)]
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += links[node] & nodes
    return frozenset(reached)


def overlap(one: Edge, other: Edge) -> bool:
    """Whether they share more than a point: then two different ends lie on both."""
    return len({spot for spot in (*one[:2], *other[:2]) if _on(spot, one) and _on(spot, other)}) > 1


def _on(spot: Spot, edge: Edge) -> bool:
    (ax, ay), (bx, by), _ = edge
    x, y = spot
    on_line = (bx - ax) * (y - ay) == (by - ay) * (x - ax)
    return on_line and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by)
