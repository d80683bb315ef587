"""Every command explains itself, and asking for that imports next to nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

from pbm.cli import main
from pbm.store import Store
from pbm.store.pulse import HEARTBEAT
from tests.cli.conftest import Pbm

ELSEWHERE = {"demo", "play"}
"""Commands that bring their own database."""


def walk(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(below, *path, name)


COMMANDS = list(walk(main))


def test_the_commands_are_those_of_the_manual() -> None:
    manual = """serve work demo play board-challenge:create,list,show,cancel
        player:add,list,show,set-address,reset-password,remove
        board:list,show,move,verify,end inbox:list,show,retry,classify outbox:list,show,retry db:upgrade,check
        config:show,check player-broadcast:list,approve,reject"""
    expected: set[tuple[str, ...]] = {()}
    for entry in manual.split():
        group, _, names = entry.partition(":")
        path = tuple(group.split("-"))
        expected |= {path, *((*path, name) for name in names.split(",") if name)}
    assert {path for path, _ in COMMANDS} >= expected


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) or "pbm" for path, _ in COMMANDS])
def test_every_command_and_option_is_explained(path: tuple[str, ...], command: click.Command, pbm: Pbm) -> None:
    assert command.help
    assert command.help.split("\n\n")[0].endswith(".")
    assert len(path) < 2 or "..." not in command.get_short_help_str(60), "the list of its group cuts it"
    for param in command.params:
        assert not isinstance(param, click.Option) or param.help, param.name
        assert all(name.startswith("--") for name in param.opts) or isinstance(param, click.Argument), param.name
    shown = pbm(*path, "--help").stdout
    assert shown.startswith(f"Usage: main {' '.join(path)}".rstrip())
    assert pbm(*path, "-h").stdout == shown
    if path[:1] and path[0] not in ELSEWHERE:
        assert "--database URL" in shown
        assert "--config FILE" in shown


def test_the_summaries_of_the_root_stand_in_its_help(pbm: Pbm) -> None:
    shown = pbm("--help").stdout
    assert all(f"\n  {path[0]} " in shown for path, _ in COMMANDS if len(path) == 1)


def test_the_version(pbm: Pbm) -> None:
    assert pbm("--version").stdout.startswith("pbm, version ")


HEAVY = {"sqlalchemy", "pydantic", "jinja2", "aiosmtpd", "rich", "games", "structlog", "pbm.store.engine"}
FEW = 330
"""Python's own modules and those of click are some 270; SQLAlchemy alone has 110."""


def imported(*words: str) -> set[str]:
    """All modules that a process has imported when it has done what the words say; `*` asks for help on everything."""
    program = f"""
import sys
import click
from pbm.cli import main
def every_help(command, *path):
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            every_help(command.get_command(click.Context(command), name), *path, name)
    else:
        main([*path, "--help"], standalone_mode=False)
try:
    every_help(main) if {words!r} == ("*",) else main({words!r})
finally:
    print(*sys.modules, file=sys.stderr)
"""
    mail = "Subject: help\n\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, input=mail)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["*"], ["status", "--alive"]])
def test_help_and_a_sign_of_life_import_next_to_nothing(words: list[str], pbm: Pbm, beating: None) -> None:
    modules = imported(*words)
    assert modules & HEAVY == set()
    assert len(modules) < FEW


@pytest.fixture
def beating(tmp_path: Path) -> None:
    """A server has just given a sign of life."""
    with closing(Store(f"sqlite:///{tmp_path / 'pbm.db'}")) as store, store.write() as tx:
        tx.absences.note(HEARTBEAT, tx.now)


SERVING = {"pbm.server.service", "structlog", "prometheus_client", "networkx", "aiosmtpd", "aiosmtplib", "lxml", "PIL"}
READING = SERVING | {
    "pbm.features.everything",
    "pbm.core.request",
    "pbm.reading.verbs",
    "pbm.core.credentials",
    "games.luddit",
}
TELLING = READING | {"pbm.core.notify", "pbm.compose.owed", "pbm.draw", "jinja2", "icalendar", "pbm.cli.schemas"}
DOES_WITHOUT = {
    "config show --json": {"sqlalchemy", "jinja2", "aiosmtpd", "rich"},
    "receive pbm@localhost": TELLING - {"structlog"},
    **dict.fromkeys(
        (
            *("status", "player list", "player show bob", "player ban list", "player broadcast list"),
            *("player bot bob on", "board list", "board challenge list", "board clock stop --all", "maintenance on"),
            *("tournament list", "inbox list", "inbox count", "outbox list", "outbox retry --all", "db log"),
            "keys secret list",
        ),
        TELLING,
    ),
    "board verify": TELLING - {"pbm.draw"},
    **dict.fromkeys(
        ("board clock stop 101", "board clock extend 2d 101", "board move 101 alice b2"), READING | {"jinja2"}
    ),
    **dict.fromkeys(("player ban add @example.org", "player ban add bob", "letter bob --subject Hello"), READING),
    "player resume bob": TELLING,
    "player set-address bob bob@example.org": READING,
    **dict.fromkeys(
        (
            *("tournament create cup swiss cross", "board challenge create cross alice bob"),
            "player export bob /dev/null --force",
        ),
        SERVING | {"pbm.features.everything"},
    ),
    **dict.fromkeys(
        (
            *("board end 101 --result draw", "player rename bob rob", "player remove bob --yes"),
            "player reset-password bob --password bobbypass",
        ),
        SERVING,
    ),
}
"""What is not imported for a command, by its line: what only a server does, what reads mails, what tells players."""


@pytest.mark.servers
@pytest.mark.parametrize("line", DOES_WITHOUT)
def test_nothing_is_imported_that_is_not_needed(line: str, game: Pbm) -> None:
    assert imported(*line.split()) & DOES_WITHOUT[line] == set()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("statsu", "status"),
        ("board shw 101", "show"),
        ("clock stop 101", "board clock"),
        ("merge alice bob", "player merge"),
        ("cancel", 'board challenge cancel" or "tournament cancel'),
        ("frobnicate", ""),
    ],
)
def test_a_command_mistyped_or_without_its_group_is_answered_with_the_one_that_was_meant(
    words: str, meant: str, pbm: Pbm
) -> None:
    said = pbm(*words.split(), code=2).stderr
    assert "No such command" in said
    assert said.rstrip().endswith(f'Did you mean "{meant}"?') if meant else "Did you mean" not in said
