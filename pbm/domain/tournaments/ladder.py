"""A ladder: one list, the first on the highest rung. A challenger who wins takes the other's rung."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbm.domain.tournaments.bouts import Entrant


def within_reach(rungs: Sequence[Entrant], challenger: Entrant, most: int) -> list[Entrant]:
    """Those a player may challenge: up to so many rungs above, the highest first."""
    place = rungs.index(challenger)
    return list(rungs[max(0, place - most) : place])


def after_win(rungs: Sequence[Entrant], challenger: Entrant, challenged: Entrant) -> list[Entrant]:
    """The winner takes the rung of the one they have challenged; everybody between them goes down by one.

    Where the winner stands above the other by now, or one of them has left, nothing changes.
    """
    if not {challenger, challenged} <= set(rungs) or rungs.index(challenger) < rungs.index(challenged):
        return list(rungs)
    order = [each for each in rungs if each != challenger]
    order.insert(order.index(challenged), challenger)
    return order


def dropped(rungs: Sequence[Entrant], idle: Collection[Entrant]) -> list[Entrant]:
    """Each of the idle goes down by one rung, unless only idle ones are below."""
    order = list(rungs)
    for place in range(len(order) - 2, -1, -1):
        if order[place] in idle and order[place + 1] not in idle:
            order[place : place + 2] = order[place + 1], order[place]
    return order
