"""What the oracles leave out of the classics: options, forgiving reading, refusals, marks on the board."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games import GAMES
from games.boards import BothSides, squares, union
from games.loa import Loa
from games.morris import BOARD as POINTS
from games.morris import Morris
from games.rules import MoveError, Outcome, Side
from games.scene import GridBoard, HexBoard
from tests.conversation import House, address_of

BOARD = squares(8, 8)


def after(name, options, moves):
    game = GAMES[name]
    pos = game.start(game.options(options.split()))
    for text in moves.split():
        pos = game.play(pos, game.parse(pos, text))
    return game, pos


def refused(name, options, moves, text):
    game, pos = after(name, options, moves)
    with pytest.raises(MoveError) as refusal:
        game.parse(pos, text)
    return str(refusal.value), refusal.value.candidates


def ended(name, options, moves):
    game, pos = after(name, options, moves)
    outcome = game.outcome(pos)
    return outcome and (outcome.winner, outcome.reason)


SIX = "a1 a9 b1 b9 c1 c8 e1 e8 f1 g8 d1"
FIVE = "a1 a9 b1 b9 c1 c8 e1 e8 d1"


def test_gomoku_exactly_five_only_where_asked_for():
    assert ended("gomoku", "-size=9", SIX) == (1, "with 6 in a line")
    assert ended("gomoku", "-size=9 -exact", SIX) is None
    assert ended("gomoku", "-size=9 -exact=no", SIX) == (1, "with 6 in a line")
    assert ended("gomoku", "-size=9 -exact=yes", FIVE) == (1, "with 5 in a line")


def test_four_reads_a_column_by_its_letter_its_number_or_the_square_where_the_stone_falls():
    for text in ("d", "D", " d. ", "4", "d1", "1d", "D-1"):
        game, pos = after("four", "", text)
        assert game.notate(pos, pos.last) == "d"
    assert refused("four", "", "d", "d1") == ("A stone in column d falls to d2.", tuple("abcdefg"))
    assert refused("four", "", "d d d d d d", "d")[0] == "Column d is full."
    assert refused("four", "", "d d d d d d", "4")[1] == tuple("abcefg")
    assert refused("four", "", "", "8")[0] == '"8" is not a column. Write its letter, such as d.'
    assert refused("four", "", "", "h1")[0] == "There is no column h here: the columns are a to g."


def test_four_may_ask_for_other_lines():
    assert ended("four", "-line=3", "a b a b a") == (1, "with 3 in a line")
    assert ended("four", "-line=5", "a b a b a b a") is None


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("B2 E6 B3 F5 C4 G6 D4 E3 D3 F3 C2", "by a ring"),  # around a free cell
        ("B2 C3 B3 F5 C4 G6 D4 E3 D3 F3 C2", "by a ring"),  # around a stone of the opponent's
        ("B2 E6 B3 F5 C4 G6 D4 E3 C3 F3 C2 G5 D3", "by a ring"),  # around a stone of one's own
        ("A1 B3 B1 C3 C1 D3 D1", "by a bridge between two corners"),
        ("A2 D4 B2 D5 C2 D6 D2 C5 C1 C6 E2", "by a fork of three edges"),
        ("A2 D4 B2 D5 C2 D6 D2 C5 E2", None),  # two edges only
        ("B2 E6 B3 F5 C4 G6 D4 E3 D3", None),  # a ring with a gap
    ],
)
def test_havannah_is_won_by_rings_bridges_and_forks(moves, reason):
    assert ended("havannah", "-size=4", moves) == (reason and (1, reason))


def test_corners_of_havannah_are_on_no_edge():
    """A1 is a corner: the chain A1, A2 touches the top edge, but not the upper left one."""
    assert ended("havannah", "-size=4", "A2 D4 A1 D5 B2 D6 C2 E6 D2 E5 E2") is None


def test_pieces_are_refused_with_the_reason():
    said, candidates = refused("breakthrough", "", "", "b2-b4")
    assert said == (
        "The pawn on b2 cannot make the move b2-b4. "
        "A pawn goes one row forward, straight or diagonally; it takes diagonally only."
    )
    assert candidates[:3] == ("b2-a3", "b2-b3", "b2-c3")
    assert refused("breakthrough", "", "", "b7-b6")[0] == "White is to move, and has no pawn on b7."
    assert refused("breakthrough", "", "", "b1-b2")[0].startswith("The pawn on b1 cannot")
    assert refused("breakthrough", "", "", "forward")[0].endswith("Write it as in a2-a3.")
    assert refused("clobber", "", "", "a1-a3")[0].startswith("The stone on a1 cannot make the move a1-a3.")


def test_a_pawn_takes_and_the_first_on_the_last_row_wins():
    game, pos = after("breakthrough", "-size=5", "c2-c3 d4-d3 c3xb4")
    assert game.outcome(pos) is None
    assert ended("breakthrough", "-size=5", "c2-c3 d4-d3 c3xb4 d3xe2 b4xa5") == (1, "by reaching the last row")


def test_edges_and_stones_of_hex_have_their_colours():
    game, pos = after("hex", "-size=3", "b2")
    board = game.scene(pos, None).board
    assert isinstance(board, HexBoard)
    assert board.colours == (("B", "blue"),)
    assert {label.owner for label in board.labels if label.text.isdigit()} == {"B"}


def test_a_move_of_a_piece_is_drawn_as_its_way():
    game, pos = after("clobber", "", "")
    move = game.parse(pos, "a1-a2")
    board = game.scene(game.play(pos, move), move).board
    assert isinstance(board, GridBoard)
    assert board.path == ((4, 0), (3, 0))
    assert [cell.name for cell in board.cells if cell.last] == ["a1", "a2"]


SQUARE = "a1-a2 a1-b1 b1-b2"
TWO_AT_ONCE = f"{SQUARE} a3-b3 a2-a3 b2-b3"


def test_closing_a_box_of_dots_gives_it_and_another_turn():
    for moves, mover, boxes in (
        (SQUARE, 2, (0, 0)),
        (f"{SQUARE} a2-b2", 2, (0, 1)),
        (f"{SQUARE} a2-b2 a2-a3", 1, (0, 1)),
        (f"{TWO_AT_ONCE} a2-b2", 1, (2, 0)),
    ):
        game, pos = after("dots", "-columns=2 -rows=2", moves)
        assert (game.to_move(pos), tuple(map(int.bit_count, pos.boxes))) == (mover, boxes)
    told = game.scene(pos, game.parse(after("dots", "-columns=2 -rows=2", TWO_AT_ONCE)[1], "a2-b2")).notes
    assert told == ("Red 2, Blue 0. Red closed a box and must draw another line.",)


def test_more_boxes_of_dots_win_and_equal_ones_draw():
    drawn = f"{TWO_AT_ONCE} a2-b2 b3-c3 c2-c3 b1-c1 b2-c2 c1-c2"
    won = f"{TWO_AT_ONCE} b3-c3 a2-b2 c2-c3 b1-c1 b2-c2 c1-c2"
    assert ended("dots", "-columns=2 -rows=2", drawn) == (None, "with 2 boxes each")
    assert ended("dots", "-columns=2 -rows=2", won) == (2, "on boxes, 4 to 0")
    game, pos = after("dots", "-columns=2 -rows=2", won)
    assert game.outcome(pos).scores == (0, 4)


def test_a_line_of_dots_is_read_from_either_end():
    for text in ("c3-c4", "C4-C3", "c3c4", "c4 c3", "3c to 4c", " c-3, c-4. "):
        game, pos = after("dots", "", "")
        assert game.notate(pos, game.parse(pos, text)) == "c3-c4"
    said, free = refused("dots", "", "a1-a2", "a2-a1")
    assert (said, free) == ("The line a1-a2 is drawn already.", ("a1-b1", "a2-b2", "a2-a3"))
    assert refused("dots", "", "", "a1-c1")[0] == "a1 and c1 are not next to each other in a row or column."
    assert refused("dots", "", "", "a1") == ("A line joins two dots. Write it as in a1-b1.", ("a1-b1", "a1-a2"))
    assert refused("dots", "", "", "a7-a8")[0] == "There is no point a7: column a holds a1-a6."
    assert refused("dots", "", "", "the top")[0] == '"the top" is not a move. Write it as in a1-b1.'


JOINED = """
    c8-a6 h3-f1 f8-h6 a3-c1 h6-f4 h4-f6 d8-f6 f1-f4 f6-f4 a4-c4 e1-f2 a2-a6 f2-h2 a6-b6 g1-c1 c4-c6 e8-c6 h5-h2 g8-f7
    h2-h4 f4-h4 a7-c5 f7-h7
