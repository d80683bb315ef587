"""Loops: each sentence of its rules; legality and scores are compared with a literal second implementation."""

from __future__ import annotations

import random
import re

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.loops import Loops, crossings, room
from games.rules import BadNotation, IllegalMove, OptionError, Side
from games.scene import Crossing, GridBoard, Join
from pbm import draw
from tests.games import literal_loops as literal
from tests.games.perft import perft

loops = Loops()

DEAD_END = "A5 D5 B1 D2 C4 B4 A6 E2 E6"
"""A game of size 6 that closes C1, although row 1 and column C have room: row 3 needs two squares, C3 and F3."""


def after(moves, *words):
    """The position after moves that are separated by blanks."""
    pos = loops.start(loops.options(words))
    for text in moves.split():
        pos = loops.play(pos, loops.parse(pos, text))
    return pos


def names(pos):
    return [loops.notate(pos, move) for move in loops.moves(pos)]


def ended(pos):
    outcome = loops.outcome(pos)
    assert outcome is not None
    return outcome


def told(pos, text, error=IllegalMove):
    with pytest.raises(error) as refusal:
        loops.parse(pos, text)
    return str(refusal.value)


def board(pos, last=None):
    shown = loops.scene(pos, last).board
    assert isinstance(shown, GridBoard)
    return shown


def random_game(seed, *words):
    """Each position of a random game, from the start to the end."""
    rng, pos = random.Random(seed), after("", *words)
    yield pos
    while loops.outcome(pos) is None:
        pos = loops.play(pos, rng.choice(list(loops.moves(pos))))
        yield pos


# The board and the players


def test_the_size_is_2_to_20_and_8_if_left_out():
    assert loops.options([]).size == 8
    for size in (2, 20):
        assert len(names(after("", f"-size={size}"))) == size * size
    for wrong in ("-size=1", "-size=21", "-size=a", "-first=green", "-first=1", "-limit=3"):
        with pytest.raises(OptionError, match=re.escape(wrong)):
            loops.options([wrong])


def test_seat_1_is_yellow_unless_purple_begins():
    assert loops.sides(loops.options([])) == loops.sides(loops.options(["-first=yellow"])) == ("Yellow", "Purple")
    assert loops.sides(loops.options(["-FIRST=Purple"])) == ("Purple", "Yellow")
    for words, pieces in (((), "YP"), (("-first=purple",), "PY")):
        shown = board(after("A1 B2", *words))
        assert [cell.piece for cell in shown.cells if cell.name in ("A1", "B2")] == list(pieces)


def test_who_begins_is_the_first_side_and_turns_alternate():
    for first in ("yellow", "purple"):
        assert [loops.to_move(after(moves, f"-first={first}")) for moves in ("", "A1", "A1 B2")] == [1, 2, 1]


def test_columns_are_lettered_and_rows_numbered_from_the_top():
    shown = board(after("C1", "-size=4"))
    assert (shown.columns, shown.rows) == (("A", "B", "C", "D"), ("1", "2", "3", "4"))
    assert [(cell.row, cell.column) for cell in shown.cells if cell.piece] == [(0, 2)]
    assert names(after("", "-size=2")) == ["A1", "B1", "A2", "B2"]
    assert names(after("", "-size=20"))[-1] == "T20"


# A turn


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13, 20])
def test_at_the_end_every_row_and_column_has_two_and_every_player_has_filled_n(size):
    for seed in range(4):
        *_, pos = random_game(seed, f"-size={size}")
        assert {row.bit_count() for row in pos.filled} == {2}
        assert {sum(row >> column & 1 for row in pos.filled) for column in range(size)} == {2}
        assert [sum(map(int.bit_count, side)) for side in pos.rows] == [size, size]
        assert names(pos) == []


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_square_is_legal_exactly_if_a_completion_is_left(size):
    """Compared with the list of all completions, in each position of random games."""
    for seed in range(12):
        for pos in random_game(seed, f"-size={size}"):
            game = (size, *(as_squares(side) for side in pos.rows))
            assert list(loops.moves(pos)) == literal.legal(game)


