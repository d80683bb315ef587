"""Four in a Row, sold as Connect Four by Howard Wexler and Ned Strongin (1974).

Two players drop stones in turn into the columns of an upright board; a stone falls to the lowest free square of its
column. A line of four (or as many as the challenge says) wins, straight or diagonal. A full board is a draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from games.boards import Cells, Squares, bits, squares
from games.placing import Ending, Placing, Position
from games.rules import BadNotation, Info, Option, OptionValues, Outcome, fold, quoted, read_cell


class Four(Placing):
    """The rules of Four in a Row. A move is the square to which the stone falls."""

    info = Info(
        name="four",
        title="Four in a Row",
        kind="lines",
        summary="drop stones into columns, four in a line win",
        source="Howard Wexler and Ned Strongin, 1974",
        options=(
            Option("columns", "columns of the board", 7, low=4, high=12),
            Option("rows", "rows of the board", 6, low=4, high=12),
            Option("line", "stones of a line that wins", 4, low=3, high=6),
        ),
    )
    colours = ("Yellow", "Red")

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("columns"), options.number("rows"))

    def legal(self, pos: Position) -> Cells:
        board = self.board(pos.options)
        # A stone falls until it lies on another one, or on the ground.
        return board.full & ~pos.taken & (pos.taken << board.stride | board.rows[0])

    def moves(self, pos: Position) -> Iterator[int]:
        stride = self.board(pos.options).stride
        return iter(sorted(super().moves(pos), key=lambda index: index % stride))

    def read(self, pos: Position, text: str) -> int:
        word = fold(text)
        # A column alone, as records have it; a cell is accepted if a stone falls there.
        column = _columns(self.board(pos.options)).get(word)
        if column is None:
            if read_cell(word) is None:
                raise BadNotation(f"{quoted(text)} is not a column. Write its letter, such as {self._example(pos)}.")
            return super().read(pos, text)
        free = column & ~pos.taken
        # For a full column any square of it, which is then refused.
        return (free & -free or column).bit_length() - 1

    def refusal(self, pos: Position, move: int) -> str:
        column = self.notate(pos, move)
        falls = [index for index in bits(self.legal(pos)) if self.notate(pos, index) == column]
        if not falls:
            return f"Column {column} is full."
        return f"A stone in column {column} falls to {self.board(pos.options).names[falls[0]]}."

    def notate(self, pos: Position, move: int) -> str:
        return self.board(pos.options).names[move][0]

    def beginnings(self, pos: Position) -> dict[str, str]:
        """The columns, by the square to which a stone would fall."""
        names = self.board(pos.options).names
        return {names[index]: self.notate(pos, index) for index in self.moves(pos)}

    def near(self, pos: Position, move: int) -> list[str]:
        return sorted(self.notate(pos, index) for index in bits(self.legal(pos)))

    def ending(self, pos: Position, last: int) -> Ending | None:
        mover = pos.to_move.other
        run = max(self.board(pos.options).runs(last, pos.stones[mover - 1]), key=int.bit_count)
        if run.bit_count() < pos.options.number("line"):
            return None
        return Ending(Outcome(mover, f"with {run.bit_count()} in a line"), run)


@cache
def _columns(board: Squares) -> dict[str, Cells]:
    """The squares of each column, by its letter and by its number."""
    lowest = board.full // board.rows[0]
    return {name: lowest << at for at, letter in enumerate(board.names.letters) for name in (letter, str(at + 1))}
