"""Cross, by Cameron Browne (2008).

Two players place stones in turn on a hexagon of hexagons. Connecting three non-adjacent board sides wins; connecting
two opposite sides without that loses. No draws: a full board has exactly one winner. Source: the author's help page for
the classic play-by-mail server.

Rulings. Only the chain of the stone just placed is looked at, win before loss; so only its owner can win or lose by it.
A corner cell is on both sides that meet there. The swap of the second ply exchanges the players' sides and leaves the
board alone, so it is the match's business and unknown here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from games.notation import fold, quoted, read_cell
from games.rules import BadNotation, IllegalMove, Info, Option, OptionValues, Outcome, Side
from games.scene import HexBoard, Label, Place, Scene, cell

Cells = int
"""A set of cells: bit row * 2 * size + column. The last bit of each row stays 0, so that no shift wraps around."""


@dataclass(frozen=True, slots=True)
class Options:
    size: int


@dataclass(frozen=True, slots=True)
class Position:
    """stones: the cells of the first and of the second side. last: the cell placed last, None at the start."""

    size: int
    stones: tuple[Cells, Cells] = (0, 0)
    last: int | None = None


class Hexagon:
    """The geometry of one board size: cells as bits, names, the six sides, chains."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stride = 2 * size
        self.indices = tuple(
            row * self.stride + column
            for row in range(2 * size - 1)
            for column in range(max(0, row - size + 1), min(2 * size - 1, size + row))
        )
        self._names = {
            index: f"{chr(ord('A') + row)}{column + 1}"
            for index, (row, column) in ((index, divmod(index, self.stride)) for index in self.indices)
        }
        self.mask: Cells = sum(1 << index for index in self.indices)
        tests: tuple[Callable[[int, int], bool], ...] = (
            lambda row, column: row == 0,  # N
            lambda row, column: column == size + row - 1,  # NE
            lambda row, column: column == 2 * size - 2,  # SE
            lambda row, column: row == 2 * size - 2,  # S
            lambda row, column: column == row - size + 1,  # SW
            lambda row, column: column == 0,  # NW
        )
        self.sides: tuple[Cells, ...] = tuple(
            sum(1 << index for index in self.indices if is_on(*divmod(index, self.stride))) for is_on in tests
        )

    def name(self, index: int) -> str:
        return self._names[index]

    def place(self, index: int) -> Place:
        """Where a cell is drawn."""
        row, column = divmod(index, self.stride)
        return row, 2 * column - row

    def labels(self) -> Iterator[Label]:
        """The letters of the rows and the numbers of the / diagonals, once on each side of the board."""
        for line in range(2 * self.size - 1):
            row = [index for index in self.indices if index // self.stride == line]
            diagonal = [index for index in self.indices if index % self.stride == line]
            letter, number = chr(ord("A") + line), str(line + 1)
            if line < self.size:
                yield Label(letter, self.place(row[0]), 0, -2)
            if line >= self.size - 1:
                yield Label(letter, self.place(row[-1]), 0, 2)
            yield Label(number, self.place(diagonal[0]), -1, 1)
            yield Label(number, self.place(diagonal[-1]), 1, -1)

    def row_range(self, row: int) -> str:
        """The names of a row's first and last cell, such as "A1-A6"."""
        of_row = [index for index in self.indices if index // self.stride == row]
        return f"{self.name(of_row[0])}-{self.name(of_row[-1])}"

    def grow(self, cells: Cells) -> Cells:
        """The cells and all their neighbours, on the board or not."""
        stride = self.stride
        near = cells | cells << 1 | cells >> 1 | cells << stride | cells >> stride
        return near | cells << stride + 1 | cells >> stride + 1

    def chain(self, seed: Cells, within: Cells) -> Cells:
        """The connected set of `within` that holds the seed."""
        reached = seed
        while (grown := self.grow(reached) & within) != reached:
            reached = grown
        return reached

    def connects_three(self, chain: Cells) -> bool:
        """The chain touches three sides of which no two are adjacent."""
        return any(all(chain & self.sides[start + step] for step in (0, 2, 4)) for start in (0, 1))

    def connects_opposite(self, chain: Cells) -> bool:
        return any(chain & self.sides[start] and chain & self.sides[start + 3] for start in (0, 1, 2))


hexagon = cache(Hexagon)


class Cross:
    """The rules of Cross. A move is the index of a free cell (see Cells)."""

    info = Info(
        name="cross",
        title="Cross",
        version=1,
        summary="connect three non-adjacent sides of a hexagon, but never just two opposite ones",
        source="Cameron Browne, 2008",
        move_usage="F6",
        options=(Option("size", "cells per board side", 6, low=2, high=10),),
        swap=True,
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        return Options(OptionValues(self.info.options, words).number("size"))

    def sides(self, options: Options) -> tuple[str, str]:
        return ("O", "X")

    def start(self, options: Options) -> Position:
        return Position(options.size)

    def to_move(self, pos: Position) -> Side:
        first, second = pos.stones
        return Side.FIRST if first.bit_count() == second.bit_count() else Side.SECOND

    def moves(self, pos: Position) -> Iterator[int]:
        if self.outcome(pos) is not None:
            return
        taken = pos.stones[0] | pos.stones[1]
        yield from (index for index in hexagon(pos.size).indices if not taken >> index & 1)

    def parse(self, pos: Position, text: str) -> int:
        board = hexagon(pos.size)
        cell = read_cell(fold(text))
        if cell is None:
            raise BadNotation(
                f"{quoted(text)} is not a cell. Write a letter and a number, such as {self._example(pos)}."
            )
        row, column = ord(cell[0]) - ord("a"), cell[1] - 1
        if row >= 2 * pos.size - 1:
            raise IllegalMove(
                f"There is no row {cell[0].upper()} here: the rows are A to {chr(ord('A') + 2 * pos.size - 2)}."
            )
        index = row * board.stride + column
        if not (0 <= column < board.stride - 1 and board.mask >> index & 1):
            raise IllegalMove(
                f"There is no cell {cell[0].upper()}{cell[1]}: row {cell[0].upper()} holds {board.row_range(row)}."
            )
        self._check(pos, index)
        return index

    def _check(self, pos: Position, index: int) -> None:
        """Raises: IllegalMove unless the cell, which is on the board, may be played."""
        if self.outcome(pos) is not None:
            raise IllegalMove("The game is over.")
        board = hexagon(pos.size)
        taken = pos.stones[0] | pos.stones[1]
        if taken >> index & 1:
            owner = "O" if pos.stones[0] >> index & 1 else "X"
            around = board.grow(1 << index) & board.mask & ~taken
            free = [board.name(near) for near in board.indices if around >> near & 1]
            raise IllegalMove(f"{board.name(index)} is taken: {owner} has a stone there.", free)

    def _example(self, pos: Position) -> str:
        free = list(self.moves(pos))
        return hexagon(pos.size).name(free[len(free) // 2]) if free else "A1"

    def notate(self, pos: Position, move: int) -> str:
        return hexagon(pos.size).name(move)

    def play(self, pos: Position, move: int) -> Position:
        self._check(pos, move)
        first, second = pos.stones
        if self.to_move(pos) is Side.FIRST:
            return Position(pos.size, (first | 1 << move, second), move)
        return Position(pos.size, (first, second | 1 << move), move)

    def outcome(self, pos: Position) -> Outcome | None:
        if pos.last is None:
            return None
        board, mover = hexagon(pos.size), self.to_move(pos).other
        chain = self._last_chain(pos)
        if board.connects_three(chain):
            return Outcome(mover, "by connecting three non-adjacent sides")
        if board.connects_opposite(chain):
            loser = self.sides(Options(pos.size))[mover - 1]
            return Outcome(mover.other, f"because {loser} connected two opposite sides")
        return None

    def _last_chain(self, pos: Position) -> Cells:
        """The chain that holds the stone placed last; empty at the start."""
        if pos.last is None:
            return 0
        own = pos.stones[self.to_move(pos).other - 1]
        return hexagon(pos.size).chain(1 << pos.last, own)

    def scene(self, pos: Position, last: int | None) -> Scene:
        board = hexagon(pos.size)
        ending = self._last_chain(pos) if self.outcome(pos) is not None else 0
        cells = tuple(
            cell(
                *board.place(index),
                board.name(index),
                "O" if pos.stones[0] >> index & 1 else "X" if pos.stones[1] >> index & 1 else "",
                index == last,
                bool(ending >> index & 1),
            )
            for index in board.indices
        )
        return Scene(HexBoard(cells, tuple(board.labels())))
