"""Sets of cells as the bits of a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Cells = int
"""A set of cells: bit i for the cell of index i."""


def bits(cells: Cells) -> Iterator[int]:
    """The indices of a set, lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def union(indices: Iterable[int]) -> Cells:
    cells = 0
    for index in indices:
        cells |= 1 << index
    return cells
