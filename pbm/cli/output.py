"""How results are printed: as tables for people, as JSON for programs, from the same values.

A row is a mapping of names to texts, numbers, instants, lists of these and None; its names are the columns of a table
and the keys of a JSON object.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import wraps
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

if TYPE_CHECKING:  # most commands need none of it
    from pbm.server.rows import Replayed
    from pbm.store import Store

Row = Mapping[str, Any]
T = TypeVar("T")


def json_option(command: Callable[..., T]) -> Callable[..., T]:
    """--json, given to the command as `as_json`, and --schema, which neither runs it nor needs its arguments."""
    schema = click.option(
        "--schema", is_flag=True, is_eager=True, expose_value=False, callback=_print_schema,
        help="Print the JSON Schema of what --json prints.",
    )  # fmt: skip
    return click.option("--json", "as_json", is_flag=True, help="Print JSON in place of tables.")(schema(command))


def _print_schema(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from pbm.cli.schemas import schema_of

    print_json(schema_of(ctx.command_path.removeprefix(f"{ctx.find_root().command_path} ")))
    ctx.exit()


def row_of(thing: object, paths: str) -> dict[str, Any]:
    """Attributes of a thing. paths: with blanks between them; the last name of each is that of the column.

    >>> row_of(datetime(2027, 1, 31), "year month day.real")
    {'year': 2027, 'month': 1, 'real': 31}
    """
    return {path.rpartition(".")[2]: attrgetter(path)(thing) for path in paths.split()}


def counted(number: int, noun: str) -> str:
    """Such as "2 boards"; games.rules, which knows how, brings all games."""
    from games.rules import counted

    return counted(number, noun)


def print_rows(rows: Sequence[Row], nothing: str) -> None:
    """A table, without columns that would be empty. nothing: what to tell if there are no rows."""
    if not rows:
        click.echo(nothing)
        return
    table = [[name.replace("_", " ") for name in rows[0]], *([*map(_shown, row.values())] for row in rows)]
    # Most columns are empty for most lists, and 80 characters are all a terminal may have.
    columns = [column for column in zip(*table, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns, strict=True):
        click.echo("  ".join(map(str.ljust, line, widths)).rstrip())


def print_fields(row: Row) -> None:
    """Print one thing, a line for each field."""
    width = max(map(len, row))
    for name, value in row.items():
        click.echo(f"{name.replace('_', ' '):{width}}  {_shown(value)}".rstrip())


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, default=datetime.isoformat))


def replayed(store: Store, boards: Sequence[int] | None = None) -> list[Replayed]:
    """The verdicts on the boards, or on all."""
    from pbm.server.rows import verify

    with store.read() as tx:
        numbers = list(tx.matches.boards() if boards is None else boards)
    verdicts = []
    for number in watched("Replaying", numbers):
        with store.read() as tx:
            verdicts.append(verify(tx, number))
    return verdicts


def watched(label: str, things: Sequence[T]) -> Iterator[T]:
    """One after the other, with a progress bar if a person is watching."""
    is_watched = sys.stderr.isatty() and len(things) > 1
    with click.progressbar(things, label=label, file=sys.stderr, hidden=not is_watched) as shown:
        yield from shown


TEXT = click.File(encoding="utf-8-sig")
"""Text that a person wrote, read as UTF-8 whatever the machine's locale."""
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def content_of(text: TextIO) -> str:
    """Raises: Refused for other encodings."""
    try:
        return text.read()
    except UnicodeDecodeError:
        raise Refused(f"{text.name} is not UTF-8 text. Save it as UTF-8 and try again; nothing was done.") from None


def all_are_meant(what: str, named: Sequence[object], everything: bool) -> bool:
    """Whether a command means all, not the ones it names. Raises: UsageError for neither and for both."""
    # None named by mistake, as by an empty variable in a script, must not mean all.
    if bool(named) == everything:
        raise click.UsageError(f"Name {what}, or say --all.")
    return everything


def say(sentence: str) -> None:
    """Tell what was done, unless --quiet, and what a dry run would do."""
    invocation = click.get_current_context().obj
    if invocation.dry_run or not invocation.quiet:
        click.echo(sentence)


def new_file(path: Path, *, force: bool) -> None:
    """Raises: Refused if a file is there that may not be overwritten."""
    if path.is_file() and not force:
        raise Refused(f"{path} is there already: say --force to overwrite it. Nothing was done.")


force_option = click.option("--force", is_flag=True, help="Overwrite a file that is there.")


def password_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--password and --password-stdin, given to the command as `password`; empty without either. what: the help."""

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--password", default="", help=what)
        @click.option(
            "--password-stdin", is_flag=True,
            help="Read it from the first line of standard input, so that no list of processes shows it.",
        )  # fmt: skip
        @wraps(command)
        def run(*hand: Any, password: str, password_stdin: bool, **words: Any) -> Any:
            if password and password_stdin:
                raise click.UsageError("Give --password or --password-stdin, not both.")
            if password_stdin:
                password = sys.stdin.readline().rstrip("\r\n")
                if not password:
                    raise click.UsageError("Which password? The first line of standard input is empty.")
            return command(*hand, password=password, **words)

        return run

    return decorated


def write_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read; an older one stays until all is written. Raises: OSError."""
    target = path.resolve()
    # A pipe or a device cannot be replaced by a draft.
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    try:
        descriptor, draft = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123  of a descriptor
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            Path(draft).replace(target)
        finally:
            Path(draft).unlink(missing_ok=True)
    # The error itself would name the draft, or nothing.
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def printable(text: str) -> str:
    """A stranger's words, without characters that a terminal would obey."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return printable(str(value)).replace("\n", " ")


class Refused(click.ClickException):
    """A command is refused; the message is a sentence for the operator."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


class NoDatabase(Refused):
    """There is no database where the configuration says."""

    def __init__(self, shown: str) -> None:
        """shown: its URL, without a password."""
        super().__init__(
            f"There is no database at {shown}. Is this the configuration of the server (--config, --database)? "
            "A new database is made by pbm serve, and by pbm db create."
        )


class Misconfigured(Refused):
    """The configuration is at fault; each line of the message names a key."""

    exit_code = 2
