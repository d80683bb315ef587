"""The polygons of the polygon game: integer corners, made from sides and a seed by integer arithmetic only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, count
from math import gcd

Corner = tuple[int, int]

RADIUS = 10_000
"""About half the width of a polygon: coordinates are from 0 to 2 * RADIUS."""

FULL_TURN = 1 << 24
UNIT = 1 << 24
"""What angles and sines are counted in."""


@lru_cache(maxsize=256)
def convex_polygon(sides: int, seed: int) -> tuple[Corner, ...]:
    """Corners in clockwise order from the top, no three diagonals through one point; the same on every machine.

    Each corner is moved from its place in a nearly regular polygon by amounts which SHA-256 makes from sides, seed and
    a count of attempts; the first attempt that has the wanted properties is taken.
    """
    for attempt in count():
        corners = tuple(
            _corner(index, sides, sha256(f"polygon {sides} {seed} {attempt} {index}".encode()).digest())
            for index in range(sides)
        )
        if _strictly_convex(corners) and _in_general_position(corners):
            return corners
    raise AssertionError("count() does not end")


def _corner(index: int, sides: int, noise: bytes) -> Corner:
    """A corner near its regular place: up to a fifth of a side's angle, and up to a hundredth of the radius, away."""
    turn = (int.from_bytes(noise[:2], "big") - 32768) * 2 // 5
    angle = (index * 65536 + turn) * FULL_TURN // (sides * 65536)
    radius = RADIUS - RADIUS * int.from_bytes(noise[2:4], "big") // (100 * 65536)
    return RADIUS + radius * _sine(angle) // UNIT, RADIUS + radius * _sine(angle + FULL_TURN // 4) // UNIT


def _sine(angle: int) -> int:
    """UNIT times the sine of angle / FULL_TURN turns by the formula of Bhaskara I, integers only, to 0.2 percent."""
    half = FULL_TURN // 2
    angle %= FULL_TURN
    if angle >= half:
        return -_sine(angle - half)
    product = angle * (half - angle)
    return 16 * UNIT * product // (5 * half * half - 4 * product)


def _turn(one: Corner, two: Corner, three: Corner) -> int:
    """Positive when the way through the three points turns left."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


def _strictly_convex(corners: Sequence[Corner]) -> bool:
    """Every corner turns right, in an order around once."""
    sides = len(corners)
    return all(_turn(corners[i - 2], corners[i - 1], corners[i]) < 0 for i in range(sides))


def _in_general_position(corners: Sequence[Corner]) -> bool:
    """No two crossings of diagonals are one point. Any four corners of a convex polygon make one crossing."""
    seen = set()
    for four in combinations(corners, 4):
        point = _crossing(*four)
        if point in seen:
            return False
        seen.add(point)
    return True


def _crossing(a: Corner, b: Corner, c: Corner, d: Corner) -> tuple[int, int, int]:
    """Where a-c and b-d meet: x and y times the third, in lowest terms. Fractions would take fifteen times as long."""
    before = _turn(a, c, b)
    whole = before - _turn(a, c, d)
    x, y = b[0] * whole + before * (d[0] - b[0]), b[1] * whole + before * (d[1] - b[1])
    common = gcd(x, y, whole) if whole > 0 else -gcd(x, y, whole)
    return x // common, y // common, whole // common
