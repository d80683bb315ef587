"""The book of Four in a Row: the highest level plays it perfectly, as either side, whatever the other side does."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from games import GAMES
from games.rules import Side
from games.steps import Steps
from pbm.bots.choose import choose
from pbm.bots.levels import LEVELS
from pbm.bots.lines import FourSkill, four_book

GAME = GAMES["four"]
SKILL = FourSkill(GAME)
START = GAME.start(GAME.options([]))
STEPS = LEVELS[max(LEVELS)].steps
FIRST_MOVES = (-1, -1, 0, 1)
"""What the first moves in columns a to d lead to with best play, 1 if the first side wins (Allis, Allen 1988)."""


def openings(side: Side) -> list[Any]:
    """The positions in which a side makes its first move; of two mirror images one."""
    return [START] if side is Side.FIRST else [GAME.play(START, column) for column in range(len(FIRST_MOVES))]


@cache
def ends(side: Side) -> dict[Any, int]:
    """The positions in which the book ends, whatever the other side does, with the least that each must be worth.

    No position that the book knows is worth less than the one before its move: so the book keeps what it promises.
    """
    found, seen, waiting = dict[Any, int](), set[Any](), openings(side)
    while waiting:
        pos = waiting.pop()
        if pos.stones in seen:
            continue
        seen.add(pos.stones)
        move, value = SKILL.in_book(pos) or (0, 0)
        after = GAME.play(pos, move)
        for each in (GAME.play(after, reply) for reply in GAME.moves(after)):
            known = SKILL.in_book(each)
            if known is not None:
                assert known[1] >= value
                waiting.append(each)
            elif GAME.outcome(each) is not None:
                assert value == -1
            else:
                found[each] = max(value, found.get(each, -1))
    return found


@pytest.mark.parametrize(
    ("side", "least"), [(Side.FIRST, 10_000), pytest.param(Side.SECOND, 18_000, marks=pytest.mark.oracle)]
)
def test_where_the_book_ends_the_highest_level_solves_the_rest_and_it_is_worth_what_was_promised(
    side: Side, least: int
) -> None:
    found = ends(side)
    assert len(found) >= least
    for pos in Random(0).sample(list(found), 2):
        solution = SKILL.solve(pos, Steps(STEPS))
        assert solution is not None
        assert solution.value * side.sign >= found[pos]


def test_the_book_knows_what_each_first_move_is_worth() -> None:
    known = [SKILL.in_book(pos) for pos in openings(Side.SECOND)]
    assert [each and -each[1] for each in known] == list(FIRST_MOVES)


@pytest.mark.parametrize("side", [Side.FIRST, Side.SECOND])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.oracle)])
def test_the_highest_level_keeps_what_it_has_whatever_the_other_side_does(seed: int, side: Side) -> None:
    dice, pos, worth = Random(seed), START, -1.0
    while (outcome := GAME.outcome(pos)) is None:
        if GAME.to_move(pos) is side:
            decision = choose(GAME, pos, LEVELS[max(LEVELS)].budget(SKILL))
            assert decision.exact
            assert decision.value >= worth
            move, worth = decision.move, decision.value
        else:
            move = dice.choice(SKILL.moves(pos, dice))
        pos = GAME.play(pos, move)
    assert outcome.winner is {1: side, 0: None, -1: side.other}[round(worth)]


def test_lower_levels_and_other_boards_have_no_book() -> None:
    assert four_book()
    assert SKILL.solve(START, Steps(LEVELS[4].steps)) is None
    assert SKILL.solve(GAME.start(GAME.options(["-columns=8"])), Steps(STEPS)) is None
