"""The server, or some of its tasks, until it is told to stop or gives up: for `pbm serve` and `pbm work`."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

import click
import structlog

from games import LEFT_OUT
from pbm import __version__
from pbm.cli.frame import Invocation
from pbm.cli.loading import demand, masked, open_to_others, strange_variables
from pbm.cli.logs import drain, log_to_stderr, set_level
from pbm.cli.opening import identified, mail_signature, opened_service, transport
from pbm.cli.output import Misconfigured, Refused
from pbm.cli.run import DELIVER, FETCH, HANDLE, LISTEN, THINK
from pbm.cli.settings import Configuration
from pbm.domain.configuration import place
from pbm.edges.crypt import Sealing
from pbm.edges.metrics import MetricsServer
from pbm.edges.server import Server
from pbm.edges.signing import Signing
from pbm.edges.transports import Transport
from pbm.reading.intent import Surroundings, read
from pbm.server import Service
from pbm.store import DatabaseTrouble

log = structlog.get_logger()


_ALLOCATIONS = 20_000
"""Objects made by a server until those among them that are in no use are looked for."""
_GRACE_SECONDS = 5
"""How much longer than a server may take to finish, until the system ends the process."""


_SECONDS_APART = 50
"""How long a mail may take in a process of its own: two of these are fewer than make a server give up."""


class Signals:
    """SIGTERM and SIGINT: the first asks the server to finish what it does, the second to drop it."""

    def __init__(self, seconds: float) -> None:
        """seconds: how long it may take to finish; then an alarm ends the process, whatever it is stuck in."""
        self.first, self.second = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._seconds = math.ceil(seconds) + _GRACE_SECONDS
        self._caught_one = False
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        ends = signal.SIGTERM, signal.SIGINT
        self._before = {number: signal.getsignal(number) for number in (*ends, signal.SIGHUP)}
        # It would end a server that has not begun yet.
        self._loop.add_signal_handler(signal.SIGHUP, lambda: None)
        for number in ends:
            self._loop.add_signal_handler(number, self._asked)
            signal.signal(number, self._caught)

    def close(self) -> None:
        """Restore the previous handlers."""
        for number, handler in self._before.items():
            self._loop.remove_signal_handler(number)
            signal.signal(number, handler)

    def _asked(self) -> None:
        """Called in the loop, which a signal wakes even if it comes just before the loop sleeps."""
        (self.second if self.first.is_set() else self.first).set()

    def _caught(self, _number: int, _frame: object) -> None:
        """Called between two steps of the program, even while the loop is stuck in one of them."""
        # Each further signal would put the alarm off.
        if not self._caught_one:
            signal.alarm(self._seconds)
        self._caught_one = True


async def finish(stopping: Awaitable[None], signals: Signals, seconds: float) -> None:
    """Wait until all that was begun is done; end the process at once after `seconds` or a second signal."""
    log.info("stopping", at_most_seconds=seconds)
    notify("STOPPING=1")
    ending, impatient = asyncio.ensure_future(stopping), asyncio.create_task(signals.second.wait())
    await asyncio.wait({ending, impatient}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    # What is under way waits in the database, and is done by the next server.
    if not ending.done():
        until = "before a second signal came" if impatient.done() else "in time"
        end_now(f"Not all that was begun was finished {until}.")
    impatient.cancel()
    ending.result()


def end_now(reason: str) -> NoReturn:
    """Say why, if anybody listens, and end the process without cleaning up: nothing is lost."""
    sys.stdout.flush()
    drain()
    _, listening, _ = select.select([], [sys.stderr.fileno()], [], 1)
    if listening:
        os.write(sys.stderr.fileno(), f"{reason}\n".encode())
    # A normal exit would wait for threads that wait for a database or a mail server.
    os._exit(1)


def notify(state: str) -> None:
    """Tell systemd, if it has asked (sd_notify(3)); nobody else hears it."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if place:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
            supervisor.sendto(state.encode(), f"\0{place[1:]}" if place.startswith("@") else place)


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """Tell systemd that we live, as often as it wants, until the block ends; from the loop that everything runs in."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    ours = os.environ.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
    beating = None
    # WATCHDOG_PID names another process where a supervisor starts us by a shell (sd_watchdog_enabled(3)).
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


def work(
    invocation: Invocation, *, maildir: Path | None, domain: str | None, tasks: Collection[str], metrics: str | None,
    listen: str | None = None, create: bool = False,
) -> None:  # fmt: skip
    """Do the tasks until told to stop. create: set up an empty database. The others: as the options of that name."""
    # Only one of the processes can have the port.
    others = LISTEN not in tasks and metrics is None
    effective = invocation.effective(
        server={"listen": listen, "domain": domain},
        metrics={"listen": "" if others else metrics},
        maildir={"folder": maildir},
        delivery={"kind": "maildir" if maildir else None},
    )
    demand(effective.values)
    log_to_stderr(effective.values.log, for_good=True)
    log.info(
        "starting", version=__version__, configuration=str(effective.file or "defaults"),
        database=masked(effective.values.database), tasks=",".join(tasks),
    )  # fmt: skip
    for name, reason in LEFT_OUT.items():
        log.error("game_left_out", game=name, reason=reason)
    for strange in strange_variables():
        log.warning("strange_variable", sentence=strange)
    for exposed in open_to_others(effective):
        log.warning("open_to_others", file=exposed)
    with opened_service(effective.values, create=create) as service:
        service.batches.left_over.apart = partial(_handled_apart, invocation)
        asyncio.run(_serve(service, identified(effective.values, service.store), tasks, invocation))


serve = partial(work, create=True)


def _handled_apart(invocation: Invocation, mail_id: int) -> int:
    """The exit code of a process that handles one mail; negative if it was killed, or took too long."""
    command = [sys.executable, "-P", "-m", "pbm", "inbox", "handle", str(mail_id)]
    for name, value in (("--config", invocation.config), ("--database", invocation.database)):
        if value is not None:
            command += name, str(value)
    log.warning("handled_apart", mail=mail_id)
    try:
        done = subprocess.run(  # noqa: S603  a program of ours
            command, timeout=_SECONDS_APART, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False
        )
    # To the server it makes no difference who has killed it.
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL
    return done.returncode


def _reload(server: Server, way: Transport | None, service: Service, invocation: Invocation) -> None:
    """Reload what serve() says; trouble is logged, and the old values stay."""
    try:
        configuration = identified(invocation.effective().values, service.store)
        demand(configuration)
        server.renew_certificate()
        service.renew(configuration.limits, configuration.house, configuration.operator)
        set_level(configuration.log.level)
        signing = way.way_out if isinstance(way, Sealing) else way
        # A server that did not sign before has no place for a key: that takes a restart.
        if isinstance(signing, Signing) and configuration.dkim.key is not None:
            signing.signature = mail_signature(configuration)
    except (Misconfigured, OSError, ValueError, DatabaseTrouble) as error:
        log.error("not_reloaded", trouble=str(error))
    else:
        log.info("reloaded")


async def _serve(
    service: Service, configuration: Configuration, tasks: Collection[str], invocation: Invocation
) -> None:
    # Each task may be another process's.
    way = transport(configuration, service.peer_of) if DELIVER in tasks else None
    server = Server(
        service,
        configuration.server if LISTEN in tasks else None,
        way,
        configuration.delivery,
        configuration.imap if FETCH in tasks and configuration.imap.host else None,
        handles=HANDLE in tasks,
        thinks=THINK in tasks,
    )
    metrics = _metrics_server(configuration, service, lambda: server.connections)
    if HANDLE in tasks:
        # The phrase book is made now, so that no mail waits for it.
        read("D4", Surroundings(lambda _: None))
    with closing(Signals(configuration.server.stop_seconds)) as signals:
        await _start(server, metrics, configuration)
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _reload, server, way, service, invocation)
        # All objects so far stay, so later collections need not look at them.
        gc.collect()
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        address = service.tools.composer.robot.address
        if LISTEN in tasks:
            click.echo(f"pbm: accepting mail for {address} on {_where(configuration, server)}")
        else:
            click.echo(f"pbm: at work for {address}: {', '.join(tasks)}")
        sys.stdout.flush()
        async with watched():
            ends = {asyncio.create_task(event.wait()) for event in (signals.first, server.health.gave_up)}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for end in ends:
                end.cancel()
            # A clean stop needs files and threads.
            if server.health.exhausted:
                end_now(server.health.reason)
            if metrics is not None:
                metrics.stop()
            await finish(server.stop(), signals, configuration.server.stop_seconds)
        # The exit code has the supervisor start it again.
        if server.health.gave_up.is_set():
            end_now(server.health.reason)


def _metrics_server(
    configuration: Configuration, service: Service, connections: Callable[[], int]
) -> MetricsServer | None:
    if not configuration.metrics.listen:
        return None
    # The settings take no socket there.
    host, port = cast("tuple[str, int]", place(configuration.metrics.listen))
    return MetricsServer(service.store, connections, host, port)


async def _start(server: Server, metrics: MetricsServer | None, configuration: Configuration) -> None:
    """Raises: Refused."""
    key, place_ = "server.listen", configuration.server.listen
    try:
        await server.start()
        if metrics is not None:
            key, place_ = "metrics.listen", configuration.metrics.listen
            metrics.start()
    except OSError as error:
        await server.stop()
        raise Refused(f"{key}: cannot listen on {place_}: {error.strerror}.") from None


def _where(configuration: Configuration, server: Server) -> str:
    """The address that is listened on, with the actual port."""
    listen = configuration.server.listen
    return listen if isinstance(place(listen), Path) else f"{listen.rpartition(':')[0]}:{server.port}"
