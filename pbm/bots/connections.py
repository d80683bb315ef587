"""Connection games on hexagons: many random endings at once, wins in one, forced answers.

Cross, Hex and Y differ in the edges that a chain must join. A side that can join them with one stone does; a side whose
opponent could puts a stone there. All other cells are dealt out at random, except bridges: a side gets at least one of
two free cells if either would connect its stone to another one, or to an edge.

Every cell ends up with one side or the other, so the order of moves does not matter: a playout is a board whose free
cells are given away at random. Boards lie side by side in one long integer, each with a spare row, so that one shift
moves all of them, and one flood fill joins the chains of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import pairwise
from random import Random

from games.boards import Cells, Hexes, bits
from games.placing import Placing, Position
from games.rules import Side
from games.steps import Steps
from pbm.bots.skill import Credit, Rollout, Skill, Solution, Stones

Boards = int
"""The cells of all boards; or a set of boards, as the lowest bit of each."""

COPIES = 64
"""How many boards lie side by side."""


class Fills:
    """Random endings on one board."""

    def __init__(self, board: Hexes) -> None:
        self._field = board.full.bit_length() + max(board.steps) + 2
        self._steps = board.steps
        self._lowest: Boards = sum(1 << copy * self._field for copy in range(COPIES))
        self._top = self._field - 1
        self._below_top = self._lowest * ((1 << self._top) - 1)

    def of(self, cells: Cells) -> Boards:
        """The same cells on every board."""
        return cells * self._lowest

    def dealt(self, first: Cells, second: Cells, free: Cells, dice: Random) -> tuple[Boards, Boards]:
        """Boards with each free cell given to one of the sides at random."""
        chance = dice.getrandbits(self._field * COPIES)
        everywhere = free * self._lowest
        mine = chance & everywhere
        return mine | first * self._lowest, everywhere ^ mine | second * self._lowest

    def kept(self, mine: Boards, theirs: Boards, pairs: Sequence[tuple[int, int]]) -> tuple[Boards, Boards]:
        """The boards, changed so that the first side gets one cell of each pair that the second side has both of."""
        for one, other in pairs:
            both = theirs >> one & theirs >> other & self._lowest
            mine |= both << one
            theirs ^= both << one
        return mine, theirs

    def flood(self, seeds: Boards, within: Boards) -> Boards:
        """All cells of `within` that are connected to the seeds."""
        reached = seeds & within
        while True:
            before = reached
            for step in self._steps:
                reached |= (reached << step | reached >> step) & within
            if reached == before:
                return reached

    def holding(self, cells: Boards) -> Boards:
        """The boards that have any of the cells."""
        return (cells + self._below_top >> self._top) & self._lowest

    def credit(self, cells: Boards, free: Sequence[int], won: Boards, lost: Boards) -> Credit:
        """For each free cell, the number of boards that have it in `cells`, and their values' sum, each over COPIES."""
        credit: dict[int, tuple[float, float]] = {}
        for cell in free:
            if boards := cells >> cell & self._lowest:
                value = (boards & won).bit_count() - (boards & lost).bit_count()
                credit[cell] = boards.bit_count() / COPIES, value / COPIES
        return credit


FREE_AT_MOST = 15  # as many as Y with five rows has
"""With at most this many free cells solving is tried."""


fills = cache(Fills)


def _moved(cells: Cells, step: int) -> Cells:
    return cells << step if step > 0 else cells >> -step


def bridges(board: Hexes, stones: Cells, free: Cells, edges: Iterable[Cells]) -> list[tuple[int, int]]:
    """Pairs of free cells, either of which connects a stone to another one or to one of the edges."""
    one, row, both = board.steps
    around = (one, both, row, -one, -both, -row)
    turns = list(pairwise((*around, one)))
    starts = [stones & _moved(free, -left) & _moved(free, -right) for left, right in turns]
    ends = [
        # Each pair of stones is found from one of the two.
        [_moved(stones, -left - right) if left + right > 0 else 0 for left, right in turns],
        *([~edge & _moved(edge, -left) & _moved(edge, -right) for left, right in turns] for edge in edges),
    ]
    return [
        (cell + left, cell + right)
        for reached in ends
        for (left, right), start, end in zip(turns, starts, reached, strict=True)
        for cell in bits(start & end)
    ]


