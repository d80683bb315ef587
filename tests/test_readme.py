"""Each command of the README and of the first tutorial is run, or is a target of the Makefile whose command is run."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pbm.reading.commands import parse
from pbm.reading.verbs import Standing
from tests.conversation import letters
from tests.golden_file import CONVERSATIONS
from tests.parts import in_full
from tests.patience import PATIENCE_SECONDS
from tests.terminal import CONTROL_C, terminal

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CLUB = (ROOT / "docs" / "first-club.md").read_text()
PLAYING = (ROOT / "docs" / "playing.md").read_text()
MOST_LINES, MOST_WORDS = 150, 1200
PBM = [sys.executable, "-m", "pbm"]
TARGETS = {"make demo": "$(BIN)/pbm demo", "make test": "$(BIN)/python -m pytest"}


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def lines_of(page: str) -> list[str]:
    return [line for block in blocks("sh", page) for line in block.splitlines() if line]


IGNORED = [line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]
LINES = lines_of(README)


def test_it_is_read_in_some_minutes():
    assert len(README.splitlines()) <= MOST_LINES
    assert len(README.split()) <= MOST_WORDS


def test_make_targets_run_what_is_tested_here():
    makefile = (ROOT / "Makefile").read_text()
    made = [line for line in LINES if line.startswith("make")]
    assert made == list(TARGETS)
    for target in made:
        recipe = re.search(rf"^{target.removeprefix('make ')}:.*\n\t(.*)$", makefile, re.MULTILINE)
        assert recipe is not None
        assert recipe[1].startswith(TARGETS[target])


def run(line: str, folder: Path, environment: dict[str, str], **more) -> subprocess.CompletedProcess[str]:
    words = shlex.split(line)
    assert words[0] in (".venv/bin/pbm", "pbm")
    return subprocess.run(
        [*PBM, *words[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        **more,
    )


@pytest.fixture
def environment(tmp_path):
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **home}


@pytest.mark.servers
def test_the_demo_ends_with_the_win(tmp_path, environment):
    done = run(".venv/bin/pbm demo", tmp_path, environment)
    assert done.returncode == 0, done.stderr
    assert "Bob has won" in done.stdout.splitlines()[-1]
    assert done.stderr == ""
    headings = [line for line in done.stdout.splitlines() if line.startswith(("-- ", "== "))]
    assert all(line.endswith(("--", "==")) for line in headings), "each fits its rule"


@pytest.mark.servers
@pytest.mark.parametrize(("page", "kept"), [(README, {"club"}), (CLUB, {"alice.json", "club"})], ids=["README", "club"])
def test_commands_work_one_after_the_other(page, kept, tmp_path, environment):
    for line in lines_of(page):
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            environment |= {} if name == "PATH" else {name: value}
        elif " serve " in line:
            serve(line, tmp_path, environment)
        elif line.endswith("pbm play"):
            play(environment)
        elif not line.startswith("make"):
            # at a root's desk as at anybody else's, the database must stay in this folder
            here = line.replace("--folder club", "--folder club --data club/data")
            done = run(here, tmp_path, environment)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            assert done.stdout, line
    unknown = {each.name for each in tmp_path.iterdir() if not any(map(each.match, IGNORED))}
    assert unknown == kept, "git status shows what the reader wants to keep"


def serve(line: str, folder: Path, environment: dict[str, str]) -> None:
    """Assert that the server accepts mail, and stops when told to."""
    words = shlex.split(line.replace("127.0.0.1:8025", "127.0.0.1:0"))
    child = subprocess.Popen([*PBM, *words[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child:
        assert "accepting mail for pbm@example.org" in child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_SECONDS) == 0


def play(environment: dict[str, str]) -> None:
    """Assert that a board comes, and that Ctrl-C ends it."""
    with terminal("play", environment=environment) as opened:
        opened.shows("It is your turn")
        opened.keys(CONTROL_C)
        assert opened.process.wait(PATIENCE_SECONDS) == 0


def test_commands_to_play_are_commands():
    cells = [
        row.split("|")[1] for row in (README + PLAYING).splitlines() if row.startswith("| `") and "pbm/" not in row
    ]
    commands = [command for cell in cells for command in re.findall(r"`([^`]+)`", cell)]
    assert len(commands) >= 60
    for command in commands:
        parse(command, Standing("cross", 101, known=True, proven=True))


def test_the_games_named_as_short_have_so_many_lines():
    told = re.findall(r"\((\w+): (\d+) lines\)", README)
    assert [name for name, _ in told] == ["Hex", "Clobber"]
    for name, lines in told:
        assert len((ROOT / f"games/{name.lower()}.py").read_text().splitlines()) == int(lines)


def test_the_board_mail_is_one_that_was_really_sent():
    mail = blocks("text")[0]
    subject, _, text = mail.removeprefix("Subject: ").partition("\n\n")
    assert (subject, text) in [letter for path in CONVERSATIONS for letter in letters(in_full(path.read_text()))]
