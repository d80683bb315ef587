"""The delivery loop: from the outbox to a transport, as often as it takes.

A mail is marked as sent after the transport took it, so a crash in between sends it again with the same Message-ID. One
transaction marks what is finished and claims what is next. The process that claims a mail sends it alone, as long as it
renews its claim: the claim of a killed process ends within LEASE_SECONDS. Claims and marks need not survive a power
failure, which may also send a mail again.

Mails about a board go to each of its readers one after another, in the order they were written, whatever else is being
sent meanwhile; if one must be tried again soon, those after it wait.

Only a refusal of the address counts against it, and gives the mail up. What is refused otherwise, a text or everything,
is tried again until it is too old. The way is down if it cannot be reached for a mail, and up again with the first mail
that is taken. As soon as a mail is taken that had to wait, all that wait are tried again.

A mail whose text was sent and not answered may have been taken. It keeps to its own waits whatever becomes of the way,
or a mail server that takes mails and says nothing would pass it on every minute.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from pbm.compose.tell import Untellable, mail_bytes
from pbm.core.counts import GIVEN_UP, POSTPONED, SENT, TRAVELLED
from pbm.domain.configuration import DeliverySettings
from pbm.domain.mail import Queued
from pbm.edges.transports import (
    MailRefused,
    MaybeTaken,
    NotSent,
    Outgoing,
    RecipientRefused,
    TemporaryFailure,
    Transport,
    Unreachable,
)
from pbm.store import DatabaseTrouble, Store, Transaction
from pbm.store.house import DELIVERED

log = structlog.get_logger()

_TRIES_OF_AN_ADDRESS = 3
"""A mail server that has just been started may know none of its users yet, so once is not enough."""


class Unmade(NotSent):
    """The mail could not be made, which says nothing about its recipient, nor about the way out."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one try."""

    queued: Queued
    failure: RecipientRefused | TemporaryFailure | Unmade | None = None
    """None if the transport took the mail."""


class WayOut:
    """The way out, as one process sees it."""

    def __init__(self, tell_refused: Callable[[str], None]) -> None:
        """tell_refused: called with the reason when a mail is refused for a reason other than its address."""
        self._tell_refused = tell_refused
        self._is_told = False
        self.is_down = False
        self.turns = 0
        """How often it went down, or proved to be better than it had been."""

    def note(self, attempt: Attempt) -> None:
        failure = attempt.failure
        if failure is None:
            self._taken(attempt.queued)
        elif isinstance(failure, Unreachable) and not self.is_down:
            log.error("way_out_down", reason=failure.reason)
            self.is_down = True
            self.turns += 1
        elif isinstance(failure, MailRefused) and not self._is_told:
            self._is_told = True
            self._tell_refused(failure.reason)

    def _taken(self, queued: Queued) -> None:
        self._is_told = False
        if self.is_down:
            log.warning("way_out_up")
        if self.is_down or queued.attempts > 0:
            self.is_down = False
            self.turns += 1


_NOTED_EVERY = timedelta(seconds=30)
"""How often to note that mail goes out."""

LEASE_SECONDS = 15.0
_RENEWAL_SECONDS = 5.0
_MARK_SECONDS = 0.05
"""How long a sent mail may wait to be marked together with others."""
_CLAIMED_FOR_EACH = 20
"""How many mails are claimed at a time per concurrent sender, because each claim is a transaction."""
_TROUBLED_SECONDS = 0.5
_MAKERS = 2
"""How many threads make mails: one that takes long, such as a film, must not hold up all others."""
_FIRST_PROBE_SECONDS = 1.0
"""The time between the first two tries while the way out is down; it doubles with each."""

GaveUp = Callable[[Transaction, Queued, str, bool], None]
"""Told, in the transaction that gives a mail up, why, and whether its recipient was refused."""


