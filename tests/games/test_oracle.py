"""OpenSpiel plays random games beside ours, move by move: the same legal moves, the same end.

Needs the extra `oracle`, so it is left out unless asked for by -m oracle, as .ci/run does. Differences from CLASSICS
stand beside the game's row.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from games import GAMES
from tests.games.perft import perft
from games.rules import Outcome

pytestmark = pytest.mark.oracle

GAMES_EACH = 500


class Oracle(NamedTuple):
    """options: of our game. spiel: the same game there. ours: makes our notation of one of its moves. drawn: whether it
    has ended as a draw there although it goes on here.
    """

    options: str
    spiel: str
    ours: Callable[[str], str] = str
    drawn: Callable[[Any], bool] = lambda pos: False


def from_top(size: int) -> Callable[[str], str]:
    """Rows counted from the other end."""
    return lambda text: f"{text[0]}{size + 1 - int(text[1:])}"


def mirrored(size: int) -> Callable[[str], str]:
    """Two cells, each with its row counted from the other end; a star marks what takes."""
    row = from_top(size)
    return lambda text: f"{row(text[0:2])}-{row(text[2:4])}"


def line(text: str) -> str:
    """The ends of a line of a board that has three rows of boxes: P1(h,0,2) runs along the top."""
    way, row, column = text[3:-1].split(",")
    ends = ((0, 0), (0, 1)) if way == "h" else ((1, 0), (0, 0))
    return "-".join(f"{'abcde'[int(column) + right]}{4 - int(row) - down}" for down, right in ends)


def seen_before(pos: Any) -> bool:
    return any(pieces == pos.pieces for pieces, _ in pos.seen)


ORACLES = {
    "hex": Oracle("-size=7", "hex(board_size=7)"),
    # Its triangle stands on its point.
    "y": Oracle("-size=7", "y(board_size=7)", from_top(7)),
    # Its letters are of the slanting lines, its numbers of the rows.
    "havannah": Oracle(
        "-size=4", "havannah(board_size=4)", lambda text: f"{'ABCDEFG'[int(text[1:]) - 1]}{ord(text[0]) - 96}"
    ),
    "gomoku": Oracle(
        "", "gomoku", lambda text: "abcdefghijklmno"[int(text.split(",")[1])] + str(1 + int(text.split(",")[0]))
    ),
    "four": Oracle("", "connect_four", lambda text: "abcdefg"[int(text[1:])]),
    # Black begins there, from the top.
    "breakthrough": Oracle("-size=6", "breakthrough(rows=6,columns=6)", mirrored(6)),
    "dots": Oracle("-columns=4 -rows=3", "dots_and_boxes(num_rows=3,num_cols=4)", line),
    # Row 1 is at the top there, and so White has d4 in both.
    "reversi": Oracle("", "othello", str),
    # Drawn there as soon as a board comes back, whoever is to move.
    "loa": Oracle("", "lines_of_action", lambda text: text.replace("x", "-"), seen_before),
    "clobber": Oracle("", "clobber(rows=5,columns=6)", lambda text: f"{text[:2]}-{text[2:]}"),
}


@pytest.mark.parametrize("name", ORACLES)
def test_random_games_go_as_the_oracle_says(name):
    import pyspiel

    game, oracle, dice = GAMES[name], ORACLES[name], random.Random(17)
    theirs = pyspiel.load_game(oracle.spiel)
    for _ in range(GAMES_EACH):
        pos, state = game.start(game.options(oracle.options.split())), theirs.new_initial_state()
        while game.outcome(pos) is None and not oracle.drawn(pos):
            actions = {oracle.ours(state.action_to_string(action)): action for action in state.legal_actions()}
            moves = {game.notate(pos, move): move for move in game.moves(pos)}
            assert set(moves) == set(actions)
            assert game.to_move(pos) == state.current_player() + 1
            chosen = dice.choice(sorted(moves))
            pos = game.play(pos, moves[chosen])
            state.apply_action(actions[chosen])
        outcome = game.outcome(pos) or Outcome(None, "there")
        assert state.is_terminal(), str(state)
        winner = next((side for side, points in zip((1, 2), state.returns(), strict=True) if points > 0), None)
        assert outcome.winner == winner, str(state)


def test_reversi_has_the_published_number_of_lines():
    game = GAMES["reversi"]
    plies, _ = perft(
        game.start(game.options([])), lambda pos: [game.play(pos, m) for m in game.moves(pos)], lambda pos: None, 7
    )
    assert plies == [4, 12, 56, 244, 1396, 8200, 55092]
