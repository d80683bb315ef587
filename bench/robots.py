"""How strong the robots are: python -m bench.robots [--game cross]... [--games 20] [--contest levels]... [--json]

Every pairing plays its games in parallel processes, colours exchanged from game to game, each pair of games after the
same two random plies. A share of points comes with its 95 % interval (Wilson's), and is told as soon as it is known.
Contests: `levels` (each against the one below; --level picks some of the upper ones), `simple` (level 1 against the
greedy player, the skill of a game with --seconds a move against random and greedy), `plain` (the skill against plain
UCT by the rules, both with the same processor time), `speed` (playouts a second of the processor, next to the published
ones of Ludii). Levels are bounded by positions looked at, all others by time of the processor, so that it does not
matter what else the machine does.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice, pairwise, product
from math import sqrt
from os import cpu_count
from random import Random
from time import process_time
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from games import GAMES, AnyGame
from games.rules import Side
from pbm.bots import LEVELS, Budget, Skill, choose, skill_of

PLIES = 400
"""A game that has not ended by then counts as drawn."""

LISTED = 1000
HIGHEST = max(LEVELS)


@dataclass(frozen=True)
class Player:
    """kind: "level", "random", "greedy", "skill" or "plain". level: of a robot. seconds: a move of the last two."""

    kind: str
    level: int = 0
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return f"level {self.level}" if self.kind == "level" else self.kind

    def move(self, game: AnyGame, pos: Any, dice: Random) -> Any:
        seed = dice.getrandbits(32)
        if self.kind == "level":
            return choose(game, pos, self.level, seed=seed).move
        if self.kind == "random":
            return dice.choice(list(islice(game.moves(pos), LISTED)))
        if self.kind == "greedy":
            return greedy(game, pos, dice)
        budget = Budget(10**9, self.seconds, steps=100_000 if self.kind == "skill" else 0)
        skill = skill_of(game.info.name) if self.kind == "skill" else Skill(game)
        return choose(game, pos, budget=budget, seed=seed, skill=skill).move


def greedy(game: AnyGame, pos: Any, dice: Random) -> Any:
    """A beginner's move: a win in one, else what looks best at a glance, else anything that does not lose at once."""
    skill, side = skill_of(game.info.name), game.to_move(pos)
    sign = 1 if side is Side.FIRST else -1

    def worth(move: Any) -> tuple[float, float]:
        after = game.play(pos, move)
        if (outcome := game.outcome(after)) is not None:
            return (9.0 if outcome.winner is side else -9.0 if outcome.winner else 0.0), dice.random()
        return sign * (skill.evaluate(after) or 0.0), dice.random()

    return max(islice(game.moves(pos), LISTED), key=worth)


@dataclass(frozen=True)
class Contest:
    """One pairing in one game: options as a challenge has them."""

    game: str
    words: tuple[str, ...]
    one: Player
    other: Player


@dataclass
class Result:
    """points: of the player named first; a draw is half a point. low, high: the 95 % interval of its share."""

    game: str
    pairing: str
    games: int
    points: float
    low: float
    high: float


