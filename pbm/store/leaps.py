"""Repairs what was written while the clock was ahead, once the clock is right.

Anything noted as later than now never happened, and anything due later than it could have been planned is due now. If
it is certain that the clock had leapt ahead, what was written meanwhile counts as written at the known right instant,
and its due times are brought forward by as much. Otherwise daily limits, pauses, offers and rounds would last until the
wrong instants have come. `tables` says which columns may hold future instants.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, case, func, null, select, true, type_coerce

from pbm.domain.calendars import StopKind, micros
from pbm.domain.mail import Delivery
from pbm.store.house import NOTED, Absences
from pbm.store.statements import Instant, Queries
from pbm.store.tables import PLANNED, absences, acts, agenda, attempts, bouts, matches, metadata, outbox, tournaments
from pbm.store.tournaments import Stage

_INSTANTS = [column for table in metadata.sorted_tables for column in table.c if isinstance(column.type, Instant)]


class Leaps(Queries):
    """Tells whether the clock was ahead, and repairs what was written then."""

    def crosses(self, now: datetime, last: datetime, slack: timedelta) -> bool:
        """Whether the clock had leapt ahead over this instant, and so was ahead until now. last: what it showed before.

        slack: how long the server may have been down besides.
        """
        # The server noted an outage at that leap, which ends about as long before `last` as it begins before now.
        kind = absences.c.kind == StopKind.OUTAGE.value
        outages = select(absences.c.starts_at, absences.c.ends_at).where(absences.c.player_id.is_(None), kind)
        over = outages.where(absences.c.starts_at <= now, absences.c.ends_at > now)
        rows = self._connection.execute(over).all()
        return any(abs((now - starts_at) - (last - ends_at)) <= slack for starts_at, ends_at in rows)

    def bring_forward(self, now: datetime, last: datetime, unbound: frozenset[str]) -> None:
        """Bring forward plans that were made while the clock was ahead. last: what it showed before it was put right.

        unbound: kinds of agenda items that may be planned any time ahead.
        """
        # Where nothing says when a plan was made, one later than `last` counts as made while the clock was ahead.
        begun = (tournaments.c.state != Stage.OPEN.value) & (tournaments.c.created_at <= now)
        of_unbound = agenda.c.kind.in_(sorted(unbound))
        for plan, which in ((tournaments.c.due_at, begun), (bouts.c.due_at, true()), (agenda.c.due_at, of_unbound)):
            self._set(plan, _number(plan) - (micros(last) - micros(now)), which, plan > last)
        for plan in _INSTANTS:
            if since := plan.info.get(PLANNED):
                written = func.coalesce(*(plan.table.c[name] for name in since), null(), type_=Instant())
                self._set(plan, _number(plan) - (_number(written) - micros(now)), written > now)

    def forget_future(self, now: datetime, last: datetime, within: Mapping[str, timedelta]) -> None:
        """Drop all knowledge of instants later than now. last: what the clock showed before.

        within: by kind of agenda item, how far ahead it is planned at most; what lies beyond that is due now.
        """
        ours, later = absences.c.player_id.is_(None), absences.c.starts_at >= now
        # A stop of the whole server that has not ended yet goes on.
        self._update(absences, ours, later, absences.c.ends_at.is_(None), starts_at=now)
        self._delete(absences, ours, later, absences.c.ends_at.is_not(None))
        self._update(absences, ours, absences.c.ends_at > now, ends_at=now)
        # Boards are looked at anew, because they may have been put off by the time leapt over.
        self._update(matches, matches.c.due_at > now, ~matches.c.paused, due_at=now)
        # Nothing else hurries mails that may have been taken: they wait no longer than by the clock before.
        sooner = _number(outbox.c.due_at) - (micros(last) - micros(now))
        due_at = case((outbox.c.due_at > last, sooner), else_=micros(now))
        is_queued = outbox.c.state == Delivery.QUEUED.value
        self._set(outbox.c.due_at, due_at, is_queued, outbox.c.maybe_taken, outbox.c.due_at > now)
        self._delete(attempts, attempts.c.last_at > now)
        for written in (matches.c.overrun_at, matches.c.ticking_since, acts.c.at):
            self._set(written, now, written > now)
        for kind, most in within.items():
            self._update(agenda, agenda.c.kind == kind, agenda.c.due_at > now + most, due_at=now)
        noted = Absences(self._connection)
        for what in NOTED:
            if (noted_at := noted.noted(what)) is not None and noted_at > now:
                noted.note(what, now)

    def clamp(self, now: datetime) -> None:
        """Move instants of writing that are later than now to now; plans must have been brought forward before."""
        for written in _INSTANTS:
            if PLANNED not in written.info:
                self._set(written, now, written > now)

    def _set(self, instant: Column[Any], value: Any, *which: ColumnElement[bool]) -> None:
        """Give a column the value in the rows that meet all conditions."""
        self._update(instant.table, *which, **{instant.name: value})


def _number(instant: ColumnElement[Any]) -> ColumnElement[int]:
    """Microseconds, to calculate with."""
    return type_coerce(instant, BigInteger)
