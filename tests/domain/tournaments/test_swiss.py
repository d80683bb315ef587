"""Swiss pairings: FIDE's Dutch system round by round, and what gives way where it allows no round."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.tournaments import swiss
from pbm.domain.tournaments.bouts import LOSS, WIN, Bout, Seats, histories, seated
from tests.domain.tournaments.simulated import differences

POINTS = ((2, 0), (0, 2), (1, 1))
Rounds = list[list[Bout]]


def ended(bout: Bout, points: tuple[int, int] = (WIN, LOSS)) -> Bout:
    return Bout(bout.first, bout.second, (WIN, LOSS) if bout.second is None else points, bout.played)


def flat(rounds: Sequence[Sequence[Bout]]) -> list[Bout]:
    return [bout for bouts in rounds for bout in bouts]


def pairings(bouts: Sequence[Bout]) -> list[tuple[int, int | None]]:
    return [(bout.first, bout.second) for bout in bouts]


def test_rounds_are_paired_as_py4swiss_pairs_them() -> None:
    assert differences(range(25), 16, least_rounds=80) == []


@pytest.mark.oracle
@pytest.mark.parametrize(("tournaments", "most", "least_rounds"), [(280, 20, 1000), (10, 80, 50)])
def test_a_thousand_rounds_are_paired_as_py4swiss_pairs_them(tournaments: int, most: int, least_rounds: int) -> None:
    assert differences(range(tournaments), most, least_rounds) == []


@st.composite
def tournaments(draw: st.DrawFn, most: int = 10) -> tuple[int, Rounds]:
    """The number of entrants, and the bouts of each round; there may be more rounds than opponents."""
    number = draw(st.integers(2, most))
    rounds: Rounds = []
    for _ in range(draw(st.integers(1, number + 3))):
        fresh = swiss.bouts(range(number), rounds)
        rounds.append([ended(bout, draw(st.sampled_from(POINTS))) for bout in fresh])
    return number, rounds


@given(tournaments())
@settings(max_examples=60)
def test_everybody_is_in_each_round_once_and_byes_go_round(tournament: tuple[int, Rounds]) -> None:
    number, rounds = tournament
    for bouts in rounds:
        assert sorted(each for bout in bouts for each in (bout.first, bout.second) if each is not None) == [
            *range(number)
        ]
        assert sum(bout.second is None for bout in bouts) == number % 2

    byes = Counter(dict.fromkeys(range(number), 0) | Counter(b.first for b in flat(rounds) if b.second is None))
    assert max(byes.values()) - min(byes.values()) <= 1


@given(st.data())
@settings(max_examples=12)
def test_seats_stay_balanced_as_long_as_there_are_opponents(data: st.DataObject) -> None:
    number = data.draw(st.integers(8, 24))
    rounds: Rounds = []
    for _ in range(swiss.rounds(number)):
        rounds.append([ended(bout, data.draw(st.sampled_from(POINTS))) for bout in swiss.bouts(range(number), rounds)])
    met = Counter(frozenset((bout.first, bout.second)) for bout in flat(rounds) if bout.second is not None)
    assert set(met.values()) == {1}
    for seats in histories(range(number), flat(rounds)).values():
        assert abs(seats.balance) <= 2
        assert not any(len(set(seats.taken[start : start + 3])) == 1 for start in range(len(seats.taken) - 2))


def test_the_first_round_is_upper_against_lower_half_and_every_second_one_moves_first() -> None:
    assert pairings(swiss.bouts([1, 2, 3, 4, 5, 6, 7], [])) == [(1, 4), (5, 2), (3, 6), (7, None)]


@pytest.mark.parametrize(
    ("number", "seed"),
    [pytest.param(121, 0, id="odd"), pytest.param(160, 1, id="the last two have met", marks=pytest.mark.oracle)],
)
def test_in_all_rounds_of_a_large_tournament_everybody_meets_somebody_else(number: int, seed: int) -> None:
    rng = random.Random(seed)
    rounds: Rounds = []
    for _ in range(swiss.rounds(number)):
        rounds.append([ended(bout, rng.choice(POINTS)) for bout in swiss.bouts(range(number), rounds)])
    pairs = [frozenset((bout.first, bout.second)) for bout in flat(rounds)]
    assert len(set(pairs)) == len(pairs) == (number + 1) // 2 * swiss.rounds(number)


def test_the_first_round_is_the_upper_half_against_the_lower_one() -> None:
    pairs = swiss.bouts(range(1, 102), [])
    assert [sorted(bout.entrants) for bout in pairs] == [*([n, n + 50] for n in range(1, 51)), [101]]


def test_equals_meet_and_nobody_meets_twice() -> None:
    first = [Bout(1, 3, (WIN, LOSS)), Bout(4, 2, (LOSS, WIN))]
    assert {frozenset(pair) for pair in pairings(swiss.bouts([1, 2, 3, 4], [first]))} == {
        frozenset({1, 2}),
        frozenset({3, 4}),
    }


def leaders_of_the_same_seats() -> Rounds:
    """1 and 2 have won all games and were first in both rounds: both absolutely must be second next."""
    return [
        [Bout(1, 4, (WIN, LOSS)), Bout(2, 5, (WIN, LOSS)), Bout(3, 6, (WIN, LOSS))],
        [Bout(1, 5, (WIN, LOSS)), Bout(2, 6, (WIN, LOSS)), Bout(4, 3, (WIN, LOSS))],
    ]


@pytest.mark.parametrize(("is_last", "meet"), [(False, False), (True, True)])
def test_in_the_last_round_leaders_meet_though_one_has_a_seat_three_times(is_last: bool, meet: bool) -> None:
    bouts = swiss.bouts(range(1, 7), leaders_of_the_same_seats(), is_last=is_last)
    assert ({1, 2} in [{bout.first, bout.second} for bout in bouts]) == meet


def test_when_all_have_met_they_meet_again_in_the_other_seats() -> None:
    assert swiss.bouts([1, 2], [[Bout(1, 2, (WIN, LOSS))]]) == [Bout(2, 1)]


def test_one_who_has_left_is_not_paired_and_numbers_stay() -> None:
    before = [[Bout(1, 3, (WIN, LOSS)), Bout(4, 2, (LOSS, WIN))]]
    bouts = swiss.bouts([1, 2, 3, 4], before, absent={2})
    assert {each for bout in bouts for each in (bout.first, bout.second)} == {1, 3, 4, None}
    assert swiss.bouts([], []) == swiss.bouts([1], [], absent=[1]) == []
    assert swiss.bouts([1], []) == [Bout(1, played=False)]


def test_a_hundred_players_meet_nobody_twice() -> None:
    rng = random.Random(0)
    rounds: Rounds = []
    for _ in range(3):
        rounds.append([ended(bout, rng.choice(POINTS)) for bout in swiss.bouts(range(100), rounds)])
    pairs = [frozenset((bout.first, bout.second)) for bout in flat(rounds)]
    assert len(set(pairs)) == len(pairs) == 150


def test_rounds_are_enough_for_a_winner() -> None:
    assert [swiss.rounds(number) for number in (2, 3, 4, 8, 9, 16, 200)] == [1, 2, 3, 4, 5, 5, 9]
    assert all(swiss.rounds(number) <= max(1, number - 1) for number in range(2, 50))


@pytest.mark.parametrize(
    ("higher", "lower", "is_odd", "first"),
    [
        ((), (), True, "higher"),
        ((), (), False, "lower"),
        ((1,), (-1,), True, "lower"),
        ((1,), (), True, "lower"),
        ((), (1,), False, "higher"),
        ((1, -1), (-1, 1, -1), True, "lower"),
        ((1, -1), (-1, -1), True, "lower"),
        ((1, 1, -1, 1, 1), (-1, 1, 1), True, "lower"),
        ((1, -1, -1, 1), (-1, 1, -1, 1), True, "higher"),
        ((1, -1, 1), (1, -1, 1), True, "lower"),
    ],
    ids=[
        "an odd number moves first",
        "an even number moves second",
        "both have what is due",
        "the higher has what is due",
        "the lower has what is due",
        "strong before mild",
        "absolute before mild",
        "the larger balance",
        "other seats than when they last differed",
        "the due seat of the higher",
    ],
)
def test_seats(higher: tuple[int, ...], lower: tuple[int, ...], is_odd: bool, first: str) -> None:
    seats = {1: Seats(higher), 2: Seats(lower)}
    assert seated(1, 2, seats, is_odd=is_odd) == ((1, 2) if first == "higher" else (2, 1))
