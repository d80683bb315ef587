"""Each command of the README is run, or is a target of the Makefile whose own command is run."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pbm.domain.commands import parse
from pbm.domain.verbs import Standing
from tests.conversation import letters
from tests.golden_file import CONVERSATIONS
from tests.parts import in_full
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PBM = [sys.executable, "-m", "pbm"]
TARGETS = {"make demo": "$(BIN)/pbm demo", "make test": "$(BIN)/python -m pytest"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


IGNORED = [line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]
LINES = [line for block in blocks("sh") for line in block.splitlines() if line]


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
    assert words[0] == ".venv/bin/pbm"
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
def test_commands_work_one_after_the_other(tmp_path, environment):
    ran = 0
    for line in LINES:
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            environment[name] = value
        elif " serve " in line:
            serve(line, tmp_path, environment)
        elif line.startswith(".venv/bin/pbm"):
            done = run(line, tmp_path, environment, input="alice: signup alice open-sesame\n")
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            assert done.stdout, line
            ran += 1
    unknown = {each.name for each in tmp_path.iterdir() if not any(map(each.match, IGNORED))}
    assert unknown == {"alice.json", "pbm"}, "git status shows what the reader wants to keep"
    assert ran == sum(line.startswith(".venv/bin/pbm") and " serve " not in line for line in LINES)


def serve(line: str, folder: Path, environment: dict[str, str]) -> None:
    """Assert that the server accepts mail, and stops when told to."""
    words = shlex.split(line.replace("127.0.0.1:8025", "127.0.0.1:0"))
    child = subprocess.Popen([*PBM, *words[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child:
        assert "accepting mail for pbm@example.org" in child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_SECONDS) == 0


def test_the_configuration_shown_is_valid(tmp_path, environment):
    (config,) = blocks("toml")
    tomllib.loads(config)
    path = tmp_path / "pbm.toml"
    path.write_text(config.replace("/var/lib/pbm", str(tmp_path)))
    done = run(f".venv/bin/pbm config check --config {path}", tmp_path, environment)
    assert done.returncode == 0, done.stderr


def test_commands_to_play_are_commands():
    table = README.partition("## Play")[2].partition("## Run it")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    commands = [command for cell in cells for command in re.findall(r"`([^`]+)`", cell)]
    assert len(commands) >= 8
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
