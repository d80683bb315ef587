"""Random playouts of every game: python -m bench.playouts [--game "loops -size=20"]... [--seconds 2] [--json]

All times are processor time. Each ply lists the legal moves (at most LISTED of them), picks one at random, plays it and
asks for the outcome; games that have not ended after PLIES plies are cut off. Next to it is the floor, measured in the
same run: a Python loop that makes a list of as many numbers as there were moves, picks one at random and appends it to
a tuple. No rules can be faster. Finally new records of REPLAYED plies in all are replayed, as the server does for a
board that it has forgotten.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from itertools import islice
from random import Random
from statistics import median, quantiles
from time import process_time

import click
from rich import box
from rich.console import Console
from rich.table import Table

from games import GAMES, AnyGame
from games.rules import any_move
from pbm.domain.match import replay

LISTED = 1000
PLIES = 400
REPLAYED = 200
TIMES = 5
WIDTH = 100


@dataclass
class Result:
    """game: its name and options. cut_off: playouts that had not ended. list_ms, slow_list_ms: the time to list the
    moves of one position, the median and the 99th percentile. draw_ms: one random move. replay_ms: REPLAYED plies, the
    median of TIMES. times_floor: how many times as long as the floor a ply took.
    """

    game: str
    playouts_per_second: float
    cut_off: int
    plies_per_playout: float
    plies_per_second: float
    moves_per_second: float
    list_ms: float
    slow_list_ms: float
    draw_ms: float
    replay_ms: float
    floor_plies_per_second: float
    times_floor: float


def playout(game: AnyGame, words: list[str], rng: random.Random) -> tuple[list[int], list[float], bool]:
    """The number of moves and the seconds of each list, and whether the game came to its end."""
    pos, moves, seconds = game.start(game.options(words)), [], []
    for _ in range(PLIES):
        start = process_time()
        listed = list(islice(game.moves(pos), LISTED))
        seconds.append(process_time() - start)
        moves.append(len(listed))
        pos = game.play(pos, rng.choice(listed))
        if game.outcome(pos) is not None:
            return moves, seconds, True
    return moves, seconds, False


def floor(moves: list[int]) -> float:
    """Plies a second of the loop that does nothing, with as many moves at each ply."""
    rng = random.Random(0)
    played: tuple[int, ...] = ()
    start = process_time()
    for count in moves:
        played = (*played[-PLIES // 10 :], rng.choice(list(range(count))))
    return len(moves) / (process_time() - start)


def drawn_and_replayed(game: AnyGame, words: list[str]) -> tuple[float, float]:
    """Milliseconds of a random move, and of a replay of REPLAYED plies, of several games if necessary."""
    dice, spent, replays = Random(1), 0.0, list[float]()
    for _ in range(TIMES):
        records, plies = list[list[str]](), 0
        while plies < REPLAYED:
            pos, record = game.start(game.options(words)), list[str]()
            while plies < REPLAYED and game.outcome(pos) is None:
                start = process_time()
                move = any_move(game, pos, dice, LISTED)
                spent += process_time() - start
                record.append(game.notate(pos, move))
                pos, plies = game.play(pos, move), plies + 1
            records.append(record)
        start = process_time()
        for record in records:
            replay(game, words, "", record, judged=False)
        replays.append(process_time() - start)
    return 1000 * spent / TIMES / REPLAYED, 1000 * median(replays)


def measure(chosen: str, budget: float) -> Result:
    """Playouts of one game, such as "loops -size=20", for about `budget` seconds."""
    name, *words = chosen.split()
    moves: list[int] = []
    lists: list[float] = []
    playouts = ended = 0
    start = process_time()
    while (spent := process_time() - start) < budget or not playouts:
        counts, seconds, over = playout(GAMES[name], words, random.Random(playouts))
        moves += counts
        lists += seconds
        playouts, ended = playouts + 1, ended + over
    lowest = floor(moves)
    draw_ms, replay_ms = drawn_and_replayed(GAMES[name], words)
    return Result(
        game=chosen,
        playouts_per_second=playouts / spent,
        cut_off=playouts - ended,
        plies_per_playout=len(moves) / playouts,
        plies_per_second=len(moves) / spent,
        moves_per_second=sum(moves) / spent,
        list_ms=1000 * median(lists),
        slow_list_ms=1000 * quantiles(lists, n=100)[-1],
        draw_ms=draw_ms,
        replay_ms=replay_ms,
        floor_plies_per_second=lowest,
        times_floor=lowest * spent / len(moves),
    )


COLUMNS = {
    "game": ("game", "{}"),
    "games/s": ("playouts_per_second", "{:,.1f}"),
    "cut": ("cut_off", "{}"),
    "plies/s": ("plies_per_second", "{:,.0f}"),
    "moves/s": ("moves_per_second", "{:,.0f}"),
    "list ms": ("list_ms", "{:.3f}"),
    "p99 ms": ("slow_list_ms", "{:.3f}"),
    "draw ms": ("draw_ms", "{:.3f}"),
    "replay ms": ("replay_ms", "{:.1f}"),
    "x floor": ("times_floor", "{:.0f}"),
}
"""What the table shows under each heading: a field of Result, and its format."""


def table(results: list[Result]) -> Table:
    shown = Table(title="Random playouts", box=box.SIMPLE, padding=0)
    for heading in COLUMNS:
        shown.add_column(heading, justify="left" if heading == "game" else "right", no_wrap=True)
    for result in results:
        shown.add_row(*(form.format(getattr(result, field)) for field, form in COLUMNS.values()))
    return shown


@click.command()
@click.option("--game", "chosen", multiple=True, help='A game and its options, such as "loops -size=20"; all if none.')
@click.option("--seconds", default=2.0, help="How long each game is played.")
@click.option("--json", "as_json", is_flag=True, help="Print numbers for programs.")
def main(chosen: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Random playouts per second of each game."""
    results = [measure(game, seconds) for game in chosen or GAMES]
    if as_json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    else:
        Console(width=WIDTH).print(table(results))


if __name__ == "__main__":
    main()
