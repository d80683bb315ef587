"""CrossGeo: each sentence of its rules, and play, compared with a literal second implementation."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.crossgeo import CrossGeo, graph
from games.crossgeo_boards import BUILT_IN, MAX_EDGES, Dice, cross, overlap, random_graph
from games.rules import AmbiguousMove, BadNotation, IllegalMove, OptionError, Side, lettered
from games.scene import PlaneBoard, Stroke
from pbm import draw
from tests.games import literal_crossgeo as literal
from tests.games.perft import golden_cases, quick_and_whole

crossgeo = CrossGeo()

COLOURS = {"g": "green", "r": "red", "b": "blue"}

CROSS = "0,0 40,30 red\n0,30 40,0 blue\n60,0 60,30 green\n50,20 90,20\n"
"""Two crossings side by side: edges 1 and 2, edges 3 and 4."""


def start(*words, body=""):
    return crossgeo.start(crossgeo.options(words, body=body))


def after(moves, *words, body=""):
    """The position after moves that are separated by blanks."""
    pos = start(*words, body=body)
    for text in moves.split():
        pos = crossgeo.play(pos, crossgeo.parse(pos, text))
    return pos


def names(pos):
    return [crossgeo.notate(pos, move) for move in crossgeo.moves(pos)]


def ended(pos):
    outcome = crossgeo.outcome(pos)
    assert outcome is not None
    return outcome


def told(pos, text, error=IllegalMove):
    with pytest.raises(error) as refusal:
        crossgeo.parse(pos, text)
    return str(refusal.value)


def refused(*words, body=""):
    with pytest.raises(OptionError) as refusal:
        crossgeo.options(words, body=body)
    return str(refusal.value)


def standing(pos):
    """The numbers of the standing edges."""
    return {index + 1 for index in range(len(graph(pos.options).edges)) if pos.standing >> index & 1}


def drawing(pos):
    """The board for the literal implementation."""
    board = graph(pos.options)
    return {
        index + 1: (*line, COLOURS[colour])
        for index, (line, colour) in enumerate(zip(board.lines, board.colours, strict=True))
    }


def lines_of(edges):
    """The body that draws these edges."""
    return "\n".join(f"{x1},{y1} {x2},{y2} {colour}" for (x1, y1), (x2, y2), colour in edges)


def random_game(seed, *words, body=""):
    """Positions and the moves that led to them, from the start to the end."""
    rng, pos = random.Random(seed), start(*words, body=body)
    yield pos, None
    while crossgeo.outcome(pos) is None:
        move = rng.choice(list(crossgeo.moves(pos)))
        pos = crossgeo.play(pos, move)
        yield pos, move


def edges(most, low=0, high=6, colours=("green", "red", "blue")):
    """Lists of edges on a small lattice, where touching, overlapping and shared ends are frequent."""
    spots = st.tuples(st.integers(low, high), st.integers(low, high))
    edge = st.tuples(spots, spots, st.sampled_from(colours)).filter(lambda edge: edge[0] != edge[1])
    return st.lists(edge, min_size=1, max_size=most)


def without_overlaps(drawn):
    kept: list[literal.Edge] = []
    for edge in drawn:
        if not any(literal.overlap(edge, other) for other in kept):
            kept.append(edge)
    return kept


# A turn


def test_red_is_seat_1_and_begins():
    pos = start()
    assert crossgeo.sides(pos.options) == ("Red", "Blue")
    assert crossgeo.to_move(pos) is Side.FIRST
    assert crossgeo.to_move(after("1")) is Side.SECOND


def test_a_player_picks_edges_of_their_own_colour_or_green_ones():
    pos = start(body=CROSS)
    assert names(pos) == ["1", "3", "4"]
    assert told(pos, "2") == "Edge 2 (C-D) is blue, and Red picks only red or green edges: 1, 3, 4."
    blue = after("3", body=CROSS)
    assert names(blue) == ["2"]
    assert told(blue, "1") == "Edge 1 (A-B) is red, and Blue picks only blue or green edges: 2."


@pytest.mark.parametrize(("pick", "left"), [("1", {3, 4}), ("3", {1, 2}), ("4", {1, 2})])
def test_an_edge_goes_with_all_that_cross_it_of_any_colour(pick, left):
    assert standing(after(pick, body=CROSS)) == left


def test_only_standing_edges_are_removed():
    """Edge 2 crosses 1 and 4; once it is gone with 1, it does not go with 4."""
    chain = "0,10 60,10\n10,0 10,30\n30,0 30,30\n0,20 20,25"
    pos = after("1", body=chain)
    assert standing(pos) == {4}
    assert crossgeo.play(pos, 3).taken == 0b1000
    assert told(pos, "2") == "Edge 2 (C-D) is gone: an earlier turn removed it. Still standing: 4."


def test_who_has_no_edge_to_pick_loses_even_while_others_stand():
    pos = after("3 2", body="0,0 9,9 blue\n0,9 9,9 blue\n0,20 9,20 red\n")
    assert standing(pos) == {1}
    outcome = ended(pos)
    assert outcome.winner is Side.SECOND
    assert outcome.reason == "because Red has no edge left to pick"
    assert told(pos, "1") == "The game is over."
    assert names(pos) == []


def test_who_removes_the_last_edge_wins():
    pos = after("1", body="0,0 9,9\n0,9 9,0")
    assert standing(pos) == set()
    outcome = ended(pos)
    assert (outcome.winner, outcome.reason) == (Side.FIRST, "by removing the last edge")


def test_a_move_that_is_not_legal_cannot_be_played():
    pos = start(body=CROSS)
    with pytest.raises(IllegalMove):
        crossgeo.play(pos, 1)


# Crossing


@pytest.mark.parametrize(
    ("one", "other", "crossing"),
    [
        (((0, 0), (2, 2)), ((0, 2), (2, 0)), True),
        (((0, 0), (2, 2)), ((0, 0), (2, 0)), False),
        (((0, 0), (4, 0)), ((2, 0), (2, 3)), False),
        (((0, 0), (4, 0)), ((2, 0), (6, 0)), False),
        (((0, 0), (4, 0)), ((0, 0), (4, 0)), False),
        (((0, 0), (4, 0)), ((0, 1), (4, 1)), False),
        (((0, 0), (4, 0)), ((5, -1), (5, 1)), False),
        (((0, 0), (999, 998)), ((998, 997), (2, 1)), False),
        (((0, 0), (999, 998)), ((998, 996), (499, 499)), True),
    ],
    ids=["proper", "common end", "end inside", "overlap", "same", "parallel", "beyond", "near miss", "fine"],
)
def test_edges_cross_in_one_point_inside_both(one, other, crossing):
    assert cross(one, other) is crossing
    assert literal.cross((*one, "green"), (*other, "green")) is crossing


@settings(max_examples=300, deadline=None)
@given(edges(2, high=5))
def test_crossing_and_overlapping_are_what_rational_equations_say(drawn):
    for one, other in ((drawn[0], drawn[-1]), (drawn[-1], drawn[0])):
        assert cross(one[:2], other[:2]) == literal.cross(one, other)
        assert overlap(one[:2], other[:2]) == literal.overlap(one, other)


@pytest.mark.parametrize("words", [["-board=3"], ["-board=random", "-edges=60"], ["-board=complete", "-points=8"]])
def test_the_crossings_of_a_board_are_those_of_each_pair(words):
    pos = start(*words)
    drawn, crossings = drawing(pos), graph(pos.options).crossings
    for one, other in combinations(drawn, 2):
        assert bool(crossings[one - 1] >> other - 1 & 1) == literal.cross(drawn[one], drawn[other])
        assert bool(crossings[other - 1] >> one - 1 & 1) == literal.cross(drawn[one], drawn[other])


# Play against the literal implementation


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("board", ["-board=1", "-board=2", "-board=3", "-board=random -edges=30", "-board=complete"])
def test_random_games_are_those_of_the_literal_rules(board, version):
    words = [*board.split(), f"-version={version}"]
    drawn = drawing(start(*words))
    game = literal.start(drawn)
    for pos, move in random_game(7, *words):
        game = game if move is None else literal.after(drawn, game, move + 1)
        assert standing(pos) == game[0]
        assert names(pos) == [str(number) for number in literal.picks(drawn, game)]
        outcome = crossgeo.outcome(pos)
        assert (outcome.winner if outcome else None) == literal.winner(drawn, game)


@quick_and_whole
def test_literal_counts_are_the_golden_ones(whole):
    for case in golden_cases("crossgeo", whole=whole):
        plies, wins = literal.counts(drawing(start(*case.options, body=case.body)), len(case.plies))
        assert plies == case.plies, case.options
        assert case.wins in (None, wins), case.options


# The theory


@cache
def mover_wins(pos):
    outcome = crossgeo.outcome(pos)
    if outcome is not None:
        return outcome.winner is crossgeo.to_move(pos)
    return any(not mover_wins(crossgeo.play(pos, move)) for move in crossgeo.moves(pos))


@settings(max_examples=60, deadline=None)
@given(edges(9, high=4, colours=("green",)).map(without_overlaps))
def test_the_green_game_is_node_kayles_on_the_crossings(drawn):
    pos = start(body=lines_of(drawn))
    assert mover_wins(pos) == (literal.grundy(drawing(pos)) != 0)


@settings(max_examples=40, deadline=None)
@given(edges(6, high=4).map(without_overlaps), edges(6, low=10, high=14).map(without_overlaps))
def test_parts_that_do_not_cross_are_independent(left, right):
    """A move in one part leaves the other alone, so a coloured game in two parts is the sum of two games."""
    body = "0,20 1,20\n"
    both, alone = start(body=body + lines_of(left + right)), start(body=body + lines_of(left))
    for index in range(len(left)):
        if index + 2 in map(int, names(alone)):
            after_both = standing(crossgeo.play(both, index + 1))
            assert after_both == standing(crossgeo.play(alone, index + 1)) | set(
                range(len(left) + 2, len(left) + len(right) + 2)
            )


def test_two_equal_green_parts_are_lost_for_the_mover():
    part = [((0, 0), (4, 4), "green"), ((0, 4), (4, 0), "green"), ((0, 1), (4, 1), "green"), ((2, 0), (2, 4), "green")]
    copy = [((ax + 10, ay), (bx + 10, by), colour) for (ax, ay), (bx, by), colour in part]
    assert mover_wins(start(body=lines_of(part)))
    assert not mover_wins(start(body=lines_of(part + copy)))


# Boards


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("name", ["1", "2", "3"])
def test_the_built_in_boards_are_those_of_the_file(name, version):
    drawn = json.loads(BUILT_IN.read_text())["graphs"][name]
    board = graph(crossgeo.options([f"-board={name}", f"-version={version}"]))
    assert [[list(spot) for spot in line] for line in board.lines] == [
        [drawn["vertices"][end] for end in edge] for edge in drawn["edges"]
    ]
    assert board.colours == drawn["colours"][version]
    assert set(board.colours) == set(version)


def test_without_options_it_is_board_1_all_green():
    assert graph(crossgeo.options([])) == graph(crossgeo.options(["-board=1", "-version=g"]))


def test_the_dice_are_splitmix64():
    """The generator's published sequence for seed 1234567."""
    dice = Dice(1234567)
    assert [dice.below(2**64) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 17, 35, 200])
