"""Clocks: how much time a game gives, what each player has left of it, and when it runs out.

Pure: `now` is always given. Amounts are whole microseconds, seats are 1 and 2; a clock belongs to a seat, which is a
person for the whole game, so it stays with them when sides are swapped. What a calendar says does not count is free.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pbm.domain.calendars import Calendar
from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, HOUR, in_words, read_duration, write_duration

LEAST, MOST = HOUR, 365 * DAY
"""The bounds of a move's time and of a bank."""
NONE = "none"
_EXAMPLES = "write for instance --clock=3d, --clock=10d+1d, --clock=10d+1d/20d or --clock=none"
_CONTROL = re.compile(r"(?P<first>[^+/]+)(?:\+(?P<increment>[^+/]+)(?:/(?P<cap>[^+/]+))?)?")


class TimeControl(NamedTuple):
    """How much time a game gives."""

    per_move: int | None = None
    """For each move, None for as long as one likes."""
    bank: int | None = None
    """For all moves together."""
    increment: int = 0
    """What each move adds to it, up to the cap."""
    cap: int | None = None
    strict: bool = False
    """Nights and weekends count."""
    nag: int | None = None
    """Remind who has not moved for so long."""

    @property
    def timed(self) -> bool:
        return self.per_move is not None or self.bank is not None

    @property
    def at_start(self) -> int:
        """The time a player has before their first move."""
        return self.bank if self.bank is not None else self.per_move or 0

    def after_move(self, left: int) -> int:
        """The time a player has once they have moved with so much left. A gift may be more than the cap; it is kept."""
        if self.bank is None:
            return self.per_move or 0
        return max(left, left + self.increment if self.cap is None else min(self.cap, left + self.increment))

    def __str__(self) -> str:
        """Canonical; read_control reads it again."""
        words = [NONE] if not self.timed else []
        if self.bank is not None:
            cap = "" if self.cap is None else f"/{write_duration(self.cap)}"
            words.append(f"{write_duration(self.bank)}+{write_duration(self.increment)}{cap}")
        if self.per_move is not None:
            words.append(("move=" if words else "") + write_duration(self.per_move))
        words += ["strict"] if self.strict else []
        words += [f"nag={write_duration(self.nag)}"] if self.nag is not None else []
        return ",".join(words)

    @property
    def words(self) -> str:
        """For people: what stands after "Time:"."""
        told = []
        if self.bank is not None:
            told.append(f"{in_words(self.bank)} for the whole game")
            if self.increment:
                told.append(f"{in_words(self.increment)} more with each move")
            if self.cap is not None:
                told.append(f"never above {in_words(self.cap)}")
        if self.per_move is not None:
            told.append(f"{'at most ' if told else ''}{in_words(self.per_move)} a move")
        told += [] if told else ["no clock"]
        told += ["nights and weekends count"] if self.strict and self.timed else []
        told += [f"a reminder after {in_words(self.nag)}"] if self.nag is not None else []
        return ", ".join(told)


UNLIMITED = TimeControl()
OPTIONS = frozenset({"clock", "totaltime", "forfeittime", "nagtime"})
"""Options of a challenge that say how much time there is."""


def control_of(options: Mapping[str, str], default: TimeControl) -> TimeControl:
    """The time control of a challenge. options: what stands after the `=` of those given. Raises: BadArguments."""
    days = {name: _days(name, value) for name, value in options.items() if name != "clock"}
    nag = days.pop("nagtime", None)
    if options.get("clock") == "":
        raise BadArguments(f'"--clock=" does not say how much time there is: {_EXAMPLES}.')
    if "clock" not in options:
        control = TimeControl(days.get("forfeittime"), days.get("totaltime")) if days else default
    elif days:
        raise BadArguments(f'"--clock={options["clock"]}" and --{min(days)} do not go together: the clock says it all.')
    else:
        control = read_control(options["clock"])
    return control if nag is None else control._replace(nag=nag)


def _days(name: str, value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 5 and LEAST <= int(value) * DAY <= MOST):
        raise BadArguments(f'"--{name}={value}" is not allowed: write a number of days, such as --{name}=14.')
    return int(value) * DAY


