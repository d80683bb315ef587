"""Games of other programs: each becomes a game that could have been played here, or is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from games import GAMES
from pbm.domain.errors import NotAllowed
from pbm.domain.foreign_records import read, start_in
from pbm.domain.game_record import write
from tests.domain.test_game_record import finished
from tests.games.variants import EACH

TRIAL = """game=/lud/board/space/connection/Hex.lud
START GAME OPTIONS
Board Size/5x5
END GAME OPTIONS
Move=[Move:mover=1,from=0,to=0,actions=[Add:type=Cell,to=0,what=1,decision=true]]
LEGAL MOVES LIST SIZE = 0
Move=[Move:mover=2,from=-1,to=-1,actions=[Swap:player1=1,player2=2,decision=true]]
Move=[Move:mover=1,to=24,actions=[Add:type=Cell,to=24,what=1,decision=true]]
"""
REVERSI = """game=/lud/board/space/territory/Reversi.lud
Move=[Move:mover=0,from=27,to=27,actions=[Add:type=Cell,to=27,what=1]]
Move=[Move:mover=1,from=19,to=19,actions=[Add:type=Cell,to=19,what=1,decision=true]]
"""


@pytest.mark.parametrize(
    ("text", "game", "options", "moves"),
    [
        ("(;FF[4]EV[hex.ld.DEFAULT]PB[a]PW[b]SZ[13];W[ac];B[dj];B[resign])", "hex", ["-size=13"], ["a3", "d10"]),
        ("(;FF[4]EV[hex.ch.1]PB[a]PW[b]SZ[11];W[ad];B[swap];W[eg])", "hex", ["-size=11"], ["a4", "swap", "g5"]),
        ("(;GM[11]SZ[5];B[b3];W[swap-pieces];B[d5])", "hex", ["-size=5"], ["b3", "swap", "e4"]),
        ("(;GM[11]SZ[5];B[b3];W[swap-sides];W[d5])", "hex", ["-size=5"], ["b3", "swap", "d5"]),
        ("(;FF[4]SZ[9]KM[6.50];B[ee](;W[ec]C[a\\]b];B[];W[tt])(;W[aa]))", "go", ["-size=9", "-komi=6.5"],
         ["e5", "e7", "pass", "pass"]),
        ("(;FF[3]GaMe[1]SiZe[9];Black[ee])", "go", ["-size=9"], ["e5"]),
        ("(;GM[4]SZ[15];B[hh];W[ah])", "gomoku", ["-size=15"], ["h8", "a8"]),
        ("(;EV[gomoku.ld.1]SZ[15];B[hh];W[ah])", "gomoku", ["-size=15"], ["h8", "a8"]),
        ("(;EV[Reversi]GM[2];B[dc])", "reversi", [], ["d3"]),
        ("(;FF[4]SZ[9]KM[0];B[ee])", "go", ["-size=9", "-komi=0.5"], ["e5"]),
        ("(;FF[4]SZ[9]KM[-7];B[ee])", "go", ["-size=9", "-komi=-6.5"], ["e5"]),
        ("(;FF[4]SZ[9]KM[375];B[ee])", "go", ["-size=9"], ["e5"]),
        ("(;FF[4]SZ[9]HA[0]KM[];B[ee])", "go", ["-size=9", "-handicap=0"], ["e5"]),
        ("(;GM[2];B[dc];W[cc])", "reversi", [], ["d3", "c3"]),
        ("(;GM[18];W[d1-d7/g7])", "amazons", [], ["d1-d7/g7"]),
        ("(;GM[2]SZ[8]AB[de][ed]AW[dd][ee];B[dc];W[cc])", "reversi", ["-size=8"], ["d3", "c3"]),
        ("(;GM[18]AW[d1][g1][a4][j4]AB[a7][j7][d10][g10];W[d1-d7/g7])", "amazons", [], ["d1-d7/g7"]),
        ("(;GM[1]SZ[9]HA[1];B[ee])", "go", ["-size=9", "-handicap=0"], ["e5"]),
        ("(;GM[1]SZ[9]HA[2]AB[gc][cg];W[ee])", "go", ["-size=9", "-handicap=2"], ["e5"]),
        ("(;GM[1]SZ[9]HA[2];B[cg];B[gc];W[ee])", "go", ["-size=9", "-handicap=2"], ["e5"]),
        ("(;GM[1]SZ[9];B[ee];W[];B[cc])~;W[gg]", "go", ["-size=9"], ["e5", "pass", "c7"]),
        (TRIAL, "hex", ["-size=5"], ["a1", "swap", "e5"]),
        (REVERSI, "reversi", ["-size=8"], ["d3"]),
    ],
)  # fmt: skip
def test_games_of_other_programs_are_read(text: str, game: str, options: list[str], moves: list[str]) -> None:
    assert start_in(f"Hello!\n{text}") == len("Hello!\n")
    score = read(text)
    assert (score.game, list(score.options), list(score.moves)) == (game, options, moves)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(;GM[5])", "GM\\[5\\], is none that is played here"),
        ("(;SZ[9];B[ee])", "does not say which game it is"),
        ("(;EV[chess]SZ[9];B[ee])", "does not say which game it is"),
        ("(;GM[1]SZ[9];B[zz])", "Its move 1, zz"),
        (
            "(;GM[1]SZ[9]KM[6.5];B[ee];B[cc];W[gg])",
            "Its move 2, c7, cannot be played here: the other colour is to move",
        ),
        ("(;GM[1]SZ[9];B[ee][cc];W[gg])", "Its move 2, c7"),
        ("(;GM[1]SZ[9];B[ee];W[];W[gg])", "Its move 3, g3"),
        ("(;GM[1]SZ[9];W[ee];B[cc])", "Its move 1, e5"),
        ("(;EV[Go club]SZ[9];W[ee];B[cc])", "Its move 1, e5"),
        ("(;GM[4]SZ[15];B[hh];W[swap-sides];B[ah])", "Its move 3, a8"),
        ("(;GM[11]SZ[5];B[b3];W[swap-pieces];W[d5])", "Its move 3, e4"),
        ("(;FF[4]EV[hex.ld.1]SZ[13];W[ac];W[dj])", "Its move 2, d10"),
        ("(;GM[1]SZ[9]HA[2]KM[0.5];B[cc];B[gg];W[ee])", "begins with HA\\[2\\]AB\\[cg\\]\\[gc\\], and White"),
        ("(;GM[1]SZ[9]HA[2];W[ee])", "begins with HA"),
        ("(;GM[1]SZ[9]HA[2]AB[gc];W[ee])", "begins with HA"),
        ("(;GM[1]SZ[9];B[ee]\nMoves follow\n;W[cc])", 'line 2 it stops being SGF, at "Moves follow ;W'),
        ("(;GM[1]SZ[9];B[ee](;W[cc]);B[gg])", 'line 1 it stops being SGF, at ";B\\[gg'),
        ("(;GM[1]SZ[9];B[ee];[cc])", 'line 1 it stops being SGF, at "\\[cc'),
        ("(;GM[1]SZ[9];B[ee];w[cc])", 'line 1 it stops being SGF, at "w\\[cc'),
        ("(;GM[1]SZ[9];B[ee]", "without its closing parenthesis"),
        ("(;GM[1]SZ[9];AB[aa];B[bb])", "puts stones"),
        ("(;GM[2]SZ[8]AB[dd][ee]AW[de][ed];B[dc])", "puts stones"),
        ("(", "no node"),
        ("game=/lud/x/Chess.lud", "Chess is not read here"),
        ("game=/lud/x/Go.lud\nMove=[Move:mover=1,to=4,\nactions=[Add:]]", "line of it cannot be read"),
        ("game=/lud/x/Go.lud\nMove=[Move:mover=1,to=400,actions=[Add:]]", "site 400"),
    ],
)
def test_what_could_not_be_played_here_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(NotAllowed, match=why):
        read(text)


@pytest.mark.parametrize("name", GAMES)
def test_our_own_records_are_read_like_any_other(name: str) -> None:
    record = finished(name)
    score = read(write(record, record.states())[0])
    assert (score.game, score.options, score.body, score.moves) == (name, (), "", record.moves)


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.info.sgf])
def test_other_programs_would_read_in_our_files_what_we_do(name: str) -> None:
    """Without our own property the same moves are read from the standard ones; Gomoku's has no swap."""
    assert read(_foreign(name)).moves == finished(name).moves


