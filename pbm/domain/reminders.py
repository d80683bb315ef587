"""When a player is reminded of a board, and when their digest comes. Pure; `now` is a parameter.

A ladder is what they want to be told before their time runs out, such as 3d 1d: each length of time is a rung. A board
may be agreed to have a reminder of its own, so long after the last move. Lengths are whole microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, HOUR, MINUTE, in_words, read_duration, write_duration

OFF = "off"
DEFAULT = "3d 1d"
MOST_RUNGS = 6
LEAST, MOST = 10 * MINUTE, 60 * DAY
"""What a rung may be."""
ROUGH = 3 * HOUR
"""From this rung on an hour does not matter."""
MOST_NAGS = 3
"""How often a board reminds of itself while nothing happens on it."""
PUNCTUAL = timedelta(hours=12)
"""A digest that is later than this is left out: the next one comes soon."""

_TIME = re.compile(r"([01]?\d|2[0-3])[:.h]?([0-5]\d)?", re.ASCII)


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
    if not LEAST <= length <= MOST:
        raise BadArguments(
            f'"{word}" is not allowed: reminders come {in_words(LEAST)} to {in_words(MOST)} before your time is over.',
            "remind 2d 1d 6h",
        )
    return length


@lru_cache(maxsize=1000)
def rungs_of(ladder: str) -> tuple[int, ...]:
    """The lengths of a ladder as it is kept, the longest first."""
    return () if ladder == OFF else tuple(map(read_duration, ladder.split()))


def told(ladder: str) -> str:
    """A ladder in words, such as "2 days, 1 day and 6 hours"; not of `off`."""
    *most, last = map(in_words, rungs_of(ladder))
    return f"{', '.join(most)} and {last}" if most else last


def reminders(ladder: str, moved_at: datetime, deadline: datetime | None, nag: int | None) -> Iterator[datetime]:
    """When the player to move is reminded, in no order. deadline: None for never. nag: the board's own, None for none.

    Who wants no reminders gets none of any kind. Those that are hours away come on the hour before, so that boards
    which were played on together are one mail.
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
    """When a digest comes, as it is kept: "08:00", or `off`. Raises: BadArguments."""
    if word.casefold() == OFF:
        return OFF
    found = _TIME.fullmatch(word.casefold())
    if found is None:
        raise BadArguments(f'"{word}" does not fit: digest is off, or a time of day such as 08:00.', "set digest 08:00")
    return f"{int(found[1]):02}:{found[2] or '00'}"


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
