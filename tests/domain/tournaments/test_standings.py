"""Points and tie-breaks, by hand and by a literal count."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.tournaments import pairings
from pbm.domain.tournaments.bouts import ROBIN, SWISS, Bout, TieBreak, standings

WON, DRAWN, LOST = (2, 0), (1, 1), (0, 2)


def test_points_and_what_they_are_made_of() -> None:
    lines = standings([1, 2, 3], [Bout(1, 2, WON), Bout(2, 3, DRAWN), Bout(3, 1, LOST), Bout(1, 2)], ())
    assert [(line.entrant, line.points, line.won, line.drawn, line.lost) for line in lines] == [
        (1, 2, 2, 0, 0),
        (2, Fraction(1, 2), 0, 1, 1),
        (3, Fraction(1, 2), 0, 1, 1),
    ]
    assert [line.rank for line in lines] == [1, 2, 2]


def test_buchholz_is_the_points_of_all_one_has_met() -> None:
    bouts = [Bout(1, 2, WON), Bout(3, 4, WON), Bout(1, 3, WON), Bout(2, 4, WON)]
    lines = {line.entrant: line for line in standings([1, 2, 3, 4], bouts, SWISS)}
    assert [lines[each].tie_breaks[0] for each in (1, 2, 3, 4)] == [2, 2, 2, 2]
    assert [lines[each].tie_breaks[1] for each in (1, 2, 3, 4)] == [2, 0, 0, 0]


def test_a_bye_counts_as_an_opponent_like_oneself() -> None:
    (line,) = standings([1], [Bout(1, None, (2, 0), played=False)], SWISS)
    assert line.points == 1
    assert line.won == 0
    assert line.tie_breaks == (Fraction(1), Fraction(1), Fraction(0))


def test_equals_are_told_apart_by_their_own_game() -> None:
    bouts = [Bout(1, 2, LOST), Bout(1, 3, WON), Bout(2, 3, LOST), Bout(3, 4, LOST), Bout(1, 4, WON), Bout(2, 4, WON)]
    lines = standings([1, 2, 3, 4], bouts, ROBIN)
    assert [(line.rank, line.entrant) for line in lines] == [(1, 2), (2, 1), (3, 4), (4, 3)]


def test_a_circle_of_equals_shares_the_place() -> None:
    lines = standings([1, 2, 3], [Bout(1, 2, WON), Bout(2, 3, WON), Bout(3, 1, WON)], ROBIN)
    assert [(line.rank, line.entrant) for line in lines] == [(1, 1), (1, 2), (1, 3)]


def test_the_direct_game_counts_only_if_all_equals_have_met() -> None:
    lines = standings([1, 2, 3, 4], [Bout(1, 2, WON), Bout(3, 4, WON)], (TieBreak.DIRECT,))
    assert [line.tie_breaks for line in lines] == [(Fraction(0),)] * 4


@given(st.integers(2, 7), st.data())
@settings(max_examples=60)
def test_sonneborn_berger_by_the_book(number: int, data: st.DataObject) -> None:
    bouts = [
        Bout(bout.first, bout.second, data.draw(st.sampled_from((WON, DRAWN, LOST))))
        for each in range(1, pairings.robin_rounds(number) + 1)
        for bout in pairings.robin_bouts(range(number), each)
        if bout.second is not None
    ]
    points = [sum((Fraction(b.score(each), 2) for b in bouts if b.holds(each)), Fraction()) for each in range(number)]
    lines = standings(range(number), bouts, (TieBreak.SONNEBORN_BERGER,))
    for line in lines:
        expected = Fraction()
        for bout in bouts:
            if bout.holds(line.entrant):
                opponent = bout.opponent(line.entrant)
                assert opponent is not None
                expected += {2: points[opponent], 1: points[opponent] / 2, 0: Fraction()}[bout.score(line.entrant)]
        assert line.tie_breaks == (expected,)
        assert line.points == points[line.entrant]
    assert [(-line.points, -line.tie_breaks[0]) for line in lines] == sorted(
        (-line.points, -line.tie_breaks[0]) for line in lines
    )
