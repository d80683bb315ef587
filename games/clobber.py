"""Clobber, by Michael Albert, J. P. Grossman and Richard Nowakowski (2001).

The board is full of stones in a chequered pattern. In turn the players move one of their stones onto an orthogonally
adjacent stone of the opponent, which is taken off. White begins; a side that cannot move loses. No draws.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.boards import BothSides, Squares, bits, squares
from games.moving import Moving, Path, Position
from games.rules import Info, Option, OptionValues


class Clobber(Moving):
    """The rules of Clobber."""

    info = Info(
        name="clobber",
        title="Clobber",
        kind="movement",
        summary="take the stone next to you, until somebody cannot",
        source="Michael Albert, J. P. Grossman and Richard Nowakowski, 2001",
        options=(
            Option("columns", "columns of the board", 6, low=3, high=10),
            Option("rows", "rows of the board", 5, low=3, high=10),
            Option("size", "squares per row and column", None, low=3, high=10, stands_for="-columns=N -rows=N"),
        ),
    )
    piece = "stone"
    rule = "A stone takes one of the opponent's that is next to it, in its row or column."

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("columns"), options.number("rows"), chequered=True)

    def pieces(self, board: Squares) -> BothSides:
        return BothSides(board.shading, board.full & ~board.shading)

    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        board = self.board(pos.options)
        yield from ((start, end) for end in bits(board.beside[start] & pos.others))

    def can_move(self, pos: Position) -> bool:
        # Asked at each ply, and much faster than a search for the first move.
        return bool(self.board(pos.options).around(pos.own) & pos.others)
