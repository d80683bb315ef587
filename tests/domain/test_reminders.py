"""When players are reminded, and when their digests come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.errors import BadArguments
from pbm.domain.spans import (
    DAY,
    DEFAULT_LADDER,
    HOUR,
    MOST_NAGS,
    is_punctual,
    ladder_in_words,
    next_digest,
    next_reminder,
    read_hour,
    read_ladder,
)

NOW = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"])
INSTANTS = st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
HOURS = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))


def days(number: float) -> timedelta:
    return timedelta(days=number)


@pytest.mark.parametrize(
    ("words", "kept"),
    [("2d 1d 6h", "2d 1d 6h"), ("6h,1d, 2D", "2d 1d 6h"), ("24h 1d", "1d"), ("OFF", "off"), ("1d12h", "1d12h")],
)
def test_a_ladder_is_kept_from_the_longest_down(words: str, kept: str) -> None:
    assert read_ladder(words) == kept
    assert read_ladder(kept) == kept


@pytest.mark.parametrize("words", ["soon", "1d soon", "9m", "61d", "0", "1d 2d 3d 4d 5d 6d 7d", ""])
def test_what_is_no_ladder_is_refused(words: str) -> None:
    with pytest.raises(BadArguments, match=f'"{words.split()[-1] if words.count("d ") == 1 else words}"'):
        read_ladder(words)


def test_a_ladder_is_told_in_words() -> None:
    assert ladder_in_words(DEFAULT_LADDER) == "3 days and 1 day"


def test_rungs_come_one_after_the_other_on_the_hour() -> None:
    moved, deadline = NOW - days(1), NOW + days(4) + timedelta(minutes=10)
    first = next_reminder("3d 1d 20m", moved, deadline, None, NOW)
    assert first == datetime(2026, 3, 11, 12, 0, tzinfo=UTC)
    second = next_reminder("3d 1d 20m", moved, deadline, None, first)
    assert second == datetime(2026, 3, 13, 12, 0, tzinfo=UTC)
    third = next_reminder("3d 1d 20m", moved, deadline, None, second)
    assert third == deadline - timedelta(minutes=20)
    assert next_reminder("3d 1d 20m", moved, deadline, None, third) is None


def test_a_rung_as_long_as_the_time_given_does_not_follow_upon_the_move() -> None:
    assert next_reminder("5d", NOW, NOW + days(5), None, NOW) is None


def test_a_board_may_remind_of_itself() -> None:
    found, at = [], NOW
    while (following := next_reminder("1d", NOW, None, 7 * DAY, at)) is not None:
        found.append(following)
        at = following
    assert [each.date() for each in found] == [(NOW + times * days(7)).date() for times in range(1, MOST_NAGS + 1)]
    assert next_reminder("off", NOW, NOW + days(30), 7 * DAY, NOW) is None
    assert next_reminder("off", NOW, NOW + days(30), None, NOW) is None


def test_a_board_reminds_of_itself_only_while_there_is_time() -> None:
    assert next_reminder("1h", NOW, NOW + days(3), 4 * DAY, NOW) == NOW + days(3) - timedelta(microseconds=HOUR)


@given(
    st.lists(st.integers(10, 60 * 1440), min_size=1, max_size=6),
    st.integers(1, 100 * 1440),
    st.none() | st.integers(1, 60),
)
def test_reminders_lie_before_the_end_and_end(minutes: list[int], left: int, nag: int | None) -> None:
    ladder = read_ladder(" ".join(f"{each // 1440}d{each % 1440}m" for each in minutes))
    deadline, at, count = NOW + timedelta(minutes=left), NOW, 0
    while (following := next_reminder(ladder, NOW, deadline, nag and nag * DAY, at)) is not None:
        assert at < following < deadline
        at, count = following, count + 1
    assert count <= len(minutes) + MOST_NAGS


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("8", "08:00"),
        ("8:30", "08:30"),
        ("23.59", "23:59"),
        ("7h", "07:00"),
        ("8am", "08:00"),
        ("12:30am", "00:30"),
        ("12pm", "12:00"),
        ("Off", "off"),
    ],
)
def test_an_hour_may_be_written_in_many_ways(word: str, kept: str) -> None:
    assert read_hour(word) == kept


@pytest.mark.parametrize("word", ["24:00", "13pm", "0am", "8:60", "noon", "on", "-1", ""])
def test_what_is_no_hour_is_refused(word: str) -> None:
    with pytest.raises(BadArguments, match=f'"{word}"'):
        read_hour(word)


@given(HOURS, ZONES, INSTANTS)
def test_a_digest_comes_once_on_each_day_of_the_players(hour: str, zone: str, now: datetime) -> None:
    """Apia skipped a day, and Lord Howe's clocks change by half an hour, so a day has 22 to 26 hours."""
    local = ZoneInfo(zone)
    first = next_digest(hour, local, now)
    second = next_digest(hour, local, first)
    assert now < first <= now + timedelta(hours=26)
    assert timedelta(hours=22) <= second - first <= timedelta(hours=26)
    assert first.astimezone(local).date() < second.astimezone(local).date()


@given(HOURS, ZONES, INSTANTS, st.integers(0, 700))
def test_a_digest_is_punctual_for_half_a_day(hour: str, zone: str, now: datetime, late: int) -> None:
    local = ZoneInfo(zone)
    due = next_digest(hour, local, now)
    assert is_punctual(hour, local, due + timedelta(minutes=late))
    following = next_digest(hour, local, due)
    assert not is_punctual(hour, local, following - timedelta(minutes=1))


def test_a_digest_comes_by_the_clock_on_the_wall_when_it_is_changed() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    saturday = datetime(2026, 3, 28, 7, 0, tzinfo=UTC)
    sunday = next_digest("08:00", berlin, saturday)
    assert sunday == datetime(2026, 3, 29, 6, 0, tzinfo=UTC)
    skipped = next_digest("02:30", berlin, saturday)
    assert skipped.astimezone(berlin).date() == sunday.astimezone(berlin).date()
