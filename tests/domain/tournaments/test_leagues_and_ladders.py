"""Divisions and how players move between them; rungs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.tournaments import pairings


@given(st.integers(0, 200), st.integers(3, 20))
def test_divisions_are_about_equally_large(number: int, size: int) -> None:
    divisions = pairings.divided(range(number), size)
    assert [each for division in divisions for each in division] == list(range(number))
    sizes = [len(division) for division in divisions]
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)
    if number >= size:
        assert all(abs(each - size) <= size / 2 for each in sizes)


def test_the_first_go_up_and_the_last_go_down() -> None:
    fresh = pairings.next_season([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], 1, (), (), 4)
    assert fresh == [[1, 2, 3, 5], [4, 6, 7, 9], [8, 10, 11, 12]]
    fresh = pairings.next_season([[1, 2, 3, 4], [5, 6, 7, 8]], 2, (), (), 4)
    assert fresh == [[1, 2, 5, 6], [3, 4, 7, 8]]


def test_who_has_left_is_replaced_from_below_and_who_is_new_begins_at_the_bottom() -> None:
    fresh = pairings.next_season([[1, 2, 3, 4], [5, 6, 7, 8]], 1, {2}, [20], 4)
    assert fresh == [[1, 3, 5, 4], [6, 7, 8, 20]]


def test_no_more_move_than_half_a_division() -> None:
    assert pairings.moving(3, 3, 5) == 1
    assert pairings.moving(6, 5, 5) == 2
    assert pairings.next_season([[1, 2]], 3, (), (), 4) == [[1, 2]]


@given(st.integers(2, 40), st.integers(3, 8), st.integers(0, 4), st.data())
def test_nobody_is_lost_between_seasons(number: int, size: int, most: int, data: st.DataObject) -> None:
    divisions = pairings.divided(range(number), size)
    leavers = data.draw(st.sets(st.integers(0, number - 1)))
    fresh = pairings.next_season(divisions, most, leavers, [100, 101], size)
    assert sorted(each for division in fresh for each in division) == [*sorted({*range(number)} - leavers), 100, 101]


@pytest.mark.parametrize(
    ("challenger", "most", "near"), [(5, 2, [3, 4]), (2, 3, [1]), (1, 3, []), (5, 9, [1, 2, 3, 4])]
)
def test_who_is_within_reach(challenger: int, most: int, near: list[int]) -> None:
    assert pairings.within_reach([1, 2, 3, 4, 5], challenger, most) == near


def test_the_winner_takes_the_rung() -> None:
    assert pairings.after_win([1, 2, 3, 4, 5], 5, 2) == [1, 5, 2, 3, 4]
    assert pairings.after_win([1, 2, 3], 1, 2) == [1, 2, 3]
    assert pairings.after_win([1, 2, 3], 3, 9) == [1, 2, 3]


def test_the_idle_go_down_by_one() -> None:
    assert pairings.dropped([1, 2, 3, 4], {1}) == [2, 1, 3, 4]
    assert pairings.dropped([1, 2, 3, 4], {2, 3}) == [1, 4, 2, 3]
    assert pairings.dropped([1, 2, 3], {1, 2, 3}) == [1, 2, 3]
    assert pairings.dropped([1, 2], {2}) == [1, 2]


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_nobody_falls_by_more_than_the_rule_says(rungs: list[int], idle: set[int]) -> None:
    after = pairings.dropped(rungs, idle)
    assert sorted(after) == sorted(rungs)
    assert [each for each in after if each in idle] == [each for each in rungs if each in idle]
    assert [each for each in after if each not in idle] == [each for each in rungs if each not in idle]
    assert all(after.index(each) <= rungs.index(each) + 1 for each in rungs)
