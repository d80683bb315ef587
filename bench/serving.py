"""A server to be measured, in a process of its own: `python -m bench.serving DATABASE SINK_PORT`, prints its port."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import signal
import sys

import structlog

from pbm.edges.deliver import DeliverySettings
from pbm.edges.receive import Listener, ListenSettings
from pbm.edges.server import Server
from pbm.edges.transports import Smarthost, SmarthostSettings
from pbm.mailin import Robot
from pbm.service import Service, Settings
from pbm.store import Store

DOMAIN = "pbm.example"


def listen_settings() -> ListenSettings:
    return ListenSettings(port=0, domain=DOMAIN, max_connections=1000, max_connections_per_peer=1000)


async def serve(database: str, sink_port: int) -> None:
    """Serve until told to stop; then print the largest resident memory, in KiB."""
    service = Service(Store(database), Settings(Robot("pbm", DOMAIN)))
    smarthost = Smarthost(SmarthostSettings(host="127.0.0.1", port=sink_port, tls="none"))
    server = Server(service, listen_settings(), smarthost, DeliverySettings())
    await server.start()
    await _until_stopped(server.port)
    await server.stop()
    service.close()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)


async def accept_only() -> None:
    """The floor: the same listener with nothing behind it."""

    async def accept(_mail: object) -> None:
        return

    listener = Listener(listen_settings(), accept, lambda _address: True)
    await listener.start()
    await _until_stopped(listener.port)
    await listener.stop()


async def _until_stopped(port: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    print(port, flush=True)
    await stopped.wait()


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(accept_only() if sys.argv[1] == "accept-only" else serve(sys.argv[1], int(sys.argv[2])))
