"""The days of vacations, as players write them in words; they follow the wall clock in the player's own zone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from pbm.domain.calendars import Span
from pbm.domain.errors import BadArguments
from pbm.domain.spans import read_duration
from pbm.reading.book import named, ranked
from pbm.reading.book import words as kind
from pbm.values import frozen

MOST_AHEAD = timedelta(days=400)
SHORTEST_VACATION = timedelta(days=1)
_LONGEST_BEGUN = timedelta(days=60)
"""How long ago the first of two days without years may be, if they are a vacation under way."""
_EXAMPLES = "vacation 2w, vacation until Friday, vacation next week or vacation 20 Dec - 3 Jan"
_WEEKDAYS, _MONTHS = ranked("weekdays"), ranked("months")
DAY_WORDS = kind("today") | kind("tomorrow") | {name for name in _WEEKDAYS if len(name) > len("thur")}
"""Words for days that are relative to today."""

_FILLERS = kind("dates-fill") | kind("dates-first") | kind("dates-last") | kind("this") | kind("next")


def _any_of(*kinds: str) -> str:
    """A pattern for the words of some kinds."""
    return rf"(?:{'|'.join(sorted(map(re.escape, frozenset[str]().union(*map(kind, kinds))), key=len, reverse=True))})"


_IN_WORDS = re.compile(rf"\b(\d{{1,4}}|{'|'.join(named('counts'))}) ([wd])(?:eek|ay)s?\b")
_WEEK = re.compile(rf"\b(?P<which>{_any_of('this', 'next')}) (?:{_any_of('week')}|(?P<end>{_any_of('weekend')}))\b")
"""A week or weekend relative to today."""
_SATURDAY = 5
_SAID = re.compile(rf"(?:\d+|{_any_of('dates-said', 'this', 'next', 'today', 'tomorrow')})\b")
"""How words for a time away begin."""
_AWAY = re.compile(rf"(?:\s+{_any_of('away-links')})*\s+{_any_of('away')}$")
"""Words after a time away."""
_BACK = re.compile(rf"\b{_any_of('back')}\b")
"""Announces a day on which the writer plays again."""
_MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_TH = "(?:st|nd|rd|th)"
_TO = rf"(?:-|\b{_any_of('dates-last')}\b)"
_YEAR = r"(?:,? ?(?P<year{}>[1-9]\d{{3}})(?!\d|-\d\d?-))?"
_PIECE = "|".join(
    (
        rf" ?{_TO} ?(?P<day5>\d\d?){_TH}?(?![\w./:]| (?:of |de )?{_MONTH}\b)",
        r"[\s.,-]+",
        r"(?P<year0>[1-9]\d{3})-(?P<month0>\d\d?)-(?P<day0>\d\d?)(?![\w/])",
        rf"(?P<day1>\d\d?)(?:{_TH}|\.)? ?(?:of |de )?(?P<month1>{_MONTH})\b\.?{_YEAR.format(1)}",
        rf"(?P<month2>{_MONTH})\.? (?P<day2>\d\d?){_TH}?(?![\w./]){_YEAR.format(2)}",
        rf"(?P<day3>\d\d?)\. ?(?P<month3>0?[1-9]|1[0-2])(?![\w/])\.?{_YEAR.format(3)}",
        rf"(?P<day4>\d\d?)(?:{_TH}|\.)?(?= ?{_TO} ?\d)",
        r"(?P<word>[^\s,]+)",
    )
)
"""A calendar day, possibly without its year or month, or another word, or separators. Compiled when first used: it
takes as long as twenty others.
"""
_MOST_WORDS = 10
"""The most words that give a start and an end."""
_SEARCHED = 8 * 366
"""So many days in a row include every day of the calendar, even 29 February."""


@frozen
class _Day:
    """A day as written: a weekday, or a calendar day with 0 for each part left out."""

    text: str
    day: int = 0
    month: int = 0
    year: int = 0
    weekday: int | None = None

    def after(self, since: date) -> date:
        """The next such day, which may be `since` itself unless it is a weekday. Raises: BadArguments."""
        return self._first(since + timedelta(days=ahead) for ahead in range(self.weekday is not None, _SEARCHED))

    def before(self, until: date) -> date:
        """The last such day, which may be `until` itself. Raises: BadArguments."""
        return self._first(until - timedelta(days=back) for back in range(_SEARCHED))

    def _first(self, days: Iterable[date]) -> date:
        found = next(filter(self._is, days), None)
        if self.year:
            try:
                found = date(self.year, self.month, self.day) if 1970 <= self.year <= 9000 else None
            except ValueError:
                found = None
        if found is None:
            raise _no_day(self.text)
        return found

    def _is(self, day: date) -> bool:
        if self.weekday is not None:
            return day.weekday() == self.weekday
        return day.day == self.day and self.month in (0, day.month)


def names_days(text: str) -> bool:
    """Whether a text holds a number, or the name of a day or of a week.

    >>> names_days("vacation 2w"), names_days("vacation until Friday"), names_days("vacation was nice")
    (True, True, False)
    """
    said = text.casefold()
    is_numbered = any(map(str.isdigit, said))
    return is_numbered or _WEEK.search(said) is not None or not DAY_WORDS.isdisjoint(said.strip(" .!").split())


def read_vacation(words: str, zone: ZoneInfo, now: datetime) -> Span:
    """The start and end of a vacation; a day given as the last one is included. Raises: BadArguments.

    Days without a year mean the next such vacation that has not ended.

    >>> from datetime import UTC
    >>> for words in ("20.12. - 3.1.", "Dec 20-27", "from 20th to 27th of December", "20 Dec for 2 weeks"):
    ...     start, end = read_vacation(words, ZoneInfo("UTC"), datetime(2026, 7, 1, tzinfo=UTC))
    ...     print(start.date(), end.date())
    2026-12-20 2027-01-04
    2026-12-20 2026-12-28
    2026-12-20 2026-12-28
    2026-12-20 2027-01-03
    """
    today = now.astimezone(zone).date()
    first, last = _ends(words, today)
    start = now if first is None else max(_midnight(_first_day(first, last, today), zone), now)
    if isinstance(last, _Day):
        end = _midnight(last.after(start.astimezone(zone).date()) + timedelta(days=1), zone)
    else:
        end = (start.astimezone(zone) + timedelta(microseconds=last)).astimezone(UTC)  # by the wall clock
    if start > now + MOST_AHEAD:
        raise BadArguments(f'"{words}" is too far ahead: a vacation begins within {MOST_AHEAD.days} days.')
    if end - start < SHORTEST_VACATION:
        raise BadArguments(f'"{words}" is too short: a vacation lasts a day at least, and begins before it ends.')
    return start, end


def _first_day(first: _Day, last: _Day | int, today: date) -> date:
    """The date of the first day of a vacation. last: its last day, or its length. Raises: BadArguments."""
    # "20.12. - 3.1." in July: the start is the one before the end, which may be in the next year.
    if first.weekday is None and not first.year and isinstance(last, _Day) and last.month:
        # People also tell of a vacation that they are on.
        day, earliest = first.before(last.after(today)), today - _LONGEST_BEGUN
    else:
        day, earliest = first.after(today), today
    if day < earliest:
        raise BadArguments(f'"{first.text}" is past: a vacation begins today or later.')
    return day


def lone_day(words: str, zone: ZoneInfo, now: datetime) -> str:
    """The single day that the words name, if they do not say that it is the last; "" for other words.

    >>> now = datetime(2026, 7, 1, tzinfo=UTC)
    >>> [lone_day(words, ZoneInfo("UTC"), now) for words in ("24 Dec", "Friday", "until Friday", "2w")]
    ['24 Dec', 'Friday', '', '']
    """
    with suppress(BadArguments):
        match list(_pieces(words, now.astimezone(zone).date())):
            case [_Day()] if words.casefold().split()[0] not in _FILLERS:
                return words.strip(" .!")
    return ""


def vacation_said(text: str, now: datetime) -> str:
    """The words at the end of a clause that say how long the writer is away; "" for none, and for a single day, which
    may be the first or the last one.

    >>> vacation_said("I'm away next week", datetime(2026, 7, 1, tzinfo=UTC))
    'next week'
    >>> vacation_said("Sorry, I am on holiday from 3 to 10 August!", datetime(2026, 7, 1, tzinfo=UTC))
    'from 3 to 10 august'
    >>> vacation_said("Ich bin nächste Woche im Urlaub.", datetime(2026, 7, 1, tzinfo=UTC))
    'nächste woche'
    >>> vacation_said("Ich bin ab morgen im Urlaub.", datetime(2026, 7, 1, tzinfo=UTC))
    ''
    """
    said = text.casefold()
    for clause in () if _BACK.search(said) else (said, *re.split(r"[,;!\n]|\.\s", said)):
        words = _AWAY.sub("", " ".join(clause.strip(" .!").split())).split()
        for start in range(max(0, len(words) - _MOST_WORDS), len(words)):
            days = " ".join(words[start:])
            with suppress(BadArguments):
                if _SAID.match(days) and read_vacation(days, ZoneInfo("UTC"), now):
                    return "" if lone_day(days, ZoneInfo("UTC"), now) else days
    return ""


def _ends(words: str, today: date) -> tuple[_Day | None, _Day | int]:
    """The first day, None for now; and the last day, or the length. Raises: BadArguments."""
    unclear = BadArguments(f'"{words}" does not tell from when until when: write for instance {_EXAMPLES}.')
    match list(_pieces(words, today)):
        case [last] if isinstance(last, int) or words.casefold().split()[0] not in kind("dates-first"):
            first = None
        case [_Day() as first, last]:
            pass
        case _:
            raise unclear
    months = [end.month for end in (first, last) if isinstance(end, _Day) and end.weekday is None]
    if 0 in months and not any(months):
        raise unclear
    return first, last


def _pieces(words: str, today: date) -> Iterator[_Day | int]:
    """The days, and the lengths in microseconds, that words name. Raises: BadArguments."""
    said = _WEEK.sub(lambda found: _week(found, today), words.casefold().replace("\N{EN DASH}", "-").rstrip(" .!"))
    said = _IN_WORDS.sub(lambda found: f"{named('counts').get(found[1], found[1])}{found[2]}", said)
    for found in re.finditer(_PIECE, said):
        text, parts = found[0].strip(" ,"), found.groupdict()
        if parts["word"]:
            yield from _worded(text, today)
        elif kind := next((kind for kind in "012345" if parts[f"day{kind}"]), ""):
            month = parts.get(f"month{kind}") or "0"
            number = int(month) if month.isdecimal() else _MONTHS[month] + 1
            yield _Day(text, int(parts[f"day{kind}"]), number, int(parts.get(f"year{kind}") or 0))


def _week(found: re.Match[str], today: date) -> str:
    """The first and last day of the week or weekend that words name; this week begins today."""
    is_later = found["which"] in kind("next") and (not found["end"] or today.weekday() >= _SATURDAY)
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=is_later)
    first = monday + timedelta(days=_SATURDAY if found["end"] else 0)
    return f"{max(first, today)} {monday + timedelta(days=6)}"


def _worded(word: str, today: date) -> Iterator[_Day | int]:
    """The day or length that a single word names; nothing for a filler. Raises: BadArguments."""
    if word in _WEEKDAYS:
        yield _Day(word, weekday=_WEEKDAYS[word])
    elif word in DAY_WORDS:
        day = today + timedelta(days=word in kind("tomorrow"))
        yield _Day(word, day.day, day.month, day.year)
    elif word not in _FILLERS:
        try:
            yield read_duration(word)
        except BadArguments:
            raise _no_day(word) from None


def _no_day(text: str) -> BadArguments:
    return BadArguments(f'"{text}" is neither a day nor a length of time: write for instance {_EXAMPLES}.')


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    """The beginning of a day."""
    return datetime.combine(day, datetime.min.time(), zone).astimezone(UTC)
