"""What one attacker costs everybody else: `python -m bench.attacks [--boards N] [--processes N] [--only WORDS]`.

A real server gets players' moves by SMTP, one after another, while somebody else attacks it. For each attack this
measures its processor time, and the longest that a player waited for 250 and for the opponent's mail.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import smtplib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from itertools import repeat
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench import worlds
from bench.load import Load, sinking
from bench.servers import ONE, TWO, Servers, serving
from bench.worlds import ROBOT, World
from games import GAMES
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.domain.match import State
from pbm.server import Service, Settings
from pbm.server.organizer import Organizer
from pbm.store import Store

PAUSE_SECONDS = 0.05
"""Between two of the players' moves."""
QUIET_SECONDS = 4.0
"""How long the server gets moves only, to know what they cost."""
LATE_PLIES = 145
SIGNUPS = 2000
LONG_ENOUGH_SECONDS = 40.0


@dataclass(frozen=True, slots=True)
class Attack:
    """A name, and mails in order: sender, subject, text. tokens: for each mail, the part after the plus in To."""

    name: str
    mails: list[tuple[str, str, str]]
    tokens: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Waits:
    """Seconds that players waited for 250, and the number of moves."""

    accepted: list[float] = field(default_factory=list)
    moves: int = 0


def attacks(late_board: int) -> Iterator[Attack]:
    graphs = ["\n".join(f"{shift},{number} 999,{999 - number}" for number in range(200)) for shift in range(10)]
    strangers = [f"eve{number}@mallory.example" for number in range(200)]
    own, challenge = "p0@players.example", "crossgeo challenge p0 p1"
    yield Attack("10 challenges on 200 edges, by strangers", list(zip(strangers, repeat(challenge), graphs)))
    proven = f"{challenge} p0 bench-secret"
    yield Attack("10 challenges on 200 edges, by a player", [(own, proven, each) for each in graphs])
    yield Attack("200 times list, by strangers", [(each, "list", "") for each in strangers])
    yield Attack("200 times list, by a player", [(own, "list", "")] * 200)
    yield Attack(f"20 times a Polygon game at ply {LATE_PLIES}", [(own, f"polygon show {late_board}", "")] * 20)
    tagged = [(f"victim+{n}@players.example", f"signup vic{n} open-sesame{n}", "") for n in range(120)]
    yield Attack("120 signups for one mailbox with tags", tagged)
    asked = [(f"p{n}@players.example", "cross seek 5", "") for n in range(2, 202)]
    yield Attack("200 commands in the names of players", asked)
    resets = [(each, f"reset password p{number + 2}", "") for number, each in enumerate(strangers)]
    yield Attack("200 new passwords for players, asked by strangers", resets)
    chance = random.Random(1)
    tokens = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz234567", k=36)) for _ in strangers]
    yield Attack("200 answers to forged tokens", [(each, "Re: board", "D4") for each in strangers], tokens)
    yield Attack("50 exports, unproven", [(f"p{n}@players.example", "export", "") for n in range(50)])
    yield Attack("20 exports, by a player", [(own, "export p0 bench-secret", "")] * 20)
    many = [(f"m{n}@e{n % 97}.example", f"signup mal{n}x a-good-word{n}", "") for n in range(SIGNUPS)]
    yield Attack(f"{SIGNUPS:,} signups from everywhere", many)


def late_polygon(url: str) -> int:
    """A board of Polygon after many plies, each the last one listed, which depends on the most segments."""
    service = Service(Store(url), Settings(ROBOT))
    number = Organizer(service).start_match("polygon", ("p0", "p1"), ("-sides=16",)).board
    game = GAMES["polygon"]
    state = State.start(game, ("-sides=16",))
    moves: list[str] = []
    while len(moves) < LATE_PLIES and state.outcome is None:
        *_, move = game.moves(state.position)
        moves.append(game.notate(state.position, move))
        state, _ = state.play(moves[-1])
    with service.store.write() as tx:
        board = OpenBoard.load(tx, service.tools.states, number)
        for each in moves:
            decisions.play_ply(board, board.state.to_move, each)
    service.close()
    return number


def letter(sender: str, subject: str, text: str, number: int) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, ROBOT.address, subject
    mail["Date"] = datetime.now(UTC)
    mail["Message-ID"] = f"<{time.time_ns()}.{number}@bench.example>"
    mail.set_content(text or "\n")
    return mail.as_bytes()


