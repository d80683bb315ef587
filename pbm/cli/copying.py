"""`pbm db copy`: from one database into another, such as from SQLite to PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from pbm.cli.errors import Refused
from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.cli.opening import opened_service, opened_store
from pbm.cli.output import replaying
from pbm.cli.settings import Configuration
from pbm.server.operator import Administration
from pbm.store import Store
from pbm.store.contents import TABLES, difference
from pbm.store.tables import REVISION, meta


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
        rows = _filled(ours, theirs)
        with opened_service(configuration) as service:
            admin = Administration(service)
            verdicts = [verdict for each in replaying(admin.board_numbers()) for verdict in admin.verify(each)]
    wrong = [f"Board {verdict.board}: {verdict.problem}." for verdict in verdicts if verdict.problem]
    if wrong:
        raise Refused("\n".join([*wrong, "The rows are all alike, so it was the same before."]))
    click.echo(f"{rows:,} rows copied, all alike; {len(verdicts):,} boards replayed, none differ.")


@contextmanager
def _opened(invocation: Invocation, url: str, *, create: bool = False) -> Iterator[tuple[Configuration, Store]]:
    configuration = Invocation(invocation.config, url).effective().values
    with opened_store(configuration, create=create, quiet=True) as store:
        yield configuration, store


def _filled(ours: Store, theirs: Store) -> int:
    """Copy all rows in one transaction, which is undone where any is not the same afterwards; returns how many."""
    with ours.read() as source, theirs.write() as tx:
        if any(tx.contents.count(table) for table in TABLES if table is not meta):
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