@lru_cache(maxsize=1000)
def read_control(text: str) -> TimeControl:
    """text: as in `--clock=TEXT`, or the empty one of a game that has none. Raises: BadArguments."""
    first, *more = text.casefold().replace(" ", "").split(",")
    control = TimeControl() if first in ("", NONE) else _limits(first)
    for word in more:
        name, _, value = word.partition("=")
        if word == "strict":
            control = control._replace(strict=True)
        elif name == "move" and value:
            control = control._replace(per_move=_bounded(value))
        elif name == "nag" and value:
            control = control._replace(nag=_bounded(value))
        else:
            raise BadArguments(f'"{word}" is no clock: after a comma may stand strict, move=3d or nag=2d.')
    return control


def _limits(text: str) -> TimeControl:
    found = _CONTROL.fullmatch(text)
    if found is None:
        raise BadArguments(f'"{text}" is no clock: {_EXAMPLES}.')
    if found["increment"] is None:
        return TimeControl(per_move=_bounded(text))
    bank, increment = _bounded(found["first"]), read_duration(found["increment"])
    cap = None if found["cap"] is None else _bounded(found["cap"])
    if increment > MOST:
        raise BadArguments(f'"{found["increment"]}" is too much: a move adds at most {in_words(MOST)}.')
    if cap is not None and cap < max(bank, increment):
        raise BadArguments(f'"{text}": what the clock may never be above is at least what it begins with.')
    return TimeControl(bank=bank, increment=increment, cap=cap)


def _bounded(word: str) -> int:
    length = read_duration(word)
    if not LEAST <= length <= MOST:
        raise BadArguments(f'"{word}" is not allowed: take {in_words(LEAST)} to {in_words(MOST)}.')
    return length


Calendars = tuple[Calendar, Calendar]


