"""The delivery loop: from the outbox to a transport, as often as it takes.

A mail is marked as sent after the transport took it, so that a crash in between sends it again with the same
Message-ID; what is finished together is marked, and what is begun next claimed, in one transaction. Whoever has claimed
a mail sends it alone, for as long as he renews his claim: that of a process which was killed is over in LEASE_SECONDS.
No claim or mark need outlive a loss of power, which may send a mail again as well.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import structlog

from pbm.domain.mail import Queued
from pbm.edges.transports import Outgoing, PermanentFailure, RecipientRefused, TemporaryFailure, Transport
from pbm.store import DatabaseTrouble, Store, Transaction
from pbm.store.absences import DELIVERED

log = structlog.get_logger()

_NOTED_EVERY = timedelta(seconds=30)
"""How often it is noted that mail goes out."""
R = TypeVar("R")

LEASE_SECONDS = 15.0
_RENEWAL_SECONDS = 5.0
_TROUBLED_SECONDS = 0.5

Refused = Callable[[Transaction, Queued, str, datetime], None]
"""Told, in the transaction that gives a mail up, that its recipient was refused, and in what words."""


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """How hard to try. A retry waits twice as long as the one before, give or take a fifth, up to the longest.

    poll_seconds: how long nothing may be heard of before the outbox is looked at all the same.
    """

    concurrency: int = 10
    first_retry_seconds: float = 60
    longest_retry_seconds: float = 6 * 3600
    give_up_hours: float = 120
    poll_seconds: float = 5

    def retry_at(self, now: datetime, attempts: int) -> datetime:
        """When to try again after so many failures, the last one included."""
        wait = min(self.longest_retry_seconds, self.first_retry_seconds * 2 ** min(attempts - 1, 40))
        return now + timedelta(seconds=wait * random.uniform(0.8, 1.2))  # noqa: S311  spreads load, guards nothing


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What became of one try. failure: None when the transport took the mail."""

    queued: Queued
    failure: PermanentFailure | TemporaryFailure | None = None


class Deliverer:
    """Sends what is due until it is stopped; `wake` tells it that the outbox has grown."""

    def __init__(
        self,
        store: Store,
        transport: Transport,
        settings: DeliverySettings,
        clock: Callable[[], datetime],
        refused: Refused = lambda *_: None,
    ) -> None:
        self._store = store
        self._transport = transport
        self._settings = settings
        self._clock = clock
        self._refused = refused
        self._woken = asyncio.Event()
        self._stopping = False
        self._noted_at = datetime.min.replace(tzinfo=UTC)
        self._under_way: dict[asyncio.Task[_Attempt], int] = {}
        self._renewed_at = 0.0
        self._database = ThreadPoolExecutor(1, thread_name_prefix="outbox")

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        """Returns after stop(), when what was under way has been marked."""
        while not self._stopping:
            try:
                await self._wait(await self._turn())
            except DatabaseTrouble as trouble:
                log.warning("outbox_trouble", trouble=str(trouble))
                await asyncio.sleep(min(self._settings.poll_seconds, _TROUBLED_SECONDS))
        await asyncio.gather(*self._under_way)
        with suppress(DatabaseTrouble):
            await self._turn()
        self._database.shutdown()
        await self._transport.close()

    def stop(self) -> None:
        self._stopping = True
        self._woken.set()

    async def _turn(self) -> float:
        """Mark what is finished and begin what is due, as far as there is room; in how many seconds to look again."""
        loop = asyncio.get_running_loop()
        finished = [task for task in self._under_way if task.done()]
        busy = [mail_id for task, mail_id in self._under_way.items() if task not in finished]
        room = 0 if self._stopping else self._settings.concurrency - len(busy)
        self._woken.clear()
        is_stale = bool(busy) and loop.time() >= self._renewed_at + _RENEWAL_SECONDS
        if not finished and not is_stale:
            wait = await self._in_thread(self._until_due) if room else _RENEWAL_SECONDS
            if wait > 0:
                return wait
        claimed = await self._in_thread(self._mark_and_claim, [task.result() for task in finished], busy, room)
        self._renewed_at = loop.time()
        for task in finished:
            del self._under_way[task]
        for queued in claimed:
            if queued.id not in busy:
                self._under_way[asyncio.create_task(self._send(queued))] = queued.id
        return 0

    def _until_due(self) -> float:
        """In how many seconds the next mail is due, or it is time to look all the same."""
        with self._store.read() as tx:
            next_at = tx.outbox.next_at()
        poll = self._settings.poll_seconds
        return poll if next_at is None else min(poll, (next_at - self._clock()).total_seconds())

    async def _send(self, queued: Queued) -> _Attempt:
        mail = queued.mail
        try:
            await self._transport.send(Outgoing(mail.envelope_from, mail.address, mail.raw, queued.id))
        except (PermanentFailure, TemporaryFailure) as failure:
            return _Attempt(queued, failure)
        except Exception as error:
            log.error("transport_fault", mail=queued.inbox_id, outbox=queued.id, exc_info=error)
            return _Attempt(queued, TemporaryFailure(f"{type(error).__name__}: {error}"))
        return _Attempt(queued)

    async def _wait(self, seconds: float) -> None:
        """Until a sending is finished, the outbox grew, or it is time to look again."""
        if seconds <= 0:
            return
        waker = asyncio.create_task(self._woken.wait())
        timeout = min(seconds, _RENEWAL_SECONDS) if self._under_way else seconds
        await asyncio.wait([waker, *self._under_way], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        waker.cancel()

    def _mark_and_claim(self, attempts: list[_Attempt], busy: list[int], room: int) -> list[Queued]:
        """attempts: what is finished. busy: what is under way, to be kept. room: how many more may be begun."""
        now = self._clock()
        until = now + timedelta(seconds=LEASE_SECONDS)
        with self._store.write(alone=False, durable=False) as tx:
            sent = [attempt.queued for attempt in attempts if attempt.failure is None]
            tx.outbox.sent([queued.id for queued in sent], now)
            if sent and now >= self._noted_at + _NOTED_EVERY:
                tx.absences.note(DELIVERED, now)
                self._noted_at = now
            for attempt in attempts:
                if attempt.failure is not None:
                    self._mark_failure(tx, attempt.queued, attempt.failure, now)
            tx.outbox.keep(busy, until)
            claimed = tx.outbox.claim(now, until, room) if room else []
        for queued in sent:
            log.info("sent", mail=queued.inbox_id, outbox=queued.id, attempts=queued.attempts + 1)
        return claimed

    def _mark_failure(
        self, tx: Transaction, queued: Queued, failure: PermanentFailure | TemporaryFailure, now: datetime
    ) -> None:
        expired = now - queued.created_at > timedelta(hours=self._settings.give_up_hours)
        if isinstance(failure, PermanentFailure) or expired:
            log.warning("not_delivered", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason, gave_up=expired)
            tx.outbox.fail(queued.id, now, failure.reason)
            if isinstance(failure, RecipientRefused):
                self._refused(tx, queued, failure.reason, now)
        else:
            log.info("delivery_postponed", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason)
            tx.outbox.postpone(queued.id, self._settings.retry_at(now, queued.attempts + 1), failure.reason)

    async def _in_thread(self, work: Callable[..., R], *args: object) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._database, work, *args)
