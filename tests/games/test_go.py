"""Go, compared with its second implementation where OpenSpiel differs: superko, area; and the words of refusals."""

from __future__ import annotations

import random

import pytest

from games import GAMES
from games.go import Go
from games.rules import OptionError, Side
from games.scene import GridBoard
from tests.conversation import House, address_of
from tests.games.literal_go import LiteralGo
from tests.games.test_classics import after, ended, refused

GO = Go()


@pytest.mark.parametrize("seed", [1, 10])
def test_random_games_go_as_the_literal_rules_say(seed):
    """Nobody passes before the end, so eyes get filled, much is taken, and positions would repeat."""
    dice, literal = random.Random(seed), LiteralGo(9)
    pos = GO.start(GO.options(["-size=9", "-komi=0.5"]))
    kos = 0
    for ply in range(260):
        moves = {GO.notate(pos, move): move for move in GO.moves(pos)}
        assert set(moves) == literal.moves()
        kos += sum("(ko)" in GO.refusal(pos, cell) for cell in _forbidden(pos))
        chosen = "pass" if ply > 257 or len(moves) == 1 else dice.choice(sorted(set(moves) - {"pass"}))
        pos = GO.play(pos, moves[chosen])
        literal.play(chosen)
        if literal.passes == 2:
            break
    assert kos > 0
    black, white = literal.areas()
    outcome = GO.outcome(pos)
    assert outcome is not None
    assert outcome.scores == (2 * black, 2 * white + 1)
    assert outcome.winner == (1 if black > white else 2)


def _forbidden(pos):
    """Free points where play is not allowed."""
    legal = set(GO.moves(pos))
    return [cell for cell in GO.board(pos.options).indices if not pos.taken >> cell & 1 and cell not in legal]


KO = "d5 e5 c4 f4 d3 e3 e4 d4"
"""White has taken e4 from d4."""


def test_stones_are_taken_suicide_and_ko_are_refused():
    _, pos = after("go", "-size=9", KO)
    assert GO.board(pos.options).names.of(pos.stones[0]) == ["d3", "c4", "d5"]
    assert refused("go", "-size=9", KO, "e4")[0] == (
        "Black may not play e4 now: it would bring back a position that the board has had (ko). Play elsewhere first."
    )
    _, later = after("go", "-size=9", f"{KO} a1 a2 e4")
    assert GO.board(later.options).names.of(later.stones[1]) == ["a2", "e3", "f4", "e5"]
    assert refused("go", "-size=9", "a2 h8 b1 h9", "b1")[0] == "b1 is taken: Black has a stone there."
    assert refused("go", "-size=9", "a2 h8 b1", "a1")[0] == (
        "White may not play a1: the stone would take nothing and have no free point beside its chain (suicide)."
    )
    assert refused("go", "-size=9", "", "i5")[0] == "There is no column i here: the columns are a to j without i."


def test_two_passes_end_the_game_and_komi_decides():
    assert ended("go", "-size=9", "pass pass") == (2, "by 7.5 points, 7.5 to 0")
    assert ended("go", "-size=9 -komi=-3.5", "pass --") == (1, "by 3.5 points, 0 to -3.5")
    assert ended("go", "-size=9", "e5 pass pass") == (1, "by 73.5 points, 81 to 7.5")
    assert ended("go", "-size=9", "e5 pass d5 pass") is None


def test_komi_is_a_number_and_a_half():
    assert GO.options(["-komi=6,5"]) == GO.options(["-komi=6.5"])
    for value in ("7", "7.25", "21.5", "x", "", "\N{SUPERSCRIPT TWO}.5"):
        with pytest.raises(OptionError, match=r"-komi takes a number from -20.5 to 20.5 that ends in .5|-komi=N.5"):
            GO.options([f"-komi={value}"])


@pytest.mark.parametrize(
    ("count", "names"),
    [
        (2, "d4 q16"), (3, "d4 d16 q16"), (4, "d4 q4 d16 q16"), (5, "d4 q4 k10 d16 q16"),
        (6, "d4 q4 d10 q10 d16 q16"), (7, "d4 q4 d10 k10 q10 d16 q16"), (8, "d4 k4 q4 d10 q10 d16 k16 q16"),
        (9, "d4 k4 q4 d10 k10 q10 d16 k16 q16"),
    ],
)  # fmt: skip
def test_handicap_stones_stand_on_star_points_and_white_begins(count, names):
    options = GO.options(["-size=19", f"-handicap={count}"])
    pos = GO.start(options)
    assert GO.board(options).names.of(pos.stones[0]) == names.split()
    assert GO.to_move(pos) is Side.SECOND


def test_a_handicap_of_one_is_refused():
    with pytest.raises(OptionError, match="A handicap is 2 to 9 stones"):
        GO.options(["-handicap=1"])


@pytest.mark.parametrize(
    ("name", "size", "stars"),
    [("go", 9, 5), ("go", 13, 5), ("go", 19, 9), ("gomoku", 15, 5), ("gomoku", 10, 4), ("gomoku", 17, 9)],
)
def test_star_points_are_marked(name, size, stars):
    game = GAMES[name]
    board = game.scene(game.start(game.options([f"-size={size}"])), None).board
    assert isinstance(board, GridBoard)
    assert sum(cell.shaded for cell in board.cells) == stars


def test_go_is_played_by_mail_to_its_end(house: House) -> None:
    house.players("alice", "bob")
    house.game("go -size=9 alice bob", ["e5", "pass", "d4", "pass"])
    said = " ".join(house.answer("alice", "pass", 101)[0].body.split())
    assert "You passed. You (Black) won by 73.5 points, 81 to 7.5." in said


def test_white_begins_by_mail_after_a_handicap(house: House) -> None:
    house.players("alice", "bob")
    house.game("go -size=9 -handicap=2 -komi=-0.5 alice bob")
    assert "alice (Black) and bob (White, moves first)" in house.mailboxes[address_of("bob")][-1].body
    assert "is not your turn" in " ".join(house.answer("alice", "e5", 101)[0].body.split())
    house.answer("bob", "e5", 101)
    house.answer("alice", "f5", 101)
    body = house.mailboxes[address_of("bob")][-1].body
    assert "      1 e5\n  2 f5\n" in body
    assert "White has -0.5 points of komi." in body
