"""Luddit: each sentence of its rules, and each judgement, compared with a literal second implementation."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.boards import BothSides
from games.luddit import Luddit, Position
from games.luddit_pieces import Move, Turn, torus
from games.rules import RECURS, BadNotation, IllegalMove, MoveError, OptionError, Outcome, Side
from games.scene import GridBoard, Scene
from tests.games import literal_luddit as literal
from tests.games.perft import golden_cases, quick_and_whole

GAME = Luddit()


def started(*words: str) -> Position:
    return GAME.start(GAME.options(words))


def played(*turns: str, words: tuple[str, ...] = ()) -> Position:
    pos = started(*words)
    for turn in turns:
        pos = GAME.play(pos, GAME.parse(pos, turn))
    return pos


def placed(black: str, white: str, *words: str, mover: Side = Side.FIRST) -> Position:
    """A position with stones at these names."""
    options = GAME.options(words)
    board = torus(options.size)
    first, second = (
        sum(1 << index for index in board.indices if board.names[index] in names.split()) for names in (black, white)
    )
    return Position(options, BothSides(first, second), mover)


def stones(pos: Position) -> tuple[str, str]:
    """The names of both sides' stones."""
    board = torus(pos.options.size)
    black, white = (
        " ".join(board.names[index] for index in board.indices if pos.field.of(side) >> index & 1) for side in Side
    )
    return black, white


def ended(pos: Position) -> Outcome:
    outcome = GAME.outcome(pos)
    assert outcome is not None
    return outcome


def grid(scene: Scene) -> GridBoard:
    assert isinstance(scene.board, GridBoard)
    return scene.board


def refused(pos: Position, text: str, *fragments: str) -> MoveError:
    """The error for a text; its sentence holds the fragments."""
    with pytest.raises(MoveError) as caught:
        GAME.parse(pos, text)
    for fragment in fragments:
        assert fragment in str(caught.value)
    return caught.value


# Options


def test_defaults_are_a_board_of_nine_and_eighteen_stones():
    options = GAME.options([])
    assert (options.size, options.stones, options.limit) == (9, 18, 18)
    assert GAME.options(["-size=19", "-STONES=99"]).limit == 99
    assert GAME.options(["-limit=5"]).stones == 18


@pytest.mark.parametrize("word", ["-size=4", "-size=20", "-stones=2", "-stones=100", "-limit=2", "-size=x", "-komi=6"])
def test_other_options_are_refused_by_name(word):
    with pytest.raises(OptionError, match=word.partition("=")[0]):
        GAME.options([word])


def test_black_starts_and_turns_alternate():
    assert GAME.sides(GAME.options([])) == ("Black", "White")
    assert GAME.to_move(started()) == 1
    assert GAME.to_move(played("C3")) == 2
    assert GAME.to_move(played("C3 D4", "E5")) == 1


# Turns and moves


def test_a_turn_is_one_or_two_moves_the_second_judged_after_the_first():
    assert stones(played("C3")) == ("C3", "")
    assert stones(played("C3 D4")) == ("C3 D4", "")
    assert stones(played("C3; C3>J9", "E5")) == ("J9", "E5")
    assert stones(played("C3; xC3")) == ("", "")
    refused(started(), "C3 D4 E5", "3 moves", "one or two")
    refused(started(), "C3 C3", 'Second move, "C3"', "C3 is taken")
    refused(started(), "xC3 C3", 'First move, "xC3"', "no stone on C3")


def test_stones_are_placed_on_empty_intersections_only():
    assert "H7" in refused(played("C3", "G7"), "G7", "G7 is taken", "White").candidates


def test_stones_are_placed_only_from_outside():
    pos = placed("A1 C3 E5", "", "-size=9", "-stones=3", "-limit=5")
    refused(pos, "G7", "all your 3 stones are on the board", "Conditioned to you: A1, C3, E5.")
    assert stones(GAME.play(pos, GAME.parse(pos, "xA1 G7")))[0] == "C3 E5 G7"


def test_stones_are_placed_only_below_the_limit_of_both_together():
    pos = placed("A1", "E5 H8", "-stones=3")
    refused(pos, "G7", "3 stones are on it, and at most 3 may be")
    GAME.parse(pos, "xA1 G7")
    GAME.parse(placed("A1", "E5 H8", "-stones=3", "-limit=4"), "G7")


