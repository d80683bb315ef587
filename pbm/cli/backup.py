"""`pbm db backup` and `pbm db restore`: copies of an SQLite database that are looked at before they are trusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from games.rules import counted
from pbm.cli import opening
from pbm.cli.frame import Command, Invocation, pass_invocation
from pbm.cli.opening import opened_service, opened_store
from pbm.cli.output import NoDatabase, Refused, replayed
from pbm.cli.settings import Configuration, Server
from pbm.store import DatabaseTrouble, Store
from pbm.store import backup as copies
from pbm.store.house import BACKED_UP
from pbm.store.neighbours import alone_in
from pbm.store.tables import REVISION

_NAME = "pbm-%Y%m%dT%H%M%SZ.db"
_ANY_NAME = "pbm-[0-9]*T[0-9]*Z.db"

quick_option = click.option("--quick", is_flag=True, help="Do not replay the boards.")


@click.command(cls=Command)
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(1), help="In a folder: remove older copies than the newest so many.")
@quick_option
@pass_invocation
def backup(invocation: Invocation, target: Path, keep: int | None, quick: bool) -> None:
    """Copy the database while the server runs, and check the copy.

    FILE must not be there yet; in a folder the copy gets a name by the time. The copy holds everything: passwords as
    hashes, mails as they came. It is checked by itself and by replayed all its boards; what fails is not kept. A
    PostgreSQL database is copied by pg_dump.
    """
    configuration = invocation.effective().values
    source, into = _file(configuration, "pg_dump"), target if target.is_dir() else None
    opening.announce(configuration.database)
    if keep is not None and into is None:
        raise click.UsageError("--keep is for a folder of copies.")
    if not source.is_file():
        raise NoDatabase(opening.no_database(configuration.database))
    file = target / datetime.now(UTC).strftime(_NAME) if into else target
    with _coming(file) as fresh:
        if file.exists():
            raise Refused(f"{file} is there already.")
        copies.copy(source, fresh)
        boards = _checked(configuration, fresh, quick=quick)
        copies.seal(fresh)
        copies.rename(fresh, file)
    _note(configuration)
    click.echo(f"{file}: {file.stat().st_size:,} octets, sound{boards}.")
    if into is not None and keep is not None:
        _prune(into, keep)


def _note(configuration: Configuration) -> None:
    """Note the copy, so that whoever watches the server sees how old it is; that of an older program cannot be told."""
    with suppress(Refused), opened_store(configuration, quiet=True) as store:
        if store.revision() == REVISION:
            with store.write() as tx:
                tx.absences.note(BACKED_UP, datetime.now(UTC))


@click.command(cls=Command)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@quick_option
@pass_invocation
def restore(invocation: Invocation, file: Path, quick: bool) -> None:
    """Put a copy in the place of the database.

    The server must not run. The copy is brought to this program's version and checked first, FILE itself stays as it
    is, and the database that was there is kept under another name. What happened since the copy was made is gone, so
    answers to mails that players got so far no longer count, and the numbers of new boards jump ahead. Each player who
    has boards, or was about of late, gets one mail that tells how they stand, a hundred players a minute. Of players
    whom the copy does not know this tells the addresses, with a letter to send them.
    """
    configuration = invocation.effective().values
    target = _file(configuration, "pg_restore")
    with _coming(target) as fresh:
        if target.exists() and copies.is_in_use(target):
            raise Refused(f"{target} is in use. Stop the server first, and whatever else has it open.")
        try:
            copies.copy(file, fresh)
        except DatabaseTrouble as trouble:
            raise Refused(f"{file}: {trouble}. Nothing was changed; name a file that pbm db backup made.") from trouble
        boards = _checked(configuration, fresh, quick=quick, upgrade=True)
        with _opened_copy(configuration.model_copy(update={"database": copies.url_of(fresh)})) as store:
            store.set_back(datetime.now(UTC))
            unknown = _unknown(store, _busy(configuration) if target.exists() else {})
        copies.seal(fresh)
        aside = target.with_name(f"{target.name}.{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        kept = f" What was there is {aside}." if copies.keep(target, aside) else ""
        copies.rename(fresh, target)
    click.echo(f"{target} is now as {file} was, sound{boards}.{kept}")
    if unknown:
        people = "\n".join(f"  {userid} <{address}>" for userid, address in sorted(unknown.items()))
        click.echo(_LETTER.format(people=people))


_LETTER = """
These had boards, and an account that the copy does not know. The server cannot tell them, so please do:

