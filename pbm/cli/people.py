"""`pbm ban`, `pbm letter` and `pbm broadcast`: whom the operator keeps out, and what is written to many players."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TextIO

import click

from games.rules import counted
from pbm.cli.frame import NUMBER, Command, Group, pass_administration, pass_steward
from pbm.cli.output import TEXT, all_are_meant, content_of, json_option, print_rows
from pbm.domain.spans import read_duration

if TYPE_CHECKING:  # help pages need nothing of these
    from pbm.server.operator import Administration
    from pbm.server.steward import Steward


@click.group(cls=Group)
def ban() -> None:
    """Keep a player, an address or a domain out."""


@ban.command()
@click.argument("who")
@click.option("--for", "time", metavar="TIME", help="For so long, such as 30d; for good without it.")
@click.option("--reason", default="", help="A clause; a player is told it.")
@click.option("--forfeit", is_flag=True, help="Let the player lose all their games now.")
@pass_steward
def add(hand: Steward, who: str, time: str | None, reason: str, forfeit: bool) -> None:
    """Keep a userid, an address or a domain out.

    WHO is one of these; a domain is written @example.org.

    A player is told, and their open offers are closed. What they ask for by mail is not done, whatever address it comes
    from; their clocks run on. Mail from an address or a domain is laid aside, and nobody is told.
    """
    until = None
    if time is not None:
        if not (length := read_duration(time)):
            raise click.UsageError("For how long? Such as --for 30d; without --for it is for good.")
        until = datetime.now(UTC) + timedelta(microseconds=length)
    lost = hand.ban(who, until, reason, forfeit=forfeit)
    lost_too = f" Lost by it: {', '.join(f'board {number}' for number in lost)}." if lost else ""
    how_long = f"until {until:%Y-%m-%d %H:%M} UTC" if until else "for good"
    click.echo(f"{who} is kept out {how_long}.{lost_too}")


@ban.command("list")
@json_option
@pass_steward
def list_(hand: Steward, as_json: bool) -> None:
    """Who is kept out, or was."""
    rows = [
        {"who": each.subject, "since": each.since, "until": each.until, "reason": each.reason} for each in hand.bans()
    ]
    print_rows(rows, as_json=as_json, nothing="Nobody is kept out.")


@ban.command()
@click.argument("who")
@pass_steward
def lift(hand: Steward, who: str) -> None:
    """Let WHO in again.

    Their mails of the time between are in `pbm inbox list --state ignored`.
    """
    hand.lift(who)
    click.echo(f"{who} may play again.")


@click.command(cls=Command)
@click.argument("userids", nargs=-1, metavar="USERID...")
@click.option("--all", "everybody", is_flag=True, help="To all players, whatever mails they want.")
@click.option("--subject", required=True, help="The subject of the mail.")
@click.option("--text", type=TEXT, default="-", help="A file; without it, standard input.")
@pass_steward
def letter(hand: Steward, userids: tuple[str, ...], everybody: bool, subject: str, text: TextIO) -> None:
    """Write to players, or to all.

    What they answer comes to you, as what is written to postmaster.
    """
    all_are_meant("the players", userids, everybody)
    content = content_of(text).strip()
    if not content:
        raise click.UsageError("The letter is empty.")
    number = hand.write_to(list(userids), subject, content)
    click.echo(f"The letter is on its way to {counted(number, 'player')}.")


@click.group(cls=Group)
def broadcast() -> None:
    """Decide on what players write to all, if limits.broadcast_moderation is on."""


@broadcast.command("list")
@json_option
@pass_administration
def list_broadcasts(admin: Administration, as_json: bool) -> None:
    """Broadcasts that wait, the oldest first."""
    rows = [
        {"number": each.id, "author": each.author.userid, "written_at": each.created_at.isoformat(), "text": each.text}
        for each in admin.broadcasts()
    ]
    print_rows(rows, as_json=as_json, nothing="No broadcast waits.")


@broadcast.command()
@click.argument("number", type=NUMBER)
@pass_administration
def approve(admin: Administration, number: int) -> None:
    """Send a broadcast to all who want them."""
    hearers = admin.approve_broadcast(number)
    to = "all players" if hearers is None else counted(hearers, "player")
    click.echo(f"Broadcast {number} is on its way to {to}.")


@broadcast.command()
@click.argument("number", type=NUMBER)
@pass_administration
def reject(admin: Administration, number: int) -> None:
    """Forget a broadcast; its author is not told."""
    rejected = admin.reject_broadcast(number)
    click.echo(f"Broadcast {number} of {rejected.author.userid} is forgotten.")
