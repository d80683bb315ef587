"""Cross: many random ends at once, wins in one, forced answers, and no stone that joins opposite sides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from games.cross import Cells, Hexagon, Position, hexagon
from pbm.bots.fills import Boards, Fills
from pbm.bots.skill import Rollout, Skill


class Prospects:
    """What one stone more would do for a side: where it wins, and where it joins opposite sides and so loses."""

    def __init__(self, board: Hexagon, stones: Cells) -> None:
        near = [side | board.grow(board.chain(stones & side, stones)) for side in board.sides]
        north, north_east, south_east, south, south_west, north_west = near
        self.wins: Cells = north & south_east & south_west | south & north_east & north_west
        opposite = north & south | north_east & south_west | south_east & north_west
        self.losses: Cells = opposite & ~self.wins


@cache
def fills(size: int) -> Fills:
    stride = 2 * size
    return Fills(stride * (stride - 1), (1, stride, stride + 1))


class CrossSkill(Skill):
    """Sees ends of the game one stone ahead and deals out the rest."""

    full = 2000
    explore = 0.25
    rave = 30.0
    games_a_rollout = 64

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """A win, or what stops the opponent's, or every cell that does not lose at once."""
        board = hexagon(pos.size)
        free = board.mask & ~(pos.stones[0] | pos.stones[1])
        mover = self.game.to_move(pos)
        own, other = (Prospects(board, pos.stones[side - 1]) for side in (mover, mover.other))
        wins = own.wins & free
        wanted = wins & -wins or other.wins & free or free & ~own.losses or free
        return [index for index in board.indices if wanted >> index & 1]

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        board, many = hexagon(pos.size), fills(pos.size)
        first, second = pos.stones
        free = board.mask & ~(first | second)
        one, two = Prospects(board, first), Prospects(board, second)
        for_first, for_second = two.losses & ~one.losses & free, one.losses & ~two.losses & free
        open_cells = free & ~(for_first | for_second)
        mine, theirs = many.dealt(first | for_first, second | for_second, open_cells, dice)
        won, lost = self._joined(board, many, mine), self._joined(board, many, theirs)
        cells = [index for index in board.indices if open_cells >> index & 1]
        credit = many.credit(mine, cells, won, lost), many.credit(theirs, cells, won, lost)
        return Rollout(many.share(won) - many.share(lost), credit)

    def _joined(self, board: Hexagon, many: Fills, stones: Boards) -> Boards:
        """The boards on which stones join three sides; where neither side's do, both join but opposite ones."""
        north, north_east, south_east, south, south_west, north_west = map(many.of, board.sides)
        one = many.flood(many.flood(north, stones) & south_east, stones) & south_west
        two = many.flood(many.flood(north_east, stones) & south, stones) & north_west
        return many.holding(one | two)
