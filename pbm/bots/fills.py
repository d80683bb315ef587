"""Many random ends of a connection game at once.

Where every cell ends up with one side or the other, the order of the moves does not matter: a playout is a board whose
free cells are given away at random. Boards lie side by side in one long integer, each with a spare row, so that one
shift moves all of them, and one flood joins the chains of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pbm.bots.skill import Credit

Cells = int
"""A set of cells of one board, each a bit, such that no neighbour is beyond the end of a row."""

Boards = int
"""The same for all boards; or a set of boards, as the lowest bit of each."""

COPIES = 64
"""Boards side by side."""


class Fills:
    """Random ends of one board. area: bits of a board. steps: how far apart the bits of neighbours are."""

    def __init__(self, area: int, steps: Sequence[int]) -> None:
        self._field = area + max(steps) + 2
        self._steps = tuple(step for step in steps if step > 0)
        self._each: Boards = sum(1 << copy * self._field for copy in range(COPIES))
        self._top = self._field - 1
        self._below_top = self._each * ((1 << self._top) - 1)

    def of(self, cells: Cells) -> Boards:
        """The cells on every board."""
        return cells * self._each

    def dealt(self, first: Cells, second: Cells, free: Cells, dice: Random) -> tuple[Boards, Boards]:
        """Boards on which the free cells are given to either side at random."""
        chance = dice.getrandbits(self._field * COPIES)
        everywhere = free * self._each
        mine = chance & everywhere
        return mine | first * self._each, everywhere ^ mine | second * self._each

    def kept(self, mine: Boards, theirs: Boards, pairs: Sequence[tuple[int, int]]) -> tuple[Boards, Boards]:
        """The same boards, but of each pair of cells of which the second side has both the first gets one."""
        each = self._each
        for one, other in pairs:
            both = theirs >> one & theirs >> other & each
            mine |= both << one
            theirs ^= both << one
        return mine, theirs

    def flood(self, seeds: Boards, within: Boards) -> Boards:
        """Everything within that chains join to the seeds."""
        reached = seeds & within
        while True:
            before = reached
            for step in self._steps:
                reached |= (reached << step | reached >> step) & within
            if reached == before:
                return reached

    def holding(self, cells: Boards) -> Boards:
        """The boards that have any of the cells."""
        return (cells + self._below_top >> self._top) & self._each

    def share(self, boards: Boards) -> float:
        """How large a part of all boards these are."""
        return boards.bit_count() / COPIES

    def credit(self, cells: Boards, free: Sequence[int], won: Boards, lost: Boards) -> Credit:
        """For each free cell that is among the cells how often it is, and the sum of the values of these boards."""
        each = self._each
        credit: dict[int, tuple[float, float]] = {}
        for cell in free:
            if not (there := cells >> cell & each):
                continue
            value = (there & won).bit_count() - (there & lost).bit_count()
            credit[cell] = there.bit_count() / COPIES, value / COPIES
        return credit
