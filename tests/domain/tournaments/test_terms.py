"""The terms of a tournament as they are written, and how time decides a game."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pbm.domain.calendars import Calendar
from pbm.domain.errors import BadArguments
from pbm.domain.match import Match, Player, Ply, Record
from pbm.domain.tournaments.terms import Kind, Terms, quicker, read_terms, time_used, why_decided

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_what_is_not_said_is_usual() -> None:
    assert read_terms(Kind.SWISS, [], NOW) == (Terms(Kind.SWISS, NOW + 14 * DAY), [])


def test_options_of_an_event_stand_among_those_of_the_game() -> None:
    words = ["-size=4", "--Players=4..16", "-start=2026-12-01", "-DOUBLE", "--clock=3d", "-days-per-round=7"]
    terms, others = read_terms(Kind.read("Robin"), words, NOW)
    assert others == ["-size=4", "--clock=3d"]
    assert (terms.fewest, terms.most, terms.double, terms.time_per_round) == (4, 16, True, 7 * DAY)
    assert terms.starts_at == datetime(2026, 12, 1, tzinfo=UTC)
    assert Terms.from_json(terms.to_json()) == terms


@pytest.mark.parametrize("written", ["-players=6", "-players=6..6", "-players=6-6"])
def test_a_fixed_number_of_players(written: str) -> None:
    terms, _ = read_terms(Kind.LADDER, [written], NOW)
    assert (terms.fewest, terms.most) == (6, 6)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (Kind.SWISS, "-players=1..4"),
        (Kind.SWISS, "-players=8..4"),
        (Kind.SWISS, "-players=4..201"),
        (Kind.SWISS, "-players="),
        (Kind.SWISS, "-rounds=0"),
        (Kind.SWISS, "-rounds=\N{ARABIC-INDIC DIGIT THREE}"),
        (Kind.SWISS, "-start=2026-11-20"),
        (Kind.SWISS, "-start=2028-01-01"),
        (Kind.SWISS, "-start=tomorrow"),
        (Kind.SWISS, "-double"),
        (Kind.ROUND_ROBIN, "-double=yes"),
        (Kind.ROUND_ROBIN, "-rungs=3"),
        (Kind.LEAGUE, "-division=2"),
        (Kind.LEAGUE, "-rounds=3"),
        (Kind.LADDER, "-idle=3"),
        (Kind.LADDER, "-days-per-round=999999999999"),
    ],
)
def test_what_cannot_be_is_quoted(kind: Kind, word: str) -> None:
    with pytest.raises(BadArguments, match=word):
        read_terms(kind, [word], NOW)


def test_a_kind_there_is_not() -> None:
    with pytest.raises(BadArguments, match='"gauntlet"'):
        Kind.read("gauntlet")


def match(*days: float) -> Match:
    """A match with one ply after each of these numbers of days, by the seats in turn."""
    players = (Player(1, "alice"), Player(2, "bob"))
    record, at = [], NOW
    for number, taken in enumerate(days):
        at += taken * DAY
        record.append(Ply("X", 1 + number % 2, at))
    return Match(101, "cross", 1, (), "", players, len(record), Record.of(record), NOW)


def test_who_has_used_more_time_loses() -> None:
    used = time_used(match(1, 5, 2), 2, NOW + 10 * DAY, Calendar())
    assert used == (3 * DAY, 7 * DAY)
    assert quicker(used) == 1
    assert why_decided(match(), used) == "because bob has used more time: 7 days, and alice 3 days"


def test_who_has_not_moved_at_all_has_used_everything() -> None:
    assert quicker(time_used(match(), 1, NOW + 30 * DAY, Calendar())) == 2
    assert quicker(time_used(match(0.5), 2, NOW + 30 * DAY, Calendar())) == 1


@pytest.mark.parametrize(("first", "second", "winner"), [(3, 4, None), (3, 4.1, 1), (4.1, 3, 2), (3, 3, None)])
def test_a_day_makes_no_difference(first: float, second: float, winner: int | None) -> None:
    assert quicker((first * DAY, second * DAY)) == winner
