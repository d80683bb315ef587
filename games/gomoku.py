"""Gomoku, traditional (Japan).

Two players place stones in turn on the points of a board of lines. Five or more in a line, straight or diagonal, win;
with -exact only exactly five win, and six or more do not count. A full board without a line is a draw.
"""

from __future__ import annotations

from games.boards import Squares, squares
from games.placing import Ending, Placing, Position
from games.rules import YES_NO, Info, Option, OptionValues, Outcome
from games.scene import Ground


class Gomoku(Placing):
    """The rules of Gomoku."""

    info = Info(
        name="gomoku",
        title="Gomoku",
        kind="lines",
        summary="five stones in a line",
        source="traditional, Japan",
        options=(
            Option("size", "points per row and column", 15, low=9, high=19),
            Option("exact", "whether six or more in a line do nothing", "no", choices=YES_NO),
        ),
        swap=True,
        sgf=4,
    )

    def board(self, options: OptionValues) -> Squares:
        size = options.number("size")
        return squares(size, size, ground=Ground.LINES, cell="point")

    def ending(self, pos: Position, last: int) -> Ending | None:
        mover, exact = pos.to_move.other, pos.options.choice("exact") == "yes"
        for run in self.board(pos.options).runs(last, pos.stones[mover - 1]):
            length = run.bit_count()
            # With -exact a longer line neither wins nor ends anything.
            if length == 5 or (length > 5 and not exact):
                return Ending(Outcome(mover, f"with {length} in a line"), run)
        return None
