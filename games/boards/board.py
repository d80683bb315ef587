"""What all boards share: neighbours, chains, lines, near candidates, and cells as scenes show them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property

from games.boards.cells import Cells, bits, union
from games.boards.names import Names
from games.scene import Cell, Form, Place, cell

NEAR = 6
"""Legal cells offered when a cell is refused."""

_FORMS = frozenset(Form)


class Board(ABC):
    """Cells with their names and where they are drawn.

    indices: of all cells, ascending. full: their set. places: where scenes show them. steps: from a cell to the next
    one along each kind of line, one way. shading: the cells that are shaded, whatever is on them.
    """

    names: Names
    full: Cells
    steps: tuple[int, ...]
    shading: Cells = 0

    def __init__(self, names: Names, places: Mapping[int, Place]) -> None:
        """places: of each cell by its index, as scenes count them."""
        self.names, self.places = names, dict(sorted(places.items()))
        self.indices = tuple(self.places)
        self.full = union(places)

    @abstractmethod
    def grow(self, cells: Cells) -> Cells:
        """The cells and all their neighbours, and perhaps places off the board."""

    def around(self, cells: Cells) -> Cells:
        """The neighbours of the cells, without themselves."""
        return self.grow(cells) & self.full & ~cells

    def chain(self, seed: Cells, within: Cells) -> Cells:
        """The cells of `within` that are connected with the seed, which is part of it."""
        reached = seed
        while (grown := self.grow(reached) & within) != reached:
            reached = grown
        return reached

    def chains(self, cells: Cells) -> Iterator[Cells]:
        """The connected parts of a set."""
        while cells:
            chain = self.chain(cells & -cells, cells)
            yield chain
            cells ^= chain

    def runs(self, index: int, within: Cells) -> Iterator[Cells]:
        """The unbroken lines of `within` through a cell of it, one in each direction."""
        for step in self.steps:
            run = 1 << index
            for way in (step, -step):
                at = index + way
                while at >= 0 and within >> at & 1:
                    run |= 1 << at
                    at += way
            yield run

    def near(self, index: int, legal: Cells) -> list[str]:
        """The names of the legal cells nearest to a cell, at most NEAR."""
        found: list[str] = []
        seen = 1 << index
        while seen != self.full and len(found) < NEAR:
            fresh = self.around(seen)
            found += self.names.of(fresh & legal)
            if not fresh:
                break
            seen |= fresh
        return found[:NEAR]

    def cells(self, pieces: Mapping[str, Cells], **marks: Cells) -> tuple[Cell, ...]:
        """All cells as scenes show them.

        pieces: by their letters. marks: the cells that are last, winning, closed or shaded; those under queen, arrow
        and wall have pieces of that form.
        """
        drawn, marked, shaded = dict(self._blank), 0, self.shading | marks.get("shaded", 0)
        for some in (*pieces.values(), *marks.values()):
            marked |= some
        for index in bits(marked):
            letter = next((letter for letter, placed in pieces.items() if placed >> index & 1), "")
            said = [name for name, some in marks.items() if some >> index & 1]
            form = next((Form(name) for name in said if name in _FORMS), Form.STONE)
            flags = ("last" in said, "winning" in said, "closed" in said, False, bool(shaded >> index & 1))
            drawn[index] = cell(*self.places[index], self.names[index], letter, *flags, form)
        return tuple(drawn.values())

    @cached_property
    def _blank(self) -> dict[int, Cell]:
        return {
            index: cell(*place, self.names[index], shaded=bool(self.shading >> index & 1))
            for index, place in self.places.items()
        }
