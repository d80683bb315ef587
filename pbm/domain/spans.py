"""Spans of time as players write and read them: lengths such as 3d or 12h, vacations, ladders of reminders.

Everywhere else a length is whole microseconds. The days of a vacation are those of the wall clock in the player's own
zone, counted exactly: a vacation over New Year takes of each year's allowance what falls into that year.

A ladder is what a player wants to be told before their time runs out, such as 3d 1d: each length of time is a rung. A
board may be agreed to have a reminder of its own, so long after the last move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from games.rules import counted, joined
from pbm.domain.errors import BadArguments

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY
LONGEST = 10 * 366 * DAY

_UNITS = {"w": WEEK, "d": DAY, "h": HOUR, "m": MINUTE}
_WRITTEN = re.compile(r"(?:\d{1,4}[wdhm])+", re.ASCII)
_NAMES = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))


def read_duration(word: str) -> int:
    """The microseconds of "3d", "1d12h", "90m", "2w" or "0". Raises: BadArguments."""
    text = word.strip().casefold()
    if text == "0":
        return 0
    if not _WRITTEN.fullmatch(text):
        raise BadArguments(f'"{word}" is not a length of time: write for instance 3d, 12h, 1d12h or 2w.')
    length = sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([wdhm])", text))
    if length > LONGEST:
        raise BadArguments(f'"{word}" is longer than ten years.')
    return length


def write_duration(length: int) -> str:
    """As read_duration reads it, without blanks: 1d12h. Seconds are left out."""
    parts = _parts(length)
    return "".join(f"{number}{name[0]}" for number, name in parts) or "0"


def brief(length: int) -> str:
    """For tables: the two largest units, such as "2d 23h"; never more than is left."""
    parts = _parts(max(0, length))[:2]
    return " ".join(f"{number}{name[0]}" for number, name in parts) or "0m"


def in_words(length: int) -> str:
    """Such as "1 day 12 hours"; seconds are left out."""
    parts = _parts(length)
    return " ".join(counted(number, name) for number, name in parts) or "0 minutes"


def _parts(length: int) -> list[tuple[int, str]]:
    found = []
    for unit, name in _NAMES:
        number, length = divmod(length, unit)
        if number:
            found.append((number, name))
    return found


Span = tuple[datetime, datetime]
MOST_AHEAD = timedelta(days=400)
SHORTEST_VACATION = timedelta(days=1)
_FILLERS = frozenset({"from", "to", "until", "till", "for", "through", "on", "-"})
_EXAMPLES = "vacation 2w, vacation until Friday or vacation 2026-12-20 2027-01-05"
_IN_WORDS = re.compile(r"\b(\d{1,4}) ([wd])(?:eek|ay)s?\b")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY_WORDS = frozenset({"now", "today", "tomorrow", *_WEEKDAYS})
"""Words for days as the calendar goes on from now."""


def read_vacation(words: str, zone: ZoneInfo, now: datetime) -> Span:
    """From when until when. A day that is named as the last one counts to its end. Raises: BadArguments."""
    joined = _IN_WORDS.sub(r"\1\2", words.casefold())
    parts = [word for word in joined.split() if word not in _FILLERS]
    if not 1 <= len(parts) <= 2:
        raise BadArguments(f'"{words}" does not tell from when until when: write for instance {_EXAMPLES}.')
    start = _instant(parts[0], zone, now) if len(parts) == 2 else now
    last = _date(parts[-1], zone, now, start)
    if last is not None:
        end = datetime.combine(last + timedelta(days=1), datetime.min.time(), zone).astimezone(UTC)
    else:
        end = _later(start, read_duration(parts[-1]), zone)
    if start > now + MOST_AHEAD:
        raise BadArguments(f'"{words}" is too far ahead: a vacation begins within {MOST_AHEAD.days} days.')
    if end - start < SHORTEST_VACATION:
        raise BadArguments(f'"{words}" is too short: a vacation lasts a day at least, and begins before it ends.')
    return start, end


def _instant(word: str, zone: ZoneInfo, now: datetime) -> datetime:
    """The beginning of a day; now, if that is today or past."""
    day = now.astimezone(zone).date() if word == "now" else _date(word, zone, now, now)
    if day is None:
        raise BadArguments(f'"{word}" is no day: write it as 2026-12-20, tomorrow or Friday.')
    start = datetime.combine(day, datetime.min.time(), zone).astimezone(UTC)
    if day < now.astimezone(zone).date():
        raise BadArguments(f'"{word}" is past: a vacation begins today or later.')
    return max(start, now)


def _date(word: str, zone: ZoneInfo, now: datetime, since: datetime) -> date | None:
    """None for what is no day. since: the day of the week is the next one after it."""
    if word in _WEEKDAYS:
        first = since.astimezone(zone).date() + timedelta(days=1)
        return first + timedelta(days=(_WEEKDAYS.index(word) - first.weekday()) % 7)
    ahead = {"today": 0, "tomorrow": 1}.get(word)
    if ahead is not None:
        return now.astimezone(zone).date() + timedelta(days=ahead)
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        try:
            day = datetime.strptime(word, form).date()  # noqa: DTZ007  a day, not an instant
        except ValueError:
            continue
        return day if 1970 <= day.year <= 9000 else None
    return None


def _later(start: datetime, length: int, zone: ZoneInfo) -> datetime:
    """So much later by the clock on the wall."""
    return (start.astimezone(zone) + timedelta(microseconds=length)).astimezone(UTC)


def days_taken(vacations: Iterable[Span], zone: ZoneInfo) -> Counter[int]:
    """By calendar year, how many microseconds of the wall clock vacations take."""
    taken: Counter[int] = Counter()
    for vacation in vacations:
        taken.update(dict(_by_year(vacation, zone)))
    return taken


def _by_year(vacation: Span, zone: ZoneInfo) -> Iterator[tuple[int, int]]:
    start, end = (instant.astimezone(zone).replace(tzinfo=None) for instant in vacation)
    while start < end:
        until = min(end, datetime(start.year + 1, 1, 1))  # noqa: DTZ001  of the wall clock
        yield start.year, (until - start) // timedelta(microseconds=1)
        start = until


def check_allowance(vacation: Span, others: Iterable[Span], zone: ZoneInfo, days_per_year: int) -> None:
    """Raises: BadArguments if a vacation takes more of a year than what the others leave."""
    taken = days_taken(others, zone)
    for year, length in _by_year(vacation, zone):
        left = days_per_year * DAY - taken[year]
        if length > left:
            raise BadArguments(f"That takes {in_words(length)} of {year}; you have {in_words(max(0, left))} left.")


OFF = "off"
DEFAULT_LADDER = "3d 1d"
MOST_RUNGS = 6
SHORTEST_RUNG, LONGEST_RUNG = 10 * MINUTE, 60 * DAY
"""The shortest and the longest that a rung may be."""
ROUGH = 3 * HOUR
"""From this rung on an hour does not matter."""
MOST_NAGS = 3
"""How often a board reminds of itself while nothing happens on it."""
PUNCTUAL = timedelta(hours=12)
"""A digest that is later than this is left out: the next one comes soon."""

_TIME = re.compile(r"([01]?\d|2[0-3])[:.h]?([0-5]\d)?([ap]m)?", re.ASCII)


def read_ladder(words: str) -> str:
    """The ladder as it is kept: the longest first, each once, or `off`. Raises: BadArguments."""
    if words.casefold() == OFF:
        return OFF
    rungs = {_rung(word) for word in re.split(r"[\s,]+", words.strip(" ,"))}
    if len(rungs) > MOST_RUNGS:
        raise BadArguments(f'"{words}" is too much: there may be {MOST_RUNGS} reminders of a move, not {len(rungs)}.')
    return " ".join(map(write_duration, sorted(rungs, reverse=True)))


def _rung(word: str) -> int:
    """Raises: BadArguments."""
    length = read_duration(word)
    if not SHORTEST_RUNG <= length <= LONGEST_RUNG:
        raise BadArguments(
            f'"{word}" is not allowed: reminders come {in_words(SHORTEST_RUNG)} to {in_words(LONGEST_RUNG)} before '
            "your time is over.",
            "remind 2d 1d 6h",
        )
    return length


@lru_cache(maxsize=1000)
def rungs_of(ladder: str) -> tuple[int, ...]:
    """The lengths of a ladder as it is kept, the longest first."""
    return () if ladder == OFF else tuple(map(read_duration, ladder.split()))


def told(ladder: str) -> str:
    """A ladder in words, such as "2 days, 1 day and 6 hours"; empty for `off`."""
    return joined(map(in_words, rungs_of(ladder)))


def reminders(ladder: str, moved_at: datetime, deadline: datetime | None, nag: int | None) -> Iterator[datetime]:
    """When the player to move is reminded, in no order. deadline: None for never. nag: the board's own, None for none.

    A player who wants no reminders gets none of any kind. Those that are hours away come on the hour before, so that
    boards which were played on together are one mail.
    """
    if deadline is not None:
        for rung in rungs_of(ladder):
            instant = deadline - timedelta(microseconds=rung)
            yield _on_the_hour(instant) if rung >= ROUGH else instant
    if nag is not None and ladder != OFF:
        nags = (moved_at + times * timedelta(microseconds=nag) for times in range(1, MOST_NAGS + 1))
        yield from (_on_the_hour(instant) for instant in nags if deadline is None or instant < deadline)


def next_reminder(
    ladder: str, moved_at: datetime, deadline: datetime | None, nag: int | None, now: datetime
) -> datetime | None:
    """The first that is still to come; None for no more."""
    return min((at for at in reminders(ladder, moved_at, deadline, nag) if at > now), default=None)


def read_hour(word: str) -> str:
    """When a digest comes, as it is kept: "08:00", or `off`; "8am" is read, too. Raises: BadArguments."""
    if word.casefold() == OFF:
        return OFF
    found = _TIME.fullmatch(word.casefold())
    if found is None or (found[3] and not 1 <= int(found[1]) <= 12):
        raise BadArguments(f'"{word}" does not fit: digest is off, or a time of day such as 08:00.', "set digest 08:00")
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0) if found[3] else int(found[1])
    return f"{hour:02}:{found[2] or '00'}"


def next_digest(hour: str, zone: ZoneInfo, now: datetime) -> datetime:
    """The next instant at which the clock on the player's wall shows the hour. hour: as it is kept, and not `off`.

    An hour that a change of the clocks leaves out is taken as if it had not been changed yet; of one that comes twice
    the first counts.
    """
    today = now.astimezone(zone).date()
    days = (_at(hour, zone, today + timedelta(days=ahead)) for ahead in range(3))
    return next(instant for instant in days if instant > now)


def is_punctual(hour: str, zone: ZoneInfo, now: datetime) -> bool:
    """A digest sent now would not be so late that it had better wait for the next."""
    today = now.astimezone(zone).date()
    last = max(at for back in range(3) if (at := _at(hour, zone, today - timedelta(days=back))) <= now)
    return now - last <= PUNCTUAL


def _on_the_hour(instant: datetime) -> datetime:
    return instant.replace(minute=0, second=0, microsecond=0)


def _at(hour: str, zone: ZoneInfo, day: date) -> datetime:
    return datetime.combine(day, time.fromisoformat(hour), zone).astimezone(ZoneInfo("UTC"))
