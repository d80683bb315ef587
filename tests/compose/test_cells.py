"""Boards as tables: each cell once, large enough, and no table wider than a phone."""

from __future__ import annotations

import re
from collections import Counter

import lxml.html
import pytest

from games import GAMES
from games.scene import Cell, GridBoard, HexBoard, Join, PlaneBoard
from pbm.compose import cells
from pbm.domain.match import State
from pbm.draw.colours import INK, LINE
from tests.draw.test_grid import CROSSED, SPREAD
from tests.draw.test_hexes import WON, board, triangle
from tests.games.variants import largest, smallest


def of(name: str, *words: str) -> HexBoard | GridBoard | PlaneBoard:
    state = State.start(GAMES[name], list(words))
    return state.game.scene(state.position, None).board


def of_cells() -> dict[str, HexBoard | GridBoard]:
    """The smallest, the usual and the largest board of each game with cells."""
    found = {}
    for name, game in GAMES.items():
        for words in (smallest(game), (), largest(game)):
            shown = of(name, *words)
            if isinstance(shown, PlaneBoard):
                break
            found[" ".join([name, *words])] = shown
    return found


BOARDS = {
    "won": WON, "crossed": CROSSED, "spread": SPREAD, "triangle": triangle(10),
    **{f"hexagon {size}": board(size) for size in range(2, 11)},
    **of_cells(),
}  # fmt: skip


def faces(table: cells.Table) -> list[cells.Face]:
    return [face for row in table.rows for face in row.values()]


def is_of_lines(shown: HexBoard | GridBoard) -> bool:
    """Whether players draw lines between points, which are narrower than cells."""
    return isinstance(shown, GridBoard) and any(join.name for join in shown.joins)


@pytest.mark.parametrize("name", BOARDS)
def test_each_place_is_shown_once_and_large_enough(name: str) -> None:
    shown = BOARDS[name]
    tables = cells.tables(shown)
    words = Counter(word for table in tables for word in table.words)
    names = [cell.name for cell in shown.cells if cell.name]
    if isinstance(shown, GridBoard) and is_of_lines(shown):
        names = [join.name for join in shown.joins if join.name]
    assert set(words) == set(names)
    twice = [word for word, times in words.items() if times > 1]
    along_cuts = (len(tables) - 1) * (len(shown.rows) - 1) if isinstance(shown, GridBoard) else 0
    assert len(twice) == (along_cuts if is_of_lines(shown) else 0), "lines along a cut are in both parts"
    for table in tables:
        assert sum(table.widths) <= 390 - 6
        if not is_of_lines(shown):
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


@pytest.mark.parametrize("name", [name for name in BOARDS if len(cells.tables(BOARDS[name])) > 1])
def test_every_part_names_all_rows_that_it_shows(name: str) -> None:
    shown = BOARDS[name]
    rows = [label.text for label in shown.labels if label.down == 0] if isinstance(shown, HexBoard) else shown.rows
    for table in cells.tables(shown):
        heads = {re.sub("<[^>]*>|&#160;", "", face.mark) for face in faces(table) if not face.ground}
        there = [row for row in table.rows[1:-1] if row]
        assert len(heads & set(rows)) * (2 if is_of_lines(shown) else 1) >= len(there)


def test_halves_name_their_rows_along_the_cut() -> None:
    for table in cells.tables(board(8)):
        letters = [face.mark for face in faces(table) if re.fullmatch("[A-O]", face.mark)]
        assert set(letters) == set("ABCDEFGHIJKLMNO")


def test_pieces_marks_and_closed_squares_are_told_by_letter_and_colour() -> None:
    shown = cells.tables(WON)[0].html({})
    assert len(re.findall(">O</b>", shown)) == 2
    assert "border:3px solid #d62f1f" in shown
    assert "border:3px solid #1f9a4b" in shown
    assert 'bgcolor="#bdb9b0"' in cells.tables(CROSSED)[0].html({})


def test_a_link_fills_its_cell_and_is_escaped() -> None:
    opening = "mailto:pbm+x@example.org?subject=Re:%20101&body="
    shown = cells.tables(WON)[0].html({"A2": "A1"}, opening)
    page = lxml.html.fromstring(shown)
    (anchor,) = page.xpath(".//td/a")
    assert anchor.get("href") == f"{opening}A1"
    assert "display:block;line-height:44px" in anchor.get("style")
    assert opening not in shown


@pytest.mark.parametrize(
    ("name", "beside"), [("hex -size=4", False), ("hex", True), ("y", True), ("go -size=19", True)]
)
def test_parts_stand_beside_each_other_where_there_is_room_for_two(name: str, *, beside: bool) -> None:
    shown = of(*name.split())
    assert not isinstance(shown, PlaneBoard)
    for table in cells.tables(shown):
        (style,) = lxml.html.fromstring(table.html({})).xpath("self::table/@style")
        assert ("display:inline-table" in style) == beside


def test_pieces_are_shown_where_players_draw_lines_as_well() -> None:
    """As in Bridg-It, where lines join dots of the player's own colour."""
    dots = tuple(Cell(row, column, f"{'abc'[column]}{2 - row}", "RB"[row]) for row in (0, 1) for column in (0, 2))
    shown = GridBoard(("a", "b", "c"), ("2", "1"), tuple(dots), (Join((0, 0), (0, 2), name="b2"),))
    (table,) = cells.tables(shown)
    assert [table.html({}).count(f">{letter}<") for letter in "RB"] == [2, 2]
    assert "&#9472;" in table.html({})


def test_a_line_that_was_drawn_is_seen_in_a_dark_mail_as_well() -> None:
    """A mail program that darkens light grounds leaves dark ones, so a black line would vanish among them."""
    state = State.start(GAMES["dots"], [])
    for move in ("a1-b1", "c1-d1"):
        state, _ = state.play(move)
    shown = state.scene.board
    assert isinstance(shown, GridBoard)
    (table,) = cells.tables(shown)
    grounds = Counter(re.findall(r'<td bgcolor="(#\w+)"></td>', table.html({})))
    assert (grounds[LINE], grounds[INK]) == (1, 0)


@pytest.mark.parametrize("name", BOARDS)
def test_a_row_of_the_short_form_that_says_nothing_keeps_its_height(name: str) -> None:
    for table in cells.tables(BOARDS[name]):
        _, *rows = lxml.html.fromstring(table.html({}, dotted=False, brief=True)).xpath(".//tr")
        for row, height in zip(rows, table.heights, strict=True):
            assert row.text_content().strip() or row.get("style").startswith(f"height:{height}px;")


@pytest.mark.parametrize("name", BOARDS)
def test_nothing_beside_the_board_has_its_colour_in_the_short_form(name: str) -> None:
    for table in cells.tables(BOARDS[name]):
        _, *rows = lxml.html.fromstring(table.html({}, brief=True)).xpath(".//tr")
        for row, placed in zip(rows, table.rows, strict=True):
            around = row.get("bgcolor")
            wooden = [place for place in row if around and place.get("bgcolor", around) == around]
            assert len(wooden) <= len([face for face in placed.values() if face.ground])
