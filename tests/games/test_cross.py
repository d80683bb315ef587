"""Cross: each sentence of its rules, and play, compared with a literal second implementation."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.boards import BothSides
from games.cross import Cross
from games.placing import Position
from games.rules import BadNotation, IllegalMove, OptionError, Side
from games.scene import HexBoard
from tests.games import literal_cross as literal
from tests.games.perft import perft

cross = Cross()
SIZES = range(2, 11)


def after(size, moves):
    """The position after moves that are separated by blanks."""
    pos = cross.start(cross.options([f"-size={size}"]))
    for text in moves.split():
        pos = cross.play(pos, cross.parse(pos, text))
    return pos


def names(pos):
    return [cross.notate(pos, move) for move in cross.moves(pos)]


def ended(pos):
    outcome = cross.outcome(pos)
    assert outcome is not None
    return outcome


def told(pos, text, error=IllegalMove):
    with pytest.raises(error) as refusal:
        cross.parse(pos, text)
    return str(refusal.value)


# The board


def test_the_size_is_2_to_10_and_6_if_left_out():
    assert cross.options([]).number("size") == 6
    assert [cross.options([f"-size={size}"]).number("size") for size in SIZES] == list(SIZES)
    for wrong in ("-size=1", "-size=11", "-size=x", "-size=", "-size", "-rows=6", "-size=-2"):
        with pytest.raises(OptionError, match=re.escape(wrong)):
            cross.options([wrong])


@pytest.mark.parametrize("size", SIZES)
def test_the_cells_are_those_of_the_classic_coordinates(size):
    start = after(size, "")
    assert names(start) == [f"{letter}{number}" for letter, number in literal.cells(size)]
    assert len(names(start)) == 3 * size * (size - 1) + 1


def test_rows_of_size_6_as_the_rules_list_them():
    cells = names(after(6, ""))
    spans = {letter: [cell for cell in cells if cell[0] == letter] for letter in "ABCDEFGHIJK"}
    ends = ["A1-A6", "B1-B7", "C1-C8", "D1-D9", "E1-E10", "F1-F11", "G2-G11", "H3-H11", "I4-I11", "J5-J11", "K6-K11"]
    assert [f"{row[0]}-{row[-1]}" for row in spans.values()] == ends
    assert cells[len(cells) // 2] == "F6"


def test_what_lies_beyond_the_board_is_refused_with_what_there_is():
    start = after(6, "")
    assert told(start, "L1") == "There is no row L here: the rows are A to K."
    assert told(start, "a7") == "There is no cell A7: row A holds A1-A6."
    assert told(start, "G1") == "There is no cell G1: row G holds G2-G11."
    assert told(start, "F12") == "There is no cell F12: row F holds F1-F11."
    assert told(start, "A0") == "There is no cell A0: row A holds A1-A6."


# The turn


def test_the_first_seat_is_o_and_begins_and_placements_alternate():
    assert cross.sides(cross.options([])) == ("O", "X")
    assert [cross.to_move(after(6, moves)) for moves in ("", "A1", "A1 B1", "A1 B1 C1")] == [1, 2, 1, 2]
    board = cross.scene(after(6, "A1 B1"), None).board
    assert isinstance(board, HexBoard)
    assert {cell.name: cell.piece for cell in board.cells if cell.piece} == {"A1": "O", "B1": "X"}


def test_any_empty_cell_may_be_taken_and_no_other():
    pos = after(3, "C3 A1")
    assert names(pos) == [cell for cell in names(after(3, "")) if cell not in ("C3", "A1")]
    assert told(pos, "C3") == "C3 is taken: O has a stone there."
    assert told(pos, "A1") == "A1 is taken: X has a stone there."


def test_a_refusal_offers_the_nearest_free_cells():
    with pytest.raises(IllegalMove) as refusal:
        cross.parse(after(6, "F6 F5"), "F6")
    assert refusal.value.candidates == ("E5", "E6", "F7", "G6", "G7", "D4")


def test_swap_belongs_to_the_match():
    assert cross.info.swap
    assert "swap" in told(after(6, "F6"), "swap", BadNotation)


def test_moves_are_read_leniently():
    start = after(6, "")
    for text in ("F6", "f6", " f6. ", "f-6", "f 6", "6f", "(F6)", "Ｆ６", "F\N{NON-BREAKING HYPHEN}6"):
        assert cross.notate(start, cross.parse(start, text)) == "F6"
    for text in ("", "6", "f", "f6 f7", "ff6", "f6x", "f66666", "pass"):
        told(start, text, BadNotation)


# The end


def test_three_sides_of_which_no_two_are_adjacent_win():
    won = after(3, "A2 A1 B2 A3 C3 C5 D4 E5 D5 E3 D2 B1 C2")
    outcome = ended(won)
    assert (outcome.winner, outcome.reason) == (Side.FIRST, "by connecting three non-adjacent sides")
    assert names(won) == []
    assert told(won, "A3") == "The game is over."


@pytest.mark.parametrize("line", ["A2 B2 C3 D4 E4", "B1 B2 C3 D4 D5", "B4 B3 C3 D3 D2"])
def test_two_opposite_sides_lose(line):
    cells = line.split()
    others = [cell for cell in ("A1", "A3", "E5", "E3") if cell not in cells]
    moves = [cell for pair in zip(cells, [*others, ""], strict=True) for cell in pair]
    lost = after(3, " ".join(moves))
    assert ended(lost).winner is Side.SECOND
    assert ended(lost).reason == "because O connected two opposite sides"


def test_the_second_side_wins_and_loses_alike():
    lost = after(3, "A1 A2 A3 B2 E5 C3 E3 D4 B1 E4")
    assert ended(lost).winner is Side.FIRST


def test_a_win_is_looked_at_before_a_loss():
    """C1, on NW and SW, connects N-SE with both: three sides, and also two opposite ones."""
    won = after(3, "A3 A1 B3 B1 C3 D2 D4 D3 C2 E3 D5 E4 C1")
    connected = literal.chain(
        frozenset([("A", 3), ("B", 3), ("C", 3), ("C", 2), ("C", 1), ("D", 4), ("D", 5)]), ("C", 1)
    )
    touched = {side for side, cells in literal.sides(3).items() if cells & connected}
    assert touched >= {"N", "SE", "SW", "NE", "NW"}
    assert ended(won).winner is Side.FIRST


@pytest.mark.parametrize("size", SIZES)
def test_a_corner_is_on_both_sides_that_meet_there(size):
    """O walks along N and then NE: N, NW and NE are touched all the way, SE only by the corner at the end."""
    top, *upper = list(literal.rows(size).values())[:size]
    walk = [*top, *(row[-1] for row in upper)]
    others = [cell for cell in literal.cells(size) if cell not in walk]
    for steps in range(1, len(walk) + 1):
        outcome = cross.outcome(position(size, walk[:steps], others[: steps - 1]))
        assert (outcome is not None) == (steps == len(walk))
    assert ended(position(size, walk, others[: len(walk) - 1])).winner is Side.SECOND


def position(size, o, x):
    """The position with these stones, the last of O's just placed."""
    bits = [sum(1 << index(size, cell) for cell in stones) for stones in (o, x)]
    return Position(cross.options([f"-size={size}"]), BothSides(bits[0], bits[1]), index(size, o[-1]), Side.SECOND)


