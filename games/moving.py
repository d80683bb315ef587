"""Games in which a piece moves from one cell to another, and takes what is there.

A game defines its board, where pieces stand at the start, how they move, and what ends it; reading, refusals, play and
drawing follow from these. A move is the path of the piece: its cells from the first to the last.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from games.boards import BothSides, Cells, Squares, bits, union
from games.rules import RECURS, REPETITIONS, Coloured, IllegalMove, MoveError, OptionValues, Outcome, Side
from games.scene import Scene

Path = tuple[int, ...]

CANDIDATES = 6
"""How many legal moves are offered when a move is refused."""
QUOTED = 4
"""How many cells of a path are quoted when it is refused."""
MOST_TRIED = 200
"""With more moves than this, threats are not listed."""


@dataclass(frozen=True, slots=True)
class Position:
    """pieces: the cells of the first and of the second side. seen: pieces and movers of the positions since something
    was last taken, only if the game minds repetition. placed: how many pieces the sides have brought to the board, in
    games where they do. walls: cells that are closed for good.
    """

    options: OptionValues
    pieces: BothSides
    mover: Side = Side.FIRST
    seen: tuple[tuple[BothSides, Side], ...] = field(default=(), hash=False)
    placed: int = 0
    walls: Cells = 0

    @property
    def own(self) -> Cells:
        return self.pieces.of(self.mover)

    @property
    def others(self) -> Cells:
        return self.pieces.of(self.mover.other)

    @property
    def times(self) -> int:
        """How often the position has occurred with the same side to move, including this time."""
        return 1 + self.seen.count((self.pieces, self.mover))


class Moving(Coloured[Position, Path]):
    """The rules of such a game, except its board, how pieces move, and its end."""

    colours = ("White", "Black")
    piece = "piece"
    rule: str
    """How a piece moves, in one sentence for refusals."""
    minds_repetition = False

    @abstractmethod
    def board(self, options: OptionValues) -> Squares: ...

    @abstractmethod
    def pieces(self, board: Squares) -> BothSides:
        """The cells of both sides' pieces at the start."""

    @abstractmethod
    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        """The paths of one piece of the side to move, whether or not the game is over."""

    def starts(self, pos: Position) -> Cells:
        """The cells that a move may begin with."""
        return pos.own

    def allows(self, pos: Position, path: Path) -> bool:
        """Whether a piece of the side to move may take the path, which begins at its cell."""
        return path in self.paths_from(pos, path[0])

    def can_move(self, pos: Position) -> bool:
        return next(self.paths(pos), None) is not None

    def paths(self, pos: Position) -> Iterator[Path]:
        """Every possible move of the side to move, whether or not the game is over."""
        for start in bits(self.starts(pos)):
            yield from self.paths_from(pos, start)

    def outcome(self, pos: Position) -> Outcome | None:
        """A side that cannot move has lost, unless the game says otherwise."""
        if self.can_move(pos):
            return None
        return Outcome(pos.mover.other, f"because {self.colours[pos.mover - 1]} cannot move")

    def repeated(self, pos: Position) -> Outcome | None:
        """A draw, once the position has occurred REPETITIONS times."""
        return Outcome(None, "because the same position came for the third time") if pos.times >= REPETITIONS else None

    def start(self, options: OptionValues) -> Position:
        return Position(options, self.pieces(self.board(options)))

    def to_move(self, pos: Position) -> Side:
        return pos.mover

    def moves(self, pos: Position) -> Iterator[Path]:
        if self.outcome(pos) is None:
            yield from self.paths(pos)

    def beginnings(self, pos: Position) -> dict[str, str]:
        """For each cell its only move, or its name with the mark that joins the next cell."""
        begun: dict[str, str] = {}
        for start in bits(self.starts(pos)) if self.outcome(pos) is None else ():
            name = self.board(pos.options).names[start]
            # Two are enough to know that there is a choice.
            ways = [self.notate(pos, path) for path in islice(self.paths_from(pos, start), 2)]
            if ways:
                begun[name] = ways[0] if len(ways) == 1 else ways[0][: len(name) + 1]
        return begun

    def read(self, pos: Position, text: str) -> Path:
        return self.board(pos.options).names.read_path(text, lambda: self.example(pos))

    def check(self, pos: Position, path: Path) -> None:
        if not (self.starts(pos) >> path[0] & 1 and self.allows(pos, path)):
            raise self.refusal(pos, path, list(self.paths(pos)))

    def example(self, pos: Position) -> str:
        return next((self.notate(pos, path) for path in self.paths(pos)), "a1-a2")

    def refusal(self, pos: Position, path: Path, legal: Sequence[Path]) -> MoveError:
        """Why a path is not a legal move, with the most similar legal ones."""
        likest = sorted(legal, key=lambda other: -sum(one == two for one, two in zip(path, other, strict=False)))
        near = [self.notate(pos, other) for other in likest[:CANDIDATES] if set(other) & set(path)]
        name, mover = self.board(pos.options).names[path[0]], self.colours[pos.mover - 1]
        # From the coarse to the fine: the first thing wrong is the one to put right.
        if not pos.own >> path[0] & 1:
            return IllegalMove(f"{mover} is to move, and has no {self.piece} on {name}.", near)
        if all(other[0] != path[0] for other in legal):
            return IllegalMove(f"The {self.piece} on {name} cannot move. {self.rule}", near)
        words = self.notate(pos, path[:QUOTED]) + "-..." * (len(path) > QUOTED)
        return IllegalMove(f"The {self.piece} on {name} cannot make the move {words}. {self.rule}", near)

    def notate(self, pos: Position, move: Path) -> str:
        names = self.board(pos.options).names
        return "-".join(names[index] for index in move)

    def play(self, pos: Position, move: Path) -> Position:
        start, end = 1 << move[0], 1 << move[-1]
        return self.after(pos, pos.own ^ start | end, pos.others & ~end)

    def after(self, pos: Position, own: Cells, others: Cells, *, placed: int = 0, walls: Cells = 0) -> Position:
        """The next position. own, others: the pieces after the move, of the side that moved and of the other side."""
        # What is taken never comes back, and so do none of the positions before.
        remembers = self.minds_repetition and others == pos.others
        seen = (*pos.seen, (pos.pieces, pos.mover)) if remembers else ()
        pieces = BothSides.seen_by(pos.mover, own, others)
        return Position(pos.options, pieces, pos.mover.other, seen, placed, walls)

    def threats(self, pos: Position) -> list[str]:
        """Sentences on the moves by which the other side would win, and on what it could take."""
        rival, turned = pos.mover.other, replace(pos, mover=pos.mover.other)
        paths = list(islice(self.paths(turned), MOST_TRIED + 1))
        # Each of them is played for an outcome, in a mail that somebody waits for.
        if len(paths) > MOST_TRIED:
            return []
        names = self.board(pos.options).names
        taken = names.of(union(cell for path in paths for cell in path[1:]) & pos.own)
        outcomes = [(path, self.outcome(self.play(turned, path))) for path in paths]
        wins = [self.notate(turned, path) for path, outcome in outcomes if outcome and outcome.winner is rival]
        told = [f"win with {' or '.join(wins)}"] if wins else []
        told += [f"take {' or '.join(taken)}"] if taken else []
        return [f"{self.colours[rival - 1]} threatens to {what}." for what in told]

    def scene(self, pos: Position, last: Path | None) -> Scene:
        pieces = {name[0]: cells for name, cells in zip(self.colours, pos.pieces, strict=True)}
        board = self.board(pos.options).board(pieces, path=last or (), last=union(last or ()))
        return Scene(board, self.notes(pos))

    def notes(self, pos: Position) -> tuple[str, ...]:
        """Sentences on the state, to show below the board."""
        return (RECURS,) if self.minds_repetition and pos.times == REPETITIONS - 1 else ()
