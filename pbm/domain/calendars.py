"""When a player's clock runs: not while they sleep, on their weekend, or while something has stopped it.

A calendar is exact. The hours of a week are wall-clock hours in the player's own zone, so an hour that the wall clock
shows twice counts twice, and one that it skips never comes. All arithmetic is in whole microseconds since 1970 UTC.
As long as a zone has one offset all weeks are alike, so their nights take a few additions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from zoneinfo import ZoneInfo

from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, MINUTE, OFF, SECOND, WEEK, in_words
from pbm.values import frozen

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MONDAY = 3 * DAY
"""From Monday to the start of 1970, which was a Thursday."""
MOST_SLEEP_HOURS = 10
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SLEEP = re.compile(r"([01]?\d|2[0-3])(?::?([0-5]\d))?-([01]?\d|2[0-3])(?::?([0-5]\d))?", re.ASCII)

Spans = tuple[tuple[int, int], ...]
"""Pairs of start and end, in ascending order, without overlaps."""


def micros(instant: datetime) -> int:
    """Microseconds since 1970."""
    return (instant - _EPOCH) // _MICROSECOND


def instant_at(micros_since_1970: int) -> datetime:
    return _EPOCH + micros_since_1970 * _MICROSECOND


def read_sleep(word: str) -> str:
    """The canonical form: "23:00-07:00" or "off". Raises: BadArguments."""
    if word.casefold() == OFF:
        return OFF
    match = _SLEEP.fullmatch(word)
    if match is None:
        raise BadArguments(
            f'"{word}" does not fit: sleep is off, or hours such as 23:00-07:00.', "set sleep 23:00-07:00"
        )
    hours, minutes = (int(match[1]), int(match[3])), (int(match[2] or 0), int(match[4] or 0))
    length = (hours[1] * 60 + minutes[1] - hours[0] * 60 - minutes[0]) % (24 * 60)
    if not 0 < length <= MOST_SLEEP_HOURS * 60:
        raise BadArguments(
            f'"{word}" does not fit: your clock may stand still for at most {MOST_SLEEP_HOURS} hours a night.'
        )
    return f"{hours[0]:02}:{minutes[0]:02}-{hours[1]:02}:{minutes[1]:02}"


def read_weekend(word: str) -> str:
    """The canonical form: "sat-sun", "fri" or "off". Raises: BadArguments."""
    folded = word.casefold()
    pairs = {f"{day}-{DAYS[(index + 1) % 7]}" for index, day in enumerate(DAYS)}
    if folded == OFF or folded in DAYS or folded in pairs:
        return folded
    raise BadArguments(
        f'"{word}" does not fit: weekend is off, one day such as sun, or two days running such as sat-sun or fri-sat.',
        "set weekend sat-sun",
    )


@frozen
class Rests:
    """The hours of the week when a player does not play. sleep, weekend: as read_sleep and read_weekend return them."""

    zone: str = "UTC"
    sleep: str = OFF
    weekend: str = OFF

    @property
    def never(self) -> bool:
        return self.sleep == OFF and self.weekend == OFF

    def resting(self, instant: datetime) -> str:
        """The reason why the player rests at an instant: "sleep", "weekend", or nothing."""
        if self.never:
            return ""
        local = instant.astimezone(ZoneInfo(self.zone))
        if self.weekend != OFF and DAYS[local.weekday()] in self.weekend:
            return "weekend"
        return "sleep" if self.sleep != OFF and _asleep(self.sleep, local.hour * 60 + local.minute) else ""


class StopKind(StrEnum):
    """Why a clock is stopped. The last three kinds are the server's own, and stop all clocks.

    halt: the operator has stopped all clocks. maintenance: no moves are played either.
    """

    VACATION = "vacation"
    UNREACHABLE = "unreachable"
    OUTAGE = "outage"
    HALT = "halt"
    MAINTENANCE = "maintenance"

    @property
    def is_ours(self) -> bool:
        return self in (StopKind.OUTAGE, StopKind.HALT, StopKind.MAINTENANCE)


@frozen
class Stop:
    """ends_at: None if the end is not known yet."""

    kind: StopKind
    starts_at: datetime
    ends_at: datetime | None = None

    def holds(self, instant: datetime) -> bool:
        return self.starts_at <= instant and (self.ends_at is None or instant < self.ends_at)


@frozen
class Calendar:
    """When the clock of one player runs."""

    rests: Rests = Rests()
    stops: tuple[Stop, ...] = ()
    """In any order; they may overlap."""

    def strict(self) -> Calendar:
        """The calendar for games in which nights and weekends count."""
        return replace(self, rests=Rests())

    def stopped_by(self, instant: datetime) -> Stop | None:
        """The stop in force; of several, the one that lasts longest."""
        holding = [stop for stop in self.stops if stop.holds(instant)]
        return max(holding, key=lambda stop: (stop.ends_at is None, stop.ends_at or stop.starts_at), default=None)

    def worked(self, start: datetime, end: datetime) -> int:
        """How many microseconds the clock runs between two instants; 0 if the end is not after the start."""
        week = _week(self.rests.sleep, self.rests.weekend)
        return sum(
            week.worked(until + offset) - week.worked(since + offset)
            for since, until, offset in self._free(micros(start), micros(end))
        )

    def deadline(self, start: datetime, budget: int) -> datetime | None:
        """The instant when the clock has run for the budget since the start; None if it never will."""
        if budget <= 0:
            return start
        week = _week(self.rests.sleep, self.rests.weekend)
        for since, until, offset in self._free(micros(start), _END):
            before = week.worked(since + offset)
            runs = week.worked(until + offset) - before
            if runs >= budget:
                return instant_at(week.reached(before + budget) - offset)
            budget -= runs
        return None

    def _free(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The spans between two instants during which no stop holds and the zone has one offset, each with that."""
        # Who never rests needs no wall clock.
        zone = "UTC" if self.rests.never else self.rests.zone
        for stop in sorted(self.stops, key=lambda stop: stop.starts_at):
            yield from _offsets(zone, start, min(micros(stop.starts_at), end))
            # Stops may overlap, and a later one may end before an earlier one.
            start = max(start, _END if stop.ends_at is None else micros(stop.ends_at))
        yield from _offsets(zone, start, end)


