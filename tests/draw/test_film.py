"""Films: each board of a game is in it, the last one exact to the pixel, and none is larger than a mail should be."""

from __future__ import annotations

import io
import random
from itertools import islice

import pytest
from PIL import Image, ImageChops, ImageSequence

from games import GAMES
from games.scene import Cell, GridBoard, PlaneBoard, Scene
from pbm.domain.match import State
from pbm.draw import picture as films
from pbm.draw.cell_pictures import image
from pbm.draw.picture import film
from tests.games.variants import EACH


def scenes(name: str, plies: int = 40) -> list[Scene]:
    """The scenes of a random game on a board of the usual size."""
    state, dice = State.start(GAMES[name], ()), random.Random(name)
    found = [state.game.scene(state.position, None)]
    while state.outcome is None and len(found) <= plies:
        move = dice.choice(list(islice(state.game.moves(state.position), 40)))
        state, _ = state.play(state.game.notate(state.position, move))
        found.append(state.game.scene(state.position, state.last))
    return found


@pytest.mark.parametrize("name", EACH)
def test_a_film_ends_with_the_last_board_and_is_small(name: str) -> None:
    boards = scenes(name)
    made = film(boards.__getitem__, len(boards) - 1)
    assert made is not None
    assert len(made.data) <= films.FILM_OCTETS
    shown = Image.open(io.BytesIO(made.data))
    assert shown.size == (made.width, made.height)
    assert shown.info["loop"] == 0
    frames = ImageSequence.all_frames(shown)
    assert 1 < len(frames) <= len(boards)
    for place in (0, -1):
        board = boards[place].board
        if not isinstance(board, PlaneBoard) and (wanted := image(board)).size == shown.size:
            assert ImageChops.difference(frames[place].convert("RGB"), wanted.convert("RGB")).getbbox() is None


def busy(ply: int) -> Scene:
    """A board on which everything changes from ply to ply."""
    dice = random.Random(ply)
    cells = tuple(Cell(row, column, "", dice.choice("BWRG ")) for row in range(12) for column in range(12))
    return Scene(GridBoard(tuple("ABCDEFGHIJKL"), tuple(map(str, range(12))), tuple(cells)))


def test_a_film_that_would_be_too_large_shows_fewer_boards() -> None:
    made = film(busy, 60)
    assert made is not None
    assert len(made.data) <= films.FILM_OCTETS
    shown = Image.open(io.BytesIO(made.data))
    frames = ImageSequence.all_frames(shown)
    assert len(frames) < 61
    assert shown.size == tuple(round(side / 2) for side in films._still(busy(60)).size), "each is shown in little"


def test_a_film_of_no_use_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "FILM_OCTETS", 1000)
    assert film(busy, 60) is None
