"""The running server: listener, inbox, handling and delivery, each at its own pace.

Mails that arrive together are committed together before any of their senders is told 250; handling and delivery work
from the database, so a crash anywhere loses nothing. Each of these may also be left to other processes over the same
database, any number of them; a bell tells each process what others have added.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from time import monotonic
from typing import Any

import structlog

from pbm.compose.tell import mail_bytes
from pbm.core.counts import LOOKED
from pbm.core.notify import Desk, tell_operator
from pbm.domain.configuration import DeliverySettings, FetchSettings, ListenSettings
from pbm.domain.mail import Queued
from pbm.edges.claims import Unmade
from pbm.edges.deliver import Deliverer
from pbm.edges.fetch import Fetcher
from pbm.edges.receive import Listener, NotNow
from pbm.edges.transports import NotSent, Outgoing, Transport
from pbm.edges.watch import lack
from pbm.server import Arriving, Service
from pbm.server.thinker import Thinker
from pbm.server.undone_mails import Bouncing
from pbm.store import Conflict, DatabaseTrouble, Transaction
from pbm.store.house import DELIVERS, LISTENS, LOOKS, THINKS
from pbm.store.neighbours import Full, Outdated, ReadOnly

log = structlog.get_logger()

_READ_ONLY = "The database can only be read. Make it writable and start again: SQLite would not write in this process."
_HANGS = (
    "Handling an email, or what is due, has taken minutes. Start again: an email that does this is parked in the end."
)
_LONGEST_WORK_SECONDS = 120.0
_LOOK_SECONDS = 5.0
"""How long to wait without news before looking all the same."""
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 30.0
_THINK_SECONDS = 2.0
"""How long to wait before looking again for something to think about."""
_AGENDA_SECONDS = 1.0
"""How often to look for agenda items that are due while mails come in."""
_BEAT = timedelta(minutes=1)
"""Nothing due is done unless a heartbeat was noted this recently: it records how long the server was away."""
_LIVE_SECONDS = 60.0
"""How often a process tells the others what it does."""

_TELL_OF_LOSS_SECONDS = 3600.0
"""The least time between two reports of a database that cannot be written; a full disk still takes small writes."""
_TIDY_SECONDS = 3600.0
_MAILS_PER_TRANSACTION = 100
_JOBS_AT_ONCE = 100
_CONFLICT_SECONDS = 0.02
_FEW_MAILS, _LONGEST_REST_SECONDS = 10, 0.01
"""After fewer than this many mails the handling thread rests, for at most this long."""
_THINK_GRACE_SECONDS = 5.0


class Health:
    """Whether a process can do no more, and must be stopped and started again as a new one. For any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.gave_up = asyncio.Event()
        self.reason = ""
        """Why it gave up, in sentences."""
        self.exhausted = False
        """Whether it gave up because the system gives it no more resources, so that it cannot stop in good order."""

    def give_up(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._loop.call_soon_threadsafe(self.gave_up.set)

    def doubt(self, trouble: BaseException) -> bool:
        """Give up if the trouble is that the system gives us no more resources; returns whether it is."""
        if reason := lack(trouble):
            self.exhausted = True
            self.give_up(reason)
        return bool(reason)

    def ended_by(self, error: BaseException) -> None:
        """An error has ended a thread or task that should run until it is told to stop."""
        log.critical("task_fault", exc_info=error)
        if not self.doubt(error):
            self.give_up(f"A fault of ours has stopped the work; the log holds the traceback ({error!r}).")

    def watch(self, task: asyncio.Task[None]) -> None:
        """Called when a task that should run until it is told to stop has ended."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self.ended_by(error)

    def unexpected(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Called with an error that nobody has caught."""
        error = context.get("exception")
        if error is None or not self.doubt(error):
            loop.default_exception_handler(context)


class Server:
    """One process that serves. start() returns when mail is accepted, stop() when all that was begun is done."""

    def __init__(
        self,
        service: Service,
        listen: ListenSettings | None,
        transport: Transport | None,
        delivery: DeliverySettings,
        fetch: FetchSettings | None = None,
        *,
        handles: bool = True,
        thinks: bool = False,
    ) -> None:
        """listen: None for a process that takes no mail in. transport: None for one that delivers none.

        fetch: a mailbox to fetch from as well, or None. handles: whether it handles what came in. thinks: whether
        robots think here.
        """
        self._service = service
        self._loop = asyncio.get_running_loop()
        self.health = Health()
        self._transport = transport
        in_thread = partial(self._loop.run_in_executor, None)
        tell = self._gave_up, lambda reason: in_thread(self._tell_of_refusals, reason)
        self._deliverer = Deliverer(service.store, transport, delivery, *tell) if transport else None
        self._handling = Handling(service, self.health, self._sent_soon, rests=listen is not None) if handles else None
        self._intake = Intake(service, self._arrived, self.health.doubt)
        asked = self._intake.accept, service.is_ours, self._intake.forecast, service.is_apart
        self._listener = Listener(listen, *asked) if listen else None
        self._fetcher = Fetcher(fetch, self._fetched) if fetch else None
        self._thinking = Thinking(service, self._sent_soon) if thinks else None
        self._bell = service.store.bell(self._rung) if handles or transport else None
        self._told_to_stop = asyncio.Event()
        self._tell_of_loss_at = 0.0
        service.store.when_unwritable = self._unwritable
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._loop.set_exception_handler(self.health.unexpected)
        for part in (self._handling, self._thinking, self._bell):
            if part is not None:
                part.start()
        if self._deliverer is not None:
            self._tasks.append(asyncio.create_task(self._deliverer.run()))
        if self._listener is not None:
            await self._listener.start()
        if self._fetcher is not None:
            self._fetcher.start()
        self._tasks.append(asyncio.create_task(self._live()))
        for task in self._tasks:
            task.add_done_callback(self.health.watch)

    @property
    def port(self) -> int:
        """The port actually listened on; 0 if there is none."""
        return self._listener.port if self._listener is not None else 0

    @property
    def connections(self) -> int:
        """SMTP clients connected now."""
        return self._listener.connections if self._listener is not None else 0

    def renew_certificate(self) -> None:
        """Raises: OSError."""
        if self._listener is not None:
            self._listener.renew_certificate()

    async def stop(self) -> None:
        """Take no more mail, handle what was accepted, finish what is under way; the rest waits in the database."""
        if self._listener is not None:
            await self._listener.stop()
        if self._fetcher is not None:
            await asyncio.to_thread(self._fetcher.stop)
        self._told_to_stop.set()
        parts = [part for part in (self._handling, self._thinking) if part is not None]
        await asyncio.gather(*(part.stop() for part in parts))
        if self._deliverer is not None:
            self._deliverer.stop()
        if self._bell is not None:
            await asyncio.to_thread(self._bell.stop)
        # An error that ended one of them was reported already.
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._intake.close()

    async def _live(self) -> None:
        """Tell other processes what is done here, as long as it is."""
        while not self._told_to_stop.is_set():
            # Those who need the database report its trouble.
            with suppress(DatabaseTrouble):
                await asyncio.to_thread(self._service.live, list(self._doing()))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told_to_stop.wait(), _LIVE_SECONDS)

    def _doing(self) -> Iterator[str]:
        if self._listener is not None:
            yield LISTENS
        if self._deliverer is not None:
            yield DELIVERS
        if self._thinking is not None:
            yield THINKS
        looked = LOOKED.seconds() if self._fetcher is not None else None
        # A mailbox that does not answer is no way in.
        if looked is not None and looked <= _LIVE_SECONDS:
            yield LOOKS

    def _rung(self, is_due: bool) -> None:
        """Called in the bell's thread: another process has added to a queue."""
        self._arrived()
        self._sent_soon(is_due=is_due)

    def _arrived(self) -> None:
        """Called in whatever thread has stored mails."""
        if self._handling is not None:
            self._handling.wake()

    def _fetched(self, mails: Sequence[Arriving]) -> None:
        self._service.accept(mails)
        self._arrived()

    def _sent_soon(self, *, is_due: bool = True) -> None:
        """Called in whatever thread has written mails to be sent, which goes on."""
        if self._deliverer is not None:
            self._loop.call_soon_threadsafe(partial(self._deliverer.wake, is_due=is_due))

    def _unwritable(self, trouble: DatabaseTrouble) -> None:
        """Called in whatever thread has the trouble."""
        # SQLite keeps a database that was opened read-only so; PostgreSQL may be promoted and go on.
        if isinstance(trouble, ReadOnly) and not self._service.store.locks_rows:
            self.health.give_up(_READ_ONLY)
        # Another process has upgraded the tables, which this one does not know.
        elif isinstance(trouble, Outdated):
            self.health.give_up(str(trouble))
        else:
            asyncio.run_coroutine_threadsafe(self._tell_of_loss(trouble), self._loop)

    async def _tell_of_loss(self, trouble: DatabaseTrouble) -> None:
        """Send the operator one mail past the outbox, which cannot be written, however many threads have trouble."""
        if monotonic() < self._tell_of_loss_at:
            return
        self._tell_of_loss_at = monotonic() + _TELL_OF_LOSS_SECONDS
        kind = {Full: "full", ReadOnly: "read_only"}.get(type(trouble), "lost")
        log.critical(f"database_{kind}", trouble=str(trouble))
        operator, composer = self._service.tools.operator, self._service.tools.composer
        if not operator or self._transport is None:
            return
        page, subject = "lost-operator.txt", "pbm: the database cannot be written"
        mail = composer.letter(operator, subject, page, self._service.store.clock(), trouble=trouble, kind=kind)
        try:
            await self._transport.send(Outgoing(mail.envelope_from, mail.address, mail_bytes(mail), 0))
        except NotSent as failure:
            log.error("operator_not_told", reason=failure.reason)

    def _gave_up(self, tx: Transaction, queued: Queued, failure: NotSent, is_refused: bool) -> None:
        """Tell of a mail that is given up; the operator, once a day, of one that could not be made."""
        Bouncing(self._service.tools).given_up(tx, queued, failure.reason, is_refused)
        if isinstance(failure, Unmade):
            subject, page = "pbm: an email could not be made", "unmade-operator.txt"
            words = {"reason": failure.reason, "number": queued.id, "whom": queued.mail.address}
            tell_operator(Desk(tx, self._service.tools), subject, page, daily=True, **words)

    def _tell_of_refusals(self, reason: str) -> None:
        """Write the operator a mail, which goes out once any mail is taken.

        At most once a day, because a filter may dislike one text while all others go out.
        """
        page, subject = "refused-operator.txt", "pbm: an email of ours is refused"
        with suppress(DatabaseTrouble), self._service.store.write(alone=False) as tx:
            tell_operator(Desk(tx, self._service.tools), subject, page, daily=True, reason=reason)


