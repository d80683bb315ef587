"""Those who are paired in a round of a Swiss, each with what the rounds before say of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pbm.domain.tournaments.bouts import WIN, Bout, Entrant, Seats

DOWN, LEVEL, UP = -1, 0, 1
"""How an entrant floated in a round: met somebody with fewer points or played nobody, as many, more points."""


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant before a round."""

    entrant: Entrant
    number: int
    """By seed, from 1; of equal points the lower number ranks higher."""
    points: int
    """Half points."""
    seats: Seats
    floats: tuple[int, int]
    """In the last round, and in the one before it: DOWN, LEVEL or UP."""
    met: tuple[Entrant, ...]
    """Opponents of played bouts, one that was met twice standing twice."""
    byes: int
    """Rounds in which as many points as for a win came without a played bout."""
    is_leader: bool
    """Has more than half of all points before the last round: rules on seats yield to those on points."""


def contenders(
    seeded: Sequence[Entrant], rounds: Sequence[Sequence[Bout]], absent: Collection[Entrant], *, is_last: bool
) -> list[Contender]:
    """Who is paired in the next round, the highest rank first. absent: who of the seeded is not."""
    scores = _scores(rounds)
    found = [
        _contender(entrant, number, rounds, scores, is_last=is_last)
        for number, entrant in enumerate(seeded, 1)
        if entrant not in absent
    ]
    return sorted(found, key=lambda each: (-each.points, each.number))


def _contender(
    entrant: Entrant,
    number: int,
    rounds: Sequence[Sequence[Bout]],
    scores: Sequence[Mapping[Entrant, int]],
    *,
    is_last: bool,
) -> Contender:
    own = [next((bout for bout in bouts if bout.holds(entrant)), None) for bouts in rounds]
    played = [bout for bout in own if bout is not None and bout.played and bout.second is not None]
    points = scores[-1].get(entrant, 0)
    floats = [LEVEL, LEVEL, *map(partial(_float, entrant), own, scores)]
    return Contender(
        entrant,
        number,
        points,
        Seats.of(entrant, played),
        (floats[-1], floats[-2]),
        tuple(opponent for bout in played if (opponent := bout.opponent(entrant)) is not None),
        sum(bout is not None and bout not in played and bout.score(entrant) >= WIN for bout in own),
        is_last and points > len(rounds),
    )


def _scores(rounds: Sequence[Sequence[Bout]]) -> list[dict[Entrant, int]]:
    """The half points of all before each round, and at the end."""
    scores: list[dict[Entrant, int]] = [{}]
    for bouts in rounds:
        after = dict(scores[-1])
        for bout in bouts:
            for entrant in (bout.first, bout.second):
                if entrant is not None:
                    after[entrant] = after.get(entrant, 0) + bout.score(entrant)
        scores.append(after)
    return scores


def _float(entrant: Entrant, bout: Bout | None, before: Mapping[Entrant, int]) -> int:
    opponent = None if bout is None or not bout.played else bout.opponent(entrant)
    if opponent is None:
        return DOWN
    own, theirs = before.get(entrant, 0), before.get(opponent, 0)
    return (theirs > own) - (theirs < own)
