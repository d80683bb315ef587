"""Havannah: what one more stone does to chains, wins by threats, and what stops these.

A stone makes a ring in two ways. It stands beside one chain in two places that are apart: the cells between them lie
inside on one side or the other. Or it is the last of the six neighbours of a stone, and so belongs to a chain that
already holds that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from itertools import islice
from operator import or_
from random import Random

from games.boards import Cells, Hexes, bits, union
from games.placing import Position
from games.rules import Side
from pbm.bots.skill import Solution
from pbm.bots.threats import Prospects, Threats, ThreatSkill

SIDES = 6

LEAST_RING = 5
"""So many stones a chain must have that one more closes a ring."""

SIGHT = 100
"""So many threats that win nothing at once are looked into at each position of a search."""


class Chains(Threats):
    """A board of Havannah. Prospects go on with the cells that would be joined to each edge, those that would be to one
    side at least, to two, and to a corner, and with the chains. Corners are edges, too, after the six sides. A
    chain is its cells and, above these, the edges that it touches.
    """

    def __init__(self, board: Hexes) -> None:
        sides, corners = tuple(side & ~board.corners for side in board.sides), tuple(bits(board.corners))
        edges = (*sides, *(1 << corner for corner in corners))
        super().__init__(board.full, (0, 0, edges, (reduce(or_, sides), 0, board.corners), ()))
        self._steps, self._above = board.steps, board.full.bit_length()
        self._around = {1 << cell: board.around(1 << cell) for cell in board.indices}
        self._rim = union(cell for cell in board.indices if self._around[1 << cell].bit_count() < 6)
        self._edges = edges
        self._stone = {move: move | self._touched(move) << self._above for move in self._around}
        self._places = [tuple(bits(touched)) for touched in range(1 << len(edges))]
        # nothing at 0, for there is no last stone at the start
        self._bridges = {0: list[tuple[Cells, Cells]]()} | {cell: self._bridge(cell) for cell in self._around}

    def _touched(self, cells: Cells) -> int:
        return union(at for at, edge in enumerate(self._edges) if edge & cells)

    def opened(self, move: Cells, _stones: Cells, before: Prospects) -> Prospects:
        wins, losses, *rest = before
        near, counts, chains = rest
        around, chain, apart = self._around[move], self._stone[move], list[Cells]()
        for each in chains:
            if each & around:
                chain |= each
            else:
                apart.append(each)
        cells = chain & self.full
        if touched := chain >> self._above:
            one, row, both = self._steps
            grown = cells << one | cells >> one | cells << row | cells >> row | cells << both | cells >> both
            grown &= self.full
            once, twice, cornered = counts
            joined = list(near)
            for at in self._places[touched]:
                new = grown & ~joined[at]
                joined[at] |= new
                if at < SIDES:
                    wins |= twice & new
                    twice |= once & new
                    once |= new
                else:
                    wins |= cornered & new
                    cornered |= new
            near, counts = tuple(joined), (once, twice, cornered)
        if cells.bit_count() >= LEAST_RING:
            wins |= self._rings(cells)
        return wins, losses, near, counts, (chain, *apart)

    def kept(self, last: Cells, own: Cells, free: Cells) -> Cells:
        for pair, other in self._bridges[last]:
            if other & free and not pair & ~own:
                return other
        return 0

    def _bridge(self, cell: Cells) -> list[tuple[Cells, Cells]]:
        """The bridges that a cell is part of: the stones it joins, and the other cell that does so."""
        found = []
        for other in bits(self._around[cell]):
            pair = self._around[cell] & self._around[1 << other]
            if pair.bit_count() == 2 or self._touched(cell) & self._touched(1 << other):
                found.append((pair, 1 << other))
        return found

    def _rings(self, chain: Cells) -> Cells:
        """Where one stone more closes a ring of a chain."""
        one, row, both = self._steps
        ways = chain >> one, chain >> both, chain >> row, chain << one, chain << both, chain << row
        before, begun, rings = ways[5], 0, 0
        for there in ways:
            begins = there & ~before
            rings |= begun & begins
            begun |= begins
            before = there
        rings &= self.full & ~chain
        first, second, third = ways[0] & ways[3], ways[1] & ways[4], ways[2] & ways[5]
        for cell in bits((first & second | third & (first | second)) & chain & ~self._rim):
            left = self._around[1 << cell] & ~chain
            if not left & left - 1:
                rings |= left
        return rings


chains_of = cache(Chains)


class HavannahSkill(ThreatSkill):
    """Foresees wins by threats wherever it looks, and stops those of the other side."""

    slips = (0.95, 0.64, 0.31, 0.12)
    full = 6000
    rave = 40.0
    explore = 0.2
    threats = staticmethod(chains_of)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """Where the other side would win by threats, were it to move, only what may stop that."""
        named = super().moves(pos, dice)
        here, mine, theirs = self.here(pos)
        free = here.full & ~pos.taken
        if len(named) == 1 or theirs[0] & free:
            return named
        line = here.attack(pos.others, pos.own, theirs, mine, [SIGHT])
        return list(bits(here.defences(pos.own, free, line))) if line else named

    def foreseen(self, pos: Position) -> Solution | None:
        """A win by threats alone, or two wins in one of which only one can be stopped."""
        here, mine, theirs = self.here(pos)
        value = 1.0 if pos.to_move is Side.FIRST else -1.0
        line = here.attack(pos.own, pos.others, mine, theirs, [SIGHT])
        if not line:
            threats = theirs[0] & here.full & ~pos.taken
            if not threats & threats - 1:
                return None
            line, value = (threats,), -value
        *forced, last = line
        return Solution(value, (*(move.bit_length() - 1 for move in forced), *islice(bits(last), 2)))
