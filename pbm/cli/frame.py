"""`pbm` itself, and what its commands share: options that stand anywhere, access to the service, refusals.

Commands are found by name, and only the one that runs is imported.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from pbm import __version__
from pbm.cli.output import FILE, Refused, Row, json_option, print_fields, print_json, print_rows, say

if TYPE_CHECKING:  # help pages and mistakes in the command line need none of these
    from pbm.cli.loading import Effective
    from pbm.server.club import Club
    from pbm.store import Store


class Number(click.IntRange):
    """A whole number, by a name that its mistakes can be told with."""

    name = "number"


class GameName(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """The name of a game; which there are is asked only when one is given, because it takes a while to import."""

    name = "game"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from games import GAMES

        return str(click.Choice([*GAMES], case_sensitive=False).convert(value, param, ctx))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from games import GAMES

        return [CompletionItem(name) for name in GAMES if name.startswith(incomplete)]


NUMBER = Number(1, 10**12 - 1)
"""The number of a board or a mail; any database can hold it."""

GAME_WORDS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""Let words such as `-size=4`, and moves that begin with a dash, reach the game."""


@dataclass
class Invocation:
    """The options given besides the command."""

    config: Path | None = None
    """The configuration file."""
    database: str | None = None
    """The database's URL."""
    quiet: bool = False
    """Whether nothing is said that was not asked for."""
    dry_run: bool = False
    """Whether a command only shows what it would do."""

    def effective(self, **tables: dict[str, Any]) -> Effective:
        """The configuration, with the command line's values on top. tables: those set by options of the command.

        Raises: Misconfigured.
        """
        from pbm.cli.loading import load

        return load(self.config, {"database": self.database, **tables})

    @contextmanager
    def club(self) -> Iterator[Club]:
        """What acts need, over the configured database."""
        from pbm.cli.opening import opened_club

        with opened_club(self.effective().values, quiet=self.quiet) as club:
            club.store.only_tries = self.dry_run
            yield club

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The configured database alone, of this program's version. Raises: Refused, SchemaTrouble."""
        from pbm.cli.opening import opened_store

        with opened_store(self.effective().values, quiet=self.quiet) as store:
            store.prepare(datetime.now(UTC))
            store.only_tries = self.dry_run
            yield store

    @contextmanager
    def hand(self, kind: str) -> Iterator[Any]:
        """What a command works with: this itself, a transaction that writes, or a class of acts on the club."""
        if kind == "Invocation":
            yield self
        elif kind == "Transaction":
            with self.store() as store, store.write() as tx:
                yield tx
        else:
            with self.club() as club:
                yield getattr(import_module(f"pbm.server.{_ACTS[kind]}"), kind)(club)


_ACTS = {"Administration": "operator", "Steward": "steward", "Arbiter": "arbiter", "Organizer": "organizer"}
"""The module of each class of acts, which is imported when a command runs that acts by it."""


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


