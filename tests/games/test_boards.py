"""The board kit, compared with the plainest way to say the same: cells by their places in the drawing."""

from __future__ import annotations

import random

import networkx
import pytest

from games.boards import WITHOUT_I, Points, bits, hexagon, rhombus, squares, triangle, union
from games.rules import BadNotation, IllegalMove
from games.scene import Ground

HEXES = [hexagon(2), hexagon(5), rhombus(3), rhombus(11), triangle(3), triangle(13)]
GRIDS = [squares(7, 6), squares(3, 10, from_top=True), squares(19, 19, letters=WITHOUT_I, ground=Ground.LINES)]
WINDMILL = Points([[(0, 1), (1, 1), (2, 1)], [(1, 0), (1, 1), (1, 2)]])

HEX_STEPS = {(0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1)}
FOUR_STEPS = {(0, 1), (1, 0), (0, -1), (-1, 0)}


def neighbours(board, steps):
    """By index, the cells a step away in the drawing."""
    places = {place: index for index, place in board.places.items()}
    return {
        index: {places[step] for down, right in steps if (step := (row + down, column + right)) in places}
        for (row, column), index in places.items()
    }


BOARDS = [(board, HEX_STEPS) for board in HEXES] + [(board, FOUR_STEPS) for board in (*GRIDS, WINDMILL)]


@pytest.mark.parametrize(("board", "steps"), BOARDS)
def test_neighbours_are_those_beside_each_other_in_the_drawing(board, steps):
    for index, beside in neighbours(board, steps).items():
        assert set(bits(board.around(1 << index))) == beside


@pytest.mark.parametrize(("board", "steps"), BOARDS)
def test_chains_are_the_connected_parts(board, steps):
    dice = random.Random(3)
    near = neighbours(board, steps)
    for _ in range(20):
        chosen = dice.sample(board.indices, len(board.indices) // 2)
        graph = networkx.Graph()
        graph.add_nodes_from(chosen)
        graph.add_edges_from((one, other) for one in chosen for other in near[one] if other in chosen)
        parts = {union(part) for part in networkx.connected_components(graph)}
        assert set(board.chains(union(chosen))) == parts


@pytest.mark.parametrize(("board", "steps"), BOARDS)
def test_every_cell_has_a_name_of_its_own_that_is_read_in_any_way(board, steps):
    names = [board.names[index] for index in board.indices]
    assert len(set(names)) == len(names) == board.full.bit_count()
    for index, name in zip(board.indices, names, strict=True):
        for written in (name, name.upper(), f"{name[1:]}{name[0]}", f"{name[0]}-{name[1:]}", f" {name[0]} {name[1:]}."):
            assert board.names.read(written, str) == index


def walks(board, ways):
    """The lines through each cell, walked place by place; a line and its reverse count once."""
    places = {place: index for index, place in board.places.items()}
    for (row, column), index in places.items():
        yield (
            index,
            [[places.get((row + far * down, column + far * right)) for far in range(-18, 19)] for down, right in ways],
        )


@pytest.mark.parametrize(
    ("board", "ways"),
    [(board, [(0, 2), (1, -1), (1, 1)]) for board in HEXES]
    + [(grid, [(0, 1), (1, 0), (1, 1), (1, -1)]) for grid in GRIDS],
)
def test_runs_are_unbroken_lines(board, ways):
    dice = random.Random(5)
    within = union(dice.sample(board.indices, 2 * len(board.indices) // 3))
    for index, lines in walks(board, ways):
        if not within >> index & 1:
            continue
        expected = []
        for line in lines:
            run = 0
            for part in (line[18:], line[18::-1]):
                for at in part:
                    if at is None or not within >> at & 1:
                        break
                    run |= 1 << at
            expected.append(run)
        assert sorted(board.runs(index, within)) == sorted(expected)


def test_rays_go_from_the_next_cell_to_the_edge():
    board = squares(5, 4)
    index = board.names.read("b2", str)
    rays = {tuple(board.names[at] for at in ray) for ray in board.rays[index]}
    assert rays == {("c2", "d2", "e2"), ("a2",), ("b3", "b4"), ("b1",), ("c3", "d4"), ("a1",), ("a3",), ("c1",)}


@pytest.mark.parametrize(
    ("board", "sides", "length", "corners"),
    [(hexagon(4), 6, 4, 6), (rhombus(5), 4, 5, 4), (triangle(6), 3, 6, 3)],
)
def test_sides_are_straight_and_meet_in_corners(board, sides, length, corners):
    assert [side.bit_count() for side in board.sides] == [length] * sides
    assert board.corners.bit_count() == corners
    edge = 0
    for side in board.sides:
        edge |= side
    assert edge == union(index for index, near in neighbours(board, HEX_STEPS).items() if len(near) < 6)


def test_near_candidates_come_nearest_first():
    board = squares(8, 8)
    index = board.names.read("a1", str)
    assert board.near(index, board.full) == ["b1", "a2", "c1", "b2", "a3", "d1"]
    assert board.near(index, 1 << board.names.read("h8", str)) == ["h8"]
    assert board.near(index, 0) == []


def test_what_is_no_cell_is_refused_in_a_sentence():
    def refused(board, text):
        with pytest.raises((BadNotation, IllegalMove)) as refusal:
            board.names.read(text, lambda: "b2")
        return str(refusal.value)

    assert refused(squares(8, 8), "hello") == '"hello" is not a square. Write a letter and a number, such as b2.'
    assert refused(squares(8, 8), "k3") == "There is no column k here: the columns are a to h."
    assert refused(squares(8, 6), "C7") == "There is no square c7: column c holds c1-c6."
    without_i = squares(19, 19, letters=WITHOUT_I)
    assert refused(without_i, "i3") == "There is no column i here: the columns are a to t without i."
    assert refused(hexagon(6), "a7") == "There is no cell A7: row A holds A1-A6."
    assert refused(triangle(4), "d3") == "There is no cell d3: column d holds d4."
    assert refused(WINDMILL, "a1") == "There is no point a1: column a holds a2."


@pytest.mark.parametrize(
    "text", ["b2-c3", "b2c3", "B2 x C3", "b2xc3", "2b to 3c", "b-2 > c-3", "b2/c3", " b2, c3. ", "b2\N{EN DASH}c3"]
)
def test_paths_are_read_however_they_are_written(text):
    board = squares(8, 8)
    assert [board.names[index] for index in board.names.read_path(text, str)] == ["b2", "c3"]


@pytest.mark.parametrize("text", ["", "b2 c", "b2-c3-4", "bb2 c3", "to", "b2 c3 and so on", "b99999"])
def test_what_is_no_path_is_refused(text):
    names = squares(8, 8).names
    with pytest.raises((BadNotation, IllegalMove)):
        names.read_path(text, lambda: "b2-c3")


def test_labels_tell_whose_edge_they_stand_at():
    labels = rhombus(3, owners=("B", "R")).labels
    assert {(label.text, label.owner) for label in labels} == {
        *((row, "B") for row in "123"),
        *((at, "R") for at in "abc"),
    }
