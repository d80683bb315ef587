"""The pieces of Luddit: stones at range of each other on a torus, loops, and what a loop around a piece allows.

Turns, as values and as text, are below: one or two moves, each of which places, removes or moves a piece.

The rules define loops recursively (a loop is a group of pieces, which may be loops). Here are closed forms, which the
tests compare with the recursion itself:

* A set of stones is a loop exactly if it is connected at range and has at least as many links as stones.
* Pieces around X, none sharing a stone with X, form a loop exactly if among the other stones some connected group K
  has a stone at range of X and
  - more links than stones; or
  - as many links as stones (one circle, with trees on it), and two of the stones at range of X are at range of each
    other, or K has an end (a stone with one link) other than the only stone at range of X.

The second is the form in RULES.md with its choice of a stone to leave out already made: if K has two or more circles,
some stone can be left out without breaking a circle and the way to it; if K has one, this needs such an end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from games.boards import WITHOUT_I, Board, Cells, Names, bits, union
from games.rules import BadNotation, IllegalMove, fold, quoted
from games.scene import Cell, GridBoard, Ground

_REACH = (-2, -1, 0, 1, 2)

MARGIN = 2
"""Rows and columns repeated beyond each edge of a drawn board: as far as range goes."""


class Group(NamedTuple):
    """A connected set of stones."""

    stones: Cells
    links: int
    """The pairs of stones at range of each other."""

    @property
    def spare(self) -> int:
        """Links beyond those of a circle with trees on it: negative for a tree, 0 for one circle, else positive."""
        return self.links - self.stones.bit_count()

    @property
    def is_loop(self) -> bool:
        return self.spare >= 0


class Torus(Board):
    """The intersections of one board size; a cell's index is row * size + column, rows counted from the bottom.

    beside: for each index the intersections at range: 1 or 2 king's moves away, with wrap-around.
    """

    def __init__(self, size: int) -> None:
        spots = {(column, row + 1): row * size + column for row in range(size) for column in range(size)}
        places = {index: (size - row, column) for (column, row), index in spots.items()}
        super().__init__(Names(WITHOUT_I.upper()[:size], spots, cell="intersection"), places)
        self.size = size
        self.beside = {index: self._square(*divmod(index, size)) & ~(1 << index) for index in self.indices}

    def _square(self, row: int, column: int) -> Cells:
        size = self.size
        return union((row + up) % size * size + (column + right) % size for up, right in product(_REACH, _REACH))

    def board(self, pieces: Mapping[str, Cells], **marks: Cells) -> GridBoard:
        """The board as a scene shows it, with copies beyond its edges. pieces, marks: as for shown."""
        size, own = self.size, {cell.place: cell for cell in self.shown(pieces, **marks)}
        beyond = range(-MARGIN, size + MARGIN)
        cells = tuple(
            own.get(place) or Cell(*place, "", own[place[0] % size, place[1] % size].piece, faint=True)
            for place in product(beyond, beyond)
        )
        return GridBoard(
            tuple(self.names.letters), tuple(str(size - row) for row in range(size)), cells, ground=Ground.LINES
        )

    def group(self, seed: Cells, within: Cells, *, tight: bool = False) -> Group:
        """The connected group of `within` that contains the seed, one stone of `within`.

        tight: a connected part of it with more links than stones is enough, if there is one.
        """
        done, reached, links = 0, seed, 0
        while fresh := reached & ~done:
            lowest = fresh & -fresh
            beside = self.beside[lowest.bit_length() - 1] & within
            links += (beside & done).bit_count()
            done |= lowest
            reached |= beside
            # More links than stones bind whatever else belongs to the group, and on a full board groups are large.
            if tight and links > done.bit_count():
                break
        return Group(done, links)

    def groups(self, stones: Cells, seeds: Cells, *, tight: bool = False) -> Iterator[Group]:
        """The connected groups of the stones that contain a seed. seeds: some of the stones."""
        while seeds:
            group = self.group(seeds & -seeds, stones, tight=tight)
            yield group
            seeds &= ~group.stones

    def is_piece(self, stones: Cells) -> bool:
        """Whether the stones are a single stone or a loop."""
        if stones.bit_count() <= 1:
            return stones != 0
        group = self.group(stones & -stones, stones)
        return group.stones == stones and group.is_loop

    def is_bound(self, piece: Cells, stones: Cells) -> bool:
        """Whether pieces at range of the piece, sharing no stone with it, form a loop. stones: all on the board."""
        reach, rest = self.reach(piece), stones & ~piece
        return any(self._binds(group, reach & group.stones) for group in self.groups(rest, reach & rest, tight=True))

    def _binds(self, group: Group, touching: Cells) -> bool:
        """Whether pieces of the group form a loop around a piece. touching: its stones at range of it, not empty."""
        # Two circles bind in any case, a tree never; one circle is the case that needs the stones themselves.
        if group.spare != 0:
            return group.spare > 0
        if any(self.beside[index] & touching for index in bits(touching)):
            return True
        return any(
            (self.beside[index] & group.stones).bit_count() == 1 and touching & ~(1 << index)
            for index in bits(group.stones)
        )


torus = cache(Torus)


FORMS = (
    'Write "C3" to place, "xC3" to remove and "C3>D5" to move a stone; the stones of a loop with commas: "xC3,D4,D5".'
)


class Move(NamedTuple):
    """One move, which lifts a piece, puts down stones, or both; indices of intersections."""

    lift: tuple[int, ...] = ()
    """The piece, in ascending order; empty if a stone from outside is placed."""
    put: tuple[int, ...] = ()
    """Where the stones go, the stone of lift[i] to put[i]; empty if the piece is removed."""

    @staticmethod
    def of(lift: list[int], put: list[int]) -> Move:
        """The move in canonical order; unpaired targets keep their order."""
        if len(lift) != len(put) or len(lift) == 1:
            return Move(tuple(sorted(lift)), tuple(put))
        pairs = sorted(zip(lift, put, strict=True))
        return Move(tuple(start for start, _ in pairs), tuple(end for _, end in pairs))


Turn = tuple[Move, ...]
"""One or two moves, the second made on the board after the first."""


def write_move(board: Torus, move: Move) -> str:
    lift, put = (",".join(map(board.names.__getitem__, cells)) for cells in (move.lift, move.put))
    if not move.lift:
        return put
    return f"{lift}>{put}" if move.put else f"x{lift}"


def write_turn(board: Torus, turn: Turn) -> str:
    return "; ".join(write_move(board, move) for move in turn)


_SPOKEN = (
    (
        re.compile(
            r" ?(?:\b(?:(?:and )?then|and|(?:und )?dann|und|et|puis|en|luego)\b|&|(?<=[0-9]) [ey] (?=[a-z][0-9])) ?"
        ),
        ";",
    ),
    (re.compile(r"\b(?:place|move) "), ""),
    (re.compile(r"\b(?:remove |x )"), "x"),
    (re.compile(r"(?<![a-wyz0-9])([a-z])[ ._-](?=[0-9])"), r"\1"),
    (re.compile(r" ?(?:[-=]{0,2}>| to |-) ?"), ">"),
    (re.compile(r" ?, ?"), ","),
    (re.compile(r",? ?;[ ;]*|,(?=x)"), " "),
)
"""Replacements that turn a turn as people write it into words separated by blanks, one for each move."""

_CELL = r"(?:[a-z][0-9]{1,4}|[0-9]{1,4}[a-z])"
_CELLS = rf"({_CELL}(?:,{_CELL})*)"
_MOVE = rf"(x?){_CELLS}(?:>{_CELLS})?"
_WORD, _WRITTEN = re.compile(_MOVE), re.compile(rf"{_MOVE}(?:; {_MOVE})?")
"""One move, and a turn as records have it."""


def read_turn(board: Torus, text: str) -> Turn:
    """The moves a text names, on the board but not checked for legality. Raises: BadNotation, IllegalMove."""
    # As records have it; what people write besides is slower to read.
    written = _WRITTEN.fullmatch(text.lower())
    words = (written.group(1, 2, 3), written.group(4, 5, 6)) if written else _words(text)
    turn = tuple(move for removes, first, second in words if first for move in _moves(board, removes, first, second))
    if not turn:
        raise BadNotation(f"There is no move in {quoted(text)}. {FORMS}")
    if len(turn) > 2:
        raise IllegalMove(
            f"That is {len(turn)} moves, and a turn is one or two. The stones of one loop are joined by commas, "
            'as in "xC3,D4,D5".'
        )
    return turn


def _words(text: str) -> Iterator[tuple[str, ...]]:
    """The words of a turn as people write it, each as ("x" or "", cells, cells after its > or None)."""
    plain = fold(text)
    for pattern, replacement in _SPOKEN:
        plain = pattern.sub(replacement, plain)
    for word in plain.split():
        match = _WORD.fullmatch(word)
        if match is None:
            raise BadNotation(f"{quoted(word)} cannot be read. {FORMS}")
        yield match.groups()


@lru_cache(4096)
def _moves(board: Torus, removes: str, first: str, second: str | None) -> tuple[Move, ...]:
    """The moves of a word; cells with neither x nor > are placed one by one."""
    # "xC3>D5" might be meant as a capture, which there is none of here.
    if removes and second:
        word = quoted(f"x{first}>{second}")
        raise BadNotation(f"{word} has both x and >: a piece is either removed or moved. {FORMS}")
    cells = _read_cells(board, first)
    if removes:
        return (Move.of(cells, []),)
    if second is None:
        return tuple([Move.of([], [cell]) for cell in cells])
    return (Move.of(cells, _read_cells(board, second)),)


def _read_cells(board: Torus, text: str) -> list[int]:
    """The indices of cells separated by commas. Raises: IllegalMove if one is beyond the board."""
    return [board.names.read(cell, str) for cell in text.split(",")]
