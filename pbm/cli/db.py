"""`pbm db`: the database itself, and what the operator's commands did to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbm.cli.frame import NUMBER, Group, Number, done_by, irrevocable, lists
from pbm.cli.output import json_option

if TYPE_CHECKING:  # help pages need none of it
    from pbm.cli import schemas
    from pbm.store import Transaction

quick_option = click.option("--quick", is_flag=True, help="Do not replay the boards.")


@click.group(cls=Group)
def db() -> None:
    """The database itself: back it up, restore, check, copy; what was done to it."""


@db.command()
@done_by("pbm.cli.copying")
def upgrade() -> None:
    """Upgrade the database to this program's version.

    All data is kept. A file of SQLite is copied first, beside it; restore that copy to go back to the older program.
    """


@db.command()
@done_by("pbm.cli.copying")
def create() -> None:
    """Create a new database, or the tables of an empty one.

    `pbm serve` does so by itself.
    """


@db.command()
@irrevocable("Let no email from before count any more?")
@done_by("pbm.cli.copying")
def recovered() -> None:
    """Say that the database was set back.

    For PostgreSQL, after a recovery to a point in time or a failover that lost commits, before the server is started
    again; `pbm db restore` does it by itself. Answers to earlier emails no longer count, and the numbers of new boards
    jump ahead, so that nobody acts on a position they never saw. Each player who has boards gets one email that shows
    how they stand, a hundred players a minute.
    """


@db.command()
@json_option
@done_by("pbm.cli.copying")
def check() -> None:
    """Look for damage.

    It checks the version, the tables, and runs the database's own checks; the exit code is 1 if anything is wrong. `pbm
    board verify` goes further and replays all games.
    """


@db.command()
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--keep", type=Number(1), help="In a folder: remove older copies than the newest so many.")
@quick_option
@done_by("pbm.cli.copying")
def backup() -> None:
    """Copy the database while the server runs, and check the copy.

    FILE must not exist yet; in a folder, the copy is named by the time. The copy holds everything: passwords as hashes,
    emails as they came. It is checked, and all its boards are replayed; a copy that fails is not kept. A PostgreSQL
    database is copied by pg_dump.
    """


@db.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@quick_option
@irrevocable("Replace the database by {file}? What happened since that copy is lost.")
@done_by("pbm.cli.copying")
def restore() -> None:
    """Replace the database with a copy.

    The server must not run. The copy is first upgraded to this program's version and checked; FILE itself stays as it
    is, and the old database is kept under another name. Everything since the copy was made is lost, so answers to
    earlier emails no longer count, and the numbers of new boards jump ahead. Each player who has boards, or was active
    recently, gets one email that shows how they stand, a hundred players a minute. For players whom the copy does not
    know, the command prints the addresses and a letter to send them.
    """


@db.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@done_by("pbm.cli.copying")
def copy() -> None:
    """Copy everything into an empty database.

    From SQLite to PostgreSQL, the other way round, or as you like; FROM and TO are URLs, such as
    sqlite:////var/lib/pbm/pbm.db and postgresql://pbm@localhost/pbm. Stop all servers first: what they do meanwhile is
    not copied. The copy is compared row by row, and all its boards are replayed.
    """


@db.command()
@click.option("--about", default="", metavar="WORD", help="Only what names this, such as a userid or a board.")
@click.option("--limit", type=NUMBER, default=50, show_default=True, help="At most so many, the newest.")
@lists("Nothing was done.")
def log(tx: Transaction, about: str, limit: int) -> list[schemas.ActPrinted]:
    """What commands did, when, and who ran them; the newest last.

    Each command that changes the database adds a line. Passwords are not shown.
    """
    return [{"at": act.at, "who": act.who, "command": f"pbm {act.words}"} for act in tx.acts.latest(limit, about)]