def test_removed_stones_go_back_to_their_owners():
    # On the smallest board all stones are near, so three of them bind any other one.
    pos = placed("A1 B2", "C3 D4", "-size=5", "-stones=4", "-limit=8")
    after = GAME.play(pos, GAME.parse(pos, "xC3"))
    assert stones(after) == ("A1 B2", "D4")
    assert "Black has 2 stones outside, White 3; 3 of at most 8" in GAME.scene(after, None).notes[0]


def test_a_piece_is_removed_or_moved_by_whoever_it_is_conditioned_to():
    pos = placed("A1", "C3 D4")
    refused(pos, "xC3", "C3 is not conditioned to you", "not yours", "Conditioned to you: A1.")
    refused(pos, "C3>J9", "C3 is not conditioned to you")
    triangle = placed("D2 D4 E3", "C3 H8")
    assert stones(GAME.play(triangle, GAME.parse(triangle, "xC3"))) == ("D2 E3 D4", "H8")
    refused(triangle, "xH8", "H8 is not conditioned to you")
    bound = GAME.play(triangle, GAME.parse(triangle, "C3>J9"))
    assert stones(bound) == ("D2 E3 D4", "H8 J9")


def test_a_loop_of_both_colours_is_taken_up_when_a_loop_is_beside_it():
    mixed = "C3,D3,C4"
    alone = placed("C3 D3", "C4")
    refused(alone, f"x{mixed}", "not all its stones are yours")
    beside = placed("C3 D3", "C4 E5 F5 F6")
    assert stones(GAME.play(beside, GAME.parse(beside, f"x{mixed}"))) == ("", "E5 F5 F6")
    moved = GAME.play(beside, GAME.parse(beside, "C3,D3,C4>J9,H9,J8"))
    assert stones(moved) == ("H9 J9", "E5 F5 F6 J8")


def test_a_piece_is_a_single_stone_or_a_loop():
    pos = placed("A1 A2 D4 E5 F6 G7 H1", "")
    refused(pos, "xD4,E5", "D4,E5 is not a piece", "no circle", "this has 1 for 2")
    refused(pos, "xD4,F6", "D4,F6 is not a piece", "no circle", "this has 1 for 2")
    refused(pos, "xA1,E5,F6", "not connected", "two steps apart")
    refused(pos, "xC3", "There is no stone on C3")
    refused(pos, "xD4,E5,D4", "D4 is named twice")
    assert stones(GAME.play(pos, GAME.parse(pos, "xD4,E5,F6,G7")))[0] == "A1 H1 A2"
    GAME.parse(pos, "xA1,A2,H1")  # across the edge


def test_a_moved_loop_is_a_loop_again_in_any_shape():
    pos = placed("C3 C4 D4", "J9")
    assert stones(GAME.play(pos, GAME.parse(pos, "C3,C4,D4>G7,H7,J7"))) == ("G7 H7 J7", "J9")
    assert stones(GAME.play(pos, GAME.parse(pos, "C3,C4,D4>C3,C4,E3"))) == ("C3 E3 C4", "J9")
    refused(pos, "C3,C4,D4>G7,H7,C1", "must be a loop again", "not connected")
    refused(pos, "C3,C4,D4>A5,C5,E5", "must be a loop again", "this has 2 for 3")
    refused(pos, "C3,C4,D4>G7,H7", "takes up 3 and puts down 2")
    refused(pos, "C3>G7,H7", "takes up 1 and puts down 2")
    refused(pos, "C3,C4,D4>G7,G7,H7", "G7 is named twice")
    refused(pos, "C3,C4,D4>H8,H9,J9", "J9 is taken: White")


def test_vacated_intersections_count_as_empty():
    pos = placed("C3 C4 D4", "")
    assert stones(GAME.play(pos, GAME.parse(pos, "C3,C4,D4>C4,D4,D5")))[0] == "C4 D4 D5"


def test_a_move_must_change_the_position():
    pos = placed("C3 D3 C5", "C4 D5")
    refused(pos, "C3>C3", "changes nothing")
    refused(pos, "C3,D3,C5>D3,C5,C3", "changes nothing")
    mixed = placed("C3 D3", "C4 E5 F5 F6")
    assert stones(GAME.play(mixed, GAME.parse(mixed, "C3,D3,C4>C4,D3,C3"))) == ("D3 C4", "C3 E5 F5 F6")


# The end


RINGS = " ".join(f"{column}{row}" for row in (1, 4, 7) for column in "ABDEGH")


