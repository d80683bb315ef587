"""`pbm work`: a process that takes no mail in, but shares the work of the others over the same database."""

from __future__ import annotations

from pathlib import Path

import click

from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.cli.serve import DELIVER, HANDLE, THINK, TaskList, run


@click.command(cls=Command)
@click.option("--maildir", type=click.Path(path_type=Path, file_okay=False), help="Deliver to Maildirs in this folder.")
@click.option("--domain", help="What stands behind the @ of our addresses, in place of server.domain.")
@click.option(
    "--do", "tasks", type=TaskList((HANDLE, DELIVER, THINK)), default=f"{HANDLE},{DELIVER}", show_default=True,
    metavar="TASK,...", help="Only this.",
)  # fmt: skip
@pass_invocation
def work(invocation: Invocation, maildir: Path | None, domain: str | None, tasks: frozenset[str]) -> None:
    """Handle mails and deliver the answers, beside `pbm serve` and others like this, until SIGTERM or SIGINT.

    All of them need the same configuration. One line on standard output says when it is at work; logs go to standard
    error. What it has begun when it is killed is done by the others.
    """
    run(invocation, None, maildir, domain, tasks)
