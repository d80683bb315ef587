"""Hexagonal boards: row letters at the left, the numbers of the `/` diagonals along the top and the upper right edge.

As text the last move stands in (brackets), and the chain that decided the game in capitals.
"""

from __future__ import annotations

from games.scene import Cell, HexBoard


def text(board: HexBoard) -> list[str]:
    size = board.size
    rows: dict[int, list[Cell]] = {}
    for cell in board.cells:
        rows.setdefault(cell.row, []).append(cell)
    lines = [
        " " * (size + 6) + " ".join(str(number) for number in range(1, size + 1)),
        " " * (size + 5) + "/ " * size + str(size + 1),
    ]
    for index, cells in rows.items():
        indent = " " * abs(size - 1 - index)
        lines.append(f"{indent}  {chr(ord('A') + index)}-{_row(cells)}{_edge(size, index)}".rstrip())
    return lines


def _edge(size: int, row: int) -> str:
    """What stands behind a row: the `/` of the next diagonal, and the number of the one after it."""
    if row >= size - 1:
        return ""
    return "/ " + (str(size + row + 2) if row < size - 2 else "")


def _row(cells: list[Cell]) -> str:
    """The cells of a row between blanks, which the brackets of the last move replace."""
    parts = [" "]
    for cell in cells:
        mark = (cell.piece.upper() if cell.winning else cell.piece.lower()) or "."
        if cell.last:
            parts[-1] = "("
        parts += [mark, ")" if cell.last else " "]
    return "".join(parts)
