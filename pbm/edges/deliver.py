"""The delivery loop: from the outbox to a transport, as often as it takes.

A mail is marked as sent after the transport took it, so that a crash in between sends it again with the same
Message-ID; what is finished together is marked in one transaction.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from pbm.domain.mail import Queued
from pbm.edges.transports import Outgoing, PermanentFailure, RecipientRefused, TemporaryFailure, Transport
from pbm.store import DatabaseTrouble, Store, Transaction

log = structlog.get_logger()
R = TypeVar("R")

Refused = Callable[[Transaction, Queued, str, datetime], None]
"""Told, in the transaction that gives a mail up, that its recipient was refused, and in what words."""


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """How hard to try. A retry waits twice as long as the one before, give or take a fifth, up to the longest."""

    concurrency: int = 10
    first_retry_seconds: float = 60
    longest_retry_seconds: float = 6 * 3600
    give_up_hours: float = 120
    poll_seconds: float = 0.5

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
        self._under_way: dict[asyncio.Task[_Attempt], int] = {}
        self._database = ThreadPoolExecutor(1, thread_name_prefix="outbox")

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        """Returns after stop(), when what was under way has been marked."""
        while not self._stopping:
            try:
                started = await self._start_due()
                await self._wait(started)
                await self._mark_finished()
            except DatabaseTrouble as trouble:
                log.warning("outbox_trouble", trouble=str(trouble))
                await asyncio.sleep(self._settings.poll_seconds)
        await asyncio.gather(*self._under_way)
        with suppress(DatabaseTrouble):
            await self._mark_finished()
        self._database.shutdown()
        await self._transport.close()

    def stop(self) -> None:
        self._stopping = True
        self._woken.set()

    async def _start_due(self) -> bool:
        """Begin to send what is due, as far as there is room; whether anything was begun."""
        room = self._settings.concurrency - len(self._under_way)
        if room <= 0:
            return False
        self._woken.clear()
        for queued in await self._in_thread(self._due, room, tuple(self._under_way.values())):
            self._under_way[asyncio.create_task(self._send(queued))] = queued.id
        return len(self._under_way) > self._settings.concurrency - room

    def _due(self, limit: int, but: tuple[int, ...]) -> list[Queued]:
        with self._store.read() as tx:
            return tx.outbox.due(self._clock(), limit, but)

    async def _send(self, queued: Queued) -> _Attempt:
        mail = queued.mail
        try:
            await self._transport.send(Outgoing(mail.envelope_from, mail.address, mail.raw, queued.id))
        except (PermanentFailure, TemporaryFailure) as failure:
            return _Attempt(queued, failure)
        except Exception as error:
            log.error("transport_fault", outbox_id=queued.id, exc_info=error)
            return _Attempt(queued, TemporaryFailure(f"{type(error).__name__}: {error}"))
        return _Attempt(queued)

    async def _wait(self, started: bool) -> None:
        """Until a sending is finished, the outbox grew, or it is time to look again."""
        if started and len(self._under_way) < self._settings.concurrency:
            return
        waker = asyncio.create_task(self._woken.wait())
        await asyncio.wait(
            [waker, *self._under_way], timeout=self._settings.poll_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        waker.cancel()

    async def _mark_finished(self) -> None:
        finished = [task for task in self._under_way if task.done()]
        if finished:
            await self._in_thread(self._mark, [task.result() for task in finished])
            for task in finished:
                del self._under_way[task]

    def _mark(self, attempts: list[_Attempt]) -> None:
        now = self._clock()
        with self._store.write() as tx:
            tx.outbox.sent([attempt.queued.id for attempt in attempts if attempt.failure is None], now)
            for attempt in attempts:
                if attempt.failure is not None:
                    self._mark_failure(tx, attempt.queued, attempt.failure, now)

    def _mark_failure(
        self, tx: Transaction, queued: Queued, failure: PermanentFailure | TemporaryFailure, now: datetime
    ) -> None:
        expired = now - queued.created_at > timedelta(hours=self._settings.give_up_hours)
        if isinstance(failure, PermanentFailure) or expired:
            log.warning("not_delivered", outbox_id=queued.id, reason=failure.reason, gave_up=expired)
            tx.outbox.fail(queued.id, now, failure.reason)
            if isinstance(failure, RecipientRefused):
                self._refused(tx, queued, failure.reason, now)
        else:
            log.info("delivery_postponed", outbox_id=queued.id, reason=failure.reason)
            tx.outbox.postpone(queued.id, self._settings.retry_at(now, queued.attempts + 1), failure.reason)

    async def _in_thread(self, work: Callable[..., R], *args: object) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._database, work, *args)
