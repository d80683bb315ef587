"""`pbm bot`: programs that play here without mail, by lines of JSON."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from pbm.cli.frame import Group, Invocation, pass_invocation
from pbm.cli.output import Refused

if TYPE_CHECKING:  # takes a while
    from pbm.server.programs import Program

LOOK_AGAIN_SECONDS = 2


@click.group(cls=Group)
def bot() -> None:
    """A program that plays for a player, without mail."""


@bot.command()
@click.argument("command", nargs=-1, required=True)
@click.option("--as", "userid", required=True, metavar="USERID", help="Whom it plays for.")
@click.option("--patience", default=60, show_default=True, metavar="SECONDS", help="How long it may think of a move.")
@click.option("--once", is_flag=True, help="End when nothing waits for it any more.")
@pass_invocation
def run(invocation: Invocation, command: tuple[str, ...], userid: str, patience: int, once: bool) -> None:
    """Let a program play the boards of USERID.

    COMMAND gets each board where USERID is to move as a line of JSON on its standard input, as `help programs`
    describes it, and answers with a line such as {"answer": "D4"} on its standard output: what may be answered to the
    board's mail. What is refused comes back with the reason in `error`. No shell is involved; put -- in front of a
    COMMAND that has options.
    """
    from pbm.server.programs import Programs

    with invocation.service() as service, _answering(command, patience) as ask:
        programs = Programs(service.store, service.tools, userid, ask)
        while programs.play() or not once:
            time.sleep(0 if once else LOOK_AGAIN_SECONDS)


@contextmanager
def _answering(command: tuple[str, ...], patience: int) -> Iterator[Program]:
    """The program, started, as a function from a line to its answer. Raises: Refused."""
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
        program.wait()
        reader.shutdown()
        answers.close()
        with suppress(OSError):  # it may have gone with a line of ours unread
            asked.close()
