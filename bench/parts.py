"""The parts of the suite: each takes a Run and returns figures for JSON."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from bench import club, floors, stages
from bench.burst import burst
from bench.least import least
from bench.load import Envelope
from bench.moves import Moves, Tick, copied, idle, ours, paced, throughput
from bench.servers import ONE, ONLY_LISTENING, THREE, TWO, serving
from bench.worlds import World, make, reply


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured. seconds: per measurement. growth: boards in the database. burst: mails at once."""

    seconds: float
    connections: tuple[int, ...]
    growth: tuple[int, ...]
    records: tuple[int, ...]
    burst: int
    idle_moves: int


QUICK = Scale(3, (1, 10, 100), (1_000, 20_000), (10, 200), 1_000, 10)
FULL = Scale(15, (1, 10, 100), (1_000, 100_000, 1_000_000), (10, 200), 100_000, 50)
_BOARDS = 1_000
_PLIES = 10
_PLAYED_ON = 600


@dataclass(slots=True)
class Run:
    """One run of the suite. postgresql: a server to be measured as well, if any."""

    folder: Path
    scale: Scale
    postgresql: str | None
    progress: Progress

    def world(self, boards: int = _BOARDS, plies: int = _PLIES, played_on: int = _PLAYED_ON) -> World:
        """A new database with these boards."""
        return make(f"sqlite:///{self.folder / uuid.uuid4().hex}.db", boards, plies, played_on)

    @contextmanager
    def step(self, what: str) -> Iterator[Tick]:
        """A progress bar for one measurement."""
        task = self.progress.add_task(f"  {what}", total=1.0)
        try:
            yield lambda done: self.progress.update(task, completed=done)
        finally:
            self.progress.remove_task(task)


def _floors(run: Run) -> dict[str, float]:
    with run.step("aiosmtpd alone"):
        taken = floors.taken_by_aiosmtpd(run.scale.seconds)
    with run.step("bare commits"):
        return {"taken_per_second": taken, "commits_per_second": floors.commits(run.folder, run.scale.seconds / 2)}


def _moves(run: Run) -> list[dict[str, Any]]:
    """Moves a second and their latencies, by layout and number of connections, and then at half of the best rate."""
    world = run.world()
    found = [
        _row(run, f"SQLite, {name}", world, layout, connections)
        for name, layout in (("1 process", ONE), ("2 processes", TWO))
        for connections in run.scale.connections
    ]
    best = max(found, key=lambda row: float(row["moves_per_second"]))
    layout = ONE if "1 process" in best["server"] else TWO
    with run.step("half load") as tick:
        half = paced(world, ours(layout), best["moves_per_second"] / 2, run.scale.seconds * 2, tick)
    found.append({"server": f"{best['server']}, at half of that", "connections": 20, **asdict(half)})
    for name, layout in (("1 process", ONE), ("2 processes", TWO)):
        with run.step("idle") as tick:
            found.append(
                {
                    "server": f"SQLite, {name}, idle",
                    "connections": 1,
                    **asdict(idle(world, ours(layout), run.scale.idle_moves, tick)),
                }
            )
    return found + _moves_on_postgresql(run)


def _moves_on_postgresql(run: Run) -> list[dict[str, Any]]:
    found = []
    for workers, layout in ((1, TWO), (2, THREE)) if run.postgresql else ():
        for connections in run.scale.connections:
            with _database(run.postgresql or "") as url:
                world = make(url, _BOARDS, _PLIES, _PLAYED_ON)
                found.append(
                    _row(run, f"PostgreSQL, {workers} worker{'s' * (workers > 1)}", world, layout, connections)
                )
    return found


def _row(run: Run, server: str, world: World, layout: Sequence[Sequence[str]], connections: int) -> dict[str, Any]:
    """Our server, and right after it the plain loop under the same load."""
    with run.step(f"{server}, {connections} connections") as tick:
        moves: Moves = throughput(world, ours(layout), connections, run.scale.seconds, tick)
    with run.step(f"the plain loop, {connections} connections") as tick:
        floor = throughput(world, least, connections, run.scale.seconds, tick)
    own = {"server": server, "connections": connections, "floor_moves": floor.moves_per_second}
    own |= {"floor_ms": floor.server_ms, "floor_octets": floor.octets}
    return {**own, **asdict(moves), "times": moves.server_ms / floor.server_ms}


