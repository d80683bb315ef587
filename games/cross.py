"""Cross, by Cameron Browne (2008).

Two players place stones in turn on a hexagon of hexagons. Connecting three non-adjacent board sides wins; connecting
two opposite sides without that loses. No draws: a full board has exactly one winner. Source: the author's help page for
the classic play-by-mail server.

Rulings. Only the chain of the stone just placed counts, and a win takes precedence over a loss; so only the player who
moved can win or lose. A corner cell is on both sides that meet there. The swap of the second ply exchanges the players'
sides and does not change the board, so the match handles it, and it is unknown here.
"""

from __future__ import annotations

from games.boards import Hexes, hexagon
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome


class Cross(Placing):
    """The rules of Cross."""

    info = Info(
        name="cross",
        title="Cross",
        kind="connection",
        summary="connect three non-adjacent sides of a hexagon; connecting only two opposite ones loses",
        source="Cameron Browne, 2008",
        options=(Option("size", "cells per board side", 6, low=2, high=10),),
        swap=True,
    )
    colours = ("O", "X")

    def board(self, options: OptionValues) -> Hexes:
        return hexagon(options.number("size"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        board, mover = self.board(pos.options), pos.to_move.other
        chain = board.chain(1 << last, pos.stones[mover - 1])
        touched = [bool(chain & side) for side in board.sides]
        # The win first: three sides that are not adjacent may come with two that are opposite.
        if all(touched[::2]) or all(touched[1::2]):
            return Ending(Outcome(mover, "by connecting three non-adjacent sides"), chain)
        if any(touched[side] and touched[side + 3] for side in range(3)):
            loser = self.colours[mover - 1]
            return Ending(Outcome(mover.other, f"because {loser} connected two opposite sides"), chain)
        return None
