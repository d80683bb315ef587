"""What stands between a server and whoever runs it: the signals that end it, and what systemd wants to hear.

Nothing is lost however a server ends, so the end has a bound: what is not finished by then waits in the database.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import NoReturn

import structlog

log = structlog.get_logger()


class Signals:
    """SIGTERM and SIGINT: the first asks the server to finish what it does, the second to leave it."""

    def __init__(self) -> None:
        self.first, self.second = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._told)

    def _told(self) -> None:
        (self.second if self.first.is_set() else self.first).set()


async def finish(stopping: Awaitable[None], signals: Signals, seconds: float) -> None:
    """Wait until all is done that was begun; end the process as it is after so many seconds or a second signal."""
    log.info("stopping", at_most_seconds=seconds)
    notify("STOPPING=1")
    ending, impatient = asyncio.ensure_future(stopping), asyncio.create_task(signals.second.wait())
    await asyncio.wait({ending, impatient}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if ending.done():
        impatient.cancel()
        return ending.result()
    log.warning("stopped_unfinished", signalled_twice=impatient.done())
    sys.stdout.flush()
    os._exit(1)  # threads that wait for a database or a mail server would be waited for


def end_now(reason: str) -> NoReturn:
    """Say why, and leave everything as it is: nothing is lost."""
    os.write(sys.stderr.fileno(), f"{reason}\n".encode())
    os._exit(1)


def notify(state: str) -> None:
    """Tell systemd, where it has asked (sd_notify(3)); nobody else hears it."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if place:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.sendto(state.encode(), f"\0{place[1:]}" if place.startswith("@") else place)


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """While it lasts systemd hears that we live, as often as it wants: from the loop that everything runs in."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    ours = os.environ.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
    beating = None
    if microseconds.isdigit() and ours:
        beating = asyncio.create_task(_beat(int(microseconds) / 2_000_000))
    notify("READY=1")
    try:
        yield
    finally:
        if beating is not None:
            beating.cancel()


async def _beat(seconds: float) -> None:
    while True:
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)
