"""The bench suite runs, at sizes that measure nothing."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import structlog
from click.testing import CliRunner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the suite reads /proc")


@pytest.mark.servers
def test_the_suite_measures_and_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import __main__ as suite
    from bench.parts import Scale

    tiny = Scale(seconds=0.4, connections=(2,), growth=(60,), records=(10,), burst=20, idle_moves=2)
    monkeypatch.setattr(suite, "QUICK", tiny)
    target = tmp_path / "figures.json"
    target.write_text(json.dumps({"floors": {"taken_per_second": 1.0}}))
    logging = structlog.get_config()
    words = ["floors", "stages", "growth", "burst", "--json", str(target), "--compare", str(target)]
    result = CliRunner().invoke(suite.main, words, catch_exceptions=False)
    structlog.configure(**logging)
    assert result.exit_code == 0, result.output
    figures = json.loads(target.read_text())
    assert figures["burst"]["mails"] == 20
    assert figures["growth"][0]["moves_per_second"] > 0
    assert figures["stages"][0]["parse"] > 0
    assert "floors taken_per_second" in result.output


@pytest.mark.servers
def test_the_plain_loop_plays_under_the_same_load(tmp_path: Path) -> None:
    from bench.least import least
    from bench.moves import throughput
    from bench.worlds import make

    world = make(f"sqlite:///{tmp_path}/world.db", 40, 10, 40)
    moves = throughput(world, least, 2, 0.4, lambda _: None)
    assert moves.moves_per_second > 0
    assert moves.p50 > 0
    assert moves.octets > 20_000, "it makes the mails of both players, with all their forms"


def test_every_verb_of_a_club_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import club
    from bench.worlds import make

    monkeypatch.setattr(club, "_ROUNDS", 1)
    monkeypatch.setattr(club, "_AT_ONCE", 2)
    monkeypatch.setattr(club, "_LOADED", 4)
    found = club.measure(make(f"sqlite:///{tmp_path}/world.db", 10, 6, 4))
    assert found.keys() == {*club.MIX, "mix", "move_p99", "megabytes", "resident"}
    assert min(found.values()) > 0


def test_a_pairing_of_robots_ends_when_its_share_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import robots
    from bench.rivals import Board, Player

    class Here:
        map = map

    def share(points: float, wanted: tuple[float, float]) -> tuple[int, str]:
        def game_of(_contest: robots.Contest, number: int) -> robots.Game:
            return robots.Game(points if points != 0.5 else number % 2, "", (1.0, 3.0), (2, 2))

        monkeypatch.setattr(robots, "game_of", game_of)
        contest = robots.Contest(Board("cross"), Player("random"), Player("greedy"), wanted)
        result = robots.played(contest, 64, Here)  # type: ignore[arg-type]
        assert result.seconds == (0.5, 1.5)
        return result.games, result.holds

    assert share(1.0, (0.8, 1.0)) == (32, "yes")
    assert share(0.0, (0.8, 1.0)) == (8, "no")
    assert share(0.5, (0.35, 0.65)) == (64, "yes")
    assert share(0.5, (0.45, 0.55)) == (64, "likely")
    assert share(0.5, (0.55, 0.6)) == (64, "unlikely")


def test_a_game_is_told_and_ends_when_the_skill_has_proved_its_win(capsys: pytest.CaptureFixture[str]) -> None:
    from bench.rivals import Board, Player
    from bench.robots import Contest, game_of

    skill, chance = Player("skill", seconds=5), Player("random")
    contest = Contest(Board("polygon -sides=6"), skill, chance, (0.8, 1.0), opening=0)
    assert game_of(contest, 0).points == 1.0
    assert game_of(replace(contest, one=chance, other=skill), 1).points == 0.0
    assert game_of(replace(contest, one=Player("greedy")), 2).points == 0.0
    assert capsys.readouterr().err.splitlines() == [
        "polygon -sides=6: skill against random, game 0: 1 proved after 0 plies",
        "polygon -sides=6: random against skill, game 1: 0 proved after 0 plies",
        "polygon -sides=6: greedy against random, game 2: 0 after 10 plies",
    ]


@pytest.mark.oracle
def test_a_level_meets_openspiel_with_the_same_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from bench.robots import contests, game_of
    from pbm.bots import strong

    monkeypatch.setattr(strong, "is_installed", lambda: True)
    (contest,) = contests("openspiel", "hex -size=3", 0.05, upper=(1,))
    assert contest.pairing == "level 1 against OpenSpiel's MCTS"
    found = game_of(contest, 0)
    assert found.points in (0, 1)
    assert min(found.plies) > 0


@pytest.mark.oracle
def test_openspiel_plays_at_random_where_only_its_own_game_is_over() -> None:
    """There a repeated board is a draw at once, whoever is to move."""
    from bench.rivals import SPIEL, Board, Player

    board, played = Board("loa"), ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]
    game, pos = board.rules, board.rules.start(board.options)
    for notation in played:
        pos = game.play(pos, game.parse(pos, notation))
    choice = Player(SPIEL, seconds=0.05).choice(board, pos, played, Random(7))
    assert choice.move in set(game.moves(pos))
