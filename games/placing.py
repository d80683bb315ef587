"""Games in which the sides take turns to put a stone on a free cell, where it stays.

A game says its board and what ends it; moves, reading, refusals, play and drawing follow from these. A move is the
index of a cell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.boards import Cells, Hexes, Squares
from games.rules import IllegalMove, Info, OptionValues, Outcome, Side
from games.scene import Scene


@dataclass(frozen=True, slots=True)
class Position:
    """stones: the cells of the first and of the second side. last: the cell placed last, None at the start."""

    options: OptionValues
    stones: tuple[Cells, Cells] = (0, 0)
    last: int | None = None

    @property
    def taken(self) -> Cells:
        return self.stones[0] | self.stones[1]

    @property
    def to_move(self) -> Side:
        return Side.FIRST if self.stones[0].bit_count() == self.stones[1].bit_count() else Side.SECOND


class Ending(NamedTuple):
    """How a game ended. cells: those that decided it, to be marked."""

    outcome: Outcome
    cells: Cells = 0


class Placing(ABC):
    """The rules of such a game, but for its board and its end."""

    info: Info
    colours = ("Black", "White")
    """Names of the sides; their first letters are those of their stones."""
    paint: tuple[tuple[str, str], ...] = ()
    """Letters of stones that have not the usual colour of their letter, with that colour."""

    @abstractmethod
    def board(self, options: OptionValues) -> Hexes | Squares: ...

    @abstractmethod
    def ending(self, pos: Position, last: int) -> Ending | None:
        """Whether the stone placed last has ended the game. A full board without an end is a draw."""

    def legal(self, pos: Position) -> Cells:
        """The cells that may be played while the game goes on."""
        return self.board(pos.options).full & ~pos.taken

    def options(self, words: Sequence[str], *, body: str = "") -> OptionValues:
        return OptionValues(self.info.options, words)

    def sides(self, options: OptionValues) -> tuple[str, str]:
        return self.colours

    def start(self, options: OptionValues) -> Position:
        return Position(options)

    def to_move(self, pos: Position) -> Side:
        return pos.to_move

    def moves(self, pos: Position) -> Iterator[int]:
        if self.outcome(pos) is None:
            legal = self.legal(pos)
            yield from (index for index in self.board(pos.options).indices if legal >> index & 1)

    def parse(self, pos: Position, text: str) -> int:
        move = self.board(pos.options).names.read(text, lambda: self._example(pos))
        self._check(pos, move)
        return move

    def _example(self, pos: Position) -> str:
        free = list(self.moves(pos)) or list(self.board(pos.options).indices)
        return self.notate(pos, free[len(free) // 2])

    def _check(self, pos: Position, move: int) -> None:
        """Raises: IllegalMove unless the cell, which is on the board, may be played."""
        if self.outcome(pos) is not None:
            raise IllegalMove("The game is over.")
        if not self.legal(pos) >> move & 1:
            raise IllegalMove(self.refusal(pos, move), self.near(pos, move))

    def refusal(self, pos: Position, move: int) -> str:
        """Why a cell cannot be played."""
        owner = self.colours[pos.stones[1] >> move & 1]
        return f"{self.notate(pos, move)} is taken: {owner} has a stone there."

    def near(self, pos: Position, move: int) -> list[str]:
        """The legal moves nearest to a cell that cannot be played."""
        return self.board(pos.options).near(move, self.legal(pos))

    def notate(self, pos: Position, move: int) -> str:
        return self.board(pos.options).names[move]

    def play(self, pos: Position, move: int) -> Position:
        self._check(pos, move)
        first, second = pos.stones
        if pos.to_move is Side.FIRST:
            return Position(pos.options, (first | 1 << move, second), move)
        return Position(pos.options, (first, second | 1 << move), move)

    def outcome(self, pos: Position) -> Outcome | None:
        ending = self._ending(pos)
        return ending and ending.outcome

    def _ending(self, pos: Position) -> Ending | None:
        if pos.last is None:
            return None
        ending = self.ending(pos, pos.last)
        if ending is None and pos.taken == self.board(pos.options).full:
            return Ending(Outcome(None, "because the board is full"))
        return ending

    def scene(self, pos: Position, last: int | None) -> Scene:
        ending = self._ending(pos)
        pieces = {name[0]: stones for name, stones in zip(self.colours, pos.stones, strict=True)}
        placed, decided = 0 if last is None else 1 << last, ending.cells if ending else 0
        board = self.board(pos.options)
        return Scene(board.board(pieces, colours=self.paint, last=placed, winning=decided))
