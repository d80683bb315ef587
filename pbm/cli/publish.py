"""`pbm publish FOLDER`: finished games as a static site, for any web server to serve."""

from __future__ import annotations

from pathlib import Path

import click

from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.cli.output import Refused


@click.command(cls=Command)
@click.argument("target", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path))
@click.option("--title", help="What the site is called. [default: Games by mail at the server's domain]")
@pass_invocation
def publish(invocation: Invocation, target: Path, title: str | None) -> None:
    """Write finished games to FOLDER as pages that any web server can serve.

    Only what has changed is written, and only when all of it is ready; run it as often as you like, while the server
    runs or not. Players are named by their userids alone; whoever has said "set archive off" or was erased is not
    named at all, and their games are left out.
    """
    from pbm.archive import FolderTaken
    from pbm.archive import publish as published

    with invocation.service() as service:
        domain = service.settings.robot.domain
        name = title or f"Games by mail at {domain}"
        try:
            done = published(service.store, target, name, domain)
        except FolderTaken as taken:
            raise Refused(str(taken)) from None
        except OSError as error:
            raise Refused(f"{target} cannot be written: {error.strerror}.") from None
    click.echo(f"{target}: {done.pages:,} files, {done.written:,} written, {done.removed:,} removed.")
    for board in done.skipped:
        click.echo(f"Board {board} is left out, for its record cannot be replayed: see pbm board verify.", err=True)
