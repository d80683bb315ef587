"""Luddit: a plan for the board, loops that are taken at once, and turns judged by both of their moves.

A player is stuck if the limit is reached without a stone of theirs, and nothing is bound for them. So to win, a player
fills the board with as many of their own stones as allowed, none of them bound, and none of the other's. Few layouts do
that: 18 stones fit on 9 by 9 only if every three rows hold six of them. A plan is such a layout: rings around the
torus, three lines apart, with stones on two of every three intersections. A ring also binds any stone close to it,
which can then be taken off; a stone of the other side is safe only within the ring's own line.

A turn has two moves, and as long as both sides have room to place or something to take, neither gets ahead. Two things
change that. Several stones that form a loop can be lost to one move. And when the board is full and nothing is bound,
because every stone of both sides is where the plan wants one, a side has to give way; stones of the other side are
therefore not only taken off, but also moved into holes of the plan.

A player who considers every turn cannot be forced to lose: in a hole of a plan a stone of the other side is as safe as
one's own, and anywhere else a stone that can be taken takes one itself. So a siege follows what looks best at once; a
search that expects the best defence would never dare.

Repeating a position wins nothing and gives the other side time. It counts as a loss of tempo; otherwise robots would
draw by it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from itertools import chain, combinations, islice, permutations
from math import tanh
from operator import or_
from random import Random
from typing import NamedTuple

from games.boards import Cells, bits, union
from games.luddit import Judge, Options, Position
from games.luddit_pieces import Move, Turn, torus
from games.rules import Side
from pbm.bots.skill import Skill

FIRST_MOVES, SECOND_MOVES = 4, 3
"""How many moves of each kind are tried: takes, fills of the plan, approaches to stones of the other side."""

KEPT = 16
"""How many turns of a position, the best at a glance, are searched."""

AT_ONCE, LATER, STUCK = 1.5, 0.5, 3.0
"""The value of a stone gained by this turn, and by the other side's next; the loss of having to give way."""

PLANNED, ASTRAY = 0.7, 0.7
"""The value of a stone where the plan wants one, and the loss of one elsewhere, when the plan is complete."""

WIDEST_LOOP = 12
"""Smaller loops are looked for in groups of at most this many stones."""

APART = 3  # a ring binds nothing in the next one
"""Lines from ring to ring."""

REMEMBERED = 20_000
"""How many positions each cache holds."""


Lanes = Sequence[Sequence[Cells]]
"""The rings of each of some parallel lines, which differ by their start."""


class Plan(NamedTuple):
    """Where a player wants their stones, and the value of the progress made."""

    cells: Cells
    worth: float


