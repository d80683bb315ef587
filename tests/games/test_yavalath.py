"""Yavalath, compared with a literal second implementation."""

from __future__ import annotations

import random

import pytest

from games import GAMES
from tests.games import literal_yavalath as literal
from tests.games.perft import perft

game = GAMES["yavalath"]


def start(size):
    return game.start(game.options([f"-size={size}"]))


@pytest.mark.parametrize("size", [4, 5, 7])
def test_random_games_go_as_the_literal_rules_say(size):
    dice = random.Random(size)
    for _ in range(30):
        pos, other = start(size), literal.EMPTY
        while literal.winner(size, other) is None:
            names = [game.notate(pos, move) for move in game.moves(pos)]
            assert names == [cell for cell in literal.cells(size) if cell not in other[0] | other[1]]
            name = dice.choice(names)
            pos = game.play(pos, game.parse(pos, name))
            other = next(each for each in literal.successors(size, other) if each[2] == name)
        outcome = game.outcome(pos)
        assert outcome is not None
        assert (outcome.winner or 0) == literal.winner(size, other)


def test_move_sequences_are_as_many():
    def literally(depth):
        return perft(
            literal.EMPTY,
            lambda pos: literal.successors(4, pos),
            lambda pos: literal.winner(4, pos),
            depth,
        )

    def ours(pos):
        return [game.play(pos, move) for move in game.moves(pos)]

    def won(pos):
        outcome = game.outcome(pos)
        return None if outcome is None else outcome.winner or 0

    assert literally(2) == perft(start(4), ours, won, 2)


def test_four_with_three_wins_and_three_loses():
    def played(moves):
        pos = start(5)
        for text in moves.split():
            pos = game.play(pos, game.parse(pos, text))
        return game.outcome(pos)

    four = played("E1 I9 E2 I8 E4 A1 C3 A2 D3 A4 E3")
    assert four is not None
    assert (four.winner, four.reason) == (1, "with 4 in a line")
    three = played("E1 I9 E2 I8 E3")
    assert three is not None
    assert (three.winner, three.reason) == (2, "because White made three in a line")
