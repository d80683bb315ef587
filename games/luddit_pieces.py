"""The pieces of Luddit: stones at range of each other on a torus, loops, and what a loop around a piece allows.

The rules define loops by a recursion (a loop is a group of pieces, and so of loops). Here are its closed forms, which
the tests hold against the recursion itself:

* A set of stones is a loop exactly if it is connected at range and has at least as many links as stones.
* Pieces around X, none sharing a stone with X, form a loop exactly if among the other stones some connected group K
  has a stone at range of X and
  - more links than stones; or
  - as many links as stones (one circle, with trees on it), and two of the stones at range of X are at range of each
    other, or K has an end (a stone with one link) other than the only stone at range of X.

The second is RULES.md's form with its choice of a stone to leave out made: K with two circles or more always has one
that spares a circle and the way to it, and K with one circle has one exactly if it has such an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from games.boards import WITHOUT_I, Board, Cells, Names, bits, union
from games.scene import GridBoard, Ground, cell

_REACH = (-2, -1, 0, 1, 2)

MARGIN = 2
"""Rows and columns repeated beyond each edge of a drawn board: as far as range goes."""


class Group(NamedTuple):
    """A connected set of stones. links: pairs of them that are at range of each other."""

    stones: Cells
    links: int

    @property
    def spare(self) -> int:
        """Links beyond those of a circle with trees on it: negative for a tree, 0 for one circle, else positive."""
        return self.links - self.stones.bit_count()

    @property
    def is_loop(self) -> bool:
        return self.spare >= 0


class Torus(Board):
    """The intersections of one board size; a cell's index is row * size + column, rows counted from the bottom.

    beside: for each index the intersections at range, at wrap-around distance 1 or 2 in the eight directions' metric.
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

    def grow(self, cells: Cells) -> Cells:
        return cells | self.reach(cells)

    def reach(self, stones: Cells) -> Cells:
        """What is at range of one of the stones; some of the stones themselves may be in it."""
        reached = 0
        for index in bits(stones):
            reached |= self.beside[index]
        return reached

    def board(self, pieces: Mapping[str, Cells], **marks: Cells) -> GridBoard:
        """The board as a scene shows it, with copies beyond its edges; pieces, marks: see cells."""
        size, seen = self.size, range(-MARGIN, self.size + MARGIN)
        drawn = {shown.place: shown for shown in self.cells(pieces, **marks)}
        cells = [
            drawn.get(place) or cell(*place, "", drawn[place[0] % size, place[1] % size].piece, faint=True)
            for place in product(seen, seen)
        ]
        rows = tuple(str(size - row) for row in range(size))
        return GridBoard(tuple(self.names.letters), rows, tuple(cells), ground=Ground.LINES)

    def group(self, seed: Cells, within: Cells, *, tight: bool = False) -> Group:
        """The connected group of `within` that holds the seed, one stone of `within`.

        tight: a connected part of it will do that has more links than stones, where there is one.
        """
        done, reached, links = 0, seed, 0
        while fresh := reached & ~done:
            lowest = fresh & -fresh
            beside = self.beside[lowest.bit_length() - 1] & within
            links += (beside & done).bit_count()
            done |= lowest
            reached |= beside
            if tight and links > done.bit_count():
                break
        return Group(done, links)

    def groups(self, stones: Cells, seeds: Cells, *, tight: bool = False) -> Iterator[Group]:
        """The connected groups of the stones, as far as they hold one of the seeds, which are among them."""
        while seeds:
            group = self.group(seeds & -seeds, stones, tight=tight)
            yield group
            seeds &= ~group.stones

    def is_piece(self, stones: Cells) -> bool:
        """A single stone or a loop; the empty set is none."""
        if stones.bit_count() <= 1:
            return stones != 0
        group = self.group(stones & -stones, stones)
        return group.stones == stones and group.is_loop

    def is_bound(self, piece: Cells, stones: Cells) -> bool:
        """Pieces at range of the piece, none sharing a stone with it, form a loop; stones: all on the board."""
        reach, rest = self.reach(piece), stones & ~piece
        return any(self._binds(group, reach & group.stones) for group in self.groups(rest, reach & rest, tight=True))

    def _binds(self, group: Group, touching: Cells) -> bool:
        """The group holds a loop of pieces at range of whatever is at range of `touching`, not empty, and no more."""
        if group.spare != 0:
            return group.spare > 0
        if any(self.beside[index] & touching for index in bits(touching)):
            return True
        return any(
            (self.beside[index] & group.stones).bit_count() == 1 and touching & ~(1 << index)
            for index in bits(group.stones)
        )

    def is_conditioned(self, piece: Cells, own: Cells, stones: Cells) -> bool:
        """The piece is conditioned to the player who has the stones `own` among all the stones on the board."""
        return not piece & ~own or self.is_bound(piece, stones)


torus = cache(Torus)
