"""What every command shares: the options that may stand anywhere, the way to the service, and how refusals look."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbm.cli.output import Misconfigured, Refused

if TYPE_CHECKING:  # help pages and mistakes in the command line need nothing of these
    from pbm.cli.loading import Effective
    from pbm.server import Service
    from pbm.server.operator import Administration
    from pbm.server.status import Queues


NUMBER = click.IntRange(1, 10**12 - 1)
"""Of a board or a mail; any database can hold it."""


@dataclass
class Invocation:
    """What the command line says besides the command. config: the file; database: a URL."""

    config: Path | None = None
    database: str | None = None

    def effective(self, **given: dict[str, Any]) -> Effective:
        """The configuration, with what the command line gives above all. given: the keys of a table.

        Raises: Misconfigured.
        """
        from pbm.cli.loading import ConfigurationError, load

        layer: dict[str, Any] = {"database": self.database, **given}
        try:
            return load(self.config, layer)
        except ConfigurationError as error:
            raise Misconfigured("\n".join(error.problems)) from None

    @contextmanager
    def service(
        self, effective: Effective | None = None, *, serves: bool = False, create: bool = False
    ) -> Iterator[Service]:
        """The service over the configured database. The others: as those of `opened_service`."""
        from pbm.cli.opening import opened_service

        configuration = (effective or self.effective()).values
        log_warnings()
        with opened_service(configuration, serves=serves, create=create) as service:
            yield service

    @contextmanager
    def administration(self) -> Iterator[Administration]:
        from pbm.server.operator import Administration

        with self.service() as service:
            yield Administration(service)

    @contextmanager
    def queues(self) -> Iterator[Queues]:
        from pbm.server.status import Queues

        with self.service() as service:
            yield Queues(service)


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


def log_warnings() -> None:
    """Standard output belongs to what was asked for, and what goes well is not told elsewhere."""
    import structlog

    if not structlog.is_configured():
        structlog.configure(
            processors=[structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)],
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )


def _anywhere() -> list[click.Parameter]:
    """The options of `pbm` itself, which every command takes as well; the one nearest to the end counts."""
    return [
        click.Option(
            ["--config"],
            type=click.Path(dir_okay=False, path_type=Path),
            expose_value=False,
            callback=_remember,
            help="The configuration, a TOML file. [env var: PBM_CONFIG]",
        ),
        click.Option(
            ["--database"],
            metavar="URL",
            expose_value=False,
            callback=_remember,
            help="Such as sqlite:////var/lib/pbm/pbm.db. [env var: PBM_DATABASE]",
        ),
    ]


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and param.name:
        setattr(ctx.ensure_object(Invocation), param.name, value)


def _refusals() -> tuple[type[Exception], ...]:
    from games.rules import GameError
    from pbm.domain.errors import Rejected
    from pbm.store import DatabaseTrouble, SchemaTrouble

    return Rejected, GameError, DatabaseTrouble, SchemaTrouble


class Command(click.Command):
    """A command that takes the options of `pbm` itself too, and whose refusals are one sentence."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _anywhere()

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException:
            raise
        except UnicodeEncodeError:
            raise Refused("A word of the command line is not UTF-8 text.") from None
        except BrokenPipeError:
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise Refused(f"{place}{error.strerror or error}.") from error
        except _refusals() as error:  # looked up only when something was raised, for it takes a while
            raise Refused(" ".join(str(error).split())) from error


class Group(click.Group):
    """A group whose commands are as above."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _anywhere()
