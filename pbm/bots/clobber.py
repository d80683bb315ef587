"""Clobber: the end exactly, as a sum of parts that have nothing to do with each other; random games before.

Stones that no chain joins to a stone of the other side are out of the game. The rest falls into parts, and what a part
is worth depends on its shape alone, wherever and however it lies. A part and the same one with the colours exchanged
come to nothing together (whatever one side does in one, the other does in the other), and so does a part in which
whoever begins loses. What is left over is looked up, or else every move in it is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from games.boards import bits
from games.clobber import Clobber
from games.moving import Path, Position
from games.rules import Side
from pbm.bots.glance import GlanceSkill
from pbm.bots.skill import Rollout, Solution
from pbm.bots.tail import TooFar

Stone = tuple[int, int, int]
Part = tuple[Stone, ...]
"""Stones that belong together: row, column and the side, 0 or 1, moved and turned to the first of its eight forms."""

Sum = tuple[Part, ...]
"""Parts, in order."""

WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))
SOLVED_FROM = 24
"""So many stones in play, and no more, make it worth a try to solve the rest."""

STEPS_A_SUM = 20
SMALL = 11
"""Of larger parts it is not asked first who wins them by themselves."""


@lru_cache(maxsize=200_000)
def _part(stones: frozenset[Stone]) -> Part:
    """The form of a part that stands for all eight."""
    forms = []
    for down in (1, -1):
        for right in (1, -1):
            turned = [(down * row, right * column, side) for row, column, side in stones]
            for form in (turned, [(column, row, side) for row, column, side in turned]):
                top, left = min(stone[0] for stone in form), min(stone[1] for stone in form)
                forms.append(tuple(sorted((row - top, column - left, side) for row, column, side in form)))
    return min(forms)


@lru_cache(maxsize=200_000)
def _exchanged(part: Part) -> Part:
    """The same part with the colours exchanged."""
    return _part(frozenset((row, column, 1 - side) for row, column, side in part))


def parts_of(sides: dict[tuple[int, int], int]) -> Iterator[Part]:
    """The parts that stones fall into, without those of one side alone. sides: of the stones, by row and column."""
    left = dict(sides)
    while left:
        fresh = [left.popitem()]
        found = set()
        while fresh:
            (row, column), side = fresh.pop()
            found.add((row, column, side))
            for down, right in WAYS:
                place = row + down, column + right
                if place in left:
                    fresh.append((place, left.pop(place)))
        if len({side for *_, side in found}) == 2:
            yield _part(frozenset(found))


@lru_cache(maxsize=200_000)
def _after(part: Part, side: int) -> tuple[Sum, ...]:
    """What a move of a side in a part may leave of it."""
    stones = {(row, column): owner for row, column, owner in part}
    found = set()
    for (row, column), owner in stones.items():
        if owner == side:
            for down, right in WAYS:
                place = row + down, column + right
                if stones.get(place) == 1 - side:
                    rest = {**stones, place: side}
                    del rest[row, column]
                    found.add(tuple(sorted(parts_of(rest))))
    return tuple(sorted(found, key=lambda parts: sum(len(part) ** 2 for part in parts)))


class Sums:
    """Who wins sums of parts. steps: sums that may be looked at."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._known: dict[tuple[Sum, int], bool] = {}

    def wins(self, parts: Sum, side: int) -> bool:
        """Whether the side to move does. Raises: TooFar."""
        return self._wins(self._reduced(parts), side)

    def _wins(self, parts: Sum, side: int) -> bool:
        if (known := self._known.get((parts, side))) is not None:
            return known
        self._steps -= 1
        if self._steps < 0:
            raise TooFar
        found = self._at_once(parts, side) if len(parts) > 1 and len(parts[-1]) <= SMALL else None
        if found is None:
            found = any(
                not self._wins(self._reduced((*parts[:at], *parts[at + 1 :], *rest)), 1 - side)
                for at, part in enumerate(parts)
                if not at or part != parts[at - 1]
                for rest in _after(part, side)
            )
        self._known[parts, side] = found
        return found

    def _at_once(self, parts: Sum, side: int) -> bool | None:
        """Whether the side to move wins a sum, where that follows from who wins its parts alone; else None.

        It wins if it wins one part by a move and no other can be won against it, and loses if it wins none.
        """
        exposed = [part for part in parts if self._wins((part,), 1 - side)]
        if len(exposed) < 2 and all(self._wins((part,), side) for part in exposed):
            return True
        return None if any(self._wins((part,), side) for part in parts) else False

    def _reduced(self, parts: Sum) -> Sum:
        """The same sum without what comes to nothing, the smallest parts first."""
        left: list[Part] = []
        for part in parts:
            if (opposite := _exchanged(part)) in left:
                left.remove(opposite)
            elif not self._is_nothing(part):
                left.append(part)
        return tuple(sorted(left, key=_by_size))

    def _is_nothing(self, part: Part) -> bool:
        """Whether whoever begins in a small part loses."""
        return len(part) <= SMALL and not self._wins((part,), 0) and not self._wins((part,), 1)


