"""The polygon game: each sentence of its rules, compared with a literal second implementation."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import polygon_geometry
from games.polygon import MAX_LISTED, MAX_ZOOM, Move, Polygon, Position
from games.rules import BadNotation, IllegalMove, MoveError, OptionError, Zoomable
from games.scene import PlaneBoard, Stroke
from tests.games.literal_polygon import Literal, meeting

GAME = Polygon()

COINCIDENT = ((0, 0), (-4, 8), (0, 16), (16, 16), (20, 8), (16, 0))
"""A hexagon, more symmetric than any game's: its long diagonals A-D, B-E and C-F meet in one point."""


def start(words="", vertices=None):
    pos = GAME.start(GAME.options(words.split()))
    return pos if vertices is None else Position(pos.options, vertices)


def played(moves, words="", vertices=None):
    pos = start(words, vertices)
    for text in moves.split():
        pos = GAME.play(pos, GAME.parse(pos, text))
    return pos


def random_play(words, seed, plies):
    rng, pos = random.Random(seed), start(words)
    while pos.ply <= plies and (moves := list(GAME.moves(pos))):
        pos = GAME.play(pos, rng.choice(moves))
    return pos


def legal(pos):
    return [GAME.notate(pos, move) for move in GAME.moves(pos)]


def refusal(pos, text, kind=IllegalMove):
    """The sentence of a refusal, all of whose candidates are legal."""
    with pytest.raises(kind) as refused:
        GAME.parse(pos, text)
    assert set(refused.value.candidates) <= set(legal(pos))
    return str(refused.value)


# The board


def test_options_have_the_defaults_and_ranges_of_the_rules():
    options = GAME.options([])
    assert (options.sides, options.colours) == (6, "different")
    assert GAME.options(["-sides=24", "-seed=5", "-colours=split"]).seed == 5
    for word in ("-sides=3", "-sides=25", "-colours=red", "-seed=-1"):
        with pytest.raises(OptionError, match=word):
            GAME.options([word])


def test_vertices_are_integer_pairs_and_the_seed_changes_them():
    pos = start("-sides=9 -seed=4")
    assert len(pos.vertices) == 9
    assert all(isinstance(part, int) for vertex in pos.vertices for part in vertex)
    assert pos.vertices == start("-sides=9 -seed=4").vertices != start("-sides=9 -seed=5").vertices


def test_sides_are_red_and_blue_and_red_starts():
    assert GAME.sides(GAME.options([])) == ("Red", "Blue")
    assert GAME.to_move(start()) == 1
    assert GAME.to_move(played("A-C")) == 2


# Ply 1


def test_the_first_segment_joins_any_two_vertices_that_are_not_neighbours():
    assert legal(start("-sides=5")) == ["A-C", "A-D", "B-D", "B-E", "C-A", "C-E", "D-A", "D-B", "E-B", "E-C"]
    assert "neighbours" in refusal(start(), "A-B")
    assert "neighbours" in refusal(start(), "A-F")
    assert "end elsewhere" in refusal(start(), "C-C")
    assert "no vertex G: they are A to F" in refusal(start(), "A-G")


@pytest.mark.parametrize("text", ["A-D", "a-d", "ad", "A D", "a>d", "a to d", "from A to D", " (A–D). "])
def test_the_first_move_is_read_leniently(text):
    assert GAME.parse(start(), text) == Move(3, 0)


@pytest.mark.parametrize("text", ["D", "", "A-D-F", "1", "swap", "3x7", "3x7-A", "A-3x7"])
def test_the_first_move_needs_two_vertices(text):
    assert "such as A-C" in refusal(start(), text, BadNotation)


# Later plies


def test_a_segment_starts_where_the_previous_one_ended():
    pos = played("B-E A")
    assert GAME.parse(pos, "A-C") == GAME.parse(pos, "C") == Move(2)
    assert "starts at A" in refusal(pos, "B-D")


@pytest.mark.parametrize("text", ["1x4", "4x1", "4X1", " 1 x 4 ", "1×4", "1*4", "04x01", "to 1x4", "D-1x4"])
def test_a_crossing_is_named_by_its_two_segments_in_either_order(text):
    pos = played("B-E A C F D")
    assert GAME.notate(pos, GAME.parse(pos, text)) == "1x4"


def test_the_end_is_not_the_present_point():
    assert "end elsewhere" in refusal(played("B-E A C F D"), "D")
    assert "end elsewhere" in refusal(played("B-E A C F D 1x4"), "1x4")


def test_no_polygon_edge_holds_both_ends():
    pos = played("B-E A C")
    assert "neighbours" in refusal(pos, "D")
    assert "D" not in legal(pos)
    assert "D" in legal(GAME.play(pos, GAME.parse(pos, "F")))


