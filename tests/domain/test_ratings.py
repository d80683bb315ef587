"""Ratings against the worked example of their author, and what must hold of any of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.ratings import Rating, expected, rate

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
    found = [expected(own, Rating(*words)) for words in ((1400, 30), (1550, 100), (1700, 300))]
    assert found == pytest.approx([0.639, 0.432, 0.303], abs=0.001)


def test_a_first_game_moves_both_players_alike() -> None:
    won, lost = rate(Rating(), [(Rating(), 1.0)]), rate(Rating(), [(Rating(), 0.0)])
    assert (won.shown, lost.shown) == (1662, 1338)
    assert won.deviation == pytest.approx(lost.deviation)


@settings(max_examples=200)
@given(ratings, ratings, scores)
def test_who_does_better_than_expected_rises(own: Rating, opponent: Rating, score: float) -> None:
    after = rate(own, [(opponent, score)])
    surprise = score - expected(own, opponent)
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