def _by_size(part: Part) -> tuple[int, Part]:
    return len(part), part


class ClobberSkill(GlanceSkill):
    """Random games, and the end by its parts. A beginner looks at the stones that can move."""

    full = 4000
    explore = 0.8
    slips = (0.91, 0.48, 0.24, 0.04)

    def balance(self, pos: Position) -> float:
        assert isinstance(self.game, Clobber)  # noqa: S101  this skill is for that game
        board = self.game.board(pos.options)
        first, second = pos.pieces
        return ((board.around(second) & first).bit_count() - (board.around(first) & second).bit_count()) / 6

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game; which stone moves is not quite as likely for each."""
        assert isinstance(self.game, Clobber)  # noqa: S101
        board, chance = self.game.board(pos.options), dice.random
        stride, area = board.stride, board.full.bit_length()
        own, others, value = pos.own, pos.others, -1.0 if pos.mover is Side.FIRST else 1.0
        while True:
            ways = [
                way
                for way in (
                    (1, own & others >> 1),
                    (stride, own & others >> stride),
                    (-1, own & others << 1),
                    (-stride, own & others << stride),
                )
                if way[1]
            ]
            if not ways:
                return Rollout(value)
            step, starts = ways[int(chance() * len(ways))]
            later = starts >> (skipped := int(chance() * area)) << skipped or starts
            start = later & -later
            end = start << step if step > 0 else start >> -step
            own, others = others ^ end, own ^ start | end
            value = -value

    def solve(self, pos: Position, steps: int) -> Solution | None:
        if sum(map(len, self._parts(pos))) > SOLVED_FROM:
            return None
        sums, line, side = Sums(steps // STEPS_A_SUM), list[Path](), pos.mover
        try:
            won = sums.wins(self._parts(pos), pos.mover - 1)
            while moves := list(self.game.moves(pos)):
                line.append(self._best(sums, pos, moves))
                pos = self.game.play(pos, line[-1])
        except TooFar:
            if not line:
                return None
        return Solution(1.0 if won is (side is Side.FIRST) else -1.0, tuple(line))

    def _parts(self, pos: Position) -> Sum:
        assert isinstance(self.game, Clobber)  # noqa: S101
        stride = self.game.board(pos.options).stride
        sides = {divmod(cell, stride): side for side, cells in enumerate(pos.pieces) for cell in bits(cells)}
        return tuple(parts_of(sides))

    def _winning(self, sums: Sums, pos: Position) -> int:
        """How many moves win. Raises: TooFar."""
        after = (self.game.play(pos, move) for move in self.game.moves(pos))
        return sum(not sums.wins(self._parts(each), each.mover - 1) for each in after)

    def _best(self, sums: Sums, pos: Position, moves: Sequence[Path]) -> Path:
        """A move that wins, or else the one that leaves the winner the fewest of them. Raises: TooFar."""
        after = {move: self.game.play(pos, move) for move in moves}
        for move, each in after.items():
            if not sums.wins(self._parts(each), each.mover - 1):
                return move
        try:
            return min(moves, key=lambda move: self._winning(sums, after[move]))
        except TooFar:
            return moves[0]
