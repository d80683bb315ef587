"""Whole Swiss tournaments with random results, compared with py4swiss."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbm.domain.tournaments import swiss
from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout
from tests.domain.tournaments import oracle

Pairing = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Round:
    """Our pairings, and those of the oracle: None if FIDE's rules allow no round."""

    pairings: list[Pairing]
    expected: list[Pairing] | None


def rounds(seed: int, most: int) -> Iterator[Round]:
    """All rounds of a tournament; with odd seeds some players rest, or win because their opponent stays away."""
    rng = random.Random(seed)
    number = rng.randint(2, most)
    entrants = range(1, number + 1)
    before: list[list[Bout]] = []
    count = min(swiss.rounds(number) + rng.randint(0, 2), number - 1 + number % 2)
    for played in range(count):
        is_last = played == count - 1
        absent = [each for each in entrants if seed % 2 and rng.random() < 0.06]
        absent = absent if len(absent) < number - 1 else []
        bouts = swiss.bouts(entrants, before, absent=absent, is_last=is_last)
        yield Round(
            [(bout.first, bout.second) for bout in bouts], oracle.bouts(number, before, absent, is_last=is_last)
        )
        resting = [Bout(each, None, rng.choice([(DRAW, LOSS), (LOSS, LOSS)]), played=False) for each in absent]
        before.append([*(_ended(bout, rng, may_stay_away=seed % 2 == 1) for bout in bouts), *resting])


def _ended(bout: Bout, rng: random.Random, *, may_stay_away: bool) -> Bout:
    if bout.second is None:
        return Bout(bout.first, None, (WIN, LOSS), played=False)
    points = rng.choices([(WIN, LOSS), (LOSS, WIN), (DRAW, DRAW)], [45, 40, 15])[0]
    if may_stay_away and points != (DRAW, DRAW) and rng.random() < 0.04:
        return Bout(bout.first, bout.second, points, played=False)
    return Bout(bout.first, bout.second, points)


def differences(seeds: Sequence[int], most: int, least_rounds: int) -> list[tuple[int, int, Round]]:
    """Seed, number and pairings of rounds that differ from the oracle's. least_rounds: how many must be compared."""
    found, compared = [], 0
    for seed in seeds:
        for place, paired in enumerate(rounds(seed, most), 1):
            compared += paired.expected is not None
            if paired.expected not in (None, paired.pairings):
                found.append((seed, place, paired))
    assert compared >= least_rounds
    return found
