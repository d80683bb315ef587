"""For programmers: `pbm game` writes the skeleton of a new game, and lets a program play without mail.

The skeleton has all files of a game, here or in a separate package. The program reads and writes JSON.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import click

from pbm.cli.frame import Group, Invocation
from pbm.cli.output import FOLDER, Refused

if TYPE_CHECKING:  # its import takes a while
    from pbm.server.programs import Program

_GAME = '''"""$title, by TODO (TODO: the year).

TODO: what the sides do in turn, what the aim of each is, whether there are draws. Rulings: what the source leaves open.
"""

from __future__ import annotations

from games.boards import Squares, squares
from games.placing import Ending, Placing, Position
from games.rules import Info, Option, OptionValues


class $cls(Placing):
    """The rules of $title."""

    info = Info(
        name="$name",
        title="$title",
        kind="connection",  # TODO: one of games.rules.KINDS
        summary="TODO: the aim in a few words",
        source="TODO: the author, the year",
        options=(Option("size", "squares per row and column", 8, low=3, high=12),),
    )

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("size"), options.number("size"))

    def ending(self, pos: Position, last: int) -> Ending | None:
        return None  # TODO: what ends the game, and for whom
'''

_HELP = """THE GAME
  TODO: who begins, what you do in turn, how you win, whether there are
  draws. The reader of this page must be able to play.

THE BOARD
  TODO: what the letters and marks mean.

{{ board("-size=5", ["c3", "d4"]) | indent(2, true) }}
HOW TO MOVE
  c3      place a stone on c3; 3c, c-3 and "C 3" are read the same
"""

_COUNTS = """{
  "game": "$name",
  "how": "TODO: who has counted, best a literal second implementation in tests/games/literal_$name.py",
  "cases": [
    {"options": ["-size=3"], "plies": [9, 72, 504], "wins": null}
  ]
}
"""

_PROJECT = """[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "pbm-$name"
version = "0.1.0"
description = "$title, a game for pbm"
requires-python = ">=3.11"

[project.entry-points."pbm.games"]
$name = "pbm_$name:$cls"

[tool.hatch.build.targets.wheel]
packages = ["pbm_$name"]
"""

_HERE = {
    "games/$name.py": _GAME,
    "templates/help/$name.txt": _HELP,
    "tests/games/golden/$name.json": _COUNTS,
    "tests/golden/boards/$name-start.txt": "options:\n\n",
}
_PACKAGE = {
    "pyproject.toml": _PROJECT,
    "pbm_$name/__init__.py": _GAME,
    "pbm_$name/templates/help/$name.txt": _HELP,
}
REGISTRY = Path("games/registry.py")


@click.group(cls=Group)
def game() -> None:
    """For programmers: begin a new game, let a program play."""


@game.command()
@click.option("--title", help="What the game is called; the name with a capital if left out.")
@click.option(
    "--folder", type=FOLDER, default=Path(), show_default=True, help="The source tree, or where a package is to be."
)
@click.option("--package", is_flag=True, help="Make a package of its own, not a part of this source tree.")
def new(name: str, title: str | None, folder: Path, package: bool) -> None:
    """Write all files of a new game, to be filled in.

    These are the rules, a help page, test data and a line in the registry. The game can be played at once: stones are
    placed until the board is full. TODO marks what you have to write.
    """
    _check_name(name)
    words = {"name": name, "title": title or name.capitalize(), "cls": name.capitalize()}
    if not package and not (folder / REGISTRY).exists():
        raise Refused(f"{folder / REGISTRY} is not there. Give the source tree as --folder, or say --package.")
    files = {
        folder / Template(path).substitute(words): Template(text).substitute(words)
        for path, text in (_PACKAGE if package else _HERE).items()
    }
    # A programmer's work is never overwritten, nor is half a game left behind.
    if taken := [path for path in files if path.exists()]:
        raise Refused(f"{taken[0]} is there already; nothing was written.")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"{path}")
    if package:
        # A bare name would be looked up on PyPI.
        source = shlex.quote(str(folder.absolute()))
        click.echo(f"pip install {source} takes it in, at the next start; pbm doctor plays it and tells what fails.")
        return
    registry = folder / REGISTRY
    registry.write_text(registered(registry.read_text(encoding="utf-8"), words["name"], words["cls"]), encoding="utf-8")
    click.echo(f"{registry}: a line more. The contract test tells what is missing; make golden draws the board.")


def _check_name(name: str) -> None:
    """Raises: Refused for what is no name, or somebody else's."""
    import pbm.features.everything  # noqa: F401  it brings the verbs
    from games import GAMES
    from pbm.reading.verbs import VERBS

    if not re.fullmatch(r"[a-z]{1,20}", name):
        raise Refused(f'"{name}" is no name for a game: it takes small letters a to z, at most 20.')
    # "show 101" would become ambiguous.
    if name in GAMES or any(called.split()[0] == name for verb in VERBS for called in verb.words):
        raise Refused(f'"{name}" is taken: there is a {"game" if name in GAMES else "command"} of this name.')


def registered(source: str, name: str, cls: str) -> str:
    """The registry's source with one more game, sorted by name."""
    games = [*re.findall(r'^    "\w+": "\w+",\n', source, re.MULTILINE), f'    "{name}": "{cls}",\n']
    return re.sub(r'(?:^    "\w+": "\w+",\n)+', "".join(sorted(games)), source, count=1, flags=re.MULTILINE)


LOOK_AGAIN_SECONDS = 2


@game.command("run")
@click.argument("command", nargs=-1, required=True)
@click.option("--as", "userid", required=True, metavar="USERID", help="The player it plays for.")
@click.option(
    "--patience", default=60, show_default=True, metavar="SECONDS", help="How long it may think about a move."
)
@click.option("--once", is_flag=True, help="End when nothing waits for it any more.")
def run(invocation: Invocation, command: tuple[str, ...], userid: str, patience: int, once: bool) -> None:
    """Let a program play the boards of USERID.

    COMMAND gets each board where USERID is to move as a line of JSON on its standard input, as `help programs`
    describes it, and answers with a line such as {"answer": "D4"} on its standard output: anything that may answer the
    board's email. A refused answer comes back with the reason in `error`. No shell is involved; put -- before a COMMAND
    that has options.
    """
    from pbm.server.programs import Programs

    with invocation.club() as club, _answering(command, patience) as ask:
        programs = Programs(club.store, club.tools, userid, ask)
        while programs.play() or not once:
            time.sleep(0 if once else LOOK_AGAIN_SECONDS)


@contextmanager
def _answering(command: tuple[str, ...], patience: int) -> Iterator[Program]:
    """Start the program, and give a function from a line to its answer. Raises: Refused."""
    from pbm.server.programs import answer_in

    try:
        program = subprocess.Popen(  # noqa: S603  the operator's own words
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
    except OSError as error:
        raise Refused(f"{command[0]} cannot be started: {error.strerror}.") from None
    assert program.stdin is not None  # noqa: S101  a pipe, as asked for
    assert program.stdout is not None  # noqa: S101  as above
    asked, answers = program.stdin, program.stdout
    reader = ThreadPoolExecutor(1)

    def ask(line: str) -> str:
        try:
            print(line, file=asked, flush=True)
            return answer_in(reader.submit(answers.readline).result(patience))
        except Late:
            raise Refused(f"{command[0]} has not answered within {patience} s.") from None
        except (OSError, ValueError) as error:
            raise Refused(f"{command[0]} ended, or wrote what is no answer: {error}.") from None

    try:
        yield ask
    finally:
        program.kill()
        program.communicate()  # which closes both pipes, even if a line of ours is unread
        reader.shutdown()
