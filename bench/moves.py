"""Complete moves: a mail in over SMTP, the move, two board mails out over SMTP, through real server processes."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.load import Load, connect, sinking
from bench.servers import Servers, serving
from bench.worlds import World

Tick = Callable[[float], None]
"""Told how far a measurement has come, from 0 to 1."""
Start = Callable[[Path, World, int], AbstractAsyncContextManager[Servers]]
"""Starts the processes to be measured, in a folder, for a world, with the port of the next mail server."""
_WARM_UP_SECONDS = 1.5
_STEP_SECONDS = 0.01
_IDLE_SECONDS = 0.4
_FEWEST, _SILENT_SECONDS = 2, 60
"""How many moves a measurement needs, however short it is, and how long after its end it waits for them."""
_WAITING, _WAITING_ON_A_CONNECTION = 40, 3
"""How many moves are under way at once: so many that the server never waits for one."""
_MAILS_OF_A_MOVE = 2


@dataclass(frozen=True, slots=True)
class Moves:
    """Latencies: milliseconds from when a move was due until the opponent's mail came.

    server_ms, load_ms: processor time per move, of all processes of the server, and of the generator with its sink.
    octets: of the mails of a move.
    megabytes: the most memory that each process of the server ever had resident.
    """

    moves_per_second: float
    p50: float
    p95: float
    p99: float
    server_ms: float
    load_ms: float
    octets: float
    megabytes: tuple[float, ...]


def ours(layout: Sequence[Sequence[str]]) -> Start:
    """A server of pbm. layout: the tasks of each process."""
    return lambda folder, world, port: serving(folder, world.url, port, layout)


@contextmanager
def copied(world: World) -> Iterator[tuple[Path, World]]:
    """A folder for the run, and a fresh copy of the world: each run begins with the same database."""
    with tempfile.TemporaryDirectory(prefix="pbm-bench-") as name:
        folder = Path(name)
        if not world.url.startswith("sqlite"):
            yield folder, world
            return
        path = folder / "bench.db"
        shutil.copyfile(world.url.removeprefix("sqlite:///"), path)
        yield folder, replace(world, url=f"sqlite:///{path}", games=[game.copy() for game in world.games])


def throughput(world: World, start: Start, connections: int, seconds: float, tick: Tick) -> Moves:
    """As many moves as the server can take: once one is answered another is due, on a board that has waited long."""

    async def drive(load: Load, end: float) -> None:
        if not load.mails:
            load.release(_WAITING + connections * _WAITING_ON_A_CONNECTION)
        await _until(end, seconds, tick)

    return _run(world, start, connections, drive, seconds, eager=True)


def paced(world: World, start: Start, rate: float, seconds: float, tick: Tick, connections: int = 20) -> Moves:
    """`rate` moves a second, due at even intervals whether the server is ready or not."""

    async def drive(load: Load, end: float) -> None:
        due, last = 0.0, time.perf_counter()
        while (now := time.perf_counter()) < end:
            due, last = due + rate * (now - last), now
            due -= load.release(int(due))
            tick(1 - (end - now) / seconds)
            await asyncio.sleep(_STEP_SECONDS)

    return _run(world, start, connections, drive, seconds, eager=False)


def idle(world: World, start: Start, count: int, tick: Tick) -> Moves:
    """One move at a time, to a server that has nothing else to do, and so draws pictures, too."""

    async def drive(load: Load, _end: float) -> None:
        for number in range(count):
            load.release(1)
            await load.mails_came(load.mails + _MAILS_OF_A_MOVE)
            tick(number / count)
            await asyncio.sleep(_IDLE_SECONDS)

    return _run(world, start, 1, drive, count * _IDLE_SECONDS, eager=False)


async def _until(end: float, seconds: float, tick: Tick) -> None:
    while (now := time.perf_counter()) < end:
        tick(1 - (end - now) / seconds)
        await asyncio.sleep(0.1)


Drive = Callable[[Load, float], Awaitable[None]]


def _run(world: World, start: Start, connections: int, drive: Drive, seconds: float, *, eager: bool) -> Moves:
    async def run() -> Moves:
        with copied(world) as (folder, fresh):
            load = Load.on(fresh, eager=eager)
            async with sinking(load) as sink, start(folder, fresh, sink) as servers:
                transports = await connect(servers.port, connections, load.free)
                await drive(load, time.perf_counter() + _WARM_UP_SECONDS)
                moves = await _measured(load, servers, drive, seconds)
                for transport in transports:
                    transport.close()
                return moves

    return asyncio.run(run())


async def _measured(load: Load, servers: Servers, drive: Drive, seconds: float) -> Moves:
    load.latencies.clear()
    octets = load.octets
    cpu, own, mails, began = servers.cpu_seconds(), time.process_time(), load.mails, time.perf_counter()
    await drive(load, began + seconds)
    async with asyncio.timeout(_SILENT_SECONDS):
        while len(load.latencies) < _FEWEST:
            await load.mails_came(load.mails + 1)
    elapsed, moves = time.perf_counter() - began, (load.mails - mails) / _MAILS_OF_A_MOVE
    server, generator = servers.cpu_seconds() - cpu, time.process_time() - own
    cuts = statistics.quantiles(load.latencies, n=100)
    return Moves(
        moves / elapsed, cuts[49] * 1e3, cuts[94] * 1e3, cuts[98] * 1e3, server / moves * 1e3, generator / moves * 1e3,
        (load.octets - octets) / moves, tuple(servers.megabytes("VmHWM")),
    )  # fmt: skip
