"""The database itself, its backups, which are checked before they are trusted, and its move elsewhere, for `pbm db`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbm.cli import opening
from pbm.cli.frame import Invocation
from pbm.cli.loading import masked
from pbm.cli.opening import opened_store, sign
from pbm.cli.output import NoDatabase, Refused, counted, print_json, replayed, say, watched
from pbm.cli.settings import Configuration
from pbm.store import DatabaseTrouble, SchemaTrouble, Store
from pbm.store import backup as copies
from pbm.store.backup import TABLES, Rows, difference
from pbm.store.house import BACKED_UP
from pbm.store.neighbours import Malformed, alone_in, translated
from pbm.store.pulse import HEARTBEAT, SILENCE
from pbm.store.tables import REVISION, acts, meta

if TYPE_CHECKING:  # its import takes a while
    from pbm.server.rows import Replayed

_NAME = "pbm-%Y%m%dT%H%M%SZ.db"
_ANY_NAME = "pbm-[0-9]*T[0-9]*Z.db"


def upgrade(invocation: Invocation) -> None:
    configuration = invocation.effective().values
    with opened_store(configuration) as store:
        before = store.revision()
        source = copies.file_of(configuration.database)
        # An upgrade cannot be taken back.
        if before is not None and before < REVISION and source is not None:
            name = f"{source.name}.before-upgrade-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
            file = source.absolute().with_name(name)
            _copied(source, file, quick=True)
            say(f"A copy of the database as it was is {file}.")
        store.upgrade(datetime.now(UTC))
        after = store.revision()
        # A migration writes by itself, and the log must tell of it.
        if before != after:
            sign(store)
        _make_shrink(store)
    if before == after:
        say(f"The database is at revision {after} already.")
    else:
        say(f"The database is now at revision {after}; it was {before}.")


def _make_shrink(store: Store) -> None:
    """Rewrite a file that was made before files shrank, which happens once; without room for that it stays as it is."""
    with store.read() as tx:
        room = tx.overview.room()
    if room.shrinks:
        return
    say(f"The file is written anew, so that it shrinks by itself from now on: {room.octets >> 20:,} MB ...")
    try:
        store.rewrite()
    except DatabaseTrouble as trouble:
        say(f"That must wait ({trouble}). All else works; run this again when nothing uses the database.")
        return
    with store.read() as tx:
        say(f"It is done: {tx.overview.room().octets >> 20:,} MB are left.")


def create(invocation: Invocation) -> None:
    with opened_store(invocation.effective().values, create=True) as store:
        if not store.prepare(datetime.now(UTC)):
            raise Refused("The database is there already.")
        sign(store)
    say("The database is made.")


def recovered(invocation: Invocation) -> None:
    with invocation.store() as store:
        store.set_back(datetime.now(UTC))
    say("No email from before counts any more. Start the server, or start it again if it runs.")


def check(invocation: Invocation, as_json: bool) -> None:
    with opened_store(invocation.effective().values) as store:
        try:
            store.prepare(datetime.now(UTC))
        except SchemaTrouble as trouble:
            problems = [str(trouble)]
        else:
            problems = store.check()
    if as_json:
        print_json({"sound": not problems, "problems": problems})
    else:
        click.echo("\n".join(problems) or "The database is sound.")
    sys.exit(1 if problems else 0)


def backup(invocation: Invocation, target: Path, keep: int | None, *, quick: bool) -> None:
    configuration = invocation.effective().values
    source, is_folder = _file(configuration, "pg_dump"), target.is_dir()
    if target.suffix == ".gz":
        raise click.UsageError(
            "The copy is not packed, so that it can be checked: name it otherwise, and pack it after."
        )
    opening.announce(configuration.database)
    if keep is not None and not is_folder:
        raise click.UsageError("--keep is for a folder of copies.")
    # SQLite would make an empty one, and its copy would be sound.
    if not source.is_file():
        raise NoDatabase(masked(configuration.database))
    file = target / datetime.now(UTC).strftime(_NAME) if is_folder else target
    boards = _copied(source, file, quick=quick)
    _note(configuration)
    say(f"{file}: {file.stat().st_size:,} octets, sound{boards}.")
    for old in sorted(target.glob(_ANY_NAME))[:-keep] if keep is not None else ():
        old.unlink()
        say(f"{old} removed.")


def _copied(source: Path, file: Path, *, quick: bool) -> str:
    """Make a sound copy; returns a clause about its boards. Raises: Refused."""
    with _coming(file, source) as fresh:
        # A copy that was made before may be the last good one.
        if file.exists():
            raise Refused(f"{file} is there already.")
        copies.copy(source, fresh)
        boards = _checked(fresh, quick=quick)
        copies.seal(fresh)
        copies.rename(fresh, file)
    return boards


def _note(configuration: Configuration) -> None:
    """Note the time of the copy for those who watch the server; a database of an older version is left alone."""
    with suppress(Refused), opened_store(configuration, quiet=True) as store:
        if store.revision() == REVISION:
            with store.write() as tx:
                tx.absences.note(BACKED_UP, datetime.now(UTC))


def restore(invocation: Invocation, file: Path, *, quick: bool) -> None:
    configuration = invocation.effective().values
    target = _file(configuration, "pg_restore")
    with _coming(target, file) as fresh:
        _check_unused(target)
        try:
            copies.copy(file, fresh)
        except DatabaseTrouble as trouble:
            raise Refused(f"{file}: {trouble}. Nothing was changed; name a file that pbm db backup made.") from trouble
        boards = _checked(fresh, quick=quick, upgrade=True)
        with _opened_copy(fresh) as store:
            store.set_back(datetime.now(UTC))
            busy = _busy(configuration) if target.exists() else {}
            with store.read() as tx:
                unknown = {userid: address for userid, address in busy.items() if tx.players.find(userid) is None}
        copies.seal(fresh)
        # All has been tried by now but the renaming.
        if invocation.dry_run:
            click.echo(f"{file} is sound{boards}.")
            return
        # The copy was checked for long, and a server may have been started meanwhile.
        _check_unused(target)
        aside = target.with_name(f"{target.name}.{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        kept = f" What was there is {aside}." if copies.keep(target, aside) else ""
        copies.rename(fresh, target)
    say(f"{target} is now as {file} was, sound{boards}.{kept}")
    if unknown:
        people = "\n".join(f"  {userid} <{address}>" for userid, address in sorted(unknown.items()))
        click.echo(_LETTER.format(people=people))


def _check_unused(target: Path) -> None:
    """Raises: Refused if somebody has the database open."""
    if target.exists() and copies.is_in_use(target):
        raise Refused(f"{target} is in use. Stop the server first, and whatever else has it open.")


_LETTER = """
These had boards, and an account that the copy does not know. The server cannot tell them, so please do:

