"""Lengths of time as players write and read them. Everywhere else they are whole microseconds."""

from __future__ import annotations

import re

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
    return " ".join(f"{number} {name}{'' if number == 1 else 's'}" for number, name in parts) or "0 minutes"


def _parts(length: int) -> list[tuple[int, str]]:
    found = []
    for unit, name in _NAMES:
        number, length = divmod(length, unit)
        if number:
            found.append((number, name))
    return found
