"""Luddit: a plan of the board, the turns that serve it, and a sample of others.

A player is stuck when the limit is reached without a stone of theirs and nothing is bound for them. So whoever wants to
win fills the board with as many of their stones as there may be, none of them bound, and with none of the other's. Few
ways lead there: 18 stones fit on 9 by 9 only if each three rows hold six of them. A plan is such a way: rings around
the torus, three lines apart, in each of which two intersections of three have a stone. A ring also binds all that comes
near it, so that it can be taken off; only within its own line a stone of the other side is safe.

Repeating a position wins nothing and gives the other side time: it is judged as a loss of tempo, or robots would draw
by it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from itertools import islice
from math import tanh
from operator import or_
from random import Random
from typing import NamedTuple

from games.boards import Cells, bits, union
from games.luddit import Judge, Options, Position
from games.luddit_pieces import Move, Turn, torus
from games.rules import Side
from pbm.bots.skill import Skill

FIRST_MOVES, SECOND_MOVES = 5, 3
"""How many of each kind are looked at: what takes, what fills the plan, what binds, and others by chance."""

APART = 3
"""Lines from ring to ring: the next that is out of range."""

REMEMBERED = 20_000
"""Of the latest positions it is remembered what was found in them."""


class Lanes(NamedTuple):
    """Lines side by side that rings may fill, and the rings of each, which differ by where they begin."""

    within: Cells
    rings: tuple[tuple[Cells, ...], ...]


class Plan(NamedTuple):
    """Where a player wants their stones, and about how many moves it takes to have them there and no others."""

    cells: Cells
    left: int


@cache
def ways(size: int, stones: int) -> tuple[Lanes, ...]:
    """All that have room for so many stones."""
    starts = range(APART if size % APART == 0 else size)
    ring = [index * 3 // 2 for index in range(2 * size // 3)]
    found = []
    for across, along in ((size, 1), (1, size)):
        for first in starts:
            lines = [(first + APART * number) % size * across for number in range(size // APART)]
            rings = (
                tuple(union(line + (at + start) % size * along for at in ring) for start in starts) for line in lines
            )
            within = union(line + at * along for line in lines for at in range(size))
            found.append(Lanes(within, tuple(rings)))
    return tuple(found) if len(ring) * (size // APART) >= stones else ()


@lru_cache(REMEMBERED)
def bound(size: int, stones: Cells) -> Cells:
    """The stones that anybody may take up."""
    board = torus(size)
    return union(cell for cell in bits(stones) if board.is_bound(1 << cell, stones))


@lru_cache(REMEMBERED)
def plan(options: Options, own: Cells, other: Cells) -> Plan | None:
    """The plan that is nearest to what a player has; None where nobody can fill the board so.

    A stone of the other side within a line of the plan counts twice, for it must be bound before it is taken.
    """
    plans = []
    for way in ways(options.size, options.limit) if options.limit <= options.stones else ():
        cells = reduce(or_, (max(rings, key=lambda ring: (own & ring).bit_count()) for rings in way.rings))
        missing = max(0, options.limit - (cells & own).bit_count())
        plans.append(Plan(cells, missing + other.bit_count() + (other & way.within).bit_count()))
    return min(plans, key=lambda each: each.left, default=None)


class LudditSkill(Skill):
    """Takes what can be taken, fills its plan, and looks a few turns ahead."""

    full = 3000
    explore = 0.05
    complete = False
    ordered = True

    def moves(self, pos: Position, dice: Random) -> Sequence[Turn]:
        """Those that bring an earlier position back come first, so that a draw is seen soon."""
        turns = list(self._turns(pos.judge, dice))
        dice.shuffle(turns)
        return list(dict.fromkeys((*returns(pos), *turns)))

    def _turns(self, judge: Judge, dice: Random) -> Iterator[Turn]:
        for first in (*sample(judge, FIRST_MOVES, dice), *binders(judge, FIRST_MOVES, dice)):
            yield (first,)
            for second in sample(judge.after(first), SECOND_MOVES, dice):
                if second.put != first.lift and second.lift != first.put:
                    yield first, second

    def evaluate(self, pos: Position) -> float:
        """How near the players are to their plans, what each can lose, and what can be done at once."""
        if pos.key in pos.earlier:
            return -0.4 if pos.mover is Side.SECOND else 0.4
        own, other, options = pos.field.of(pos.mover), pos.field.of(pos.mover.other), pos.options
        loose = bound(options.size, own | other)
        taken, at_risk, room = (
            (other & loose).bit_count(),
            (own & loose).bit_count(),
            options.limit - (own | other).bit_count(),
        )
        worth = own.bit_count() - other.bit_count() + 1.5 * min(2, taken + room) + 0.3 * taken - 0.5 * at_risk
        ours, theirs = plan(options, own, other), plan(options, other, own)
        if ours and theirs:
            worth += theirs.left - ours.left
        return (1 if pos.mover is Side.FIRST else -1) * 0.9 * tanh(worth / 18)


def sample(judge: Judge, number: int, dice: Random) -> list[Move]:
    """Some moves: what takes stones of the other side, what fills the plan, and others by chance.

    When the board is full, stones that the plan has no use for, or that the other side could take up, go elsewhere.
    """
    own, theirs = judge.field.of(judge.side), judge.field.of(judge.side.other)
    loose = bound(judge.options.size, judge.field.all)
    taking = [Move((cell,)) for cell in some(theirs & loose, number, dice)]
    ours = plan(judge.options, own, theirs)
    holes = some(judge.free & ours.cells, number, dice) if ours else []
    ends = list(dict.fromkeys((*holes, *some(judge.free, number, dice))))
    if judge.can_place:
        return [*taking, *(Move(put=(cell,)) for cell in ends)]
    astray = list(bits(own & ~ours.cells if ours else 0)) or list(bits(own & loose)) or list(bits(own))
    further = [Move((dice.choice(astray),), (cell,)) for cell in ends if astray]
    return [*taking, *further] or list(islice(judge.placed_or_removed(), number))


def binders(judge: Judge, number: int, dice: Random) -> list[Move]:
    """Moves after which a stone of the other side can be taken, where none can be yet."""
    own, theirs = judge.field.of(judge.side), judge.field.of(judge.side.other)
    if theirs & bound(judge.options.size, judge.field.all):
        return []
    found: list[Move] = []
    for target in some(theirs, 2, dice):
        for cell in some(judge.board.beside[target] & judge.free, 12, dice):
            lifted = [()] if judge.can_place else [(start,) for start in some(own, 3, dice)]
            moves = (Move(lift, (cell,)) for lift in lifted)
            found += (move for move in moves if judge.after(move).may_take(1 << target))
    return found[:number]


def returns(pos: Position) -> Iterator[Turn]:
    """Turns that bring an earlier position back by taking stones off and placing others."""
    size, mover = pos.options.size, pos.mover
    for key in dict.fromkeys(pos.earlier):
        if key & 1 == mover.other - 1:
            first, second = key >> 1 >> size**2, key >> 1 & (1 << size**2) - 1
            off = pos.field.first & ~first | pos.field.second & ~second
            on = {Side.FIRST: first & ~pos.field.first, Side.SECOND: second & ~pos.field.second}
            turn = (*(Move((cell,)) for cell in bits(off)), *(Move(put=(cell,)) for cell in bits(on[mover])))
            if not on[mover.other] and 0 < len(turn) <= 2 and _is_legal(pos.judge, turn):
                yield turn


def _is_legal(judge: Judge, turn: Turn) -> bool:
    for move in turn:
        if judge.refusal(move):
            return False
        judge = judge.after(move)
    return True


def some(cells: Cells, number: int, dice: Random) -> list[int]:
    there = list(bits(cells))
    return dice.sample(there, min(number, len(there)))
