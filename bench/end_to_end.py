"""Complete moves a second: a mail in over SMTP, the move, two board mails out over SMTP; beside the floors of this run.

`python -m bench.end_to_end [--seconds N] [--boards N] [--connections N ...] [--json]`. The load generator and the sink
for the server's mail share the machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import aiosmtplib
import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.serving import DOMAIN, listen_settings
from games.cross import hexagon
from pbm.edges.receive import Accepted, Listener
from pbm.mailin import Robot
from pbm.service import Service, Settings
from pbm.service.administration import Administration
from pbm.store import Store

PLAYERS = 20
SIZE = 6
_TOKEN = re.compile(rb"^Reply-To: (pbm\+[a-z0-9]+@\S+)", re.MULTILINE)
_BOARD = re.compile(rb"^Subject: Cross Board (\d+) ", re.MULTILINE)
_YOURS = b"It is your turn"


@dataclass(slots=True)
class Game:
    """One board as the load generator knows it. cells: the rest of the moves, in order. sent_at: of the last move."""

    cells: list[str]
    sent_at: float = 0.0


@dataclass(slots=True)
class Load:
    """Plays many boards at once: whoever is to move answers as soon as his board mail has come."""

    games: dict[int, Game]
    ready: asyncio.Queue[tuple[int, str] | None] = field(default_factory=asyncio.Queue)
    latencies: list[float] = field(default_factory=list)
    mails: int = 0
    _came: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, mail: Accepted) -> None:
        """A mail of the server has come to the sink."""
        self.mails += 1
        self._came.set()
        head = mail.data[:3000]
        board, token = _BOARD.search(head), _TOKEN.search(head)
        if board is None or token is None or _YOURS not in head:
            return
        game = self.games[int(board[1])]
        if game.sent_at:
            self.latencies.append(time.perf_counter() - game.sent_at)
        if game.cells:
            self.ready.put_nowait((int(board[1]), token[1].decode()))

    async def has_taken(self, mails: int) -> None:
        """Returns once so many mails have come."""
        while self.mails < mails:
            self._came.clear()
            await self._came.wait()

    async def send(self, port: int) -> None:
        """One kept-open connection that sends whatever move is ready, until there is None."""
        async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False) as client:
            while (move_due := await self.ready.get()) is not None:
                board, token = move_due
                game = self.games[board]
                move = game.cells.pop()
                head = f"From: a@players.example\r\nTo: {token}\r\nSubject: Re: Cross Board {board}\r\n"
                head += f"Message-ID: <{board}.{len(game.cells)}@players.example>\r\n\r\n"
                game.sent_at = time.perf_counter()
                await client.sendmail("a@players.example", [token], f"{head}{move}\r\n".encode())


@dataclass(frozen=True, slots=True)
class Result:
    """What one run measured; latencies in milliseconds, from sending the move to the opponent's mail."""

    connections: int
    moves_per_second: float
    p50: float
    p95: float
    p99: float
    megabytes: float


