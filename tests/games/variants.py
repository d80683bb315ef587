"""Options and positions of any game, for tests that run over the whole registry."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from games import GAMES, AnyGame
from games.rules import Option, OptionError, any_move
from pbm.domain.match import State

FULLEST = ("crossgeo", "hex", "luddit", "polygon")
"""Games with all kinds of boards between them."""
EACH = [pytest.param(name, marks=[] if name in FULLEST else [pytest.mark.oracle]) for name in GAMES]
"""Every game, for slow tests: `make test` runs them for the games above, CI for the others in a step of its own."""


def smallest(game: AnyGame) -> tuple[str, ...]:
    """Options with every number as low as allowed."""
    return _allowed(game, [f"-{option.name}={option.low}" for option in game.info.told if not option.choices])


def largest(game: AnyGame) -> tuple[str, ...]:
    """Options with every number as high as allowed, and the last of every choice."""
    return _allowed(game, [_most(option) for option in game.info.told])


def _most(option: Option) -> str:
    return f"-{option.name}={option.choices[-1] if option.choices else option.high}"


def _allowed(game: AnyGame, words: Sequence[str]) -> tuple[str, ...]:
    """The words that are allowed together; earlier ones take precedence."""
    said: tuple[str, ...] = ()
    for word in words:
        try:
            game.options((*said, word))
        except OptionError:
            continue
        said = (*said, word)
    return said


def opening(game: AnyGame, words: Sequence[str], plies: int) -> list[str]:
    """The first moves of a random game, none of which ends it."""
    dice, state, record = random.Random(7), State.start(game, words), []
    for _ in range(plies):
        move = any_move(game, state.position, dice, 400)
        after, notation = state.play(game.notate(state.position, move))
        if after.outcome is not None:
            break
        state = after
        record.append(notation)
    return record
