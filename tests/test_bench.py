"""The bench suite runs, at sizes that measure nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

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


def test_every_verb_of_a_club_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import club
    from bench.worlds import make

    monkeypatch.setattr(club, "_ROUNDS", 1)
    monkeypatch.setattr(club, "_AT_ONCE", 2)
    found = club.measure(make(f"sqlite:///{tmp_path}/world.db", 10, 6, 4))
    assert found.keys() == {*club.MIX, "mix"}
    assert min(found.values()) > 0
