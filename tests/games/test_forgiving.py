"""However a move is written, it is read as that move or refused, and never as another one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import GAMES
from games.rules import MoveError
from tests.games.variants import EACH

CELL = re.compile(r"[A-Za-z]\d+")
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
PERSIAN = {ord(str(digit)): 0x6F0 + digit for digit in range(10)}
SAFE: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower case": str.lower,
    "upper case": str.upper,
    "full width": lambda text: text.translate(FULL_WIDTH),
    "digits of a Persian keyboard": lambda text: text.translate(PERSIAN),
    "blanks around": lambda text: f"  {text}\t ",
    "a full stop": lambda text: f"{text}.",
    "quoted": lambda text: f"\u201c{text}\u201d",
    "an en dash": lambda text: text.replace("-", "\u2013"),
    "a times sign": lambda text: text.replace("x", "\u00d7"),
    "an arrow": lambda text: text.replace(">", "\u2192"),
    "a soft hyphen": lambda text: f"{text[:1]}\u00ad{text[1:]}",
}
"""Ways to write a move that every game must read."""

CELLS: dict[str, Callable[[str], str]] = {
    "dashed": lambda text: f"{text[0]}-{text[1:]}",
    "blank": lambda text: f"{text[0]} {text[1:]}",
    "swapped": lambda text: f"{text[1:]}{text[0]}",
    "dotted": lambda text: f"{text[0]}.{text[1:]}.",
}
"""Ways to write a cell (a letter and a number) that games played on cells must read."""


def positions(name, plies, seed=1):
    """Positions of one random game, and the moves that are tried there."""
    game = GAMES[name]
    chance, pos = random.Random(seed), game.start(game.options(()))
    for _ in range(plies):
        legal = list(islice(game.moves(pos), 300))
        if not legal:
            return
        yield game, pos, legal
        pos = game.play(pos, chance.choice(legal))


def played_on_cells(name):
    """Whether the first moves of the game are cells: a letter and a number."""
    ((game, pos, legal),) = positions(name, 1)
    return all(CELL.fullmatch(game.notate(pos, move)) for move in legal[:9])


@pytest.mark.parametrize("way", SAFE)
@pytest.mark.parametrize("name", GAMES)
def test_a_move_is_read_however_it_is_typed(name, way):
    for game, pos, legal in positions(name, 5):
        for move in legal[:: max(1, len(legal) // 12)]:
            written = SAFE[way](game.notate(pos, move))
            assert game.parse(pos, written) == move, written


@pytest.mark.parametrize("way", CELLS)
@pytest.mark.parametrize("name", list(filter(played_on_cells, GAMES)))
def test_a_cell_is_read_however_it_is_typed(name, way):
    for game, pos, legal in positions(name, 3):
        cells = [move for move in legal if CELL.fullmatch(game.notate(pos, move))]
        for move in cells[::4]:
            written = CELLS[way](game.notate(pos, move))
            assert game.parse(pos, written) == move, written


@pytest.mark.parametrize("name", EACH)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_misspelt_move_is_read_as_what_it_says_or_refused(name, data):
    """An accepted text has exactly the letters and digits of the move that it is read as."""
    spoilt = data.draw(st.lists(st.tuples(st.integers(0, 30), st.sampled_from([*" -.,;>x#_()!\u2013"])), max_size=3))
    seed = data.draw(st.integers(0, 50))
    *_, (game, pos, legal) = positions(name, 4, seed)
    move = legal[data.draw(st.integers(0, len(legal) - 1))]
    text = game.notate(pos, move)
    for place, char in spoilt:
        text = text[: place % (len(text) + 1)] + char + text[place % (len(text) + 1) :]
    try:
        taken = game.parse(pos, text)
    except MoveError as refusal:
        for candidate in refusal.candidates:
            game.parse(pos, candidate)
    else:
        assert game.parse(pos, game.notate(pos, taken)) == taken
        assert signs(game.notate(pos, taken)) == signs(text), f"{text!r} was taken for {game.notate(pos, taken)!r}"


def signs(text):
    """The letters and digits that name places, sorted: a cell may be written 6F, a crossing 7x3."""
    return sorted(char for char in text.casefold() if char.isalnum() and char != "x")


@pytest.mark.parametrize("name", GAMES)
def test_a_refusal_is_short_however_long_the_move(name):
    game = GAMES[name]
    pos = game.start(game.options([]))
    first = game.notate(pos, next(iter(game.moves(pos))))
    for text in (f"{first}{'-e5-e6' * 30}", "-".join(["a1", "b2"] * 40), "xC1" + ",D2,C1" * 40, "z" * 300, "9" * 300):
        with pytest.raises(MoveError) as refused:
            game.parse(pos, text)
        assert len(str(refused.value)) < 250, text
