"""Hex, by Piet Hein (1942) and John Nash (1948).

Two players place stones in turn on a rhombus of hexagons. Red wins by joining the top and bottom edges, Blue by joining
left and right. No draws: a full board has exactly one winner. A corner cell is on both edges that meet there.
"""

from __future__ import annotations

from games.boards import Hexes, rhombus
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome


class Hex(Placing):
    """The rules of Hex."""

    info = Info(
        name="hex",
        title="Hex",
        kind="connection",
        summary="join top and bottom (Red) or left and right (Blue) of a rhombus of hexagons",
        source="Piet Hein, 1942, and John Nash, 1948",
        options=(Option("size", "cells per board edge", 11, low=3, high=19),),
        swap=True,
        sgf=11,
    )
    colours = ("Red", "Blue")
    paint = (("B", "blue"),)

    def board(self, options: OptionValues) -> Hexes:
        return rhombus(options.number("size"), owners=("B", "R"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        board, mover = self.board(pos.options), pos.to_move.other
        chain = board.chain(1 << last, pos.stones[mover - 1])
        top, right, bottom, left = board.sides
        # Red, who begins, has the top and the bottom edge.
        edges, names = ((top, bottom), "top and bottom") if mover == 1 else ((left, right), "left and right")
        if all(chain & edge for edge in edges):
            return Ending(Outcome(mover, f"by joining {names}"), chain)
        return None
