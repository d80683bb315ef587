"""Outages: times in which nobody's clock runs, for the server was down, or none of its mail went out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import structlog

from pbm.domain.calendars import Stop, StopKind
from pbm.store import Transaction
from pbm.store.house import DELIVERED, HEARTBEAT

log = structlog.get_logger()

SILENCE = timedelta(minutes=5)
"""A server that has given no sign of life for so long was down."""
PATIENCE = timedelta(minutes=30)
"""Mail may be late by so much before that counts as an outage, which then began with the first that was."""


def watch(tx: Transaction) -> Iterator[Stop]:
    """Give a sign of life, and note outages that begin or are over; gives those that are over. Call it every minute.

    While mail does not go out one is tried at each call, whenever it would be due, and all at once afterwards.
    """
    last = tx.absences.note(HEARTBEAT, tx.now)
    if last is not None and last - tx.now > SILENCE:
        log.warning("clock_was_ahead", now=tx.now.isoformat(), last=last.isoformat())
        tx.absences.forget_future(tx.now)
        tx.matches.forget_future(tx.now)
        tx.outbox.hurry(tx.now)
    known = next(iter(tx.absences.open(StopKind.OUTAGE, tx.now)), None)
    if last is not None and tx.now - last > SILENCE and known is None:
        down = Stop(StopKind.OUTAGE, last, tx.now)
        tx.absences.add(None, down)
        log.warning("was_down", since=last.isoformat(), until=tx.now.isoformat())
        yield down
    failing = tx.outbox.failing_since(tx.absences.noted(DELIVERED))
    if known is None and failing is not None and tx.now - failing > PATIENCE:
        tx.absences.add(None, Stop(StopKind.OUTAGE, failing))
        log.error("nothing_delivered", since=failing.isoformat())
    elif known is not None and failing is not None:
        tx.outbox.hurry_one(tx.now)
    elif known is not None:
        tx.absences.end(known, tx.now)
        tx.outbox.hurry(tx.now)
        log.warning("delivered_again", since=known.stop.starts_at.isoformat())
        yield Stop(StopKind.OUTAGE, known.stop.starts_at, tx.now)