def _ours(name: str) -> str:
    record = finished(name)
    return write(record, record.states())[0]


def _foreign(name: str) -> str:
    """A record as other programs write it."""
    text = _ours(name).replace("PBM[swap]", "W[swap-sides]")
    return text[: text.index("PBM[Game")] + text[text.index("]", text.index("PBM[Game")) + 1 :]


@pytest.mark.parametrize("write_as", [_ours, _foreign])
@pytest.mark.parametrize("name", [each for each in EACH if GAMES[str(each.values[0])].info.sgf])
def test_a_record_is_read_as_a_whole_or_refused(name: str, write_as: Callable[[str], str]) -> None:
    """Wherever it is cut, a stray character stands or a move has the other colour."""
    text = write_as(name).rstrip()
    for place in range(2, len(text)):
        with pytest.raises(NotAllowed):
            read(text[:place])
    moves = [*re.finditer(r";(?:C\[[^]]*\])?([BW]|PBM(?=\[swap\]))\[", text)]
    assert len(moves) == len(finished(name).moves)
    for number, move in enumerate(moves, 1):
        before, after = text[: move.start()], text[move.start() :]
        with pytest.raises(NotAllowed, match=r'In its line \d+ it stops being SGF, at "~;'):
            read(f"{before}~{after}")
        if colour := {"B": "W", "W": "B"}.get(move[1]):
            with pytest.raises(NotAllowed, match=f"Its move {number}, "):
                read(text[: move.start(1)] + colour + text[move.end(1) :])


@pytest.mark.parametrize(
    ("text", "wanted", "game", "remark"),
    [
        ("(;SZ[9];B[ee])", "gomoku", "gomoku", ""),
        ("(;GM[11]SZ[9];B[ee])", "gomoku", "hex", ""),
        ("(;SZ[9]KM[6.5];B[ee])", "", "go", ""),
        ("(;SZ[9]KM[7];B[ee])", "", "go", " (its komi, 7, is played as 7.5, because komi ends in a half here)"),
        ("(;SZ[9]KM[21];B[ee])", "", "go", " (its komi, 21, is beyond 20, so that the usual one is played)"),
        ("(;GM[1]SZ[9];B[ee];W[resign];B[cc];W[gg])", "", "go", " (2 moves below its end left out)"),
        ("(;GM[1]SZ[9];B[ee];W[];B[];W[tt];B[gg])", "", "go", " (1 move below its end left out)"),
        ("(;GM[1]SZ[9];B[ee];W[];B[];W[tt];B[resign])", "", "go", ""),
        ("(;SZ[9]KM[x];B[ee])", "", "go", " (its komi, x, is none here, so that the usual one is played)"),
    ],
)
def test_what_a_record_leaves_open_or_has_otherwise(text: str, wanted: str, game: str, remark: str) -> None:
    score = read(text, wanted)
    assert (score.game, score.remark) == (game, remark)
