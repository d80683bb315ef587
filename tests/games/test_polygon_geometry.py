"""Balls, integers and drawings: their decisions, compared with fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from math import gcd

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import balls
from games import polygon_geometry as geometry
from games.polygon_geometry import Chord, Drawing, Geometer, Intersection, Vertex, _meeting, convex_polygon
from tests.games.literal_polygon import concurrent_diagonals, meeting, turn, turns_right_once_around

HEXAGON = ((0, 0), (-4, 8), (0, 16), (16, 16), (20, 8), (16, 0))


@pytest.fixture(scope="module", params=[flint, balls], ids=["flint", "balls of our own"], autouse=True)
def numbers(request):
    """What the geometry counts with: flint's numbers, then ours, which are for machines without flint."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geometry, "numbers", request.param)
        yield


corners = st.tuples(st.integers(-50, 50), st.integers(-50, 50))


def segment(start, end):
    return Chord(Vertex(*start), Vertex(*end))


def fractions(point):
    x, y, w = (int(part) for part in point.exact)
    return Fraction(x, w), Fraction(y, w)


def drawn(vertices, *places):
    drawing = Drawing(tuple(Vertex(*vertex) for vertex in vertices), places[0])
    for place in places[1:]:
        drawing = drawing.extended(place)
    return drawing


# Polygons


@pytest.mark.parametrize("sides", [4, 5, 6, 7, 10, 13])
@pytest.mark.parametrize("seed", [0, 1, 10**9])
def test_polygons_are_convex_and_no_three_diagonals_share_a_point(sides, seed):
    vertices = convex_polygon(sides, seed)
    assert len(vertices) == sides
    assert turns_right_once_around(vertices)
    assert not concurrent_diagonals(vertices)
    assert all(0 <= part <= 20_000 for vertex in vertices for part in vertex)


@given(kept=st.sets(st.integers(0, 11), min_size=4), turned=st.booleans())
@settings(max_examples=25)
def test_three_diagonals_through_one_point_are_seen(kept, turned):
    """In a polygon of twelve sides with many such points, and in what remains without some corners."""
    twelve = [(0, 3), (1, 1), (3, 0), (5, 0), (7, 1), (8, 3), (8, 5), (7, 7), (5, 8), (3, 8), (1, 7), (0, 5)]
    vertices = [each for number, each in enumerate(twelve) if number in kept]
    vertices = vertices[::-1] if turned else vertices
    assert (_meeting(vertices) is None) == (not concurrent_diagonals(tuple(vertices)))


def test_the_largest_polygon_is_convex_too():
    assert turns_right_once_around(convex_polygon(24, 1))
    assert len(set(convex_polygon(24, 1))) == 24


def test_polygons_are_the_same_for_ever():
    """Stored games depend on this: a change here needs a new version of the game."""
    assert convex_polygon(6, 1) == (
        (9226, 19933), (18630, 14973), (17450, 3481), (10755, 90), (936, 5793), (2358, 16333)
    )  # fmt: skip
    assert convex_polygon(4, 0) != convex_polygon(4, 1)


def test_a_shape_with_three_diagonals_through_a_point_would_be_noticed():
    assert concurrent_diagonals(HEXAGON) == {(8, 8)}


# Exact values and balls


@settings(max_examples=60, deadline=None)
@given(corners, corners, corners, corners, corners)
def test_signs_and_crossings_are_those_of_fractions(a, b, c, d, e):
    expected = meeting((a, b), (c, d)) if a != b and c != d else None
    if expected is None:
        return
    crossing = Intersection(segment(a, b), segment(c, d))
    assert fractions(crossing) == expected
    side = turn(a, e, expected)
    tested = segment(a, e) if a != e else None
    if tested is not None:
        judge = Geometer([crossing.lines[0], crossing.lines[1], tested], 16)
        assert judge.sign(tested, crossing) == (side > 0) - (side < 0)


