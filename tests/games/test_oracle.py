"""OpenSpiel plays random games beside ours, move by move: the same legal moves, the same end.

Needs the extra `oracle`, so it only runs with -m oracle, as in .ci/run. Differences from CLASSICS are noted at the
game's row.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from bench.rivals import spiel_board
from games import GAMES
from games.go import Go
from games.rules import MoveError, Outcome
from pbm.bots import strong
from pbm.bots.strong import SpielBoard, reached
from tests.games.perft import perft

pytestmark = pytest.mark.oracle

GAMES_EACH = 200


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong, "is_installed", lambda: True)


class Oracle(NamedTuple):
    """options: of our game. games: how many. drawn: whether it is a draw there but goes on here. draws_sooner: whether
    it may be a draw here but go on there.
    """

    options: str = ""
    games: int = GAMES_EACH
    drawn: Callable[[Any, Any], bool] = lambda pos, state: False
    draws_sooner: bool = False


def turns(board: SpielBoard, state: Any) -> dict[tuple[str, ...], tuple[int, ...]]:
    """What the side to move may do there, by the parts of our notation."""
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for action in state.legal_actions():
        part = board.ours(state.action_to_string(action))
        after = state.child(action) if board.apart else None  # copying a state takes long
        if after is not None and after.current_player() == state.current_player():
            found |= {(part, *parts): (action, *actions) for parts, actions in turns(board, after).items()}
        else:
            found[part,] = (action,)
    return found


def seen_before(pos: Any, state: Any) -> bool:
    return any(pieces == pos.pieces for pieces, _ in pos.seen)


ORACLES = {
    "amazons": Oracle(games=10),  # two thousand moves a turn
    "amazons -size=8": Oracle("-size=8", games=10),
    "hex": Oracle("-size=7"),
    "y": Oracle("-size=7"),
    "havannah": Oracle("-size=4"),
    "gomoku": Oracle(games=50),  # two hundred moves a turn
    "four": Oracle(),
    # Black begins there, at the top.
    "breakthrough": Oracle("-size=6"),
    "dots": Oracle("-columns=4 -rows=3"),
    # Row 1 is at the top there, so White has d4 in both.
    "reversi": Oracle(),
    # A repeated board is a draw there, whoever is to move. If both are joined at once, the mover wins there, too.
    "loa": Oracle(drawn=seen_before),
    # Only 200 plies are a draw there; men are taken by the same rules, those in mills last.
    "morris": Oracle(
        drawn=lambda pos, state: state.is_terminal() and "Turn number: 200" in str(state), draws_sooner=True
    ),
    "clobber": Oracle(),
}


def test_random_games_of_go_go_as_the_oracle_says():
    """The oracle allows most repeated positions but ends the game with them, and ends every game after 162 plies; like
    ours, it forbids suicide and retaking a ko at once.
    """
    import pyspiel

    game, dice = Go(), random.Random(17)
    theirs = pyspiel.load_game("go(board_size=9,komi=7.5)")
    for _ in range(GAMES_EACH):
        pos, state = game.start(game.options(["-size=9"])), theirs.new_initial_state()
        while game.outcome(pos) is None:
            actions = {state.action_to_string(action).split()[1].lower(): action for action in state.legal_actions()}
            moves = {game.notate(pos, move): move for move in game.moves(pos)}
            assert set(moves) <= set(actions)
            for repeating in set(actions) - set(moves):
                with pytest.raises(MoveError, match=r"\(ko\)"):
                    game.parse(pos, repeating)
            chosen = "pass" if pos.passes or state.move_number() > 150 else dice.choice(sorted(moves))
            pos = game.play(pos, moves[chosen])
            state.apply_action(actions[chosen])
        outcome = game.outcome(pos)
        assert outcome is not None
        assert state.is_terminal(), str(state)
        assert (outcome.winner == 1) == (state.returns()[0] > 0), str(state)


@pytest.mark.parametrize("name", ORACLES)
def test_random_games_go_as_the_oracle_says(name):
    game, oracle, dice = GAMES[name.split()[0]], ORACLES[name], random.Random(17)
    options = game.options(oracle.options.split())
    board = spiel_board(game, options)
    assert board is not None
    for _ in range(oracle.games):
        pos, state = game.start(options), reached(board, [])
        while game.outcome(pos) is None and not oracle.drawn(pos, state):
            actions = turns(board, state)
            moves = {tuple(board.parts(game.notate(pos, move))): move for move in game.moves(pos)}
            assert set(moves) == set(actions)
            assert game.to_move(pos) == state.current_player() + 1
            chosen = dice.choice(sorted(moves))
            pos = game.play(pos, moves[chosen])
            for action in actions[chosen]:
                state.apply_action(action)
        outcome = game.outcome(pos) or Outcome(None, "there")
        if oracle.draws_sooner and outcome.winner is None:
            continue
        assert state.is_terminal(), str(state)
        winner = next((side for side, points in zip((1, 2), state.returns(), strict=True) if points > 0), None)
        assert outcome.winner == winner, str(state)


def test_reversi_has_the_published_number_of_lines():
    game = GAMES["reversi"]
    plies, _ = perft(
        game.start(game.options([])), lambda pos: [game.play(pos, m) for m in game.moves(pos)], lambda pos: None, 7
    )
    assert plies == [4, 12, 56, 244, 1396, 8200, 55092]
