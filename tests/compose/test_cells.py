"""Boards as tables: every cell once, large enough, and no table wider than a phone."""

from __future__ import annotations

import re
from collections import Counter

import lxml.html
import pytest

from games import GAMES
from games.scene import Box, Cell, GridBoard, Ground, HexBoard, Join, Look
from pbm.compose import cells
from pbm.domain.match import State
from tests.draw.test_grid import CROSSED, SPREAD
from tests.draw.test_hexes import WON, board, triangle


def dots(columns: int, rows: int) -> GridBoard:
    """Boxes to be drawn, none of them yet but the first."""
    points = tuple(Cell(row, column, "") for row in range(rows + 1) for column in range(columns + 1))
    ways = [(cell, down, 1 - down) for cell in points for down in (0, 1)]
    joins = [
        Join(cell.place, (cell.row + down, cell.column + right), Look.OPEN, f"{cell.row}.{cell.column}.{down}")
        for cell, down, right in ways
        if cell.row + down <= rows and cell.column + right <= columns
    ]
    names = tuple("abcdefghijklm"[: columns + 1]), tuple(str(row + 1) for row in range(rows + 1))
    return GridBoard(*names, points, tuple(joins), boxes=(Box(0, 0, "B"),), ground=Ground.POINTS)


def of(name: str, *words: str) -> HexBoard | GridBoard:
    state = State.start(GAMES[name], list(words))
    shown = state.game.scene(state.position, None).board
    assert isinstance(shown, HexBoard | GridBoard)
    return shown


BOARDS = {
    "won": WON, "crossed": CROSSED, "spread": SPREAD, "triangle": triangle(10),
    **{f"cross {size}": board(size) for size in range(2, 11)},
    **{f"loops {size}": of("loops", f"-size={size}") for size in (2, 8, 11, 12, 20)},
    **{f"luddit {size}": of("luddit", f"-size={size}") for size in (5, 9, 19)},
    "dots 5": dots(5, 5), "dots 12": dots(12, 12),
}  # fmt: skip


@pytest.mark.parametrize("name", BOARDS)
def test_each_place_is_shown_once_and_large_enough(name: str) -> None:
    shown = BOARDS[name]
    tables = cells.tables(shown)
    words = Counter(word for table in tables for word in table.words())
    names = [cell.name for cell in shown.cells if cell.name]
    names += [join.name for join in shown.joins if join.name] if isinstance(shown, GridBoard) else []
    assert set(words) == set(names)
    twice = [word for word, times in words.items() if times > 1]
    assert not twice or (name.startswith("dots") and len(tables) == 2 and len(twice) <= 13), "the cut, in both halves"
    for table in tables:
        assert sum(table.widths) <= 390 - 6
        if not name.startswith("dots"):
            assert {height for height in table.heights if height != cells.MARGIN} <= set(range(32, 45))


@pytest.mark.parametrize("name", BOARDS)
def test_rows_of_a_table_have_as_many_columns_as_it_says(name: str) -> None:
    for table in cells.tables(BOARDS[name]):
        page = lxml.html.fromstring(table.html({}))
        for row in page.xpath(".//tr"):
            spans = sum(int(cell.get("colspan", "1")) for cell in row.xpath("./td"))
            assert spans <= len(table.widths) + 1


@pytest.mark.parametrize("size", range(2, 7))
def test_boards_up_to_eleven_cells_are_in_one_piece(size: int) -> None:
    assert len(cells.tables(board(size))) == 1
    assert len(cells.tables(of("loops", f"-size={2 * size - 1}"))) == 1


def test_halves_name_their_rows_along_the_cut() -> None:
    for table in cells.tables(board(8)):
        letters = [face.mark for face in table.faces.values() if re.fullmatch("[A-O]", face.mark)]
        assert set(letters) == set("ABCDEFGHIJKLMNO")


def test_pieces_marks_and_closed_squares_are_told_by_letter_and_colour() -> None:
    shown = cells.html(cells.tables(WON), {})
    assert len(re.findall(">O</b>", shown)) == 2
    assert "border:3px solid #d62f1f" in shown
    assert "border:3px solid #1f9a4b" in shown
    assert 'bgcolor="#bdb9b0"' in cells.html(cells.tables(CROSSED), {})


def test_a_link_fills_its_cell_and_is_escaped() -> None:
    url = "mailto:pbm+x@example.org?subject=Re:%20101&body=A1"
    page = lxml.html.fromstring(cells.html(cells.tables(WON), {"A2": url}))
    (anchor,) = page.xpath(".//td/a")
    assert anchor.get("href") == url
    assert "display:block;line-height:44px" in anchor.get("style")
    assert url not in cells.html(cells.tables(WON), {"A2": url})
