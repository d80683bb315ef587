"""The limit of the work for an exact answer.

Steps are counted, so that the same question gets the same answer on every machine; other conditions of the caller, such
as a clock, can only end the work earlier.
"""

from __future__ import annotations

from collections.abc import Callable


class OutOfSteps(Exception):
    """The question is too large for the steps that were allowed."""


class Steps:
    """A number of steps that may be taken. enough: called at each step; once it is true, no more may be taken."""

    __slots__ = ("_enough", "left")

    def __init__(self, left: int, enough: Callable[[], bool] | None = None) -> None:
        self.left, self._enough = left, enough

    def take(self, number: int = 1) -> None:
        """Raises: OutOfSteps if these are more steps than are left."""
        self.left -= number
        if self.left < 0 or (self._enough is not None and self._enough()):
            raise OutOfSteps

    def of(self, cost: int) -> Steps:
        """The remaining steps as fewer, more expensive ones. cost: how many steps each of them takes."""
        return Steps(self.left // cost, self._enough)
