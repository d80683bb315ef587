"""The book of Four in a Row: following it, the first side meets only positions that it wins."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from games import GAMES
from games.rules import Side
from games.steps import Steps
from pbm.bots import LEVELS, choose
from pbm.bots.lines import FourSkill, four_book

GAME = GAMES["four"]
SKILL = FourSkill(GAME)
START = GAME.start(GAME.options([]))
STEPS = LEVELS[max(LEVELS)].steps


def replies(pos: Any, move: Any) -> Iterator[Any]:
    """The positions after a move and each reply to it."""
    after = GAME.play(pos, move)
    if GAME.outcome(after) is None:
        yield from (GAME.play(after, reply) for reply in GAME.moves(after))


def ends() -> list[Any]:
    """The positions in which the book ends, whatever the second side does; mirror images may both be there."""
    found, seen, waiting = list[Any](), {START.stones}, [START]
    while waiting:
        pos = waiting.pop()
        assert GAME.outcome(pos) is None, "the second side has won"
        move = SKILL.in_book(pos)
        if move is None:
            found.append(pos)
            continue
        fresh = [each for each in replies(pos, move) if each.stones not in seen]
        seen.update(each.stones for each in fresh)
        waiting += fresh
    return found


def test_where_the_book_ends_the_first_side_wins_within_the_steps_of_the_highest_level() -> None:
    found = ends()
    assert len(found) >= 10_000
    for pos in Random(0).sample(found, 6):
        solution = SKILL.solve(pos, Steps(STEPS))
        assert solution is not None
        assert solution.value == 1


@pytest.mark.parametrize("seed", range(2))
def test_the_highest_level_wins_whatever_the_other_side_does(seed: int) -> None:
    dice, pos = Random(seed), START
    while (outcome := GAME.outcome(pos)) is None:
        if GAME.to_move(pos) is Side.FIRST:
            decision = choose(GAME, pos, LEVELS[max(LEVELS)].budget(SKILL))
            assert decision.exact
            assert decision.value == 1
            move = decision.move
        else:
            move = dice.choice(SKILL.moves(pos, dice))
        pos = GAME.play(pos, move)
    assert outcome.winner is Side.FIRST


def test_lower_levels_and_other_boards_have_no_book() -> None:
    assert four_book()
    assert SKILL.solve(START, Steps(LEVELS[4].steps)) is None
    assert SKILL.solve(GAME.start(GAME.options(["-columns=8"])), Steps(STEPS)) is None
