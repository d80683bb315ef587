"""Pairings of a round robin, a knockout, a league and a ladder; those of a Swiss are in swiss.py.

Round robin: everybody meets everybody once, or twice with the seats exchanged, by Berger's tables. Entrants are
numbered by seed. With an odd number m of them, i and j meet in the round (i + j) modulo m, and i moves first if
(j - i) modulo m is odd; an entrant who would meet themselves has a bye. So each moves first in exactly half of their
bouts. One more entrant takes these byes, and moves first in every second of these bouts.

Knockout: the winner of a bout advances and the loser is out, until one is left. The seeds are spread so that the first
two can only meet in the final, the first four not before the semifinals, and so on. If there are fewer entrants than
places, the highest seeds have no opponent in the first round. Draws are not replayed: moving first is an advantage, so
the one who moved second advances.

A league has divisions, with a round robin in each. It is one list, the strongest first, cut into divisions. At the end
of a season the last of each division change places with the first of the next one; then leavers are removed, so that
everybody below moves up, newcomers are added at the end, and the list is cut again.

A ladder is one list, the first on the highest rung. A challenger who wins takes the other's rung.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout, Entrant, histories, seated


def robin_rounds(number: int, *, double: bool = False) -> int:
    """How many rounds this number of entrants play."""
    once = number - 1 + number % 2 if number > 1 else 0
    return 2 * once if double else once


def robin_bouts(entrants: Sequence[Entrant], number: int) -> list[Bout]:
    """The bouts of a round. number: counted from 1; in the second half the seats are exchanged."""
    once = robin_rounds(len(entrants))
    index, again = (number - 1) % once, (number - 1) // once % 2
    circle, pivot = (entrants, None) if len(entrants) % 2 else (entrants[:-1], entrants[-1])  # in an odd circle
    bouts = [_meeting(circle, index, step) for step in range(1, (len(circle) + 1) // 2)]
    alone = circle[_half(index, len(circle))]
    if pivot is None:
        bouts.append(Bout(alone, played=False))
    else:
        bouts.insert(0, Bout(pivot, alone) if index % 2 else Bout(alone, pivot))
    return [Bout(bout.second, bout.first) if again and bout.second is not None else bout for bout in bouts]


def _half(index: int, size: int) -> int:
    """The place that, doubled, equals index modulo an odd size."""
    return index * (size + 1) // 2 % size


def _meeting(circle: Sequence[Entrant], index: int, step: int) -> Bout:
    """The bout of the two who are step places to the left and right of the one with the bye."""
    size = len(circle)
    alone = _half(index, size)
    left, right = (alone - step) % size, (alone + step) % size
    one, two = circle[left], circle[right]
    return Bout(one, two) if (right - left) % size % 2 else Bout(two, one)


Points = tuple[int, int]


def knockout_rounds(number: int) -> int:
    """How many rounds this number of entrants play."""
    return max(0, number - 1).bit_length()


def settled(points: Points) -> Points:
    """The points of a knockout bout, in which a draw is a win for the one who moved second."""
    return (LOSS, WIN) if points == (DRAW, DRAW) else points


def knockout_bouts(
    seeded: Sequence[Entrant], before: Sequence[Sequence[Bout]], absent: Collection[Entrant] = ()
) -> list[Bout]:
    """The bouts of the next round, from the top of the draw; finished if somebody advances without playing.

    seeded: all who started, the strongest first. before: the bouts of each earlier round. absent: entrants who left.
    """
    seats = histories(seeded, [bout for bouts in before for bout in bouts])
    bouts = []
    for pair in _pairs(_survivors(seeded, before)):
        drawn = sorted((entrant for entrant in pair if entrant is not None), key=seeded.index)
        match [entrant for entrant in drawn if entrant not in absent]:
            case [higher, lower]:
                bouts.append(Bout(*seated(higher, lower, seats)))
            case [alone]:
                other = next((entrant for entrant in drawn if entrant != alone), None)
                bouts.append(Bout(alone, other, (WIN, LOSS), played=False))
            # Both have left: nobody advances, and the other half of the draw must not wait.
            case _ if drawn:
                bouts.append(Bout(drawn[0], drawn[1] if len(drawn) > 1 else None, (LOSS, LOSS), played=False))
    return bouts


def _survivors(seeded: Sequence[Entrant], before: Sequence[Sequence[Bout]]) -> list[Entrant | None]:
    """The entrants left after these rounds, in the order of the draw; None for an empty place."""
    field = [seeded[place] if place < len(seeded) else None for place in _draw(1 << knockout_rounds(len(seeded)))]
    for bouts in before:
        winners = {entrant for bout in bouts for entrant in bout.entrants if bout.score(entrant) == WIN}
        # Where both have left, nobody advances.
        field = [next((entrant for entrant in pair if entrant in winners), None) for pair in _pairs(field)]
    return field


def _draw(size: int) -> list[int]:
    """The seeds, from 0, in the order of the draw; neighbours meet in the first round: [0, 3, 1, 2] for four."""
    places = [0]
    while len(places) < size:
        places = [seed for place in places for seed in (place, 2 * len(places) - 1 - place)]
    return places


def _pairs(field: Sequence[Entrant | None]) -> list[tuple[Entrant | None, Entrant | None]]:
    return list(zip(field[::2], field[1::2], strict=True)) if len(field) > 1 else []


Divisions = list[list[Entrant]]


def divided(ranked: Sequence[Entrant], size: int) -> Divisions:
    """The list cut into at least one division of about this size, the upper ones larger by at most one."""
    number = max(1, (len(ranked) + size // 2) // size)
    small, larger = divmod(len(ranked), number)
    ends = [small * index + min(index, larger) for index in range(number + 1)]
    return [list(ranked[start:end]) for start, end in pairwise(ends)]


def moving(above: int, below: int, most: int) -> int:
    """How many change places between two divisions of these sizes: at most half of the smaller one."""
    return min(most, above // 2, below // 2)


def next_season(
    standings: Sequence[Sequence[Entrant]],
    most: int,
    leavers: Collection[Entrant],
    newcomers: Sequence[Entrant],
    size: int,
) -> Divisions:
    """The divisions of the next season. standings: of each division, the best first. most: how many move at most."""
    kept: Divisions = [list(division) for division in standings]
    for upper in range(len(standings) - 1):
        above, below = standings[upper], standings[upper + 1]
        count = moving(len(above), len(below), most)
        if count:
            kept[upper][-count:], kept[upper + 1][:count] = below[:count], above[-count:]
    order = [entrant for division in kept for entrant in division if entrant not in leavers]
    return divided([*order, *newcomers], size)


def within_reach(rungs: Sequence[Entrant], challenger: Entrant, most: int) -> list[Entrant]:
    """The players one may challenge: up to this many rungs above, the highest first."""
    place = rungs.index(challenger)
    return list(rungs[max(0, place - most) : place])


def after_win(rungs: Sequence[Entrant], challenger: Entrant, challenged: Entrant) -> list[Entrant]:
    """The ladder after a challenger wins: they take the other's rung, and everybody between moves down by one."""
    # By now one of them may have left, or the winner be above the other.
    if not {challenger, challenged} <= set(rungs) or rungs.index(challenger) < rungs.index(challenged):
        return list(rungs)
    order = [entrant for entrant in rungs if entrant != challenger]
    order.insert(order.index(challenged), challenger)
    return order


def dropped(rungs: Sequence[Entrant], idle: Collection[Entrant]) -> list[Entrant]:
    """The ladder after each idle player drops by one rung, unless only idle ones are below."""
    order = list(rungs)
    for place in range(len(order) - 2, -1, -1):
        # From the bottom up, so that a drop is by one rung and idle ones do not change places with each other.
        if order[place] in idle and order[place + 1] not in idle:
            order[place : place + 2] = order[place + 1], order[place]
    return order
