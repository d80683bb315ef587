"""When clocks run: exactly, whatever happens to a zone's clocks; compared with a simulation of every minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.calendars import DAYS, Calendar, Rests, Stop, StopKind, instant_at, micros, read_sleep, read_weekend
from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, HOUR, MINUTE

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Pacific/Chatham",
)
"""Changes by half an hour, at midnight or for Ramadan; odd offsets; a day that never was (Apia, 30 December 2011)."""

minute = timedelta(minutes=1)
instants = st.integers(0, 16 * 366 * 24 * 60).map(lambda minutes: datetime(2011, 1, 1, tzinfo=UTC) + minutes * minute)
changes = st.sampled_from(
    [
        datetime(2011, 12, 29, 8, tzinfo=UTC),
        datetime(2017, 10, 14, 20, tzinfo=UTC),
        datetime(2026, 3, 28, 22, tzinfo=UTC),
        datetime(2026, 10, 24, 21, tzinfo=UTC),
        datetime(2026, 3, 7, 20, tzinfo=UTC),
        datetime(2026, 4, 4, 12, tzinfo=UTC),
        datetime(2026, 2, 14, 12, tzinfo=UTC),
        datetime(2025, 12, 31, 12, tzinfo=UTC),
    ]
)
starts = st.one_of(instants, changes.flatmap(lambda at: st.integers(-900, 900).map(lambda shift: at + shift * minute)))
times = st.integers(0, 24 * 60 - 1)


@st.composite
def sleeps(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        return "off"
    since = draw(times)
    until = (since + draw(st.integers(1, 600))) % (24 * 60)
    return read_sleep(f"{since // 60:02}:{since % 60:02}-{until // 60:02}:{until % 60:02}")


weekends = st.sampled_from(["off", "sun", "sat-sun", "fri-sat", "sun-mon"])
stops = st.builds(
    lambda start, length: Stop(StopKind.VACATION, start, start + length * minute),
    starts,
    st.integers(0, 5000),
)


@st.composite
def calendars(draw: st.DrawFn, near: datetime | None = None) -> Calendar:
    rests = Rests(draw(st.sampled_from(ZONES)), draw(sleeps()), draw(weekends))
    found = draw(st.lists(stops, max_size=3))
    if near is not None:
        shifts = draw(st.lists(st.tuples(st.integers(-500, 3000), st.integers(0, 2000)), max_size=3))
        found += [
            Stop(StopKind.OUTAGE, near + since * minute, near + (since + length) * minute) for since, length in shifts
        ]
    return Calendar(rests, tuple(found))


def runs(calendar: Calendar, at: datetime) -> bool:
    """Whether a clock runs in the minute that begins at this instant, checked literally."""
    if any(stop.starts_at <= at and (stop.ends_at is None or at < stop.ends_at) for stop in calendar.stops):
        return False
    local = at.astimezone(ZoneInfo(calendar.rests.zone))
    if DAYS[local.weekday()] in calendar.rests.weekend.split("-"):
        return False
    if calendar.rests.sleep == "off":
        return True
    since, until = calendar.rests.sleep.split("-")
    now = f"{local:%H:%M}"
    return not (since <= now < until if since < until else now >= since or now < until)


def simulated(calendar: Calendar, start: datetime, end: datetime) -> int:
    count = 0
    while start < end:
        count += runs(calendar, start)
        start += minute
    return count * MINUTE


@settings(max_examples=150, deadline=None)
@given(st.data(), starts, st.integers(-100, 6000))
def test_time_worked_is_what_a_simulation_of_every_minute_counts(
    data: st.DataObject, start: datetime, length: int
) -> None:
    calendar = data.draw(calendars(start))
    end = start + length * minute
    assert calendar.worked(start, end) == simulated(calendar, start, end)


@settings(max_examples=200, deadline=None)
@given(st.data(), starts, st.integers(0, 400 * DAY))
def test_the_deadline_is_the_first_instant_at_which_the_budget_is_used_up(
    data: st.DataObject, start: datetime, budget: int
) -> None:
    calendar = data.draw(calendars(start))
    deadline = calendar.deadline(start, budget)
    assert deadline is not None
    assert calendar.worked(start, deadline) == budget
    if budget:
        assert calendar.worked(start, deadline - timedelta(microseconds=1)) == budget - 1


@settings(max_examples=100, deadline=None)
@given(st.data(), starts, st.lists(st.integers(0, 20 * DAY), min_size=2, max_size=2))
def test_time_worked_adds_up(data: st.DataObject, start: datetime, lengths: list[int]) -> None:
    calendar = data.draw(calendars(start))
    middle = start + timedelta(microseconds=lengths[0])
    end = middle + timedelta(microseconds=lengths[1])
    assert calendar.worked(start, middle) + calendar.worked(middle, end) == calendar.worked(start, end)


def test_an_hour_that_the_wall_clock_shows_twice_counts_twice() -> None:
    berlin = Calendar(Rests("Europe/Berlin", "02:00-03:00"))
    night = datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert berlin.worked(night, night + timedelta(hours=25)) == 23 * HOUR


def test_an_hour_that_is_left_out_stops_nothing() -> None:
    berlin = Calendar(Rests("Europe/Berlin", "02:00-03:00"))
    night = datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert berlin.worked(night, night + timedelta(hours=23)) == 23 * HOUR


def test_what_has_no_end_lets_nothing_become_due() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    open_ended = Calendar(stops=(Stop(StopKind.OUTAGE, start + timedelta(days=1)),))
    assert open_ended.deadline(start, 2 * DAY) is None
    assert open_ended.deadline(start, DAY) == start + timedelta(days=1)
    assert open_ended.worked(start, start + timedelta(days=9)) == DAY


def test_a_strict_game_knows_no_nights_but_vacations() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    stop = Stop(StopKind.VACATION, start, start + timedelta(days=2))
    calendar = Calendar(Rests("Asia/Tokyo", "22:00-08:00", "sat-sun"), (stop,)).strict()
    assert calendar.worked(start, start + timedelta(days=7)) == 5 * DAY


@pytest.mark.parametrize(
    ("written", "read"),
    [("23-7", "23:00-07:00"), ("23:30-7:15", "23:30-07:15"), ("OFF", "off"), ("0-6", "00:00-06:00")],
)
def test_hours_of_sleep_are_read(written: str, read: str) -> None:
    assert read_sleep(written) == read


@pytest.mark.parametrize("written", ["23:00", "20-8", "7-7", "25-3", "late", "23:00-07:60"])
def test_hours_that_are_none_or_too_many_are_refused(written: str) -> None:
    with pytest.raises(BadArguments, match=written):
        read_sleep(written)


@pytest.mark.parametrize("written", ["sat-mon", "sat-sat", "x", "fri-sat-sun", ""])
def test_a_weekend_has_two_days_at_most(written: str) -> None:
    with pytest.raises(BadArguments, match="weekend"):
        read_weekend(written)


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_instants_are_whole_microseconds(at: datetime) -> None:
    assert instant_at(micros(at)) == at
