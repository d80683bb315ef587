"""The ways out: a smarthost that misbehaves by script, Maildirs on disk, commands that fail."""

from __future__ import annotations

import asyncio
import gc
import mailbox
import os
import signal
import ssl
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import MISSING, SMTP, AuthResult, Envelope, Session
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import SecretStr

from pbm.domain.configuration import SmarthostSettings
from pbm.edges.transports import (
    Maildir,
    MailRefused,
    MaybeTaken,
    Outgoing,
    RecipientRefused,
    SendmailCommand,
    Smarthost,
    TemporaryFailure,
    Unreachable,
    folder_name,
)
from tests.patience import PATIENCE_SECONDS, let_pass
from tests.ports import reserved_port

PEM = Path(__file__).with_name("localhost.pem")
LONG_ID = b"<" + b"x" * 120 + b"@example.org>"
TEXT = b"References: " + LONG_ID + b"\r\nSubject: Cross Board 101\r\n\r\n.dot\r\nF6\r\n"
BYE, DROP, HANG, LATE, HELD = "bye", "drop", "hang", "late", "held"
TIMEOUT_SECONDS = 20.0


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test, for at most as long as if everything that may hang did."""
    asyncio.run(asyncio.wait_for(test, 30 * TIMEOUT_SECONDS))


def outgoing(recipient: str = "alice@example.org", outbox_id: int = 1, data: bytes = TEXT) -> Outgoing:
    return Outgoing("bounce+t@pbm.example", recipient, data, outbox_id)


async def turns() -> None:
    """Let the loop turn until the client has begun to wait, or has given up what it has waited for long enough."""
    for _ in range(20):
        await asyncio.sleep(0)


class Relay:
    """A smarthost. script: by stage, its unusual answers, one for each time it gets there.

    Stages: HELLO (the greeting), MAIL, RCPT, DATA (the command), TEXT (in the middle), DOT (after it). None: as usual.
    HANG and LATE let the loop's clock leap; HELD waits for `may_go_on`.
    mails: those that came with their final dot, whatever the answer was.
    """

    most = 100
    """The most connections at a time; more are refused at once."""

    def __init__(self, script: dict[str, list[str | None]]) -> None:
        self.script = defaultdict(list, script)
        self.mails: list[Envelope] = []
        self.sessions: list[ScriptedSession] = []
        self.port = 0
        self.holds = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def play(self, stage: str, session: SMTP) -> str | None:
        answer = self.script[stage].pop(0) if self.script[stage] else None
        if answer == HANG:
            await turns()
            let_pass(11 * TIMEOUT_SECONDS)
        elif answer == LATE:
            let_pass(2 * TIMEOUT_SECONDS)
            await turns()
            return None
        elif answer == HELD:
            self.holds.set()
            await self.may_go_on.wait()
            return None
        elif answer == DROP:
            session.transport.abort()  # type: ignore[union-attr]
        elif answer == BYE:
            await session.push("421 4.7.0 too many mails on this connection")
            session.transport.close()  # type: ignore[union-attr]
        else:
            return answer
        await asyncio.Event().wait()  # until the connection ends and cancels it
        return None

    async def greet(self, session: SMTP) -> str | None:
        opened = [each for each in self.sessions if each.transport is not None and not each.transport.is_closing()]
        return await self.play("HELLO", session) if session in opened[: self.most] else "421 4.7.0 too many"

    async def handle_MAIL(self, server: SMTP, _s: Session, _e: Envelope, address: str, options: Any) -> Any:  # noqa: N802
        return await self.play("MAIL", server) or MISSING

    async def handle_RCPT(self, server: SMTP, _s: Session, _e: Envelope, address: str, options: Any) -> Any:  # noqa: N802
        return await self.play("RCPT", server) or MISSING

    async def handle_DATA(self, server: SMTP, _s: Session, envelope: Envelope) -> str:  # noqa: N802
        self.mails.append(envelope)
        return await self.play("DOT", server) or "250 taken"

    @property
    def connections(self) -> int:
        return len(self.sessions)


class ScriptedSession(SMTP):
    def __init__(self, relay: Relay, **options: Any) -> None:
        super().__init__(relay, loop=asyncio.get_running_loop(), hostname="relay.example", **options)
        self.relay = relay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self not in self.relay.sessions:
            self.relay.sessions.append(self)
        super().connection_made(transport)

    async def push(self, status: Any) -> None:
        answer = await self.relay.greet(self) if status.startswith("220 relay") else None
        await super().push(answer or status)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        answer = await self.relay.play("DATA", self)
        if answer:
            await self.push(answer)
        elif self.relay.script["TEXT"]:
            await self.push("354 go on")
            await self._reader.readline()
            await self.relay.play("TEXT", self)
        else:
            await super().smtp_DATA(arg)


@asynccontextmanager
async def relaying(
    script: dict[str, list[str | None]] | None = None, implicit: bool = False, **options: Any
) -> AsyncIterator[Relay]:
    relay = Relay(script or {})
    tls = serving() if implicit else None
    server = await asyncio.get_running_loop().create_server(
        lambda: ScriptedSession(relay, **options), "127.0.0.1", 0, ssl=tls
    )
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
        for session in relay.sessions:
            if session.transport is not None:
                session.transport.abort()  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)


@asynccontextmanager
async def smarthost(relay: Relay, **options: Any) -> AsyncIterator[Smarthost]:
    settings = {"host": "127.0.0.1", "port": relay.port, "timeout_seconds": TIMEOUT_SECONDS, **options}
    way_out = Smarthost(SmarthostSettings(**settings))
    try:
        yield way_out
    finally:
        await way_out.close()


def serving() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(PEM)
    return context


def test_mails_go_out_as_they_are_over_one_kept_connection() -> None:
    async def test() -> None:
        async with relaying() as relay:
            async with smarthost(relay) as way_out:
                for _ in range(3):
                    await way_out.send(outgoing())
                await way_out.send(Outgoing("", "bob@example.org", TEXT, 2))
            assert relay.connections == 1
        assert [mail.content for mail in relay.mails] == [TEXT] * 4
        assert relay.mails[0].mail_from == "bounce+t@pbm.example"
        assert relay.mails[0].rcpt_tos == ["alice@example.org"]
        assert relay.mails[3].mail_from == "<>"

    run(test())


@pytest.mark.parametrize("most", [1, 3])
def test_a_server_that_takes_fewer_connections_gets_all_mails_over_those(most: int) -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay, connections=8) as way_out:
            relay.most = most
            for _ in range(2):
                await asyncio.gather(*(way_out.send(outgoing()) for _ in range(40)))
            assert len(relay.mails) == 80

    run(test())


@pytest.mark.parametrize("ends", [DROP, BYE])
def test_a_server_that_also_takes_few_mails_on_a_connection_gets_all(ends: str) -> None:
    async def test() -> None:
        async with relaying({"MAIL": [None, ends] * 20}) as relay, smarthost(relay, connections=8) as way_out:
            relay.most = 1
            await asyncio.gather(*(way_out.send(outgoing()) for _ in range(20)))
            assert len(relay.mails) == 20

    run(test())


def test_mails_that_wait_for_a_connection_fail_once_there_is_none() -> None:
    async def test() -> None:
        async with relaying({"RCPT": [HELD], "DOT": [DROP]}) as relay, smarthost(relay, connections=8) as way_out:
            relay.most = 1
            sending = [asyncio.create_task(way_out.send(outgoing())) for _ in range(6)]
            while len(way_out._waiting) < 5:
                await asyncio.sleep(0.01)
            relay.most = 0
            relay.may_go_on.set()
            sent = await asyncio.gather(*sending, return_exceptions=True)
            assert all(isinstance(each, TemporaryFailure) for each in sent)
            assert sum(isinstance(each, Unreachable) for each in sent) == 5
            assert relay.connections == 7
            relay.most = 100
            await way_out.send(outgoing())

    run(test())


def test_a_mail_that_is_given_up_while_it_waits_leaves_its_place_to_others() -> None:
    async def test() -> None:
        async with relaying({"RCPT": [HELD]}) as relay, smarthost(relay, connections=8) as way_out:
            relay.most = 1
            sending = [asyncio.create_task(way_out.send(outgoing())) for _ in range(6)]
            while len(way_out._waiting) < 5:
                await asyncio.sleep(0.01)
            for each in sending[1:4]:
                each.cancel()
            relay.may_go_on.set()
            sent = await asyncio.gather(*sending, return_exceptions=True)
            assert [isinstance(each, asyncio.CancelledError) for each in sent] == [False, *[True] * 3, False, False]
            assert len(relay.mails) == 3

    run(test())


def test_no_more_connections_than_allowed() -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay, connections=3) as way_out:
            await asyncio.gather(*(way_out.send(outgoing()) for _ in range(20)))
            assert len(relay.mails) == 20
            assert relay.connections == 3

    run(test())


@pytest.mark.parametrize(
    ("stage", "reply", "kind"),
    [
        ("HELLO", "554 no service", Unreachable),
        ("HELLO", "421 busy", Unreachable),
        ("MAIL", "451 later", TemporaryFailure),
        ("MAIL", "530 5.7.0 authenticate first", MailRefused),
        ("MAIL", "550 5.1.8 unknown sender domain", MailRefused),
        ("MAIL", "552 5.3.4 too big", MailRefused),
        ("RCPT", "450 4.2.1 greylisted", TemporaryFailure),
        ("RCPT", "550 5.1.1 no such user", RecipientRefused),
        ("RCPT", "554 5.1.1 no such user", RecipientRefused),
        ("RCPT", "554 you are blocked", MailRefused),
        ("RCPT", "552 5.2.2 mailbox full", TemporaryFailure),
        ("RCPT", "550 5.2.2 mailbox full", TemporaryFailure),
        ("RCPT", "503 bad sequence", MailRefused),
        ("DATA", "451 later", TemporaryFailure),
        ("DATA", "503 need RCPT", MailRefused),
        ("DOT", "451 4.3.0 queue full", TemporaryFailure),
        ("DOT", "554 5.7.1 spam", MailRefused),
        ("DOT", "552 too much", MailRefused),
        ("DOT", "550 5.1.1 no such user after all", RecipientRefused),
        ("DOT", "500 what?", MailRefused),
    ],
)
def test_refusals_are_told_apart_and_leave_the_smarthost_usable(stage: str, reply: str, kind: type[Exception]) -> None:
    async def test() -> None:
        async with relaying({stage: [reply]}) as relay, smarthost(relay) as way_out:
            with pytest.raises(kind) as failure:
                await way_out.send(outgoing())
            assert failure.value.code == int(reply[:3])  # type: ignore[attr-defined]
            assert isinstance(failure.value, MailRefused) is (kind is MailRefused)
            assert str(failure.value) == reply
            relay.mails.clear()
            await way_out.send(outgoing(outbox_id=2))
            assert len(relay.mails) == 1
            assert relay.connections == (2 if stage == "HELLO" else 1)

    run(test())


@pytest.mark.parametrize("trouble", [DROP, "421 4.4.2 idle too long"])
@pytest.mark.parametrize("stage", ["MAIL", "RCPT"])
def test_a_stale_kept_connection_is_replaced_at_once(stage: str, trouble: str) -> None:
    async def test() -> None:
        async with relaying({stage: [None, trouble]}) as relay, smarthost(relay) as way_out:
            await way_out.send(outgoing(outbox_id=1))
            await way_out.send(outgoing(outbox_id=2))
            assert len(relay.mails) == 2
            assert relay.connections == 2

    run(test())


def test_a_connection_that_had_nothing_to_do_for_long_is_used_again() -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay) as way_out:
            for _ in range(3):
                await way_out.send(outgoing())
                let_pass(2 * TIMEOUT_SECONDS)
                await turns()
        assert len(relay.mails) == 3
        assert relay.connections == 1

    run(test())


def test_a_connection_closed_meanwhile_is_not_tried() -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay) as way_out:
            await way_out.send(outgoing())
            relay.sessions[0].transport.close()  # type: ignore[union-attr]
            while way_out._kept[0].is_connected:
                await asyncio.sleep(0.01)
            await way_out.send(outgoing())
            assert relay.connections == 2

    run(test())


@pytest.mark.parametrize("trouble", [DROP, HANG])
@pytest.mark.parametrize("stage", ["HELLO", "MAIL", "RCPT", "DATA", "TEXT", "DOT"])
def test_a_new_connection_that_fails_is_a_temporary_failure_at_once(stage: str, trouble: str) -> None:
    async def test() -> None:
        async with relaying({stage: [trouble]}) as relay, smarthost(relay) as way_out:
            with pytest.raises(TemporaryFailure):
                await way_out.send(outgoing())
            assert relay.connections == 1
            relay.script.clear()
            await way_out.send(outgoing())
            assert relay.connections == 2

    run(test())


@pytest.mark.parametrize("trouble", [DROP, HANG])
@pytest.mark.parametrize("stage", ["DATA", "TEXT", "DOT"])
def test_a_kept_connection_that_fails_after_data_is_not_tried_again(stage: str, trouble: str) -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay) as way_out:
            await way_out.send(outgoing(outbox_id=1))
            relay.script[stage].append(trouble)
            with pytest.raises(MaybeTaken):
                await way_out.send(outgoing(outbox_id=2))
            assert relay.connections == 1
            assert len(relay.mails) == (2 if stage == "DOT" else 1)

    run(test())


def test_a_mail_that_is_taken_late_is_not_sent_twice() -> None:
    """Servers may check a text for a long time before they take it (RFC 5321 4.5.3.2.6)."""

    async def test() -> None:
        async with relaying({"DOT": [LATE]}) as relay, smarthost(relay) as way_out:
            await way_out.send(outgoing())
            assert len(relay.mails) == 1

    run(test())


def test_a_connection_of_a_cancelled_mail_is_not_used_again() -> None:
    async def test() -> None:
        async with relaying({"RCPT": [None, HELD]}) as relay, smarthost(relay) as way_out:
            await way_out.send(outgoing())
            sending = asyncio.create_task(way_out.send(outgoing()))
            await relay.holds.wait()
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            while relay.sessions[0].transport is not None:
                await asyncio.sleep(0.01)
            await way_out.send(outgoing())
            assert relay.connections == 2
            assert len(relay.mails) == 2

    run(test())


def test_nobody_listens() -> None:
    async def test() -> None:
        with reserved_port() as nobodys:
            way_out = Smarthost(SmarthostSettings(host="127.0.0.1", port=nobodys))
            with pytest.raises(TemporaryFailure, match="connect"):
                await way_out.send(outgoing())

    run(test())


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_tls_with_a_certificate_we_trust_and_with_one_we_do_not(tls: str) -> None:
    async def test() -> None:
        options: dict[str, Any] = {"implicit": True} if tls == "implicit" else {"tls_context": serving()}
        async with relaying(**options) as relay:
            async with smarthost(relay, tls=tls, ca_file=PEM, host="localhost") as trusting:
                await trusting.send(outgoing())
            async with smarthost(relay, tls=tls) as strict:
                with pytest.raises(TemporaryFailure, match=r"(?i)certificate"):
                    await strict.send(outgoing())
            assert len(relay.mails) == 1

    run(test())


def test_without_the_tls_asked_for_nothing_is_sent() -> None:
    async def test() -> None:
        async with relaying() as relay, smarthost(relay, tls="starttls", ca_file=PEM) as way_out:
            with pytest.raises(TemporaryFailure, match="STARTTLS"):
                await way_out.send(outgoing())
            assert not relay.mails

    run(test())


def test_login() -> None:
    def check(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
        return AuthResult(success=given.password == b"right", handled=False)

    async def test() -> None:
        async with relaying(auth_require_tls=False, authenticator=check, auth_exclude_mechanism=["LOGIN"]) as relay:
            async with smarthost(relay, username="pbm", password="right") as way_out:
                await way_out.send(outgoing())
            assert relay.sessions[0].session.authenticated  # type: ignore[union-attr]
            async with smarthost(relay, username="pbm", password="wrong") as way_out:
                with pytest.raises(TemporaryFailure) as failure:
                    await way_out.send(outgoing())
                assert failure.value.code == 535

    run(test())
    assert "wrong" not in repr(SmarthostSettings(host="host", password=SecretStr("wrong")))


def test_addresses_beyond_ascii_need_a_relay_that_takes_them() -> None:
    async def test() -> None:
        async with relaying() as plain, smarthost(plain) as way_out:
            with pytest.raises(RecipientRefused):
                await way_out.send(outgoing("zoë@example.org"))
        async with relaying(enable_SMTPUTF8=True) as modern, smarthost(modern) as way_out:
            await way_out.send(outgoing("zoë@example.org"))
            assert modern.mails[0].rcpt_tos == ["zoë@example.org"]

    run(test())


@pytest.mark.parametrize(
    "address",
    ["a@b\r\nRCPT TO:<c@d>", "a@b, c@d", "Alice <a@b>", "a\0@b", "", "a@b\ud800"],
)
def test_what_is_no_address_is_refused_before_anything_is_said(address: str) -> None:
    async def test() -> None:
        async with relaying(enable_SMTPUTF8=True) as relay, smarthost(relay) as way_out:
            with pytest.raises(RecipientRefused) as failure:
                await way_out.send(outgoing(address))
            assert failure.value.reason.isprintable()
            await way_out.send(outgoing())
            assert [mail.rcpt_tos for mail in relay.mails] == [["alice@example.org"]]

    run(test())


def replying(*replies: bytes) -> Coroutine[Any, Any, None]:
    """Send a mail to a server that offers pipelining and gives these replies, whatever it reads."""

    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 hello\r\n")
            for reply in (b"250-hello\r\n250 PIPELINING\r\n", *replies):
                if not await reader.read(10_000):
                    break
                for octet in reply:  # as if from far away
                    writer.write(bytes([octet]))
                    await asyncio.sleep(0)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        way_out = Smarthost(SmarthostSettings(host="127.0.0.1", port=port))
        try:
            await way_out.send(outgoing())
        finally:
            await way_out.close()
            server.close()

    return test()


def test_answers_come_in_pieces_and_together() -> None:
    run(replying(b"250 a\r\n250-b\r\n250 b\r\n354 c\r\n", b"250-d\r\n250\r\n"))


@pytest.mark.parametrize("goodbye", [b"421 that is enough\r\n", b"421 that", b"goodbye\r\n"])
def test_a_mail_is_taken_though_the_server_says_goodbye_in_the_same_breath(goodbye: bytes) -> None:
    replies = (b"250 a\r\n", b"250 b\r\n", b"354 c\r\n", b"250 taken\r\n" + goodbye)

    async def test() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 hello\r\n")
            for reply in (b"250 hello\r\n", *replies):
                await reader.read(10_000)
                writer.write(reply)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        way_out = Smarthost(SmarthostSettings(host="127.0.0.1", port=port))
        await way_out.send(outgoing())
        assert way_out._kept == []
        server.close()

    run(test())


def test_a_text_for_nobody_is_a_dot() -> None:
    with pytest.raises(RecipientRefused, match=r"^550 5\.1\.1 who\?$"):
        run(replying(b"250 a\r\n550 5.1.1 who?\r\n354 c\r\n", b"554 nobody\r\n", b"250 reset\r\n"))


OF_NOBODY = (
    "550 5.1.1 <alice@example.org>: Recipient address rejected: User unknown",  # Postfix
    "550-5.1.1 The email account that you tried to reach does not exist\r\n550 5.1.1 https://support.google.com",
    "550 5.2.1 The email account that you tried to reach is disabled",  # Gmail
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",  # Exchange
    "556 5.1.10 Recipient address has null MX",  # RFC 7505
    "550 5.1.2 <alice@example.org>: Recipient address rejected: Domain not found",
    "550 5.1.1 <alice@example.org>... User unknown",  # Sendmail
    "501 5.1.3 Bad recipient address syntax",
    "551 5.1.6 The recipient has moved",
    "550 No such user",
    "550 No Such User Here",  # Exim under cPanel
    "550 Unrouteable address",  # Exim
    "550 Unknown user",
    "550 User unknown.",  # Courier
    "550 sorry, no mailbox here by that name (#5.1.1)",  # qmail
)
OF_OTHER_THINGS = (
    "550 5.1.8 <bounce@example.org>: Sender address rejected: Domain not found",
    "550 5.1.0 <bounce@example.org>: Sender address rejected: User unknown in local recipient table",
    "550 5.1.7 <bounce@example.org>: Sender address rejected: undeliverable address",
    "550 Sender verify failed",  # Exim
    "550-Verification failed for <bounce@example.org>\r\n550-Response: 550 5.1.1 who?\r\n550 Sender verify failed",
    "550-Verification failed for <bounce@example.org>\r\n550-Unrouteable address\r\n550 Sender verify failed",
    "550 <bounce@example.org>: User unknown",
    "550 Administrative prohibition",
    "553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)",
    "553 sorry, your envelope sender is in my badmailfrom list",
    "553 sorry, that domain isn't in my list of allowed rcpthosts",
    "550 Blocked by Spamhaus",
    "550 relay not permitted",
    "550 Requested action not taken: mailbox unavailable",  # also for reasons of policy (RFC 5321 4.2.3)
    "550 5.5.0 Requested action not taken: mailbox unavailable",
    "550 5.4.1 Recipient address rejected: Access denied",  # Exchange Online, also to those it does not know
    "550 5.7.1 Unable to relay",
    "550 5.7.1 <alice@example.org>: Recipient address rejected: rejected due to SPF",
    "554 5.7.1 <alice@example.org>: Relay access denied",
)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [*((reply, RecipientRefused) for reply in OF_NOBODY), *((reply, MailRefused) for reply in OF_OTHER_THINGS)],
)
def test_only_what_is_said_of_the_recipient_counts_against_them(reply: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        run(replying(f"250 a\r\n{reply}\r\n354 c\r\n".encode(), b"554 nobody\r\n", b"250 reset\r\n"))


def test_what_is_no_reply_ends_the_connection() -> None:
    with pytest.raises(TemporaryFailure, match="Malformed SMTP response line: HTTP"):
        run(replying(b"HTTP/1.1 400 Bad Request\r\n"))


def test_reasons_are_one_short_line() -> None:
    failure = TemporaryFailure("one\r\ntwo\x1b[31m\udcff" + "x" * 1000, 451)
    assert str(failure) == failure.reason
    assert failure.reason.startswith("one two[31mx")
    assert len(failure.reason) == 300


def deliver(root: Path, *mails: Outgoing) -> None:
    async def test() -> None:
        way_out = Maildir(root)
        await asyncio.gather(*(way_out.send(mail) for mail in mails))
        await way_out.close()

    run(test())


def test_a_maildir_for_each_address(tmp_path: Path) -> None:
    root = tmp_path / "not" / "yet"
    deliver(root, outgoing(outbox_id=1), outgoing("Bob@Example.ORG", 2), outgoing(outbox_id=3))
    assert sorted(box.name for box in root.iterdir()) == ["alice@example.org", "bob@example.org"]
    box = mailbox.Maildir(root / "alice@example.org", create=False)
    assert [box.get_bytes(key) for key in box.keys()] == [TEXT.replace(b"\r\n", b"\n")] * 2  # noqa: SIM118  no dict
    assert not list((root / "alice@example.org" / "tmp").iterdir())


def test_a_mail_delivered_again_is_not_doubled(tmp_path: Path) -> None:
    new, cur = tmp_path / "alice@example.org" / "new", tmp_path / "alice@example.org" / "cur"
    deliver(tmp_path, outgoing())
    deliver(tmp_path, outgoing())
    (file,) = new.iterdir()
    file.rename(cur / f"{file.name}:2,S")
    deliver(tmp_path, outgoing())
    assert not list(new.iterdir())


def test_the_same_id_of_another_database_is_another_mail(tmp_path: Path) -> None:
    deliver(tmp_path, outgoing(data=b"old\r\n"), outgoing(data=b"new\r\n"))
    assert len(list((tmp_path / "alice@example.org" / "new").iterdir())) == 2


def test_a_disk_in_trouble_is_temporary(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TemporaryFailure):
        deliver(tmp_path / "file", outgoing())


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("alice@example.org", "alice@example.org"),
        ("alice+cross=1_x-y.z~@sub.example.org", "alice+cross=1_x-y.z~@sub.example.org"),
        ("ALICE@example.org", "alice@example.org"),
        ("../../x@y", "%2e.%2f..%2fx@y"),
        (".", "%2e"),
        ("..", "%2e."),
        ("", "%"),
        ("a%2fb@c", "a%252fb@c"),
        ("a\\b:\0@c", "a%5cb%3a%00@c"),
    ],
)
def test_folder_names(address: str, folder: str) -> None:
    assert folder_name(address) == folder


@given(st.text(max_size=300), st.text(max_size=300))
@example("straße@x", "strasse@x")
@example("x" * 300, "x" * 301)
@example("%", "")
def test_any_address_is_one_safe_folder_and_no_two_share_one(one: str, other: str) -> None:
    name = folder_name(one)
    assert name.isascii()
    assert name.isprintable()
    assert name == name.lower()
    assert 0 < len(name) <= 255
    assert "/" not in name
    assert not name.startswith(".")

    def lowered(text: str) -> str:
        return "".join(c.lower() if c.isascii() else c for c in text)

    assert (name == folder_name(other)) == (lowered(one) == lowered(other))


def test_hostile_addresses_stay_below_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    deliver(root, *(outgoing(a, n) for n, a in enumerate(["../../x@y", "/etc/x@y", "a\0b@y", "..", "", "y" * 5000])))
    assert [path.name for path in tmp_path.iterdir()] == ["root"]
    assert len(list(root.glob("*/new/*.pbm"))) == 6


def command(*script: str) -> SendmailCommand:
    return SendmailCommand((sys.executable, "-Ic", "\n".join(script)), PATIENCE_SECONDS)


def test_a_command_gets_the_mail_and_plain_arguments(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    way_out = command("import sys", f"open({str(kept)!r}, 'w').write(repr((sys.argv[1:], sys.stdin.read())))")
    run(way_out.send(outgoing("-oX$(id)@example.org")))
    arguments = ["-f", "bounce+t@pbm.example", "--", "-oX$(id)@example.org"]
    assert kept.read_text() == repr((arguments, TEXT.decode().replace("\r\n", "\n")))


@pytest.mark.parametrize(
    ("code", "kind"),
    [(65, MailRefused), (67, RecipientRefused), (68, RecipientRefused)]
    + [(code, TemporaryFailure) for code in (1, 64, 69, 70, 75, 77, 78)],
)
def test_exit_codes(code: int, kind: type[Exception]) -> None:
    way_out = SendmailCommand(("/bin/sh", "-c", f"echo queue is   full >&2; exit {code}"))
    with pytest.raises(kind, match=r"^queue is full$") as failure:
        run(way_out.send(outgoing(data=b"x" * 300_000)))
    assert failure.value.code == code  # type: ignore[attr-defined]


def test_a_command_that_ends_before_it_has_read_all_leaves_nothing_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    way_out = SendmailCommand(("/bin/sh", "-c", "exit 75"), PATIENCE_SECONDS)
    for _ in range(5):
        with pytest.raises(TemporaryFailure):
            run(way_out.send(outgoing(data=b"x\r\n" * 100_000)))
    gc.collect()  # asyncio logs an exception that nobody has asked for when it is collected
    assert not caplog.records


def test_a_command_killed_is_temporary() -> None:
    with pytest.raises(TemporaryFailure, match="exit code -9"):
        run(SendmailCommand(("/bin/sh", "-c", "kill -9 $$")).send(outgoing()))


def test_a_command_that_takes_too_long_is_ended_with_its_children() -> None:
    way_out = SendmailCommand(("/bin/sh", "-c", "sleep 60 & sleep 60"), timeout_seconds=0.1)
    with pytest.raises(MaybeTaken, match=r"more than 0\.1 s"):
        run(way_out.send(outgoing(data=b"x" * 300_000)))


def test_a_command_with_a_background_child_has_sent_the_mail(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = f"cat >/dev/null; sleep 3600 & echo $! >{child}; exit 0"
    run(SendmailCommand(("/bin/sh", "-c", script), PATIENCE_SECONDS).send(outgoing()))
    os.kill(int(child.read_text()), signal.SIGKILL)


def test_a_command_that_does_not_exist_is_temporary() -> None:
    with pytest.raises(TemporaryFailure):
        run(SendmailCommand(("/nonexistent/sendmail",)).send(outgoing()))


def test_an_address_no_argument_can_hold_is_permanent() -> None:
    with pytest.raises(RecipientRefused):
        run(command("").send(outgoing("a\0@b")))


def test_nothing_is_left_open_where_a_server_does_not_let_us_introduce_ourselves():
    """Otherwise each try leaves a connection, until the system gives no more."""

    async def test():
        ended = 0

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal ended
            writer.write(b"220 relay.example\r\n")
            while await reader.readline():
                writer.write(b"502 no\r\n")
            ended += 1
            writer.close()

        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            way_out = Smarthost(SmarthostSettings(host="127.0.0.1", port=port))
            for _ in range(3):
                with pytest.raises(Unreachable, match="502 no"):
                    await way_out.send(outgoing())
            while ended < 3:
                await asyncio.sleep(0.005)

    run(test())