_END = micros(datetime(9998, 1, 1, tzinfo=UTC))


@frozen
class _Week:
    """awake: the spans of a week, counted from Monday, in which the clock runs. Times are wall-clock times."""

    awake: Spans
    length: int

    def worked(self, local: int) -> int:
        """How long the clock runs from the Monday before 1970 until then."""
        weeks, rest = divmod(local + _MONDAY, WEEK)
        return weeks * self.length + sum(min(rest, until) - since for since, until in self.awake if since < rest)

    def reached(self, worked: int) -> int:
        """The first time at which it has run that long. worked: above 0."""
        weeks, rest = divmod(worked - 1, self.length)
        for since, until in self.awake:
            if rest < until - since:
                return weeks * WEEK + since + rest + 1 - _MONDAY
            rest -= until - since
        raise AssertionError("the spans of a week are as long as the week says")


@lru_cache(maxsize=2000)
def _week(sleep: str, weekend: str) -> _Week:
    def runs(minute: int) -> bool:
        day, minute_of_day = divmod(minute, 24 * 60)
        return DAYS[day] not in weekend and not (sleep != OFF and _asleep(sleep, minute_of_day))

    spans = []
    for awake, group in groupby(range(7 * 24 * 60), runs):
        minutes = list(group)
        if awake:
            spans.append((minutes[0] * MINUTE, (minutes[-1] + 1) * MINUTE))
    return _Week(tuple(spans), sum(until - since for since, until in spans))


def _asleep(sleep: str, minute: int) -> bool:
    """minute: of the day."""
    since, until = (int(time[:2]) * 60 + int(time[3:]) for time in sleep.split("-"))
    # Over midnight it is the day that is the one span.
    return since <= minute < until if since < until else not until <= minute < since


def _offsets(zone: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The spans between two instants in which a zone has one offset from UTC, each with that offset."""
    since, offset = start, _offset(zone, start // SECOND) * SECOND
    year = instant_at(start).year
    while since < end:
        until = min(end, micros(datetime(year + 1, 1, 1, tzinfo=UTC)))
        for change, fresh in _changes(zone, year):
            if since < change < until:
                yield since, change, offset
                since = change
            if change <= since:
                offset = fresh
        yield since, until, offset
        since, year = until, year + 1
        offset = _offset(zone, since // SECOND) * SECOND


@lru_cache(maxsize=4000)
def _changes(zone: str, year: int) -> Spans:
    """When a zone's offset changes in a year (of UTC), and the new offset; both in microseconds."""
    first, last = (micros(datetime(number, 1, 1, tzinfo=UTC)) // SECOND for number in (year, year + 1))
    changes = []
    day = DAY // SECOND
    for second in range(first + day, last + 1, day):
        before, after = _offset(zone, second - day), _offset(zone, second)
        # By days first: a year has 31 million seconds, and most zones change twice.
        if before != after:
            changed = bisect_right(range(day), False, key=lambda passed: _offset(zone, second - day + passed) != before)
            changes.append(((second - day + changed) * SECOND, after * SECOND))
    return tuple(changes)


def _offset(zone: str, second: int) -> int:
    """How many seconds a zone is ahead of UTC."""
    if zone == "UTC":
        return 0
    offset = (_EPOCH + timedelta(seconds=second)).astimezone(ZoneInfo(zone)).utcoffset()
    assert offset is not None  # noqa: S101  zones from the database always have one
    return offset // timedelta(seconds=1)


Span = tuple[datetime, datetime]


def days_taken(vacations: Iterable[Span], zone: ZoneInfo) -> Counter[int]:
    """How many microseconds of the wall clock vacations take in each calendar year."""
    taken = Counter[int]()
    for vacation in vacations:
        # A day is a day, also one in which an hour is skipped or comes twice.
        start, end = (instant.astimezone(zone).replace(tzinfo=None) for instant in vacation)
        while start < end:
            until = min(end, datetime(start.year + 1, 1, 1))  # noqa: DTZ001  of the wall clock
            taken[start.year] += (until - start) // _MICROSECOND
            start = until
    return taken


def check_allowance(vacation: Span, others: Iterable[Span], zone: ZoneInfo, days_per_year: int) -> None:
    """Raises: BadArguments if a vacation takes more of a year than the others leave.

    One over New Year uses each year's allowance for its part of the vacation.
    """
    taken = days_taken(others, zone)
    for year, length in days_taken([vacation], zone).items():
        left = days_per_year * DAY - taken[year]
        if length > left:
            raise BadArguments(f"That takes {in_words(length)} of {year}; you have {in_words(max(0, left))} left.")