def test_random_boards_are_balanced_and_clear(number, version):
    board = random_graph(number, 5, version)
    assert len(board.edges) == len(board.colours) == number
    assert len({frozenset(line) for line in board.lines}) == number
    assert len(set(board.vertices)) == len(board.vertices)
    for one, other in combinations([(*line, "green") for line in board.lines], 2):
        assert not literal.overlap(one, other)
    assert set(board.colours) <= set(version)
    assert_balanced(board.colours)


def assert_balanced(colours):
    """Red and blue are equal, but without green red may have one more; green differs by at most one."""
    red, blue, green = (colours.count(letter) for letter in "rbg")
    assert red - blue in ((0, 1) if not green else (0,))
    assert not (green and red) or abs(green - red) <= 1


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("number", range(1, 12))
def test_seat_1_can_move_on_every_random_board(number, version):
    for seed in range(4):
        assert names(start("-board=random", f"-edges={number}", f"-seed={seed}", f"-version={version}"))


RANDOM = [
    (((6, 3), (3, 3)), ((1, 4), (2, 1)), ((5, 4), (3, 1))),
    (((2, 1), (5, 3)), ((4, 1), (7, 3)), ((9, 2), (6, 0))),
]
COMPLETE = ((14, 10), (14, 111), (97, 119), (108, 63))


