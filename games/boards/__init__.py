"""Boards shared by games: squares, hexagons in rows of any shape, points on lines.

A cell is identified by its index; a set of cells is an int with the bits of their indices. On squares and hexagons an
index is row * stride + column, and each row ends with a place off the board, so that a shift never wraps around. A
board knows its cells' names, neighbours, edges, chains and lines, reads what a player types, and draws itself; it does
not know what a game allows.
"""

from games.boards.board import (
    LETTERS,
    WITHOUT_I,
    Board,
    BothSides,
    Cells,
    Hexes,
    Names,
    bits,
    hexagon,
    rhombus,
    triangle,
    union,
)
from games.boards.squares import Points, Squares, lattice, squares

__all__ = [
    "LETTERS",
    "WITHOUT_I",
    "Board",
    "BothSides",
    "Cells",
    "Hexes",
    "Names",
    "Points",
    "Squares",
    "bits",
    "hexagon",
    "lattice",
    "rhombus",
    "squares",
    "triangle",
    "union",
]
