"""Clients that come in crowds, do nothing, or send without end: others are still served, in bounded memory."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from pbm.domain.configuration import ListenSettings
from pbm.edges import receive
from pbm.edges.receive import Listener
from pbm.server import Arriving
from tests.patience import PATIENCE_SECONDS

HELLO = b"EHLO x\r\n"
ENVELOPE = b"MAIL FROM:<a@x.org>\r\nRCPT TO:<pbm@pbm.example>\r\n"
CLIENTS: list[asyncio.StreamWriter] = []
"""Hung up when a test ends."""


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), PATIENCE_SECONDS))


@asynccontextmanager
async def listening(**options) -> AsyncIterator[tuple[Listener, list[Arriving]]]:
    mails: list[Arriving] = []

    async def accept(mail: Arriving) -> None:
        mails.append(mail)

    listener = Listener(ListenSettings.model_construct(listen="127.0.0.1:0", **options), accept, lambda address: True)
    await listener.start()
    try:
        yield listener, mails
    finally:
        await listener.stop(grace_seconds=1)
        while CLIENTS:
            writer = CLIENTS.pop()
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()


async def connect(listener: Listener, peer: int = 1) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """peer: a number for each machine."""
    place = f"127.0.{peer // 250}.{1 + peer % 250}"
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port, local_addr=(place, 0))
    CLIENTS.append(writer)
    return reader, writer


async def deliver(listener: Listener, peer: int = 9999) -> str:
    """The last reply that an honest client gets, which tries again when told to, as mail servers do."""
    while True:
        reader, writer = await connect(listener, peer)
        with suppress(ConnectionError):
            writer.write(HELLO + ENVELOPE + b"DATA\r\nSubject: help\r\n\r\n.\r\nQUIT\r\n")
            replies = (await reader.read()).decode().splitlines()
            if not replies[-1].startswith("421"):
                return replies[-2]
        writer.close()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("said", [b"", HELLO, HELLO + ENVELOPE], ids=["silent", "greeting", "about to send"])
def test_a_crowd_that_takes_all_places_makes_room_for_who_has_mail(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive, "_PATIENCE", 0.2)

    async def test() -> None:
        async with listening(max_connections=30, max_connections_per_peer=5) as (listener, mails):
            crowd = [await connect(listener, peer) for peer in range(200)]
            for _, writer in crowd:
                with suppress(ConnectionError):
                    writer.write(said)
            assert listener.connections <= 30
            assert (await deliver(listener)).startswith("250 ")
            assert len(mails) == 1

    run(test)


def test_who_drips_a_mail_for_long_makes_room_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "_PATIENCE", 0.1)
    monkeypatch.setattr(receive, "_DATA_PATIENCE", 0.3)

    async def drip(writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            writer.write(HELLO + ENVELOPE + b"DATA\r\n")
            while True:
                writer.write(b"X-Slow: y\r\n")
                await writer.drain()
                await asyncio.sleep(0.02)

    async def test() -> None:
        async with listening(max_connections=10) as (listener, mails):
            crowd = [await connect(listener, peer) for peer in range(10)]
            dripping = [asyncio.create_task(drip(writer)) for _, writer in crowd]
            assert (await deliver(listener)).startswith("250 ")
            assert len(mails) == 1
            for task in dripping:
                task.cancel()

    run(test)


def test_who_has_just_come_or_just_sent_is_not_sent_away() -> None:
    async def test() -> None:
        async with listening(max_connections=2) as (listener, _):
            clients = [await connect(listener, peer) for peer in range(2)]
            reader, _ = await connect(listener, 5)
            assert (await reader.read()).startswith(b"421 ")
            for reader, _ in clients:
                assert (await reader.readline()).startswith(b"220 ")

    run(test)


def test_one_machine_cannot_take_the_places_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "_PATIENCE", 1000.0)

    async def test() -> None:
        async with listening(max_connections=30, max_connections_per_peer=5) as (listener, _):
            for _ in range(100):
                await connect(listener, 7)
            await asyncio.sleep(0.1)
            assert listener.connections == 5
            assert (await deliver(listener)).startswith("250 ")

    run(test)


def test_coming_and_going_leaves_nothing_behind() -> None:
    async def test() -> None:
        async with listening(max_connections=20) as (listener, _):
            for turn in range(300):
                _, writer = await connect(listener, turn % 40)
                if turn % 3:
                    writer.write(HELLO)
                writer.transport.abort()
            while listener.connections:
                await asyncio.sleep(0.01)
            assert not listener._peers
            assert len(asyncio.all_tasks()) < 5

    run(test)


@pytest.mark.parametrize(
    ("opening", "endless"),
    [
        (b"", b"x" * 4096),
        (HELLO, b"MAIL FROM:<" + b"x" * 4000),
        (HELLO + ENVELOPE + b"DATA\r\n", b"x" * 4096),
        (HELLO + ENVELOPE + b"DATA\r\n", b"X-Header: y\r\n" * 300),
        (HELLO + ENVELOPE + b"DATA\r\n", b"." * 4096),
        (HELLO, ENVELOPE * 60),
    ],
    ids=["no line", "no end of an address", "no line of a mail", "headers", "dots", "commands"],
)
def test_what_has_no_end_takes_no_more_memory_than_its_limit(opening: bytes, endless: bytes) -> None:
    """16 MB are sent where 100 kB are accepted."""

    async def pour(listener: Listener) -> None:
        _, writer = await connect(listener, 3)
        with suppress(ConnectionError):
            writer.write(opening)
            for _ in range((16 << 20) // len(endless)):
                writer.write(endless)
                await writer.drain()
        writer.transport.abort()

    async def test() -> None:
        async with listening(max_size=100_000) as (listener, mails):
            tracemalloc.start()
            try:
                await pour(listener)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert peak < 4 << 20
            assert not mails
            assert (await deliver(listener)).startswith("250 ")

    run(test)


def test_who_never_reads_their_replies_is_no_burden() -> None:
    async def test() -> None:
        async with listening(idle_seconds=0.5, session_seconds=1) as (listener, _):
            _, writer = await connect(listener, 3)
            with suppress(ConnectionError, TimeoutError):
                writer.write(HELLO)
                for _ in range(2000):
                    writer.write(b"VRFY " + b"x" * 400 + b"\r\n")
                    await asyncio.wait_for(writer.drain(), 1)
            assert (await deliver(listener)).startswith("250 ")
            while listener.connections:
                await asyncio.sleep(0.01)

    run(test)
