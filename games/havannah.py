"""Havannah, by Christian Freeling (1979).

In turn two players place stones on a hexagon of hexagons. A chain wins if it is a fork (touches three edges; corners
belong to no edge), a bridge (touches two corners) or a ring (surrounds at least one cell, whatever is on it). A full
board without any of these is a draw.

How a ring is found: either the chain cuts some other cell off from the edge of the board, or it contains a cell with
all its six neighbours; a chain that surrounds only its own stones has such a cell.
"""

from __future__ import annotations

from games.boards import Cells, Hexes, bits, hexagon
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome


class Havannah(Placing):
    """The rules of Havannah."""

    info = Info(
        name="havannah",
        title="Havannah",
        kind="connection",
        summary="make a ring, a bridge between two corners, or a fork of three edges",
        source="Christian Freeling, 1979",
        options=(Option("size", "cells per board edge", 8, low=3, high=10),),
        swap=True,
    )
    colours = ("White", "Black")

    def board(self, options: OptionValues) -> Hexes:
        return hexagon(options.number("size"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        board, mover = self.board(pos.options), pos.to_move.other
        chain = board.chain(1 << last, pos.stones[mover - 1])
        # By the rules a corner belongs to no edge; a chain through corners alone is no fork.
        if sum(bool(chain & side & ~board.corners) for side in board.sides) >= 3:
            return Ending(Outcome(mover, "by a fork of three edges"), chain)
        if (chain & board.corners).bit_count() >= 2:
            return Ending(Outcome(mover, "by a bridge between two corners"), chain)
        if has_ring(board, chain):
            return Ending(Outcome(mover, "by a ring"), chain)
        return None


def has_ring(board: Hexes, chain: Cells) -> bool:
    """Whether a chain surrounds a cell, or contains one with all its neighbours."""
    edge = 0
    for side in board.sides:
        edge |= side
    outside = board.chain(edge & ~chain, board.full & ~chain)
    return outside | chain != board.full or any(not board.around(1 << cell) & ~chain for cell in bits(chain & ~edge))
