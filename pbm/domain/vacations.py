"""How much of a year's allowance vacations use. One over New Year uses each year's for its part of the vacation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, in_words

Span = tuple[datetime, datetime]


def days_taken(vacations: Iterable[Span], zone: ZoneInfo) -> Counter[int]:
    """How many microseconds of the wall clock vacations take in each calendar year."""
    taken: Counter[int] = Counter()
    for vacation in vacations:
        taken.update(dict(_by_year(vacation, zone)))
    return taken


def _by_year(vacation: Span, zone: ZoneInfo) -> Iterator[tuple[int, int]]:
    # A day is a day, also one in which an hour is skipped or comes twice.
    start, end = (instant.astimezone(zone).replace(tzinfo=None) for instant in vacation)
    while start < end:
        until = min(end, datetime(start.year + 1, 1, 1))  # noqa: DTZ001  of the wall clock
        yield start.year, (until - start) // timedelta(microseconds=1)
        start = until


def check_allowance(vacation: Span, others: Iterable[Span], zone: ZoneInfo, days_per_year: int) -> None:
    """Raises: BadArguments if a vacation takes more of a year than the others leave."""
    taken = days_taken(others, zone)
    for year, length in _by_year(vacation, zone):
        left = days_per_year * DAY - taken[year]
        if length > left:
            raise BadArguments(f"That takes {in_words(length)} of {year}; you have {in_words(max(0, left))} left.")