@cache
def ways(size: int, stones: int) -> Sequence[Lanes]:
    """All lanes with room for this many stones."""
    # Where rings fit exactly, a shift by their distance gives the same lanes again.
    starts = range(APART if size % APART == 0 else size)
    ring = [index * 3 // 2 for index in range(2 * size // 3)]
    lanes = []
    for across, along in ((size, 1), (1, size)):
        for first in starts:
            lines = [(first + APART * number) % size * across for number in range(size // APART)]
            lanes.append(
                [[union(line + (at + start) % size * along for at in ring) for start in starts] for line in lines]
            )
    return lanes if len(ring) * (size // APART) >= stones else ()


@lru_cache(REMEMBERED)
def bound(size: int, stones: Cells) -> Cells:
    """The stones that are bound, so that either player may take them up."""
    board = torus(size)
    loops = (group.stones for group in board.groups(stones, stones) if group.is_loop)
    return union(cell for loop in loops for cell in bits(loop) if board.is_bound(1 << cell, loop))


@lru_cache(REMEMBERED)
def haul(size: int, own: Cells, other: Cells) -> Cells:
    """The largest loop of the other side's stones that can be taken at once; up to two of its group help bind it."""
    board, stones, best = torus(size), own | other, 0
    for group in board.groups(other, other):
        count = group.stones.bit_count() if group.is_loop else 0
        helpers = [1 << cell for cell in bits(group.stones)] if count <= WIDEST_LOOP else []
        for left in chain((0,), helpers, (one | two for one, two in combinations(helpers, 2))):
            loop = group.stones & ~left
            # Those that leave out more are smaller still.
            if count - left.bit_count() <= max(2, best.bit_count()):
                break
            if board.is_piece(loop) and board.is_bound(loop, stones):
                best = loop
                break
    return best


@lru_cache(REMEMBERED)
def plan(options: Options, own: Cells, other: Cells) -> Plan | None:
    """The plan closest to a player's stones; None if the board cannot be filled like that."""
    plans = []
    # With more room than stones nobody can fill the board.
    for lanes in ways(options.size, options.limit) if options.limit <= options.stones else ():
        cells = reduce(or_, (max(rings, key=lambda ring: (own & ring).bit_count()) for rings in lanes))
        done, astray = (cells & own).bit_count(), ((own | other) & ~cells).bit_count()
        plans.append(Plan(cells, done / options.limit * (PLANNED * done - ASTRAY * astray)))
    return max(plans, key=lambda plan: plan.worth, default=None)


class LudditSkill(Skill):
    """Judges turns by what they gain and leave, and searches the best of them a few turns ahead."""

    full = 500
    slips = (0.27, 0.18, 0.11, 0.04)
    explore = 0.05
    complete = False
    ordered = True

    def moves(self, pos: Position, dice: Random) -> Sequence[Turn]:
        """The best turns at a glance, only one in a siege; for the weaker side, first those that may lead to a draw."""
        judge = pos.judge
        leading = {after(judge, turn): turn for turn in turns(judge, dice)}
        best = [leading[then] for then in sorted(leading, key=standing)]
        if standing(judge) < 0:
            return list(dict.fromkeys((*returns(pos), *best[:KEPT])))
        # To repeat a position wins nothing, and gives the other side time.
        fresh = [turn for turn in best if not self._leads_back(pos, turn)] or best
        own, others = judge.field.of(judge.side), judge.field.of(judge.side.other)
        # So far ahead, it tries to lock up the other side's stones.
        besieges = 2 * (own.bit_count() - others.bit_count()) >= judge.options.limit
        return fresh[: 1 if besieges else KEPT]

    def _leads_back(self, pos: Position, turn: Turn) -> bool:
        """Whether the turn repeats a position, or lets the other side bring this one back for the third time."""
        then = self.game.play(pos, turn)
        if then.key in pos.earlier:
            return True
        return pos.times > 1 and any(self.game.play(then, back).key == pos.key for back in returns(then))

    def evaluate(self, pos: Position) -> float:
        if pos.key in pos.earlier:
            return 0.4 * pos.mover.sign
        return pos.mover.sign * 0.9 * tanh(standing(pos.judge) / 18)


def after(judge: Judge, turn: Turn) -> Judge:
    """The state for the other side after a turn."""
    return reduce(Judge.after, turn, judge)._replace(side=judge.side.other)


def standing(judge: Judge) -> float:
    """The advantage of the side to move, in stones: those on the board, to be gained, and where the plans want them."""
    own, other, options = judge.field.of(judge.side), judge.field.of(judge.side.other), judge.options
    room = options.limit - (own | other).bit_count()
    gained = gain(options.size, own, other, room)
    worth = own.bit_count() - other.bit_count() + (AT_ONCE * gained if gained else -STUCK)
    worth -= LATER * gain(options.size, other, own, room)
    ours, theirs = plan(options, own, other), plan(options, other, own)
    return worth + ours.worth - theirs.worth if ours and theirs else worth


def gain(size: int, own: Cells, other: Cells, room: int) -> int:
    """How many stones a side gets ahead in one turn of two moves, each of which places a stone or takes bound ones."""
    caught = haul(size, own, other)
    singles = (other & bound(size, own | other) & ~caught).bit_count()
    return caught.bit_count() + min(1 if caught else 2, singles + room)


def turns(judge: Judge, dice: Random) -> Iterator[Turn]:
    """Turns to consider, of one move, or of two that do not undo each other."""
    for first in single(judge, FIRST_MOVES, dice):
        yield (first,)
        for second in single(judge.after(first), SECOND_MOVES, dice):
            if not (set(first.put) & set(second.lift) or set(first.lift) & set(second.put)):
                yield first, second


def single(judge: Judge, number: int, dice: Random) -> list[Move]:
    """Moves to consider: those that take the other side's stones or lock them up, fill the plan, or come close."""
    own, theirs = judge.field.of(judge.side), judge.field.of(judge.side.other)
    loose = bound(judge.options.size, judge.field.all)
    taking = [Move((cell,)) for cell in some(theirs & loose, number, dice)]
    # A whole loop gains most.
    if caught := haul(judge.options.size, own, theirs):
        taking.insert(0, Move(tuple(bits(caught))))
    ours = plan(judge.options, own, theirs)
    holes = some(judge.free & ours.cells, number, dice) if ours else []
    near = some(judge.board.reach(theirs) & judge.free, number, dice)
    ends = list(dict.fromkeys((*holes, *near, *some(judge.free, 2, dice))))
    locking = [Move((cell,), (dice.choice(holes),)) for cell in some(theirs & loose, number, dice) if holes]
    if judge.can_place:
        return [*taking, *locking, *(Move(put=(cell,)) for cell in ends)]
    astray = _astray(own, loose, ours)
    further = [Move((dice.choice(astray),), (cell,)) for cell in ends if astray]
    return [*taking, *further, *locking] or list(islice(judge.placed_or_removed(), number))


def _astray(own: Cells, loose: Cells, ours: Plan | None) -> list[int]:
    """The stones to move on a full board: those that the plan does not need, or that the other side could take up."""
    return list(bits((ours and own & ~ours.cells) or own & loose or own))


def returns(pos: Position) -> Iterator[Turn]:
    """Turns that restore an earlier position by taking stones off and placing others, in either order."""
    size, mover = pos.options.size, pos.mover
    for key in dict.fromkeys(pos.earlier):
        if key & 1 == mover.other - 1:
            first, second = key >> 1 >> size**2, key >> 1 & (1 << size**2) - 1
            off = pos.field.first & ~first | pos.field.second & ~second
            on = {Side.FIRST: first & ~pos.field.first, Side.SECOND: second & ~pos.field.second}
            steps = (*(Move((cell,)) for cell in bits(off)), *(Move(put=(cell,)) for cell in bits(on[mover])))
            # A turn has at most two moves, and cannot place the other side's stones.
            if not on[mover.other] and 0 < len(steps) <= 2:
                yield from islice((turn for turn in permutations(steps) if _is_legal(pos.judge, turn)), 1)


def _is_legal(judge: Judge, turn: Turn) -> bool:
    for move in turn:
        if judge.refusal(move):
            return False
        judge = judge.after(move)
    return True


def some(cells: Cells, number: int, dice: Random) -> list[int]:
    indices = list(bits(cells))
    return dice.sample(indices, min(number, len(indices)))
