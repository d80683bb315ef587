"""`pbm` as a function, on a database of its own, apart from the environment of the tests."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm.cli import main, opening, places

Pbm = Callable[..., Result]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration from outside, and none left behind."""
    for name in [name for name in os.environ if name.startswith("PBM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(places, "USUAL_FILES", (tmp_path / "usual.toml", tmp_path / "etc/pbm.toml"))
    monkeypatch.setattr(opening, "announce", lambda _: None)


@pytest.fixture
def pbm(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Pbm:
    """Runs a command line. code: the exit code that it must have."""
    shutil.copyfile(empty_database, tmp_path / "pbm.db")
    monkeypatch.setenv("PBM_DATABASE", f"sqlite:///{tmp_path / 'pbm.db'}")

    def run(*words: str, code: int = 0, typed: str | None = None) -> Result:
        result = CliRunner().invoke(main, words, input=typed)
        assert result.exit_code == code, f"{words}: {result.exit_code}\n{result.stdout}\n{result.stderr}"
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture(scope="session")
def begun() -> dict[str, bytes]:
    """The database of `game`, once it has been made; until then empty."""
    return {}


@pytest.fixture
def game(pbm: Pbm, tmp_path: Path, begun: dict[str, bytes]) -> Pbm:
    """alice and bob at board 101, cross with four cells a side; alice is to move."""
    file = tmp_path / "pbm.db"
    if begun:
        file.write_bytes(begun["file"])
        return pbm
    pbm("player", "add", "alice", "--address", "alice@example.net", "--password", "alicepass")
    pbm("player", "add", "bob", "--address", "bob@example.net", "--password", "bobbypass")
    pbm("board", "challenge", "create", "cross", "-size=4", "alice", "bob")
    with closing(sqlite3.connect(file)) as database:
        begun["file"] = database.serialize()
    return pbm