def test_three_full_rings_of_one_colour_leave_the_other_without_a_move():
    pos = placed(RINGS, "", mover=Side.SECOND)
    assert ended(pos).winner == 1
    assert ended(pos).reason == "because White had no legal move"
    assert list(GAME.moves(pos)) == []
    refused(pos, "xA1", "The game is over")
    assert ended(placed("", RINGS, mover=Side.FIRST)).winner == 2


def test_rings_lose_only_for_the_other_side_only_when_full_and_only_when_nothing_is_bound():
    assert GAME.outcome(placed(RINGS, "", mover=Side.FIRST)) is None
    assert GAME.outcome(placed(RINGS.replace("A1", "", 1), "", mover=Side.SECOND)) is None
    assert GAME.outcome(placed(RINGS, "", "-stones=18", "-limit=19", mover=Side.SECOND)) is None
    assert GAME.outcome(placed(RINGS.replace("H7", "H6"), "", mover=Side.SECOND)) is None
    assert GAME.outcome(placed(RINGS.replace("A1", ""), "A1", mover=Side.SECOND)) is None


def test_a_short_game_ends_without_a_move():
    pos = played("C3 D4", "A1 xA1", "E5", words=("-size=5", "-stones=3"))
    assert ended(pos).winner == 1


def test_a_board_without_a_free_intersection_takes_no_stone():
    everywhere = " ".join(f"{column}{row}" for column in "ABCDE" for row in range(1, 6))
    full = placed(everywhere, "", "-size=5", "-stones=99", mover=Side.SECOND)
    assert GAME.outcome(full) is None
    refused(full, "A1", "A1 is taken")
    assert stones(GAME.play(full, GAME.parse(full, "xA1; A1")))[1] == "A1"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(5, 7), st.integers(3, 6))
def test_nobody_is_stuck_while_a_loop_is_conditioned_to_them(seed, size, count):
    rng = random.Random(seed)
    cells = rng.sample(range(size * size), count)
    options = GAME.options([f"-size={size}", f"-stones={count}"])
    pos = Position(options, BothSides(sum(1 << cell for cell in cells), 0), Side.SECOND)
    free = list(literal.conditioned({divmod(cell, size)[::-1]: "B" for cell in cells}, "W", size))
    assert (GAME.outcome(pos) is None) == bool(free)


def test_the_third_time_with_the_same_player_to_move_is_a_draw():
    back_and_forth = ["C3 xC3", "D4 xD4"]
    pos = played(*back_and_forth, back_and_forth[0])
    assert GAME.outcome(pos) is None  # here four times, but only twice with White to move
    pos = GAME.play(pos, GAME.parse(pos, "D4 xD4"))
    assert ended(pos).winner is None
    assert ended(pos).reason == "because the same position occurred for the third time"
    assert list(GAME.moves(pos)) == []
    refused(pos, "C3", "The game is over")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_draws_come_with_the_third_occurrence_and_not_before(seed):
    rng, pos = random.Random(seed), started("-size=5", "-stones=3")
    occurrences = Counter([(pos.field, pos.mover)])
    while occurrences[pos.field, pos.mover] < 3:
        assert GAME.outcome(pos) is None
        pos = GAME.play(pos, rng.choice(few_turns(pos)))
        occurrences[pos.field, pos.mover] += 1
    assert ended(pos).winner is None


def few_turns(pos: Position) -> list[Turn]:
    """Some legal turns on few intersections, so that positions repeat."""
    turns = []
    for text in ("A1", "E5", "xA1", "xE5", "A1 xA1", "E5 xE5", "C3 xC3"):
        with contextlib.suppress(MoveError):
            turns.append(GAME.parse(pos, text))
    return turns


def test_the_middle_of_a_turn_is_no_position():
    pos = played("C3", "H8", "E5 xE5", "C1 xC1", "E5 xE5")
    assert GAME.outcome(pos) is None


def test_positions_are_equal_exactly_if_the_same_games_can_follow():
    one = played("C3", "H8", "D4", "G7")
    other = played("D4", "G7", "C3", "H8")
    assert one.field == other.field
    assert one != other  # different positions may be repeated
    passing = ["C3 xC3", "H8", "D4", "A1"]
    assert played(*passing) == played("D5 xD5", *passing[1:])
    assert hash(played(*passing)) == hash(played("D5 xD5", *passing[1:]))


