"""CrossGeo and Clobber, solved as sums of independent parts; random games before that.

The value of a small part, in the sense of Conway, is computed once (games/crossgeo_solver.py). In Clobber, stones whose
chain touches no stone of the other side are out of the game. The small parts of the rest have one value together,
wherever they lie, so most continuations are already in a table. In large parts every move is tried, those that leave
the fewest moves first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from sys import maxsize
from typing import Any

from games.boards import Cells, Squares, bits
from games.clobber import Clobber
from games.crossgeo import PICKS, Options, Position, graph
from games.crossgeo_boards import Edges
from games.crossgeo_solver import ZERO, Forms, Solver, Value
from games.moving import Path
from games.moving import Position as Moved
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.glance import GlanceSkill
from pbm.bots.skill import At, Rollout, Skill, Solution


def best_play(
    at: At, side: Side, kids: Callable[[At], Sequence[tuple[Any, At]]], wins: Callable[[At], bool]
) -> Solution | None:
    """The exact solution of a position that is not over, with best play as far as the steps allow; None if they do not
    suffice for one move.

    side: the one to move. kids: returns the moves of a position, each with the position after it. wins: whether the
    side to move wins a position; raises OutOfSteps.
    """
    line: list[Any] = []
    try:
        won = wins(at)
        while following := kids(at):
            move, at = _best(following, kids, wins)
            line.append(move)
    except OutOfSteps:
        if not line:
            return None
    return Solution(float((side if won else side.other).sign), tuple(line))


def _best(
    following: Sequence[tuple[Any, At]], kids: Callable[[At], Sequence[tuple[Any, At]]], wins: Callable[[At], bool]
) -> tuple[Any, At]:
    """A winning move, otherwise the one that leaves the winner the fewest winning moves. Raises: OutOfSteps."""
    for move, kid in following:
        if not wins(kid):
            return move, kid
    try:
        return min(following, key=lambda item: sum(not wins(reply) for _, reply in kids(item[1])))
    except OutOfSteps:
        return following[0]


@lru_cache(maxsize=256)
def survivors(options: Options) -> tuple[Edges, ...]:
    """For each edge, the set of edges that picking it does not remove."""
    return tuple(~(1 << edge | crossing) for edge, crossing in enumerate(graph(options).crossings))


class CrossGeoSkill(Skill):
    """Solves boards by the values of their components (games/crossgeo_solver.py)."""

    full = 10_000
    slips = (0.98, 0.72, 0.4, 0.14)

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game: both sides go through the edges in one random order, and skip those they may not pick."""
        board, standing, side = graph(pos.options), pos.standing, pos.side
        chance, colours, leaves = dice.random, board.colours, survivors(pos.options)
        order = sorted(bits(standing), key=lambda _: chance())
        queues = {side: iter([edge for edge in order if colours[edge] in PICKS[side]]) for side in Side}
        while True:
            for edge in queues[side]:
                if standing >> edge & 1:
                    standing &= leaves[edge]
                    break
            else:
                return Rollout(float(side.other.sign))
            side = side.other

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        board, leaves = graph(pos.options), survivors(pos.options)
        solver = Solver(board, steps)

        def kids(at: tuple[Edges, Side]) -> list[tuple[int, tuple[Edges, Side]]]:
            standing, side = at
            picks = bits(standing & board.of_colours(PICKS[side]))
            return [(edge, (standing & leaves[edge], side.other)) for edge in picks]

        return best_play((pos.standing, pos.side), pos.side, kids, lambda at: solver.wins(*at))


SOLVED_FROM = 25
"""With at most this many stones in play, solving is tried."""

SMALL = 6
"""The most stones of a part whose value is computed."""

PLAYED_TO = 10  # from there its exact result is found quickly
"""A random game ends with at most this many stones in play."""

MOST_KNOWN = 500_000
"""How many sums are cached."""

STEPS_A_SUM = 4

Stones = tuple[Cells, Cells]
"""The stones of the first and of the second side."""

Sum = tuple[Cells, Cells, Value]
"""The stones of both sides in large parts, and the value of all small parts together."""


