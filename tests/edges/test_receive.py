"""The listener over real sockets: raw clients say whatever they like."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import stat
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pbm.domain.configuration import ListenSettings
from pbm.edges.receive import Listener, NotNow, mended
from pbm.server import Arriving
from tests.patience import PATIENCE_SECONDS, let_pass

PEM = Path(__file__).with_name("localhost.pem")
OURS = "pbm+token@pbm.example"
MAIL_FROM = b"MAIL FROM:<alice@example.org>"
RCPT_TO = b"RCPT TO:<pbm+token@pbm.example>"
TEXT = b"Subject: cross move 101\r\n\r\nF6\r\n"


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 2 * PATIENCE_SECONDS))


class Inbox:
    """An `accept` that keeps mails as soon as its gate is open, or fails with its trouble."""

    def __init__(self) -> None:
        self.mails: list[Arriving] = []
        self.entered = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.trouble: Exception | None = None
        self.refusal = ""

    async def forecast(self, mail: Arriving) -> str:
        assert not mail.raw
        return self.refusal

    async def accept(self, mail: Arriving) -> None:
        self.entered.set()
        await self.gate.wait()
        if self.trouble:
            raise self.trouble
        self.mails.append(mail)


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def reply(self) -> str:
        """All lines of one reply; empty if the connection has ended."""
        lines = []
        while True:
            try:
                line = (await self.reader.readline()).decode()
            except ConnectionError:
                return ""
            lines.append(line)
            if line[3:4] != "-":
                return "".join(lines)

    async def say(self, line: bytes) -> str:
        self.writer.write(line + b"\r\n")
        return await self.reply()

    async def code(self, line: bytes) -> str:
        return (await self.say(line))[:3]

    async def open_data(self) -> None:
        assert [await self.code(line) for line in (MAIL_FROM, RCPT_TO, b"DATA")] == ["250", "250", "354"]

    async def mail(self, text: bytes = TEXT) -> str:
        await self.open_data()
        return await self.say(text + b".")

    def vanish(self) -> None:
        """Leave with a reset, without ending the stream politely."""
        at_once = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.writer.transport.abort()


@asynccontextmanager
async def listening(
    inbox: Inbox, is_ours: Callable[[str], bool] = lambda address: address.endswith("@pbm.example"), **options: Any
) -> AsyncIterator[Listener]:
    settings = ListenSettings.model_construct(**{"listen": "127.0.0.1:0", "domain": "pbm.example", **options})
    listener = Listener(settings, inbox.accept, is_ours, inbox.forecast)
    await listener.start()
    try:
        yield listener
    finally:
        inbox.gate.set()
        await listener.stop(PATIENCE_SECONDS)


@asynccontextmanager
async def connected(listener: Listener, hello: bytes = b"EHLO client") -> AsyncIterator[Client]:
    where = listener.settings.where
    if isinstance(where, Path):
        opening = asyncio.open_unix_connection(where)
    else:
        opening = asyncio.open_connection("127.0.0.1", listener.port)
    client = Client(*await opening)
    try:
        assert (await client.reply()).startswith("220 pbm.example")
        if hello:
            assert await client.code(hello) == "250"
        yield client
    finally:
        client.writer.close()


def session(
    talk: Callable[[Client, Inbox], Awaitable[None]],
    hello: bytes = b"EHLO client",
    listeners: list[Listener] | None = None,
    **options: Any,
) -> list[Arriving]:
    """The mails accepted from one client of a new listener, which is added to `listeners`."""
    kept = []

    async def test() -> None:
        inbox = Inbox()
        async with listening(inbox, **options) as listener, connected(listener, hello) as client:
            if listeners is not None:
                listeners.append(listener)
            await talk(client, inbox)
        kept.extend(inbox.mails)

    run(test())
    return kept


def test_a_mail_is_handed_over_as_it_came() -> None:
    text = b"Subject: \xff\xfe\xe9\r\n\r\n.dot\r\n..\r\nnul \x00\r\n" + b"long " * 50_000 + b"\r\n"

    async def talk(client: Client, inbox: Inbox) -> None:
        assert (await client.mail(text.replace(b"\r\n.", b"\r\n.."))).startswith("250 ")
        assert await client.code(b"QUIT") == "221"

    assert session(talk) == [Arriving("alice@example.org", (OURS,), text, peer="127.0.0.1")]


def test_a_client_hears_before_it_sends_a_large_mail_that_it_is_not_taken_now() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.refusal = "452 4.7.1 Too much"
        assert [await client.code(line) for line in (MAIL_FROM + b" SIZE=900000", RCPT_TO, b"DATA")] == [
            "250", "250", "452"
        ]  # fmt: skip
        assert await client.code(b"RSET") == "250"
        assert [await client.code(line) for line in (MAIL_FROM + b" SIZE=900", RCPT_TO, b"DATA")] == [
            "250", "250", "354"
        ]  # fmt: skip
        assert (await client.say(TEXT + b".")).startswith("250 ")

    assert [mail.raw for mail in session(talk)] == [TEXT]


def test_many_mails_on_one_connection_and_the_empty_one() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        for _ in range(80):
            assert (await client.mail()).startswith("250 ")
        assert (await client.mail(b"")).startswith("250 ")

    assert [mail.raw for mail in session(talk)] == [TEXT] * 80 + [b""]


def test_a_session_written_at_once_gets_all_its_replies() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        one = b"\r\n".join((MAIL_FROM, RCPT_TO, b"DATA", TEXT + b".", b""))
        client.writer.write(one + one + b"QUIT\r\n")
        client.writer.write_eof()
        replies = (await client.reader.read()).decode().splitlines()
        assert [reply[:3] for reply in replies] == ["250", "250", "354", "250"] * 2 + ["221"]

    assert len(session(talk)) == 2


@pytest.mark.parametrize("method", [b"GET", b"POST", b"PUT", b"HEAD", b"CONNECT", b"OPTIONS", b"post"])
@pytest.mark.parametrize("hello", [b"", b"EHLO client"])
def test_a_web_browser_hands_no_mail_in(method: bytes, hello: bytes) -> None:
    """A web page can make a browser send a form whose body holds whatever the page likes."""

    async def talk(client: Client, inbox: Inbox) -> None:
        head = (method + b" / HTTP/1.1", b"Host: pbm.example", b"Content-Type: text/plain", b"")
        body = (b"EHLO client", MAIL_FROM, RCPT_TO, b"DATA", TEXT + b".", b"QUIT", b"")
        client.writer.write(b"\r\n".join((*head, *body)))
        assert (await client.reply())[:3] == "554"
        assert await client.reply() == ""

    assert session(talk, hello) == []


@pytest.mark.parametrize(
    ("sender", "kept"),
    [
        (b"MAIL FROM:<>", ""),
        (b"mail from: <a@b.example> SIZE=100 BODY=8BITMIME", "a@b.example"),
        (b"MAIL FROM:a@b.example", "a@b.example"),
        (b"MAIL FROM:<a>", "a"),
        (b"MAIL FROM:<@relay.example,@other.example:a@b.example>", "a@b.example"),
        (b'MAIL FROM:<"a \\" b@c"@b.example>', '"a \\" b@c"@b.example'),
        (b"MAIL FROM:<bounce+a=b.example@[192.0.2.1]>", "bounce+a=b.example@[192.0.2.1]"),
        ("MAIL FROM:<zoë@bücher.example> SMTPUTF8".encode(), "zoë@bücher.example"),
    ],
)
def test_senders(sender: bytes, kept: str) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        replies = [await client.code(line) for line in (sender, RCPT_TO, b"DATA", TEXT + b".")]
        assert replies == ["250", "250", "354", "250"]

    assert [mail.mail_from for mail in session(talk)] == [kept]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "500"),
        (b"\x00\x01\x02", "500"),
        (b"\xff\xfe", "500"),
        (b"NOOP" + b" x" * 400, "500"),
        (b"NOOP" + b" x" * 200_000, "500"),
        (b"MAIL", "501"),
        (b"MAIL alice@example.org", "501"),
        (b"MAIL FROM:<a@b", "553"),
        (b"MAIL FROM:<", "553"),
        (b'MAIL FROM:<"a@b>', "553"),
        (b"MAIL FROM:<a\x00b@example.org>", "553"),
        (b"MAIL FROM:<a\rb@example.org>", "553"),
        (b"MAIL FROM:<\xff@example.org>", "553"),
        (b"MAIL FROM:<a@b> FOO=1", "555"),
        (b"MAIL FROM:<a@b> SIZE=x", "501"),
        (b"MAIL FROM:<a@b> SIZE=1048577", "552"),
        (b"RCPT TO:<a@pbm.example>", "503"),
        (b"DATA", "503"),
        (b"DATA now", "501"),
        (b"AUTH PLAIN AGEAYg==", "502"),
        (b"STARTTLS", "454"),
        (b"VRFY alice@example.org", "252"),
    ],
)
def test_odd_commands_are_answered_and_do_no_harm(line: bytes, code: str) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        assert await client.code(line) == code
        assert await client.code(b"RSET") == "250"
        assert (await client.mail()).startswith("250 ")

    assert len(session(talk)) == 1


def test_what_is_offered() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        offers = {line[4:] for line in (await client.say(b"EHLO again")).splitlines()}
        assert offers == {"pbm.example", "SIZE 1048576", "8BITMIME", "SMTPUTF8", "PIPELINING", "HELP"}

    session(talk)


def test_250_comes_only_after_accept_returned() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        await client.open_data()
        verdict = asyncio.ensure_future(client.say(TEXT + b"."))
        await inbox.entered.wait()
        done, _ = await asyncio.wait({verdict}, timeout=0.05)
        assert not done
        inbox.gate.set()
        assert (await verdict).startswith("250 ")

    session(talk)


def test_trouble_is_temporary_and_keeps_its_text(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.trouble = RuntimeError("password of the database")
        reply = await client.mail()
        assert reply.startswith("451 ")
        assert "password" not in reply
        inbox.trouble = None
        assert (await client.mail()).startswith("250 ")

    assert len(session(talk)) == 1
    assert "password of the database" in caplog.text


def test_a_mail_that_is_put_off_gets_its_reply_and_the_next_one_may_come_in(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.trouble = NotNow("452 4.3.1 Too little room")
        assert await client.mail() == "452 4.3.1 Too little room\r\n"
        inbox.trouble = None
        assert (await client.mail()).startswith("250")

    assert len(session(talk)) == 1
    assert not caplog.records


def test_trouble_at_rcpt_is_temporary_too(caplog: pytest.LogCaptureFixture) -> None:
    def is_ours(address: str) -> bool:
        raise RuntimeError("secret")

    async def talk(client: Client, inbox: Inbox) -> None:
        await client.say(MAIL_FROM)
        reply = await client.say(RCPT_TO)
        assert reply.startswith("451 ")
        assert "secret" not in reply

    session(talk, is_ours=is_ours)
    assert "secret" in caplog.text


def test_accept_that_takes_too_long_is_temporary_and_goes_on() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        assert (await client.mail()).startswith("451 ")

    assert len(session(talk, commit_seconds=0.05)) == 1


def test_a_client_told_to_try_again_may_go_on_but_not_stay() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        assert (await client.mail()).startswith("451 ")
        inbox.gate.set()
        assert (await client.mail()).startswith("250 ")
        let_pass(400)
        assert (await client.reply()).startswith("421 4.4.2 ")

    assert len(session(talk, commit_seconds=0.05)) == 2


def test_a_client_that_vanishes_does_not_interrupt_accept() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        await client.open_data()
        client.writer.write(TEXT + b".\r\n")
        await inbox.entered.wait()
        client.vanish()
        await asyncio.sleep(0.02)

    assert len(session(talk)) == 1


def test_a_client_that_half_closes_still_gets_its_250() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        await client.open_data()
        client.writer.write(TEXT + b".\r\n")
        await inbox.entered.wait()
        client.writer.write_eof()
        await asyncio.sleep(0.02)
        inbox.gate.set()
        assert (await client.reply()).startswith("250 ")
        assert await client.reply() == ""

    assert len(session(talk)) == 1


def test_a_mail_broken_off_is_not_accepted() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        await client.open_data()
        client.writer.write(TEXT)
        client.writer.write_eof()
        assert await client.reply() == ""

    assert session(talk) == []


@pytest.mark.parametrize(
    "end",
    [b"\n.\n", b"\r.\r", b"\n.\r\n", b"\r\n.\n", b"\r\n.\r", b"\r.\r\n", b"\r\n\x00.\r\n", b"\r\n.\r\r\n", b"\n.\r"],
)
def test_only_crlf_dot_crlf_ends_a_mail(end: bytes) -> None:
    smuggled = b"\r\n".join((MAIL_FROM.replace(b"alice", b"mallory"), RCPT_TO, b"DATA", b"Subject: resign"))

    async def talk(client: Client, inbox: Inbox) -> None:
        assert (await client.mail(TEXT + b"hello" + end + smuggled + b"\r\n")).startswith("250 ")
        assert await client.code(b"NOOP") == "250"

    (mail,) = session(talk)
    assert mail.mail_from == "alice@example.org"
    assert mail.raw.endswith(b"Subject: resign\r\n")
    assert mail.raw.count(b"\r\n") == mail.raw.count(b"\r") == mail.raw.count(b"\n")


def test_bare_lf_ends_a_line_and_bare_cr_does_not() -> None:
    assert mended(b"Subject: x\rFrom: eve\nTo: pbm\r\r\n\r\n.\r\n") == b"Subject: x From: eve\r\nTo: pbm\r\n\r\n"


def mended_line_by_line(text: bytes) -> bytes:
    """A second implementation: RFC 5321 4.5.2 by lines that end in CRLF, then our rules octet by octet."""
    lines = text.split(b"\r\n")[:-1]
    assert lines.pop() == b"."
    body = list(b"".join(line.removeprefix(b".") + b"\r\n" for line in lines))
    kept: list[int] = []
    while body:
        head = bytes(body[:3])
        width = 3 if head == b"\r\r\n" else 2 if head[:2] == b"\r\n" else 1
        del body[:width]
        kept += b"\r\n" if head[:1] == b"\n" or width > 1 else b" " if head[:1] == b"\r" else head[:1]
    return bytes(kept)


@given(st.text("\r\n.x\0 ", max_size=20).map(str.encode))
@example(b".")
@example(b"..\r\n..x\r\n.x\r\n")
def test_mending_agrees_with_the_rfc_line_by_line(text: bytes) -> None:
    whole = text + b"\r\n.\r\n"
    whole = whole[: (b"\r\n" + whole).index(b"\r\n.\r\n") + 3]
    assert mended(whole) == mended_line_by_line(whole)


def test_the_largest_mail_is_taken_and_one_octet_more_is_not() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        assert (await client.mail(b"x" * 998 + b"\r\n")).startswith("250 ")
        assert (await client.mail(b"x" * 999 + b"\r\n")).startswith("552 ")
        assert (await client.mail(b"x" * 3_000_000 + b"\r\n.x\r\n")).startswith("552 ")
        assert (await client.mail(b"\r\n" * 500)).startswith("250 ")

    assert [len(mail.raw) for mail in session(talk, max_size=1000)] == [1000, 1000]


def test_recipients_ours_and_others() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        await client.say(MAIL_FROM)
        assert await client.code(b"RCPT TO:<stranger@example.org>") == "550"
        assert await client.code(b"DATA") == "503"
        replies = [
            await client.code(RCPT_TO),
            await client.code(b"RCPT TO:<help@pbm.example>"),
            await client.code(RCPT_TO),
        ]
        assert replies == ["250"] * 3
        await client.say(b"DATA")
        assert await client.code(TEXT + b".") == "250"

    (mail,) = session(talk)
    assert mail.recipients == (OURS, "help@pbm.example")


def test_two_thousand_recipients() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        await client.say(MAIL_FROM)
        codes: list[str] = []
        while codes[-1:] != ["421"] and len(codes) < 2000:
            codes.append(await client.code(b"RCPT TO:<p%d@pbm.example>" % len(codes)))
        assert codes[:40] == ["250"] * 40
        assert set(codes[40:-1]) == {"452"}
        assert len(codes) < 240

    assert session(talk, max_recipients=40) == []


def test_commands_without_a_mail_come_to_an_end() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        replies = 0
        while (await client.say(b"NOOP")).startswith("250"):
            replies += 1
        assert 100 <= replies <= 300

    session(talk)


async def is_refused(listener: Listener) -> bool:
    client = Client(*await asyncio.open_connection("127.0.0.1", listener.port))
    greeting = await client.reply()
    client.writer.close()
    return greeting.startswith("421 ")


@pytest.mark.parametrize("cap", ["max_connections", "max_connections_per_peer"])
def test_connections_are_capped_and_places_given_back(cap: str) -> None:
    async def test() -> None:
        options: dict[str, Any] = {cap: 2}
        async with listening(Inbox(), **options) as listener, connected(listener) as first:
            async with connected(listener) as second:
                assert await is_refused(listener)
                assert await second.code(b"NOOP") == "250"
            await first.code(b"QUIT")
            assert await first.reply() == ""
            while listener.connections:
                await asyncio.sleep(0.01)
            async with connected(listener), connected(listener):
                assert await is_refused(listener)

    run(test())


@pytest.mark.parametrize(
    ("options", "drip"),
    [
        ({"idle_seconds": 30}, b""),
        ({"idle_seconds": 30}, b"N"),
        ({"session_seconds": 30}, b"NOOP\r\n"),
        ({"data_seconds": 30, "idle_seconds": 20}, MAIL_FROM + b"\r\n" + RCPT_TO + b"\r\nDATA\r\nx\r\n"),
    ],
)
def test_slow_clients_are_sent_away(options: dict[str, Any], drip: bytes) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        said = asyncio.ensure_future(client.reader.read())
        while not said.done():
            client.writer.write(drip)
            await asyncio.sleep(0.01)
            let_pass(1)
        if not isinstance(said.exception(), ConnectionError):  # a drip may arrive after the end
            assert b"\r\n421 4.4.2 " in b"\r\n" + said.result()

    assert session(talk, **options) == []


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=PEM)


def test_starttls_offers_no_auth_and_forgets_what_was_said_before() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        assert "250-STARTTLS" in await client.say(b"EHLO client")
        client.writer.write(b"STARTTLS\r\nMAIL FROM:<mallory@example.org>\r\n")
        assert (await client.reply()).startswith("220")
        await client.writer.start_tls(trusting(), server_hostname="localhost")
        assert await client.code(RCPT_TO) == "503"
        offers = await client.say(b"EHLO client")
        assert "STARTTLS" not in offers
        assert "AUTH" not in offers
        assert await client.code(b"AUTH PLAIN AGEAYg==") == "502"
        assert await client.code(b"STARTTLS") == "503"
        assert (await client.mail()).startswith("250 ")
        assert await client.code(b"QUIT") == "221"

    (mail,) = session(talk, tls_certificate=PEM)
    assert mail.mail_from == "alice@example.org"


def test_a_failed_handshake_gives_the_place_back(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with listening(Inbox(), tls_certificate=PEM, max_connections=1) as listener:
            async with connected(listener) as client:
                assert await client.code(b"STARTTLS") == "220"
                client.writer.write(b"this is no handshake\r\n" * 20)
                await client.reader.read()
            async with connected(listener):
                assert not caplog.records

    run(test())


def test_tls_that_is_being_closed_does_not_stop_the_listener_from_ending() -> None:
    """In Python 3.11.2 a transport that was closed twice cannot be aborted any more."""
    listeners: list[Listener] = []

    async def talk(client: Client, inbox: Inbox) -> None:
        assert await client.code(b"STARTTLS") == "220"
        await client.writer.start_tls(trusting(), server_hostname="localhost")
        assert await client.code(b"EHLO client") == "250"
        (held,) = listeners[0]._sessions
        transport = held.transport
        assert isinstance(transport, asyncio.Transport)
        for _ in range(2):
            transport.close()

    assert session(talk, listeners=listeners, tls_certificate=PEM) == []


def test_lmtp_answers_for_each_recipient() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        for trouble, code in ((None, "250"), (RuntimeError(), "451"), (NotNow("452 4.3.1 Too little room"), "452")):
            inbox.trouble = trouble
            await client.say(MAIL_FROM)
            for line, answer in ((RCPT_TO, "250"), (b"RCPT TO:<x@y>", "550"), (RCPT_TO, "250")):
                assert await client.code(line) == answer
            await client.say(b"DATA")
            assert [await client.code(TEXT + b"."), (await client.reply())[:3]] == [code, code]
        assert await client.code(b"EHLO client") == "500"

    (mail,) = session(talk, hello=b"LHLO client", lmtp=True)
    assert mail.recipients == (OURS,)


def test_lmtp_on_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"

    async def talk(client: Client, inbox: Inbox) -> None:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (await client.mail()).startswith("250 ")

    options: dict[str, Any] = {
        "lmtp": True,
        "listen": f"unix:{path}",
        "unix_mode": "600",
        "max_connections_per_peer": 1,
    }
    (mail,) = session(talk, hello=b"LHLO client", **options)
    assert mail.peer == "unix"
    assert not path.exists()


def test_stopping_lets_mails_under_way_finish() -> None:
    async def test() -> None:
        inbox = Inbox()
        async with listening(inbox) as listener, connected(listener) as idle, connected(listener) as sending:
            port = listener.port
            await sending.open_data()
            stopping = asyncio.ensure_future(listener.stop(PATIENCE_SECONDS))
            assert (await idle.reply()).startswith("421 ")
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
            assert (await sending.say(TEXT + b".")).startswith("250 ")
            assert (await sending.reply()).startswith("421 ")
            await stopping
        assert len(inbox.mails) == 1

    run(test())


def test_stopping_waits_for_a_commit_of_a_client_gone() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        inbox.gate.clear()
        await client.open_data()
        client.writer.write(TEXT + b".\r\n")
        await inbox.entered.wait()
        client.vanish()
        asyncio.get_running_loop().call_later(0.1, inbox.gate.set)
        await listeners[0].stop(PATIENCE_SECONDS)
        assert len(inbox.mails) == 1

    listeners: list[Listener] = []
    session(talk, listeners=listeners)


def test_stopping_does_not_wait_for_a_client_for_ever() -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        await client.open_data()
        await listeners[0].stop(0.1)
        assert await client.reply() == ""

    listeners: list[Listener] = []
    session(talk, listeners=listeners)


LINES = st.sampled_from(
    [b"EHLO x", b"HELO x", MAIL_FROM, RCPT_TO, b"DATA", b".", b"RSET", b"QUIT", b"HELP MAIL", b"VRFY <", b"STARTTLS"]
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(st.tuples(st.one_of(LINES, st.binary(max_size=30)), st.sampled_from([b"\r\n", b"\n", b""]))))
def test_any_octets_get_replies_and_no_surprise(
    caplog: pytest.LogCaptureFixture, lines: list[tuple[bytes, bytes]]
) -> None:
    async def talk(client: Client, inbox: Inbox) -> None:
        client.writer.write(b"".join(line + end for line, end in lines))
        client.writer.write_eof()
        said = (await client.reader.read()).split(b"\r\n")[:-1]
        assert all(line[:3].isdigit() and line.decode().isprintable() for line in said)

    session(talk)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
