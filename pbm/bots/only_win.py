"""Puzzles: positions with exactly one winning move, out of games that were played or that a robot plays with itself.

That the move wins and that no other one does is proved: by solving, or by a search that leaves nothing open.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random
from time import process_time
from typing import Any

from games.rules import Side
from games.steps import Steps
from pbm.bots.choose import choose
from pbm.bots.search import Budget, Search
from pbm.bots.skill import WIDEST, Skill, value_of

BOARDS: dict[str, tuple[str, ...]] = {
    "crossgeo": ("-board=random", "-edges=14"),
    "loops": ("-size=5",),
    "y": ("-size=5",),
    "four": (),
    "hex": ("-size=5",),
    "cross": ("-size=3",),
}
"""The games that puzzles are made of, the quickest first, and options of theirs with which much can be proved."""

SEEDED = frozenset({"crossgeo"})
"""Games whose board is drawn by a seed of its own, so that no game between people is played on it."""

FEWEST_MOVES = 4
"""A position with fewer moves is no puzzle."""

Found = tuple[tuple[Any, ...], tuple[Any, ...]]

_GAMES = 8
_PATIENCE = 30.0
"""Seconds of the processor after which a game is not looked into any further."""
_AT_PLAY = Budget(visits=60, seconds=1.0, slip=0.15)
_AT_PROOF = Budget(visits=1500, seconds=0.3)
_STEPS = 60_000


def options_of(game: str, seed: int) -> tuple[str, ...]:
    """What a puzzle's game is played with."""
    return (*BOARDS[game], *([f"-seed={seed}"] if game in SEEDED else []))


def invented(skill: Skill, start: Any, seed: int) -> Found | None:
    """The moves that lead to a puzzle, and its solution: the only winning move and how it may go on.

    None if no game that was tried holds one.
    """
    for number in range(_GAMES):
        dice = Random(f"puzzle {seed} {number}")
        positions, moves = played(skill, start, dice)
        if (found := _earliest(skill, positions, moves, len(moves) - 3, dice)) is not None:
            return found
    return None


def discovered(skill: Skill, start: Any, moves: Sequence[Any], seed: int) -> Found | None:
    """The same in a game that was played, to its end or until somebody gave up."""
    positions, dice = [start], Random(f"puzzle {seed}")
    for move in moves:
        positions.append(skill.game.play(positions[-1], move))
    over = skill.game.outcome(positions[-1]) is not None
    ends = (len(moves) - 3,) if over else (len(moves), len(moves) - 1)
    return next(filter(None, (_earliest(skill, positions, tuple(moves), end, dice) for end in ends)), None)


def _earliest(skill: Skill, positions: Sequence[Any], moves: tuple[Any, ...], end: int, dice: Random) -> Found | None:
    """Of a side's positions, from one back to the first that is not won for sure, the earliest that is a puzzle."""
    found, until = None, process_time() + _PATIENCE
    for ply in range(end, -1, -2):
        judged = truth(skill, positions[ply], skill.game.to_move(positions[ply]), dice)
        if judged is None or not judged[0] or process_time() > until:
            break
        line = judged[1]
        if len(line) > 2 and is_only_win(skill, positions[ply], line[0], dice):
            found = moves[:ply], line
    return found


def played(skill: Skill, start: Any, dice: Random) -> tuple[list[Any], tuple[Any, ...]]:
    """The positions and the moves of a game; the robot plays well enough, and errs now and then."""
    game, positions, moves = skill.game, [start], list[Any]()
    while game.outcome(positions[-1]) is None:
        moves.append(choose(game, positions[-1], budget=_AT_PLAY, seed=dice.getrandbits(32), skill=skill).move)
        positions.append(game.play(positions[-1], moves[-1]))
    return positions, tuple(moves)


def is_only_win(skill: Skill, pos: Any, best: Any, dice: Random) -> bool:
    """Whether it is proved of each move but the best that it does not win, and there are some."""
    game, side = skill.game, skill.game.to_move(pos)
    moves = list(islice(game.moves(pos), WIDEST))
    if not FEWEST_MOVES <= len(moves) < WIDEST:
        return False
    others = (truth(skill, game.play(pos, move), side, dice) for move in moves if move != best)
    return all(judged is not None and not judged[0] for judged in others)


def truth(skill: Skill, pos: Any, side: Side, dice: Random) -> tuple[bool, tuple[Any, ...]] | None:
    """Whether a side wins, and a line of best play; None where neither is proved."""
    game, sign = skill.game, 1 if side is Side.FIRST else -1
    if (outcome := game.outcome(pos)) is not None:
        return sign * value_of(outcome) == 1, ()
    if (solution := skill.solve(pos, Steps(_STEPS))) and solution.proved:
        return sign * solution.value == 1, solution.line
    if not skill.sure:
        return None
    search = Search(skill, pos, dice)
    search.run(_AT_PROOF)
    low, high = sorted((sign * search.root.low, sign * search.root.high))
    if low == 1 or high < 1:
        return low == 1, search.line()
    return None
