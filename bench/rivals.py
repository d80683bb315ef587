"""The players in the contests of bench.robots: robots of all levels, and those they are measured against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from math import log, sqrt
from random import Random
from time import process_time
from typing import Any

from games import AnyGame, luddit
from games.rules import any_move
from pbm.bots import LEVELS, Budget, Decision, Skill, choose, skill_of
from pbm.bots.skill import value_of

LISTED = 1000
"""At most this many moves of a position are looked at."""

PLAYED_OUT = 300
"""A playout that has not ended after this many plies counts as a draw."""


@dataclass(frozen=True)
class Player:
    """Makes the moves of one side.

    kind: "level", "random", "greedy", "skill" (the game's, whatever the level), "plain" (the robots' search by the
    rules alone) or "uct". seconds: processor time per move, for the last three. playouts: instead of it, for UCT.
    level: of a robot; share: of what it may look at. slip: instead of the level's, unless None.
    """

    kind: str
    level: int = 0
    seconds: float = 0.0
    playouts: int = 0
    share: float = 1.0
    slip: float | None = None

    @property
    def name(self) -> str:
        if self.playouts:
            return f"{self.kind} of {self.playouts:,} playouts"
        return f"level {self.level}" if self.kind == "level" else self.kind

    def choice(self, game: AnyGame, pos: Any, dice: Random) -> Decision:
        if self.kind in ("level", "skill", "plain"):
            skill = Skill(game) if self.kind == "plain" else skill_of(game.info.name)
            return choose(game, pos, budget=self.budget(skill), seed=dice.getrandbits(32), skill=skill)
        if self.kind == "uct":
            move = uct(game, pos, dice, self.seconds, self.playouts)
        elif self.kind == "greedy":
            move = greedy(game, pos, dice)
        else:
            move = dice.choice(list(islice(game.moves(pos), LISTED)))
        return Decision(move, 0.0, (move,), exact=False)

    def budget(self, skill: Skill) -> Budget:
        if self.kind != "level":
            return Budget(10**9, self.seconds, steps=round(100_000 * self.seconds) if self.kind == "skill" else 0)
        usual = LEVELS[self.level].budget(skill)
        visits, steps = max(2, round(usual.visits * self.share)), round(usual.steps * self.share)
        return Budget(visits, usual.seconds, steps, usual.slip if self.slip is None else self.slip)


def more_stones(pos: luddit.Position) -> float:
    """By how much of the limit of stones the first side has more on the board, from -1 to 1."""
    return (pos.field.first.bit_count() - pos.field.second.bit_count()) / pos.options.limit


GLANCES: dict[str, Callable[[Any], float]] = {"luddit": more_stones}
"""What beginners see in games whose robots judge by plans that no beginner has."""


def greedy(game: AnyGame, pos: Any, dice: Random) -> Any:
    """A beginner's move: a win in one, else what looks best at a glance, but nothing that loses at once."""
    side = game.to_move(pos)
    glance = GLANCES.get(game.info.name) or skill_of(game.info.name).evaluate

    def worth(move: Any) -> tuple[float, float]:
        after = game.play(pos, move)
        if (outcome := game.outcome(after)) is not None:
            return (9.0 if outcome.winner is side else -9.0 if outcome.winner else 0.0), dice.random()
        return side.sign * (glance(after) or 0.0), dice.random()

    return max(islice(game.moves(pos), LISTED), key=worth)


@dataclass(slots=True)
class Node:
    """A position in a UCT tree. total: the playouts' values for the side that moved here. untried: moves."""

    pos: Any
    sign: int
    untried: list[Any]
    kids: dict[Any, Node] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    def best(self) -> Node:
        reach = 2 * log(self.visits)
        return max(self.kids.values(), key=lambda kid: kid.total / kid.visits + sqrt(reach / kid.visits))


def uct(game: AnyGame, pos: Any, dice: Random, seconds: float, playouts: int = 0) -> Any:
    """The move that UCT visits most: UCB1, one node per playout, random games, no proofs and no knowledge."""

    def node(at: Any, sign: int) -> Node:
        moves = [] if game.outcome(at) is not None else list(islice(game.moves(at), LISTED))
        dice.shuffle(moves)
        return Node(at, sign, moves)

    def sign_of(at: Any) -> int:
        return game.to_move(at).sign

    root, end, played = node(pos, 0), process_time() + seconds, 0
    while played < playouts if playouts else process_time() < end or not root.kids:
        path = [root]
        while not path[-1].untried and path[-1].kids:
            path.append(path[-1].best())
        if (leaf := path[-1]).untried:
            move = leaf.untried.pop()
            leaf.kids[move] = node(game.play(leaf.pos, move), sign_of(leaf.pos))
            path.append(leaf.kids[move])
        value = played_out(game, path[-1].pos, dice)
        for each in path:
            each.visits += 1
            each.total += each.sign * value
        played += 1
    return max(root.kids, key=lambda move: root.kids[move].visits)


def played_out(game: AnyGame, pos: Any, dice: Random) -> float:
    """The value of a random game for the first side."""
    for _ in range(PLAYED_OUT):
        if (outcome := game.outcome(pos)) is not None:
            return value_of(outcome)
        pos = game.play(pos, any_move(game, pos, dice, LISTED))
    return 0.0