def test_a_seed_names_one_board_for_ever():
    assert [graph(crossgeo.options(["-board=random", "-edges=3", f"-seed={seed}"])).lines for seed in (1, 2)] == RANDOM
    assert graph(crossgeo.options(["-board=complete", "-points=4"])).vertices == COMPLETE


@pytest.mark.parametrize("points", range(3, 13))
def test_complete_boards_join_points_in_general_position(points):
    for seed in range(3):
        board = graph(crossgeo.options(["-board=complete", f"-points={points}", f"-seed={seed}", "-version=rgb"]))
        assert len(set(board.vertices)) == points
        assert sorted(board.edges) == list(combinations(range(points), 2))
        for (ax, ay), (bx, by), (cx, cy) in combinations(board.vertices, 3):
            assert (bx - ax) * (cy - ay) != (by - ay) * (cx - ax)
        assert_balanced(board.colours)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("-edges=9", '"-edges" means nothing with -board=1: it goes with -board=random or -board=fair.'),
        (
            "-board=2 -seed=9",
            '"-seed" means nothing with -board=2: it goes with -board=random, -board=fair or -board=complete.',
        ),
        ("-board=random -points=9", '"-points" means nothing with -board=random: it goes with -board=complete.'),
        (
            "-board=complete -edges=9",
            '"-edges" means nothing with -board=complete: it goes with -board=random or -board=fair.',
        ),
        ("-version=gb", '"-version=gb" does not fit: -version takes g or rb or rgb.'),
        ("-board=fair -edges=61", '"-edges=61" does not fit: a fair board has at most 60 edges.'),
        ("-board=random -edges=201", '"-edges=201" does not fit: -edges takes a number from 1 to 200.'),
        ("-board=complete -points=2", '"-points=2" does not fit: -points takes a number from 3 to 12.'),
    ],
)
def test_options_that_say_nothing_together_are_refused(words, sentence):
    assert refused(*words.split()) == sentence


