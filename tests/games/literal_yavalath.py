"""Yavalath once more, word for word from the rules and as slow: cells are names, lines follow letters and numbers."""

from __future__ import annotations

from collections.abc import Iterator

Stones = tuple[frozenset[str], frozenset[str], str]
"""White's cells, Black's cells, and the last cell played."""
EMPTY: Stones = (frozenset(), frozenset(), "")


def cells(size: int) -> list[str]:
    """Rows of size, size + 1, .. 2 * size - 1, .. size cells; the lower rows begin with higher numbers."""
    names = []
    for row in range(2 * size - 1):
        first = max(1, row - size + 2)
        length = 2 * size - 1 - abs(row - (size - 1))
        names += [f"{chr(65 + row)}{number}" for number in range(first, first + length)]
    return names


DIRECTIONS = ((0, 1), (1, 0), (1, 1))
"""Steps of letter and number: along a row, along a / diagonal, along the third line."""


def lengths(stones: frozenset[str], cell: str) -> Iterator[int]:
    """The number of stones in an unbroken line through the cell, in each direction."""
    for down, right in DIRECTIONS:
        length = 1
        for way in (1, -1):
            letter, number = ord(cell[0]) + way * down, int(cell[1:]) + way * right
            while f"{chr(letter)}{number}" in stones:
                length, letter, number = length + 1, letter + way * down, number + way * right
        yield length


def winner(size: int, pos: Stones) -> int | None:
    """1 for White, 2 for Black, 0 for a draw, None while the game goes on."""
    white, black, last = pos
    if last:
        mover = 1 if last in white else 2
        longest = max(lengths(white if mover == 1 else black, last))
        if longest >= 4:
            return mover
        if longest == 3:
            return 3 - mover
    return 0 if len(white | black) == len(cells(size)) else None


def successors(size: int, pos: Stones) -> list[Stones]:
    white, black, _ = pos
    if winner(size, pos) is not None:
        return []
    free = [cell for cell in cells(size) if cell not in white | black]
    if len(white) == len(black):
        return [(white | {cell}, black, cell) for cell in free]
    return [(white, black | {cell}, cell) for cell in free]
