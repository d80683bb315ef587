"""A league: divisions of nearly equal strength, a round robin in each, and who goes up or down between two seasons.

The league is one list, the strongest first, cut into divisions. At the end of a season the last of each division change
places with the first of the next; then those who have left are taken out, so that everybody below moves up, and who is
new comes in at the end, and the list is cut again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from pbm.domain.tournaments.bouts import Entrant

Divisions = list[list[Entrant]]


def divided(ranked: Sequence[Entrant], size: int) -> Divisions:
    """Cut into divisions of size or one or two fewer or more, the upper ones larger; at least one."""
    number = max(1, (len(ranked) + size // 2) // size)
    small, larger = divmod(len(ranked), number)
    ends = [small * index + min(index, larger) for index in range(number + 1)]
    return [list(ranked[start:end]) for start, end in pairwise(ends)]


def moving(above: int, below: int, most: int) -> int:
    """How many go down, and up, between two divisions of such sizes: at most half of the smaller one."""
    return min(most, above // 2, below // 2)


def next_season(
    standings: Sequence[Sequence[Entrant]],
    most: int,
    leavers: Collection[Entrant],
    newcomers: Sequence[Entrant],
    size: int,
) -> Divisions:
    """The divisions of the next season. standings: of each division, the best first. most: how many move."""
    kept: Divisions = [list(division) for division in standings]
    for upper in range(len(standings) - 1):
        above, below = standings[upper], standings[upper + 1]
        count = moving(len(above), len(below), most)
        if count:
            kept[upper][-count:], kept[upper + 1][:count] = below[:count], above[-count:]
    order = [each for division in kept for each in division if each not in leavers]
    return divided([*order, *newcomers], size)
