"""Knockouts: the pairings, who goes on, and that one player is left."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.tournaments import pairings
from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN, Bout


def played(bouts: list[Bout], *winners: int) -> list[Bout]:
    return [
        bout if bout.points else Bout(bout.first, bout.second, (WIN, LOSS) if bout.first in winners else (LOSS, WIN))
        for bout in bouts
    ]


def pairs(bouts: list[Bout]) -> list[set[int]]:
    return [{each for each in (bout.first, bout.second) if each} for bout in bouts]


def test_the_first_two_can_meet_only_in_the_final() -> None:
    first = pairings.knockout_bouts(range(1, 9), [])
    assert pairs(first) == [{1, 8}, {4, 5}, {2, 7}, {3, 6}]
    second = pairings.knockout_bouts(range(1, 9), [played(first, 1, 2, 3, 4)])
    assert pairs(second) == [{1, 4}, {2, 3}]
    final = pairings.knockout_bouts(range(1, 9), [played(first, 1, 2, 3, 4), played(second, 1, 2)])
    assert pairs(final) == [{1, 2}]


def test_the_highest_seeds_have_no_opponent_where_places_are_left() -> None:
    first = pairings.knockout_bouts(range(1, 7), [])
    assert pairs(first) == [{1}, {4, 5}, {2}, {3, 6}]
    assert [bout.points for bout in first if bout.second is None] == [(WIN, LOSS)] * 2
    assert pairs(pairings.knockout_bouts(range(1, 7), [played(first, 5, 3)])) == [{1, 5}, {2, 3}]


def test_who_has_moved_first_moves_second_next() -> None:
    first = pairings.knockout_bouts(range(1, 5), [])
    (final,) = pairings.knockout_bouts(range(1, 5), [[Bout(1, 4, (WIN, LOSS)), Bout(3, 2, (LOSS, WIN))]])
    assert [bout.first for bout in first] == [1, 2]
    assert (final.first, final.second) == (2, 1)


def test_after_a_draw_the_one_who_moved_second_goes_on() -> None:
    assert pairings.settled((DRAW, DRAW)) == (LOSS, WIN)
    assert pairings.settled((WIN, LOSS)) == (WIN, LOSS)


@pytest.mark.parametrize(
    ("absent", "expected"),
    [
        ({4}, [Bout(1, 4, (WIN, LOSS), played=False), Bout(2, 3)]),
        ({1, 4}, [Bout(1, 4, (LOSS, LOSS), played=False), Bout(2, 3)]),
    ],
)
def test_who_has_left_is_out(absent: set[int], expected: list[Bout]) -> None:
    assert pairings.knockout_bouts(range(1, 5), [], absent) == expected


def test_where_both_have_left_the_next_opponent_goes_on_without_a_game() -> None:
    first = [Bout(1, 4, (LOSS, LOSS), played=False), Bout(2, 3, (WIN, LOSS))]
    assert pairings.knockout_bouts(range(1, 5), [first], {1, 4}) == [Bout(2, None, (WIN, LOSS), played=False)]


@given(st.integers(1, 70), st.randoms(use_true_random=False))
def test_one_is_left_and_lost_to_nobody(number: int, rng: random.Random) -> None:
    entrants = range(number)
    before: list[list[Bout]] = []
    for _ in range(pairings.knockout_rounds(number)):
        bouts = pairings.knockout_bouts(entrants, before)
        before.append(played(bouts, *(rng.sample(entrants, number // 2))))
    lost = [
        each
        for bouts in before
        for bout in bouts
        for each in (bout.first, bout.second)
        if each is not None and bout.score(each) == LOSS
    ]
    assert len(lost) == len(set(lost)) == number - 1
    assert all(bout.second is not None for bouts in before[1:] for bout in bouts)
