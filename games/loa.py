"""Lines of Action, by Claude Soucie (1969).

Each side has twelve pieces on the edges of a board of eight by eight squares. A piece moves along its row, column or
diagonal by exactly as many squares as there are pieces of both colours on that line. It leaps over its own side's
pieces, not over the opponent's, and takes an opposing piece it lands on. Black begins. A side wins when all its pieces
form one group, including diagonal neighbours. The same position for the third time with the same side to move is a
draw.

Rulings. A move that unites the pieces of both sides wins for the side that made it; one that unites only the opponent's
wins for the opponent. A single piece is a group. A side that cannot move must pass; otherwise passing is not allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from games.boards import BothSides, Cells, Squares, squares, union
from games.moving import Moving, Path, Position
from games.rules import IllegalMove, Info, OptionValues, Outcome, fold

BOARD = squares(8, 8, chequered=True)
PASS = "pass"  # noqa: S105  a move


class Way(NamedTuple):
    """One direction from a square."""

    line: Cells
    """All squares of the line."""
    ends: tuple[int, ...]
    """The squares ahead, the next one first."""
    between: tuple[Cells, ...]
    """The squares leapt over on the way to each of them."""


@cache
def ways() -> Mapping[int, tuple[Way, ...]]:
    """For each square its eight directions, the two of each line in succession."""
    all_ways = {}
    for start, rays in BOARD.rays.items():
        lines = [union((start, *rays[at & ~1], *rays[at | 1])) for at in range(8)]
        all_ways[start] = tuple(
            Way(line, ray, tuple(union(ray[:at]) for at in range(len(ray))))
            for line, ray in zip(lines, rays, strict=True)
        )
    return all_ways


class Loa(Moving):
    """The rules of Lines of Action. The empty path is a pass."""

    info = Info(
        name="loa",
        title="Lines of Action",
        kind="movement",
        summary="bring all your pieces together in one group",
        source="Claude Soucie, 1969",
        sgf=9,
    )
    colours = ("Black", "White")
    rule = "A piece goes along a line by as many squares as there are pieces on it, and leaps over its own only."
    minds_repetition = True

    def board(self, options: OptionValues) -> Squares:
        return BOARD

    def pieces(self, board: Squares) -> BothSides:
        column, inner = sum(1 << row * board.stride for row in range(1, 7)), ((1 << 6) - 1) << 1
        return BothSides(inner | inner << 7 * board.stride, column | column << 7)

    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        own, others = pos.own, pos.others
        for line, ends, between in ways()[start]:
            far = (line & (own | others)).bit_count() - 1
            if far < len(ends) and not own >> ends[far] & 1 and not between[far] & others:
                yield start, ends[far]

    def paths(self, pos: Position) -> Iterator[Path]:
        paths = super().paths(pos)
        # The only move of a side that has none is the pass.
        yield next(paths, ())
        yield from paths

    def forced(self, pos: Position) -> Path | None:
        return () if next(self.paths(pos)) == () else None

    def read(self, pos: Position, text: str) -> Path:
        return () if fold(text) == PASS else super().read(pos, text)

    def check(self, pos: Position, path: Path) -> None:
        must_pass = next(self.paths(pos)) == ()
        if path and not must_pass:
            super().check(pos, path)
        elif path:
            raise IllegalMove(f"{self.colours[pos.mover - 1]} cannot move, and must pass.", [PASS])
        elif not must_pass:
            raise IllegalMove(f"You may pass only when you cannot move. Write a move, such as {self.example(pos)}.")

    def notate(self, pos: Position, move: Path) -> str:
        return super().notate(pos, move) or PASS

    def play(self, pos: Position, move: Path) -> Position:
        return super().play(pos, move) if move else self.after(pos, pos.own, pos.others)

    def outcome(self, pos: Position) -> Outcome | None:
        # The side that moved first: a move that unites both sides wins for it.
        for side, pieces in ((pos.mover.other, pos.others), (pos.mover, pos.own)):
            if _joined(pieces):
                return Outcome(side, "by joining all pieces" if pieces & (pieces - 1) else "with a single piece left")
        return self.repeated(pos)


@lru_cache(maxsize=4096)
def _joined(pieces: Cells) -> bool:
    reached = pieces & -pieces
    while (grown := BOARD.grow_all(reached) & pieces) != reached:
        reached = grown
    return reached == pieces