@contextmanager
def _database(server: str) -> Iterator[str]:
    """The URL of a new database on the server, which is dropped in the end."""
    import psycopg
    from sqlalchemy.engine import make_url

    name = f"pbm_bench_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _accepting(run: Run) -> list[dict[str, Any]]:
    """Mails a second that are accepted, each committed before its 250, while nothing handles them."""
    world = run.world(played_on=100)
    game = world.games[0]
    raw = reply(game, "F6", stages.NOW, "<x@pbm.example>")

    def mail(number: int) -> Envelope:
        return Envelope(game.recipient, raw.replace(b"@players", b"-%d@players" % number))

    async def accepted(connections: int) -> float:
        with copied(world) as (folder, fresh):
            async with serving(folder, fresh.url, 1, ONLY_LISTENING) as servers:
                return await floors.accepted(servers.port, run.scale.seconds, connections, mail)

    found = []
    for connections in run.scale.connections:
        with run.step(f"accepting on {connections} connections"):
            found.append({"connections": connections, "mails_per_second": asyncio.run(accepted(connections))})
    return found


def _stages(run: Run) -> list[dict[str, Any]]:
    found = []
    for plies in run.scale.records:
        with run.step(f"stages, records of {plies} plies"):
            found.append(asdict(stages.measure(run.world(plies=plies, played_on=200))))
    return found


def _growth(run: Run) -> list[dict[str, Any]]:
    """How all of it changes with the number of boards in the database and the length of their records."""
    found = []
    shapes = [(boards, _PLIES) for boards in run.scale.growth] + [(_BOARDS, plies) for plies in run.scale.records[1:]]
    for boards, plies in shapes:
        with run.step(f"making {boards:,} boards"):
            world = run.world(boards, plies, played_on=min(boards, 900 if plies == _PLIES else 300))
        with run.step(f"{boards:,} boards of {plies} plies") as tick:
            moves = throughput(world, ours(TWO), 10, run.scale.seconds, tick)
        size = Path(world.url.removeprefix("sqlite:///")).stat().st_size
        found.append({"boards": boards, "plies": plies, "database_mb": size / 2**20, **asdict(moves)})
        Path(world.url.removeprefix("sqlite:///")).unlink()
    return found


def _club(run: Run) -> list[dict[str, Any]]:
    """What each verb costs by the number of boards in the database and, separately, by the length of records."""
    found = []
    shapes = [(boards, _PLIES) for boards in run.scale.growth] + [(_BOARDS, plies) for plies in run.scale.records[1:]]
    for boards, plies in shapes:
        with run.step(f"a club of {boards:,} boards of {plies} plies, SQLite"):
            name = run.folder / "club.db"
            found.append(_of_club(f"sqlite:///{name}", "SQLite", boards, plies))
            name.unlink()
        if run.postgresql:
            with run.step("the same, PostgreSQL"), _database(run.postgresql) as url:
                found.append(_of_club(url, "PostgreSQL", boards, plies))
    return found


def _of_club(url: str, server: str, boards: int, plies: int) -> dict[str, Any]:
    world = make(url, boards, plies, min(boards, club.BOARDS), club.SIZE)
    return {"server": server, "boards": boards, "plies": plies, **club.measured(world)}


def _burst(run: Run) -> dict[str, Any]:
    with run.step(f"making {run.scale.burst:,} boards"):
        world = run.world(run.scale.burst, 2, played_on=run.scale.burst)
    with run.step(f"a burst of {run.scale.burst:,} mails") as tick:
        return asdict(burst(world, TWO, tick))


PARTS: dict[str, Callable[[Run], Any]] = {
    "floors": _floors,
    "moves": _moves,
    "accepting": _accepting,
    "stages": _stages,
    "growth": _growth,
    "club": _club,
    "burst": _burst,
}