class Deliverer:
    """Sends what is due until it is stopped; `wake` tells it that the outbox has grown."""

    def __init__(
        self,
        store: Store,
        transport: Transport,
        settings: DeliverySettings,
        gave_up: GaveUp = lambda *_: None,
        tell_refused: Callable[[str], None] = lambda _: None,
        tell_unmade: Callable[[Transaction, Queued, str], None] = lambda *_: None,
    ) -> None:
        """tell_refused: as for WayOut. tell_unmade: called, where the mail is given up, if it could not be made."""
        self._store = store
        self._transport = transport
        self._settings = settings
        self._gave_up = gave_up
        self._tell_unmade = tell_unmade
        self._way = WayOut(tell_refused)
        self._was_down = self._recovered = False
        self._turns = 0
        """How many turns of the way out were noticed."""
        self._given_back: list[int] = []
        self._stirred = asyncio.Event()
        self._stopping = False
        self._is_due = False
        self._noted_at = self._renewed_at = datetime.min.replace(tzinfo=UTC)
        self._claimed: set[int] = set()
        self._ready: list[Queued] = []
        self._busy: set[tuple[int, str]] = set()
        self._finished: list[Attempt] = []
        self._senders: set[asyncio.Task[None]] = set()
        self._look_at = self._mark_at = self._renew_at = self._probe_seconds = 0.0
        self._loop = asyncio.get_running_loop()
        self._database = ThreadPoolExecutor(1, thread_name_prefix="outbox")
        self._makers = [ThreadPoolExecutor(1, thread_name_prefix="telling") for _ in range(_MAKERS)]

    def wake(self, *, is_due: bool = False) -> None:
        """is_due: whether something is known to be due; otherwise it looks first."""
        self._look_at = 0.0
        self._is_due = self._is_due or is_due
        self._stirred.set()

    async def run(self) -> None:
        """Returns after stop(), once mails being sent are marked and the rest is given back."""
        while not self._stopping:
            try:
                if (seconds := await self._turn()) > 0:
                    timer = self._loop.call_later(seconds, self._stirred.set)
                    await self._stirred.wait()
                    timer.cancel()
            except DatabaseTrouble as trouble:
                log.warning("outbox_trouble", trouble=str(trouble))
                self._look_at = 0.0
                await asyncio.sleep(min(self._settings.poll_seconds, _TROUBLED_SECONDS))
        await asyncio.gather(*self._senders)
        with suppress(DatabaseTrouble):
            await self._exchange(0)
        self._database.shutdown()
        for maker in self._makers:
            maker.shutdown()
        await self._transport.close()

    def stop(self) -> None:
        self._stopping = True
        self._stirred.set()

    async def _turn(self) -> float:
        """Mark what is finished and claim what is due, if it is time; returns after how many seconds to come again."""
        self._stirred.clear()
        now = self._loop.time()
        is_short = len(self._ready) < self._settings.concurrency
        if self._turns != self._way.turns:  # even if it was down for less than one of our turns
            self._turns, self._was_down = self._way.turns, self._way.is_down
            self._recovered = not self._was_down
            self._look_at, self._probe_seconds = now, _FIRST_PROBE_SECONDS
        if self._was_down:
            return await self._probe(now)
        if is_short and self._look_at <= now:
            is_due = self._is_due
            self._look_at, self._is_due = math.inf, False  # unless it is woken meanwhile
            if is_due or (wait := await self._loop.run_in_executor(self._database, self._until_due)) <= 0:
                wait = await self._exchange(_CLAIMED_FOR_EACH * self._settings.concurrency)
                self._begin()
            self._look_at = min(self._look_at, now + wait)
            return 0
        times = [self._look_at] * is_short + [self._mark_at] * bool(self._finished)
        times += [self._renew_at] * bool(self._claimed)
        if (next_at := min(times)) <= now:
            await self._exchange(0)
        return next_at - now

    async def _probe(self, now: float) -> float:
        """While the way out is down, try one mail now and then, and mark the outcome of earlier tries."""
        if self._finished or self._given_back:
            await self._exchange(0)
        elif self._look_at <= now and not self._claimed:
            pause = min(self._probe_seconds, self._settings.first_retry_seconds)
            self._look_at, self._probe_seconds = now + pause, 2 * pause
            await self._exchange(1)
            self._begin()
        elif self._claimed and self._renew_at <= now:
            await self._exchange(0)
        return (self._renew_at if self._claimed else self._look_at) - now

    async def _exchange(self, most: int) -> float:
        """Mark what is finished, keep what is not, claim up to `most`; returns in how many seconds others are due."""
        finished, given_back = self._finished.copy(), self._given_back.copy()
        over = {attempt.queued.id for attempt in finished} | set(given_back)
        kept = [mail_id for mail_id in self._claimed if mail_id not in over]
        room = max(0, most - len(kept))
        work = self._loop.run_in_executor(self._database, self._mark_and_claim, finished, kept, room, given_back)
        fresh, wait = await work
        self._recovered = False
        now = self._loop.time()
        self._renew_at, self._mark_at = now + _RENEWAL_SECONDS, now + _MARK_SECONDS
        del self._finished[: len(finished)], self._given_back[: len(given_back)]
        self._claimed -= over
        self._claimed |= {queued.id for queued in fresh}
        self._ready += fresh
        return wait

    def _begin(self) -> None:
        """Start as many senders as there are mails ready, up to the limit."""
        for _ in range(min(self._settings.concurrency - len(self._senders), len(self._ready))):
            sender = asyncio.create_task(self._send_ready())
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send_ready(self) -> None:
        """Send mails that are ready, one after another, until none is left whose lane is free."""
        while not self._stopping and (queued := self._take()) is not None:
            attempt = await self._send(queued)
            self._way.note(attempt)
            self._busy.discard(queued.lane)
            if attempt.failure is not None:
                self._give_back(queued.lane)
            now = self._loop.time()
            if not self._finished:
                self._mark_at = now + _MARK_SECONDS
                self._loop.call_at(self._mark_at, self._stirred.set)
            wants_more = len(self._ready) < self._settings.concurrency and self._look_at <= now
            if wants_more or self._way.is_down or self._was_down:
                self._stirred.set()
            self._finished.append(attempt)

    def _take(self) -> Queued | None:
        """The first ready mail whose lane is free; occupies the lane."""
        for place, queued in enumerate(self._ready):
            if queued.lane not in self._busy:
                self._busy.add(queued.lane)
                return self._ready.pop(place)
        return None

    def _give_back(self, lane: tuple[int, str]) -> None:
        """Give back the ready mails of this lane, or all while the way out is down."""
        stopped = [queued.id for queued in self._ready if self._way.is_down or queued.lane == lane]
        self._given_back += stopped
        self._ready = [queued for queued in self._ready if queued.id not in stopped]

    def _until_due(self) -> float:
        with self._store.read() as tx:
            return self._pause(tx)

    def _pause(self, tx: Transaction) -> float:
        """In how many seconds the next mail is due, at most the polling interval."""
        next_at, poll = tx.outbox.next_at(), self._settings.poll_seconds
        return poll if next_at is None else min(poll, (next_at - tx.now).total_seconds())

    async def _send(self, queued: Queued) -> Attempt:
        mail = queued.mail
        try:
            # One thread makes all mails of a board: what its readers see in common is drawn for the first, and kept.
            maker = self._makers[(mail.board or 0) % _MAKERS]
            made = await self._loop.run_in_executor(maker, mail_bytes, mail)
            await self._transport.send(Outgoing(mail.envelope_from, mail.address, made, queued.id))
        except Untellable as error:
            log.error("mail_not_made", mail=queued.inbox_id, outbox=queued.id, exc_info=error)
            return Attempt(queued, Unmade(f"it cannot be made: {error}"))
        except (RecipientRefused, TemporaryFailure) as failure:
            return Attempt(queued, failure)
        except Exception as error:
            log.error("transport_fault", mail=queued.inbox_id, outbox=queued.id, exc_info=error)
            return Attempt(queued, TemporaryFailure(f"{type(error).__name__}: {error}"))
        return Attempt(queued)

    def _mark_and_claim(
        self, attempts: list[Attempt], kept: list[int], room: int, given_back: list[int]
    ) -> tuple[list[Queued], float]:
        """attempts: finished. kept: claimed but not finished. room: how many more may be claimed.

        given_back: claimed but not begun.
        """
        now = self._store.clock()
        until = now if self._stopping else now + timedelta(seconds=LEASE_SECONDS)
        is_time = abs(now - self._renewed_at) >= timedelta(seconds=_RENEWAL_SECONDS)  # at once after a leap
        renews = is_time or self._stopping
        with self._store.write(alone=False, durable=False) as tx:
            sent = [attempt.queued for attempt in attempts if attempt.failure is None]
            tx.outbox.sent([queued.id for queued in sent], now)
            if sent and abs(now - self._noted_at) >= _NOTED_EVERY:
                tx.absences.note(DELIVERED, now)
                self._noted_at = now
            for attempt in attempts:
                if attempt.failure is not None:
                    self._mark_failure(tx, attempt.queued, attempt.failure)
            if self._recovered:
                tx.outbox.hurry(now)
            tx.outbox.keep(given_back, now)
            tx.outbox.keep(kept if renews else (), until)
            claimed = tx.outbox.claim(now, until, room, kept, untried=self._way.is_down) if room else []
            wait = self._pause(tx) if room else math.inf
        if renews:
            self._renewed_at = now
        SENT.inc(len(sent))
        for queued in sent:
            TRAVELLED.observe(max(0.0, (now - queued.created_at).total_seconds()))
            log.info("sent", mail=queued.inbox_id, outbox=queued.id, attempts=queued.attempts + 1)
        return claimed, wait

    def _mark_failure(self, tx: Transaction, queued: Queued, failure: NotSent) -> None:
        tries = queued.attempts + 1
        is_refused = isinstance(failure, RecipientRefused)
        expired = tx.now - queued.created_at > timedelta(hours=self._settings.give_up_hours)
        is_unmade = isinstance(failure, Unmade)
        if expired or is_unmade or (is_refused and tries >= _TRIES_OF_AN_ADDRESS):
            GIVEN_UP.inc()
            log.warning("not_delivered", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason, gave_up=expired)
            if tx.outbox.fail(queued.id, tx.now, failure.reason):
                self._gave_up(tx, queued, failure.reason, is_refused)
                if is_unmade:
                    self._tell_unmade(tx, queued, failure.reason)
            return
        POSTPONED.inc()
        log.info("delivery_postponed", mail=queued.inbox_id, outbox=queued.id, reason=failure.reason)
        maybe_taken = isinstance(failure, MaybeTaken)
        if self._way.is_down and not maybe_taken:
            tries = 1
        due_at = self._settings.retry_at(tx.now, tries)
        tx.outbox.postpone(queued.id, due_at, failure.reason, maybe_taken=maybe_taken)
