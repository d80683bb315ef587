"""How long one Luddit turn takes to judge: python -m bench.luddit_turn

For each turn the median of many runs of parse (read and judge) and play, beside the floor: folding the text alone,
which no parser can beat. The aim is 5 ms for a turn of two moves of 18-stone loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from statistics import median
from time import perf_counter

import click

from games.boards import BothSides
from games.luddit import Luddit, Position
from games.luddit_pieces import torus
from games.rules import MoveError, Side, fold

GAME = Luddit()
REPEATS = 200


def milliseconds(work: Callable[[], object]) -> float:
    """The median time of one call."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1000 * median(times)


def names(size: int, cells: range) -> str:
    return ",".join(map(torus(size).names.__getitem__, cells))


def black(size: int, cells: Iterable[int], mover: Side = Side.FIRST) -> Position:
    """A position with only these black stones, as many as the limit allows."""
    stones = sum(1 << cell for cell in cells)
    options = GAME.options([f"-size={size}", f"-stones={stones.bit_count()}"])
    return Position(options, BothSides(stones, 0), mover)


def rings(size: int, columns: Iterable[int]) -> list[int]:
    """Rings around the torus, three rows apart: no stone is conditioned to White, but all must be looked at."""
    return [row * size + column for row in range(0, size - 2, 3) for column in columns]


def judge(pos: Position, text: str) -> bool:
    """Play the turn; whether it was legal."""
    try:
        GAME.play(pos, GAME.parse(pos, text))
    except MoveError:
        return False
    return True


def turns() -> Iterator[tuple[str, Position, str]]:
    small, large = black(9, range(18)), black(19, range(99))
    for pos, count, step in ((small, 18, 27), (large, 99, 114)):
        first, second, third = (names(pos.options.size, range(at, at + count)) for at in (0, step, 2 * step))
        yield f"two moves of {count}-stone loops", pos, f"{first}>{second}; {second}>{third}"
    yield "600 times the same stone", large, "x" + ",".join(["A1"] * 600)
    yield "600 moves", large, "A1 " * 600
    yield "2000 commas", large, "," * 2000


def positions() -> Iterator[tuple[str, Position]]:
    yield "18 stones in rings, White stuck", black(9, rings(9, (0, 1, 3, 4, 6, 7)), Side.SECOND)
    yield (
        "72 stones in rings, White stuck",
        black(19, rings(19, (0, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17)), Side.SECOND),
    )
    yield "99 stones in a row", black(19, range(99), Side.SECOND)


@click.command()
def main() -> None:
    """Print both tables."""
    click.echo(f"{'turn':34}{'legal':>6}{'judged ms':>12}{'floor ms':>10}")
    for title, pos, text in turns():
        judged, floor = milliseconds(partial(judge, pos, text)), milliseconds(partial(fold, text))
        click.echo(f"{title:34}{'yes' if judge(pos, text) else 'no':>6}{judged:12.3f}{floor:10.3f}")
    click.echo(f"\n{'position':34}{'over':>6}{'outcome ms':>12}{'scene ms':>10}")
    for title, pos in positions():
        outcome, scene = milliseconds(partial(GAME.outcome, pos)), milliseconds(partial(GAME.scene, pos, None))
        click.echo(f"{title:34}{'yes' if GAME.outcome(pos) else 'no':>6}{outcome:12.3f}{scene:10.3f}")


if __name__ == "__main__":
    main()