class Handling:
    """Handles what waits in the inbox, and does what is due, in its own thread."""

    def __init__(self, service: Service, health: Health, done: Callable[[], None], *, rests: bool) -> None:
        """done: called in the thread when there may be mails to send. rests: whether mails come in by this process."""
        self._service = service
        self._health = health
        self._sent_soon = done
        self._rests = rests
        self._waiting = threading.Event()
        """Set when there may be mails to handle."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="handling", daemon=True)
        self._beaten_at = datetime.min.replace(tzinfo=UTC)
        self._doubts = False
        """Whether the clock may be ahead."""
        self._is_shrinking = False
        """Whether the file may have to shrink further."""
        self._tidy_at = self._agenda_at = 0.0
        self._busy_since = inf
        """Since when it has been busy, by the monotonic clock."""

    def start(self) -> None:
        self._thread.start()
        self._watch()

    def wake(self) -> None:
        self._waiting.set()

    async def stop(self) -> None:
        """Returns when what is under way is done."""
        self._stopping.set()
        self._waiting.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            self._handle()
        except BaseException as error:  # noqa: BLE001  a game from elsewhere may even call sys.exit()
            self._health.ended_by(error)

    def _handle(self) -> None:
        """Handle mails as they come, and do what is due; while the database is in trouble, wait longer each time."""
        pause = _FIRST_PAUSE_SECONDS
        while not self._stopping.is_set():
            try:
                self._waiting.wait(self._handle_batch())
                self._waiting.clear()
                pause = _FIRST_PAUSE_SECONDS
            except Conflict as conflict:
                log.debug("handling_conflict", conflict=str(conflict))
                self._stopping.wait(_CONFLICT_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311  guards nothing
            except Exception as trouble:
                # Without files and threads the process cannot even stop in good order.
                if self._health.doubt(trouble):
                    return
                is_of_database = isinstance(trouble, DatabaseTrouble)
                log.warning("handling_trouble", trouble=str(trouble), exc_info=None if is_of_database else trouble)
                self._stopping.wait(pause := min(pause * 2, _LONGEST_PAUSE_SECONDS))

    def _handle_batch(self) -> float:
        """Handle what waits in the inbox, and what is due; returns in how many seconds to look again if not woken."""
        service, now = self._service, self._service.store.clock()
        self._keep_house(now)
        began = monotonic()
        handled = self._bounded(service.handle, _MAILS_PER_TRANSACTION, self._sent_soon)
        if self._rests and 0 < handled < _FEW_MAILS:
            # Meanwhile the loop has the interpreter to itself, and what it takes in is handled together.
            self._stopping.wait(min(monotonic() - began, _LONGEST_REST_SECONDS))
        # In maintenance nothing is done by itself either.
        if service.handler.is_at_rest:
            return _LOOK_SECONDS
        is_over = service.batches.is_idle
        # Clocks that may be ahead must not end anybody's game, and a flood of mails would look after every few of them.
        early = _LOOK_SECONDS if self._doubts else self._agenda_at - monotonic()
        if early > 0:
            return early if is_over else 0
        if done := self._bounded(service.agenda.run, _JOBS_AT_ONCE, now):
            self._sent_soon()
        self._agenda_at = monotonic() + _AGENDA_SECONDS
        self._is_shrinking = self._is_shrinking and service.store.shrink()
        if done or not is_over:
            return 0
        return _AGENDA_SECONDS if self._is_shrinking else _LOOK_SECONDS

    def _keep_house(self, now: datetime) -> None:
        """Give a sign of life, and look at the file's size, each minute; delete what has expired each hour."""
        # After a leap of the clock the difference may be negative.
        if not timedelta() <= now - self._beaten_at < _BEAT:
            self._doubts = self._service.beat(now)
            self._beaten_at, self._is_shrinking = now, True
        # A clock that is ahead would delete what has not expired.
        if monotonic() >= self._tidy_at and not self._doubts:
            self._service.tidy()
            self._tidy_at = monotonic() + _TIDY_SECONDS

    def _bounded(self, work: Callable[..., int], *words: object) -> int:
        self._busy_since = monotonic()
        try:
            return work(*words)
        finally:
            self._busy_since = inf

    def _watch(self) -> None:
        """Give up if the thread hangs: only the end of this process can interrupt it."""
        left = self._busy_since + _LONGEST_WORK_SECONDS - monotonic()
        if left > 0:
            asyncio.get_running_loop().call_later(min(left, _LONGEST_WORK_SECONDS), self._watch)
            return
        log.critical("handling_hangs", seconds=_LONGEST_WORK_SECONDS)
        self._health.exhausted = True
        self._health.give_up(_HANGS)