# Notation


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("c3", "C3"),
        ("3c", "C3"),
        ("C3D4", None),
        ("C3 D4", "C3; D4"),
        ("c3;d4", "C3; D4"),
        ("C3 , D4", "C3; D4"),
        ("C 3 then d-4.", "C3; D4"),
        ("place C3, then D4", "C3; D4"),
        ("xE5", "xE5"),
        ("× e5", "xE5"),
        ("remove E5", "xE5"),
        ("xE5, xF5", "xE5; xF5"),
        ("xF6,E5 , F5", "xE5,F5,F6"),
        ("E5→A1", "E5>A1"),
        ("E5 -> A1", "E5>A1"),
        ("E5-A1", "E5>A1"),
        ("move E5 to A1", "E5>A1"),
        ("f5 , e5,F6 >A1,B1 ,A2", "E5,F5,F6>B1,A1,A2"),
        ("E5 > A1 ; x A1", "E5>A1; xA1"),
        ("xE5 A1", "xE5; A1"),
        ("\uff38\uff25\uff15", "xE5"),
    ],
)
def test_turns_are_read_leniently_and_written_in_one_way(text, canonical):
    pos = placed("E5 F5 F6", "C8")
    if canonical is None:
        refused(pos, text)
        return
    turn = GAME.parse(pos, text)
    assert GAME.notate(pos, turn) == canonical
    assert GAME.parse(pos, canonical) == turn


@pytest.mark.parametrize("text", ["", "hello", "x", ">", "C3>", ">C3", "xE5>A1", "E5>>A1", "C", "33", "C3,,D4", "C3 4"])
def test_what_is_no_turn_is_told_how_to_write_one(text):
    with pytest.raises(BadNotation, match='Write "C3" to place'):
        GAME.parse(placed("E5", ""), text)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("I5", "no column I here: the columns are A to J without I"),
        ("K5", "no column K"),
        ("A10", "no intersection A10: column A holds A1-A9"),
        ("A0", "no intersection A0"),
        ("xC0", "no intersection C0"),
        ("E5>Z1", "no column Z"),
    ],
)
def test_what_lies_beyond_the_board_is_named(text, fragment):
    with pytest.raises(IllegalMove, match=fragment):
        GAME.parse(placed("E5", ""), text)
    with pytest.raises(IllegalMove, match=r"the columns are A to E\."):
        GAME.parse(started("-size=5"), "K5")


def test_candidates_are_whole_legal_turns():
    pos = played("C3", "G7")
    candidates = refused(pos, "A1 G7").candidates
    assert "A1; H7" in candidates
    for candidate in candidates:
        assert GAME.notate(pos, GAME.parse(pos, candidate)) == candidate


def test_two_moves_of_the_largest_loops_can_be_written():
    board = torus(19)
    first, second, third = (
        ",".join(board.names[index] for index in range(start, start + 99)) for start in (0, 114, 228)
    )
    pos = placed(first.replace(",", " "), "", "-size=19", "-stones=99")
    after = GAME.play(pos, GAME.parse(pos, f"{first}>{second}; {second}>{third}"))
    assert stones(after)[0] == third.replace(",", " ")
    refused(pos, "x" + "A1," * 600 + "A1", "A1 is named twice")
    refused(pos, "A1 " * 600, "600 moves")


# Compared with the literal rules


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([(5, 3, 4), (6, 4, 5), (6, 4, 7), (7, 4, 6)]))
def test_moves_are_judged_as_by_the_letter_of_the_rules(seed, rules):
    rng = random.Random(seed)
    pos, board = random_position(rng, rules)
    mover = "BW"[pos.mover - 1]
    for _ in range(150):
        lift, put = random_move(rng, board, rules[0])
        expected = literal.after(board, mover, rules, lift, put)
        names = [",".join(map(literal.name, cells)) for cells in (lift, put)]
        text = f"x{names[0]}" if not put else names[1] if not lift else ">".join(names)
        try:
            turn = GAME.parse(pos, text)
        except IllegalMove:
            assert expected is None, text
        else:
            assert as_board(GAME.play(pos, turn)) == expected, text