def test_what_is_typed_is_accepted_exactly_if_it_is_listed():
    for pos in random_game(11, "-size=6"):
        legal = set(names(pos))
        for name in names(after("", "-size=6")):
            if name in legal:
                assert loops.notate(pos, loops.parse(pos, name)) == name
            else:
                told(pos, name)


def as_squares(rows):
    return frozenset(
        (row, column) for row, line in enumerate(rows) for column in range(len(rows)) if line >> column & 1
    )


@settings(max_examples=15, deadline=None)
@given(size=st.integers(6, 9), seed=st.integers(0, 999), share=st.floats(0, 1))
def test_legal_squares_of_larger_boards_by_maximum_flow(size, seed, share):
    positions = list(random_game(seed, f"-size={size}"))
    pos = positions[int(share * (len(positions) - 1))]
    legal = set(loops.moves(pos))
    for square in ((row, column) for row in range(size) for column in range(size)):
        assert (square in legal) == completable(size, as_squares(pos.filled), square), (pos, square)


def completable(size, filled, square):
    """Whether the square is empty, and a flow from rows to columns fills what is then missing."""
    if square in filled:
        return False
    network, filled = networkx.DiGraph(), filled | {square}
    for line in range(size):
        row_misses = 2 - sum(row == line for row, _ in filled)
        column_misses = 2 - sum(column == line for _, column in filled)
        if row_misses < 0 or column_misses < 0:
            return False
        network.add_edge("source", ("row", line), capacity=row_misses)
        network.add_edge(("column", line), "sink", capacity=column_misses)
    for row in range(size):
        free = [column for column in range(size) if (row, column) not in filled]
        network.add_edges_from(((("row", row), ("column", column)) for column in free), capacity=1)
    return networkx.maximum_flow_value(network, "source", "sink") == 2 * size - len(filled)


def test_room_in_row_and_column_is_not_enough():
    """With only that rule, about one random game in eight on 5 x 5 runs into a dead end."""
    stuck = sum(runs_into_a_dead_end(5, random.Random(seed)) for seed in range(600))
    assert 40 < stuck < 120


def runs_into_a_dead_end(size, rng):
    filled: set[tuple[int, int]] = set()
    while len(filled) < 2 * size:
        room = [
            (row, column)
            for row in range(size)
            for column in range(size)
            if (row, column) not in filled
            and sum(at == row for at, _ in filled) < 2
            and sum(at == column for _, at in filled) < 2
        ]
        if not room:
            return True
        filled.add(rng.choice(room))
    return False


def test_the_kept_completion_goes_through_all_filled_squares():
    for seed in range(5):
        for pos in random_game(seed, "-size=9"):
            assert all(whole & filled == filled for whole, filled in zip(pos.completion, pos.filled, strict=True))
            assert {row.bit_count() for row in pos.completion} == {2}
            assert {sum(row >> column & 1 for row in pos.completion) for column in range(9)} == {2}


def test_positions_reached_in_another_order_are_equal():
    one, other = after("A1 B2 C3 D4 A3"), after("C3 D4 A3 B2 A1")
    assert one == other
    assert hash(one) == hash(other)


# Refusals


def test_a_taken_square_names_its_owner():
    assert told(after("C5 B2"), "C5") == "C5 is taken: Yellow filled it."
    assert told(after("C5 B2"), "B2") == "B2 is taken: Purple filled it."
    assert told(after("C5 B2", "-first=purple"), "C5") == "C5 is taken: Purple filled it."


def test_a_full_row_or_column_names_the_squares_that_fill_it():
    assert told(after("A3 F3"), "C3") == "C3 cannot be filled: row 3 is full with A3 and F3."
    assert told(after("B7 B1"), "B4") == "B4 cannot be filled: column B is full with B1 and B7."