# A graph of one's own


def test_a_graph_of_ones_own_is_read_line_by_line():
    board = graph(crossgeo.options([], body="0,0 40,30 RED\r\n\n (1, 2) - (3,4) b\n 999,0 0 , 999 ;green\n5,5  6,7"))
    assert board.lines == (((0, 0), (40, 30)), ((1, 2), (3, 4)), ((999, 0), (0, 999)), ((5, 5), (6, 7)))
    assert board.colours == "rbgg"


def test_edges_that_meet_share_a_vertex():
    board = graph(crossgeo.options([], body="0,0 4,4\n4,4 8,0\n8,0 0,0"))
    assert board.edges == ((0, 1), (1, 2), (2, 0))
    assert [board.ends(index) for index in range(3)] == ["A-B", "B-C", "C-A"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("0,0 1,1\n\n0,0 x", 'Line 3 of your graph, "0,0 x", is not an edge: write two points, '),
        ("0,0", 'Line 1 of your graph, "0,0", is not an edge: '),
        ("0,0 1,-1", "is not an edge"),
        ("0,0 1.5,1", "is not an edge"),
        ("0,0 1000,1", 'Line 1 of your graph, "0,0 1000,1", goes too far: coordinates are numbers from 0 to 999.'),
        ("0,0 1,1 pink", "is pink: an edge here is green or red or blue."),
        ("3,4 3,4", 'Line 1 of your graph, "3,4 3,4", joins a point to itself: an edge has two different ends.'),
        ("0,0 4,4\n4,4 0,0 red", 'Line 2 of your graph, "4,4 0,0 red", repeats the edge of line 1.'),
        ("0,0 4,4\n\n3,3 6,6", 'Line 3 of your graph, "3,3 6,6", lies on the edge of line 1, '),
        ("0,0 1,1 blue\n5,5 6,7 blue", "In your graph Red could not even begin: it has no edge that is red or green."),
    ],
)
def test_a_wrong_line_is_named(body, sentence):
    assert sentence in refused(body=body)


@settings(max_examples=80, deadline=None)
@given(edges(5, high=4))
def test_a_graph_is_refused_exactly_if_edges_overlap_or_red_cannot_begin(drawn):
    wrong = any(literal.overlap(one, other) for one, other in combinations(drawn, 2))
    if wrong or all(colour == "blue" for *_, colour in drawn):
        refused(body=lines_of(drawn))
    else:
        pos = start(body=lines_of(drawn))
        assert drawing(pos) == dict(enumerate(drawn, start=1))