def random_position(rng: random.Random, rules: literal.Rules) -> tuple[Position, literal.Board]:
    size, count, limit = rules
    pos = started(f"-size={size}", f"-stones={count}", f"-limit={limit}")
    board: literal.Board = {}
    spots = rng.sample([(column, row) for column in range(min(size, 6)) for row in range(4)], rng.randint(1, limit))
    for column, row in spots:
        colour = rng.choice("BW")
        if sum(other == colour for other in board.values()) < count:
            board[column, row] = colour
    masks = [sum(1 << row * size + column for (column, row), c in board.items() if c == colour) for colour in "BW"]
    return Position(pos.options, BothSides(*masks), rng.choice(list(Side))), board


def random_move(rng: random.Random, board: literal.Board, size: int) -> tuple[literal.Cells, literal.Cells]:
    """Stones to lift and places to put them, legal or not; never neither."""
    everywhere = [(column, row) for column in range(size) for row in range(size)]
    kind = rng.choice(["place", "remove", "move", "move"])
    lift = tuple(rng.sample(sorted(board), min(len(board), rng.choice((1, 3, 3, 4))))) if kind != "place" else ()
    if rng.random() < 0.1:
        lift = (*lift, rng.choice(everywhere)) if lift else lift
    near = everywhere if rng.random() < 0.3 else [cell for cell in everywhere if cell[0] < 5 and cell[1] < 3]
    put = tuple(rng.sample(near, len(lift) or 1)) if kind != "remove" or not lift else ()
    return lift, put