def test_a_dead_end_is_explained():
    sentence = "C1 would be a dead end: to get two squares, row 3 must have all the room left in column C."
    assert told(after(DEAD_END, "-size=6"), "C1") == sentence


@pytest.mark.parametrize("size", [4, 5])
def test_what_the_explanation_of_a_dead_end_claims_is_so(size):
    """In each completion, the missing squares of the named columns all lie in the named rows."""
    explained = 0
    for seed in range(20):
        for pos in random_game(seed, f"-size={size}"):
            for row, column in dead_ends(pos):
                left = [way for way in literal.completions(size) if way >= as_squares(pos.filled)]
                rows, columns = room(pos).bound(column)
                missing = {square for way in left for square in way - as_squares(pos.filled)}
                assert not rows >> row & 1
                assert columns >> column & 1
                assert all(rows >> at & 1 for at, place in missing if columns >> place & 1)
                explained += 1
    assert explained > 3


def dead_ends(pos):
    """The closed squares that are empty and have room in their row and column."""
    squares, size, legal = as_squares(pos.filled), pos.options.size, set(loops.moves(pos))
    for row in range(size):
        for column in range(size):
            has_room = sum(at == row for at, _ in squares) < 2 and sum(at == column for _, at in squares) < 2
            if has_room and (row, column) not in squares | legal:
                yield row, column


def test_what_lies_beyond_the_board_is_refused_with_what_there_is():
    start = after("", "-size=5")
    assert told(start, "F1") == "There is no column F here: the columns are A to E."
    assert told(start, "C6") == "There is no square C6: column C holds C1-C5."
    assert told(start, "C0") == "There is no square C0: column C holds C1-C5."


def test_the_nearest_legal_squares_are_offered():
    pos = after("C5 B2")
    with pytest.raises(IllegalMove) as refusal:
        loops.parse(pos, "C5")
    assert refusal.value.candidates == ("C4", "B5", "D5", "C6", "C3", "B4")
    assert set(refusal.value.candidates) <= set(names(pos))


def test_moves_are_read_leniently():
    start = after("")
    for text in ("C5", "c5", "5c", " c-5. ", "c 5", "(C5)", "Ｃ５"):
        assert loops.parse(start, text) == (4, 2)
    for text in ("", "c", "5", "c5 d6", "swap", "pass", "cc5"):
        assert f'"{text}"' in told(start, text, BadNotation)


def test_playing_a_closed_square_is_refused_too():
    pos = after(DEAD_END, "-size=6")
    with pytest.raises(IllegalMove):
        loops.play(pos, (0, 2))


def test_nothing_can_be_filled_after_the_end():
    assert told(after("A1 B1 A2 B2", "-size=2"), "A1") == "The game is over."


# The score


def test_joins_and_crossings_of_a_whole_game():
    """Drawn by hand:  1 P--------Y     2 Y-----P  |     3    Y--y--p--P   4    |  Y--p--P   5    P-----Y"""
    pos = after("D1 A1 B3 E3 D5 B5 A2 C2 C4 E4", "-size=5")
    assert crossings(pos) == [Crossing(2, 2, "Y"), Crossing(2, 3, "P"), Crossing(3, 3, "P")]
    rows = [
        Join((0, 0), (0, 3)),
        Join((1, 0), (1, 2)),
        Join((2, 1), (2, 4)),
        Join((3, 2), (3, 4)),
        Join((4, 1), (4, 3)),
    ]
    columns = [Join((top, at), (end, at)) for at, (top, end) in enumerate([(0, 1), (2, 4), (1, 3), (0, 4), (2, 3)])]
    assert board(pos).joins == (*rows, *columns)
    assert (ended(pos).winner, ended(pos).scores) == (Side.SECOND, (1, 2))
    assert ended(pos).reason == "on points, 2 to 1"


def test_lines_that_meet_at_an_end_do_not_cross():
    """Row 3's line ends at A3 and C3, and so do the lines of columns A and C."""
    pos = after("C1 A3 C3 A6", "-size=6")
    assert len(board(pos).joins) == 3
    assert crossings(pos) == []


