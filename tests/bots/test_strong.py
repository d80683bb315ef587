"""The highest level with OpenSpiel's search, which needs the extra `strong`."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bench.rivals import spiel_board
from games import GAMES
from pbm.bots import strong
from pbm.bots.levels import Question
from pbm.bots.mind import think
from pbm.domain.match import State


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong, "is_installed", lambda: True)


@pytest.mark.parametrize("game", ["go", "cross", "reversi"])
def test_other_games_are_left_to_the_robots_own_search(game: str) -> None:
    assert strong.board_of(GAMES[game], GAMES[game].options([])) is None


def test_a_board_that_it_does_not_have_is_left_to_the_robots_own_search() -> None:
    assert strong.board_of(GAMES["four"], GAMES["four"].options(["-columns=8"])) is None


@pytest.mark.parametrize("slowness", [1, 4, 20])
def test_a_search_takes_the_time_it_may_on_a_machine_that_is_busy_after_the_first_moment(slowness: int) -> None:
    """The clock runs as much faster than the processor as others need it, but not for the first 50 ms."""
    used, sizes = [0.0, 0.0], []

    def searched(visits: int) -> SimpleNamespace:
        sizes.append(visits)
        seconds = visits / 20_000
        quick = min(seconds, max(0.0, 0.05 - used[0]))
        used[0] += seconds
        used[1] += quick + (seconds - quick) * slowness
        return SimpleNamespace(outcome=[])

    strong.longest(searched, 12.0, 40.0, lambda: (used[0], used[1]))
    assert used[0] <= 12.5
    assert used[1] <= 60
    assert sizes[-1] == max(sizes)
    assert sizes[-1] / 20_000 >= 0.6 * min(12.0, 40 / slowness)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("game", "options", "plies"),
    [
        ("four", (), "d d c e"),
        ("hex", ("-size=7",), "d4 c3"),
        ("y", ("-size=7",), "d5 c6"),
        ("clobber", (), "a1-a2"),
        ("havannah", ("-size=5",), "E5 C3"),
        ("clobber", ("-rows=10",), "b10-a10 c10-c9"),
        ("amazons", (), "d1-d7/g7"),
        ("morris", (), "d6 a7 a1 d7 g7 b4"),
    ],
)
def test_its_moves_are_legal_here(game: str, options: tuple[str, ...], plies: str) -> None:
    state = State.start(GAMES[game], options)
    for ply in plies.split():
        state, _ = state.play(ply)
    board = spiel_board(state.game, state.options)
    assert board is not None
    found = strong.decision(state.game, state.position, board, strong.reached(board, plies.split()), 0.2, 20.0, 7)
    assert state.game.notate(state.position, found.move) in {
        state.game.notate(state.position, move) for move in state.game.moves(state.position)
    }


@pytest.mark.oracle
def test_the_highest_level_sees_a_win_in_two() -> None:
    (thought,) = think(Question("four", (), "", ("d", "a", "e", "a"), 5, 1, 4, patience=1.0))
    assert thought.move in ("c", "f")
    assert thought.value == 1
