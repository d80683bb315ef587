"""What no server of this kind can beat on this machine, measured in the same run as the figures compared with it."""

from __future__ import annotations

import asyncio
import email
import email.policy
import multiprocessing
import sqlite3
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from bench.load import Envelope as Outgoing
from bench.load import Sender, connect

_ROW_OCTETS = 500
_RAW = b"From: q1@players.example\r\nTo: pbm@pbm.example\r\nSubject: F6\r\n\r\nF6\r\n"


class _TakesAll:
    async def handle_DATA(self, _server: SMTP, _session: Session, _envelope: Envelope) -> str:  # noqa: N802
        return "250 taken"


def _listen(port: Connection) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(_TakesAll(), loop=loop), "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def taken_by_aiosmtpd(seconds: float, connections: int = 10) -> float:
    """Mails a second that aiosmtpd accepts from this suite's generator when it does nothing with them."""
    ours, its = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_listen, args=(its,), daemon=True)
    server.start()
    try:
        mail = Outgoing("pbm@pbm.example", _RAW)
        return asyncio.run(accepted(int(ours.recv()), seconds, connections, lambda _number: mail))
    finally:
        server.terminate()
        server.join()


async def accepted(port: int, seconds: float, connections: int, mail: Callable[[int], Outgoing]) -> float:
    """Mails a second that a server accepts. mail: makes one, given its number."""
    count, began = 0, time.perf_counter()

    def send(sender: Sender) -> None:
        nonlocal count
        count += 1
        if time.perf_counter() < began + seconds:
            sender.start(mail(count))

    transports = await connect(port, connections, send)
    await asyncio.sleep(seconds)
    for transport in transports:
        transport.close()
    return (count - connections) / seconds


def commits(folder: Path, seconds: float) -> float:
    """Durable SQLite commits a second, of one row each."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, r BLOB)")
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t (r) VALUES (?)", (b"x" * _ROW_OCTETS,))
        connection.execute("COMMIT")
        count += 1
    connection.close()
    return count / seconds


def parsed_by_the_library(raw: bytes) -> None:
    """The least that reading a mail takes with the standard library: its headers and the text of its first part."""
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    part = mail.get_body(("plain", "html"))
    assert part is not None
    part.get_content()
    for name in ("From", "To", "Subject", "Message-ID", "In-Reply-To", "References"):
        _ = mail[name]
