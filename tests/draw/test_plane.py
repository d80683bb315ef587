"""Plane boards: lines where they belong, each label readable on its own stroke, the same drawing every time."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.crossgeo import CrossGeo
from games.polygon import Polygon
from games.scene import PlaneBoard, Point, Segment, Stroke
from pbm import draw
from pbm.draw import layout
from tests.games.test_crossgeo import BUNDLE


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
    return draw._fitted(shown, draw.WIDTH)


def drawn_whole(shown):
    """The lines of a drawing without its enlarged part."""
    return "\n".join(draw.board(shown)).partition("\n\nThe most crowded part")[0].splitlines()


def marks(shown):
    """The characters of a drawing, without blanks."""
    return set("".join(drawn_whole(shown))) - {" "}


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
        (line(0, 0, 12, 8), set(".'")),
        (line(0, 8, 12, 0), set(".`")),
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
    assert marks(board(line(0, 0, 12, 12), line(0, 12, 12, 0))) == {".", "'", "`", "+"}
    assert "+" not in marks(board(line(0, 0, 12, 6), line(0, 0, 12, 5)))


@settings(max_examples=80, deadline=None)
@given(lattice())
def test_the_cells_of_a_line_are_near_it_and_hang_together(shown):
    laid = layout_of(shown)
    for segment, seen, path in zip(laid.segments, laid.lines, laid.paths, strict=True):
        for one, other in pairwise(place for place, _ in path):
            assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
        if seen is None:
            assert path == []
        for (row, column), _ in path:
            assert away(laid.sheet, segment, row, column) <= 0.5 + 1e-9


def away(sheet, segment, row, column):
    """How far the middle of a character is from the infinite line, along the row or the column, whichever is less."""
    top, left = sheet.spot(segment.x1, segment.y1)
    bottom, far = sheet.spot(segment.x2, segment.y2)
    down, right = bottom - top, far - left
    if not down and not right:
        return max(abs(row - top), abs(column - left))
    twice_area = abs((row - top) * right - (column - left) * down)
    return twice_area / max(abs(down), abs(right))


@settings(max_examples=80, deadline=None)
@given(lattice())
def test_lines_are_cut_off_at_the_window(shown):
    laid = layout_of(shown)
    for segment, seen in zip(laid.segments, laid.lines, strict=True):
        visible = [inside(shown, segment, Fraction(step, 90)) for step in range(91)]
        if sum(visible) > 1:
            assert seen is not None, "what only touches the window is not drawn"
        if seen is not None:
            for row, column in (seen.start, seen.end):
                assert -1e-9 <= row <= laid.sheet.rows + 1e-9
                assert 1 - 1e-9 <= column <= laid.sheet.columns + 1 + 1e-9
        if all(visible):
            assert seen.start == laid.sheet.spot(segment.x1, segment.y1)


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
    lines = draw.board(shown)
    whole, drawn = " ".join(drawn_whole(shown)), " ".join(lines)
    for segment in shown.segments:
        label = rf"(?<![0-9]){segment.label}(?![0-9a-z])"
        assert len(re.findall(label, whole)) <= 1 <= len(re.findall(label, drawn)), segment.label
    for point in shown.points:
        label = rf"(?<![A-Z]){point.label}(?![A-Z])"
        assert len(re.findall(label, whole)) <= 1 <= len(re.findall(label, drawn)), point.label
    assert max(map(len, lines)) <= draw.WIDTH
    assert len(lines) <= 110


def cells(start: layout.Place, label: str) -> list[layout.Place]:
    """The places of a label's characters."""
    return [(start[0], start[1] + step) for step in range(len(label))]


@settings(max_examples=100, deadline=None)
@given(lattice())
def test_labels_stand_on_their_strokes_and_never_touch_each_other(shown):
    laid = layout_of(shown)
    lines = draw.board(shown)
    labels = [*laid.signs.values(), *laid.numbers.values()]
    taken = [cell for start, label in labels for cell in cells(start, label)]
    assert len(set(taken)) == len(taken)
    for (row, column), label in labels:
        assert (row, column - 1) not in taken
        assert (row, column + len(label)) not in taken
        assert column >= 0
    lines = drawn_whole(shown)
    assert sum(line.count("@") for line in lines) == sum(label.count("@") for _, label in laid.signs.values())
    for index, (start, label) in laid.numbers.items():
        assert set(cells(start, label)) & {place for place, _ in laid.paths[index]}


@settings(max_examples=100, deadline=None)
@given(lattice())
def test_any_board_is_drawn_in_ascii_within_the_width(shown):
    lines = draw.board(shown)
    assert lines == draw.board(shown)
    for row in lines:
        assert row.isascii()
        assert row == row.rstrip()
        assert len(row) <= draw.WIDTH


