"""OpenSpiel plays random games beside ours, move by move: the same legal moves, the same end.

Needs the extra `oracle`, so it only runs with -m oracle, as in .ci/run. Differences from CLASSICS are noted at the
game's row.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

import pytest

from games import GAMES
from games.amazons import Amazons
from games.boards import bits
from games.go import Go
from games.rules import MoveError, Outcome
from tests.games.perft import perft

pytestmark = pytest.mark.oracle

GAMES_EACH = 500


class Oracle(NamedTuple):
    """options: of our game. spiel: the same game there. ours: our notation for one of its moves. takes_apart: a move
    of its own chooses the man to take there. drawn: whether it is a draw there but goes on here. draws_sooner: whether
    it may be a draw here but go on there.
    """

    options: str
    spiel: str
    ours: Callable[[str], str] = str
    takes_apart: bool = False
    drawn: Callable[[Any, Any], bool] = lambda pos, state: False
    draws_sooner: bool = False

    def actions(self, state: Any) -> dict[str, list[int]]:
        """The moves possible there, by our notation."""
        found = {self.ours(state.action_to_string(action)): [action] for action in state.legal_actions()}
        if not self.takes_apart:
            return found
        whole: dict[str, list[int]] = {}
        for notation, actions in found.items():
            after = state.child(actions[0])
            takes = after.current_player() == state.current_player()
            taken = {self.ours(after.action_to_string(action)): action for action in after.legal_actions() if takes}
            whole |= {f"{notation}x{point}": [*actions, action] for point, action in taken.items()}
            whole |= {} if takes else {notation: actions}
        return whole


def from_top(size: int) -> Callable[[str], str]:
    """Reads cells whose rows are counted from the other end."""
    return lambda text: f"{text[0]}{size + 1 - int(text[1:])}"


def mirrored(size: int) -> Callable[[str], str]:
    """Reads two cells, with rows counted from the other end; a star marks a capture."""
    row = from_top(size)
    return lambda text: f"{row(text[0:2])}-{row(text[2:4])}"


def line(text: str) -> str:
    """The ends of a line on a board with three rows of boxes: P1(h,0,2) runs along the top."""
    way, row, column = text[3:-1].split(",")
    ends = ((0, 0), (0, 1)) if way == "h" else ((1, 0), (0, 0))
    return "-".join(f"{'abcde'[int(column) + right]}{4 - int(row) - down}" for down, right in ends)


POINTS = re.findall("..", "a7d7g7b6d6f6c5d5e5a4b4c4e4f4g4c3d3e3b2d2f2a1d1g1")


def points(text: str) -> str:
    """The points of "Point 3" and "Move 3 -> 4"."""
    return "-".join(POINTS[int(number)] for number in re.findall("[0-9]+", text))


def seen_before(pos: Any, state: Any) -> bool:
    return any(pieces == pos.pieces for pieces, _ in pos.seen)


ORACLES = {
    "hex": Oracle("-size=7", "hex(board_size=7)"),
    # The triangle stands on its point there.
    "y": Oracle("-size=7", "y(board_size=7)", from_top(7)),
    # Letters name slanting lines there, and numbers rows.
    "havannah": Oracle(
        "-size=4", "havannah(board_size=4)", lambda text: f"{'ABCDEFG'[int(text[1:]) - 1]}{ord(text[0]) - 96}"
    ),
    "gomoku": Oracle(
        "", "gomoku", lambda text: "abcdefghijklmno"[int(text.split(",")[1])] + str(1 + int(text.split(",")[0]))
    ),
    "four": Oracle("", "connect_four", lambda text: "abcdefg"[int(text[1:])]),
    # Black begins there, at the top.
    "breakthrough": Oracle("-size=6", "breakthrough(rows=6,columns=6)", mirrored(6)),
    "dots": Oracle("-columns=4 -rows=3", "dots_and_boxes(num_rows=3,num_cols=4)", line),
    # Row 1 is at the top there, so White has d4 in both.
    "reversi": Oracle("", "othello", str),
    # A repeated board is a draw there, whoever is to move. If both are joined at once, the mover wins there, too.
    "loa": Oracle("", "lines_of_action", lambda text: text.replace("x", "-"), drawn=seen_before),
    # Only 200 plies are a draw there; men are taken by the same rules, those in mills last.
    "morris": Oracle(
        "",
        "nine_mens_morris",
        points,
        takes_apart=True,
        drawn=lambda pos, state: state.is_terminal() and "Turn number: 200" in str(state),
        draws_sooner=True,
    ),
    "clobber": Oracle("", "clobber(rows=5,columns=6)", lambda text: f"{text[:2]}-{text[2:]}"),
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


def test_random_games_of_amazons_go_as_the_oracle_says():
    """There a move has three parts, with rows counted from the top."""
    import pyspiel

    game, dice = Amazons(), random.Random(17)
    theirs, options = pyspiel.load_game("amazons"), game.options([])
    names = game.board(options).names
    for _ in range(GAMES_EACH):
        pos, state = game.start(options), theirs.new_initial_state()
        while game.outcome(pos) is None:
            moves = [path for start in bits(pos.own) for path in islice(game.paths_from(pos, start), 1)]
            start = dice.choice(moves)[0]
            moves, chosen = list(game.paths_from(pos, start)), dice.choice(list(game.paths_from(pos, start)))
            for part, index in enumerate(chosen):
                actions = {}
                for action in state.legal_actions():
                    row, column = re.findall("[0-9]+", state.action_to_string(action))
                    actions["abcdefghij"[int(column) - 1] + str(11 - int(row))] = action
                fitting = {path[part] for path in moves if path[:part] == chosen[:part]}
                movers = {at for at in bits(pos.own) if next(game.paths_from(pos, at), None)}
                assert {names[at] for at in (fitting if part else movers)} == set(actions)
                state.apply_action(actions[names[index]])
            pos = game.play(pos, chosen)
        outcome = game.outcome(pos)
        assert outcome is not None
        assert state.is_terminal(), str(state)
        assert (outcome.winner == 1) == (state.returns()[0] > 0), str(state)


@pytest.mark.parametrize("name", ORACLES)
def test_random_games_go_as_the_oracle_says(name):
    import pyspiel

    game, oracle, dice = GAMES[name], ORACLES[name], random.Random(17)
    theirs = pyspiel.load_game(oracle.spiel)
    for _ in range(GAMES_EACH):
        pos, state = game.start(game.options(oracle.options.split())), theirs.new_initial_state()
        while game.outcome(pos) is None and not oracle.drawn(pos, state):
            actions = oracle.actions(state)
            moves = {game.notate(pos, move): move for move in game.moves(pos)}
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
