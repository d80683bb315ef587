"""The commands of docs/postgresql.md, run in order on the database of a new server."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from pbm.server import Service
from pbm.server.arbiter import Arbiter
from pbm.server.operator import Administration
from pbm.server.organizer import Organizer
from pbm.store import Store
from tests.databases import VARIABLE
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.postgresql
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "postgresql.md").read_text()
BLOCKS = re.findall(r"^<!-- run( as administrator)? -->\n```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SQLITE, POSTGRESQL = "sqlite:////var/lib/pbm/pbm.db", "postgresql://pbm:secret@db.example.org/pbm"


def played(url: str) -> None:
    """Begin a game in a database."""
    service = Service(Store(url))
    administration = Administration(service)
    for userid in ("alice", "bob"):
        administration.add_player(userid, [f"{userid}@x.org"], f"{userid}pass")
    board = Organizer(service).start_match("cross", ("alice", "bob"), ["-size=4"]).board
    Arbiter(service).move(board, "alice", "D4")
    service.close()


def test_every_block_of_commands_is_run() -> None:
    elsewhere = PAGE.count("<!-- recovery: commands -->\n") + PAGE.count("<!-- standby -->\n")
    assert len(BLOCKS) == PAGE.count("```sh\n") - elsewhere


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    server = make_url(os.environ[VARIABLE])
    database = server.set(username="pbm", password="secret", database="pbm").render_as_string(hide_password=False)
    old = f"sqlite:///{tmp_path / 'old.db'}"
    played(old)
    ours = {
        "PYTHONPATH": str(ROOT), "PBM_DATABASE": database, "PBM_SERVER__LISTEN": "127.0.0.1:0",
        "PBM_MAILDIR__FOLDER": str(tmp_path / "mail"), "PBM_SERVER__DOMAIN": "example.org",
    }  # fmt: skip
    theirs = {"PGHOST": str(server.host), "PGPORT": str(server.port), "PGUSER": str(server.username)}
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **ours, **theirs}
    try:
        for line in "".join(block for _, block in BLOCKS).splitlines():
            obey(line.replace(SQLITE, old).replace(POSTGRESQL, database), environment)
        service = Service(Store(database))
        match = Arbiter(service).board(101)
        service.close()
        assert [ply.notation for ply in match.record] == ["D4"]
    finally:
        for program in ("dropdb", "dropuser"):
            subprocess.run([program, "--if-exists", "pbm"], env=environment, check=True)


def obey(line: str, environment: dict[str, str]) -> None:
    """Run a command to its end; stop one that would go on for ever as soon as it says that it is at work."""
    words = shlex.split(line)
    if words[0] == "pbm":
        words = [sys.executable, "-m", "pbm", *words[1:]]
    if "serve" not in words and "work" not in words:
        done = subprocess.run(words, env=environment, text=True, capture_output=True, check=False)
        off = set(done.stdout.splitlines()) and all(" is off: " in problem for problem in done.stdout.splitlines())
        assert done.returncode == 0 or off, f"{line}\n{done.stdout}{done.stderr}"
        return
    child = subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout is not None
    said = child.stdout.readline()
    child.terminate()
    child.communicate(timeout=PATIENCE_SECONDS)
    assert said.startswith("pbm: "), f"{line}: {said}"
    assert child.returncode == 0, line
