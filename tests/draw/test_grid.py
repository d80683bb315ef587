"""Square boards and Go boards, made by hand, as text, compared character by character."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.scene import Box, Cell, Crossing, GridBoard, Ground, Join, Look
from pbm import draw

LETTERS = "ABCDEFGHJKLMNOPQRST"


def squares(picture, joins=(), crossings=(), last=None):
    """A board of squares from rows of characters: . open, blank closed, a letter for a piece."""
    cells = tuple(
        Cell(row, column, f"{LETTERS[column]}{row + 1}", mark.strip(" ."), (row, column) == last, closed=mark == " ")
        for row, line in enumerate(picture)
        for column, mark in enumerate(line)
    )
    columns = tuple(LETTERS[: len(picture[0])])
    rows = tuple(str(row + 1) for row in range(len(picture)))
    return GridBoard(columns, rows, tuple(cells), tuple(joins), tuple(crossings))


def torus(size, stones, margin=2, last=()):
    """A Go board that wraps around. stones: their letters, by row and column."""
    cells = tuple(
        Cell(
            row,
            column,
            f"{LETTERS[column]}{size - row}" if inside else "",
            stones.get((row % size, column % size), ""),
            last=(row, column) in last,
            faint=not inside,
        )
        for row in range(-margin, size + margin)
        for column in range(-margin, size + margin)
        for inside in [0 <= row < size and 0 <= column < size]
    )
    rows = tuple(str(size - row) for row in range(size))
    return GridBoard(tuple(LETTERS[:size]), rows, tuple(cells), ground=Ground.LINES)


def drawn(board):
    return "\n".join(draw.board(board)) + "\n"


CROSSED = squares(
    ["  Y ", "Y  P", ".   ", ". P "],
    [Join((1, 0), (1, 3)), Join((0, 2), (3, 2))],
    [Crossing(1, 2, "P")],
    last=(3, 2),
)
"""Row 2 and column C are full and cross at C2; C4 was played last."""

SPREAD = torus(5, {(0, 0): "B", (2, 3): "W", (4, 4): "B"}, last=[(2, 3), (3, 3)])
"""Stones in two corners; W moved from D2 to D3."""


def test_joins_crossings_open_and_closed_squares_and_the_last_move():
    expected = """\
       A  B  C  D
    1        Y     1
    2  Y-----p--P  2
    3  .     |     3
    4  .    (P)    4
       A  B  C  D
    """
    assert drawn(CROSSED) == dedent(expected)


def test_neighbours_in_a_row_are_joined_and_brackets_win_over_joins():
    board = squares(["YP.", "P.Y"], [Join((0, 0), (0, 1)), Join((1, 0), (1, 2))], last=(0, 0))
    expected = """\
       A  B  C
    1 (Y)-P  .  1
    2  P-----Y  2
       A  B  C
    """
    assert drawn(board) == dedent(expected)


def test_copies_beyond_the_edge_are_faint_and_labels_stand_outside():
    expected = """\
             A  B  C  D  E
       .  .  .  .  .  .  .  .  .
       .  b  .  .  .  .  b  .  .
    5  .  .  B  +  +  +  +  b  .  5
    4  .  .  +  +  +  +  +  .  .  4
    3  w  .  +  +  + (W) +  .  .  3
    2  .  .  +  +  + (+) +  .  .  2
    1  .  b  +  +  +  +  B  .  .  1
       .  .  b  .  .  .  .  b  .
       .  .  .  .  .  .  .  .  .
             A  B  C  D  E
    """
    assert drawn(SPREAD) == dedent(expected)


def test_a_go_board_without_copies():
    expected = """\
       A  B
    2  B  +  2
    1  +  W  1
       A  B
    """
    assert drawn(torus(2, {(0, 0): "B", (1, 1): "W"}, margin=0)) == dedent(expected)


def test_points_lie_apart_with_joins_and_boxes_between_them():
    cells = tuple(Cell(row, column, "", last=(row, column) == (1, 2)) for row in (0, 1) for column in (0, 1, 2))
    joins = (
        Join((0, 0), (0, 1)),
        Join((1, 0), (0, 0), Look.GROUND),
        Join((0, 1), (1, 1), last=True),
        Join((0, 1), (0, 2), Look.OPEN, "b2-c2"),
    )
    board = GridBoard(("a", "b", "c"), ("2", "1"), tuple(cells), joins, boxes=(Box(0, 0, "F"),), ground=Ground.POINTS)
    expected = """\
       a   b   c
    2  +---+ . +  2
       | F(|)
    1  +   +  (+) 1
       a   b   c
    """
    assert drawn(board) == dedent(expected)


def test_shaded_places_and_what_decided_the_game():
    cells = (Cell(0, 0, "a1", shaded=True), Cell(0, 1, "b1", "B", winning=True), Cell(0, 2, "c1", closed=True))
    for ground, free in ((Ground.SQUARES, ":"), (Ground.LINES, "*")):
        board = GridBoard(("a", "b", "c"), ("1",), tuple(cells), ground=ground)
        assert draw.board(board)[1] == f"1  {free} [B]    1"


@pytest.mark.parametrize("board", [squares(["." * 19] * 20), torus(19, {})])
def test_the_largest_boards_fit_a_mail(board):
    lines = draw.board(board)
    assert max(map(len, lines)) <= 78
    assert all(line == line.rstrip() for line in lines)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_every_place_is_where_its_labels_say(data):
    """A piece stands below its letter and beside its number, whatever else is drawn."""
    size = data.draw(st.integers(2, 19))
    margin = data.draw(st.integers(0, 2))
    row, column = (data.draw(st.integers(0, size - 1)) for _ in "rc")
    lines = draw.board(torus(size, {(row, column): "B"}, margin))
    labels, (found,) = (
        lines[0],
        [line for line in lines if "B" in line.removesuffix("\n") and line != lines[0] and line != lines[-1]],
    )
    assert labels[found.index("B")] == LETTERS[column]
    assert found.split()[0] == found.split()[-1] == str(size - row)
