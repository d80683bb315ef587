"""Round robins: everybody meets everybody, and is first as often as second."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from pbm.domain.tournaments import pairings
from pbm.domain.tournaments.bouts import Bout, histories


def schedule(number: int, *, double: bool = False) -> list[list[Bout]]:
    return [
        pairings.robin_bouts(range(number), each) for each in range(1, pairings.robin_rounds(number, double=double) + 1)
    ]


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("number", range(2, 21))
def test_everybody_meets_everybody(number: int, double: bool) -> None:
    rounds = schedule(number, double=double)
    for bouts in rounds:
        assert sorted(each for bout in bouts for each in (bout.first, bout.second) if each is not None) == [
            *range(number)
        ]
    met = Counter(frozenset((bout.first, bout.second)) for bouts in rounds for bout in bouts if bout.second is not None)
    assert met == dict.fromkeys(map(frozenset, combinations(range(number), 2)), 1 + double)


@pytest.mark.parametrize("number", range(2, 21))
def test_the_seats_are_shared_out_to_within_one(number: int) -> None:
    seats = histories(range(number), [bout for bouts in schedule(number) for bout in bouts])
    assert {abs(each.balance) for each in seats.values()} == ({0} if number % 2 else {1})
    runs = (each.taken[start : start + 3] for each in seats.values() for start in range(len(each.taken) - 2))
    assert all(len(set(run)) == 2 for run in runs)


@pytest.mark.parametrize("number", range(2, 21))
def test_who_meets_twice_has_had_both_seats(number: int) -> None:
    rounds = schedule(number, double=True)
    met = Counter((bout.first, bout.second) for bouts in rounds for bout in bouts if bout.second is not None)
    assert set(met.values()) == {1}
    assert all((second, first) in met for first, second in met)


@pytest.mark.parametrize("number", [3, 5, 7])
def test_an_odd_number_has_a_bye_each(number: int) -> None:
    idle = [bout.first for bouts in schedule(number) for bout in bouts if bout.second is None]
    assert sorted(idle) == list(range(number))


def test_four_by_the_table() -> None:
    assert schedule(4) == [
        [Bout(0, 3), Bout(1, 2)],
        [Bout(3, 2), Bout(0, 1)],
        [Bout(1, 3), Bout(2, 0)],
    ]
