"""How strong the robots are: python -m bench.robots [--game "cross -size=5"]... [--contest levels]... [--games 32]

Contests: `levels` (each against the one below; --level picks some of the upper ones), `beginner` (level 1 against the
greedy player), `simple` (the skill of a game with --seconds a move against random and greedy), `openspiel` (the highest
level, or that of --level, against OpenSpiel's MCTS, which is in C++ and comes with the extra `strong`: both have
--seconds of processor time a move, and what each has used is told). Levels are limited by positions looked at, all
others by processor time, so other work on the machine does not matter. --share makes all levels think less, by the same
factor; --slips tries other probabilities of thoughtless moves than the skill has for its levels.

Each game is reported on standard error as it ends. It also ends once somebody who makes no thoughtless
moves has proved that they win: at the following moves the end is nearer, so it would prove that again and play it.

Colours alternate from game to game, and each pair of games begins with the same random plies: --opening of them, but
none in `simple`, because against the random and the greedy player no two games are alike anyway. A pairing is looked at
after 8 games, 16, 32 and so on, and ends as soon as its 95 % interval lies inside the wanted bounds, or outside.
Because each look is one more chance to be deceived, the intervals are wide enough for all looks together (Wilson's,
with Pocock's bounds).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import sqrt
from os import cpu_count
from random import Random
from time import process_time
from typing import NamedTuple

import click
from rich import box
from rich.console import Console
from rich.table import Table

from bench.rivals import SPIEL, Board, Player
from games import GAMES
from games.rules import Side
from pbm.bots.levels import LEVELS

PLIES = 400
"""A game that has not ended after this many plies counts as a draw."""

HIGHEST = max(LEVELS)
WIDE = 130
KINDS = ("levels", "beginner", "simple", "openspiel")

SMALL = {
    "amazons": "-size=6",
    "breakthrough": "-size=6",
    "cross": "-size=4",
    "crossgeo": "-board=3",
    "dots": "-columns=4 -rows=4",
    "go": "-size=9",
    "gomoku": "-size=9",
    "havannah": "-size=4",
    "hex": "-size=5",
    "loops": "-size=5",
    "luddit": "-size=6 -stones=6",
    "polygon": "-sides=6",
    "reversi": "-size=6",
    "y": "-size=5",
    "yavalath": "-size=4",
}
"""Boards on which a game is over soon; other games are measured on their usual boards."""

SPIELED = (
    "four", "hex -size=7", "y -size=7", "clobber", "reversi", "breakthrough", "dots -columns=4 -rows=4", "gomoku",
    "havannah -size=5", "amazons", "loa", "morris",
)  # fmt: skip
"""Boards that OpenSpiel has, too."""

UNDECIDED = {
    "gomoku": "-size=15",
    "loops": "-size=8",
    "polygon": "-sides=9",
}
"""Boards against the random and the greedy player, instead of those on which nobody could win all games: with best
play, Loops of size five is a draw, one side of Polygon loses with six, seven and eight sides, and anybody who stops
fours draws on a small board of Gomoku."""


def usual(kind: str) -> list[str]:
    """All games, with their boards in a contest of that kind."""
    if kind == "openspiel":
        return list(SPIELED)
    boards = SMALL | (UNDECIDED if kind == "simple" else {})
    return [f"{name} {boards.get(name, '')}".strip() for name in GAMES]


@dataclass(frozen=True)
class Contest:
    """One pairing in one game. wanted: bounds of the first player's share."""

    board: Board
    one: Player
    other: Player
    wanted: tuple[float, float]
    opening: int = 2
    """How many plies at the beginning are random."""

    @property
    def pairing(self) -> str:
        return f"{self.one.name} against {self.other.name}"


