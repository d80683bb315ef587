"""Far more mails at once than a server can handle: how fast they are handled, and how much memory it needs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.load import Load, connect, sinking
from bench.moves import Tick, copied
from bench.servers import Servers, serving
from bench.worlds import World

_CONNECTIONS = 50
_LOOK_SECONDS = 0.5
_MAILS_OF_A_MOVE = 2
_WARM_UP = 0.02


@dataclass(frozen=True, slots=True)
class Burst:
    """accepted_per_second: while mails came. drained_seconds: from the first mail until the last answer was out.

    megabytes_begun, megabytes_ended: resident memory of all processes of the server, after a fiftieth of the mails was
    answered and at the end; megabytes_most: the most in between, sampled twice a second.
    """

    mails: int
    accepted_per_second: float
    drained_seconds: float
    moves_per_second: float
    megabytes_begun: float
    megabytes_most: float
    megabytes_ended: float


def burst(world: World, layout: Sequence[Sequence[str]], tick: Tick) -> Burst:
    """One move on every board of the world, all at once."""

    async def run() -> Burst:
        with copied(world) as (folder, fresh):
            for game in fresh.games:
                del game.cells[1:]
            load = Load.on(fresh, eager=False)
            async with sinking(load) as sink, serving(folder, fresh.url, sink, layout) as servers:
                await connect(servers.port, _CONNECTIONS, load.free)
                return await _drained(load, servers, len(fresh.games), tick)

    return asyncio.run(run())


async def _drained(load: Load, servers: Servers, count: int, tick: Tick) -> Burst:
    began = time.perf_counter()
    load.release(count)
    accepted, memory = 0.0, [0.0]
    begun = 0.0
    while load.mails < count * _MAILS_OF_A_MOVE:
        await asyncio.sleep(_LOOK_SECONDS)
        tick(load.mails / count / _MAILS_OF_A_MOVE)
        memory.append(sum(servers.megabytes()))
        if not begun and load.mails >= count * _WARM_UP:
            begun = memory[-1]
        if not accepted and not load.unsent:
            accepted = time.perf_counter() - began
    drained = time.perf_counter() - began
    return Burst(
        count, count / (accepted or drained), drained, count / drained, begun or memory[-1], max(memory),
        sum(servers.megabytes()),
    )  # fmt: skip
