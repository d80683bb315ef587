"""How long Polygon takes late in long games, with a plain implementation in fractions as the floor.

    python -m bench.polygon_long [seeds]

Random games of 200 plies, with each choice of colours; with 16 sides they nearly always last that long. The record is
replayed as the server does it (parse, play, outcome), then the next ply is made: list of moves, parse, play, outcome.
Times are in seconds, or in milliseconds where it says so. The plain implementation is the one that the tests compare
with, on a record of 24 plies.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from games.polygon import Polygon, Position
from tests.games.literal_polygon import Literal

T = TypeVar("T")

GAME = Polygon()
PLIES = 200
PLAIN_PLIES = 24


def timed(work: Callable[[], T]) -> tuple[T, float]:
    begin = time.perf_counter()
    result = work()
    return result, time.perf_counter() - begin


def random_record(words: list[str], seed: int) -> list[str]:
    rng, pos, record = random.Random(seed), GAME.start(GAME.options(words)), []
    while pos.ply <= PLIES and (moves := list(GAME.moves(pos))):
        move = rng.choice(moves)
        record.append(GAME.notate(pos, move))
        pos = GAME.play(pos, move)
    return record


def replay(words: list[str], record: list[str]) -> Position:
    pos = GAME.start(GAME.options(words))
    for notation in record:
        pos = GAME.play(pos, GAME.parse(pos, notation))
        GAME.outcome(pos)
    return pos


def next_ply(pos: Position, seed: int) -> None:
    moves = list(GAME.moves(pos))
    if moves:
        notation = GAME.notate(pos, random.Random(seed).choice(moves))
        GAME.outcome(GAME.play(pos, GAME.parse(pos, notation)))


def long_games(seeds: int) -> None:
    print("sides colours    seed plies targets replay[s] list[ms] next ply[ms]")
    for colours in ("any", "different", "same", "split"):
        for seed in range(1, seeds + 1):
            words = ["-sides=16", f"-colours={colours}"]
            record = random_record(words, seed)
            pos, replaying = timed(partial(replay, words, record))
            targets, listing = timed(partial(list[object], GAME.moves(pos)))
            _, playing = timed(partial(next_ply, pos, seed))
            print(
                f"{16:5} {colours:10} {seed:4} {len(record):5} {len(targets):7} {replaying:9.2f}"
                f" {listing * 1000:8.1f} {playing * 1000:12.1f}"
            )


def plain() -> None:
    words = ["-sides=16", "-colours=any"]
    record = random_record(words, 1)[:PLAIN_PLIES]
    pos, ours = timed(partial(replay, words, record))
    literal = Literal(pos.vertices, "any")

    def literally() -> None:
        for ply in range(1, len(pos.places)):
            literal.successors(pos.places[: ply + 1])

    _, theirs = timed(literally)
    print(f"floor: {PLAIN_PLIES} plies, {ours:.3f} s here, {theirs:.2f} s by fractions without memory")


if __name__ == "__main__":
    long_games(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    plain()
