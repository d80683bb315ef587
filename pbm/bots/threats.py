"""Games in which a single stone may win or lose: wins in one, threats to stop, wins by threats alone; Havannah.

A stone makes a ring in two ways. Either it touches one chain in two separate places, so that the cells between them, on
one side or the other, are inside. Or it is the last of the six neighbours of a stone, and so joins a chain that already
contains that stone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from itertools import islice
from operator import or_
from random import Random

from games.boards import Cells, Hexes, bits, union
from games.placing import Placing, Position
from pbm.bots.skill import Rollout, Skill, Solution

ATTACK = 40
"""How many threats an attack may try at each position of a search."""

KNOWN = 10_000
"""How many sets of stones are cached."""

Prospects = tuple[Cells, Cells, *tuple[tuple[Cells, ...], ...]]
"""The cells where a side's next stone would win at once, those where it would lose, and data for updating both; some of
these cells may be taken.
"""


class Threats(ABC):
    """A board, and the threats of its sides. full: its cells. none: the prospects of a side without stones."""

    def __init__(self, full: Cells, none: Prospects = (0, 0)) -> None:
        self.full, self._none = full, none
        self.prospects = lru_cache(KNOWN)(self._prospects)
        self.makers = lru_cache(KNOWN)(self._makers)

    @abstractmethod
    def opened(self, move: Cells, stones: Cells, before: Prospects) -> Prospects:
        """A side's prospects after its move. stones: including the new one. before: its prospects until then."""

    def kept(self, last: Cells, own: Cells, free: Cells) -> Cells:
        """A cell that keeps a connection of the side which the other side's last stone threatens; 0 for none."""
        return 0

    def _prospects(self, stones: Cells) -> Prospects:
        """The prospects of a side with these stones."""
        if not stones:
            return self._none
        last = 1 << stones.bit_length() - 1
        return self.opened(last, stones, self.prospects(stones ^ last))

    def _makers(self, own: Cells) -> Sequence[tuple[Cells, Cells]]:
        """The moves of a side that create wins in one, with all its wins after each."""
        mine = self.prospects(own)
        moves = [1 << cell for cell in bits(self.full & ~own)]
        wins = [(move, self.opened(move, own | move, mine)[0]) for move in moves]
        return [(move, cells) for move, cells in wins if cells & ~mine[0] & ~move]

    def attack(self, own: Cells, others: Cells, steps: list[int]) -> tuple[Cells, ...]:
        """A win by threats alone, each with a single answer: threats and answers in turn, and finally the cells that
        win. Empty if there is none within the steps.

        steps: how many threats may be tried, counted down.
        """
        mine, theirs, free = self.prospects(own), self.prospects(others), self.full & ~own & ~others
        if wins := mine[0] & free:
            return (wins & -wins,)
        threats = theirs[0] & free
        if threats & threats - 1:
            return ()
        allowed = (threats or free) & ~mine[1]
        for move, wins in self.makers(own):
            if not move & allowed or not (reply := wins & free & ~move):
                continue
            # Two cells to stop, or one where the answer itself would lose.
            if reply & reply - 1 or reply & theirs[1]:
                return move, reply
            steps[0] -= 1
            if steps[0] < 0:
                return ()
            if line := self.attack(own | move, others | reply, steps):
                return move, reply, *line
        return ()

    def defences(self, own: Cells, free: Cells, line: Sequence[Cells]) -> Cells:
        """The free cells of which a side must take one to stop an attack, in games without losing stones.

        own: the side's stones. line: of the attack.
        """
        # A stone anywhere else takes no cell of the attack and, even with all the answers, creates no threat that could
        # interrupt it.
        answers = reduce(or_, line[1:-1:2], 0)
        answered, left = own | answers, free & ~answers
        if self.prospects(answered)[0] & left:
            return free
        threats = [move for move, wins in self.makers(answered) if wins & left & ~move]
        return free & reduce(or_, (*line, *threats))