{people}

  Our game server had a fault and was set back to an earlier state. Your account and your boards were newer than
  that, and are lost. We are sorry. To join again, send "signup NAME PASSWORD" to the server's address.
"""


def _busy(configuration: Configuration) -> dict[str, str]:
    """The players who have boards in the database to be replaced, as far as it can be read."""
    with suppress(Refused, DatabaseTrouble), opened_store(configuration, quiet=True) as store:
        if store.revision() == REVISION:
            with store.read() as tx:
                busy = {player.userid: tx.players.confirmed(player.id) for player in tx.matches.busy_players()}
                return {userid: addresses[0] for userid, addresses in busy.items() if addresses}
    return {}


def _file(configuration: Configuration, program: str) -> Path:
    file = copies.file_of(configuration.database)
    if file is None:
        raise Refused(f"The database is no file of SQLite. For PostgreSQL use its own {program}.")
    return file.absolute()


@contextmanager
def _coming(file: Path, source: Path) -> Iterator[Path]:
    """A name beside the file for what is copied from the source, removed in the end. Others who copy there wait.

    It is always the same in a folder, so that the next copy removes what a killed process left.
    """
    if not file.parent.is_dir():
        raise Refused(f"There is no folder {file.parent}.")
    fresh = file.with_name("pbm.unfinished")
    try:
        with alone_in(file.parent):
            copies.remove(fresh)
            try:
                yield fresh
            finally:
                copies.remove(fresh)
    except DatabaseTrouble as trouble:
        reason = opening.hindrance(source) or opening.hindrance(file) or f"{trouble}."
        raise Refused(f"No copy was made: {reason}") from trouble


def _checked(file: Path, *, quick: bool, upgrade: bool = False) -> str:
    """A clause about the boards of a copy, once it is found sound. Raises: Refused, with what is wrong."""
    with _opened_copy(file) as store:
        if upgrade:
            store.upgrade(datetime.now(UTC))
        is_ours = (revision := store.revision()) == REVISION
        if problems := store.check(schema=is_ours):
            raise Refused("The copy is not sound:\n" + "\n".join(problems))
        # The tables are not those that the replay reads.
        if not is_ours:
            return f", of revision {revision}, so that its boards were not looked at"
        if quick:
            return ", its boards not looked at"
        verdicts = replayed(store)
    if wrong := _wrong(verdicts):
        raise Refused("\n".join(["Boards of the copy differ from the replay of their records:", *wrong]))
    return f", {counted(len(verdicts), 'board')} replayed"


def _wrong(verdicts: Sequence[Replayed]) -> list[str]:
    return [f"Board {verdict.board}: {verdict.problem}." for verdict in verdicts if verdict.problem]


@contextmanager
def _opened_copy(file: Path) -> Iterator[Store]:
    """Raises: Refused if the file is empty, damaged, or no database of ours."""
    with closing(Store(copies.url_of(file))) as store:
        store.signature = opening.signature()
        try:
            if store.revision() is None:
                raise Refused("The file is empty: it is no copy of a database.")
            yield store
        except SchemaTrouble as trouble:
            raise Refused(f"The copy cannot be used. {trouble}") from None
        except Malformed as trouble:
            raise Refused(f"The copy is not sound:\n{trouble}") from None


def copy(invocation: Invocation, source: str, target: str) -> None:
    with _opened(invocation, source) as (_, ours):
        # Rows are copied as they stand, into tables of this version.
        if ours.revision() != REVISION:
            raise Refused("FROM is empty, or not of this program's version. Run: pbm db upgrade --database FROM")
        lives = _lives(ours)
        with _opened(invocation, target, create=True) as (configuration, theirs):
            theirs.upgrade(datetime.now(UTC))
            # Otherwise it would write a line into a database that must be empty.
            theirs.signature = None
            rows = _filled(ours, theirs)
            with opened_store(configuration, quiet=True) as store:
                sign(store)
                verdicts = replayed(store)
    if wrong := _wrong(verdicts):
        raise Refused("\n".join([*wrong, "The rows are all alike, so it was the same before."]))
    say(f"{rows:,} rows copied, all alike; {len(verdicts):,} boards replayed, none differ.")
    if lives:
        click.echo("A server runs over FROM: what it has done since, and does from now on, stays behind.", err=True)


def _lives(store: Store) -> bool:
    """Whether a server has given a sign of life lately."""
    now = datetime.now(UTC)
    with store.read() as tx:
        last = tx.absences.noted(HEARTBEAT)
    return last is not None and abs(now - last) < SILENCE


@contextmanager
def _opened(invocation: Invocation, url: str, *, create: bool = False) -> Iterator[tuple[Configuration, Store]]:
    configuration = Invocation(invocation.config, url).effective().values
    try:
        with opened_store(configuration, create=create, quiet=True) as store:
            yield configuration, store
    except SchemaTrouble as trouble:
        raise Refused(f"{masked(url)}: {trouble}") from None


def _readable(rows: Iterable[Rows]) -> Iterator[Rows]:
    """The rows of FROM. Raises: Refused if they cannot be read, which would pass for trouble with TO."""
    try:
        with translated():
            yield from rows
    except DatabaseTrouble as trouble:
        raise Refused(
            f"FROM cannot be read: {trouble}. Nothing was copied. Run: pbm db check --database FROM"
        ) from trouble


def _filled(ours: Store, theirs: Store) -> int:
    """Copy all rows in one transaction, undone if any row then differs; returns how many."""
    with ours.read() as source, theirs.write() as tx:
        # Rows of two houses would have the same numbers.
        if any(tx.contents.count(table) for table in TABLES if table not in (meta, acts)):
            raise Refused("TO is not empty. Give it a database of its own.")
        tx.contents.clear()
        for table in watched("Copying", TABLES):
            for rows in _readable(source.contents.rows(table)):
                tx.contents.add(table, rows)
        tx.contents.count_on()
        differences = [difference(source.contents, tx.contents, table) for table in watched("Comparing", TABLES)]
        problems = [*filter(None, differences)]
        if problems:
            raise Refused("\n".join([*problems, "So nothing was copied."]))
        return sum(tx.contents.count(table) for table in TABLES)