"""
BOTH_JOINED = """
    c8-a6 h6-f8 f1-h3 a5-c5 c1-a3 h4-f4 d1-f3 h7-h3 f3-h5 h2-h5 g8-h7 a7-d4 g1-d4 a4-d4 b8-f8 c5-f8 h7-f5 h3-f5 e8-d7
    f8-d8 d7-f5 h5-f5 b1-d1 d4-d1 a3-b4 d8-c7 e1-c3 f5-e5 c3-e5 d1-c1 b4-a3 c1-a3 a6-a3 f4-g5 e5-c7 g5-h5 c7-b6 a2-b2
    b6-c5 b2-b3 c5-c6 h5-h6 c6-d7 h6-h5 d7-c6 b3-a4 c6-a4
"""


def of_action(black, white, mover=Side.FIRST):
    game = Loa()
    start = game.start(game.options(()))
    sets = [union(BOARD.names.read(name, str) for name in names.split()) for names in (black, white)]
    return game, replace(start, pieces=BothSides(*sets), mover=mover)


def test_lines_of_action_are_won_by_joining_all_pieces():
    assert ended("loa", "", JOINED) == (2, "by joining all pieces")  # Black has taken the piece that was apart
    assert ended("loa", "", BOTH_JOINED) == (1, "by joining all pieces")  # White's are joined, too
    game, pos = of_action("a1 a2 c3", "h8 h6")
    assert game.outcome(game.play(pos, game.parse(pos, "c3-b3"))) == Outcome(Side.FIRST, "by joining all pieces")


def test_a_piece_moves_as_far_as_there_are_pieces_on_its_line_and_leaps_over_its_own_only():
    said, candidates = refused("loa", "", "", "d1-d2")
    assert said == (
        "The piece on d1 cannot make the move d1-d2. "
        "A piece goes along a line by as many squares as there are pieces on it, and leaps over its own only."
    )
    assert candidates[:3] == ("d1-d3", "d1-f3", "d1-b3")
    game, pos = of_action("a1 c1", "a3 b1 f8")
    assert {game.notate(pos, move) for move in game.moves(pos)} >= {"c1-c2", "c1-d2", "c1-f1"}
    assert refused_at(game, pos, "a1-d1").startswith("The piece on a1 cannot make the move")  # over b1
    game, pos = of_action("a1 a2 e7", "a4 h8")
    assert game.notate(pos, game.parse(pos, "a1xa4")) == "a1-a4"  # over a2


def refused_at(game, pos, text):
    with pytest.raises(MoveError) as refusal:
        game.parse(pos, text)
    return str(refusal.value)


def test_a_side_that_cannot_move_must_pass_and_nobody_else_may():
    game, pos = of_action("a1 h8", "c1 g1 b2 a3 c4 a7 g7 h7 g8")
    assert [game.notate(pos, move) for move in game.moves(pos)] == ["pass"]
    assert game.forced(pos) == ()
    assert game.forced(game.start(game.options(()))) is None
    assert refused_at(game, pos, "a1-b1") == "Black cannot move, and must pass."
    after_it = game.play(pos, game.parse(pos, " Pass. "))
    assert (after_it.pieces, game.to_move(after_it)) == (pos.pieces, 2)
    assert refused("loa", "", "", "pass")[0] == "You may pass only when you cannot move. Write a move, such as b1-h1."


def test_the_same_position_of_lines_of_action_for_the_third_time_is_a_draw():
    around = "b1-b3 a7-c7 b3-b1 c7-a7 "
    assert ended("loa", "", around + "b1-b3 a7-c7 b3-b1") is None
    assert ended("loa", "", around * 2) == (None, "because the same position came for the third time")


MILL = "a1 d2 d1 f2"


def test_a_mill_takes_a_man_that_is_in_no_mill():
    said, candidates = refused("morris", "", MILL, "g1")
    assert (said, candidates) == ("That makes a mill. Say which man it takes, as in g1xd2.", ("g1xd2", "g1xf2"))
    for text in ("g1xd2", "G1 x D2", "g1-d2", "g1d2", "g-1 x d-2", "1g x 2d"):
        game, pos = after("morris", "", MILL)
        assert game.notate(pos, game.parse(pos, text)) == "g1xd2"
    assert refused("morris", "", MILL, "g1xe5") == (
        "A mill takes a man of the other side that is in no mill, unless all are.",
        ("g1xd2", "g1xf2"),
    )
    assert refused("morris", "", MILL, "a4xd2") == ("a4 makes no mill, and so it takes no man.", ("a4",))
    assert refused("morris", "", MILL, "d2") == ("d2 is taken.", ("b2", "d3", "g1xd2", "c3", "e3", "b4"))
    assert refused("morris", "", MILL, "c2")[0] == "There is no point c2: column c holds c3-c5."
    in_mill = "a1 b2 d1 d2 a7 f2xa7 a7 g7"  # Black has the mill b2 d2 f2 and one more man
    assert refused("morris", "", in_mill, "a4")[1] == ("a4xg7",)
    game, pos = men("a1 a7 b4 g1", "b2 d2 f2")  # all men are in mills
    assert [game.notate(pos, move) for move in game.moves(pos) if len(move) == 3] == [
        "b4-a4xb2",
        "b4-a4xd2",
        "b4-a4xf2",
    ]


def men(white, black, mover=Side.FIRST, words=()):
    game = Morris()
    start = game.start(game.options(words))
    sets = [union(POINTS.names.read(name, str) for name in names.split()) for names in (white, black)]
    return game, replace(start, pieces=BothSides(*sets), mover=mover, placed=18)


def test_three_men_fly_where_the_challenge_lets_them():
    game, pos = men("a1 d1 b4", "d5 e5 c4 f6")
    assert game.play(pos, game.parse(pos, "b4-e3")).pieces != pos.pieces
    assert game.notate(pos, game.parse(pos, "b4-g1xd5")) == "b4-g1xd5"
    game, pos = men("a1 d1 b4", "d5 e5 c4 f6", words=["-flying=no"])
    assert refused_at(game, pos, "b4-e3") == (
        "The man on b4 cannot make the move b4-e3. A man goes along a line to the next point, which must be free."
    )
    assert refused_at(game, pos, "b4") == "All men are placed. Write where one goes from and to, as in a1-a4."


def test_morris_is_lost_with_two_men_or_without_a_move_and_drawn_by_repetition_or_without_mills():
    game, pos = men("a1 d1 g4", "d5 e5 c4", words=["-flying=no"])
    assert game.outcome(game.play(pos, game.parse(pos, "g4-g1xd5"))) == Outcome(Side.FIRST, "by leaving only two men")
    game, pos = men("a1 g1 b2 d2", "a4 d1 g4 b4 f2 d3")
    assert game.outcome(pos) == Outcome(Side.SECOND, "because White cannot move")
    game, pos = men("a1 d1 b4 f4", "d5 e5 c4 f6")
    for quiet in ("d1-g1", "d5-d6", "g1-d1", "d6-d5") * 2:
        assert game.outcome(pos) is None
        pos = game.play(pos, game.parse(pos, quiet))
    assert game.outcome(pos) == Outcome(None, "because the same position came for the third time")
    assert game.outcome(replace(pos, seen=(((0, 0), Side.FIRST),) * 99)) is None
    assert game.outcome(replace(pos, seen=(((0, 0), Side.FIRST),) * 100)) == Outcome(
        None, "because 100 plies have made no mill"
    )


def test_men_in_hand_are_told():
    game, pos = after("morris", "", "a1 d2 d1")
    assert game.scene(pos, None).notes == ("Men still to be placed: White has 7, Black has 8.",)


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("dots", ["a1-a2", "b1b2"]),
        ("loa", ["d1d3", "a6xd3"]),
        ("morris", ["d2", "D-3"]),
        ("hex", ["c3", "d2"]),
        ("four", ["d", "d"]),
        ("breakthrough", ["b2-c3", "b7-b6"]),
        ("clobber", ["a1-a2", "b1-c1"]),
    ],
)
def test_a_classic_is_played_by_mail(house: House, name, moves):
    house.players("alice", "bob")
    house.game(f"{name} alice bob")
    for player, move in zip(("alice", "bob"), moves, strict=True):
        house.answer(player, move, 101)
    game, pos = after(name, "", moves[0])
    played = game.notate(pos, game.parse(pos, moves[1]))
    assert f"bob played {played}." in house.mailboxes[address_of("alice")][-1].body
    assert not house.parked()
