"""`pbm identity`: the address by which players know the server."""

from __future__ import annotations

import click
from pydantic import ValidationError

from pbm.cli.errors import Refused
from pbm.cli.frame import Group, Invocation, pass_invocation
from pbm.cli.opening import opened_store
from pbm.cli.settings import Server


@click.group(cls=Group)
def identity() -> None:
    """The address by which players know the server.

    It belongs to the database: the first `pbm serve` that is told a domain sets it, and every command uses it.
    """


@identity.command()
@pass_invocation
def show(invocation: Invocation) -> None:
    """Print the address."""
    with opened_store(invocation.effective().values) as store, store.read() as tx:
        known = tx.identity.get()
    if known is None:
        raise Refused("The database has no address yet. The first server that is told a domain sets it.")
    click.echo("@".join(known))


@identity.command("set")
@click.argument("address")
@pass_invocation
def set_(invocation: Invocation, address: str) -> None:
    """Let players write to another ADDRESS.

    Answers to mails that were sent before go to the old one. Change server.local_part and server.domain with it, if
    they are set, and start all servers anew.
    """
    local_part, _, domain = address.partition("@")
    try:
        server = Server(local_part=local_part, domain=domain)
    except ValidationError:
        raise click.BadParameter(f'"{address}" is no address such as pbm@example.org.') from None
    with opened_store(invocation.effective().values) as store, store.write() as tx:
        before = tx.identity.get()
        tx.identity.set(server.local_part, server.domain)
    was = f" It was {'@'.join(before)}: answers to older mails go there." if before else ""
    click.echo(f"The address is {address} now.{was} Start all servers anew.")
