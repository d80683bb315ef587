"""`pbm db`: the database itself, and copies of it into another one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from pbm.cli.backup import backup, before_upgrade, restore
from pbm.cli.frame import Command, Group, Invocation, pass_invocation
from pbm.cli.opening import opened_service, opened_store, sign
from pbm.cli.output import Refused, json_option, print_json, replayed
from pbm.cli.settings import Configuration
from pbm.server.operator import Administration
from pbm.server.service import SILENCE
from pbm.store import SchemaTrouble, Store
from pbm.store.backup import TABLES, difference
from pbm.store.house import HEARTBEAT
from pbm.store.tables import REVISION, acts, meta


@click.command(cls=Command)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@pass_invocation
def copy(invocation: Invocation, source: str, target: str) -> None:
    """Copy everything into an empty database.

    From SQLite to PostgreSQL, the other way round, or as you like; FROM and TO are URLs, such as
    sqlite:////var/lib/pbm/pbm.db and postgresql://pbm@localhost/pbm. Stop all servers first: what they do meanwhile
    stays behind. The copy is compared row by row, and all its boards are replayed.
    """
    with _opened(invocation, source) as (_, ours), _opened(invocation, target, create=True) as (configuration, theirs):
        if ours.revision() != REVISION:
            raise Refused("FROM is empty, or not of this program's version. Run: pbm db upgrade --database FROM")
        theirs.upgrade(datetime.now(UTC))
        theirs.signature = None  # it must be empty
        rows, lives = _filled(ours, theirs), _lives(ours)
        with opened_service(configuration, quiet=True) as service:
            sign(service.store)
            verdicts = replayed(Administration(service))
    wrong = [f"Board {verdict.board}: {verdict.problem}." for verdict in verdicts if verdict.problem]
    if wrong:
        raise Refused("\n".join([*wrong, "The rows are all alike, so it was the same before."]))
    click.echo(f"{rows:,} rows copied, all alike; {len(verdicts):,} boards replayed, none differ.")
    if lives:
        click.echo("A server runs over FROM: what it has done since, and does from now on, stays behind.", err=True)


def _lives(store: Store) -> bool:
    """Whether a server has given a sign of life of late."""
    now = datetime.now(UTC)
    with store.read() as tx:
        last = tx.absences.noted(HEARTBEAT)
    return last is not None and abs(now - last) < SILENCE


@contextmanager
def _opened(invocation: Invocation, url: str, *, create: bool = False) -> Iterator[tuple[Configuration, Store]]:
    configuration = Invocation(invocation.config, url).effective().values
    with opened_store(configuration, create=create, quiet=True) as store:
        yield configuration, store


def _filled(ours: Store, theirs: Store) -> int:
    """Copy all rows in one transaction, which is undone where any is not the same afterwards; returns how many."""
    with ours.read() as source, theirs.write() as tx:
        if any(tx.contents.count(table) for table in TABLES if table not in (meta, acts)):
            raise Refused("TO is not empty. Give it a database of its own.")
        tx.contents.clear()
        for table in TABLES:
            for rows in source.contents.rows(table):
                tx.contents.add(table, rows)
        tx.contents.count_on()
        problems = [said for table in TABLES if (said := difference(source.contents, tx.contents, table))]
        if problems:
            raise Refused("\n".join([*problems, "So nothing was copied."]))
        return sum(tx.contents.count(table) for table in TABLES)


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
        if before is not None and before < REVISION and (copy_ := before_upgrade(configuration)) is not None:
            click.echo(f"A copy of the database as it was is {copy_}.")
        store.upgrade(datetime.now(UTC))
        after = store.revision()
        if before != after:
            sign(store)
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
        sign(store)
    click.echo("The database is made.")


@db.command()
@pass_invocation
def recovered(invocation: Invocation) -> None:
    """Say that the database was set back.

    For PostgreSQL, after a recovery to a point in time or a failover that lost commits, before the server is started
    again; `pbm db restore` does it by itself. Answers to mails that players got so far no longer count, and the
    numbers of new boards jump ahead, so that nobody acts on a position they never saw. Each player who has boards gets
    one mail that tells how they stand, a hundred players a minute.
    """
    with opened_store(invocation.effective().values) as store:
        store.prepare(datetime.now(UTC))
        store.set_back(datetime.now(UTC))
    click.echo("No mail from before counts any more. Start the server, or start it again if it runs.")


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