def test_no_segment_holds_both_ends():
    assert "Segment 1 holds both E and B" in refusal(played("B-E"), "B")
    pos = played("B-E A C F D 1x4", "-colours=any")
    for text, segment in (("1x3", 1), ("2x4", 4)):
        assert f"Segment {segment} holds both 1x4 and {text}" in refusal(pos, text)
    assert legal(pos) == ["2x5"]


def test_a_vertex_is_gone_to_once():
    pos = played("B-E A C F")
    assert "A is used up: segment 3 touches it" in refusal(played("B-E A C F D"), "A")
    assert not {"A", "C", "E"} & set(legal(pos))


def test_only_the_vertex_where_ply_1_started_may_be_reached_once_more():
    pos = played("B-E A C F")
    assert "B" in legal(pos)
    again = played("B-E A C F B D", "-colours=any")
    assert "B is used up" in refusal(GAME.play(again, GAME.parse(again, "2x4")), "B")


def test_both_segments_must_go_on_beyond_a_crossing():
    pos = played("B-E A C F B D 2x4 3x5", "-colours=any")
    assert "Segments 2 and 7 do not cross" in refusal(pos, "2x7")
    assert "2x4 is used up: segment 7 ends there" in refusal(played("B-E A C F B D 2x4 1x3", "-colours=any"), "2x4")


def test_there_must_be_such_a_crossing():
    pos = played("B-E A C F D")
    assert "Segments 1 and 2 do not cross" in refusal(pos, "1x2")
    for text in ("1x6", "0x1", "3x3"):
        assert "two different segments of the 5" in refusal(pos, text)
    assert "no vertex Q" in refusal(pos, "Q")


def test_where_three_segments_meet_nobody_goes():
    pos = played("A-D B E C F", "-colours=any", COINCIDENT)
    assert meeting(((0, 0), (16, 16)), ((-4, 8), (20, 8))) == (8, 8) == meeting(((0, 0), (16, 16)), ((0, 16), (16, 0)))
    assert "More than two segments meet" in refusal(pos, "1x3")
    assert not {"1x3", "1x5", "3x5"} & set(legal(pos))
    assert "1x3" in legal(played("A-D B E C", "-colours=any", COINCIDENT))


def test_nearly_coincident_points_stay_apart():
    """The same polygon, 2^400 times as large, with one vertex moved by 1."""
    huge = [[part << 400 for part in vertex] for vertex in COINCIDENT]
    huge[5][0] += 1
    pos = played("A-D B E C F", "-colours=any", tuple(map(tuple, huge)))
    assert {"1x3"} <= set(legal(pos))
    assert pos.drawing is not None
    assert pos.drawing.closed == frozenset()
    assert pos.drawing.precision > polygon_geometry.FIRST_PRECISION


@pytest.mark.parametrize(
    ("colours", "ply", "wanted"),
    [
        ("different", 11, {1}),
        ("different", 12, {1}),
        ("same", 11, {0}),
        ("any", 11, {0, 1}),
        ("split", 11, {0}),
        ("split", 12, {1}),
    ],
)
def test_colours_decide_which_crossings_may_be_gone_to(colours, ply, wanted):
    for seed in range(40):
        pos = random_play(f"-sides=12 -colours={colours}", seed, ply - 1)
        crossings = [move.end for move in GAME.moves(pos) if isinstance(move.end, tuple)]
        if pos.ply == ply and len(crossings) > 2:
            assert {(two - one) % 2 for one, two in crossings} == wanted
            break
    else:
        pytest.fail("no position to look at")


def test_vertices_are_free_of_colours_and_refusals_name_them():
    pos = played("B-E A C F D")
    assert legal(pos) == ["B", "1x4"]
    sentence = refusal(pos, "2x4", IllegalMove)
    assert "different colours, but 2 is blue and 4 is blue" in sentence


def test_a_point_that_is_too_heavy_is_too_fine(monkeypatch):
    pos = random_play("-sides=9 -colours=any", 3, 14)
    full = set(legal(pos))
    for weight in (4, 10, 11, 30):
        monkeypatch.setattr(polygon_geometry, "MAX_WEIGHT", weight)
        fresh = replayed(pos)
        literal = Literal(pos.vertices, "any", weight)
        assert [move.end for move in GAME.moves(fresh)] == [ends[-1] for ends in literal.successors(pos.places)]
    monkeypatch.setattr(polygon_geometry, "MAX_WEIGHT", 10)
    refused = full - set(legal(replayed(pos)))
    assert refused
    assert "too fine" in refusal(replayed(pos), min(refused))


