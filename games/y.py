"""Y, by Claude Shannon (about 1950); reinvented by Craige Schensted and Charles Titus (1953).

Two players place stones in turn on a triangle of hexagons. A chain that touches all three edges wins; a corner cell is
on both edges that meet there. No draws: a full board has exactly one winner.
"""

from __future__ import annotations

from games.boards import Hexes, triangle
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome


class Y(Placing):
    """The rules of Y."""

    info = Info(
        name="y",
        title="Y",
        kind="connection",
        summary="join all three edges of a triangle of hexagons",
        source="Claude Shannon, about 1950; Craige Schensted and Charles Titus, 1953",
        options=(Option("size", "cells per board edge", 13, low=3, high=19),),
        swap=True,
    )

    def board(self, options: OptionValues) -> Hexes:
        return triangle(options.number("size"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        board, mover = self.board(pos.options), pos.to_move.other
        chain = board.chain(1 << last, pos.stones[mover - 1])
        if all(chain & side for side in board.sides):
            return Ending(Outcome(mover, "by joining all three edges"), chain)
        return None
