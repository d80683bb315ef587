"""`pbm game new`: a game begun in the source tree, and one in its own package, built, installed and played."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from games import GAMES
from pbm.cli.games import registered
from tests.cli.conftest import Pbm

ROOT = Path(__file__).parent.parent.parent
TREE = ("games", "templates", "tests/games", "tests/golden/boards", "tests/golden_file.py", "pyproject.toml")
"""What the contract test needs besides the package pbm."""


def python(folder: Path, *words: str, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": f"{path}:{ROOT}", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all that belongs to games in the source tree."""
    folder = tmp_path / "tree"
    for name in TREE:
        source = ROOT / name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "pbm").symlink_to(ROOT / "pbm")
    return folder


@pytest.mark.servers
def test_a_new_game_plays_at_once_and_the_contract_test_tells_what_is_missing(pbm: Pbm, tree: Path) -> None:
    pbm("game", "new", "frob", "--folder", str(tree))
    contract = python(
        tree, "-m", "pytest", "tests/games/test_contract.py", "-k", "frob", "-p", "no:cacheprovider", path=tree
    )
    failed = set(re.findall(r"^_+ (\S+) _+$", contract.stdout, re.MULTILINE))
    assert failed == {"test_the_game_is_finished[frob]", "test_boards_are_the_golden_ones[frob-start]"}, contract.stdout
    for missing in ("templates/help/frob.txt", "tests/games/golden/frob.json", "games/frob.py", "frob-start.txt"):
        assert missing in contract.stdout


def test_the_registry_keeps_its_order() -> None:
    source = (ROOT / "games/registry.py").read_text()
    more = registered(source, "frob", "Frob")
    assert [line for line in more.splitlines() if line not in source.splitlines()] == ['    "frob": "Frob",']
    assert more.index('"four"') < more.index('"frob"') < more.index('"gomoku"')


@pytest.mark.servers
def test_a_package_of_its_own_is_built_installed_and_played(pbm: Pbm, tmp_path: Path) -> None:
    source, built, installed = (tmp_path / name for name in ("frob", "built", "installed"))
    with chdir(tmp_path):
        told = pbm("game", "new", "frob", "--title", "The Frob", "--package", "--folder", "frob").stdout
    assert f"\npip install {source} " in told, "a bare name would be looked up on PyPI"

    def pip(*words: str) -> None:
        done = python(source, "-m", "pip", "--disable-pip-version-check", *words, path=source)
        assert done.returncode == 0, done.stderr

    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(built), ".")
    pip("install", "--no-deps", "--no-index", "--target", str(installed), str(next(built.iterdir())))

    def run(*words: str) -> str:
        done = python(tmp_path, "-m", "pbm", *words, path=installed, PBM_DATABASE=os.environ["PBM_DATABASE"])
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "frob" not in GAMES
    for userid in ("alice", "bob"):
        run("player", "add", userid, "--address", f"{userid}@example.net", "--password", f"{userid}pass")
    run("board", "challenge", "create", "frob", "-size=3", "alice", "bob")
    run("board", "move", "101", "alice", "b2")
    assert "2  . (B) .  2" in run("board", "show", "101")
    helped = python(tmp_path, "-c", "from pbm.compose.pages import Pages; print(Pages().help('frob'))", path=installed)
    assert helped.stdout.startswith("The Frob: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Frob",), "small letters"),
        (("frob", "--folder", "nowhere"), "--package"),
        (("hex", "--package"), "there is a game of this name"),
        (("show", "--package"), "there is a command of this name"),
    ],
)
def test_what_cannot_be_begun_is_said(pbm: Pbm, words: tuple[str, ...], said: str) -> None:
    assert said in pbm("game", "new", *words, code=1).stderr


def test_nothing_is_written_over(pbm: Pbm, tree: Path) -> None:
    (tree / "games/frob.py").write_text("mine")
    assert "is there already" in pbm("game", "new", "frob", "--folder", str(tree), code=1).stderr
    assert (tree / "games/frob.py").read_text() == "mine"