class ThreatSkill(Skill):
    """Takes and stops wins in one, and avoids losing moves, also in random games."""

    game: Placing
    threats: Callable[[Hexes], Threats]
    """Creates the Threats of a board."""

    def here(self, pos: Position) -> tuple[Threats, Prospects, Prospects]:
        """The threats of the board, and the prospects of the side to move and of the other side."""
        board = self.game.board(pos.options)
        assert isinstance(board, Hexes)  # noqa: S101
        here = self.threats(board)
        return here, here.prospects(pos.own), here.prospects(pos.others)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        here, mine, theirs = self.here(pos)
        free = here.full & ~pos.taken
        if line := here.attack(pos.own, pos.others, [ATTACK]):
            return list(bits(line[0]))
        return list(bits(theirs[0] & free or free & ~mine[1] or free))

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game in which both sides take and stop wins in one, and play losing moves only if they must."""
        (here, mine, theirs), own, others = self.here(pos), pos.own, pos.others
        free = here.full & ~pos.taken
        order = [1 << cell for cell in bits(free)]
        dice.shuffle(order)
        value, played = float(pos.to_move.sign), list[Cells]()
        last = 0 if pos.last is None else 1 << pos.last
        while free:
            if mine[0] & free:
                break
            safe = free & ~mine[1]
            if threats := theirs[0] & free:
                move = threats & -threats & safe
            else:
                move = here.kept(last, own, safe) or next((cell for cell in order if cell & safe), 0)
            # Two threats at once, or nothing left but losing stones.
            if not move:
                value = -value
                break
            free ^= move
            stones = own | move
            own, others, mine, theirs = others, stones, theirs, here.opened(move, stones, mine)
            value = -value
            played.append(move)
            last = move
        else:
            value = 0.0
        cells = [move.bit_length() - 1 for move in played]
        return Rollout.of(value, pos.to_move, cells[::2], cells[1::2])


SIDES = 6

LEAST_RING = 5
"""The fewest stones of a chain that one more can close to a ring."""

SIGHT = 100
"""How many threats an attack may try at each position of a search."""


class Chains(Threats):
    """A board of Havannah. Prospects also hold the cells that would be connected to each edge; those connected to at
    least one side, to two, and to a corner; and the chains. Corners count as edges, after the six sides. A chain is its
    cells and, in higher bits, the edges that it touches.
    """

    def __init__(self, board: Hexes) -> None:
        sides, corners = tuple(side & ~board.corners for side in board.sides), tuple(bits(board.corners))
        edges = (*sides, *(1 << corner for corner in corners))
        super().__init__(board.full, (0, 0, edges, (reduce(or_, sides), 0, board.corners), ()))
        self._board, self._above = board, board.full.bit_length()
        self._around = {1 << cell: around for cell, around in board.beside.items()}
        self._rim = union(cell for cell in board.indices if self._around[1 << cell].bit_count() < 6)
        self._edges = edges
        self._stone = {move: move | self._touched(move) << self._above for move in self._around}
        self._places = [tuple(bits(touched)) for touched in range(1 << len(edges))]
        # empty for 0, because there is no last stone at the start
        self._bridges = {0: list[tuple[Cells, Cells]]()} | {cell: self._bridge(cell) for cell in self._around}

    def _touched(self, cells: Cells) -> int:
        return union(at for at, edge in enumerate(self._edges) if edge & cells)

    def opened(self, move: Cells, _stones: Cells, before: Prospects) -> Prospects:
        wins, losses, *rest = before
        near, counts, chains = rest
        around, chain, apart = self._around[move], self._stone[move], list[Cells]()
        for other in chains:
            if other & around:
                chain |= other
            else:
                apart.append(other)
        cells = chain & self.full
        if touched := chain >> self._above:
            grown = self._board.grow(cells) & self.full
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
        """The bridges of a stone on a cell: the pair of cells that connect it, and the stone at the other end."""
        bridges = []
        for other in bits(self._around[cell]):
            pair = self._around[cell] & self._around[1 << other]
            if pair.bit_count() == 2 or self._touched(cell) & self._touched(1 << other):
                bridges.append((pair, 1 << other))
        return bridges

    def _rings(self, chain: Cells) -> Cells:
        """The cells where one more stone closes a ring of a chain."""
        one, row, both = self._board.steps
        ways = chain >> one, chain >> both, chain >> row, chain << one, chain << both, chain << row
        before, begun, rings = ways[5], 0, 0
        for beside in ways:
            begins = beside & ~before
            rings |= begun & begins
            begun |= begins
            before = beside
        rings &= self.full & ~chain
        first, second, third = ways[0] & ways[3], ways[1] & ways[4], ways[2] & ways[5]
        for cell in bits((first & second | third & (first | second)) & chain & ~self._rim):
            left = self._around[1 << cell] & ~chain
            if not left & left - 1:
                rings |= left
        return rings


chains_of = cache(Chains)


class HavannahSkill(ThreatSkill):
    """Foresees wins by threats at every position it visits, and stops those of the other side."""

    slips = (0.95, 0.64, 0.31, 0.12)
    full = 6000
    rave = 40.0
    explore = 0.2
    threats = staticmethod(chains_of)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """As usual; but if the other side could win by threats, only the moves that may stop that."""
        named = super().moves(pos, dice)
        here, _, theirs = self.here(pos)
        free = here.full & ~pos.taken
        if len(named) == 1 or theirs[0] & free:
            return named
        line = here.attack(pos.others, pos.own, [SIGHT])
        return list(bits(here.defences(pos.own, free, line))) if line else named

    def obvious(self, pos: Position) -> Solution | None:
        """A win by threats alone, or a loss because the other side has two wins in one."""
        here, _, theirs = self.here(pos)
        value = float(pos.to_move.sign)
        line = here.attack(pos.own, pos.others, [SIGHT])
        if not line:
            threats = theirs[0] & here.full & ~pos.taken
            if not threats & threats - 1:
                return None
            line, value = (threats,), -value
        *forced, last = line
        return Solution(value, (*(move.bit_length() - 1 for move in forced), *islice(bits(last), 2)))