def replayed(pos):
    """The same position without its caches, and without judging its own plies."""
    drawing = polygon_geometry.Drawing(tuple(polygon_geometry.Vertex(*v) for v in pos.vertices), pos.places[0])
    for place in pos.places[1:]:
        drawing = drawing.extended(place)
    return Position(pos.options, pos.vertices, pos.places, drawing=drawing)


def test_the_heaviest_point_has_a_million_bits_at_most():
    assert 16 * polygon_geometry.MAX_WEIGHT == 2**20


def test_lists_and_drawings_of_points_made_to_be_fine_need_no_exact_values():
    """Always play to the heaviest point; with exact values, such a game's lists take seconds."""
    pos = start("-sides=16 -colours=any")
    while pos.ply <= 80:
        moves = list(GAME.moves(pos))
        pos = GAME.play(pos, max(moves, key=lambda move: weight(pos, move)))
    assert pos.drawing is not None
    assert max(point.weight for point in pos.drawing.points) > polygon_geometry.MAX_WEIGHT // 2
    GAME.scene(pos, None)
    GAME.zoom(pos, None, "A", 10**900)
    assert not any(segment.settled for segment in pos.drawing.segments)


def weight(pos, move):
    return 0 if pos.drawing is None else pos.drawing.point(move.end).weight


# The end


def test_who_leaves_the_other_without_a_move_wins():
    pos = played("A-C", "-sides=4")
    outcome = GAME.outcome(pos)
    assert legal(pos) == []
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "by drawing the last segment")
    assert "over" in refusal(pos, "B")
    assert "over" in refusal(pos, "pass")


@pytest.mark.parametrize(("moves", "winner"), [("", 2), ("B-E", 1), ("B-E A", 2)])
def test_passing_loses_even_when_wrong_and_is_no_legal_move(moves, winner):
    pos = played(moves)
    assert legal(pos)
    assert "pass" not in legal(pos)
    move = GAME.parse(pos, " PASS. ")
    assert GAME.notate(pos, move) == "pass"
    after = GAME.play(pos, move)
    outcome = GAME.outcome(after)
    assert outcome is not None
    assert outcome.winner == winner
    assert "passed" in outcome.reason
    assert legal(after) == []
    assert "over" in refusal(after, "pass")


# Against the literal implementation


@settings(max_examples=25, deadline=None)
@given(
    sides=st.integers(4, 9),
    shape=st.integers(0, 5),
    colours=st.sampled_from(["different", "same", "any", "split"]),
    seed=st.integers(0, 99),
    plies=st.integers(0, 12),
)
def test_legal_moves_are_those_of_the_literal_rules(sides, shape, colours, seed, plies):
    pos = random_play(f"-sides={sides} -seed={shape} -colours={colours}", seed, plies)
    literal = Literal(pos.vertices, colours)
    if pos.places:
        assert [move.end for move in GAME.moves(pos)] == [ends[-1] for ends in literal.successors(pos.places)]
    outcome = GAME.outcome(pos)
    assert (outcome and outcome.winner) == literal.winner(pos.places)


@settings(max_examples=25, deadline=None)
@given(
    vertices=st.sampled_from([COINCIDENT, ((0, 0), (0, 6), (6, 12), (12, 12), (18, 6), (18, 0), (12, -6), (6, -6))]),
    seed=st.integers(0, 999),
    plies=st.integers(4, 11),
)
def test_coincident_points_are_those_of_the_literal_rules(vertices, seed, plies):
    """Many points coincide and segments overlap on symmetric polygons, which no game has."""
    rng, pos = random.Random(seed), start(f"-sides={len(vertices)} -colours=any", vertices)
    for _ in range(plies):
        moves = list(GAME.moves(pos))
        if pos.places:
            expected = Literal(vertices, "any").successors(pos.places)
            assert [move.end for move in moves] == [ends[-1] for ends in expected]
        if not moves:
            break
        pos = GAME.play(pos, rng.choice(moves))


# Values and records


@settings(max_examples=15, deadline=None)
@given(sides=st.integers(4, 16), seed=st.integers(0, 99), plies=st.integers(0, 25))
def test_notations_are_read_back_and_replay_to_the_same_value(sides, seed, plies):
    rng, pos = random.Random(seed), start(f"-sides={sides} -colours=any")
    record = []
    while pos.ply <= plies and (moves := list(GAME.moves(pos))):
        for move in moves:
            assert GAME.parse(pos, GAME.notate(pos, move)) == move
        move = rng.choice(moves)
        record.append(GAME.notate(pos, move))
        pos = GAME.play(pos, move)
    again = played(" ".join(record), f"-sides={sides} -colours=any")
    assert again == pos
    assert hash(again) == hash(pos)


