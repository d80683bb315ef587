"""What stands between a server and whoever runs it: the signals that end it, and what systemd wants to hear.

Nothing is lost however a server ends, so the end has a bound: what is not finished by then waits in the database.
"""

from __future__ import annotations

import asyncio
import math
import os
import select
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import NoReturn

import structlog

from pbm.cli.logs import drain

log = structlog.get_logger()


_GRACE_SECONDS = 5
"""How much longer than a server may take to finish the system waits before it ends the process by itself."""


class Signals:
    """SIGTERM and SIGINT: the first asks the server to finish what it does, the second to leave it."""

    def __init__(self, seconds: float) -> None:
        """seconds: how long it may take to finish; an alarm ends the process then, whatever it is stuck in."""
        self.first, self.second = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._seconds = math.ceil(seconds) + _GRACE_SECONDS
        self._caught_one = False
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self._before = {number: signal.signal(number, self._caught) for number in (signal.SIGTERM, signal.SIGINT)}

    def release(self) -> None:
        """What they did before, they do again."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _caught(self, _number: int, _frame: object) -> None:
        """Told between two steps of the program, also while the loop is stuck in one of them."""
        if not self._caught_one:
            signal.alarm(self._seconds)
        self._loop.call_soon_threadsafe((self.second if self._caught_one else self.first).set)
        self._caught_one = True


async def finish(stopping: Awaitable[None], signals: Signals, seconds: float) -> None:
    """Wait until all is done that was begun; end the process as it is after so many seconds or a second signal."""
    log.info("stopping", at_most_seconds=seconds)
    notify("STOPPING=1")
    ending, impatient = asyncio.ensure_future(stopping), asyncio.create_task(signals.second.wait())
    await asyncio.wait({ending, impatient}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if not ending.done():
        until = "before a second signal came" if impatient.done() else "in time"
        end_now(f"Not all that was begun was finished {until}.")
    impatient.cancel()
    ending.result()


def end_now(reason: str) -> NoReturn:
    """Say why, if anybody listens, and leave everything as it is: nothing is lost."""
    sys.stdout.flush()
    drain()
    _, listening, _ = select.select([], [sys.stderr.fileno()], [], 1)
    if listening:
        os.write(sys.stderr.fileno(), f"{reason}\n".encode())
    os._exit(1)  # threads that wait for a database or a mail server would be waited for


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
