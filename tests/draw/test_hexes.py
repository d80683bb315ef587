"""Hexagonal boards, made by hand."""

from __future__ import annotations

import pytest

from games.scene import Cell, HexBoard, Label
from pbm import draw


def board(size, pieces=None, last="", winning=()):
    """Cross's board. pieces: their letters, by the names of cells."""
    cells, labels = [], []
    for line in range(2 * size - 1):
        letter, first, end = chr(ord("A") + line), max(0, line - size + 1), min(2 * size - 2, size + line - 1)
        for column in range(first, end + 1):
            name = f"{letter}{column + 1}"
            piece = (pieces or {}).get(name, "")
            cells.append(Cell(line, 2 * column - line, name, piece, last=name == last, winning=name in winning))
        labels += [Label(letter, (line, 2 * first - line), 0, -2)] * (line < size)
        labels += [Label(letter, (line, 2 * end - line), 0, 2)] * (line >= size - 1)
        labels += [Label(str(line + 1), (first, 2 * line - first), -1, 1)]
        labels += [Label(str(line + 1), (end, 2 * line - end), 1, -1)]
    return HexBoard(tuple(cells), tuple(labels))


def triangle(size):
    """Rows of 1 to `size` cells; numbers at the left, letters of the / lines at the right and below."""
    cells = tuple(
        Cell(row, 2 * column - row, f"{'abcdefghij'[column]}{row + 1}")
        for row in range(size)
        for column in range(row + 1)
    )
    labels = [Label(str(row + 1), (row, -row), 0, -2) for row in range(size)]
    labels += [Label("abcdefghij"[row], (row, row), -1, 1) for row in range(size)]
    labels += [Label("abcdefghij"[column], (size - 1, 2 * column - size + 1), 1, -1) for column in range(size)]
    return HexBoard(tuple(cells), tuple(labels))


WON = board(3, {"A1": "O", "B2": "X", "C5": "O", "E3": "X"}, last="E3", winning={"B2", "E3"})


def test_a_board_as_text():
    expected = """\
       1 2 3
      / / / 4
  A- o . . / 5
 B- . X . . /
C- . . . . o -C
  / . . . . -D
 1 /(X). . -E
  2 / / /
   3 4 5
"""
    assert "\n".join(draw.board(WON)) + "\n" == expected


def test_a_triangle_as_text():
    expected = """\
       a
      / b
  1- . / c
 2- . . /
3- . . .
  / / /
 a b c
"""
    assert "\n".join(draw.board(triangle(3))) + "\n" == expected


def test_two_coordinates_never_touch():
    """They stand at different ends of their strokes."""
    cells = tuple(Cell(0, 2 * column, str(column)) for column in range(3))
    labels = tuple(Label(str(column + 10), (0, 2 * column), 1, 1) for column in range(3))
    assert draw.board(HexBoard(tuple(cells), labels)) == [". . .", " \\ \\ \\", "  10\\ 12", "     11"]


@pytest.mark.parametrize("size", range(2, 11))
def test_every_line_has_its_coordinate_at_both_ends_and_the_board_fits_a_mail(size):
    drawn = board(size)
    lines = draw.board(drawn)
    assert lines == draw.board(board(size))
    words = " ".join(lines).replace("/", " ").replace("-", " ").split()
    letters, numbers = [chr(ord("A") + row) for row in range(2 * size - 1)], [str(n) for n in range(1, 2 * size)]
    assert sorted(word for word in words if word != ".") == sorted([*letters, letters[size - 1], *numbers, *numbers])
    assert max(map(len, lines)) <= 78


@pytest.mark.parametrize("size", range(2, 11))
def test_the_number_of_a_diagonal_is_found_at_both_its_ends(size):
    """Following a `/` from its first or last cell over the next strokes leads to its number."""
    for number in range(1, 2 * size):
        first, last = max(0, number - size), min(2 * size - 2, size + number - 2)
        for row, down in ((first, -1), (last, 1)):
            lines = draw.board(board(size, {f"{chr(ord('A') + row)}{number}": "O"}))
            line, column = next((index, text.index("o")) for index, text in enumerate(lines) if "o" in text)
            steps = 1
            while lines[line + down * steps][column - down * steps] == "/":
                steps += 1
            at = column - down * steps
            words = lines[line + down * steps]
            found = words[at:] if down < 0 else words[: at + 1]
            assert steps > 1
            assert (found.split()[0] if down < 0 else found.split()[-1].lstrip("/")) == str(number)