def points(contest: Contest, number: int) -> float:
    """What the first player gets in the game with that number: 1, 0 or a half."""
    game, dice = GAMES[contest.game], Random(number // 2)
    pos = game.start(game.options(list(contest.words)))
    first = contest.one if number % 2 == 0 else contest.other
    second = contest.other if number % 2 == 0 else contest.one
    for ply in range(PLIES):
        if (outcome := game.outcome(pos)) is not None:
            if outcome.winner is None:
                return 0.5
            return float((first if outcome.winner is Side.FIRST else second) is contest.one)
        if ply == 2:
            dice = Random(f"{number} {contest}")
        player = Player("random") if ply < 2 else first if game.to_move(pos) is Side.FIRST else second
        pos = game.play(pos, player.move(game, pos, dice))
    return 0.5


def interval(share: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    reach = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def played(contest: Contest, games: int, pool: ProcessPoolExecutor) -> Result:
    total = sum(pool.map(points, [contest] * games, range(games)))
    low, high = interval(total / games, games)
    name = " ".join([contest.game, *contest.words])
    return Result(name, f"{contest.one.name} against {contest.other.name}", games, total, low, high)


def contests(kind: str, chosen: str, seconds: float, upper: Collection[int] = ()) -> Iterator[Contest]:
    """The pairings of a kind in one game, such as "cross -size=5". upper: the levels to set against the one below."""
    name, *words = chosen.split()
    robots = [Player("level", level) for level in sorted(LEVELS)]
    pairs = {
        "levels": [(one, other) for one, other in pairwise(reversed(robots)) if not upper or one.level in upper],
        "simple": [
            (robots[0], Player("greedy")),
            (Player("skill", seconds=seconds), Player("random")),
            (Player("skill", seconds=seconds), Player("greedy")),
        ],
        "plain": [(Player("skill", seconds=seconds), Player("plain", seconds=seconds))],
    }
    return (Contest(name, tuple(words), one, other) for one, other in pairs.get(kind, []))


LUDII = {
    "cross -size=5": 11_700,
    "cross -size=6": 5_700,
    "cross -size=7": 3_180,
    "cross -size=10": 1_095,
    "crossgeo -board=1": 20_300,
    "crossgeo -board=2": 13_200,
}
"""Playouts a second that are published for Ludii, one thread."""


@dataclass
class Speed:
    """Playouts a second of the processor, from the start of a game."""

    game: str
    playouts: float
    published: int | None


def speed(chosen: str, seconds: float) -> Speed:
    name, *words = chosen.split()
    game, skill, dice = GAMES[name], skill_of(name), Random(1)
    pos, games, start = game.start(game.options(words)), 0, process_time()
    while (spent := process_time() - start) < seconds or not games:
        skill.rollout(pos, dice)
        games += skill.games_a_rollout
    return Speed(chosen, games / spent, LUDII.get(chosen))


def result_table(results: list[Result]) -> Table:
    table = Table("game", "players", "games", "points", "share", "95 %", title="Strength", box=box.SIMPLE)
    for result in results:
        share = f"{100 * result.points / result.games:.0f} %"
        between = f"{100 * result.low:.0f} to {100 * result.high:.0f} %"
        table.add_row(result.game, result.pairing, str(result.games), f"{result.points:g}", share, between)
    return table


def speed_table(speeds: list[Speed]) -> Table:
    table = Table("game", "playouts/s", "Ludii", title="Speed", box=box.SIMPLE)
    for found in speeds:
        table.add_row(found.game, f"{found.playouts:,.0f}", f"{found.published:,}" if found.published else "")
    return table


@click.command()
@click.option("--game", "chosen", multiple=True, help='A game and its options, such as "cross -size=5"; all if none.')
@click.option("--games", default=20, help="Games a pairing.")
@click.option("--contest", "kinds", multiple=True, type=click.Choice(["levels", "simple", "plain", "speed"]))
@click.option("--level", "upper", multiple=True, type=click.IntRange(2, HIGHEST), help="For levels; all if none.")
@click.option("--seconds", default=0.2, help="Processor time a move, or of a measurement of speed.")
@click.option("--processes", default=cpu_count() or 1)
@click.option("--json", "as_json", is_flag=True, help="Print numbers for programs.")
def main(
    chosen: tuple[str, ...],
    games: int,
    kinds: tuple[str, ...],
    upper: tuple[int, ...],
    seconds: float,
    processes: int,
    as_json: bool,
) -> None:
    """Strength and speed of the robots."""
    kinds = kinds or ("levels", "simple", "plain", "speed")
    fought = []
    with ProcessPoolExecutor(processes) as pool:
        for name, kind in product(chosen or GAMES, kinds):
            for contest in contests(kind, name, seconds, upper):
                fought.append(played(contest, games, pool))
                click.echo(f"{fought[-1].game}: {fought[-1].pairing}, {fought[-1].points:g} of {games}", err=True)
    speeds = [speed(name, seconds) for name in chosen or (*LUDII, *GAMES)] if "speed" in kinds else []
    if as_json:
        print(json.dumps({"strength": [asdict(row) for row in fought], "speed": [asdict(row) for row in speeds]}))
        return
    for table in (result_table(fought), speed_table(speeds)):
        if table.row_count:
            Console().print(table)


if __name__ == "__main__":
    main()
