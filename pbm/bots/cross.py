"""Cross: many random ends at once, wins in one, forced answers, and no stone that joins opposite sides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from games.boards import Cells, Hexes, bits, hexagon
from games.placing import Position
from pbm.bots.fills import Boards, Fills
from pbm.bots.skill import Rollout, Skill


class Prospects:
    """What one stone more would do for a side: where it wins, and where it joins opposite sides and so loses."""

    def __init__(self, board: Hexes, stones: Cells) -> None:
        near = [side | board.grow(board.chain(stones & side, stones)) for side in board.sides]
        north, north_east, south_east, south, south_west, north_west = near
        self.wins: Cells = north & south_east & south_west | south & north_east & north_west
        opposite = north & south | north_east & south_west | south_east & north_west
        self.losses: Cells = opposite & ~self.wins


@cache
def fills(board: Hexes) -> Fills:
    return Fills(board.full.bit_length(), board.steps)


class CrossSkill(Skill):
    """Sees ends of the game one stone ahead and deals out the rest."""

    full = 2000
    explore = 0.25
    rave = 30.0
    games_a_rollout = 64

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        """A win, or what stops the opponent's, or every cell that does not lose at once."""
        board = hexagon(pos.options.number("size"))
        free = board.full & ~pos.taken
        mover = pos.to_move
        own, other = (Prospects(board, pos.stones[side - 1]) for side in (mover, mover.other))
        wins = own.wins & free
        return list(bits(wins & -wins or other.wins & free or free & ~own.losses or free))

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        board = hexagon(pos.options.number("size"))
        many, (first, second) = fills(board), pos.stones
        free = board.full & ~pos.taken
        one, two = Prospects(board, first), Prospects(board, second)
        for_first, for_second = two.losses & ~one.losses & free, one.losses & ~two.losses & free
        either = free & ~(for_first | for_second)
        mine, theirs = many.dealt(first | for_first, second | for_second, either, dice)
        won, lost = self._joined(board, many, mine), self._joined(board, many, theirs)
        cells = list(bits(either))
        credit = many.credit(mine, cells, won, lost), many.credit(theirs, cells, won, lost)
        return Rollout(many.share(won) - many.share(lost), credit)

    def _joined(self, board: Hexes, many: Fills, stones: Boards) -> Boards:
        """The boards on which stones join three sides; where neither side's do, both join but opposite ones."""
        north, north_east, south_east, south, south_west, north_west = map(many.of, board.sides)
        one = many.flood(many.flood(north, stones) & south_east, stones) & south_west
        two = many.flood(many.flood(north_east, stones) & south, stones) & north_west
        return many.holding(one | two)
