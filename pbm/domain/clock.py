"""Clocks: how much time a game gives, what each player has left of it, and when it runs out.

Pure: `now` is always given. Amounts are whole microseconds; seats are 1 and 2. A clock belongs to a seat, and a seat is
one person for the whole game, so a swap of sides does not affect it. Time that a calendar excludes costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pbm.domain.calendars import Calendar
from pbm.domain.errors import BadArguments
from pbm.domain.spans import DAY, HOUR, in_words, read_duration, write_duration

LEAST, MOST = HOUR, 365 * DAY
"""The bounds for the time per move and for a bank."""
NONE = "none"
_EXAMPLES = "write for instance --clock=3d, --clock=10d+1d, --clock=10d+1d/20d or --clock=none"
_CONTROL = re.compile(r"(?P<first>[^+/]+)(?:\+(?P<increment>[^+/]+)(?:/(?P<cap>[^+/]+))?)?")


class TimeControl(NamedTuple):
    """How much time a game gives."""

    per_move: int | None = None
    """For each move; None for no limit."""
    bank: int | None = None
    """For all moves together."""
    increment: int = 0
    """What each move adds to the bank, up to the cap."""
    cap: int | None = None
    strict: bool = False
    """Nights and weekends count."""
    nag: int | None = None
    """A player who has not moved for this long is reminded."""

    @property
    def timed(self) -> bool:
        return self.per_move is not None or self.bank is not None

    @property
    def at_start(self) -> int:
        """The time a player has before their first move."""
        return self.bank if self.bank is not None else self.per_move or 0

    def after_move(self, left: int) -> int:
        """The time a player has after a move made with this much left. A gift above the cap is kept."""
        if self.bank is None:
            return self.per_move or 0
        return max(left, left + self.increment if self.cap is None else min(self.cap, left + self.increment))

    def __str__(self) -> str:
        """The canonical form, which read_control reads back."""
        words = [] if self.timed else [NONE]
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
        """The description for people, as shown after "Time:"."""
        clauses = []
        if self.bank is not None:
            clauses.append(f"{in_words(self.bank)} for the whole game")
            if self.increment:
                clauses.append(f"{in_words(self.increment)} more with each move")
            if self.cap is not None:
                clauses.append(f"never above {in_words(self.cap)}")
        if self.per_move is not None:
            clauses.append(f"{'at most ' if clauses else ''}{in_words(self.per_move)} a move")
        if not clauses:
            clauses.append("no clock")
        elif self.strict:
            clauses.append("nights and weekends count")
        if self.nag is not None:
            clauses.append(f"a reminder after {in_words(self.nag)}")
        return ", ".join(clauses)


UNLIMITED = TimeControl()
OPTIONS = frozenset({"clock", "totaltime", "forfeittime", "nagtime"})
"""The options of a challenge that set the time control."""


def control_of(options: Mapping[str, str], default: TimeControl) -> TimeControl:
    """The time control of a challenge. options: those given, with the text after `=`. Raises: BadArguments."""
    days = {name: _days(name, value) for name, value in options.items() if name != "clock"}
    nag = days.pop("nagtime", None)
    # Stored, the empty text means no clock; nobody would ask for that so.
    if options.get("clock") == "":
        raise BadArguments(f'"--clock=" does not say how much time there is: {_EXAMPLES}.')
    # The classic server's options, in days, which its players know by heart.
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
    """text: as in `--clock=TEXT`; empty for no clock. Raises: BadArguments."""
    first, *more = text.casefold().replace(" ", "").split(",")
    control = TimeControl() if first in ("", NONE) else _limits(first)
    for word in more:
        name, _, value = word.partition("=")
        if word == "strict":
            control = control._replace(strict=True)
        elif name == "move" and value:
            if control.per_move is not None:  # neither of the two is dropped without a word
                raise BadArguments(f'"{first}" is for each move already: as a bank it is {first}+0d,{word}.')
            control = control._replace(per_move=_bounded(value))
        elif name == "nag" and value:
            control = control._replace(nag=_bounded(value))
        else:
            raise BadArguments(f'"{word}" is no clock: after a comma may stand strict, move=3d or nag=2d.')
    return control


def _limits(text: str) -> TimeControl:
    match = _CONTROL.fullmatch(text)
    if match is None:
        raise BadArguments(f'"{text}" is no clock: {_EXAMPLES}.')
    if match["increment"] is None:
        return TimeControl(per_move=_bounded(text))
    bank, increment = _bounded(match["first"]), read_duration(match["increment"])
    cap = None if match["cap"] is None else _bounded(match["cap"])
    if increment > MOST:
        raise BadArguments(f'"{match["increment"]}" is too much: a move adds at most {in_words(MOST)}.')
    # A cap below that would take time away with the first move.
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
    """Both clocks of a running board, as they stood at `since`; the time used since then is computed on demand."""

    control: TimeControl
    seat: int
    """The seat whose clock runs."""
    left: tuple[int, int]
    """The time left for each seat."""
    since: datetime
    turn_left: int | None = None
    """What is left of the limit for this move, if there is a bank as well."""
    paused: bool = False
    """By agreement, since `since`."""
    deadline_at: datetime | None = None
    """When the seat's time runs out, as known when the clock last changed; None for never."""
    overrun_at: datetime | None = None
    """When the players were told that it has run out."""
    due_at: datetime | None = None
    """When the board needs the server next."""
    gift: int = 0
    """What the other seat has been given for its next move, on top of the limit for each move."""

    @classmethod
    def start(
        cls,
        control: TimeControl,
        seat: int,
        now: datetime,
        calendars: Calendars,
        had: Sequence[int | None] = (None, None),
    ) -> Clock:
        """The clock of a board. had: what each seat had left at its last move; None if it has made none."""
        first, second = (control.at_start if left is None else control.after_move(left) for left in had)
        return _begun(cls(control, seat, (first, second), now), seat, calendars)

    def remaining(self, seat: int, now: datetime, calendars: Calendars) -> int:
        """The time a seat has left, never below 0; the time for its current move, if that is less."""
        if seat != self.seat:
            return self.left[seat - 1]
        return max(0, self._budget - self._used(now, calendars))

    def deadline(self, calendars: Calendars) -> datetime | None:
        """When the seat to move runs out of time, as far as is known now; None for never."""
        if self.paused or not self.control.timed:
            return None
        return self._calendar(calendars).deadline(self.since, self._budget)

    def refreshed(self, calendars: Calendars) -> Clock:
        """The clock with its deadline recomputed from the calendars, unless the overrun has already been announced."""
        return self if self.overrun_at else self._replace(deadline_at=self.deadline(calendars))

    def expired(self, now: datetime, calendars: Calendars) -> bool:
        """Whether the seat to move has run out of time."""
        deadline = self.deadline(calendars)
        return deadline is not None and deadline <= now

    def charged(self, now: datetime, calendars: Calendars) -> Clock:
        """The same clock at a later instant, with the time used until then deducted for good.

        A player's clock must be charged by the old calendar before their calendar changes in any way.
        """
        used = self._used(now, calendars)
        left = _with(self.left, self.seat, max(0, self.left[self.seat - 1] - used))
        turn_left = None if self.turn_left is None else max(0, self.turn_left - used)
        return self._replace(left=left, turn_left=turn_left, since=max(now, self.since))

    def after_move(self, seat: int, calendars: Calendars, since: datetime | None = None) -> Clock:
        """The charged clock after a move. since: when the seat's turn begins, if not at the clock's own instant."""
        after = self.control.after_move(self.left[self.seat - 1])
        return _begun(self, seat, calendars, _with(self.left, self.seat, after), since)

    def taken_back(self, seat: int, had: int | None, now: datetime, calendars: Calendars) -> Clock:
        """The clock after this seat's last ply is taken back. had: what the seat had left when it played that ply."""
        charged = self.charged(now, calendars)  # time already used stays used
        left = charged.left[seat - 1]
        if self.control.bank is None:
            # A limit for each move starts again, and keeps any gift on top.
            left = max(left, self.control.at_start, had or 0)
        elif had is not None:
            # The increment for the ply is taken back, too.
            left = max(0, left - (self.control.after_move(had) - had))
        return _begun(charged, seat, calendars, _with(charged.left, seat, left))

    def given(self, seat: int, amount: int, now: datetime, calendars: Calendars) -> Clock:
        """The clock after a gift of time to a seat; if the seat's time had run out, that is forgotten."""
        charged = self.charged(now, calendars)
        left = _with(charged.left, seat, charged.left[seat - 1] + amount)
        if seat != self.seat:
            return charged._replace(left=left, gift=charged.gift + amount).refreshed(calendars)
        turn_left = None if charged.turn_left is None else charged.turn_left + amount
        return charged._replace(left=left, turn_left=turn_left, overrun_at=None).refreshed(calendars)

    def no_less_than(self, other: Clock) -> Clock:
        """The clock, with nobody having less than on the other one, either in total or for the move both are at."""
        left = max(self.left[0], other.left[0]), max(self.left[1], other.left[1])
        if self.seat != other.seat or self.turn_left is None:
            return self._replace(left=left)
        turn_left = max(self.turn_left, other.turn_left or 0)
        return self._replace(left=left, turn_left=turn_left, gift=max(self.gift, other.gift))

    def with_pause(self, paused: bool, now: datetime, calendars: Calendars) -> Clock:
        """The clock paused by agreement, or resumed from where it stopped."""
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
    """The charged clock when the seat's turn begins. left, since: if they have changed."""
    control = clock.control
    both = control.bank is not None and control.per_move is not None
    is_theirs = seat != clock.seat  # a gift is for the other seat, which waits on if the same one moves again
    turn_left = (control.per_move or 0) + (clock.gift if is_theirs else 0) if both else None
    begun = Clock(control, seat, left or clock.left, since or clock.since, turn_left, clock.paused, due_at=clock.due_at)
    return begun._replace(gift=0 if is_theirs else clock.gift).refreshed(calendars)
