"""`pbm clock` and `pbm maintenance`: clocks of boards or of all, and a server that takes mail and plays nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from games.rules import counted
from pbm.cli.frame import NUMBER, Command, Group, pass_arbiter
from pbm.cli.output import all_are_meant
from pbm.domain.calendars import StopKind
from pbm.domain.spans import in_words, read_duration

if TYPE_CHECKING:  # help pages need nothing of these
    from pbm.server.arbiter import Arbiter

which = click.argument("boards", nargs=-1, type=NUMBER, metavar="BOARD...")
all_option = click.option("--all", "everything", is_flag=True, help="Of all boards.")


@click.group(cls=Group)
def clock() -> None:
    """Stop clocks, let them run, or give time."""


@clock.command()
@which
@all_option
@pass_arbiter
def stop(hand: Arbiter, boards: tuple[int, ...], everything: bool) -> None:
    """Let clocks stand still.

    Those of single boards, whose players are told and may resume; or all, until `pbm clock run --all`. After an outage
    nothing need be done: while the server was down, or none of its mail went out, no clock ran.
    """
    if all_are_meant("the boards", boards, everything):
        hand.halt(StopKind.HALT)
        click.echo("All clocks stand still.")
    for board in boards:
        hand.stop(board)
        click.echo(f"The clocks of board {board} stand still.")


@clock.command()
@which
@all_option
@pass_arbiter
def run(hand: Arbiter, boards: tuple[int, ...], everything: bool) -> None:
    """Let clocks run again."""
    if all_are_meant("the boards", boards, everything):
        since = hand.lift(StopKind.HALT)
        click.echo(f"All clocks run again; they stood still since {since:%Y-%m-%d %H:%M} UTC.")
    for board in boards:
        hand.go(board)
        click.echo(f"The clocks of board {board} run.")


@clock.command()
@click.argument("time")
@which
@all_option
@pass_arbiter
def extend(hand: Arbiter, time: str, boards: tuple[int, ...], everything: bool) -> None:
    """Give both players of boards TIME, such as 2d or 12h.

    The players of single boards are told; of all boards, they see it in their next mail.
    """
    amount = read_duration(time)
    if not amount:
        raise click.UsageError("Which time? Such as 2d or 12h.")
    if all_are_meant("the boards", boards, everything):
        number = hand.extend_all(amount)
        click.echo(f"{counted(number, 'board')}: all players have {in_words(amount)} more.")
    for board in boards:
        hand.extend(board, amount)
        click.echo(f"Board {board}: both players have {in_words(amount)} more.")


@click.command(cls=Command)
@click.argument("state", type=click.Choice(["on", "off"]), required=False)
@pass_arbiter
def maintenance(hand: Arbiter, state: str | None) -> None:
    """Take mail and play nothing, from `on` to `off`; without either, tell which it is.

    Mail is accepted and kept, answers that are due go out, but no mail is handled, nothing falls due and no clock runs.
    All servers over the database keep to it, also those that are started meanwhile.
    """
    if state == "on":
        hand.halt(StopKind.MAINTENANCE)
        click.echo("Mail is taken, and nothing is played until: pbm maintenance off")
    elif state == "off":
        since = hand.lift(StopKind.MAINTENANCE)
        click.echo(f"The server plays again. No clock ran since {since:%Y-%m-%d %H:%M} UTC.")
    else:
        is_on = any(halt.kind is StopKind.MAINTENANCE for halt in hand.halts())
        click.echo("Maintenance is on." if is_on else "Maintenance is off.")