def index(size, cell):
    return cross.parse(after(size, ""), f"{cell[0]}{cell[1]}")


# The help page of the classic server. Its left board is a win of O, its right one of X.

HELP = """
       . . o . . .                 . . o . . .
      . . . o . . .               . . . o . . .
     . . . o . . x x             . . . o . . . x
    x x . . o x x . .           . . . . o . x x .
   . . x x o x . . . .         . . . . o x x . . .
  . . . . x o o . . . .       . . . . x o . . . . .
   . . . . o x o o . .         . . x x . o . . . .
    . . o o x . . o o           x x . . o . . . .
     o o . . x . . .             . . . . o . . .
      . . . x . . .               . . . o . . .
       . . . x . .                 . . . o . .
"""
"""The help page's two boards, as printed there."""


def help_board(*, right):
    """The stones of O and of X on one of its boards."""
    found: dict[str, set[literal.Cell]] = {"o": set(), "x": set()}
    lines = [line for line in HELP.split("\n") if line.strip()]
    for line, row in zip(lines, literal.rows(6).values(), strict=True):
        marks = line.split()[len(row) if right else 0 :][: len(row)]
        for mark, cell in zip(marks, row, strict=True):
            if mark != ".":
                found[mark].add(cell)
    return frozenset(found["o"]), frozenset(found["x"])


@pytest.mark.parametrize(("right", "winner", "sides"), [(False, "O", {"N", "SE", "SW"}), (True, "X", {"N", "S"})])
def test_the_boards_of_the_help_page(right, winner, sides):
    """F6 decides both, so it is placed last; until then the game goes on."""
    o, x = help_board(right=right)
    crux = ("F", 6)
    connected = literal.chain(o, crux)
    assert {side for side, cells in literal.sides(6).items() if cells & connected} == sides
    o_first, x_then = [*sorted(o - {crux}), crux], [*sorted(x), ("", "")]
    turns = [f"{letter}{number}" for pair in zip(o_first, x_then, strict=True) for letter, number in pair]
    assert cross.outcome(after(6, " ".join(turns[:-2]))) is None
    assert ended(after(6, " ".join(turns[:-1]))).winner == "OX".index(winner) + 1


# Against the second implementation


@pytest.mark.parametrize("size", SIZES)
def test_random_games_go_and_end_as_the_second_implementation_says(size):
    """Each turn has the same moves and the same player, and the outcome is the same; no full board is undecided."""
    for seed in range(3 if size > 6 else 12):
        rng, pos, other = random.Random(seed), after(size, ""), literal.start(size)
        while (outcome := cross.outcome(pos)) is None:
            _, o, x, won = other
            assert not won
            assert cross.to_move(pos) == (1 if len(o) == len(x) else 2)
            free = [cell for cell in literal.cells(size) if cell not in o | x]
            assert names(pos) == [f"{letter}{number}" for letter, number in free]
            cell = rng.choice(free)
            pos, other = cross.play(pos, index(size, cell)), literal.play(other, cell)
        assert outcome.winner == literal.winner(other)


@pytest.mark.parametrize("size", [2, 3, 4, 6])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_full_board_is_decided_whatever_its_colours(size, data):
    """Some chain wins or loses; the first to do so made exactly one winner, since play ended there."""
    full = literal.cells(size)
    o = frozenset(data.draw(st.sets(st.sampled_from(full))))
    verdicts = {literal.verdict(size, stones, cell) for stones in (o, frozenset(full) - o) for cell in stones}
    assert verdicts & {"won", "lost"}


@pytest.mark.parametrize(("size", "depth"), [(2, 7), (3, 3)])
def test_move_counts_of_the_second_implementation(size, depth):
    def winner(pos):
        outcome = cross.outcome(pos)
        return None if outcome is None else outcome.winner

    counted = perft(after(size, ""), lambda pos: [cross.play(pos, move) for move in cross.moves(pos)], winner, depth)
    assert counted == literal.count(size, depth)
