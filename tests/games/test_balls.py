"""Balls of our own promise what flint's do, and decide the polygon game as those do."""

from __future__ import annotations

import random
from fractions import Fraction
from operator import add, mul, sub, truediv

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import balls, polygon_geometry
from games.polygon import Polygon
from games.rules import any_move

WHOLE = st.integers(-20_000, 20_000)
STEPS = st.lists(st.tuples(st.sampled_from((add, sub, mul, truediv)), WHOLE, WHOLE), max_size=8)


def holds(ball: balls.Ball, number: Fraction) -> bool:
    if ball.radius is None:
        return True
    return abs(Fraction(ball.middle, 1 << ball.places) - number) <= Fraction(ball.radius, 1 << ball.places)


@given(WHOLE, STEPS, st.sampled_from((1, 8, 64, 300)))
def test_a_ball_holds_the_number_it_stands_for_and_compares_as_that_does(start, steps, precision):
    with balls.ctx.workprec(precision):
        ball, number = balls.arb(start), Fraction(start)
        for act, value, divisor in steps:
            divisor = divisor or 1
            ball = act(ball, balls.arb(value) / balls.arb(divisor))
            if act is truediv and value == 0:
                assert not ball.is_finite()
                return
            number = act(number, Fraction(value, divisor))
            assert holds(ball, number)
        assert (ball > 0) <= (number > 0)
        assert (ball < 0) <= (number < 0)
        floor = ball.floor().unique_fmpz()
        assert floor is None or floor == number // 1
        if ball.is_finite():
            assert not ball.lower() > ball.upper()
            assert ball.overlaps(ball.mid())


@given(WHOLE, WHOLE, WHOLE, WHOLE)
def test_what_both_can_tell_is_the_same(a, b, c, d):
    ours, theirs = (
        (numbers.arb(a) / numbers.arb(b or 1) * numbers.arb(c), numbers.arb(d)) for numbers in (balls, flint)
    )
    both = [(ours[0] > ours[1], theirs[0] > theirs[1]), (ours[0] < ours[1], theirs[0] < theirs[1])]
    assert all(mine == yours for mine, yours in both) or a * c == d * (b or 1)


def played(seed: int, sides: int, plies: int) -> list[str]:
    """A random game: its moves, and how many there were to choose from."""
    game, dice = Polygon(), random.Random(seed)
    position = game.start(game.options([f"-sides={sides}"]))
    told = []
    for _ in range(plies):
        if game.outcome(position) is not None:
            break
        moves = list(game.moves(position))
        move = any_move(game, position, dice)
        told.append(f"{len(moves)} {game.notate(position, move)}")
        position = game.play(position, move)
    return told


@pytest.mark.parametrize(("seed", "sides", "plies"), [(1, 5, 60), (2, 8, 40), (3, 16, 30)])
def test_games_are_the_same_without_flint(seed, sides, plies, monkeypatch):
    expected = played(seed, sides, plies)
    monkeypatch.setattr(polygon_geometry, "numbers", balls)
    assert played(seed, sides, plies) == expected
