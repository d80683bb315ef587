"""Game of the Amazons, by Walter Zamkauskas (1988).

In turn the players move one of their four amazons like a queen in chess, and then shoot an arrow from its new square,
which also flies like a queen. Nothing passes through or lands on amazons and arrows; arrows stay, and nothing is taken.
White begins; a side that cannot move loses. No draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.boards import BothSides, Cells, Squares, squares, union
from games.moving import Moving, Path, Position
from games.rules import BadNotation, IllegalMove, Info, MoveError, Option, OptionValues
from games.scene import Scene

STARTS = {
    6: ("a2 c1 d1 f2", "a5 c6 d6 f5"),
    8: ("c1 f1 a3 h3", "a6 h6 c8 f8"),
    10: ("d1 g1 a4 j4", "a7 j7 d10 g10"),
}


class Amazons(Moving):
    """The rules of Amazons. A path is the amazon's square, its new square, and the square of its arrow."""

    info = Info(
        name="amazons",
        title="Amazons",
        kind="territory",
        summary="move a queen, shoot an arrow that stays, until somebody cannot move",
        source="Walter Zamkauskas, 1988",
        options=(Option("size", "squares per row and column", "10", choices=("6", "8", "10")),),
        sgf=18,
    )
    piece = "amazon"
    rule = "An amazon goes, and then shoots, along a row, a column or a diagonal until something stands in its way."

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("size"), options.number("size"), chequered=True)

    def pieces(self, board: Squares) -> BothSides:
        return BothSides(*(union(board.names.read_path(names, str)) for names in STARTS[len(board.rows)]))

    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        taken = (pos.pieces.all | pos.walls) & ~(1 << start)  # the square left is free, also for the arrow
        for end in self._flight(pos, start, taken):
            yield from ((start, end, arrow) for arrow in self._flight(pos, end, taken))

    def _flight(self, pos: Position, start: int, taken: Cells) -> Iterator[int]:
        """The squares that a queen's move from a square can reach."""
        for ray in self.board(pos.options).rays[start]:
            for cell in ray:
                if taken >> cell & 1:
                    break
                yield cell

    def read(self, pos: Position, text: str) -> Path:
        path = super().read(pos, text)
        if len(path) != 3:
            example = self.example(pos)
            raise BadNotation(f"A move is where an amazon stands, where it goes and where it shoots, as in {example}.")
        return path

    def refusal(self, pos: Position, path: Path, legal: Sequence[Path]) -> MoveError:
        if any(other[:2] == path[:2] for other in legal):
            stands, falls = (self.board(pos.options).names[index] for index in path[1:])
            near = [self.notate(pos, other) for other in legal if other[:2] == path[:2]]
            return IllegalMove(f"An arrow cannot fly from {stands} to {falls}. {self.rule}", near[:6])
        return super().refusal(pos, path, legal)

    def notate(self, pos: Position, move: Path) -> str:
        start, end, arrow = (self.board(pos.options).names[index] for index in move)
        return f"{start}-{end}/{arrow}"

    def play(self, pos: Position, move: Path) -> Position:
        start, end, arrow = (1 << index for index in move)
        return self.after(pos, pos.own ^ start | end, pos.others, walls=pos.walls | arrow)

    def scene(self, pos: Position, last: Path | None) -> Scene:
        white, black = pos.pieces
        pieces, moved = {"W": white, "B": black, "#": pos.walls}, last or ()
        drawn = self.board(pos.options).board(
            pieces, path=moved[:2], last=union(moved), queen=pos.pieces.all, arrow=pos.walls
        )
        return Scene(drawn)
