"""Dots and Boxes, by Edouard Lucas (1889).

In turn two players join neighbouring dots of a grid by a line. A line that is the fourth side of a box, or of two,
gives these boxes to the side that drew it, and that side must draw another line. When all lines are drawn, more boxes
win; equal numbers are a draw. Red begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from games.boards import NOTHING, BothSides, Cells, Points, bits, lattice, union
from games.rules import BadNotation, Coloured, IllegalMove, Info, Option, OptionValues, Outcome, Side, leader, score
from games.scene import Box, Scene


@dataclass(frozen=True, slots=True)
class Position:
    """drawn: the numbers of the drawn lines, as a set. boxes: those of the first and of the second side, each by the
    index of its lower left dot.
    """

    options: OptionValues
    drawn: Cells
    boxes: BothSides
    mover: Side = Side.FIRST


@cache
def sides_of(board: Points) -> tuple[tuple[tuple[int, Cells], ...], ...]:
    """For each line, the boxes that have it as a side, each with the set of its four lines."""
    up = board.stride
    beside: list[list[tuple[int, Cells]]] = [[] for _ in board.links]
    for dot in board.indices:
        ends = ((dot, dot + 1), (dot, dot + up), (dot + 1, dot + up + 1), (dot + up, dot + up + 1))
        lines = [link for pair in ends if (link := board.link(pair)) is not None]
        # Dots of the top row and the right column are the lower left one of no box.
        if len(lines) == 4:
            for line in lines:
                beside[line].append((dot, union(lines)))
    return tuple(map(tuple, beside))


class Dots(Coloured[Position, int]):
    """The rules of Dots and Boxes. A move is the number of a line, which is a link of the board."""

    info = Info(
        name="dots",
        title="Dots and Boxes",
        kind="territory",
        summary="draw lines between dots, close boxes, and go on after each",
        source="Edouard Lucas, 1889",
        options=(
            Option("columns", "boxes in a row", 5, low=2, high=12),
            Option("rows", "rows of boxes", 5, low=2, high=12),
            Option("size", "boxes per row and column", None, low=2, high=12, stands_for="-columns=N -rows=N"),
        ),
    )
    colours = ("Red", "Blue")

    def board(self, options: OptionValues) -> Points:
        return lattice(options.number("columns") + 1, options.number("rows") + 1)

    def start(self, options: OptionValues) -> Position:
        return Position(options, 0, NOTHING)

    def to_move(self, pos: Position) -> Side:
        return pos.mover

    def moves(self, pos: Position) -> Iterator[int]:
        yield from (link for link in range(len(self.board(pos.options).links)) if not pos.drawn >> link & 1)

    def read(self, pos: Position, text: str) -> int:
        board = self.board(pos.options)
        ends = board.names.read_path(text, lambda: self._example(pos))
        if (link := board.link(ends)) is not None:
            return link
        if len(ends) != 2:
            raise BadNotation(f"A line joins two dots. Write it as in {self._example(pos)}.", self._free(pos, ends))
        one, other = (board.names[end] for end in ends)
        raise IllegalMove(f"{one} and {other} are not next to each other in a row or column.", self._free(pos, ends))

    def check(self, pos: Position, link: int) -> None:
        if pos.drawn >> link & 1:
            board = self.board(pos.options)
            raise IllegalMove(
                f"The line {board.link_names[link]} is drawn already.", self._free(pos, board.links[link])
            )

    def _free(self, pos: Position, ends: Sequence[int]) -> list[str]:
        """The lines at these dots that may be drawn."""
        board = self.board(pos.options)
        return [board.link_names[line] for line in self.moves(pos) if set(board.links[line]) & set(ends)]

    def _example(self, pos: Position) -> str:
        return self.notate(pos, next(self.moves(pos), 0))

    def notate(self, pos: Position, move: int) -> str:
        return self.board(pos.options).link_names[move]

    def play(self, pos: Position, move: int) -> Position:
        drawn, closed = pos.drawn | 1 << move, self._closed(pos.options, pos.drawn | 1 << move, move)
        boxes = pos.boxes.with_(pos.mover, closed)
        # Whoever closes a box must go on.
        return Position(pos.options, drawn, boxes, pos.mover if closed else pos.mover.other)

    def _closed(self, options: OptionValues, drawn: Cells, last: int) -> Cells:
        """The boxes closed by the line drawn last."""
        return union(box for box, lines in sides_of(self.board(options))[last] if not lines & ~drawn)

    def outcome(self, pos: Position) -> Outcome | None:
        if pos.drawn.bit_count() < len(self.board(pos.options).links):
            return None
        scores = self._points(pos)
        if (winner := leader(scores)) is None:
            return Outcome(None, f"with {scores[0]} boxes each", scores)
        return Outcome(winner, f"on boxes, {max(scores)} to {min(scores)}", scores)

    def _points(self, pos: Position) -> tuple[int, int]:
        first, second = (boxes.bit_count() for boxes in pos.boxes)
        return first, second

    def threats(self, pos: Position) -> list[str]:
        closing = [
            self.notate(pos, line) for line in self.moves(pos) if self._closed(pos.options, pos.drawn | 1 << line, line)
        ]
        return [f"The next line closes a box if it is {' or '.join(closing)}."] if closing else []

    def scene(self, pos: Position, last: int | None) -> Scene:
        board = self.board(pos.options)
        boxes = [
            Box(*board.places[box + board.stride], name[0])
            for name, owned in zip(self.colours, pos.boxes, strict=True)
            for box in reversed(list(bits(owned)))
        ]
        drawn = board.board({}, joins=board.joins(pos.drawn, last), boxes=boxes, colours=(("B", "blue"),))
        note = score(self.colours, self._points(pos))
        if last is not None and self.outcome(pos) is None and self._closed(pos.options, pos.drawn, last):
            note += f" {self.colours[pos.mover - 1]} closed a box and must draw another line."
        return Scene(drawn, notes=(note,))
