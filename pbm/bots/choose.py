"""The choice of a move: the skill for each game, the levels, and how a move is chosen; puzzles.

Puzzles are positions with exactly one winning move, from games of players or of a robot against itself. It is proved
that this move wins and that no other one does: by solving, or by a search that leaves nothing open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from itertools import islice
from random import Random
from time import monotonic, process_time
from typing import Any

from games import GAMES, AnyGame
from games.rules import Side
from games.steps import Steps
from pbm.bots.connections import CrossSkill, HexSkill, YSkill
from pbm.bots.dots import DotsSkill
from pbm.bots.glance import AmazonsSkill, BreakthroughSkill, LoaSkill, MorrisSkill, ReversiSkill
from pbm.bots.go import GoSkill
from pbm.bots.levels import Budget
from pbm.bots.lines import FourSkill, GomokuSkill, YavalathSkill
from pbm.bots.loops import LoopsSkill
from pbm.bots.luddit import LudditSkill
from pbm.bots.polygon import PolygonSkill
from pbm.bots.search import Search
from pbm.bots.skill import WIDEST, Skill, value_of
from pbm.bots.sums import ClobberSkill, CrossGeoSkill
from pbm.bots.threats import HavannahSkill
from pbm.values import frozen

SKILLS: dict[str, type[Skill]] = {
    "amazons": AmazonsSkill,
    "breakthrough": BreakthroughSkill,
    "clobber": ClobberSkill,
    "cross": CrossSkill,
    "crossgeo": CrossGeoSkill,
    "dots": DotsSkill,
    "four": FourSkill,
    "go": GoSkill,
    "gomoku": GomokuSkill,
    "havannah": HavannahSkill,
    "hex": HexSkill,
    "loa": LoaSkill,
    "loops": LoopsSkill,
    "luddit": LudditSkill,
    "morris": MorrisSkill,
    "polygon": PolygonSkill,
    "reversi": ReversiSkill,
    "y": YSkill,
    "yavalath": YavalathSkill,
}
"""Skills by the name of their game; all other games use the plain one."""


@frozen
class Decision:
    """A move and the reasons for it."""

    move: Any
    value: float
    """The value for the player to move, from -1 for lost to 1 for won."""
    line: tuple[Any, ...]
    """The expected moves, the chosen one first."""
    exact: bool
    """The value is proved, not estimated."""


@cache
def skill_of(name: str) -> Skill:
    """The skill for a registered game."""
    # The skill of another package comes first.
    for entry in entry_points(group="pbm.bots", name=name):
        own: type[Skill] = entry.load()
        return own(GAMES[name])
    return SKILLS.get(name, Skill)(GAMES[name])


def choose(game: AnyGame, pos: Any, budget: Budget, seed: int = 0, skill: Skill | None = None) -> Decision:
    """The robot's move; the same one for the same position, budget and seed, if only visits limit the budget.

    skill: replaces the game's. Raises: ValueError if the game is over.
    """
    if game.outcome(pos) is not None:
        raise ValueError("There is nothing to choose: the game is over.")
    skill = skill or skill_of(game.info.name)
    sure = _surest(game, pos, skill, budget, seed)
    dice = Random(f"slip {seed}")
    # Even a beginner sees a move that wins at once.
    if dice.random() < budget.slip and not (sure.exact and sure.value > 0 and len(sure.line) == 1):
        move = dice.choice(skill.careless(pos, dice))
        return Decision(move, sure.value, (move,), exact=False)
    return sure


def _surest(game: AnyGame, pos: Any, skill: Skill, budget: Budget, seed: int) -> Decision:
    """The result of solving, within half of the patience, otherwise that of the search in the time left."""
    sign, begun = game.to_move(pos).sign, (process_time(), monotonic())
    steps = Steps(budget.steps, lambda: monotonic() - begun[1] > budget.patience / 2)
    if budget.steps and (solution := skill.solve(pos, steps)):
        return Decision(solution.line[0], sign * solution.value, solution.line, exact=solution.proved)
    search = Search(skill, pos, Random(seed))
    seconds, patience = budget.seconds - (process_time() - begun[0]), budget.patience - (monotonic() - begun[1])
    search.run(replace(budget, seconds=seconds, patience=patience))
    line = search.line()
    return Decision(line[0], sign * search.root.value, line, search.root.proved and skill.sure)


FEWEST_MOVES = 4
"""A position with fewer moves is not used as a puzzle."""

Puzzle = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The moves that lead to it, and its solution: the only winning move and a line after it."""

