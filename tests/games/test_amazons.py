"""Amazons, compared with its moves written a second time; and the words of refusals and scenes."""

from __future__ import annotations

import random
from itertools import product

import pytest

from games.amazons import Amazons
from games.scene import Form, GridBoard
from pbm.draw import words
from tests.conversation import House, address_of
from tests.games.test_classics import after, refused

AMAZONS = Amazons()


def literal_moves(size, mine, taken):
    """All moves in notation. mine: squares of the amazons to move. taken: all taken squares; both as (column, row)."""
    ways = set(product((-1, 0, 1), repeat=2)) - {(0, 0)}

    def flight(start, taken):
        for right, up in ways:
            column, row = start[0] + right, start[1] + up
            while column in range(size) and row in range(size) and (column, row) not in taken:
                yield column, row
                column, row = column + right, row + up

    for start in mine:
        others = taken - {start}
        for end in flight(start, others):
            for arrow in flight(end, others | {end}):
                yield "{}-{}/{}".format(*("abcdefghij"[column] + str(row + 1) for column, row in (start, end, arrow)))


@pytest.mark.parametrize(("size", "plies"), [(6, 40), (8, 6), (10, 3)])
def test_random_games_have_the_literal_moves(size, plies):
    dice, pos = random.Random(size), AMAZONS.start(AMAZONS.options([f"-size={size}"]))
    for _ in range(plies):
        board = AMAZONS.scene(pos, None).board
        assert isinstance(board, GridBoard)
        held = {(cell.column, size - 1 - cell.row): cell.piece for cell in board.cells if cell.piece}
        mine = [place for place, piece in held.items() if piece == "WB"[pos.mover - 1]]
        expected = sorted(literal_moves(size, mine, set(held)))
        moves = {AMAZONS.notate(pos, move): move for move in AMAZONS.moves(pos)}
        assert sorted(moves) == expected
        if not moves:
            break
        pos = AMAZONS.play(pos, moves[dice.choice(expected)])
    outcome = AMAZONS.outcome(pos)
    assert (outcome is not None) == (size == 6)
    assert outcome is None or outcome.winner == pos.mover.other


@pytest.mark.parametrize("text", ["d1d7g7", "D1 to D7, g7", "d1-d7-g7", "d1 > d7 > g7", "d1-d7 (g7)", "1d 7d 7g"])
def test_a_move_is_read_however_it_is_written(text):
    pos = AMAZONS.start(AMAZONS.options([]))
    assert AMAZONS.notate(pos, AMAZONS.parse(pos, text)) == "d1-d7/g7"


def test_what_is_no_move_is_refused_with_the_reason():
    assert refused("amazons", "", "", "d1-d7")[0] == (
        "A move is where an amazon stands, where it goes and where it shoots, as in d1-e1/f1."
    )
    said, candidates = refused("amazons", "", "", "d1-d7/e9")
    assert said.startswith("An arrow cannot fly from d7 to e9. An amazon goes, and then shoots, along a row")
    assert all(each.startswith("d1-d7/") for each in candidates)
    assert refused("amazons", "", "", "d1-h1/h2")[0].startswith("The amazon on d1 cannot make the move d1-h1/h2.")
    assert refused("amazons", "", "", "a7-b7/c7")[0] == "White is to move, and has no amazon on a7."


def test_arrows_are_pieces_of_their_own_and_the_way_is_the_amazons():
    game, pos = after("amazons", "", "d1-d7/d1")
    board = game.scene(pos, game.parse(game.start(pos.options), "d1-d7/d1")).board
    assert isinstance(board, GridBoard)
    assert [cell.name for cell in board.cells if cell.form is Form.ARROW] == ["d1"]
    assert board.path == ((9, 3), (3, 3))
    told = " ".join(words.sentences(board))
    assert "d1 arrow, the last move" in told
    assert "The last move went from d1 to d7." in told


def test_amazons_is_played_by_mail(house: House) -> None:
    house.players("alice", "bob")
    house.game("amazons -size=6 alice bob", ["c1-c5/c2", "a5 a3 a4"])
    assert "bob played a5-a3/a4." in house.mailboxes[address_of("alice")][-1].body
