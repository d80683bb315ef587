"""`pbm serve`: the server until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path

import click
import structlog

from pbm.cli.frame import Command, Invocation, Misconfigured, Refused, pass_invocation
from pbm.cli.settings import Configuration, Log, place
from pbm.cli.wiring import delivery_settings, fetch_settings, lacks, listen_settings, transport
from pbm.edges.server import Server
from pbm.service import Service


@click.command(cls=Command)
@click.option("--listen", metavar="HOST:PORT", help="Where to listen, in place of server.listen.")
@click.option("--maildir", type=click.Path(path_type=Path, file_okay=False), help="Deliver to Maildirs in this folder.")
@click.option("--domain", help="What stands behind the @ of our addresses, in place of server.domain.")
@pass_invocation
def serve(invocation: Invocation, listen: str | None, maildir: Path | None, domain: str | None) -> None:
    """Listen for mail, handle it and deliver the answers, until SIGTERM or SIGINT.

    Needs no configuration. An empty database is set up. One line on standard output says when mail is accepted; logs go
    to standard error.
    """
    effective = invocation.effective(
        server={"listen": listen, "domain": domain},
        maildir={"folder": maildir},
        delivery={"kind": "maildir" if maildir else None},
    )
    if problems := lacks(effective.values):
        raise Misconfigured("\n".join(problems))
    _log(effective.values.log)
    with invocation.service(effective) as service:
        asyncio.run(_serve(service, effective.values))


async def _serve(service: Service, configuration: Configuration) -> None:
    told_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told_to_stop.set)
    server = Server(
        service,
        listen_settings(configuration),
        transport(configuration),
        delivery_settings(configuration),
        fetch_settings(configuration),
    )
    try:
        await server.start()
    except OSError as error:
        await server.stop()
        raise Refused(f"server.listen: cannot listen on {configuration.server.listen}: {error.strerror}.") from None
    click.echo(f"pbm: accepting mail for {service.settings.robot.address} on {_where(configuration, server)}")
    sys.stdout.flush()
    await told_to_stop.wait()
    structlog.get_logger().info("stopping")
    await server.stop()


def _where(configuration: Configuration, server: Server) -> str:
    """What is listened on, with the port that was really taken."""
    listen = configuration.server.listen
    return listen if isinstance(place(listen), Path) else f"{listen.rpartition(':')[0]}:{server.port}"


def _log(settings: Log) -> None:
    """Our own events and those of the libraries in one form, on standard error."""
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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=last, foreign_pre_chain=shared))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
