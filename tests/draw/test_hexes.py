"""Hexagonal boards, made by hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from games.scene import Cell, HexBoard
from pbm.draw import hexes

SVG = "{http://www.w3.org/2000/svg}"


def board(size, pieces=None, last="", winning=()):
    """pieces: letter by cell name."""
    cells = []
    for row in range(2 * size - 1):
        for column in range(max(0, row - size + 1), min(2 * size - 1, size + row)):
            name = f"{chr(ord('A') + row)}{column + 1}"
            piece = (pieces or {}).get(name, "")
            cells.append(Cell(row, column, name, piece, last=name == last, winning=name in winning))
    return HexBoard(size, tuple(cells))


WON = board(3, {"A1": "O", "B2": "X", "C5": "O", "E3": "X"}, last="E3", winning={"B2", "E3"})


def test_a_board_as_text():
    expected = """\
         1 2 3
        / / / 4
    A- o . . / 5
   B- . X . . /
  C- . . . . o
   D- . . . .
    E-(X). .
"""
    assert "\n".join(hexes.text(WON)) + "\n" == expected


@pytest.mark.parametrize("size", range(2, 11))
def test_every_size_has_its_letters_and_numbers_and_fits_a_mail(size):
    lines = hexes.text(board(size))
    letters = [line.split("-")[0].strip() for line in lines[2:]]
    assert letters == [chr(ord("A") + row) for row in range(2 * size - 1)]
    assert [line.count(".") for line in lines[2:]] == [
        2 * size - 1 - abs(size - 1 - row) for row in range(2 * size - 1)
    ]
    numbers = [int(word) for line in lines for word in line.split() if word.isdigit()]
    assert numbers == list(range(1, 2 * size))
    assert max(map(len, lines)) <= 78


@pytest.mark.parametrize("size", range(2, 11))
def test_the_number_of_a_diagonal_leads_to_its_first_cell(size):
    """Going down a `/` from a number, one to the left each line, comes to the top cell of that diagonal."""
    for number in range(1, 2 * size):
        row = max(0, number - size)
        name = f"{chr(ord('A') + row)}{number}"
        lines = hexes.text(board(size, {name: "O"}))
        at = next(index for index, line in enumerate(lines) if "o" in line)
        labels, column = lines[at - 2], lines[at].index("o") + 2
        assert lines[at - 1][column - 1] == "/"
        assert labels[column:].split()[0] == str(number)


def root(drawn):
    return ElementTree.fromstring(hexes.svg(drawn))  # noqa: S314  drawn by us


def test_a_picture_is_opaque_and_always_the_same():
    ground = next(root(WON).iter(f"{SVG}rect"))
    assert (ground.get("width"), ground.get("height")) == (root(WON).get("width"), root(WON).get("height"))
    assert hexes.svg(WON) == hexes.svg(WON)


def test_a_picture_shows_cells_pieces_rows_and_diagonals():
    names = [title.text for title in root(WON).iter(f"{SVG}title")]
    assert names == [cell.name for cell in WON.cells]
    texts = [str(text.text) for text in root(WON).iter(f"{SVG}text")]
    assert sorted(texts) == sorted(["O", "O", "X", "X", *"ABCDE", *"12345"])


def test_a_picture_rings_the_last_move_and_the_win():
    rings = [ring.get("stroke") for ring in root(WON).iter(f"{SVG}circle") if ring.get("fill") == "none"]
    assert len(rings) == len(set(rings)) == 2
    assert [ring for ring in root(board(3, {"A1": "O"})).iter(f"{SVG}circle") if ring.get("fill") == "none"] == []


def full(size):
    """A picture with a stone on every cell, and the middle of each stone by the cell's name."""
    names = [cell.name for cell in board(size).cells]
    drawn = root(board(size, dict.fromkeys(names, "O")))
    discs = [tuple(int(disc.get(way, "")) for way in ("cx", "cy", "r")) for disc in drawn.iter(f"{SVG}circle")]
    return drawn, dict(zip(names, discs, strict=True))


@pytest.mark.parametrize("size", [2, 6, 10])
def test_cells_are_disjoint_and_inside_the_picture(size):
    drawn, cells = full(size)
    width, height = (int(drawn.get(way, "")) for way in ("width", "height"))
    discs = list(cells.values())
    assert all(r < x < width - r and r < y < height - r for x, y, r in discs)
    for index, (x, y, r) in enumerate(discs):
        assert all((x - a) ** 2 + (y - b) ** 2 > 4 * r * r for a, b, _ in discs[:index])


def is_on(point, disc):
    x, y, r = disc
    return (point[0] - x) ** 2 + (point[1] - y) ** 2 < r * r


@pytest.mark.parametrize("size", [2, 6, 10])
def test_labels_of_a_picture_stand_beside_the_first_cell_of_their_line(size):
    drawn, cells = full(size)
    labels = [(str(text.text), int(text.get("x", "")), int(text.get("y", ""))) for text in drawn.iter(f"{SVG}text")]
    labels = [label for label in labels if not any(is_on(label[1:], disc) for disc in cells.values())]
    assert len(labels) == 2 * (2 * size - 1)
    for words, left, top in labels:
        line = [cells[name] for name in cells if words in (name[0], name[1:])]
        distances = [(x - left) ** 2 + (y - top) ** 2 for x, y, _ in line]
        assert distances[0] == min(distances) <= 36**2