def test_positions_that_branch_do_not_disturb_each_other():
    pos = random_play("-sides=10 -colours=any", 1, 12)
    before = legal(pos)
    branches = [GAME.play(pos, move) for move in GAME.moves(pos)]
    assert legal(pos) == before
    assert len(set(branches)) == len(before)
    for branch in branches[::5]:
        assert legal(branch) == legal(replayed(branch))


def test_a_move_made_by_hand_is_checked():
    for move in (Move(3), Move((1, 2)), Move((1, 9)), Move(7)):
        with pytest.raises(IllegalMove):
            GAME.play(played("B-E A C"), move)
    with pytest.raises(IllegalMove):
        GAME.play(start(), Move((1, 2)))


# The board drawn


def plane(scene):
    assert isinstance(scene.board, PlaneBoard)
    return scene.board


def test_the_scene_shows_segments_targets_and_the_present_point():
    pos = played("B-E A C F D")
    scene = GAME.scene(pos, Move(3))
    points = {point.name: point for point in plane(scene).points}
    assert [s.stroke for s in plane(scene).segments[:6]] == [Stroke.OUTLINE] * 6
    drawn = [(s.label, s.stroke, s.last) for s in plane(scene).segments[6:]]
    assert drawn[:2] == [("1", Stroke.RED, False), ("2", Stroke.BLUE, False)]
    assert drawn[-1] == ("5", Stroke.RED, True)
    assert [name for name, point in points.items() if point.here] == ["D"]
    assert {name: point.label for name, point in points.items() if point.target} == {"B": "B", "1x4": "a"}
    assert scene.lists[0].rows == (("B", "a 1x4"),)
    assert all(0 <= p.x <= plane(scene).width and 0 <= p.y <= plane(scene).height for p in points.values())


def test_codes_do_not_end_with_the_alphabet_and_long_lists_are_cut():
    pos = random_play("-sides=16 -colours=any", 2, 75)
    scene = GAME.scene(pos, None)
    targets = [point for point in plane(scene).points if point.target]
    labels = [point.label for point in targets if point.label]
    cells = [cell.split()[0] for row in scene.lists[0].rows for cell in row if cell]
    assert len(legal(pos)) > MAX_LISTED == len(targets) == len(set(labels))
    assert cells == labels
    assert f"{MAX_LISTED} of {len(legal(pos))}" in scene.lists[0].heading
    near = GAME.zoom(pos, None, legal(pos)[-1], 10**6)
    assert legal(pos)[-1] in {cell.split()[1] for row in near.lists[0].rows for cell in row if cell}


def test_the_scene_of_a_finished_game_shows_no_targets():
    for pos in (played("A-C", "-sides=4"), GAME.play(start(), Move(None)), GAME.play(played("B-E"), Move(None))):
        scene = GAME.scene(pos, None)
        assert scene.lists == ()
        assert not [p for p in plane(scene).points if p.target]


@pytest.mark.parametrize("factor", [1, 2, 37, 10**9, 10**40, MAX_ZOOM])
def test_zooming_is_exact_at_any_factor(factor):
    pos = random_play("-sides=8 -colours=any", 4, 15)
    points, segments = Literal(pos.vertices).drawn(pos.places)
    one, two = next(end for end in (move.end for move in GAME.moves(pos)) if isinstance(end, tuple))
    assert isinstance(GAME, Zoomable)
    board = plane(GAME.zoom(pos, None, f"{two}X{one}", factor))
    unit = 64 * factor
    centre = [int(part * unit // 1) for part in meeting(segments[one - 1], segments[two - 1])]
    corner = [centre[0] - board.width // 2, centre[1] - board.height // 2]
    shown = [(s.x2, s.y2) for s in board.segments[8:]]
    assert shown == [(int(x * unit // 1) - corner[0], int(y * unit // 1) - corner[1]) for x, y in points[1:]]
    here = {(p.x, p.y) for p in board.points if p.name == f"{one}x{two}"}
    assert here == {(board.width // 2, board.height // 2)}
    assert all(0 <= p.x <= board.width and 0 <= p.y <= board.height for p in board.points)


def test_zooming_refuses_what_is_no_point():
    pos = played("B-E A C F D")
    for point in ("5", "", "1x2", "1x9", "Z", "1x1", "pass"):
        with pytest.raises(MoveError):
            GAME.zoom(pos, None, point, 10)
    for factor in (0, -1, MAX_ZOOM + 1):
        with pytest.raises(MoveError, match="magnified"):
            GAME.zoom(pos, None, "B", factor)
    assert plane(GAME.zoom(start(), None, "b", 3)).points
