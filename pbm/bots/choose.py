"""The choice of a move: which skill a game is played with, what the levels are, and how a choice is come by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
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
from pbm.bots.lines import FourSkill, GomokuSkill, YavalathSkill
from pbm.bots.loops import LoopsSkill
from pbm.bots.luddit import LudditSkill
from pbm.bots.polygon import PolygonSkill
from pbm.bots.search import Budget, Search
from pbm.bots.skill import Skill
from pbm.bots.sums import ClobberSkill, CrossGeoSkill
from pbm.bots.threats import HavannahSkill

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
"""The skills there are, by the name of their game; the plain one serves all others."""


PATIENCE = 40.0
"""Seconds by the clock after which no robot looks further: players have its answer within a minute."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well a robot plays."""

    number: int
    steps: int
    """See Budget, as for seconds."""
    seconds: float

    def budget(self, skill: Skill) -> Budget:
        share = skill.shares[self.number - 1]
        visits = max(round(skill.full * share), min(skill.full, skill.least * 3 ** (self.number - 1)))
        slip = skill.slips[self.number - 1] if self.number <= len(skill.slips) else 0.0
        return Budget(visits, self.seconds, self.steps, slip, PATIENCE)


LEVELS = {
    level.number: level
    for level in (
        Level(1, 0, 2.0),
        Level(2, 30, 3.0),
        Level(3, 300, 5.0),
        Level(4, 5_000, 8.0),
        Level(5, 500_000, 12.0),
    )
}


@dataclass(frozen=True, slots=True)
class Decision:
    """A move and the reasons for it."""

    move: Any
    value: float
    """What the position is worth to the player to move, from -1 for lost to 1 for won."""
    line: tuple[Any, ...]
    """The moves expected, the chosen one first."""
    exact: bool
    """The value is proved, not estimated."""


@cache
def skill_of(name: str) -> Skill:
    """The skill a registered game is played with."""
    for entry in entry_points(group="pbm.bots", name=name):
        found: type[Skill] = entry.load()
        return found(GAMES[name])
    return SKILLS.get(name, Skill)(GAMES[name])


def choose(game: AnyGame, pos: Any, budget: Budget, seed: int = 0, skill: Skill | None = None) -> Decision:
    """The move a robot makes; the same one for the same position, budget and seed, if visits bound it.

    skill: in place of the game's. Raises: ValueError when the game is over.
    """
    if game.outcome(pos) is not None:
        raise ValueError("There is nothing to choose: the game is over.")
    skill = skill or skill_of(game.info.name)
    sure = _surest(game, pos, skill, budget, seed)
    dice = Random(f"slip {seed}")
    if dice.random() < budget.slip and not (sure.exact and sure.value > 0 and len(sure.line) == 1):
        move = dice.choice(skill.careless(pos, dice))
        return Decision(move, sure.value, (move,), exact=False)
    return sure


def _surest(game: AnyGame, pos: Any, skill: Skill, budget: Budget, seed: int) -> Decision:
    """What solving finds, in half of the patience at most, or else the search in the time that is left."""
    sign, begun = 1 if game.to_move(pos) is Side.FIRST else -1, (process_time(), monotonic())
    steps = Steps(budget.steps, lambda: monotonic() - begun[1] > budget.patience / 2)
    if budget.steps and (solution := skill.solve(pos, steps)):
        return Decision(solution.line[0], sign * solution.value, solution.line, exact=solution.proved)
    search = Search(skill, pos, Random(seed))
    seconds, patience = budget.seconds - (process_time() - begun[0]), budget.patience - (monotonic() - begun[1])
    search.run(replace(budget, seconds=seconds, patience=patience))
    line = search.line() or (skill.moves(pos, Random(seed))[0],)
    return Decision(line[0], sign * search.root.value, line, search.root.proved and skill.sure)
