"""What the oracles do not ask of the classics: options, forgiving reading, refusals, what is marked."""

from __future__ import annotations

import pytest

from games import GAMES
from games.rules import MoveError
from games.scene import GridBoard, HexBoard
from tests.conversation import House, address_of


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


FIVE_AND_ONE = "a1 a9 b1 b9 c1 c9 e1 e9 f1 g9 d1"
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
    """A1 is a corner: the chain A1, A2 touches the top edge and not the one at the upper left."""
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


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("dots", ["a1-a2", "b1b2"]),
        ("hex", ["c3", "d2"]),
        ("four", ["d", "d"]),
        ("breakthrough", ["b2-c3", "b7-b6"]),
        ("clobber", ["a1-a2", "b1-c1"]),
    ],
)
def test_a_classic_is_played_by_mail(house: House, name, moves):
    for userid in ("alice", "bob"):
        house.player(userid)
    house.game(f"{name} alice bob")
    for player, move in zip(("alice", "bob"), moves, strict=True):
        house.answer(player, move, 101)
    game, pos = after(name, "", moves[0])
    played = game.notate(pos, game.parse(pos, moves[1]))
    assert f"bob played {played}." in house.mailboxes[address_of("alice")][-1].body
    assert not house.parked()