@asynccontextmanager
async def process(*args: str) -> AsyncIterator[tuple[int, list[str]]]:
    """A serving process: its port, and a list that holds its last words once it has ended."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.serving", *args, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    words: list[str] = []
    try:
        yield int(await child.stdout.readline()), words
    finally:
        child.terminate()
        words += (await child.stdout.read()).decode().split()
        await child.wait()


def prepare(database: str, boards: int) -> dict[int, Game]:
    """Players, and boards that have just started; their first mails wait in the outbox."""
    service = Service(Store(database), Settings(Robot("pbm", DOMAIN)))
    administration = Administration(service)
    for number in range(PLAYERS):
        administration.add_player(f"p{number}", [f"p{number}@players.example"], "secret")
    cells = [hexagon(SIZE).name(index) for index in hexagon(SIZE).indices]
    shuffle, games = random.Random(1), {}
    for number in range(boards):
        pair = (f"p{number % PLAYERS}", f"p{(number + 1) % PLAYERS}")
        board = administration.start_match("cross", pair, (f"-size={SIZE}",)).board
        games[board] = Game(shuffle.sample(cells, len(cells)))
    service.close()
    return games


async def measure(folder: Path, connections: int, boards: int, seconds: float, progress: Progress) -> Result:
    database = f"sqlite:///{folder / f'{connections}.db'}"
    load = Load(prepare(database, boards))
    sink = Listener(listen_settings(), load.take, lambda _address: True)
    await sink.start()
    async with process(database, str(sink.port)) as (port, words):
        await load.has_taken(2 * boards)
        senders = [asyncio.create_task(load.send(port)) for _ in range(connections)]
        await asyncio.sleep(1)
        load.latencies.clear()
        began = time.perf_counter()
        task = progress.add_task(f"{connections} connections", total=seconds)
        while (elapsed := time.perf_counter() - began) < seconds:
            progress.update(task, completed=elapsed)
            await asyncio.sleep(0.2)
        progress.update(task, completed=seconds)
        latencies, elapsed = sorted(load.latencies), time.perf_counter() - began
        for _ in senders:
            load.ready.put_nowait(None)
        await asyncio.gather(*senders)
    await sink.stop()
    cuts = statistics.quantiles(latencies, n=100)
    rate = len(latencies) / elapsed
    return Result(connections, rate, cuts[49] * 1e3, cuts[94] * 1e3, cuts[98] * 1e3, int(words[-1]) / 1024)


async def accepting_floor(seconds: float, connections: int = 10) -> float:
    """Mails a second that the same listener takes with nothing behind it."""
    count, end = 0, 0.0

    async def send(port: int) -> None:
        nonlocal count
        async with aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False) as client:
            while time.perf_counter() < end:
                await client.sendmail("a@players.example", ["pbm@pbm.example"], b"Subject: F6\r\n\r\nF6\r\n")
                count += 1

    async with process("accept-only") as (port, _):
        end = time.perf_counter() + seconds
        await asyncio.gather(*(send(port) for _ in range(connections)))
    return count / seconds


def committing_floor(folder: Path, seconds: float) -> float:
    """Bare durable SQLite commits a second, of one row each."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, raw BLOB)")
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (raw) VALUES (?)", (b"x" * 500,))
        connection.execute("COMMIT")
        count += 1
    connection.close()
    return count / seconds


@click.command()
@click.option("--seconds", default=8.0, help="length of each measurement")
@click.option("--boards", default=200, help="games played at once")
@click.option("--connections", multiple=True, type=int, default=(1, 10, 100), help="SMTP connections of the senders")
@click.option("--json", "as_json", is_flag=True, help="print JSON for comparison")
def main(seconds: float, boards: int, connections: tuple[int, ...], as_json: bool) -> None:
    """Complete moves a second on SQLite, and the floors of this machine."""
    console = Console(stderr=as_json)
    with tempfile.TemporaryDirectory(prefix="pbm-bench-") as name, Progress(console=console) as progress:
        folder = Path(name)
        accepting = asyncio.run(accepting_floor(seconds / 2))
        committing = committing_floor(folder, seconds / 4)
        results = [asyncio.run(measure(folder, each, boards, seconds, progress)) for each in connections]
    if as_json:
        floors = {"accepted_per_second": accepting, "commits_per_second": committing}
        print(json.dumps({"floors": floors, "runs": [asdict(result) for result in results]}, indent=2))
        return
    console.print(f"floor: {accepting:,.0f} mails/s accepted by the listener alone, ten connections")
    console.print(f"floor: {committing:,.0f} durable SQLite commits/s, one row each")
    table = Table(title="complete moves: a mail in, the move stored, two board mails out")
    for heading in ("connections", "moves/s", "of accepting", "of committing", "p50 ms", "p95 ms", "p99 ms", "MiB"):
        table.add_column(heading, justify="right")
    for result in results:
        rate = result.moves_per_second
        row = (rate / accepting, rate / committing)
        times = (f"{result.p50:.0f}", f"{result.p95:.0f}", f"{result.p99:.0f}", f"{result.megabytes:.0f}")
        table.add_row(str(result.connections), f"{rate:.0f}", *(f"{part:.2f}" for part in row), *times)
    console.print(table)


if __name__ == "__main__":
    main()
