"""The running server: listener, inbox, handling and delivery, each at its own pace.

Mails that arrive together are committed together before any of their senders is told 250; handling and delivery run
behind, from the database, so that a crash anywhere loses nothing.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from pbm.edges.deliver import Deliverer, DeliverySettings
from pbm.edges.fetch import Fetched, Fetcher, FetchSettings
from pbm.edges.receive import Accepted, Listener, ListenSettings
from pbm.edges.transports import Transport
from pbm.service import Arriving, Service
from pbm.store import DatabaseTrouble

log = structlog.get_logger()

_POLL_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_TIDY_SECONDS = 3600.0
_MAILS_PER_TRANSACTION = 50
_FETCH_GRACE_SECONDS = 5.0


class Server:
    """One process that serves. start() returns when mail is accepted, stop() when all that was begun is done."""

    def __init__(
        self,
        service: Service,
        listen: ListenSettings,
        transport: Transport,
        delivery: DeliverySettings,
        fetch: FetchSettings | None = None,
    ) -> None:
        """fetch: the mailbox to look into besides listening; None for none."""
        self._service = service
        self._listener = Listener(listen, self._intake_one, service.is_ours)
        self._intake = Intake(service, self._handle_soon)
        self._deliverer = Deliverer(service.store, transport, delivery, service.clock, service.bouncing.refused)
        self._fetching = Fetching(fetch, service, self._handle_soon) if fetch else None
        self._waiting = asyncio.Event()
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._handle()), asyncio.create_task(self._deliverer.run())]
        await self._listener.start()
        if self._fetching is not None:
            self._fetching.start()

    @property
    def port(self) -> int:
        """The port listened on, also where a free one was asked for."""
        return self._listener.port

    async def stop(self) -> None:
        """Take no more mail, handle what was accepted, finish what is under way; the rest waits in the database."""
        await self._listener.stop()
        if self._fetching is not None:
            await self._fetching.stop()
        self._stopping = True
        self._waiting.set()
        await self._tasks[0]
        self._deliverer.stop()
        await self._tasks[1]
        self._intake.close()

    async def _intake_one(self, mail: Accepted) -> None:
        await self._intake.accept(Arriving(mail.mail_from, mail.recipients, mail.data, peer=mail.peer))

    def _handle_soon(self) -> None:
        self._waiting.set()

    async def _handle(self) -> None:
        """Handle mails as they come; while the database gives trouble, wait longer each time."""
        loop, pause = asyncio.get_running_loop(), _POLL_SECONDS
        tidy_at = loop.time()
        with ThreadPoolExecutor(1, thread_name_prefix="handling") as thread:
            while not self._stopping:
                self._waiting.clear()
                try:
                    if loop.time() >= tidy_at:
                        await loop.run_in_executor(thread, self._service.tidy)
                        tidy_at = loop.time() + _TIDY_SECONDS
                    handled = await loop.run_in_executor(thread, self._service.handle, _MAILS_PER_TRANSACTION)
                    handled += await loop.run_in_executor(thread, self._service.agenda.run)
                    pause = _POLL_SECONDS
                except DatabaseTrouble as trouble:
                    log.warning("handling_trouble", trouble=str(trouble))
                    handled, pause = 0, min(pause * 2, _LONGEST_PAUSE_SECONDS)
                if handled:
                    self._deliverer.wake()
                else:
                    await _wait(self._waiting, pause)


class Fetching:
    """A mailbox that is looked into by a thread of its own; what is taken from there is stored as any other mail."""

    def __init__(self, settings: FetchSettings, service: Service, arrived: Callable[[], None]) -> None:
        self._service = service
        self._arrived = arrived
        self._loop: asyncio.AbstractEventLoop | None = None
        self._fetcher = Fetcher(settings, self._accept)
        self._thread = threading.Thread(target=self._fetcher.run, name="imap", daemon=True)

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self) -> None:
        """A server that does not answer is not waited for: what it was asked for is there next time."""
        self._fetcher.stop()
        if self._loop is not None:
            await asyncio.to_thread(self._thread.join, _FETCH_GRACE_SECONDS)

    def _accept(self, mails: Sequence[Fetched]) -> None:
        self._service.accept([Arriving(None, (), mail.data, mail.source) for mail in mails])
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._arrived)


class Intake:
    """Commits arriving mails, those that came while a commit was under way in one go."""

    def __init__(self, service: Service, arrived: Callable[[], None]) -> None:
        self._service = service
        self._arrived = arrived
        self._pending: list[tuple[Arriving, asyncio.Future[None]]] = []
        self._committing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="inbox")

    async def accept(self, mail: Arriving) -> None:
        """Returns when the mail is safe. Raises: DatabaseTrouble."""
        safe = asyncio.get_running_loop().create_future()
        self._pending.append((mail, safe))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit())
        await safe

    def close(self) -> None:
        self._thread.shutdown()

    async def _commit(self) -> None:
        loop = asyncio.get_running_loop()
        while self._pending:
            batch, self._pending = self._pending, []
            try:
                await loop.run_in_executor(self._thread, self._service.accept, [mail for mail, _ in batch])
            except Exception as error:  # noqa: BLE001  every sender is told to try again, and the next batch may do better
                log.warning("inbox_trouble", trouble=str(error))
                _settle(batch, error)
            else:
                self._arrived()
                _settle(batch, None)
        self._committing = None


def _settle(batch: list[tuple[Arriving, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, safe in batch:
        if safe.done():
            continue
        if error is None:
            safe.set_result(None)
        else:
            safe.set_exception(error)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
