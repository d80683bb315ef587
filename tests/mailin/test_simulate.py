"""A sample of what `python -m tests.mailin.simulate` tries as a whole."""

from __future__ import annotations

from tests.mailin.simulate import simulate

EVERY = 401


def test_answers_of_all_programs_in_thirty_languages_are_read_alone() -> None:
    score = simulate(EVERY)
    assert score.tried > 1000
    assert score.wrong == []
    assert score.clean_share >= 0.99, score.unclean[:20]