async def play(load: Load, port: int, waits: Waits, stop: asyncio.Event) -> None:
    """Play on one board after another, over one connection."""
    with smtplib.SMTP("127.0.0.1", port) as client:
        while not stop.is_set():
            game, answers = load.waiting.popleft()
            raw = worlds.reply(game, game.cells.pop(), datetime.now(UTC), answers)
            game.sent_at = begun = time.perf_counter()
            await asyncio.to_thread(client.sendmail, "q1@players.example", [game.recipient], raw)
            waits.accepted.append(time.perf_counter() - begun)
            waits.moves += 1
            await asyncio.sleep(PAUSE_SECONDS)


async def strike(attack: Attack, port: int) -> None:
    def send() -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            for number, (sender, subject, text) in enumerate(attack.mails):
                to = f"{ROBOT.local_part}+{attack.tokens[number]}@{ROBOT.domain}" if attack.tokens else ROBOT.address
                client.sendmail(sender, [to], letter(sender, subject, text, number))

    await asyncio.to_thread(send)


async def handled(store: Store) -> None:
    """Returns once no mail waits to be handled, or after long enough: what is left counts for the last attack."""
    end = time.monotonic() + LONG_ENOUGH_SECONDS

    def waits() -> bool:
        with store.read() as tx:
            return tx.inbox.waits_since() is not None

    while time.monotonic() < end and await asyncio.to_thread(waits):  # noqa: ASYNC110  it watches another process
        await asyncio.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Measured:
    """seconds: processor time. accepted, answered: the longest that a player waited."""

    seconds: float
    accepted: float
    answered: float


async def measured(load: Load, servers: Servers, during: Callable[[], asyncio.Future[None]]) -> tuple[Measured, int]:
    """What was measured while players moved and something else happened; and how many moves there were."""
    load.latencies.clear()
    waits, stop, begun = Waits(), asyncio.Event(), servers.cpu_seconds()
    playing = asyncio.create_task(play(load, servers.port, waits, stop))
    await during()
    await asyncio.sleep(0.5)
    stop.set()
    await playing
    while len(load.latencies) < waits.moves:  # noqa: ASYNC110  rarely enough
        await asyncio.sleep(0.05)
    spent = servers.cpu_seconds() - begun
    return Measured(spent, max(waits.accepted), max(load.latencies)), waits.moves


async def run(world: World, folder: Path, late_board: int, processes: int, only: str) -> list[tuple[str, Measured]]:
    load, found, store = Load.on(world, eager=False), [], Store(world.url)
    async with sinking(load) as sink, serving(folder, world.url, sink, ONE if processes == 1 else TWO) as servers:
        quiet, moves = await measured(load, servers, lambda: asyncio.ensure_future(asyncio.sleep(QUIET_SECONDS)))
        found.append(("nothing but moves", quiet))
        for attack in attacks(late_board):
            if only not in attack.name:
                continue

            async def struck(attack: Attack = attack) -> None:
                await strike(attack, servers.port)
                await handled(store)

            got, others = await measured(load, servers, lambda: asyncio.ensure_future(struck()))
            own = max(0.0, got.seconds - others * quiet.seconds / moves)
            found.append((attack.name, Measured(own, got.accepted, got.answered)))
    store.close()
    return found


@click.command()
@click.option("--boards", default=20_000, help="Boards in the database.")
@click.option("--processes", default=0, help="Processes of the server, 1 or 2; both when not given.")
@click.option("--only", default="", help="Attacks whose name holds this.")
def main(boards: int, processes: int, only: str) -> None:
    """Print what each attack costs, and how long players wait meanwhile."""
    for count in (processes,) if processes else (1, 2):
        with tempfile.TemporaryDirectory(prefix="pbm-attacks-") as place, contextlib.chdir(place):
            world = worlds.make(f"sqlite:///{place}/world.db", boards, 6, min(boards, 2000))
            late_board = late_polygon(world.url)
            found = asyncio.run(run(world, Path(place), late_board, count, only))
        table = Table(
            f"{count} process{'es' * (count > 1)}, {boards:,} boards",
            "processor s",
            "longest 250, ms",
            "longest move, ms",
        )
        for name, each in found:
            table.add_row(name, f"{each.seconds:.2f}", f"{each.accepted * 1000:.0f}", f"{each.answered * 1000:.0f}")
        Console(width=120).print(table)


if __name__ == "__main__":
    main()