def as_board(pos: Position) -> literal.Board:
    size = pos.options.size
    return {
        (index % size, index // size): "BW"[side - 1]
        for side in Side
        for index in range(size * size)
        if pos.field.of(side) >> index & 1
    }


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_second_moves_are_judged_on_the_board_after_the_first(seed):
    rng, rules = random.Random(seed), (6, 4, 5)
    pos, board = random_position(rng, rules)
    mover = "BW"[pos.mover - 1]
    for _ in range(60):
        moves = [random_move(rng, board, rules[0]) for _ in range(2)]
        expected: literal.Board | None = board
        for lift, put in moves:
            expected = literal.after(expected, mover, rules, lift, put) if expected is not None else None
        cells = [tuple(tuple(row * 6 + column for column, row in part) for part in move) for move in moves]
        turn = tuple(Move.of(list(lift), list(put)) for lift, put in cells)
        if expected is None:
            with pytest.raises(IllegalMove):
                GAME.parse(pos, GAME.notate(pos, turn))
        else:
            assert as_board(GAME.play(pos, turn)) == expected


# What is listed, counted and shown


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_listed_turns_are_legal_each_once_and_what_moves_documents(seed):
    pos, board = random_position(random.Random(seed), (5, 3, 3))
    turns = list(GAME.moves(pos))
    assert len(set(turns)) == len(turns)
    mover = "BW"[pos.mover - 1]
    expected = list(literal.listed(board, mover, (5, 3, 3), shifts=True))
    assert (GAME.outcome(pos) is None) == bool(expected)
    after_two = [
        two
        for one in literal.listed(board, mover, (5, 3, 3), shifts=False)
        for two in literal.listed(one, mover, (5, 3, 3), shifts=False)
    ]
    boards = [frozenset(as_board(GAME.play(pos, turn)).items()) for turn in turns]
    assert sorted(map(sorted, boards)) == sorted(sorted(one.items()) for one in expected + after_two)
    for turn in turns[:: max(1, len(turns) // 50)]:
        assert GAME.parse(pos, GAME.notate(pos, turn)) == turn


def test_a_turn_at_random_may_do_whatever_one_stone_may():
    pos = placed("D2 D4 E3", "C3 H8", "-stones=6")
    done = [move for seed in range(400) for move in GAME.sample(pos, random.Random(seed))[:1]]
    names = torus(9).names
    assert {names[move.lift[0]] for move in done if move.lift} == {"D2", "D4", "E3", "C3"}  # H8 is not conditioned
    assert len({move.put[0] for move in done if move.put}) == 81 - 5
    counts = Counter((len(move.lift), len(move.put)) for move in done)
    assert counts.keys() == {(0, 1), (1, 0), (1, 1)}
    assert 160 < counts[0, 1] < 240
    assert 70 < counts[1, 0] < 130
    pairs = sum(len(GAME.sample(pos, random.Random(seed))) == 2 for seed in range(400))
    assert 160 < pairs < 240


def test_a_turn_at_random_places_where_nothing_may_be_taken_up_and_takes_up_where_nothing_fits():
    start, full = placed("", "C3"), placed("A1", "E5 H8", "-stones=3")
    for seed in range(20):
        assert not GAME.sample(start, random.Random(seed))[0].lift
        assert GAME.sample(full, random.Random(seed))[0].lift == (0,)


def test_moves_are_lazy():
    pos = placed(" ".join(torus(19).names[index] for index in range(0, 297, 3)), "", "-size=19", "-stones=99")
    assert len(list(islice(GAME.moves(pos), 5))) == 5


@quick_and_whole
def test_literal_counts_are_the_golden_ones(whole):
    for case in golden_cases("luddit", whole=whole):
        options = GAME.options(case.options)
        plies, wins = literal.count((options.size, options.stones, options.limit), len(case.plies))
        assert plies == case.plies
        assert case.wins in (None, wins)


def test_the_board_has_two_faint_copies_beyond_each_edge():
    pos = placed("A1", "J9")
    board = grid(GAME.scene(pos, None))
    assert board.columns == tuple("ABCDEFGHJ")
    assert board.rows == tuple("987654321")
    pieces = {(cell.row, cell.column): cell.piece for cell in board.cells if cell.piece}
    assert pieces == {
        **{(row, column): "B" for row in (8, -1) for column in (0, 9)},
        **{(row, column): "W" for row in (0, 9) for column in (8, -1)},
    }
    assert len(board.cells) == 13 * 13
    assert all(cell.faint == (cell.name == "") for cell in board.cells)
    assert sum(not cell.faint for cell in board.cells) == 81


def test_the_last_turn_is_marked_where_stones_came_and_went():
    pos = started()
    turn = GAME.parse(pos, "C3; C3>D4")
    scene = GAME.scene(GAME.play(pos, turn), turn)
    assert {cell.name for cell in grid(scene).cells if cell.last} == {"C3", "D4"}


def test_what_is_conditioned_is_listed_by_owner_and_loop():
    pos = placed("C3 D3 C4", "D4 G8")
    black, white = GAME.scene(pos, None).lists
    assert black.heading == "Conditioned to Black, so Black may remove or move it:"
    assert black.rows == (("B", "C3 D3 C4"), ("W", "D4"))
    assert white.rows == (("B", "C3 D3 C4"), ("W", "D4 G8"))
    whole = GAME.scene(placed("C3 D3 C4", "G8"), None).lists[0]
    assert whole.rows == (("B", "C3 D3 C4"), ("loop", "C3,D3,C4"))
    assert GAME.scene(placed("C3", ""), None).lists[1].rows == (("nothing", ""),)
    assert GAME.scene(started(), None).lists == (), "of an empty board there is nothing to tell"


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ("xC3", "Black removed their own C3."),
        ("C3>H8; J9", "Black moved their own C3 to H8 and placed J9."),
        ("C3>H8; H8>E5", "Black moved their own C3 to H8 and moved their own H8 to E5."),
        ("J9", ""),
    ],
)
def test_whose_stone_went_is_told(turn: str, told: str) -> None:
    pos = played("C3", "H2")
    last = GAME.parse(pos, turn)
    first = GAME.scene(GAME.play(pos, last), last).notes[0]
    assert first == told or (not told and first.startswith("Black has"))


def test_a_position_that_is_here_again_is_told() -> None:
    pos = played("C3", "H2", "xC3", "xH2")
    assert RECURS in GAME.scene(pos, None).notes
    assert RECURS not in GAME.scene(played("C3", "H2", "xC3"), None).notes


@pytest.mark.parametrize("seed", range(4))
def test_what_a_turn_may_be_is_told_as_the_rules_have_it(seed: int) -> None:
    """Programs get no list of all turns, but exactly the moves of one stone, and loops that may be taken."""
    dice = random.Random(seed)
    pos = started("-size=5", "-stones=8")
    for _ in range(12):
        if GAME.outcome(pos) is not None:
            return
        turn: Any = GAME.details(pos)["turn"]
        told = set(turn["free"]) if turn["place"] else set()
        told |= {word for cell in turn["take"] for word in (f"x{cell}", *(f"{cell}>{free}" for free in turn["free"]))}
        turns = list(islice(GAME.moves(pos), 3000))
        assert {GAME.notate(pos, each) for each in turns if len(each) == 1 and len(each[0].lift) < 2} == told
        for loop in turn["take_loops"]:
            GAME.parse(pos, "x" + ",".join(loop))
        pos = GAME.play(pos, dice.choice(turns))
