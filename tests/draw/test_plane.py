"""Plane boards: lines where they belong, every label readable on its own stroke, each board always drawn alike."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.crossgeo import CrossGeo
from games.scene import PlaneBoard, Point, Segment, Stroke
from pbm.draw import plane

SVG = "{http://www.w3.org/2000/svg}"


def board(*segments, points=(), width=12, height=12):
    return PlaneBoard(width, height, tuple(points), tuple(segments))


def line(x1, y1, x2, y2, stroke=Stroke.GREEN, label="", last=False):
    return Segment(x1, y1, x2, y2, stroke, label, last)


def graph_board(*words, plies=0, seed=0):
    """A board of CrossGeo after some random moves."""
    game, rng = CrossGeo(), random.Random(seed)
    pos = game.start(game.options(words))
    for _ in range(plies):
        pos = game.play(pos, rng.choice(list(game.moves(pos))))
    shown = game.scene(pos, None).board
    assert isinstance(shown, PlaneBoard)
    return shown


def layout_of(shown):
    return plane.Layout(plane._text_sheet(shown))


def marks(shown):
    """The characters of a drawing, blanks apart."""
    return set("".join(plane.text(shown))) - {" "}


def lattice():
    number = st.integers(-4, 16)
    segments = st.builds(
        line, number, number, number, number, st.sampled_from(list(Stroke)), st.sampled_from(["", "7", "12r"])
    )
    points = st.builds(
        Point,
        number,
        number,
        st.sampled_from(["", "A", "AB"]),
        here=st.booleans(),
        target=st.booleans(),
        last=st.booleans(),
    )
    return st.builds(
        lambda lines, spots, width, height: PlaneBoard(width, height, tuple(spots), tuple(lines)),
        st.lists(segments, max_size=12),
        st.lists(points, max_size=12),
        st.integers(1, 14),
        st.integers(1, 14),
    )


# Lines


@pytest.mark.parametrize(
    ("segment", "drawn"),
    [
        (line(0, 6, 12, 6), {"-"}),
        (line(6, 0, 6, 12), {"|"}),
        (line(0, 0, 6, 12), {"/"}),
        (line(0, 12, 6, 0), {"\\"}),
        (line(0, 0, 12, 6), set(".'")),
        (line(0, 6, 12, 0), set(".`")),
        (line(0, 0, 12, 2), set("_.-'")),
        (line(0, 2, 12, 0), set("_.-`")),
        (line(0, 0, 2, 12), set("|/")),
    ],
)
def test_lines_have_the_characters_of_their_slope(segment, drawn):
    assert marks(board(segment)) == drawn


def test_colours_have_their_own_characters():
    assert marks(board(line(0, 6, 12, 6, Stroke.RED))) == {"#"}
    assert marks(board(line(0, 6, 12, 6, Stroke.BLUE))) == {"="}
    assert marks(board(line(6, 0, 6, 12, Stroke.BLUE))) == {":"}
    assert marks(board(line(6, 0, 6, 12, Stroke.OUTLINE))) == {"|"}


def test_a_crossing_is_marked_and_a_common_end_is_not():
    assert marks(board(line(0, 0, 12, 12), line(0, 12, 12, 0))) == {"/", "\\", "+"}
    assert "+" not in marks(board(line(0, 0, 12, 6), line(0, 0, 12, 5)))


@settings(max_examples=80, deadline=None)
@given(lattice())
def test_the_cells_of_a_line_are_near_it_and_hang_together(shown):
    layout = layout_of(shown)
    for segment, seen, path in zip(layout.segments, layout.lines, layout.paths, strict=True):
        for one, other in pairwise(place for place, _ in path):
            assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
        if seen is None:
            assert path == []
        for (row, column), _ in path:
            assert away(layout.sheet, segment, row, column) <= Fraction(1, 2)


def away(sheet, segment, row, column):
    """How far a cell's middle is from the whole line, along the row or the column, whichever is nearer."""
    top, left = sheet.row(segment.y1), sheet.column(segment.x1)
    down, right = sheet.row(segment.y2) - top, sheet.column(segment.x2) - left
    if not down and not right:
        return max(abs(row - top), abs(column - left))
    twice_area = abs((row - top) * right - (column - left) * down)
    return twice_area / max(abs(down), abs(right))


@settings(max_examples=80, deadline=None)
@given(lattice())
def test_lines_are_cut_off_at_the_window(shown):
    layout = layout_of(shown)
    for segment, seen in zip(layout.segments, layout.lines, strict=True):
        visible = [inside(shown, segment, Fraction(step, 720)) for step in range(721)]
        if any(visible):
            assert seen is not None
        if seen is not None:
            for row, column in (seen.start, seen.end):
                assert 0 <= row <= layout.sheet.rows
                assert 1 <= column <= layout.sheet.columns + 1
        if all(visible):
            assert seen.start == (layout.sheet.row(segment.y1), layout.sheet.column(segment.x1))


