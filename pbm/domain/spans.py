"""Spans of time as players write and read them: lengths such as 3d or 12h, ladders of reminders.

Everywhere else a length is in whole microseconds.

A ladder says how long before their time runs out a player wants reminders, such as 3d 1d; each length is a rung. The
players of a board may also agree on its own reminder, this long after the last move.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
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
    """The form that read_duration reads, without blanks: 1d12h. Seconds are left out."""
    return "".join(f"{number}{name[0]}" for number, name in _parts(length)) or "0"


def rounded(length: int) -> int:
    """A length that runs down, as people say it: to the nearest hour from a day on, otherwise to the nearest minute.

    >>> in_words(rounded(21 * DAY - 40 * SECOND)), in_words(rounded(90 * SECOND)), in_words(rounded(-HOUR))
    ('21 days', '2 minutes', '0 minutes')
    """
    unit = HOUR if length >= DAY else MINUTE
    return (max(0, length) + unit // 2) // unit * unit


def brief(length: int) -> str:
    """A short form for tables, such as "2d 23h", rounded."""
    return " ".join(f"{number}{name[0]}" for number, name in _parts(rounded(length))) or "0m"


def in_words(length: int) -> str:
    """A form for people, such as "1 day 12 hours"; seconds are left out."""
    return " ".join(counted(number, name) for number, name in _parts(length)) or "0 minutes"


def _parts(length: int) -> list[tuple[int, str]]:
    parts = []
    for unit, name in _NAMES:
        number, length = divmod(length, unit)
        if number:
            parts.append((number, name))
    return parts


OFF = "off"
DEFAULT_LADDER = "3d 1d"
MOST_RUNGS = 6
SHORTEST_RUNG, LONGEST_RUNG = 10 * MINUTE, 60 * DAY
"""The bounds of a rung."""
ROUGH = 3 * HOUR
"""Rungs from this length on are rounded to the hour."""
MOST_NAGS = 3
"""How many of its own reminders a board sends while nothing happens on it."""
PUNCTUAL = timedelta(hours=12)  # the next one comes soon
"""A digest that is later than this is skipped."""

_TIME = re.compile(r"([01]?\d|2[0-3])[:.h]?([0-5]\d)?([ap]m)?", re.ASCII)


def read_ladder(words: str) -> str:
    """The ladder as it is stored: the longest rung first, each once, or `off`. Raises: BadArguments."""
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
    """The lengths of a stored ladder, the longest first."""
    return () if ladder == OFF else tuple(map(read_duration, ladder.split()))


def ladder_in_words(ladder: str) -> str:
    """Such as "2 days, 1 day and 6 hours"; empty for `off`."""
    return joined(map(in_words, rungs_of(ladder)))


def next_reminder(
    ladder: str, moved_at: datetime, deadline: datetime | None, nag: int | None, now: datetime
) -> datetime | None:
    """When the player to move is reminded next, after now; None for no more.

    deadline: None for never. nag: the board's own, None for none.
    """
    instants = []
    if deadline is not None:
        for rung in rungs_of(ladder):
            instant = deadline - timedelta(microseconds=rung)
            # On the hour before, so that boards played at about the same time share one mail.
            instants.append(_on_the_hour(instant) if rung >= ROUGH else instant)
    # Off means none of any kind.
    if nag is not None and ladder != OFF:
        nags = (moved_at + times * timedelta(microseconds=nag) for times in range(1, MOST_NAGS + 1))
        instants += [_on_the_hour(instant) for instant in nags if deadline is None or instant < deadline]
    return min((instant for instant in instants if instant > now), default=None)


def read_hour(word: str) -> str:
    """The time of a digest as it is stored: "08:00" or `off`; "8am" is read, too. Raises: BadArguments."""
    if word.casefold() == OFF:
        return OFF
    match = _TIME.fullmatch(word.casefold())
    # "13pm" and "0am" are slips, and either reading may be meant.
    if match is None or (match[3] and not 1 <= int(match[1]) <= 12):
        raise BadArguments(f'"{word}" does not fit: digest is off, or a time of day such as 08:00.', "set digest 08:00")
    # 12am is midnight and 12pm noon.
    hour = int(match[1])
    if match[3]:
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return f"{hour:02}:{match[2] or '00'}"


def next_digest(hour: str, zone: ZoneInfo, now: datetime) -> datetime:
    """The next instant when the player's wall clock shows the hour. hour: as stored, and not `off`."""
    # An hour skipped by a change to summer time is taken as if the change had not happened yet; of an hour that comes
    # twice, the first counts (PEP 495).
    today = now.astimezone(zone).date()
    days = (_at(hour, zone, today + timedelta(days=ahead)) for ahead in range(3))
    return next(instant for instant in days if instant > now)


def is_punctual(hour: str, zone: ZoneInfo, now: datetime) -> bool:
    """Whether a digest sent now would still be in time."""
    today = now.astimezone(zone).date()
    last = max(at for back in range(3) if (at := _at(hour, zone, today - timedelta(days=back))) <= now)
    return now - last <= PUNCTUAL


def _on_the_hour(instant: datetime) -> datetime:
    return instant.replace(minute=0, second=0, microsecond=0)


def _at(hour: str, zone: ZoneInfo, day: date) -> datetime:
    return datetime.combine(day, time.fromisoformat(hour), zone).astimezone(ZoneInfo("UTC"))
