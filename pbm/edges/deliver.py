"""The delivery loop: from the outbox to a transport, as often as it takes.

A mail is marked as sent after the transport took it, so a crash in between sends it again with the same Message-ID. One
transaction marks what is finished and claims what is next: see claims.py.

Mails about a board go to each of its readers one after another, in the order they were written, whatever else is being
sent meanwhile; if one must be tried again soon, those after it wait.

Only a refusal of the address counts against it, and gives the mail up, if a mail to another address was taken since.
What is refused otherwise, a text or everything, is tried again until it is too old. The way is down if it cannot be
reached for a mail, and up again with the first mail that is taken. As soon as a mail is taken that had to wait, all
that wait are tried again.

A mail whose text was sent and not answered may have been taken. It keeps to its own waits whatever becomes of the way,
or a mail server that takes mails and says nothing would pass it on every minute.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import structlog

from pbm.compose.tell import Untellable, mail_bytes
from pbm.domain.configuration import DeliverySettings
from pbm.domain.mail import Queued
from pbm.edges.claims import Attempt, Claims, GaveUp, Unmade
from pbm.edges.transports import MailRefused, Outgoing, RecipientRefused, TemporaryFailure, Transport, Unreachable
from pbm.store import DatabaseTrouble, Store

log = structlog.get_logger()


class WayOut:
    """The way out, as one process sees it."""

    def __init__(self, tell_refused: Callable[[str], object]) -> None:
        """tell_refused: called with the reason when a mail is refused for a reason other than its address."""
        self._tell_refused = tell_refused
        self._is_told = False
        self.is_down = False
        self.turns = 0
        """How often it went down, or proved to be better than it had been."""

    def note(self, attempt: Attempt) -> None:
        failure = attempt.failure
        if failure is None:
            self._is_told = False
            # A mail that had to wait was taken: whatever made it wait may be over for the others.
            if self.is_down or attempt.queued.attempts > 0:
                if self.is_down:
                    log.warning("way_out_up")
                self.is_down = False
                self.turns += 1
        elif isinstance(failure, Unreachable) and not self.is_down:
            log.error("way_out_down", reason=failure.reason)
            self.is_down = True
            self.turns += 1
        # A filter that dislikes all our mails would have the operator written to with each.
        elif isinstance(failure, MailRefused) and not self._is_told:
            self._is_told = True
            self._tell_refused(failure.reason)


_MARK_SECONDS = 0.05
"""How long a sent mail may wait to be marked together with others."""
_CLAIMED_FOR_EACH = 20
"""How many mails are claimed at a time per concurrent sender, because each claim is a transaction."""
_TROUBLED_SECONDS = 0.5
_MAKERS = 2
"""How many threads make mails: one that takes long, such as a film, must not hold up all others."""
_FIRST_PROBE_SECONDS = 1.0
"""The time between the first two tries while the way out is down; it doubles with each."""


class Deliverer:
    """Sends what is due until it is stopped; `wake` tells it that the outbox has grown."""

    def __init__(
        self,
        store: Store,
        transport: Transport,
        settings: DeliverySettings,
        gave_up: GaveUp = lambda *_: None,
        tell_refused: Callable[[str], object] = lambda _: None,
    ) -> None:
        """tell_refused: as for WayOut. gave_up: as for Claims."""
        self._claims = Claims(store, settings, gave_up)
        self._transport = transport
        self._settings = settings
        self._way = WayOut(tell_refused)
        self._was_down = self._recovered = False
        self._turns = 0
        """How many turns of the way out were noticed."""
        self._given_back: list[int] = []
        self._stirred = asyncio.Event()
        self._stopping = False
        self._is_due = False
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
        # Even if it was down for less than one of our turns.
        if self._turns != self._way.turns:
            self._turns, self._was_down = self._way.turns, self._way.is_down
            self._recovered = not self._was_down
            self._look_at, self._probe_seconds = now, _FIRST_PROBE_SECONDS
        if self._was_down:
            return await self._probe(now)
        if is_short and self._look_at <= now:
            is_due = self._is_due
            self._look_at, self._is_due = math.inf, False  # unless it is woken meanwhile
            if is_due or (wait := await self._loop.run_in_executor(self._database, self._claims.until_due)) <= 0:
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
        exchange = partial(
            self._claims.exchange,
            finished,
            kept,
            room,
            given_back,
            is_down=self._way.is_down,
            recovered=self._recovered,
            is_last=self._stopping,
        )
        fresh, wait = await self._loop.run_in_executor(self._database, exchange)
        self._recovered = False
        now = self._loop.time()
        self._renew_at, self._mark_at = now + self._claims.renewal_seconds, now + _MARK_SECONDS
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
            # Later mails of the same board and reader must not overtake it.
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
