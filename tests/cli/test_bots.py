"""`pbm game run`: a program of the user's plays, by lines of JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Pbm
from tests.cli.test_serve import port_of, serving
from tests.patience import wait_until

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"


@pytest.fixture
def example(tmp_path: Path) -> str:
    return written(tmp_path, "bot.py")


def written(folder: Path, name: str) -> str:
    """A program of the docs, written to a file."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    assert len([line for line in found[1].splitlines() if line.strip()]) <= 15
    (folder / name).write_text(found[1])
    return str(folder / name)


def shown(pbm: Pbm, board: int) -> dict[str, Any]:
    found = json.loads(pbm("board", "show", str(board), "--json").stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    "words", ["cross -size=3", "luddit -size=5 -stones=3", "crossgeo -board=random -edges=9", "hex"]
)
def test_the_example_plays_against_itself_to_the_end(words: str, pbm: Pbm, example: str) -> None:
    pbm("player", "add", "carol", "--address", "carol@example.net", "--password", "carolpass")
    pbm("board", "challenge", "create", *words.split(), "carol", "carol")
    pbm("game", "run", "--as", "carol", "--once", sys.executable, example)
    assert shown(pbm, 101)["result"] is not None


def test_what_is_refused_comes_back_with_its_reason(game: Pbm, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    board = json.loads(line)\n"
        "    error = board['error']\n"
        "    print(json.dumps({'answer': 'C3' if error and 'row Z' in error['sentence'] else 'Z9'}), flush=True)\n"
    )
    game("game", "run", "--as", "alice", "--once", sys.executable, str(tmp_path / "bot.py"))
    assert shown(game, 101)["record"] == ["C3"]
    told = json.loads(game("outbox", "list", "--json").stdout)
    assert {mail["address"] for mail in told} >= {"alice@example.net", "bob@example.net"}
    mails = [game("outbox", "show", str(mail["id"])).stdout for mail in told]
    assert not any("is not one of your addresses" in " ".join(mail.split()) for mail in mails), (
        "it is the operator who plays"
    )


def test_a_board_is_left_alone_after_three_refusals(game: Pbm, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        'import sys\nfor line in sys.stdin:\n    print(\'{"answer": "Z9"}\', flush=True)\n'
    )
    game("game", "run", "--as", "alice", "--once", sys.executable, str(tmp_path / "bot.py"))
    assert shown(game, 101)["record"] == []


@pytest.mark.parametrize("said", ["show", "chat\nHello!"])
def test_a_program_that_only_talks_is_left_alone_as_well(said: str, game: Pbm, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        f"import json, sys\nfor line in sys.stdin:\n    print(json.dumps({{'answer': {said!r}}}), flush=True)\n"
    )
    game("game", "run", "--as", "alice", "--once", sys.executable, str(tmp_path / "bot.py"))
    assert len(json.loads(game("outbox", "list", "--json").stdout)) <= 2 + 2 * 3


@pytest.mark.parametrize(
    ("program", "patience", "told"),
    [
        ("", 120, "ended"),
        ("import time; time.sleep(3600)", 1, "within 1 s"),
        ("print(input())", 120, "no answer"),
    ],
)
def test_a_program_that_fails_is_said_to(program: str, patience: int, told: str, game: Pbm) -> None:
    words = ("game", "run", "--as", "alice", "--patience", str(patience), "--", sys.executable, "-c", program)
    assert told in game(*words, code=1).stderr


def test_a_program_that_is_not_there(game: Pbm) -> None:
    assert "cannot be started" in game("game", "run", "--as", "alice", "/nowhere/bot", code=1).stderr


def test_nobody_s_program(game: Pbm) -> None:
    assert 'no player "zoe"' in game("game", "run", "--as", "zoe", sys.executable, code=1).stderr


@pytest.mark.servers
def test_by_real_mail_the_example_plays_against_itself_to_the_end(
    pbm: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each mail that the server delivers is given to the program, which answers by SMTP."""
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    program, maildir = written(tmp_path, "bot_by_mail.py"), tmp_path / "mail"
    for userid in ("carol", "dora"):
        pbm("player", "add", userid, "--address", f"{userid}@example.net", "--password", "secret1")
        pbm("player", "bot", userid, "on")
    pbm("board", "challenge", "create", "cross", "-size=2", "carol", "dora")
    url = os.environ["PBM_DATABASE"]
    words = ("--listen", "127.0.0.1:0", "--database", url, "--maildir", str(maildir))
    with serving(*words) as (_, line):
        seen: set[Path] = set()

        def is_over() -> bool:
            for file in sorted(set(maildir.glob("*/new/*")) - seen):
                seen.add(file)
                with file.open("rb") as mail:
                    subprocess.run([sys.executable, program, f"127.0.0.1:{port_of(line)}"], stdin=mail, check=True)
            return shown(pbm, 101)["result"] is not None

        wait_until(is_over)
    assert len(shown(pbm, 101)["record"]) > 3