_GAMES = 8
_MOST_SECONDS = 30.0
"""The processor seconds after which a game is searched no further."""
_AT_PLAY = Budget(visits=60, seconds=1.0, slip=0.15)
_AT_PROOF = Budget(visits=1500, seconds=0.3)
_STEPS = 60_000


def invented(skill: Skill, start: Any, seed: int) -> Puzzle | None:
    """A puzzle from a game that a robot plays decently against itself, with occasional mistakes.

    None if no game that was tried contains one.
    """
    game = skill.game
    for number in range(_GAMES):
        dice, positions, moves = Random(f"puzzle {seed} {number}"), [start], list[Any]()
        while game.outcome(positions[-1]) is None:
            moves.append(choose(game, positions[-1], budget=_AT_PLAY, seed=dice.getrandbits(32), skill=skill).move)
            positions.append(game.play(positions[-1], moves[-1]))
        # The line of a puzzle has three moves at least.
        if puzzle := _earliest(skill, positions, moves, len(moves) - 3, dice):
            return puzzle
    return None


def discovered(skill: Skill, start: Any, record: Sequence[str], seed: int) -> Puzzle | None:
    """As `invented`, from a game that was played to its end or until somebody resigned. record: canonical notations."""
    game, dice, positions, moves = skill.game, Random(f"puzzle {seed}"), [start], list[Any]()
    for notation in record:
        moves.append(game.parse(positions[-1], notation))
        positions.append(game.play(positions[-1], moves[-1]))
    if game.outcome(positions[-1]) is not None:
        return _earliest(skill, positions, moves, len(moves) - 3, dice)
    # Before a resignation either side may have been winning.
    end = len(moves)
    return _earliest(skill, positions, moves, end, dice) or _earliest(skill, positions, moves, end - 1, dice)


def _earliest(skill: Skill, positions: Sequence[Any], moves: Sequence[Any], end: int, dice: Random) -> Puzzle | None:
    """The earliest puzzle among one side's positions, going back from `end` until a position is not a proved win."""
    puzzle, until = None, process_time() + _MOST_SECONDS
    for ply in range(end, -1, -2):
        judged = truth(skill, positions[ply], skill.game.to_move(positions[ply]), dice)
        # Further back the win was not there yet, or cannot be proved.
        if judged is None or not judged[0] or process_time() > until:
            break
        line = judged[1]
        # A win at once is no puzzle.
        if len(line) > 2 and is_only_win(skill, positions[ply], line[0], dice):
            puzzle = tuple(moves[:ply]), line
    return puzzle


def is_only_win(skill: Skill, pos: Any, best: Any, dice: Random) -> bool:
    """Whether it is proved that no move but the best wins, in a position with enough moves."""
    game, side = skill.game, skill.game.to_move(pos)
    moves = list(islice(game.moves(pos), WIDEST))
    # With few moves the answer can be guessed; with too many they are not all known.
    if not FEWEST_MOVES <= len(moves) < WIDEST:
        return False
    others = (truth(skill, game.play(pos, move), side, dice) for move in moves if move != best)
    return all(judged is not None and not judged[0] for judged in others)


def truth(skill: Skill, pos: Any, side: Side, dice: Random) -> tuple[bool, tuple[Any, ...]] | None:
    """Whether a side wins, and a line of best play; None if that is not proved."""
    game, sign = skill.game, side.sign
    if (outcome := game.outcome(pos)) is not None:
        return sign * value_of(outcome) == 1, ()
    if (solution := skill.solve(pos, Steps(_STEPS))) and solution.proved:
        return sign * solution.value == 1, solution.line
    # What such a skill proves holds in its own picture of the game only.
    if not skill.sure:
        return None
    search = Search(skill, pos, dice)
    search.run(_AT_PROOF)
    low, high = sorted((sign * search.root.low, sign * search.root.high))
    if low == 1 or high < 1:
        return low == 1, search.line()
    return None