@dataclass
class Result:
    """points: of the player named first; a draw is half a point. low, high: the 95 % interval of their share."""

    game: str
    pairing: str
    games: int
    points: float
    low: float
    high: float
    wanted: tuple[float, float]
    seconds: tuple[float, float]
    """The processor time a move that each of the two used."""

    @property
    def holds(self) -> str:
        """Whether the share is as wanted: for sure, or most likely."""
        low, high = self.wanted
        if low <= self.low and self.high <= high:
            return "yes"
        if self.high < low or self.low > high:
            return "no"
        return "likely" if low <= self.points / self.games <= high else "unlikely"


class Game(NamedTuple):
    """A game that was played. points: what the first player got, 1, 0 or a half."""

    points: float
    end: str
    seconds: tuple[float, float]
    """The processor time that each of the two used."""
    plies: tuple[int, int]
    """How many each of the two has thought about."""


def game_of(contest: Contest, number: int) -> Game:
    """The game with that number, which is told as it ends."""
    found = _ending(contest, number)
    click.echo(f"{contest.board.told}: {contest.pairing}, game {number}: {found.points:g} {found.end}", err=True)
    return found


def _ending(contest: Contest, number: int) -> Game:
    game, dice = contest.board.rules, Random(number // 2)
    pos, notations = game.start(contest.board.options), list[str]()
    pair = (contest.one, contest.other)
    seconds, plies = [0.0, 0.0], [0, 0]

    def ended(points: float, end: str) -> Game:
        return Game(points, end, (seconds[0], seconds[1]), (plies[0], plies[1]))

    for ply in range(PLIES):
        if (outcome := game.outcome(pos)) is not None:
            one_is = Side.FIRST if number % 2 == 0 else Side.SECOND
            share = 0.5 if outcome.winner is None else float(outcome.winner is one_is)
            return ended(share, f"after {ply} plies")
        if ply == contest.opening:
            dice = Random(f"{number} {contest}")
        mover = 0 if (game.to_move(pos) is Side.FIRST) == (number % 2 == 0) else 1
        begun = process_time()
        player = Player("random") if ply < contest.opening else pair[mover]
        choice = player.choice(contest.board, pos, notations, dice)
        if ply >= contest.opening:
            seconds[mover] += process_time() - begun
            plies[mover] += 1
        if player.proves and choice.exact and choice.value == 1:
            return ended(float(mover == 0), f"proved after {ply} plies")
        notations.append(game.notate(pos, choice.move))
        pos = game.play(pos, choice.move)
    return ended(0.5, f"cut off after {PLIES} plies")


POCOCK = (1.96, 2.178, 2.289, 2.361, 2.413, 2.453, 2.485)
"""Normal quantiles for 95 % over all looks together, for one look and more."""


def interval(share: float, games: int, z: float = POCOCK[0]) -> tuple[float, float]:
    """Wilson's interval of a share."""
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    reach = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, middle - reach), min(1.0, middle + reach)


FIRST_LOOK = 8


def looks(games: int) -> list[int]:
    """After how many games a pairing is looked at: worked example, 20 -> 8, 16, 20."""
    early = [FIRST_LOOK << turn for turn in range(len(POCOCK) - 1) if FIRST_LOOK << turn < games]
    return [*early, games]


def played(contest: Contest, games: int, pool: ProcessPoolExecutor) -> Result:
    """Play a pairing, at most `games` games, until it is clear whether its share is as wanted."""
    stops, found = looks(games), list[Game]()
    for stop in stops:
        found += pool.map(game_of, [contest] * (stop - len(found)), range(len(found), stop))
        total = sum(game.points for game in found)
        low, high = interval(total / stop, stop, POCOCK[len(stops) - 1])
        used = [sum(game.seconds[who] for game in found) for who in (0, 1)]
        plies = [max(1, sum(game.plies[who] for game in found)) for who in (0, 1)]
        seconds = used[0] / plies[0], used[1] / plies[1]
        result = Result(contest.board.told, contest.pairing, stop, total, low, high, contest.wanted, seconds)
        if result.holds in ("yes", "no"):
            break
    return result