def _handed(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, given what the type of its first parameter names, as by `Invocation.hand`."""
    kind = next(iter(command.__annotations__.values()), "")
    # Help and completion work with nothing of ours.
    if kind not in (*_ACTS, "Invocation", "Transaction"):
        return command

    @pass_invocation
    @wraps(command)
    def run(invocation: Invocation, /, **words: Any) -> Any:
        with invocation.hand(kind) as hand:
            return command(hand, **words)

    return run


def _arguments(command: Callable[..., Any], declared: Sequence[click.Parameter]) -> list[click.Parameter]:
    """What a command's function takes and no decorator declares: words, and the numbers of boards and the like."""
    named = {param.name for param in declared}
    kinds = {name: param.annotation for name, param in signature(command).parameters.items() if name not in named}
    types = {"str": click.STRING, "int": NUMBER}
    return [click.Argument([name], type=types[kind]) for name, kind in kinds.items() if kind in types]


def done_by(module: str) -> Callable[[Callable[[], None]], Callable[..., None]]:
    """Gives a command the work of the function of its name in the module, which is imported when the command runs.

    The command itself only says what it takes and does: its help imports nothing.
    """

    def decorated(command: Callable[[], None]) -> Callable[..., None]:
        @pass_invocation
        @wraps(command)
        def run(invocation: Invocation, /, **words: Any) -> None:
            getattr(import_module(module), command.__name__)(invocation, **words)

        return run

    return decorated


def reads(shown: Callable[[Any], None]) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Gives a command that only shows something a transaction; what it returns is shown after that, or printed as JSON.

    It needs the database and nothing of the server, which would take ten times as long to import.
    """

    def decorated(command: Callable[..., Any]) -> Callable[..., None]:
        @json_option
        @wraps(command, ("__name__", "__doc__"))  # its first parameter is of another type
        def run(invocation: Invocation, as_json: bool, **words: Any) -> None:
            with invocation.store() as store, store.read() as tx:
                result = command(tx, **words)
            # Octets are for another program, as they are.
            if as_json and not isinstance(result, bytes):
                print_json(result)
            else:
                shown(result)

        return run

    return decorated


shows = reads(print_fields)
"""For a command that returns one thing."""


def lists(nothing: str) -> Callable[[Callable[..., Sequence[Row]]], Callable[..., None]]:
    """For a command that returns rows. nothing: what to tell a person if there are none."""
    return reads(partial(print_rows, nothing=nothing))


def log_warnings() -> None:
    """Log only warnings, to standard error: standard output is for the command's results."""
    import structlog

    if not structlog.is_configured():
        structlog.configure(
            processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)],
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )


def _anywhere() -> list[click.Parameter]:
    """The options of `pbm` itself, which every command takes, too; the last one given counts."""
    shared: dict[str, Any] = {"expose_value": False, "callback": _remember}
    config = "The configuration, a TOML file. [env var: PBM_CONFIG]"
    database = "Such as sqlite:////var/lib/pbm/pbm.db. [env var: PBM_DATABASE]"
    quiet = "Say nothing but what was asked for, and what went wrong."
    return [
        click.Option(["--config"], type=FILE, help=config, **shared),
        click.Option(["--database"], metavar="URL", help=database, **shared),
        click.Option(["--quiet"], is_flag=True, default=None, help=quiet, **shared),
    ]


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and param.name:
        setattr(ctx.ensure_object(Invocation), param.name, value)