def inside(shown, segment, share):
    x = segment.x1 + share * (segment.x2 - segment.x1)
    y = segment.y1 + share * (segment.y2 - segment.y1)
    return 0 <= x <= shown.width and 0 <= y <= shown.height


# Labels


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize(
    "words",
    ["-board=1", "-board=2", "-board=3", "-board=random -edges=40", "-board=random -edges=100", "-board=complete"],
)
@pytest.mark.parametrize("plies", [0, 4])
def test_every_edge_and_vertex_of_a_graph_is_labelled(words, version, plies):
    shown = graph_board(*words.split(), f"-version={version}", plies=plies)
    lines = plane.text(shown)
    drawn = " ".join(lines)
    for segment in shown.segments:
        assert re.findall(rf"(?<![0-9]){segment.label}(?![0-9a-z])", drawn) == [segment.label], segment.label
    for point in shown.points:
        assert re.findall(rf"(?<![A-Z]){point.label}(?![A-Z])", drawn) == [point.label], point.label
    assert max(map(len, lines)) <= plane.COLUMNS
    assert len(lines) <= 110


@settings(max_examples=100, deadline=None)
@given(lattice())
def test_labels_stand_on_their_strokes_and_never_touch_each_other(shown):
    layout = layout_of(shown)
    lines = plane.text(shown)
    labels = [*layout.signs.values(), *layout.numbers.values()]
    taken = [cell for start, label in labels for cell in layout._cells(start, len(label))]
    assert len(set(taken)) == len(taken)
    for (row, column), label in labels:
        assert (row, column - 1) not in taken
        assert (row, column + len(label)) not in taken
        assert column >= 0
    assert sum(line.count("@") for line in lines) == sum(label.count("@") for _, label in layout.signs.values())
    for index, (start, label) in layout.numbers.items():
        assert set(layout._cells(start, len(label))) & {place for place, _ in layout.paths[index]}


@settings(max_examples=100, deadline=None)
@given(lattice())
def test_any_board_is_drawn_in_ascii_within_the_width(shown):
    lines = plane.text(shown)
    assert lines == plane.text(shown)
    for row in lines:
        assert row.isascii()
        assert row == row.rstrip()
        assert len(row) <= plane.COLUMNS


def test_a_target_stands_exactly_on_its_point_or_not_at_all():
    crowd = [Point(500 + step, 500, chr(ord("a") + step), target=True) for step in range(20)]
    layout = layout_of(board(points=crowd, width=1000, height=1000))
    assert [label for _, label in layout.signs.values()] == ["a"]
    ((index, (start, _)),) = layout.signs.items()
    assert start == layout.sheet.place(crowd[index])


def test_a_crowded_vertex_is_written_beside_its_point():
    layout = layout_of(board(points=[Point(6, 6, "A"), Point(6, 6, "B"), Point(6, 6, "C")]))
    assert len(layout.signs) == 3


def test_the_present_point_comes_first():
    points = [Point(6, 6, "a", target=True), Point(6, 6, here=True), Point(0, 0, "F", here=True)]
    drawn = "\n".join(plane.text(board(points=points)))
    assert drawn.count("@") == 2
    assert "@F" in drawn
    assert "a" not in drawn


def test_points_outside_the_window_are_not_drawn():
    assert plane.text(board(points=[Point(13, 5, "Z"), Point(5, -1, "Y")])) == []


def test_the_last_move_stands_in_brackets():
    drawn = plane.text(board(line(0, 6, 12, 6, label="17b", last=True), points=[Point(6, 0, "q", last=True)]))
    assert any("(17b)" in row for row in drawn)
    assert any("(q)" in row for row in drawn)


def test_lattice_points_fall_on_whole_cells():
    layout = layout_of(graph_board("-board=2"))
    for point in layout.sheet.board.points:
        assert layout.sheet.row(point.y).denominator == layout.sheet.column(point.x).denominator == 1


# Pictures


def picture(shown):
    return ElementTree.fromstring(plane.svg(shown))  # noqa: S314  drawn by us


def test_a_picture_shows_every_segment_and_label_on_an_opaque_ground():
    shown = graph_board("-board=2", "-version=rgb")
    root = picture(shown)
    ground = root.find(f"{SVG}rect")
    assert (ground.get("fill"), ground.get("width")) == ("white", root.get("width"))
    assert len(root.findall(f"{SVG}path")) == len(shown.segments)
    written = sorted(element.text for element in root.iter(f"{SVG}text"))
    assert written == sorted([*(s.label for s in shown.segments), *(p.label for p in shown.points)])


def test_colours_differ_in_a_picture_even_without_colour():
    root = picture(board(*(line(0, row, 12, row, stroke) for row, stroke in enumerate(Stroke))))
    looks = {(path.get("stroke-width"), path.get("stroke-dasharray")) for path in root.findall(f"{SVG}path")}
    assert len(looks) == len(Stroke)


def test_the_present_point_is_a_ring_in_a_picture():
    root = picture(board(line(0, 0, 12, 12), points=[Point(6, 6, here=True)]))
    (ring,) = root.findall(f"{SVG}circle")
    assert ring.get("stroke") == "black"
