"""Each command of docs/running.md is run, in order, on one server."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pbm.domain.mail import Arrival
from tests.cli.conftest import Pbm
from tests.cli.test_commands import CHAT, arrive, database, settle

PAGE = Path(__file__).parents[2] / "docs/running.md"
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
PARKED = 3


def prepare(pbm: Pbm, folder: Path, line: str) -> None:
    """Let happen what the page tells around a command, before it is run."""
    if line.startswith("pbm inbox retry"):
        settle(folder, 1, Arrival.PARKED)
    if line.startswith("pbm board reopen 102"):
        with database(folder) as connection:
            connection.execute(
                "UPDATE matches SET ended_at = 1, ending = 'forfeit', winner = 2, reason = 'on time' WHERE board = 102"
            )
    if line == "pbm db restore /var/backups/pbm/newest.db --database sqlite:////var/backups/pbm/tried.db --yes":
        made = next((folder / "backups").glob("pbm-*.db"))
        shutil.copyfile(made, folder / "backups/newest.db")


@pytest.mark.servers
def test_every_command_of_the_page_works(game: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "backups").mkdir()
    (tmp_path / "answer.txt").write_text("Thank you.")
    game("identity", "set", "pbm@example.org")
    arrive(tmp_path, *(CHAT.replace(b"<1@x>", b"<%d@x>" % number) for number in range(PARKED)))
    for number in range(PARKED):
        settle(tmp_path, number + 1, Arrival.PARKED)
    game("board", "challenge", "create", "cross", "-size=4", "alice", "bob")
    for userid, move in (("alice", "D4"), ("bob", "C3"), ("alice", "E5")):
        game("board", "move", "101", userid, move)
    assert len(LINES) > 50
    for line in LINES:
        prepare(game, tmp_path, line)
        words = shlex.split(line.replace("/var/backups/pbm", str(tmp_path / "backups")))
        assert words[0] == "pbm"
        is_looking = words[1] == "doctor"  # it finds that there is no way to send mail, as it should here
        game(*words[1:], code=1 if is_looking else 0)


def test_the_readme_leads_to_it() -> None:
    assert "docs/running.md" in (PAGE.parent.parent / "README.md").read_text()
