"""Swiss pairings, whole events of them, and each round against all rounds there could be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.tournaments import swiss
from pbm.domain.tournaments.bouts import Bout, flaws, histories, seated

POINTS = ((2, 0), (0, 2), (1, 1))
Pairs = tuple[tuple[int, int], ...]


def played(bout: Bout, points: tuple[int, int]) -> Bout:
    return Bout(bout.first, bout.second, (2, 0) if bout.second is None else points, bout.played)


@st.composite
def events(draw: st.DrawFn, most: int = 10) -> tuple[int, list[list[Bout]]]:
    """An event of some rounds: how many there are, and the bouts of each round."""
    number = draw(st.integers(2, most))
    rounds: list[list[Bout]] = []
    for _ in range(draw(st.integers(1, number + 1))):
        fresh = swiss.bouts(range(number), [bout for bouts in rounds for bout in bouts])
        rounds.append([played(bout, draw(st.sampled_from(POINTS))) for bout in fresh])
    return number, rounds


def flat(rounds: Sequence[Sequence[Bout]]) -> list[Bout]:
    return [bout for bouts in rounds for bout in bouts]


@given(events())
@settings(max_examples=60, deadline=None)
def test_everybody_is_in_each_round_once(event: tuple[int, list[list[Bout]]]) -> None:
    number, rounds = event
    for bouts in rounds:
        assert sorted(each for bout in bouts for each in (bout.first, bout.second) if each is not None) == [
            *range(number)
        ]
        assert sum(bout.second is None for bout in bouts) == number % 2


@given(events())
@settings(max_examples=60, deadline=None)
def test_byes_go_round(event: tuple[int, list[list[Bout]]]) -> None:
    number, rounds = event
    byes = Counter(dict.fromkeys(range(number), 0) | Counter(b.first for b in flat(rounds) if b.second is None))
    assert max(byes.values()) - min(byes.values()) <= 1


def literal_matchings(players: Sequence[int]) -> Iterator[Pairs]:
    """All ways to pair an even number of players."""
    if not players:
        yield ()
        return
    top, *others = players
    for other in others:
        rest = [each for each in others if each != other]
        for pairs in literal_matchings(rest):
            yield ((top, other), *pairs)


@given(events(most=7))
@settings(max_examples=60, deadline=None)
def test_the_gravest_wishes_are_fulfilled_where_any_pairing_does(event: tuple[int, list[list[Bout]]]) -> None:
    """The worst pair of a round is as good as the worst pair of the best of all pairings of those who play."""
    number, rounds = event
    before = flat(rounds[:-1])
    met = Counter(frozenset((bout.first, bout.second)) for bout in before)
    points = {each: sum(bout.score(each) for bout in before if bout.holds(each)) for each in range(number)}
    seats = histories(range(number), before)

    def worst(pairs: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
        found = [(met[frozenset(pair)], *flaws(*(seats[each] for each in seated(*pair, seats)))) for pair in pairs]
        unfair = max((balance > 0 for _, balance, _ in found), default=0)
        repeated = max((row > 0 for _, _, row in found), default=0)
        gap = max((abs(points[one] - points[two]) for one, two in pairs), default=0)
        return max((times for times, _, _ in found), default=0), unfair, repeated, gap

    chosen = [(bout.first, bout.second) for bout in rounds[-1] if bout.second is not None]
    resting = {bout.first for bout in rounds[-1] if bout.second is None}
    playing = [each for each in range(number) if each not in resting]
    assert worst(chosen) == min(worst(pairs) for pairs in literal_matchings(playing))
    assert all((one, two) == seated(one, two, seats) for one, two in chosen)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_seats_stay_balanced_as_long_as_there_are_opponents(data: st.DataObject) -> None:
    number = data.draw(st.integers(8, 24))
    bouts: list[Bout] = []
    for _ in range(swiss.rounds(number)):
        fresh = swiss.bouts(range(number), bouts)
        bouts += [played(bout, data.draw(st.sampled_from(POINTS))) for bout in fresh]
    met = Counter(frozenset((bout.first, bout.second)) for bout in bouts if bout.second is not None)
    assert set(met.values()) == {1}
    seats = histories(range(number), bouts)
    assert all(abs(each.balance) <= 2 for each in seats.values())
    for each in seats.values():
        assert not any(len(set(each.taken[start : start + 3])) == 1 for start in range(len(each.taken) - 2))


def test_the_first_round_is_upper_against_lower_half() -> None:
    bouts = swiss.bouts([1, 2, 3, 4, 5, 6, 7], [])
    assert [{bout.first, bout.second} for bout in bouts] == [{1, 4}, {2, 5}, {3, 6}, {7, None}]


def test_equals_meet_and_nobody_meets_twice() -> None:
    first = swiss.bouts([1, 2, 3, 4], [])
    results = [Bout(bout.first, bout.second, (2, 0) if bout.first < (bout.second or 0) else (0, 2)) for bout in first]
    assert {frozenset((bout.first, bout.second)) for bout in swiss.bouts([1, 2, 3, 4], results)} == {
        frozenset({1, 2}),
        frozenset({3, 4}),
    }


def test_when_all_have_met_they_meet_again_in_the_other_seats() -> None:
    assert swiss.bouts([1, 2], [Bout(1, 2, (2, 0))]) == [Bout(2, 1)]


def test_one_who_has_left_is_not_paired() -> None:
    bouts = swiss.bouts([1, 3, 4], [Bout(1, 2, (2, 0)), Bout(3, 4, (2, 0))])
    assert {each for bout in bouts for each in (bout.first, bout.second)} == {1, 3, 4, None}
    assert swiss.bouts([], []) == []


def test_two_hundred_players_meet_nobody_twice() -> None:
    players = range(200)
    bouts: list[Bout] = []
    for number in range(5):
        bouts += [played(bout, POINTS[(bout.first * 7 + number) % 3]) for bout in swiss.bouts(players, bouts)]
    pairs = [frozenset((bout.first, bout.second)) for bout in bouts]
    assert len(set(pairs)) == len(pairs) == 500
    assert all(abs(each.balance) <= 2 for each in histories(players, bouts).values())


def test_rounds_are_enough_for_a_winner() -> None:
    assert [swiss.rounds(number) for number in (2, 3, 4, 8, 9, 16, 200)] == [1, 2, 3, 4, 5, 5, 9]
    assert all(swiss.rounds(number) <= max(1, number - 1) for number, _ in combinations(range(2, 50), 2))
