"""Games in which the sides take turns to put a stone on a free cell.

A game defines its board, what ends it and, if stones do not just stay, what a stone does to others; moves, reading,
refusals, play and drawing follow from these. A move is the index of a cell, or PASS if the game has passes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from games.boards import NEAR, NOTHING, BothSides, Cells, Hexes, Squares, bits
from games.rules import Coloured, IllegalMove, OptionValues, Outcome, Side, fold
from games.scene import Scene

PASS = -1
_PASSES = frozenset({"pass", "passes", "--"})


@dataclass(frozen=True, slots=True)
class Position:
    """stones: the cells of the first and of the second side. last: the last cell placed on; None at the start, PASS if
    there were only passes. passes: how many since then. seen: earlier stones, if positions must not be repeated.
    """

    options: OptionValues
    stones: BothSides = NOTHING
    last: int | None = None
    to_move: Side = Side.FIRST
    passes: int = 0
    seen: frozenset[BothSides] = field(default=frozenset(), hash=False)

    @property
    def taken(self) -> Cells:
        return self.stones.all

    @property
    def own(self) -> Cells:
        """The stones of the side to move."""
        return self.stones.of(self.to_move)

    @property
    def others(self) -> Cells:
        return self.stones.of(self.to_move.other)


class Ending(NamedTuple):
    """How a game ended."""

    outcome: Outcome
    cells: Cells = 0
    """The cells that decided it, to be marked."""


class Placing(Coloured[Position, int]):
    """The rules of such a game, except its board and its end."""

    colours = ("Black", "White")
    passing = False
    """Whether the game has passes, even if rarely allowed."""
    paint: tuple[tuple[str, str], ...] = ()
    """Letters of stones with a colour that is not the usual one of the letter, and that colour."""

    @abstractmethod
    def board(self, options: OptionValues) -> Hexes | Squares: ...

    @abstractmethod
    def ending(self, pos: Position, last: int) -> Ending | None:
        """How the last move ended the game; None if it did not. A full board without an ending is a draw."""

    def legal(self, pos: Position) -> Cells:
        """The cells that may be played while the game goes on."""
        return self.board(pos.options).full & ~pos.taken

    def may_pass(self, pos: Position) -> bool:
        return False

    def placed(self, pos: Position, move: int) -> BothSides:
        """The stones of both sides after the side to move has placed one on a legal cell."""
        return pos.stones.with_(pos.to_move, 1 << move)

    def start(self, options: OptionValues) -> Position:
        return Position(options)

    def to_move(self, pos: Position) -> Side:
        return pos.to_move

    def moves(self, pos: Position) -> Iterator[int]:
        if self.outcome(pos) is None:
            legal = self.legal(pos)
            yield from (index for index in self.board(pos.options).indices if legal >> index & 1)
            if self.may_pass(pos):
                yield PASS

    def read(self, pos: Position, text: str) -> int:
        if self.passing and fold(text) in _PASSES:
            return PASS
        return self.board(pos.options).names.read(text, lambda: self._example(pos))

    def _example(self, pos: Position) -> str:
        free = list(self.moves(pos)) or list(self.board(pos.options).indices)
        return self.notate(pos, free[len(free) // 2])

    def check(self, pos: Position, move: int) -> None:
        if not (self.may_pass(pos) if move == PASS else self.allows(pos, move)):
            raise IllegalMove(self.refusal(pos, move), self.near(pos, move))

    def allows(self, pos: Position, cell: int) -> bool:
        return bool(self.legal(pos) >> cell & 1)

    def refusal(self, pos: Position, move: int) -> str:
        """Why a move cannot be played."""
        owner = self.colours[pos.stones[1] >> move & 1]
        return f"{self.notate(pos, move)} is taken: {owner} has a stone there."

    def near(self, pos: Position, move: int) -> list[str]:
        """The legal moves nearest to one that cannot be played."""
        if move == PASS:
            return [self.notate(pos, other) for other in islice(self.moves(pos), NEAR)]
        return self.board(pos.options).near(move, self.legal(pos))

    def notate(self, pos: Position, move: int) -> str:
        return "pass" if move == PASS else self.board(pos.options).names[move]

    def play(self, pos: Position, move: int) -> Position:
        if move == PASS:
            return replace(
                pos, last=PASS if pos.last is None else pos.last, to_move=pos.to_move.other, passes=pos.passes + 1
            )
        return Position(pos.options, self.placed(pos, move), move, pos.to_move.other, seen=pos.seen)

    def outcome(self, pos: Position) -> Outcome | None:
        ending = _ending(self, pos)
        return ending and ending.outcome

    def scene(self, pos: Position, last: int | None) -> Scene:
        ending = _ending(self, pos)
        pieces = {name[0]: stones for name, stones in zip(self.colours, pos.stones, strict=True)}
        marked = 0 if last is None or pos.last is None or pos.last == PASS else 1 << pos.last
        board = self.board(pos.options)
        return Scene(
            board.board(pieces, colours=self.paint, last=marked, winning=ending.cells if ending else 0), self.notes(pos)
        )

    def threats(self, pos: Position) -> list[str]:
        """Sentences on where the other side would win, and on what it would take."""
        names, rival = self.board(pos.options).names, pos.to_move.other
        wins, takes = [], []
        turned = replace(pos, to_move=rival)
        for cell in bits(self.legal(turned)):
            stones = self.placed(turned, cell)
            ending = self.ending(Position(pos.options, stones, cell, pos.to_move), cell)
            if ending is not None and ending.outcome.winner is rival:
                wins.append(self.notate(pos, cell))
            # Only in games that take stones, such as Go.
            if lost := pos.own & ~stones.all:
                takes.append(f"{', '.join(names.of(lost))} with {self.notate(pos, cell)}")
        told = [f"win with {' or '.join(wins)}"] if wins else []
        return [
            f"{self.colours[rival - 1]} threatens to {what}." for what in (*told, *(f"take {each}" for each in takes))
        ]

    def notes(self, pos: Position) -> tuple[str, ...]:
        """Sentences on the state, to show below the board."""
        return ()


@lru_cache(maxsize=5000)  # it is needed several times at each ply
def _ending(game: Placing, pos: Position) -> Ending | None:
    if pos.last is None:
        return None
    ending = game.ending(pos, pos.last)
    if ending is None and pos.taken == game.board(pos.options).full:
        return Ending(Outcome(None, "because the board is full"))
    return ending
