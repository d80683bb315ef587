"""Whatever a board can show, each way of drawing shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from games.scene import Cell, Form, GridBoard, HexBoard, Label
from pbm.compose import cells
from pbm.draw import UNICODE, WORDS, board
from pbm.draw.picture import picture
from pbm.draw.svg import of_cells

Board = HexBoard | GridBoard
FREE = (Cell(0, 0, "A1"), Cell(0, 2, "B1", "W"), Cell(0, 4, "C1"))
HEXAGONS = HexBoard(tuple(FREE), (Label("A", (0, 0), 0, -2), Label("A", (0, 4), 0, 2)))
SQUARES = GridBoard(tuple("ABC"), ("1",), tuple(each._replace(column=each.column // 2) for each in FREE))
WAYS: dict[str, Callable[[Board], object]] = {
    "text": board,
    "more characters": lambda shown: board(shown, UNICODE),
    "words": lambda shown: board(shown, WORDS),
    "table": lambda shown: "\n".join(table.html({}) for table in cells.tables(shown)),
    "SVG": lambda shown: of_cells(shown).marks,
    "picture": lambda shown: picture(shown).data,  # type: ignore[union-attr]
}
SEEN = sorted(WAYS.keys() - {"words"})


def but(shown: Board, at: int, **other: object) -> Board:
    """The board with one cell changed."""
    changed = shown.cells[at]._replace(**other)  # type: ignore[arg-type]
    return replace(shown, cells=((*shown.cells[:at], changed, *shown.cells[at + 1 :])))


@pytest.mark.parametrize("way", SEEN)
def test_shaded_squares_are_seen(way: str) -> None:
    assert WAYS[way](but(SQUARES, 0, shaded=True)) != WAYS[way](SQUARES)


@pytest.mark.parametrize("way", WAYS)
def test_kinds_of_pieces_are_told_apart(way: str) -> None:
    told = [WAYS[way](but(SQUARES, 1, form=form, piece=piece)) for form, piece in zip(Form, "WQXK", strict=True)]
    assert all(each not in told[:at] for at, each in enumerate(told))


@pytest.mark.parametrize("shown", [HEXAGONS, SQUARES], ids=["hexagons", "squares"])
@pytest.mark.parametrize("way", ["words", "SVG", "picture"])
def test_the_way_of_a_move_is_told(way: str, shown: Board) -> None:
    assert WAYS[way](replace(shown, path=tuple(each.place for each in shown.cells))) != WAYS[way](shown)


@pytest.mark.parametrize("shown", [HEXAGONS, SQUARES], ids=["hexagons", "squares"])
@pytest.mark.parametrize("way", WAYS)
def test_the_last_move_is_told(way: str, shown: Board) -> None:
    assert WAYS[way](but(shown, 1, last=True)) != WAYS[way](shown)