@pytest.mark.parametrize("yellow", range(16))
def test_an_even_number_of_yellow_ends_is_yellows_point(yellow):
    """All colours of the four ends A2, C2, B1, B3 of one crossing, B2."""
    ends = [(1, 0), (1, 2), (0, 1), (2, 1)]
    squares = {end: bool(yellow >> bit & 1) for bit, end in enumerate(ends)}
    sides = [rows_of({end for end, own in squares.items() if own is wanted}) for wanted in (True, False)]
    expected = "Y" if yellow.bit_count() % 2 == 0 else "P"
    for first in ("yellow", "purple"):
        start = after("", "-size=5", f"-first={first}")
        rows = (sides[0], sides[1]) if first == "yellow" else (sides[1], sides[0])
        assert crossings(type(start)(start.options, rows, start.completion)) == [Crossing(1, 1, expected)]


def rows_of(squares):
    return tuple(sum(1 << column for at, column in squares if at == row) for row in range(5))


@pytest.mark.parametrize("first", ["yellow", "purple"])
@settings(max_examples=40, deadline=None)
@given(size=st.integers(2, 11), seed=st.integers(0, 10**6))
def test_points_are_those_of_the_articles_definition(first, size, seed):
    *_, pos = random_game(seed, f"-size={size}", f"-first={first}")
    game = (size, *(as_squares(side) for side in pos.rows))
    mine, theirs = literal.scores(game, purple_begins=first == "purple")
    assert ended(pos).scores == (mine, theirs)
    assert ended(pos).winner == (None if mine == theirs else 1 if mine > theirs else 2)


def test_equal_points_are_a_draw():
    drawn = ended(after("A1 B1 A2 B2", "-size=2"))
    assert (drawn.winner, drawn.scores, drawn.reason) == (None, (0, 0), "on points, 0 to 0")


@pytest.mark.parametrize(("size", "depth"), [(2, 4), (3, 6), (4, 4)])
def test_move_counts_of_the_second_implementation(size, depth):
    def winner(pos):
        outcome = loops.outcome(pos)
        return None if outcome is None else outcome.winner or 0

    start = after("", f"-size={size}")
    counted = perft(start, lambda pos: [loops.play(pos, move) for move in loops.moves(pos)], winner, depth)
    assert counted == literal.count(size, depth)


# What the board shows


def test_empty_squares_that_are_illegal_are_closed_and_no_others():
    for pos in random_game(7, "-size=7"):
        legal = set(names(pos))
        for cell in board(pos).cells:
            assert cell.closed == (not cell.piece and cell.name not in legal)


def test_crossings_decided_so_far_never_change():
    seen: set[Crossing] = set()
    for pos in random_game(3, "-size=10"):
        assert seen <= set(crossings(pos))
        seen = set(crossings(pos))
        assert set(board(pos).crossings) == seen
    assert len(seen) > 5


def test_the_score_so_far_is_told_and_the_marks_that_are_there():
    closed, owned = (
        "A closed square can no longer be filled.",
        "A small letter on a crossing tells whose point it is.",
    )
    assert loops.scene(after("", "-size=6"), None).notes == ("Yellow 0, Purple 0.",)
    assert loops.scene(after(DEAD_END, "-size=6"), None).notes == ("Yellow 0, Purple 0.", closed)
    whole = after("D1 A1 B3 E3 D5 B5 A2 C2 C4 E4", "-size=5")
    shown = loops.scene(whole, None)
    assert (shown.notes, shown.legend) == (("Yellow 1, Purple 2.",), (owned,))
    assert owned in " ".join(draw.text(shown).split())
    assert owned not in " ".join(draw.text(shown, draw.WORDS).split())


def test_the_last_move_is_marked():
    shown = board(after("A1 B2"), (1, 1))
    assert [cell.name for cell in shown.cells if cell.last] == ["B2"]