def test_a_graph_has_at_most_200_edges():
    body = [f"{index},0 {index},9" for index in range(MAX_EDGES)]
    assert len(names(start(body="\n".join(body)))) == MAX_EDGES
    assert "is one too many: a graph has at most 200 edges" in refused(body="\n".join([*body, "900,0 900,9"]))


@pytest.mark.parametrize(
    ("colours", "version"),
    [(" ", "g"), ("red blue", "rb"), ("red red", "rb"), ("green", "g"), ("red green blue", "rgb")],
)
def test_the_version_of_an_own_graph_follows_from_its_colours(colours, version):
    body = "\n".join(f"{row},0 {row},9 {colour}" for row, colour in enumerate(colours.split(" ")))
    assert crossgeo.options([], body=body).version == version


@pytest.mark.parametrize(
    ("version", "line", "sentence"),
    [
        ("g", "0,0 1,1 red", "is red: an edge here is green."),
        ("rb", "0,0 1,1 green", "is green: an edge here is red or blue."),
        ("rb", "0,0 1,1", "has no colour, which means green: an edge here is red or blue."),
    ],
)
def test_a_given_version_allows_its_colours_only(version, line, sentence):
    assert sentence in refused(f"-version={version}", body=line)
    assert crossgeo.options(["-version=rgb"], body=line).version == "rgb"


@pytest.mark.parametrize("word", ["-board=1", "-board=random", "-edges=5", "-points=5", "-seed=5"])
def test_an_own_graph_and_a_made_one_exclude_each_other(word):
    name = word.partition("=")[0]
    assert refused(word, body=CROSS) == f'"{name}" and a graph in the body exclude each other: leave out one of them.'


def test_a_blank_body_is_no_graph():
    assert crossgeo.options([], body=" \n\n") == crossgeo.options([])


# Reading moves


@pytest.mark.parametrize(
    "text", ["8", "#8", "edge 8", "No. 8", " 08. ", "８", "J-K", "k-j", "k j", "JK", "J–K", "(j,k)"]
)
def test_an_edge_is_read_by_its_number_or_its_vertices(text):
    pos = start()
    assert crossgeo.notate(pos, crossgeo.parse(pos, text)) == "8"


def test_the_colour_letter_may_be_copied_but_not_wrong():
    pos = start("-version=rgb")
    assert crossgeo.parse(pos, "17R") == 16
    assert told(pos, "17b") == '"17b": edge 17 is red.'


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("36", IllegalMove, '"36": there is no edge 36. Still standing: 1-35.'),
        ("0", IllegalMove, '"0": there is no edge 0. '),
        (
            "A-D",
            IllegalMove,
            '"A-D": no edge joins these vertices. Edges that stand at them: 1 (A-B), 2 (A-C), 3 (C-D) ',
        ),
        ("A-A", BadNotation, '"A-A" is not an edge. Write its number or its two vertices, such as 1 or A-B; '),
        ("A-ZZ", BadNotation, "vertices are A to BD."),
        ("", BadNotation, '"" is not an edge. '),
        ("8 9", BadNotation, '"8 9" is not an edge. '),
    ],
)
def test_refusals_say_what_there_is(text, error, sentence):
    assert sentence in told(start(), text, error)


def test_letters_run_together_are_never_guessed():
    """Vertex 0 is A, 26 AA, 27 AB: "AAB" may be A-AB or AA-B."""
    rows = [f"{index},0 {index},1" for index in range(14)]
    pos = start(body="\n".join([*rows, "0,0 13,1", "13,0 0,1"]))
    board = graph(pos.options)
    assert {board.ends(14), board.ends(15)} == {"A-AB", "AA-B"}
    with pytest.raises(AmbiguousMove) as refusal:
        crossgeo.parse(pos, "AAB")
    assert str(refusal.value) == '"AAB" may be edge 15 (A-AB) or 16 (AA-B).'
    assert refusal.value.candidates == ("15", "16")
    assert crossgeo.parse(pos, "a-ab") == 14


