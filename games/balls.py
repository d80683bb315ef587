"""Balls: numbers known to lie within a radius of a midpoint, in whole numbers only.

They stand in for those of python-flint where that is not installed; it has no wheel for Alpine and 32-bit ARM. A long
game takes four times as long.
Each has the names and the promises of flint's that the polygon game uses: an operation's ball contains every result of
numbers from its operands' balls, and a comparison holds only if it does for all of them. How wide a ball is decides no
question: what is left open is asked again with more bits, and in the end of exact whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class Context:
    """The working precision: how many bits stand behind the point, give or take."""

    prec = 53

    @contextmanager
    def workprec(self, bits: int) -> Iterator[None]:
        before, self.prec = self.prec, bits
        try:
            yield
        finally:
            self.prec = before


ctx = Context()

_GUARD_BITS = 32
"""Bits beyond the working precision: flint's are counted from the first digit, these from the point."""


@dataclass(slots=True, eq=False)
class Ball:
    """From middle - radius to middle + radius, both counted in units of 1 / 2**places; radius None: any number."""

    middle: int
    radius: int | None
    places: int

    def at(self, places: int) -> tuple[int, int]:
        """Middle and radius in other units, rounded outwards. It must be finite."""
        assert self.radius is not None  # noqa: S101  the caller has looked
        more = places - self.places
        if more >= 0:
            return self.middle << more, self.radius << more
        return self.middle >> -more, (self.radius >> -more) + 2  # each of the two shifts may lose up to one unit

    def __add__(self, other: Ball) -> Ball:
        if self.radius is None or other.radius is None:
            return ANYTHING
        places = ctx.prec + _GUARD_BITS
        (one, near), (two, far) = self.at(places), other.at(places)
        return Ball(one + two, near + far, places)

    def __sub__(self, other: Ball) -> Ball:
        return self + Ball(-other.middle, other.radius, other.places)

    def __mul__(self, other: Ball | int) -> Ball:
        if isinstance(other, int):
            other = Ball(other, 0, 0)
        if self.radius is None or other.radius is None:
            return ANYTHING
        places = ctx.prec + _GUARD_BITS
        (one, near), (two, far) = self.at(places), other.at(places)
        spread = abs(one) * far + abs(two) * near + near * far
        # Each of the two shifts may lose up to one unit.
        return Ball(one * two >> places, (spread >> places) + 2, places)

    def __truediv__(self, other: Ball) -> Ball:
        places = ctx.prec + _GUARD_BITS
        if self.radius is None or other.radius is None:
            return ANYTHING
        (one, near), (two, far) = self.at(places), other.at(places)
        least = abs(two) - far
        if least <= 0:  # it may be a division by zero
            return ANYTHING
        spread = near * abs(two) + abs(one) * far
        return Ball((one << places) // two, (spread << places) // (abs(two) * least) + 2, places)

    def __lt__(self, other: Ball | int) -> bool:
        return self._below(other) if isinstance(other, Ball) else self._below(Ball(other, 0, 0))

    def __gt__(self, other: Ball | int) -> bool:
        return (other if isinstance(other, Ball) else Ball(other, 0, 0))._below(self)

    def _below(self, other: Ball) -> bool:
        if self.radius is None or other.radius is None:
            return False  # nothing is certain of any number
        places = max(self.places, other.places)
        (one, near), (two, far) = self.at(places), other.at(places)
        return one + near < two - far

    def overlaps(self, other: Ball) -> bool:
        return not (self < other or self > other)

    def is_finite(self) -> bool:
        return self.radius is not None

    def mid(self) -> Ball:
        return Ball(self.middle, 0, self.places)

    def lower(self) -> Ball:
        """Its least number."""
        return Ball(self.middle - (self.radius or 0), 0, self.places)

    def upper(self) -> Ball:
        """Its greatest number."""
        return Ball(self.middle + (self.radius or 0), 0, self.places)

    def floor(self) -> Ball:
        """A ball with its numbers rounded down."""
        if self.radius is None:
            return self
        least = (self.middle - self.radius) >> self.places
        most = (self.middle + self.radius) >> self.places
        return Ball(least + most, most - least, 1)  # in halves, so that the middle is one, too

    def unique_fmpz(self) -> int | None:
        """The only whole number in it; None if there is none, or more than one."""
        if self.radius is None:
            return None
        least = -((self.radius - self.middle) >> self.places)
        most = (self.middle + self.radius) >> self.places
        return least if least == most else None


ANYTHING = Ball(0, None, 0)


fmpz = int


def arb(middle: float, radius: float = 0) -> Ball:
    """A ball of two numbers whose fractions are halves."""
    return Ball(int(2 * middle), int(2 * radius), 1)