class Thinking:
    """Robots: moves and lessons in parallel, each by a thread that waits for its own process."""

    def __init__(self, service: Service, done: Callable[[], None]) -> None:
        """done: called in the thread when there may be mails to send."""
        self._service = service
        self._done = done
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(thinker,), name="thinking", daemon=True)
            for thinker in service.thinkers
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Abandon what is being thought; it will be thought again. Waits only briefly for what cannot be abandoned."""
        self._stopping.set()
        for thinker in self._service.thinkers:
            thinker.stop()
        begun = [thread for thread in self._threads if thread.is_alive()]
        await asyncio.gather(*(asyncio.to_thread(thread.join, _THINK_GRACE_SECONDS) for thread in begun))

    def _run(self, thinker: Thinker) -> None:
        while not self._stopping.is_set():
            pause = _THINK_SECONDS
            try:
                if not self._service.heed() and thinker.run():
                    self._done()
                    pause = 0
            except Exception as trouble:
                is_of_database = isinstance(trouble, DatabaseTrouble)
                log.warning("thinking_trouble", trouble=str(trouble), exc_info=None if is_of_database else trouble)
            self._stopping.wait(pause)


Batch = list[tuple[Arriving, asyncio.Future[None]]]
"""Mails, each with the future that is done when it is safe."""


class Intake:
    """Commits arriving mails; those that come during a commit are committed together after it."""

    def __init__(
        self, service: Service, arrived: Callable[[], None], troubled: Callable[[BaseException], object]
    ) -> None:
        """arrived: called after each commit. troubled: called with the error after each failed one."""
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._arrived = arrived
        self._troubled = troubled
        self._pending: Batch = []
        self._is_busy = False
        self._database = ThreadPoolExecutor(1, thread_name_prefix="inbox")

    def accept(self, mail: Arriving) -> asyncio.Future[None]:
        """Done when the mail is safe; fails with DatabaseTrouble, or with NotNow if it is put off."""
        safe = self._loop.create_future()
        self._pending.append((mail, safe))
        if not self._is_busy:
            self._is_busy = True
            # Together with other mails of this turn of the loop.
            self._loop.call_soon(self._commit)
        return safe

    async def forecast(self, mail: Arriving) -> str:
        """As Service.forecast; empty if the database is in trouble, which the mail itself will then meet."""
        with suppress(DatabaseTrouble):
            return await self._loop.run_in_executor(self._database, self._service.forecast, mail)
        return ""

    def close(self) -> None:
        self._database.shutdown()

    def _commit(self) -> None:
        batch, self._pending = self._pending, []
        self._is_busy = bool(batch)
        if batch:
            work = self._loop.run_in_executor(self._database, self._service.accept, [mail for mail, _ in batch])
            work.add_done_callback(partial(self._committed, batch))

    def _committed(self, batch: Batch, work: asyncio.Future[list[str]]) -> None:
        """After a failure each sender is told to try again, and the next batch may succeed."""
        error = work.exception()
        failures: list[BaseException | None] = [error] * len(batch)
        if error is None:
            self._arrived()
            failures = [NotNow(reply) if reply else None for reply in work.result()]
        for (_, safe), failure in zip(batch, failures, strict=True):
            # Its client has been told to try again, because the commit took too long.
            if safe.done():
                continue
            if failure is None:
                safe.set_result(None)
            else:
                safe.set_exception(failure)
        if error is not None:
            log.warning("inbox_trouble", trouble=str(error))
            self._troubled(error)
        self._commit()