@pytest.mark.parametrize(("index", "label"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (399, "OJ")])
def test_vertices_are_lettered_beyond_z(index, label):
    assert lettered(index) == label


# The board


def board_of(pos, last=None):
    shown = crossgeo.scene(pos, last).board
    assert isinstance(shown, PlaneBoard)
    return shown


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
def test_removed_edges_and_bare_vertices_vanish_and_nothing_else_moves(version):
    whole = board_of(start("-board=3", f"-version={version}"))
    for pos, move in random_game(3, "-board=3", f"-version={version}"):
        shown = board_of(pos, move)
        there = [segment for segment in shown.segments if not segment.gone]
        ghosts = {int(re.sub("[rgb]", "", segment.label)) - 1 for segment in shown.segments if segment.gone}
        assert sum(1 << index for index in ghosts) == pos.taken
        assert {int(re.sub("[rgb]", "", segment.label)) for segment in there} == standing(pos)
        assert set(there) <= set(whole.segments)
        assert set(shown.points) <= set(whole.points)
        assert (shown.width, shown.height) == (whole.width, whole.height)
        ends = {end for segment in there for end in ((segment.x1, segment.y1), (segment.x2, segment.y2))}
        assert {(point.x, point.y) for point in shown.points} == ends


def test_colours_show_in_stroke_and_letter_where_there_are_several():
    shown = board_of(start("-version=rgb"))
    assert {(segment.label[-1], segment.stroke) for segment in shown.segments} == {
        ("r", Stroke.RED),
        ("g", Stroke.GREEN),
        ("b", Stroke.BLUE),
    }
    assert [segment.label for segment in board_of(start()).segments][:3] == ["1", "2", "3"]
    assert board_of(start("-version=rb")).segments[0].label == "1r"


def test_vertices_that_share_a_point_have_their_own_letters():
    shown = board_of(start())
    assert {point.label for point in shown.points if (point.x, point.y) == (10, 3)} == {"W", "AC"}
    assert len({point.label for point in shown.points}) == len(shown.points) == 56


def test_the_window_is_the_box_around_the_graph():
    shown = board_of(start(body="100,50 140,50\n120,50 120,90"))
    assert (shown.width, shown.height) == (40, 40)
    assert (shown.segments[0].x1, shown.segments[0].y1) == (0, 0)
    assert board_of(start(body="7,3 9,3")).height == 1


def test_the_list_tells_what_each_pick_takes_with_it():
    (listing,) = crossgeo.scene(start(body=CROSS), None).lists
    assert listing.heading == "Red may pick:"
    assert listing.rows == (
        ("1r", "A-B", "takes 2b with it"),
        ("3g", "E-F", "takes 4g with it"),
        ("4g", "G-H", "takes 3g with it"),
    )
    assert crossgeo.scene(after("1 3", body=CROSS), None).lists == ()


def test_the_note_tells_what_the_last_turn_removed():
    pos = start(body=CROSS)
    move = crossgeo.parse(pos, "3")
    assert crossgeo.scene(pos, None).notes == ()
    assert crossgeo.scene(crossgeo.play(pos, move), move).notes == ("Red removed 3g (E-F); 4g fell with it.",)


def test_what_the_last_turn_took_is_no_part_of_the_position():
    one, other = after("1 3 5", body=PARALLEL), after("5 3 1", body=PARALLEL)
    assert one.taken != other.taken
    assert one == other
    assert hash(one) == hash(other)


PARALLEL = "\n".join(f"{column},0 {column},5" for column in range(6))


def test_long_lists_of_fallen_edges_are_wrapped():
    text = draw.text(crossgeo.scene(start("-board=complete", "-points=12", "-version=rb"), None))
    assert max(map(len, text.splitlines())) <= 78
    assert len(text.partition("may pick:")[2].splitlines()) > 40


# Boards made to be expensive


BUNDLE = "\n".join(f"0,{i} 999,{999 - i}" for i in range(200))
"""Each edge crosses every other, most of them in nearly the same point."""


def test_a_list_names_few_of_the_many_edges_that_would_fall():
    pos = start(body=BUNDLE)
    (listing,) = crossgeo.scene(pos, None).lists
    told = "\n".join(" ".join(row) for row in listing.rows)
    assert "and 191 more with it" in " ".join(told.split())
    assert len(told) < 40_000
