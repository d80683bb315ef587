"""What the operator does to all: bans, letters to many, broadcasts, clocks, and accepting mail without playing.

The commands are `pbm player ban`, `pbm letter`, `pbm player broadcast`, `pbm board clock` and `pbm maintenance`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TextIO

import click

from pbm.cli.frame import NUMBER, Command, Group, Invocation, irrevocable, lists
from pbm.cli.output import TEXT, all_are_meant, content_of, counted, say

if TYPE_CHECKING:  # help pages need none of these
    from pbm.cli import schemas
    from pbm.server.arbiter import Arbiter
    from pbm.server.operator import Administration
    from pbm.server.steward import Steward
    from pbm.store import Transaction


@click.group(cls=Group)
def ban() -> None:
    """Ban a player, an address or a domain."""


@ban.command()
@click.option("--for", "time", metavar="TIME", help="For so long, such as 30d; for good without it.")
@click.option("--reason", default="", help="A clause; a player is told it.")
@click.option("--forfeit", is_flag=True, help="Let the player lose all their games now.")
@irrevocable("Let {who} lose all their games?", when="forfeit")
def add(hand: Steward, who: str, time: str | None, reason: str, forfeit: bool) -> str:
    """Ban a userid, an address or a domain.

    WHO is one of these; a domain is written @example.org.

    A player is told, and their open offers are closed. Their commands are refused, whatever address they come from;
    their clocks keep running. Mail from a banned address or domain is set aside, and nobody is told.
    """
    from pbm.domain.spans import read_duration

    until = None
    if time is not None:
        # A mistyped time must not become a ban for good.
        if not (length := read_duration(time)):
            raise click.UsageError("For how long? Such as --for 30d; without --for it is for good.")
        until = datetime.now(UTC) + timedelta(microseconds=length)
    lost = hand.ban(who, until, reason, forfeit=forfeit)
    lost_too = f" Lost by it: {', '.join(f'board {number}' for number in lost)}." if lost else ""
    how_long = f"until {until:%Y-%m-%d %H:%M} UTC" if until else "for good"
    return f"{who} is kept out {how_long}.{lost_too}"


@ban.command("list")
@lists("Nobody is kept out.")
def list_(tx: Transaction) -> list[schemas.BanPrinted]:
    """Bans, current and past."""
    return [
        {"who": each.subject, "since": each.since, "until": each.until, "reason": each.reason} for each in tx.bans.all()
    ]


@ban.command()
def lift(hand: Steward, who: str) -> str:
    """Lift the ban on WHO.

    Emails they sent in the meantime are in `pbm inbox list --state ignored`.
    """
    hand.lift(who)
    return f"{who} may play again."


@click.command(cls=Command)
@click.argument("userids", nargs=-1, metavar="USERID...")
@click.option("--all", "everybody", is_flag=True, help="To all players, whatever emails they want.")
@click.option("--subject", required=True, help="The subject of the email.")
@click.option("--text", type=TEXT, default="-", help="A file; without it, standard input.")
@irrevocable("Write to all players?", when="everybody")
def letter(hand: Steward, userids: tuple[str, ...], everybody: bool, subject: str, text: TextIO) -> str:
    """Write to players, or to all.

    Their answers come to you, like mail to postmaster.
    """
    all_are_meant("the players", userids, everybody)
    content = content_of(text).strip()
    if not content:
        raise click.UsageError("The letter is empty.")
    number = hand.write_to(list(userids), subject, content)
    return f"The letter is on its way to {counted(number, 'player')}."


@click.group(cls=Group)
def broadcast() -> None:
    """Decide about broadcasts of players.

    They wait for you if house.broadcast_moderation is on.
    """


@broadcast.command("list")
@lists("No broadcast waits.")
def list_broadcasts(tx: Transaction) -> list[schemas.BroadcastPrinted]:
    """Broadcasts that wait, the oldest first."""
    return [
        {"number": each.id, "author": each.author.userid, "written_at": each.created_at.isoformat(), "text": each.text}
        for each in tx.broadcasts.waiting()
    ]


@broadcast.command()
@irrevocable("Send broadcast {number} to all who want them?")
def approve(admin: Administration, number: int) -> str:
    """Send a broadcast to all who want them."""
    hearers = admin.approve_broadcast(number)
    to = "all players" if hearers is None else counted(hearers, "player")
    return f"Broadcast {number} is on its way to {to}."


@broadcast.command()
@irrevocable("Forget broadcast {number}?")
def reject(tx: Transaction, number: int) -> str:
    """Drop a broadcast; its author is not told."""
    from pbm.server.rows import waiting_broadcast

    rejected = waiting_broadcast(tx, number)
    tx.broadcasts.drop(number)
    return f"Broadcast {number} of {rejected.author.userid} is forgotten."


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
