"""Luddit: a sample of the turns, and what stones are worth.

A player is stuck when the limit is reached without a stone of theirs and nothing is bound for them, so what counts is
one's own stones and the other's that can be taken up. Repeating a position wins nothing and gives the other side time:
it is judged as a loss of tempo, or robots would draw by it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from games.boards import bits
from games.luddit import Judge, Position
from games.luddit_pieces import Move, Turn, torus
from games.rules import Side
from pbm.bots.skill import Skill

FIRST_MOVES, SECOND_MOVES = 12, 4
"""How many are looked at, beside those that take the other's stones."""


class LudditSkill(Skill):
    """Takes what can be taken, places what can be placed, and looks a few turns ahead."""

    full = 1500
    explore = 0.05
    complete = False

    def moves(self, pos: Position, dice: Random) -> Sequence[Turn]:
        return list(dict.fromkeys(self._turns(pos.judge, dice)))

    def _turns(self, judge: Judge, dice: Random) -> Iterator[Turn]:
        for first in sample(judge, FIRST_MOVES, dice):
            yield (first,)
            for second in sample(judge.after(first), SECOND_MOVES, dice):
                if second.put != first.lift and second.lift != first.put:
                    yield first, second

    def evaluate(self, pos: Position) -> float:
        """Stones on the board, those that can be taken off counting less, the next of them for whoever is to move."""
        if pos.key in pos.earlier:
            return -0.4 if pos.mover is Side.SECOND else 0.4
        field, board = pos.field, torus(pos.options.size)
        bound = [cell for cell in bits(field.all) if board.is_bound(1 << cell, field.all)]
        at_risk = sum(1 if field.owner(cell) is Side.FIRST else -1 for cell in bound)
        material = field.first.bit_count() - field.second.bit_count()
        tempo = 1 if pos.mover is Side.FIRST else -1
        return 0.9 * (material - 0.4 * at_risk + 0.5 * tempo) / (1.5 * pos.options.limit)


def sample(judge: Judge, number: int, dice: Random) -> list[Move]:
    """Some moves: all that take a stone of the other side, and others at random.

    When the board is full, one's own stones that the other side could take up look for other places.
    """
    theirs = judge.field.of(judge.side.other)
    taking = [Move((cell,)) for cell in bits(theirs) if judge.may_take(1 << cell)]
    free = list(bits(judge.free))
    if judge.can_place:
        further = [Move(put=(cell,)) for cell in dice.sample(free, min(number, len(free)))]
    else:
        own = list(bits(judge.field.of(judge.side)))
        weak = [cell for cell in own if judge.board.is_bound(1 << cell, judge.field.all)] or own
        further = [Move((dice.choice(weak),), (dice.choice(free),)) for _ in range(number if weak and free else 0)]
    return [*taking[:number], *further] or list(islice(judge.placed_or_removed(), number))