def irrevocable(question: str, *, when: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For an act that cannot be undone: the command asks first, and takes --yes and --dry-run.

    A dry run does everything and rolls it back, so it says what would happen, or why nothing would. question: with the
    command's parameters in braces. when: the parameter without which the act can be undone.
    """

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--yes", is_flag=True, help="Do not ask.")
        @click.option(
            "--dry-run", is_flag=True, default=None, expose_value=False, callback=_remember,
            help="Only say what would be done.",
        )  # fmt: skip
        @wraps(command)
        def run(*hand: Any, yes: bool, **words: Any) -> Any:
            is_dry = click.get_current_context().ensure_object(Invocation).dry_run
            # Scripts say --yes; a dry run undoes itself.
            if not (yes or is_dry) and (not when or words[when]):
                # A script that waits for an answer would hang for ever.
                if not sys.stdin.isatty():
                    raise Refused("This cannot be undone, and nobody can be asked here: say --yes. Nothing was done.")
                click.confirm(question.format(**words), abort=True)
            return command(*hand, **words)

        return run

    return decorated


def _refusals() -> tuple[type[Exception], ...]:
    from games.rules import GameError
    from pbm.domain.errors import Rejected
    from pbm.store import DatabaseTrouble, SchemaTrouble

    return Rejected, GameError, DatabaseTrouble, SchemaTrouble


class Refusing(click.Command):
    """A command that says the sentence that its function returns, or refuses in one."""

    def invoke(self, ctx: click.Context) -> None:
        invocation = ctx.ensure_object(Invocation)
        try:
            if isinstance(done := super().invoke(ctx), str):
                say(done)
            if invocation.dry_run:
                click.echo("Nothing was done: this was a dry run.")
        except (click.ClickException, BrokenPipeError):
            raise
        # The shell passes octets on, and Python stands a surrogate in for each that is no UTF-8.
        except UnicodeEncodeError:
            raise Refused("A word of the command line is not UTF-8 text.") from None
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise Refused(f"{place}{error.strerror or error}.") from error
        except (RuntimeError, MemoryError) as error:
            from pbm.edges.watch import lack

            # "can't start new thread" tells nobody which limit to raise.
            if reason := lack(error):
                raise Refused(reason) from error
            raise
        # Looked up only when something was raised, because it takes a while.
        except _refusals() as error:
            raise Refused(" ".join(str(error).split())) from error


class Command(Refusing):
    """A command that also takes the options of `pbm` itself, and is given what it works with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.callback is not None:
            self.params[:0] = _arguments(self.callback, self.params)
            self.callback = _handed(self.callback)
        self.params += _anywhere()


class Group(click.Group):
    """A group whose commands are like that, too."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _anywhere()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer a mistyped command, and one without its group, with the one that was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            paths = [page.command_path.removeprefix(f"{ctx.command_path} ") for page in pages(ctx)][1:]
            close = [path for path in paths if path.endswith(f" {args[0]}")]
            close = close or get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not close:
                raise
            places = '" or "'.join(close)
            raise click.UsageError(f'{error.message} Did you mean "{places}"?', ctx) from None


def pages(page: click.Context) -> Iterator[click.Context]:
    """A command, then all below it."""
    yield page
    if isinstance(page.command, click.Group):
        for name in page.command.list_commands(page):
            below = page.command.get_command(page, name)
            assert below is not None  # noqa: S101  it was listed
            yield from pages(click.Context(below, info_name=name, parent=page, **below.context_settings))


_GROUPS = {
    "Run the server": {
        **dict.fromkeys(("init", "serve", "work", "status", "doctor", "config"), "run"),
        "maintenance": "halts",
        "demo": "run",
        "play": "run",
    },
    "The club": {
        "player": "players",
        "board": "boards",
        "tournament": "tournaments",
        "letter": "players",
        "game": "games",
    },
    "Mail": dict.fromkeys(("inbox", "outbox", "receive"), "mails"),
    "Database": {"db": "db"},
    "Address and keys": {"identity": "keys", "keys": "keys"},
    "This program": dict.fromkeys(("completion", "manual"), "manual"),
}
"""The module of each command."""
_MODULES = {name: module for group in _GROUPS.values() for name, module in group.items()}


_ALLOCATIONS = 200_000
"""Objects made until those among them that are in no use are looked for; a server looks sooner."""


class _Lazy(Group):
    """Imports a command when it is asked for."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        # Some supervisors start programs with closed standard streams, and no other file must get their numbers.
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:
                setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  for good
        # Otherwise Pydantic reads what each installed package says of itself, and runs what calls itself its plugin.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        # What is imported stays, so looking for cycles in it again and again is vain: it takes a tenth of a command's
        # time, and a third if the interpreter looks before it ends, too, for memory that the system has back by then.
        gc.set_threshold(_ALLOCATIONS)
        atexit.register(gc.freeze)
        return super().main(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Of a command that takes a game's words it is no option, which would swallow -handicap=2.
        if args[-1:] == ["-h"]:
            args = [*args[:-1], "--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return _command(name) if name in _MODULES else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, _command(name).get_short_help_str(_WHOLE)) for name in names], col_max=12)


_WHOLE = 200
"""More characters than any first sentence has."""


def _command(name: str) -> click.Command:
    module = import_module(f"pbm.cli.{_MODULES[name]}")
    command: click.Command = getattr(module, name)
    return command


# -h is the only option of one letter: others would swallow words of games such as -size=2.
@click.group(cls=_Lazy, context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pbm")
def main() -> None:
    """Abstract games by mail.

    `pbm serve` runs the server; the other commands are for its operator and act on the same database, while it runs
    or not. Exit codes: 0 done, 1 refused (the reason is on standard error), 2 a mistake in the command line or the
    configuration.
    """