def test_a_target_stands_exactly_on_its_point_or_not_at_all():
    crowd = [Point(500 + step, 500, chr(ord("a") + step), target=True) for step in range(20)]
    laid = layout_of(board(points=crowd, width=1000, height=1000))
    assert [label for _, label in laid.signs.values()] == ["a"]
    ((index, (start, _)),) = laid.signs.items()
    assert start == laid.sheet.place(crowd[index])


def test_a_crowded_vertex_is_written_beside_its_point():
    laid = layout_of(board(points=[Point(6, 6, "A"), Point(6, 6, "B"), Point(6, 6, "C")]))
    assert len(laid.signs) == 3


def test_the_present_point_comes_first():
    points = [Point(6, 6, "a", target=True), Point(6, 6, here=True), Point(0, 0, "F", here=True)]
    drawn = "\n".join(drawn_whole(board(points=points)))
    assert drawn.count("@") == 2
    assert "@F" in drawn
    assert "a" not in drawn


def test_points_outside_the_window_are_not_drawn():
    assert draw.board(board(points=[Point(13, 5, "Z"), Point(5, -1, "Y")])) == []


def test_the_last_move_stands_in_brackets():
    drawn = draw.board(board(line(0, 6, 12, 6, label="17b", last=True), points=[Point(6, 0, "q", last=True)]))
    assert any("(17b)" in row for row in drawn)
    assert any("(q)" in row for row in drawn)


def test_lattice_points_fall_on_whole_cells():
    laid = layout_of(graph_board("-board=2"))
    for point in laid.sheet.board.points:
        assert all(part.is_integer() for part in laid.sheet.spot(point.x, point.y))


def test_the_last_move_s_ghosts_are_not_drawn_in_characters():
    gone = Segment(0, 0, 12, 12, Stroke.GREEN, "9", gone=True)
    assert draw.board(board(line(0, 6, 12, 6), gone)) == draw.board(board(line(0, 6, 12, 6)))


# Small where it can be, bounded where it cannot


@pytest.mark.parametrize(("sides", "rows"), [(4, 16), (6, 20), (12, 40)])
def test_a_polygon_is_as_small_as_its_labels_allow(sides, rows):
    game = Polygon()
    shown = game.scene(game.start(game.options([f"-sides={sides}"])), None).board
    assert isinstance(shown, PlaneBoard)
    drawn = draw.board(shown)
    assert len(drawn) <= rows
    assert not layout_of(shown).lost


def test_the_part_where_labels_find_no_room_is_enlarged():
    crowd = [line(490, 480 + 5 * step, 520, 490 + 5 * step, label=str(step)) for step in range(9)]
    shown = board(line(0, 0, 1000, 0, label="A"), line(0, 1000, 1000, 1000, label="B"), *crowd, width=1000, height=1000)
    drawn = "\n".join(draw.board(shown))
    assert "The most crowded part" in drawn
    for step in range(9):
        assert re.search(rf"(?<!\d){step}(?!\d)", drawn), step


def bundle():
    """A graph that takes 32 seconds if the work grows with its crossings."""
    game = CrossGeo()
    return game.scene(game.start(game.options([], body=BUNDLE)), None)


def test_the_work_for_a_drawing_does_not_grow_with_the_crossings(monkeypatch):
    asked: Counter[str] = Counter()
    for owner, name in ((layout.Line, "meets"), (layout.Layout, "_harm"), (layout.Layout, "_free")):
        monkeypatch.setattr(owner, name, counting(getattr(owner, name), asked))
    text = draw.text(bundle())
    cells = draw.WIDTH * draw.WIDTH
    assert asked["meets"] <= layout.MEETING * cells
    assert asked["_harm"] <= 2 * 200 * (2 * layout.TRIED + 2)
    assert asked["_free"] <= 4 * 200 * (2 * layout.TRIED + 2)
    assert len(text) < 60_000


def counting(work, asked):
    def counted(*args):
        asked[work.__name__] += 1
        return work(*args)

    return counted


@pytest.mark.parametrize("beside", [False, True])
def test_labels_of_many_strokes_look_at_no_more_places_than_those_of_some(
    beside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the work is bounded, whatever a challenge asks for."""

    def looked(strokes: int) -> int:
        asked: Counter[str] = Counter()
        with monkeypatch.context() as patch:
            patch.setattr(layout.Layout, "_harm", counting(layout.Layout._harm, asked))
            edges = "\n".join(f"0,{number} 999,{999 - number}" for number in range(strokes))
            game = CrossGeo()
            board = game.scene(game.start(game.options((), body=edges)), None).board
            assert isinstance(board, PlaneBoard)
            layout.Layout(layout.Sheet(board, 74, 40, beside=beside))
        return asked["_harm"]

    assert looked(200) < 1.3 * looked(80)
