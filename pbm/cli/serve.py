"""`pbm serve`: the server until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TextIO, cast

import click
import structlog

from pbm.cli.frame import Command, Invocation, Misconfigured, Refused, pass_invocation
from pbm.cli.settings import Configuration, Log, place
from pbm.cli.wiring import delivery_settings, fetch_settings, lacks, listen_settings, transport
from pbm.edges.server import Server
from pbm.service import Service

LISTEN, FETCH, HANDLE, DELIVER = TASKS = ("listen", "fetch", "handle", "deliver")
"""What a process can do of what there is to do; the rest is left to others over the same database."""


class TaskList(click.ParamType):
    """Some of the tasks, with commas between them."""

    name = "tasks"

    def __init__(self, tasks: Collection[str]) -> None:
        self._tasks = tasks

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> frozenset[str]:
        chosen = [word.strip().lower() for word in value.split(",")]
        for word in chosen:
            if word not in self._tasks:
                self.fail(f'"{word}" is none of {", ".join(self._tasks)}.', param, ctx)
        return frozenset(chosen)


@click.command(cls=Command)
@click.option("--listen", metavar="HOST:PORT", help="Where to listen, in place of server.listen.")
@click.option("--maildir", type=click.Path(path_type=Path, file_okay=False), help="Deliver to Maildirs in this folder.")
@click.option("--domain", help="What stands behind the @ of our addresses, in place of server.domain.")
@click.option(
    "--do", "tasks", type=TaskList(TASKS), default=",".join(TASKS), show_default=True, metavar="TASK,...",
    help="Only these; other processes over the same database may do the others.",
)  # fmt: skip
@pass_invocation
def serve(
    invocation: Invocation, listen: str | None, maildir: Path | None, domain: str | None, tasks: frozenset[str]
) -> None:
    """Listen for mail, handle it and deliver the answers, until SIGTERM or SIGINT.

    Needs no configuration. An empty database is set up. One line on standard output says when mail is accepted; logs go
    to standard error. Any number of `pbm serve` and `pbm work` may share a database.
    """
    run(invocation, listen, maildir, domain, tasks)


def run(
    invocation: Invocation, listen: str | None, maildir: Path | None, domain: str | None, tasks: Collection[str]
) -> None:
    """Do the tasks until told to stop. The others: as the options of the same names."""
    effective = invocation.effective(
        server={"listen": listen, "domain": domain},
        maildir={"folder": maildir},
        delivery={"kind": "maildir" if maildir else None},
    )
    if problems := lacks(effective.values):
        raise Misconfigured("\n".join(problems))
    _log(effective.values.log)
    with invocation.service(effective) as service:
        asyncio.run(_run(service, effective.values, tasks))


async def _run(service: Service, configuration: Configuration, tasks: Collection[str]) -> None:
    told_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told_to_stop.set)
    server = Server(
        service,
        listen_settings(configuration) if LISTEN in tasks else None,
        transport(configuration) if DELIVER in tasks else None,
        delivery_settings(configuration),
        fetch_settings(configuration) if FETCH in tasks else None,
        handles=HANDLE in tasks,
    )
    try:
        await server.start()
    except OSError as error:
        await server.stop()
        raise Refused(f"server.listen: cannot listen on {configuration.server.listen}: {error.strerror}.") from None
    address = service.settings.robot.address
    if LISTEN in tasks:
        click.echo(f"pbm: accepting mail for {address} on {_where(configuration, server)}")
    else:
        click.echo(f"pbm: at work for {address}: {', '.join(task for task in TASKS if task in tasks)}")
    sys.stdout.flush()
    await told_to_stop.wait()
    structlog.get_logger().info("stopping")
    await server.stop()


def _where(configuration: Configuration, server: Server) -> str:
    """What is listened on, with the port that was really taken."""
    listen = configuration.server.listen
    return listen if isinstance(place(listen), Path) else f"{listen.rpartition(':')[0]}:{server.port}"


class _Patient:
    """A text stream whose full disk is nobody's trouble: what cannot be logged is left out, and the work goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            return self._stream.write(text)
        return 0

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def _log(settings: Log) -> None:
    """Our own events and those of the libraries in one form, on standard error."""
    stream = cast("TextIO", _Patient(sys.stderr))
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # A traceback that tells variables would tell what players wrote, passwords among it.
    last: structlog.typing.Processor = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    if settings.format == "json":
        last = structlog.processors.JSONRenderer()
        shared.append(structlog.processors.format_exc_info)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream),
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=last, foreign_pre_chain=shared))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
