"""What stops clocks, and lets them run again: `pbm board clock`, and `pbm maintenance`, which plays nothing either."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from pbm.cli.frame import NUMBER, Command, Group, Invocation
from pbm.cli.output import all_are_meant, counted, say

if TYPE_CHECKING:  # help pages need none of it
    from pbm.server.arbiter import Arbiter


def _some_boards(command: Callable[..., None]) -> Callable[..., None]:
    """For a command on the boards it names, or on all of them."""
    which = click.argument("boards", nargs=-1, type=NUMBER, metavar="BOARD...")
    return which(click.option("--all", "everything", is_flag=True, help="Of all boards.")(command))


@click.group(cls=Group)
def clock() -> None:
    """Stop clocks, let them run, or give time."""


@clock.command()
@_some_boards
def stop(invocation: Invocation, boards: tuple[int, ...], everything: bool) -> None:
    """Stop clocks.

    The players of single boards are told, and may resume; with --all, clocks stand still until
    `pbm board clock run --all`. After an outage you need not do anything: no clock ran while the server was down or its
    mail did not go out.
    """
    if all_are_meant("the boards", boards, everything):
        _halt(invocation, "halt")
        say("All clocks stand still.")
        return
    with invocation.hand("Arbiter") as hand:
        for board in boards:
            hand.stop(board)
            say(f"The clocks of board {board} stand still.")


@clock.command()
@_some_boards
def run(invocation: Invocation, boards: tuple[int, ...], everything: bool) -> None:
    """Let clocks run again."""
    if all_are_meant("the boards", boards, everything):
        say(f"All clocks run again; they stood still since {_go_on(invocation, 'halt')}.")
        return
    with invocation.hand("Arbiter") as hand:
        for board in boards:
            hand.go(board)
            say(f"The clocks of board {board} run.")


@clock.command()
@_some_boards
def extend(hand: Arbiter, time: str, boards: tuple[int, ...], everything: bool) -> None:
    """Give both players of boards TIME, such as 2d or 12h.

    The players of single boards are told at once; with --all, players see it in their next email.
    """
    from pbm.domain.spans import in_words, read_duration

    amount = read_duration(time)
    if not amount:
        raise click.UsageError("Which time? Such as 2d or 12h.")
    if all_are_meant("the boards", boards, everything):
        number = hand.extend_all(amount)
        say(f"{counted(number, 'board')}: all players have {in_words(amount)} more.")
    for board in boards:
        hand.extend(board, amount)
        say(f"Board {board}: both players have {in_words(amount)} more.")


@click.command(cls=Command)
@click.argument("state", type=click.Choice(["on", "off"]), required=False)
def maintenance(invocation: Invocation, state: str | None) -> None:
    """Accept mail but play nothing, from `on` to `off`; without either, show which it is.

    Mail is accepted and kept, and waiting answers go out, but no email is handled, nothing falls due and no clock runs.
    This holds for all servers on the database, including those that are started meanwhile.
    """
    from pbm.domain.calendars import StopKind

    if state == "on":
        _halt(invocation, "maintenance")
        say("Mail is taken, and nothing is played until: pbm maintenance off")
    elif state == "off":
        say(f"The server plays again. No clock ran since {_go_on(invocation, 'maintenance')}.")
    else:
        with invocation.store() as store, store.read() as tx:
            is_on = tx.absences.open(StopKind.MAINTENANCE)
        click.echo("Maintenance is on." if is_on else "Maintenance is off.")


def _halt(invocation: Invocation, kind: str) -> None:
    """kind: a value of StopKind, whose import takes a while."""
    from pbm.domain.calendars import StopKind
    from pbm.server.rows import halt

    with invocation.store() as store:
        halt(store, StopKind(kind))


def _go_on(invocation: Invocation, kind: str) -> str:
    """End a halt; returns since when it lasted."""
    from pbm.domain.calendars import StopKind
    from pbm.server.rows import end_halt

    with invocation.store() as store:
        return f"{end_halt(store, StopKind(kind)):%Y-%m-%d %H:%M} UTC"
