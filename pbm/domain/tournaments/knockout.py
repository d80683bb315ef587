"""Knockout: the winner of a bout goes on, the other is out, until one is left.

The seeds are spread so that the first and the second can only meet in the final, the first four only before it, and so
on; where there are fewer entrants than places, the highest seeds have no opponent in the first round. Nobody plays a
draw off: moving first is an advantage, so that the one who moved second goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout, Entrant, histories, seated

Points = tuple[int, int]


def rounds(number: int) -> int:
    """How many rounds so many entrants play."""
    return max(0, number - 1).bit_length()


def settled(points: Points) -> Points:
    """What a bout is worth to both: a draw is a win of the one who moved second."""
    return (LOSS, WIN) if points == (DRAW, DRAW) else points


def bouts(seeded: Sequence[Entrant], before: Sequence[Sequence[Bout]], absent: Collection[Entrant] = ()) -> list[Bout]:
    """The bouts of the next round, from the top of the draw; settled where somebody goes on without playing.

    seeded: all who began, the strongest first. before: the bouts of each round. absent: who has left.
    """
    seats = histories(seeded, [bout for each in before for bout in each])
    found = []
    for pair in _pairs(_survivors(seeded, before)):
        drawn = sorted((each for each in pair if each is not None), key=seeded.index)
        match [each for each in drawn if each not in absent]:
            case [higher, lower]:
                found.append(Bout(*seated(higher, lower, seats)))
            case [alone]:
                other = next((each for each in drawn if each != alone), None)
                found.append(Bout(alone, other, (WIN, LOSS), played=False))
            case _ if drawn:
                found.append(Bout(drawn[0], drawn[1] if len(drawn) > 1 else None, (LOSS, LOSS), played=False))
    return found


def _survivors(seeded: Sequence[Entrant], before: Sequence[Sequence[Bout]]) -> list[Entrant | None]:
    """Who is left after these rounds, in the order of the draw; None where nobody is."""
    field = [seeded[place] if place < len(seeded) else None for place in _draw(1 << rounds(len(seeded)))]
    for bouts_ in before:
        winners = {
            each
            for bout in bouts_
            for each in (bout.first, bout.second)
            if each is not None and bout.score(each) == WIN
        }
        field = [next((each for each in pair if each in winners), None) for pair in _pairs(field)]
    return field


def _draw(size: int) -> list[int]:
    """Places by seed, from 0, neighbours meeting in the first round: [0, 3, 1, 2] for four."""
    places = [0]
    while len(places) < size:
        places = [each for place in places for each in (place, 2 * len(places) - 1 - place)]
    return places


def _pairs(field: Sequence[Entrant | None]) -> list[tuple[Entrant | None, Entrant | None]]:
    return list(zip(field[::2], field[1::2], strict=True)) if len(field) > 1 else []
