"""Records: every game that is written reads back the same; anything else is refused with a sentence."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

import pytest

from games import GAMES
from games.rules import Drawable
from pbm.domain.errors import Rejected
from pbm.domain.game_record import GameRecord, is_record, read, write
from pbm.domain.match import SWAP, Ending, Result, State

BEGAN, ENDED = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 2, 3, 4, 5, 6, 7, tzinfo=UTC)


def finished(name: str, seed: int = 1, plies: int = 60) -> GameRecord:
    """A random game, ended by a resignation if it is still going on; the second ply is a swap if it may be one."""
    game, dice = GAMES[name], random.Random(f"{name} {seed}")
    state = State.start(game, ())
    moves: list[str] = []
    while state.outcome is None and len(moves) < plies:
        legal = list(islice(game.moves(state.position), 100))
        text = SWAP if state.may_swap else game.notate(state.position, dice.choice(legal))
        state, notation = state.play(text)
        moves.append(notation)
    result = state.result or Result(Ending.RESIGNED, 3 - state.to_move, "by resignation")
    return GameRecord(name, game.info.version, (), "", ("alice", "bob"), BEGAN, ENDED, result, tuple(moves))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_written_reads_back_the_same(name: str, seed: int) -> None:
    record = finished(name, seed)
    text, ending = write(record, record.states())
    assert is_record(text)
    assert ending == ("sgf" if GAMES[name].info.sgf else "txt")
    assert read(text) == record


def test_a_board_drawn_for_the_game_is_kept() -> None:
    body = "0 0\n4 0\n4 4\n\n0 4" if isinstance(GAMES["polygon"], Drawable) else ""
    record = finished("cross")
    text, _ = write(replace(record, body=body), record.states())
    assert "Body: 4 0\n" in text or not body


def test_sgf_is_as_others_write_it() -> None:
    record = replace(
        finished("gomoku"), moves=("a15", "swap", "h8"), result=Result(Ending.RESIGNED, 1, "by resignation")
    )
    text, _ = write(record, record.states())
    assert text.startswith(
        "(;FF[4]GM[4]CA[UTF-8]AP[pbm:2]SZ[15]PB[bob]PW[alice]DT[2026-02-03]RE[W+Resign]PBM[Game: gomoku 1"
    )
    assert text.endswith("]\n;B[aa]\n;C[bob swaps sides: the first stone is theirs now.]PBM[swap]\n;W[hh])\n")
    red = replace(record, game="hex", moves=("a1", "swap", "f6"))
    text, _ = write(red, red.states())
    assert text.endswith("]\n;B[a1]\n;W[swap-sides]C[bob swaps sides: the first stone is theirs now.]\n;W[f6])\n")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("pbm record 1", "pbm record 2"), "first line"),
        (("Game: yavalath", "Game: nonesuch"), 'no game "nonesuch"'),
        (("Result: ", "Outcome: "), "lacks a line Result"),
        (("Ended: 2026", "Ended: soon"), "cannot be read"),
        (("\n1 ", "\n1 zz"), "Its move 1, zz.*, cannot be played here"),
        (("\n1 ", "\n1 swap\n1 "), "Its move 1, swap, "),
        (("Result: rules", "Result: agreed"), "does not end as it says"),
    ],
)
def test_what_is_no_sound_record_is_refused(change: tuple[str, str], sentence: str) -> None:
    record = finished("yavalath", plies=1000)
    text, _ = write(record, record.states())
    assert change[0] in text
    with pytest.raises(Rejected, match=sentence):
        read(text.replace(*change, 1))


def test_who_has_won_a_swapped_game_is_named_by_their_colour() -> None:
    record = finished("hex", plies=1000)
    text, _ = write(record, record.states())
    winner = re.search(r"RE\[([BW])\+", text)
    assert winner is not None
    assert f"P{winner[1]}[{record.players[(record.result.winner or 0) - 1]}]" in text
