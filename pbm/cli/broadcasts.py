"""`pbm broadcast`: what players write to all, where limits.broadcast_moderation is on."""

from __future__ import annotations

import click

from pbm.cli.frame import NUMBER, Group, Invocation, pass_invocation
from pbm.cli.output import json_option, print_rows


@click.group(cls=Group)
def broadcast() -> None:
    """Decide on what players write to all, if limits.broadcast_moderation is on."""


@broadcast.command("list")
@json_option
@pass_invocation
def list_broadcasts(invocation: Invocation, as_json: bool) -> None:
    """Broadcasts that wait, the oldest first."""
    with invocation.administration() as admin:
        waiting = admin.broadcasts()
    rows = [
        {"number": each.id, "author": each.author.userid, "written_at": each.created_at.isoformat(), "text": each.text}
        for each in waiting
    ]
    print_rows(rows, as_json=as_json, nothing="No broadcast waits.")


@broadcast.command()
@click.argument("number", type=NUMBER)
@pass_invocation
def approve(invocation: Invocation, number: int) -> None:
    """Send a broadcast to all who want them."""
    with invocation.administration() as admin:
        hearers = admin.approve_broadcast(number)
    click.echo(f"Broadcast {number} is on its way to {hearers} player{'' if hearers == 1 else 's'}.")


@broadcast.command()
@click.argument("number", type=NUMBER)
@pass_invocation
def reject(invocation: Invocation, number: int) -> None:
    """Forget a broadcast; its author is not told."""
    with invocation.administration() as admin:
        rejected = admin.reject_broadcast(number)
    click.echo(f"Broadcast {number} of {rejected.author.userid} is forgotten.")