class ConnectionSkill(Skill):
    """Sees wins one stone ahead and deals out the rest.

    goals: for each side, sets of edges by index; a side wins by joining all edges of one set.
    """

    game: Placing
    goals: tuple[Sequence[tuple[int, ...]], Sequence[tuple[int, ...]]]
    full = 2000
    explore = 0.25
    rave = 30.0

    def losses(self, near: Sequence[Cells]) -> Cells:
        """The cells where a stone loses at once. near: for each edge, the cells that would be connected to it."""
        return 0

    def board(self, pos: Position) -> Hexes:
        board = self.game.board(pos.options)
        assert isinstance(board, Hexes)  # noqa: S101  these skills are for such games
        return board

    def prospects(self, board: Hexes, stones: Cells, side: Side) -> tuple[Cells, Cells]:
        """The cells where a side's next stone would win, and where it would lose."""
        near = [edge | board.grow(board.chain(stones & edge, stones)) for edge in board.sides]
        wins = 0
        for first, *others in self.goals[side - 1]:
            cells = near[first]
            for edge in others:
                cells &= near[edge]
            wins |= cells
        return wins, self.losses(near) & ~wins

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """A winning cell, or those that stop a win, or all cells that do not lose at once."""
        board, mover = self.board(pos), pos.to_move
        free = board.full & ~pos.taken
        wins, losses = self.prospects(board, pos.stones[mover - 1], mover)
        threats, _ = self.prospects(board, pos.stones[mover.other - 1], mover.other)
        wins &= free
        return list(bits(wins & -wins or threats & free or free & ~losses or free))

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        board, (first, second) = self.board(pos), pos.stones
        many, free = fills(board), board.full & ~pos.taken
        _, closed_to_first = self.prospects(board, first, Side.FIRST)
        _, closed_to_second = self.prospects(board, second, Side.SECOND)
        # Where a side would lose at once the other one will have a stone in the end.
        for_first, for_second = closed_to_second & ~closed_to_first & free, closed_to_first & ~closed_to_second & free
        either = free & ~(for_first | for_second)
        mine, theirs = many.dealt(first | for_first, second | for_second, either, dice)
        mine, theirs = many.kept(mine, theirs, self._bridges(board, first, either, Side.FIRST))
        theirs, mine = many.kept(theirs, mine, self._bridges(board, second, either, Side.SECOND))
        won, lost = self._joined(board, many, mine, Side.FIRST), self._joined(board, many, theirs, Side.SECOND)
        cells = list(bits(either))
        credit = many.credit(mine, cells, won, lost), many.credit(theirs, cells, won, lost)
        return Rollout((won.bit_count() - lost.bit_count()) / COPIES, credit)

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        board = self.board(pos)
        if (board.full & ~pos.taken).bit_count() > FREE_AT_MOST:
            return None
        at = pos.own, pos.others, pos.to_move
        return Stones(board.full, partial(self.prospects, board), steps.of(2)).solution(at, pos.to_move)

    def _bridges(self, board: Hexes, stones: Cells, free: Cells, side: Side) -> list[tuple[int, int]]:
        """The bridges of a side, to edges only if they are in its goals."""
        edges = {edge for goal in self.goals[side - 1] for edge in goal}
        return bridges(board, stones, free, [board.sides[edge] for edge in edges])

    def _joined(self, board: Hexes, many: Fills, stones: Boards, side: Side) -> Boards:
        """The boards where the stones join all edges of one of the side's goals."""
        joined, edges = 0, board.sides
        for goal in self.goals[side - 1]:
            reached = many.of(edges[goal[0]])
            for edge, further in pairwise(goal):
                reached = many.flood(reached & many.of(edges[edge]), stones) & many.of(edges[further])
            joined |= reached
        return many.holding(joined)


class CrossSkill(ConnectionSkill):
    """Joins three edges, no two of them adjacent. If neither side does, both join opposite edges: a draw."""

    slips = (0.83, 0.56, 0.27, 0.13)

    goals = (((0, 2, 4), (1, 3, 5)),) * 2

    def losses(self, near: Sequence[Cells]) -> Cells:
        """The cells where a stone joins opposite edges."""
        return near[0] & near[3] | near[1] & near[4] | near[2] & near[5]


class HexSkill(ConnectionSkill):
    """Each side joins its own two edges."""

    slips = (0.965, 0.76, 0.46, 0.14)
    goals = ((0, 2),), ((1, 3),)


class YSkill(ConnectionSkill):
    """Joins all three edges."""

    slips = (0.97, 0.8, 0.48, 0.2)
    goals = (((0, 1, 2),),) * 2
