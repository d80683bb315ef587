"""Yavalath, invented by a program of Cameron Browne (2007).

Two players place stones in turn on a hexagon of hexagons. Four or more in a line win; three in a line without four
lose. A full board without either is a draw. Only lines through the stone just placed count, and a stone that makes both
four and three wins.
"""

from __future__ import annotations

from games.boards import Hexes, hexagon
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome


class Yavalath(Placing):
    """The rules of Yavalath."""

    info = Info(
        name="yavalath",
        title="Yavalath",
        kind="lines",
        summary="four in a line win, three in a line lose",
        source="Cameron Browne's program Ludi, 2007",
        options=(Option("size", "cells per board edge", 5, low=4, high=7),),
        swap=True,
    )
    colours = ("White", "Black")

    def board(self, options: OptionValues) -> Hexes:
        return hexagon(options.number("size"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        mover = pos.to_move.other
        # The longest line decides: with four the three do not matter.
        run = max(self.board(pos.options).runs(last, pos.stones[mover - 1]), key=int.bit_count)
        length = run.bit_count()
        if length >= 4:
            return Ending(Outcome(mover, f"with {length} in a line"), run)
        if length == 3:
            return Ending(Outcome(mover.other, f"because {self.colours[mover - 1]} made three in a line"), run)
        return None
