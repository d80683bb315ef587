"""Ratings, compared with their author's worked example, and what must hold for any of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.ratings import Rating, after_match, aged, expected, rate

ratings = st.builds(Rating, st.floats(500, 2800), st.floats(30, 350), st.floats(0.03, 0.1))
scores = st.sampled_from([0.0, 0.5, 1.0])


def test_glickmans_worked_example() -> None:
    """glicko.net/glicko/glicko2.pdf, "Example calculation"."""
    after = rate(Rating(1500, 200, 0.06), [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)])
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_expected_scores_of_the_example() -> None:
    own = Rating(1500, 200)
    found = [float(expected(own, Rating(*words))) for words in ((1400, 30), (1550, 100), (1700, 300))]
    assert found == pytest.approx([0.639, 0.432, 0.303], abs=0.001)


def test_a_first_game_moves_both_players_alike() -> None:
    won, lost = rate(Rating(), [(Rating(), 1.0)]), rate(Rating(), [(Rating(), 0.0)])
    assert (won.shown, lost.shown) == (1662, 1338)
    assert won.deviation == pytest.approx(lost.deviation)


@settings(max_examples=200)
@given(ratings, ratings, scores)
def test_who_does_better_than_expected_rises(own: Rating, opponent: Rating, score: float) -> None:
    after = rate(own, [(opponent, score)])
    surprise = score - float(expected(own, opponent))
    assert (after.rating - own.rating) * surprise >= 0
    assert 0 < after.deviation < 360
    assert 0 < after.volatility < 1


@settings(max_examples=100)
@given(ratings, ratings)
def test_a_better_score_never_gives_a_lower_rating(own: Rating, opponent: Rating) -> None:
    lost, drawn, won = (rate(own, [(opponent, score)]).rating for score in (0.0, 0.5, 1.0))
    assert lost < drawn < won


def test_a_rating_is_established_after_about_a_dozen_games() -> None:
    own, games = Rating(), 0
    while own.provisional:
        own, games = rate(own, [(Rating(1500, 80), games % 2)]), games + 1
    assert 8 <= games <= 16


# Ageing, and what keeps ratings from being farmed


def test_without_a_match_less_is_known_with_every_week_and_never_less_than_nothing() -> None:
    own = Rating(1700, 60)
    assert aged(own, timedelta(days=6)) == aged(own, -timedelta(days=30)) == own
    assert aged(own, timedelta(weeks=1)).deviation == pytest.approx((60**2 + (0.06 * 173.7178) ** 2) ** 0.5)
    assert not aged(own, timedelta(weeks=52)).provisional
    assert aged(own, timedelta(weeks=80)).provisional
    assert aged(own, timedelta(weeks=9999)) == Rating(1700, 350)
    assert aged(Rating(), timedelta(weeks=9)) == Rating()


@given(ratings, st.integers(0, 300), st.integers(0, 300))
def test_weeks_add_up(own: Rating, weeks: int, more: int) -> None:
    at_once = aged(own, timedelta(weeks=weeks + more))
    assert aged(aged(own, timedelta(weeks=weeks)), timedelta(weeks=more)).deviation == pytest.approx(at_once.deviation)


def test_every_machine_finds_the_same_ratings() -> None:
    """To the last bit: no mathematical library of the machine is used."""
    assert rate(Rating(1500, 200), [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0)]) == Rating(
        rating=1492.3947385142847, deviation=158.3324875568754, volatility=0.05999620652988197
    )
    assert aged(Rating(1500, 61.7), timedelta(weeks=13)).deviation == 72.2441312836144


def test_fresh_players_lift_nobody_far_however_many_they_are() -> None:
    own = Rating()
    for _ in range(200):
        own = after_match(own, Rating(), 1.0)
    assert own.rating == 1700
    assert after_match(Rating(1800, 60), Rating(), 1.0).rating == 1800
    assert after_match(Rating(1800, 60), Rating(), 0.0).rating < 1800


def test_a_cluster_of_fresh_players_does_not_lift_its_head() -> None:
    """Some lose to others until these look strong, who then lose to the head."""
    middle = [Rating() for _ in range(8)]
    for place, rating in enumerate(middle):
        for _ in range(10):
            rating = after_match(rating, Rating(), 1.0)
        middle[place] = rating._replace(deviation=max(rating.deviation, 111))
    head = Rating()
    for rating in middle * 3:
        head = after_match(head, rating, 1.0)
    assert head.rating == 1700


@settings(max_examples=200)
@given(ratings, ratings, scores)
def test_nothing_but_the_ceiling_differs_from_glicko(own: Rating, opponent: Rating, score: float) -> None:
    plain, after = rate(own, [(opponent, score)]), after_match(own, opponent, score)
    held = opponent.provisional and plain.rating > max(own.rating, 1700)
    assert after == (plain._replace(rating=max(own.rating, 1700)) if held else plain)