@settings(max_examples=40, deadline=None)
@given(corners, corners, corners, corners, st.sampled_from([1, 64, 3**70]))
def test_floors_are_rounded_down_exactly(a, b, c, d, factor):
    expected = meeting((a, b), (c, d)) if a != b and c != d else None
    if expected is None:
        return
    crossing = Intersection(segment(a, b), segment(c, d))
    judge = Geometer(crossing.lines, 32)
    assert judge.floor(crossing, factor) == tuple(part * factor // 1 for part in expected)


def test_what_balls_leave_open_is_decided_by_integers():
    """Three lines through one point; then one end is moved by one part in 2^5000."""
    unit = 1 << 5000
    one, two = segment((0, 0), (2 * unit, 2 * unit)), segment((0, 2 * unit), (2 * unit, 0))
    for shift, together, sign in ((0, True, 0), (1, False, 1), (-1, False, -1)):
        three = segment((unit + shift, -unit), (unit + shift, 3 * unit))
        judge = Geometer([one, two, three], 64)
        assert judge.concurrent(one, two, three) is together
        assert judge.sign(three, Intersection(one, two)) == sign


def test_precision_grows_only_as_far_as_balls_can_answer():
    unit = 1 << 200
    one, two = segment((0, 0), (2 * unit, 2 * unit)), segment((0, 2 * unit), (2 * unit, 0))
    near, through = segment((unit + 1, -unit), (unit + 1, 3 * unit)), segment((unit, -unit), (unit, 3 * unit))
    judge = Geometer([one, two, near, through], 64)
    assert judge.concurrent(one, two, through)
    assert judge.precision == 64
    assert not judge.concurrent(one, two, near)
    assert judge.precision == 256


def test_the_working_precision_is_left_as_it_was():
    before = geometry.numbers.ctx.prec
    drawing = drawn(HEXAGON, 0, 3, 1, 4, 2, 5)
    drawing.floors([(1, 3)], 10**30)
    assert geometry.numbers.ctx.prec == before


def test_exact_values_are_in_lowest_terms():
    crossing = Intersection(segment((0, 0), (100, 100)), segment((0, 100), (100, 0)))
    assert [int(part) for part in crossing.exact] == [50, 50, 1]
    assert [int(part) for part in crossing.lines[0].exact] == [-1, 1, 0]


# Drawings


def test_a_third_segment_closes_the_crossing_of_two():
    before, after = drawn(HEXAGON, 0, 3, 1, 4, 2), drawn(HEXAGON, 0, 3, 1, 4, 2, 5)
    assert (1, 3) in set(before.crossings())
    assert {(1, 3), (1, 5), (3, 5)} <= after.closed
    assert not {(1, 3), (1, 5), (3, 5)} & set(after.crossings())
    assert (1, 3) not in before.closed


def test_a_crossing_where_a_segment_ends_is_closed():
    drawing = drawn(convex_polygon(6, 1), 0, 2, 4, 1, 3, (1, 3))
    assert (1, 3) in drawing.closed
    assert drawing.here == {1, 3, 5}
    assert 1 not in drawing.rows[4]


def test_segments_that_overlap_make_third_ones_cross_both():
    """Chord 6 runs along segment 1 and beyond it: a line that crosses one there crosses both."""
    vertices = ((0, 0), (0, 30), (20, 44), (40, 30), (40, 0), (20, -14))
    one, through = Chord(Vertex(10, 10), Vertex(20, 10)), Chord(Vertex(15, 0), Vertex(15, 30))
    over = Chord(Vertex(0, 10), Vertex(40, 10))
    drawing = Drawing(tuple(Vertex(*vertex) for vertex in vertices), 0)
    drawing.segments, drawing.rows = (one, through), ((), (1,))
    drawing.points, drawing.places = (over.start,), (0, 1, 2)
    with geometry.numbers.ctx.workprec(128):
        judge = Geometer((one, through, over), 128)
        starts, ends = ([judge.sign(line, point) for line in drawing.segments] for point in (over.start, over.end))
        drawing.sides = tuple(starts)
        crossed, closed = drawing._met(over, ends, judge)
    assert crossed == (2,)
    assert closed == {(1, 2), (2, 3), (1, 3)}


def test_lines_of_a_long_game_are_in_lowest_terms_while_that_is_cheap():
    drawing, rng = drawn(convex_polygon(12, 1), 0, 5, 9, 3, 7, 1, 6), random.Random(1)
    while len(drawing.segments) < 110:
        free = [c for c in drawing.crossings() if not drawing.here & {*c}]
        drawing = drawing.extended(rng.choice(free))
    geometry.settle(drawing.segments)
    short = [
        gcd(int(a), int(b), int(c)) for a, b, c in (s.exact for s in drawing.segments) if c.bit_length() <= 1 << 14
    ]
    assert 20 < len(short) < 110
    assert set(short) == {1}


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), first=st.sampled_from([2, 16, 128, 1000]))
def test_the_first_precision_decides_nothing(seed, first):
    """The same crossings are open, whatever precision is tried first."""
    seen = []
    for precision in (first, 512):
        rng, drawing = random.Random(seed), Drawing(tuple(Vertex(*v) for v in HEXAGON), 0)
        drawing.precision = precision
        for place in (2, 4, 1, 3, 5):
            drawing = drawing.extended(place)
        for _ in range(6):
            free = [c for c in drawing.crossings() if not drawing.here & {*c}]
            if free:
                drawing = drawing.extended(rng.choice(free))
        seen.append((drawing.rows, drawing.closed))
    assert seen[0] == seen[1]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999))
def test_coordinates_have_at_most_sixteen_bits_a_unit_of_weight(seed):
    rng, drawing = random.Random(seed), drawn(convex_polygon(8, 1), 0, 3, 6, 1, 4, 7)
    for _ in range(8):
        free = [c for c in drawing.crossings() if not drawing.here & {*c}]
        if free:
            drawing = drawing.extended(rng.choice(free))
    for crossing in drawing.crossings():
        point = drawing.point(crossing)
        needed = max(max(abs(c.numerator), c.denominator).bit_length() for c in fractions(point))
        assert needed < 16 * point.weight


def test_a_place_that_no_ball_can_round_is_taken_for_the_whole_number_next_to_it():
    """The diagonals of a square cross at whole numbers, but no exact value is needed."""
    drawing = drawn(((0, 0), (0, 10), (10, 10), (10, 0)), 0, 2, 1, 3)
    assert drawing.floors([(1, 3)], 64) == [(320, 320)]
    assert not any(segment.settled for segment in drawing.segments)
