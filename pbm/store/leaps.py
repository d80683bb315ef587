"""Repairs what was written while the clock was ahead, once the clock is right.

Anything noted as later than now never happened, and anything due later than it could have been planned is due now. If
it is certain that the clock had leapt ahead, what was written meanwhile counts as written at the known right instant,
and its due times are brought forward by as much. Otherwise daily limits, pauses, offers and rounds would last until the
wrong instants have come.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, case, literal, or_, select, true, type_coerce

from pbm.domain.calendars import StopKind, micros
from pbm.domain.mail import Delivery
from pbm.store.house import NOTED, Absences
from pbm.store.statements import Instant, Queries
from pbm.store.tables import (
    absences,
    acts,
    agenda,
    attempts,
    bouts,
    intents,
    matches,
    metadata,
    outbox,
    tickets,
    tournaments,
)
from pbm.store.tournaments import Stage

_PLANNED = frozenset({"due_at", "expires_at", "deadline_at", "ends_at", "until", "locked_until"})
"""Columns that may rightly hold future instants."""
_NOT_WRITTEN = frozenset({absences, attempts})
"""Vacations begin when players want; failed guesses later than now are forgotten with their locks."""

_ALL = true()


class Leaps(Queries):
    """Tells whether the clock was ahead, and repairs what was written then."""

    def crosses(self, now: datetime, last: datetime, slack: timedelta) -> bool:
        """Whether the clock had leapt ahead over this instant, and so was ahead until now. last: what it showed before.

        The server noted an outage at that leap, which ends about as long before `last` as it begins before now. slack:
        how long the server may have been down besides.
        """
        kind = absences.c.kind == StopKind.OUTAGE.value
        outages = select(absences.c.starts_at, absences.c.ends_at).where(absences.c.player_id.is_(None), kind)
        over = outages.where(absences.c.starts_at <= now, absences.c.ends_at > now)
        found = self._connection.execute(over).all()
        return any(abs((now - starts_at) - (last - ends_at)) <= slack for starts_at, ends_at in found)

    def bring_forward(self, now: datetime, last: datetime, unbound: frozenset[str]) -> None:
        """Bring forward plans that were made while the clock was ahead. last: what it showed before it was put right.

        unbound: kinds of agenda items that may be planned any time ahead.
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
        """Drop all knowledge of instants later than now. last: what the clock showed before.

        within: by kind of agenda item, how far ahead it is planned at most; what lies beyond that is due now.
        """
        self._forget_future_stops(now)
        self._forget_future_of_boards(now, last)
        self._forget_future_of_mails(now, last)
        self._delete(attempts, attempts.c.last_at > now)
        self._update(acts, acts.c.at > now, at=now)
        for kind, most in within.items():
            self._update(agenda, agenda.c.kind == kind, agenda.c.due_at > now + most, due_at=now)
        noted = Absences(self._connection)
        for what in NOTED:
            if (seen := noted.noted(what)) is not None and seen > now:
                noted.note(what, now)

    def _forget_future_stops(self, now: datetime) -> None:
        """End all stops of the whole server that lie later than now; one that has not ended yet goes on."""
        ours, later = absences.c.player_id.is_(None), absences.c.starts_at >= now
        self._update(absences, ours, later, absences.c.ends_at.is_(None), starts_at=now)
        self._delete(absences, ours, later, absences.c.ends_at.is_not(None))
        self._update(absences, ours, absences.c.ends_at > now, ends_at=now)

    def _forget_future_of_boards(self, now: datetime, last: datetime) -> None:
        """Let clocks that ran from a later instant run from now, and have their boards looked at anew.

        So are boards due later than `last`, because they may have been put off by the time leapt over.
        """
        ahead = matches.c.ticking_since > now
        self._update(matches, ahead, matches.c.overrun_at.is_(None), ~matches.c.paused, due_at=now)
        self._update(matches, matches.c.due_at > last, ~matches.c.paused, due_at=now)
        self._update(matches, matches.c.overrun_at > now, overrun_at=now)
        self._update(matches, ahead, ticking_since=now)

    def _forget_future_of_mails(self, now: datetime, last: datetime) -> None:
        """Let mails that may have been taken wait no longer than by the clock before, because nothing hurries them."""
        sooner = _number(outbox.c.due_at) - (micros(last) - micros(now))
        due_at = case((outbox.c.due_at > last, sooner), else_=micros(now))
        is_queued = outbox.c.state == Delivery.QUEUED.value
        self._update(outbox, is_queued, outbox.c.maybe_taken, outbox.c.due_at > now, due_at=due_at)

    def clamp(self, now: datetime) -> None:
        """Move instants of writing that are later than now to now; plans must have been brought forward before."""
        for table in metadata.sorted_tables:
            past = [each for each in table.c if isinstance(each.type, Instant) and each.name not in _PLANNED]
            if past and table not in _NOT_WRITTEN:
                values = {each.name: case((each > now, literal(now, Instant())), else_=each) for each in past}
                self._update(table, or_(*(each > now for each in past)), **values)

    def _sooner(
        self, written: Column[Any], now: datetime, *plans: Column[Any], which: ColumnElement[bool] = _ALL
    ) -> None:
        """Bring forward the plans of rows that were written later than now, by as much."""
        ahead = _number(written) - micros(now)
        sooner = {plan.name: _number(plan) - ahead for plan in plans}
        self._update(written.table, written > now, which, **sooner)


def _number(instant: Column[Any]) -> ColumnElement[int]:
    """Microseconds, to calculate with."""
    return type_coerce(instant, BigInteger)
