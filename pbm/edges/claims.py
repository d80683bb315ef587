"""One process's claims on the outbox: one transaction marks what is finished and claims what is next.

The process that claims a mail sends it alone, as long as it renews its claim: the claim of a killed process ends within
`Claims.lease_seconds`. Claims and marks need not survive a power failure, which may send a mail again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog

from pbm.core.counts import GIVEN_UP, POSTPONED, SENT, TRAVELLED
from pbm.domain.configuration import DeliverySettings
from pbm.domain.mail import Queued
from pbm.edges.transports import MaybeTaken, NotSent, RecipientRefused, TemporaryFailure
from pbm.store import Store, Transaction
from pbm.store.house import DELIVERED
from pbm.values import frozen

log = structlog.get_logger()

_TRIES_OF_AN_ADDRESS = 3
"""A mail server that has just been started may know none of its users yet, so once is not enough."""
_MOST_REFUSED = 10_000
_NOTED_EVERY = timedelta(seconds=30)
"""How often to note that mail goes out."""

GaveUp = Callable[[Transaction, Queued, NotSent, bool], None]
"""Told, in the transaction that gives a mail up, why, and whether its recipient was refused."""


class Unmade(NotSent):
    """The mail could not be made, which says nothing about its recipient, nor about the way out."""


@frozen
class Attempt:
    """The outcome of one try."""

    queued: Queued
    failure: RecipientRefused | TemporaryFailure | Unmade | None = None
    """None if the transport took the mail."""


@dataclass(slots=True)
class _Refusals:
    """How often the recipient of a mail was refused."""

    address: str
    tries: set[int] = field(default_factory=set)
    """Their numbers, because the same try is marked again after trouble with the database."""
    others_taken: bool = False
    """Whether a mail to another address was taken since the first. A server that has lost its list of users says of
    everybody that there is no such user.
    """


class Claims:
    """What one process has claimed. Its methods take transactions: call them off the event loop."""

    lease_seconds = 15.0
    renewal_seconds = 5.0

    def __init__(
        self,
        store: Store,
        settings: DeliverySettings,
        gave_up: GaveUp = lambda *_: None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._gave_up = gave_up
        self._noted_at = self._renewed_at = datetime.min.replace(tzinfo=UTC)
        self._refused: dict[int, _Refusals] = {}

    def until_due(self) -> float:
        """In how many seconds the next mail is due, at most the polling interval."""
        with self._store.read() as tx:
            return self._pause(tx)

    def _pause(self, tx: Transaction) -> float:
        next_at, poll = tx.outbox.next_at(), self._settings.poll_seconds
        return poll if next_at is None else min(poll, (next_at - tx.now).total_seconds())

    def exchange(
        self,
        attempts: Sequence[Attempt],
        kept: Sequence[int],
        room: int,
        given_back: Collection[int] = (),
        *,
        is_down: bool = False,
        recovered: bool = False,
        is_last: bool = False,
    ) -> tuple[list[Queued], float]:
        """Mark the attempts, which are finished, and claim more; returns these, and in how many seconds others are due.

        kept: claimed before and not finished. room: how many more may be claimed. given_back: claimed before and not
        begun. is_down: whether the way out is down. recovered: it was, and is up again. is_last: the process ends.
        """
        now = self._store.clock()
        until = now if is_last else now + timedelta(seconds=self.lease_seconds)
        # The difference may have either sign: after a leap of the clock all claims are renewed at once.
        renews = is_last or abs(now - self._renewed_at) >= timedelta(seconds=self.renewal_seconds)
        with self._store.write(alone=False, durable=False) as tx:
            sent = self._mark(tx, attempts, now, is_down=is_down)
            # What failed because of the way out need not wait for its own next try.
            if recovered:
                tx.outbox.hurry(now)
            tx.outbox.keep(given_back, now)
            tx.outbox.keep(kept if renews else (), until)
            # While the way is down one mail tries it, of those that have not failed for their own sake.
            claimed = tx.outbox.claim(now, until, room, kept, untried=is_down) if room else []
            wait = self._pause(tx) if room else math.inf
        if renews:
            self._renewed_at = now
        # Counted and logged only now: a rollback would have undone the marks.
        SENT.inc(len(sent))
        for queued in sent:
            TRAVELLED.observe(max(0.0, (now - queued.created_at).total_seconds()))
            log.info("sent", mail=queued.inbox_id, outbox=queued.id, attempts=queued.attempts + 1)
        return claimed, wait

    def _mark(self, tx: Transaction, attempts: Sequence[Attempt], now: datetime, *, is_down: bool) -> list[Queued]:
        """Mark finished attempts; returns those that were sent."""
        sent = [attempt.queued for attempt in attempts if attempt.failure is None]
        tx.outbox.sent([queued.id for queued in sent], now)
        # Outages are told by this; noted with each mail, it would be one more write for each.
        if sent and abs(now - self._noted_at) >= _NOTED_EVERY:
            tx.absences.note(DELIVERED, now)
            self._noted_at = now
        for attempt in attempts:
            if attempt.failure is not None:
                self._mark_failure(tx, attempt.queued, attempt.failure, is_down=is_down)
        self._note_taken(sent)
        return sent

    def _note_taken(self, sent: Sequence[Queued]) -> None:
        """Note which refusals are no longer those of everybody; those of mails that are over by now are forgotten."""
        for queued in sent:
            self._refused.pop(queued.id, None)
        if len(self._refused) > _MOST_REFUSED:
            self._refused.clear()
        taken = {queued.mail.address for queued in sent}
        for refusals in self._refused.values():
            refusals.others_taken = refusals.others_taken or bool(taken - {refusals.address})

    def _mark_failure(self, tx: Transaction, queued: Queued, failure: NotSent, *, is_down: bool) -> None:
        tries, refusals = queued.attempts + 1, _Refusals(queued.mail.address)
        # A server that lost its list of users says of everybody that there is no such user, so it is only counted here.
        if isinstance(failure, RecipientRefused):
            refusals = self._refused.setdefault(queued.id, refusals)
            refusals.tries.add(tries)
        expired = tx.now - queued.created_at > timedelta(hours=self._settings.give_up_hours)
        # The bytes follow from what is stored, so another try to make them would fail, too.
        is_over = expired or isinstance(failure, Unmade)
        if is_over or (refusals.others_taken and len(refusals.tries) >= _TRIES_OF_AN_ADDRESS):
            GIVEN_UP.inc()
            self._refused.pop(queued.id, None)
            log.warning("not_delivered", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason, gave_up=expired)
            if tx.outbox.fail(queued.id, tx.now, failure.reason):
                self._gave_up(tx, queued, failure, refusals.others_taken)
            return
        POSTPONED.inc()
        log.info("delivery_postponed", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason)
        maybe_taken = isinstance(failure, MaybeTaken)
        # The way failed, and not this mail; but one whose text was sent may arrive once more with each try.
        if is_down and not maybe_taken:
            tries = 1
        due_at = self._settings.retry_at(tx.now, tries)
        tx.outbox.postpone(queued.id, due_at, failure.reason, maybe_taken=maybe_taken)