{people}

  Our game server had a fault and was set back to an earlier state. Your account and your boards were newer than
  that, and are lost. We are sorry. To join again, send "signup NAME PASSWORD" to the server's address.
"""


def _busy(configuration: Configuration) -> dict[str, str]:
    """The players with boards in the database that is to be replaced, as far as it can be read."""
    with suppress(Refused, DatabaseTrouble), opened_store(configuration, quiet=True) as store:
        if store.revision() == REVISION:
            with store.read() as tx:
                return tx.matches.busy_addresses()
    return {}


def _unknown(store: Store, busy: dict[str, str]) -> dict[str, str]:
    """Those of the players whom the database does not know."""
    with store.read() as tx:
        return {userid: address for userid, address in busy.items() if tx.players.find(userid) is None}


def _file(configuration: Configuration, program: str) -> Path:
    file = copies.file_of(configuration.database)
    if file is None:
        raise Refused(f"The database is no file of SQLite. For PostgreSQL use its own {program}.")
    return file.absolute()


@contextmanager
def _coming(file: Path) -> Iterator[Path]:
    """A name beside the file for what is not finished yet; nothing is left of it. Others who copy to there wait."""
    if not file.parent.is_dir():
        raise Refused(f"There is no folder {file.parent}.")
    fresh = file.with_name(f"{file.name}.unfinished")
    try:
        with alone_in(file.parent):
            copies.remove(fresh)
            try:
                yield fresh
            finally:
                copies.remove(fresh)
    except OSError as error:
        raise Refused(f"{error.filename or file}: {error.strerror}.") from error
    except DatabaseTrouble as trouble:
        raise Refused(f"No copy was made: {trouble}.") from trouble


def _checked(configuration: Configuration, file: Path, *, quick: bool, upgrade: bool = False) -> str:
    """Words on the boards of a copy, once it is found sound. Raises: Refused, with what is wrong."""
    from pbm.server.operator import Administration

    of_copy = configuration.model_copy(update={"database": copies.url_of(file), "server": Server()})
    with _opened_copy(of_copy) as store:
        if upgrade:
            store.upgrade(datetime.now(UTC))
        is_ours = (revision := store.revision()) == REVISION
        if problems := store.check(schema=is_ours):
            raise Refused("The copy is not sound:\n" + "\n".join(problems))
        if not is_ours:
            return f", of revision {revision}, so that its boards were not looked at"
    if quick:
        return ", its boards not looked at"
    with opened_service(of_copy, quiet=True) as service:
        verdicts = replayed(Administration(service))
    if wrong := [f"Board {verdict.board}: {verdict.problem}." for verdict in verdicts if verdict.problem]:
        raise Refused("\n".join(["Boards of the copy differ from the replay of their records:", *wrong]))
    return f", {counted(len(verdicts), 'board')} replayed"


@contextmanager
def _opened_copy(of_copy: Configuration) -> Iterator[Store]:
    """Raises: Refused for a file that is no database of ours."""
    try:
        with opened_store(of_copy, quiet=True) as store:
            yield store
    except NoDatabase:
        raise Refused("The file is empty: it is no copy of a database.") from None


def before_upgrade(configuration: Configuration) -> Path | None:
    """A copy beside the database as it is before an upgrade; None where there is no file. Raises: Refused."""
    if (source := copies.file_of(configuration.database)) is None:
        return None
    file = source.absolute().with_name(f"{source.name}.before-upgrade-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    with _coming(file) as fresh:
        copies.copy(source, fresh)
        _checked(configuration, fresh, quick=True)
        copies.seal(fresh)
        copies.rename(fresh, file)
    return file


def _prune(folder: Path, keep: int) -> None:
    for old in sorted(folder.glob(_ANY_NAME))[:-keep]:
        old.unlink()
        click.echo(f"{old} removed.")
