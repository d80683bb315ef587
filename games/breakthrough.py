"""Breakthrough, by Dan Troyka (2000).

Two players move pawns in turn, which fill each player's two nearest rows at the start. White begins. A pawn moves one
row forward, straight or diagonally; diagonally it may take an opposing pawn. A pawn on the last row wins, and so does
taking all pawns. No draws: a side always has a move, because its foremost pawn can always advance.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.boards import BothSides, Squares, squares
from games.moving import Moving, Path, Position
from games.rules import Info, Option, OptionValues, Outcome, Side


class Breakthrough(Moving):
    """The rules of Breakthrough."""

    info = Info(
        name="breakthrough",
        title="Breakthrough",
        kind="movement",
        summary="bring a pawn to the other end of the board",
        source="Dan Troyka, 2000",
        options=(Option("size", "squares per row and column", 8, low=5, high=10),),
    )
    piece = "pawn"
    rule = "A pawn goes one row forward, straight or diagonally; it takes diagonally only."

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("size"), options.number("size"), chequered=True)

    def pieces(self, board: Squares) -> BothSides:
        return BothSides(board.rows[0] | board.rows[1], board.rows[-1] | board.rows[-2])

    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        board = self.board(pos.options)
        forward = board.stride if pos.mover is Side.FIRST else -board.stride
        # Straight ahead a pawn only moves, and never takes.
        straight, slanting = board.full & ~pos.pieces.all, board.full & ~pos.own
        for end, room in ((start + forward + way, slanting if way else straight) for way in (-1, 0, 1)):
            # Below the first row the index is negative, and Python refuses to shift by that.
            if end >= 0 and room >> end & 1:
                yield start, end

    def outcome(self, pos: Position) -> Outcome | None:
        mover, rows = pos.mover.other, self.board(pos.options).rows
        if pos.others & rows[-1 if mover is Side.FIRST else 0]:
            return Outcome(mover, "by reaching the last row")
        return None if pos.own else Outcome(mover, "by taking all pawns")