class Sums:
    """The winner of each position on a board. steps: sums it may visit."""

    def __init__(self, board: Squares, steps: Steps) -> None:
        self._board, self._steps, self._forms = board, steps, Forms(Steps(maxsize))
        self._worths: dict[Stones, Value] = {}
        self._won: dict[tuple[Sum, int], bool] = {}

    def wins(self, pieces: Stones, side: Side) -> bool:
        """Whether the side to move wins. Raises: OutOfSteps."""
        return self._wins(self._parted(*pieces), side - 1)

    def _wins(self, left: Sum, side: int) -> bool:
        """side: 0 or 1."""
        if (won := self._won.get((left, side))) is not None:
            return won
        self._steps.take()
        first, _, worth = left
        if first:
            won = self._tried(left, side)
        else:
            won = not (self._forms.at_most(ZERO, worth) if side else self._forms.at_most(worth, ZERO))
        if len(self._won) > MOST_KNOWN:
            self._won.clear()
        self._won[left, side] = won
        return won

    def _tried(self, left: Sum, side: int) -> bool:
        """Whether any move wins; known results are checked before others are computed."""
        first, second, worth = left
        after = {self._parted(*pieces, worth) for pieces in self._after(first, second, side)}
        after |= {(first, second, option) for option in self._forms.options(worth)[side]}
        if any(self._won.get((kid, 1 - side)) is False for kid in after):
            return True
        fresh = sorted((kid for kid in after if (kid, 1 - side) not in self._won), key=self._moves)
        return any(not self._wins(kid, 1 - side) for kid in fresh)

    def _moves(self, left: Sum) -> int:
        """The number of moves in large parts, which is the same for both sides."""
        return sum(starts.bit_count() for _, starts in _ways(self._board.stride, *left[:2]))

    def _parted(self, first: Cells, second: Cells, worth: Value = ZERO) -> Sum:
        """The sum of these stones, with their small parts added to worth."""
        board, large = self._board, 0
        live = board.grow(second) & first
        while live:
            part = board.chain(live & -live, first | second)
            live &= ~part
            if part.bit_count() > SMALL:
                large |= part
            else:
                worth = self._forms.sum(worth, self._worth(first & part, second & part))
        return first & large, second & large, worth

    def _worth(self, first: Cells, second: Cells) -> Value:
        """The value of a small part, wherever it lies."""
        cells = first | second
        corner = (cells & -cells).bit_length() - 1
        part = first >> corner, second >> corner
        if part not in self._worths:
            left, right = ({self._parted(*pieces)[2] for pieces in self._after(*part, side)} for side in (0, 1))
            self._worths[part] = self._forms.of(left, right)
        return self._worths[part]

    def _after(self, first: Cells, second: Cells, side: int) -> Iterator[Stones]:
        """The stones after each move of a side."""
        own, others = (second, first) if side else (first, second)
        for way, starts in _ways(self._board.stride, own, others):
            for cell in bits(starts):
                end = 1 << cell + way
                moved, rest = own ^ 1 << cell | end, others ^ end
                yield (rest, moved) if side else (moved, rest)


def _ways(stride: int, own: Cells, others: Cells) -> Sequence[tuple[int, Cells]]:
    """The index steps of a side's moves, each with the stones that can move so."""
    return (
        (1, own & others >> 1),
        (stride, own & others >> stride),
        (-1, own & others << 1),
        (-stride, own & others << stride),
    )


@lru_cache(maxsize=1)  # the same ends of random games come again and again
def _ends(board: Squares) -> Sums:
    return Sums(board, Steps(maxsize))


class ClobberSkill(GlanceSkill):
    """Plays random games, and solves the end by its parts. A beginner counts the stones that can move."""

    game: Clobber
    full = 4000
    explore = 0.8
    slips = (0.91, 0.48, 0.24, 0.05)

    def balance(self, pos: Moved) -> float:
        board = self.game.board(pos.options)
        first, second = pos.pieces
        return ((board.around(second) & first).bit_count() - (board.around(first) & second).bit_count()) / 6

    def rollout(self, pos: Moved, dice: Random) -> Rollout:
        """A random game up to where its result is computed exactly; moves are not quite equally likely."""
        board, chance = self.game.board(pos.options), dice.random
        stride, area = board.stride, board.full.bit_length()
        own, others, side = pos.own, pos.others, pos.mover
        while True:
            if (board.grow(own) & others | board.grow(others) & own).bit_count() <= PLAYED_TO:
                won = _ends(board).wins((own, others) if side is Side.FIRST else (others, own), side)
                return Rollout(float((side if won else side.other).sign))
            ways = [(step, starts) for step, starts in _ways(stride, own, others) if starts]
            step, starts = ways[int(chance() * len(ways))]
            # The first from a random place on, which takes less time than a list of all.
            later = starts >> (skipped := int(chance() * area)) << skipped or starts
            start = later & -later
            end = start << step if step > 0 else start >> -step
            own, others, side = others ^ end, own ^ start | end, side.other

    def solve(self, pos: Moved, steps: Steps) -> Solution | None:
        board = self.game.board(pos.options)
        first, second = pos.pieces
        if (board.grow(first) & second | board.grow(second) & first).bit_count() > SOLVED_FROM:
            return None
        sums = Sums(board, steps.of(STEPS_A_SUM))

        def kids(at: Moved) -> list[tuple[Path, Moved]]:
            return [(move, self.game.play(at, move)) for move in self.game.moves(at)]

        return best_play(pos, pos.mover, kids, lambda at: sums.wins(at.pieces, at.mover))