def contests(
    kind: str,
    chosen: str,
    seconds: float,
    upper: Collection[int] = (),
    share: float = 1.0,
    slips: Sequence[float] = (),
    opening: int = 2,
) -> Iterator[Contest]:
    """The pairings of a kind in one game, such as "cross -size=5". upper: the levels to set against the one below."""
    robots = [Player("level", level, share=share) for level in sorted(LEVELS)]
    robots = [replace(robot, slip=slip) for robot, slip in zip(robots, slips, strict=False)] + robots[len(slips) :]
    skill, chance, beginner = Player("skill", seconds=seconds), Player("random"), Player("greedy")
    timed = [replace(robot, seconds=seconds) for robot in robots if robot.level in (upper or (HIGHEST,))]
    pairs: dict[str, list[tuple[Player, Player, tuple[float, float]]]] = {
        "levels": [
            (one, other, (0.65, 0.9)) for one, other in pairwise(reversed(robots)) if not upper or one.level in upper
        ],
        "beginner": [(robots[0], beginner, (0.35, 0.65))],
        "simple": [(skill, chance, (0.99, 1.0)), (skill, beginner, (0.95, 1.0))],
        "openspiel": [(robot, Player(SPIEL, seconds=seconds), (0.5, 1.0)) for robot in timed],
    }
    plies = 0 if kind == "simple" else opening
    return (Contest(Board(chosen), one, other, wanted, plies) for one, other, wanted in pairs[kind])


def result_table(results: list[Result]) -> Table:
    columns = ("game", "players", "games", "points", "share", "95 %", "wanted", "holds", "s a move")
    table = Table(*columns, title="Strength", box=box.SIMPLE)
    for result in results:
        share = f"{100 * result.points / result.games:.0f} %"
        between, wanted = (
            f"{100 * low:.0f} to {100 * high:.0f} %" for low, high in ((result.low, result.high), result.wanted)
        )
        numbers = (str(result.games), f"{result.points:g}", share, between, wanted, result.holds)
        times = " and ".join(f"{seconds:.2f}" for seconds in result.seconds)
        table.add_row(result.game, result.pairing, *numbers, times)
    return table


def floats(_context: object, _option: object, text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(",") if number)


@click.command()
@click.option("--game", "chosen", multiple=True, help='A game and its options, such as "cross -size=5"; all if none.')
@click.option("--games", default=32, help="Games a pairing at most.")
@click.option("--contest", "kinds", multiple=True, type=click.Choice(KINDS))
@click.option("--level", "upper", multiple=True, type=click.IntRange(2, HIGHEST), help="For levels; all if none.")
@click.option("--share", default=1.0, help="For levels: of what they usually look at.")
@click.option("--slips", default="", callback=floats, help="For levels: such as 0.8,0.5,0.2,0.1 from the lowest on.")
@click.option("--opening", default=2, help="Random plies each pair of games begins with.")
@click.option("--seconds", default=0.2, help="Processor time a move, where levels do not say it.")
@click.option("--processes", default=cpu_count() or 1)
@click.option("--json", "as_json", is_flag=True, help="Print numbers for programs.")
def main(
    chosen: tuple[str, ...],
    games: int,
    kinds: tuple[str, ...],
    upper: tuple[int, ...],
    share: float,
    slips: tuple[float, ...],
    opening: int,
    seconds: float,
    processes: int,
    as_json: bool,
) -> None:
    """Strength of the robots."""
    kinds = kinds or KINDS
    fought = []
    with ProcessPoolExecutor(processes) as pool:
        for kind in kinds:
            for name in chosen or usual(kind):
                for contest in contests(kind, name, seconds, upper, share, slips, opening):
                    fought.append(played(contest, games, pool))
                    click.echo(told(fought[-1]), err=True)
    if as_json:
        print(json.dumps([asdict(row) for row in fought]))
        return
    Console(width=None if sys.stdout.isatty() else WIDE).print(result_table(fought))


def told(result: Result) -> str:
    between = f"{100 * result.low:.0f} to {100 * result.high:.0f} %"
    return f"{result.game}: {result.pairing}, {result.points:g} of {result.games}, {between}: {result.holds}"


if __name__ == "__main__":
    main()
