"""What a robot knows of one game beyond its rules. A game without a skill of its own is played with the plain one.

A skill names the moves worth a look, plays a position out at random, judges it, or solves it. Values are those of the
first side, from -1 for a sure loss to 1 for a sure win. Chance comes from the dice a caller hands in and from nowhere
else, so the same dice give the same answers on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from games import AnyGame
from games.rules import Outcome, Side, any_move
from games.steps import Steps

WIDEST = 1000
"""So many moves of a position are looked at; where there are more, nothing is proved by having tried all."""

Credit = Mapping[Any, tuple[float, float]]
"""How often a move was played, and the sum of the values of the games in which it was."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """How a position was played out."""

    value: float
    credit: tuple[Credit, Credit] = field(default=({}, {}))
    """What the moves of the first and of the second side had to do with it."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact value of a position, and a line of best play from it."""

    value: float
    line: tuple[Any, ...]
    proved: bool = True
    """Otherwise the line is what a proof that was not finished speaks for, and the value is that of a draw."""


def value_of(outcome: Outcome) -> float:
    """What an end is worth to the first side."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner is Side.FIRST else -1.0


class Skill:
    """The plain skill: every legal move, playouts by the rules, nothing solved. Others are made from it.

    full: positions looked at by a robot of the highest level. shares: of these, by each level from 1 to 5. explore: how
    much a search distrusts what it has seen less of. rave: how many visits of a move its share in other moves' playouts
    outweighs; 0 leaves that out. ordered: moves() tells the best first; else chance decides which is tried first.
    complete: moves() leaves out nothing that could save a lost position. plies: after so many a playout is judged.
    games_a_rollout: how many random games a rollout stands for. least: positions looked at by the lowest level; each
    further one looks at three times as many at least. slips: how often the levels from 1 to 4 move without a thought,
    found by measuring: the lowest is to win half of its games against whoever takes what looks best at a glance, each
    other one two of three to nine of ten against the one below.
    """

    full = 1000
    shares: tuple[float, ...] = (1 / 200, 1 / 50, 1 / 14, 1 / 4, 1)
    explore = 0.7
    rave = 0.0
    ordered = False
    complete = True
    plies = 300
    games_a_rollout = 1
    least = 2
    slips = (0.8, 0.44, 0.2, 0.04)

    sure = True
    """What the game as it is played in a search proves is true by the rules."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.played: Any = game
        """The game as it is played in a search, from a position of the rules on; its moves are theirs."""

    def moves(self, pos: Any, dice: Random) -> Sequence[Any]:
        """The moves worth a look, not empty while the game goes on."""
        return list(islice(self.game.moves(pos), WIDEST))

    careless = moves
    """What somebody may play who does not think."""

    def foreseen(self, pos: Any) -> Solution | None:
        """The truth about a position that is not over, where it can be seen at once; asked of each that is visited."""
        return None

    def evaluate(self, pos: Any) -> float | None:
        """What a position is worth, whoever is to move, at a glance; None when a glance does not tell."""
        return None

    def rollout(self, pos: Any, dice: Random) -> Rollout:
        """A judgement of a position that is not over: at a glance, or else by a random game."""
        glance = self.evaluate(pos)
        return self.random_game(pos, dice) if glance is None else Rollout(glance)

    def random_game(self, pos: Any, dice: Random) -> Rollout:
        """A game to its end or for as many plies as there may be."""
        game = self.played
        for _ in range(self.plies):
            pos = game.play(pos, any_move(game, pos, dice, WIDEST))
            if (outcome := game.outcome(pos)) is not None:
                return Rollout(value_of(outcome))
        return Rollout(self.evaluate(pos) or 0.0)

    def solve(self, pos: Any, steps: Steps) -> Solution | None:
        """The truth about a position; where it would take more steps than these what is likely best, or None."""
        return None
