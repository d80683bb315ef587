"""Round robin: everybody meets everybody once, or twice with the seats exchanged, by Berger's tables.

The entrants are numbered by their seeds. With an odd number m of them, i and j meet in the round that i + j is, modulo
m, and i moves first if j - i, modulo m, is odd; an entrant who would meet themselves has a bye. So each moves first in
exactly half of their bouts. One more entrant takes these byes, and moves first in every second of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbm.domain.tournaments.bouts import Bout, Entrant


def rounds(number: int, *, double: bool = False) -> int:
    """How many rounds so many entrants play."""
    once = number - 1 + number % 2 if number > 1 else 0
    return 2 * once if double else once


def bouts(entrants: Sequence[Entrant], number: int) -> list[Bout]:
    """The bouts of a round. number: counted from 1; the second time round the seats are exchanged."""
    once = rounds(len(entrants))
    index, again = (number - 1) % once, (number - 1) // once % 2
    circle, pivot = _split(entrants)
    found = [_meeting(circle, index, step) for step in range(1, (len(circle) + 1) // 2)]
    alone = circle[_half(index, len(circle))]
    if pivot is None:
        found.append(Bout(alone, played=False))
    else:
        found.insert(0, Bout(pivot, alone) if index % 2 else Bout(alone, pivot))
    return [Bout(bout.second, bout.first) if again and bout.second is not None else bout for bout in found]


def _split(entrants: Sequence[Entrant]) -> tuple[Sequence[Entrant], Entrant | None]:
    """An odd number of entrants, and the one who is left over."""
    return (entrants, None) if len(entrants) % 2 else (entrants[:-1], entrants[-1])


def _half(index: int, size: int) -> int:
    """The place that, doubled, is index modulo an odd size."""
    return index * (size + 1) // 2 % size


def _meeting(circle: Sequence[Entrant], index: int, step: int) -> Bout:
    """The two who stand step places to the left and to the right of the one who has the bye."""
    size = len(circle)
    alone = _half(index, size)
    left, right = (alone - step) % size, (alone + step) % size
    one, two = circle[left], circle[right]
    return Bout(one, two) if (right - left) % size % 2 else Bout(two, one)
