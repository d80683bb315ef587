"""What was written down while the clock was ahead, put right once the clock is.

What was noted of later instants never was, and what is due later than anybody puts it down is due now. Where it is sure
that the clock had leapt ahead, what was written meanwhile counts as written at the instant that is known to be right,
and what it waits for comes as long after that as it was to come after it. Else limits a day, pauses, offers and rounds
would last until the wrong instants have come.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, case, literal, or_, select, true, type_coerce

from pbm.domain.calendars import StopKind, micros
from pbm.store.house import NOTED, Absences
from pbm.store.statements import Instant, Queries
from pbm.store.tables import absences, agenda, attempts, bouts, intents, matches, metadata, tickets, tournaments
from pbm.store.tournaments import Stage

_PLANNED = frozenset({"due_at", "expires_at", "deadline_at", "ends_at", "until", "locked_until"})
"""Columns that may well hold instants to come."""
_NOT_WRITTEN = frozenset({absences, attempts})
"""Vacations begin when players want; guesses that went wrong later than now are forgotten with their locks."""

_ALL = true()


class Leaps(Queries):
    """Whether the clock was ahead, and what is to be done then."""

    def crosses(self, now: datetime, last: datetime, slack: timedelta) -> bool:
        """The clock, which showed last before, has leapt over this instant, so it was ahead since.

        The server noted an outage then, whose end is about as long before last as its begin is before now. slack: how
        long it may have been down besides.
        """
        kind = absences.c.kind == StopKind.OUTAGE.value
        outages = select(absences.c.starts_at, absences.c.ends_at).where(absences.c.player_id.is_(None), kind)
        over = outages.where(absences.c.starts_at <= now, absences.c.ends_at > now)
        found = self._connection.execute(over).all()
        return any(abs((now - starts_at) - (last - ends_at)) <= slack for starts_at, ends_at in found)

    def bring_forward(self, now: datetime, last: datetime, unbound: frozenset[str]) -> None:
        """Let plans come sooner that were made while the clock was ahead. last: what it showed before it was put right.

        unbound: kinds on the agenda of which nobody knows how long before they are put down.
        """
        self._sooner(tickets.c.created_at, now, tickets.c.expires_at)
        self._sooner(intents.c.created_at, now, intents.c.due_at)
        self._sooner(matches.c.overrun_at, now, matches.c.due_at, matches.c.deadline_at)
        self._sooner(matches.c.ticking_since, now, matches.c.due_at, which=matches.c.paused)
        is_open = tournaments.c.state == Stage.OPEN.value
        self._sooner(tournaments.c.created_at, now, tournaments.c.due_at, which=is_open)
        shift = micros(last) - micros(now)
        of_unbound = agenda.c.kind.in_(sorted(unbound))
        for due_at, which in ((tournaments.c.due_at, ~is_open), (bouts.c.due_at, _ALL), (agenda.c.due_at, of_unbound)):
            self._update(due_at.table, which, due_at > last, due_at=_number(due_at) - shift)

    def forget_future(self, now: datetime, last: datetime, within: Mapping[str, timedelta]) -> None:
        """Nothing is known of later than now. last: what the clock showed before.

        within: by kind on the agenda, so long before at most is it put down; what is to come later is due now.
        """
        self._forget_future_stops(now)
        self._forget_future_of_boards(now, last)
        self._delete(attempts, attempts.c.last_at > now)
        for kind, most in within.items():
            self._update(agenda, agenda.c.kind == kind, agenda.c.due_at > now + most, due_at=now)
        noted = Absences(self._connection)
        for what in NOTED:
            if (seen := noted.noted(what)) is not None and seen > now:
                noted.note(what, now)

    def _forget_future_stops(self, now: datetime) -> None:
        """No stop of all clocks is over later than now. One that nobody has ended yet goes on."""
        ours, later = absences.c.player_id.is_(None), absences.c.starts_at >= now
        self._update(absences, ours, later, absences.c.ends_at.is_(None), starts_at=now)
        self._delete(absences, ours, later, absences.c.ends_at.is_not(None))
        self._update(absences, ours, absences.c.ends_at > now, ends_at=now)

    def _forget_future_of_boards(self, now: datetime, last: datetime) -> None:
        """What ran from a later instant runs from now, and is looked at anew.

        So is what is due later than the clock showed last, for it may have been put off by the time it leapt over.
        """
        ahead = matches.c.ticking_since > now
        self._update(matches, ahead, matches.c.overrun_at.is_(None), ~matches.c.paused, due_at=now)
        self._update(matches, matches.c.due_at > last, ~matches.c.paused, due_at=now)
        self._update(matches, matches.c.overrun_at > now, overrun_at=now)
        self._update(matches, ahead, ticking_since=now)

    def clamp(self, now: datetime) -> None:
        """Nothing was written later than now; plans that were made later are to be brought forward before."""
        for table in metadata.sorted_tables:
            past = [each for each in table.c if isinstance(each.type, Instant) and each.name not in _PLANNED]
            if past and table not in _NOT_WRITTEN:
                values = {each.name: case((each > now, literal(now, Instant())), else_=each) for each in past}
                self._update(table, or_(*(each > now for each in past)), **values)

    def _sooner(
        self, written: Column[Any], now: datetime, *plans: Column[Any], which: ColumnElement[bool] = _ALL
    ) -> None:
        """Plans of rows that were written later than now come sooner by as much."""
        ahead = _number(written) - micros(now)
        sooner = {plan.name: _number(plan) - ahead for plan in plans}
        self._update(written.table, written > now, which, **sooner)


def _number(instant: Column[Any]) -> ColumnElement[int]:
    """Microseconds, to reckon with."""
    return type_coerce(instant, BigInteger)