class Clock(NamedTuple):
    """Both clocks of a running board, as they stood at `since`; what has run since is worked out when asked for."""

    control: TimeControl
    seat: int
    """Whose clock it is that runs."""
    left: tuple[int, int]
    """Of each seat."""
    since: datetime
    turn_left: int | None = None
    """Of the limit for this move, where there is a bank besides."""
    paused: bool = False
    """By agreement, since `since`."""
    deadline_at: datetime | None = None
    """When the time of the seat runs out, as far as was known when the clock was last touched; None for never."""
    overrun_at: datetime | None = None
    """When the players were told that it has run out."""
    due_at: datetime | None = None
    """When the board needs the server next."""
    gift: int = 0
    """What the other seat was given for its next move meanwhile, on top of the limit for each."""

    @classmethod
    def start(cls, control: TimeControl, seat: int, now: datetime, calendars: Calendars) -> Clock:
        """The clock of a new board."""
        return _begun(cls(control, seat, (control.at_start, control.at_start), now), seat, calendars)

    @classmethod
    def anew(
        cls, control: TimeControl, seat: int, had: tuple[int | None, int | None], now: datetime, calendars: Calendars
    ) -> Clock:
        """The clock of a board that goes on after it had ended. had: what each seat had left at its last move."""
        first, second = (control.at_start if left is None else control.after_move(left) for left in had)
        return _begun(cls(control, seat, (first, second), now), seat, calendars)

    def remaining(self, seat: int, now: datetime, calendars: Calendars) -> int:
        """The time a seat has left, never below 0; for its present move, if that is less."""
        if seat != self.seat:
            return self.left[seat - 1]
        return max(0, self._budget - self._used(now, calendars))

    def deadline(self, calendars: Calendars) -> datetime | None:
        """When the time of the seat to move runs out by what is known now; None for never."""
        if self.paused or not self.control.timed:
            return None
        return self._calendar(calendars).deadline(self.since, self._budget)

    def refreshed(self, calendars: Calendars) -> Clock:
        """With the deadline as the calendars have it now; one that has been called stays."""
        return self if self.overrun_at else self._replace(deadline_at=self.deadline(calendars))

    def expired(self, now: datetime, calendars: Calendars) -> bool:
        """The time of the seat to move has run out."""
        deadline = self.deadline(calendars)
        return deadline is not None and deadline <= now

    def charged(self, now: datetime, calendars: Calendars) -> Clock:
        """The same clock as it stands at another instant: what has run until then is taken off for good.

        Before a player's calendar changes in any way their clock must be charged, by the calendar as it was.
        """
        used = self._used(now, calendars)
        left = _with(self.left, self.seat, max(0, self.left[self.seat - 1] - used))
        turn_left = None if self.turn_left is None else max(0, self.turn_left - used)
        return self._replace(left=left, turn_left=turn_left, since=max(now, self.since))

    def after_move(self, seat: int, calendars: Calendars, since: datetime | None = None) -> Clock:
        """The clock, charged, after a move. since: from when on the seat is to move, if not from where it stands."""
        after = self.control.after_move(self.left[self.seat - 1])
        return _begun(self, seat, calendars, _with(self.left, self.seat, after), since)

    def taken_back(self, seat: int, had: int | None, now: datetime, calendars: Calendars) -> Clock:
        """The last ply, of this seat, is taken back; it had so much left when it played.

        What it earned by the ply is taken back, too; a limit for each move begins anew, with
        what was given besides. Time that was used is used.
        """
        charged = self.charged(now, calendars)
        left = charged.left[seat - 1]
        if self.control.bank is None:
            left = max(left, self.control.at_start, had or 0)
        elif had is not None:
            left = max(0, left - (self.control.after_move(had) - had))
        return _begun(charged, seat, calendars, _with(charged.left, seat, left))

    def given(self, seat: int, amount: int, now: datetime, calendars: Calendars) -> Clock:
        """With a gift of time for a seat; if its time had run out, that is forgotten."""
        charged = self.charged(now, calendars)
        left = _with(charged.left, seat, charged.left[seat - 1] + amount)
        if seat != self.seat:
            return charged._replace(left=left, gift=charged.gift + amount).refreshed(calendars)
        turn_left = None if charged.turn_left is None else charged.turn_left + amount
        return charged._replace(left=left, turn_left=turn_left, overrun_at=None).refreshed(calendars)

    def no_less_than(self, other: Clock) -> Clock:
        """Nobody has less than by another clock, nor less for the move that both are at."""
        left = max(self.left[0], other.left[0]), max(self.left[1], other.left[1])
        if self.seat != other.seat or self.turn_left is None:
            return self._replace(left=left)
        turn_left = max(self.turn_left, other.turn_left or 0)
        return self._replace(left=left, turn_left=turn_left, gift=max(self.gift, other.gift))

    def with_pause(self, paused: bool, now: datetime, calendars: Calendars) -> Clock:
        """Stopped by agreement, or going on from where it stopped."""
        return self.charged(now, calendars)._replace(paused=paused).refreshed(calendars)

    @property
    def _budget(self) -> int:
        """The time the seat to move had at `since`."""
        left = self.left[self.seat - 1]
        return left if self.turn_left is None else min(left, self.turn_left)

    def _used(self, now: datetime, calendars: Calendars) -> int:
        if self.paused or not self.control.timed:
            return 0
        return self._calendar(calendars).worked(self.since, now)

    def _calendar(self, calendars: Calendars) -> Calendar:
        calendar = calendars[self.seat - 1]
        return calendar.strict() if self.control.strict else calendar


def _with(left: tuple[int, int], seat: int, amount: int) -> tuple[int, int]:
    return (amount, left[1]) if seat == 1 else (left[0], amount)


def _begun(
    clock: Clock, seat: int, calendars: Calendars, left: tuple[int, int] | None = None, since: datetime | None = None
) -> Clock:
    """The clock, charged, when the seat begins to think. left, since: where they have changed."""
    control = clock.control
    both = control.bank is not None and control.per_move is not None
    turn_left = (control.per_move or 0) + clock.gift if both else None
    begun = Clock(control, seat, left or clock.left, since or clock.since, turn_left, clock.paused, due_at=clock.due_at)
    return begun.refreshed(calendars)
