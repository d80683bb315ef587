"""How much work an exact answer may cost.

Steps are counted, so that the same question gets the same answer on every machine; what an asker minds besides, such as
a clock, may only end the work sooner.
"""

from __future__ import annotations

from collections.abc import Callable


class OutOfSteps(Exception):
    """The question is too large for the steps that were allowed."""


class Steps:
    """So many steps that may be taken. enough: asked at each of them; where it is true, no more may be."""

    __slots__ = ("_enough", "left")

    def __init__(self, left: int, enough: Callable[[], bool] | None = None) -> None:
        self.left, self._enough = left, enough

    def take(self, number: int = 1) -> None:
        """Raises: OutOfSteps at the first one beyond."""
        self.left -= number
        if self.left < 0 or (self._enough is not None and self._enough()):
            raise OutOfSteps

    def of(self, cost: int) -> Steps:
        """As many dearer ones as what is left is worth. cost: how many of these each takes."""
        return Steps(self.left // cost, self._enough)
