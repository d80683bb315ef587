"""`pbm db`: the database itself."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import click

from pbm.cli.backup import backup, before_upgrade, restore
from pbm.cli.copying import copy
from pbm.cli.errors import Refused
from pbm.cli.frame import Group, Invocation, pass_invocation
from pbm.cli.opening import opened_store
from pbm.cli.output import json_option, print_json
from pbm.store import SchemaTrouble, Store
from pbm.store.tables import REVISION


@click.group(cls=Group)
def db() -> None:
    """The database itself."""


db.add_command(backup)
db.add_command(restore)
db.add_command(copy)


@db.command()
@pass_invocation
def upgrade(invocation: Invocation) -> None:
    """Bring the database to this program's version.

    All data is kept. A file of SQLite is copied first, beside it; restore that copy to go back to the older program.
    """
    configuration = invocation.effective().values
    with opened_store(configuration) as store:
        before = store.revision()
        if before != REVISION and (copy_ := before_upgrade(configuration)) is not None:
            click.echo(f"A copy of the database as it was is {copy_}.")
        store.upgrade(datetime.now(UTC))
        after = store.revision()
    if before == after:
        click.echo(f"The database is at revision {after} already.")
    else:
        click.echo(f"The database is now at revision {after}; it was {before}.")


@db.command()
@pass_invocation
def create(invocation: Invocation) -> None:
    """Make a new database, or the tables of an empty one.

    `pbm serve` does so by itself.
    """
    with opened_store(invocation.effective().values, create=True) as store:
        if not store.prepare(datetime.now(UTC)):
            raise Refused("The database is there already.")
    click.echo("The database is made.")


@db.command()
@json_option
@pass_invocation
def check(invocation: Invocation, as_json: bool) -> None:
    """Look for damage.

    Its version, its tables and its own checks; the exit code is 1 if anything is wrong.
    `pbm board verify` goes on from here and replays all games.
    """
    with opened_store(invocation.effective().values) as store:
        problems = _problems(store)
    if as_json:
        print_json({"sound": not problems, "problems": problems})
    else:
        click.echo("\n".join(problems) or "The database is sound.")
    sys.exit(1 if problems else 0)


def _problems(store: Store) -> list[str]:
    try:
        store.prepare(datetime.now(UTC))
    except SchemaTrouble as trouble:
        return [str(trouble)]
    return store.check()
