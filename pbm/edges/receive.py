"""The SMTP and LMTP listener: passes each mail on as `Arriving`, and answers 250 once it is safe.

Hides aiosmtpd, of which it keeps the grammar of commands and STARTTLS, and replaces all that loses or leaks: reading of
DATA, limits, errors, clients that vanish. Invariants: 250 is sent only after `accept` returned; anything else gets a
temporary 4xx unless the mail itself is at fault; a client that goes away never interrupts `accept`; no text of an
exception reaches a client. AUTH is not offered.

Ruling on bare line ends (RFC 5321 2.3.8 forbids them): only CRLF.CRLF ends a mail, and bare line ends are mended rather
than refused, because scripts of honest people send bare LF, and a 5xx would bounce their moves. Bare LF becomes CRLF.
Bare CR becomes a blank, so that it cannot start a header line that the mail servers before us did not see.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import ssl
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, AnyStr, cast

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, TLSSetupException, syntax

from pbm.core.counts import REFUSED
from pbm.domain.addresses import MAILBOX
from pbm.domain.configuration import ListenSettings
from pbm.server.admission import Arriving
from pbm.store import DatabaseTrouble

log = logging.getLogger(__name__)
logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd warns of every stranger's typing error

_PATH = re.compile(rf"\s*(?:<(?:@[^\s<>]*:)?({MAILBOX}|)>|({MAILBOX}))(?:\s+(.*))?")
"""RFC 5321 4.1.2: a mailbox, in angle brackets or, as some scripts send it, without; its source route is ignored."""

_BACKLOG = 1024
"""Connections that the kernel queues for us; with asyncio's 100, clients of a burst wait for seconds in vain."""

_SPARE_REPLIES = 100
"""Replies a client may get before a mail is accepted, besides one for each recipient it may name."""

_PATIENCE, _DATA_PATIENCE = 5.0, 60.0
"""When all places are taken: seconds a client may stay without an accepted mail, and while it sends one."""

_NEVER_SECONDS = 10.0**6
"""Ends no session: aiosmtpd's timer would close a connection without a word, also while a mail is being stored."""

_LARGE = 2**16
"""Octets from which on a client is told before it sends a mail that it cannot come in."""

_UNIX = "unix"
_OK = "250 2.0.0 Accepted"
_TROUBLE = "451 4.3.0 Cannot take this now, please try again later"
_BAD_SYNTAX = "500 5.5.2 Bad syntax"
_TOO_LARGE = "552 5.3.4 This email is larger than we take"
_NO_SMTP = b"554 5.7.1 This is no SMTP, goodbye\r\n"
_NO_MAILS = b"421 4.7.0 Too many commands without an email, goodbye\r\n"
_TIMED_OUT = b"421 4.4.2 Waited too long, goodbye\r\n"
_CLOSING = b"421 4.3.2 Closing, please come back later\r\n"
_BUSY = b"421 4.3.2 Too many connections, please come back later\r\n"


async def _not_known(_mail: Arriving) -> str:
    return ""


class NotNow(Exception):
    """A mail cannot come in for now. The text is the reply, which begins with 4."""


class Listener:
    """Listens from start() to stop(). `accept` stores a mail durably or raises; `is_ours` tells which addresses exist.

    Of a mail, the recipients are ours, each named once; the text has only CRLF line ends, dots unstuffed, and may hold
    any other octet, even NUL, or be empty; peer is an IP address or "unix".

    `is_apart` tells whether mail to an address is another mail than that to the others, because it answers another one.
    `forecast` is asked for the reply to a large mail before its text is taken, which is empty if it may come in.
    Its other public members are for its sessions only.
    """

    def __init__(
        self,
        settings: ListenSettings,
        accept: Callable[[Arriving], Awaitable[None]],
        is_ours: Callable[[str], bool],
        forecast: Callable[[Arriving], Awaitable[str]] = _not_known,
        is_apart: Callable[[str, Sequence[str]], bool] = lambda _address, _others: False,
    ) -> None:
        self.settings = settings
        self.forecast = forecast
        self.tls = _tls_context(settings)
        """For each new connection; see renew_certificate."""
        self.is_ours, self.is_apart = is_ours, is_apart
        self.closing = False
        self._accept = accept
        self._server: asyncio.Server | None = None
        self._sessions: set[_Session] = set()
        self._peers: Counter[str] = Counter()
        self._commits: set[asyncio.Future[None]] = set()

    def renew_certificate(self) -> None:
        """Read the certificate again, for new connections. Raises: OSError, and keeps the previous one."""
        self.tls = _tls_context(self.settings)

    async def start(self) -> None:
        """Raises: OSError if the address cannot be bound."""
        loop, settings = asyncio.get_running_loop(), self.settings
        where = settings.where
        if isinstance(where, Path):
            self._server = await loop.create_unix_server(lambda: _Door(self), where, backlog=_BACKLOG)
            where.chmod(int(settings.unix_mode, 8))
        else:
            self._server = await loop.create_server(lambda: _Door(self), *where, backlog=_BACKLOG)

    @property
    def port(self) -> int:
        """The port actually listened on; for TCP only, after start()."""
        if self._server is None:
            raise RuntimeError("the listener has not been started")
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def connections(self) -> int:
        """Clients connected now."""
        return len(self._sessions)

    async def stop(self, grace_seconds: float = 10) -> None:
        """Accept no new clients, send idle ones away, let mails under way finish for at most twice grace_seconds."""
        self.closing = True
        if self._server is not None:
            self._server.close()
        for session in [session for session in self._sessions if not session.busy]:
            session.hang_up(_CLOSING)
        await _settle({session.ended for session in self._sessions}, grace_seconds)
        for session in list(self._sessions):
            session.abort()
        await _settle(self._commits, grace_seconds)
        if isinstance(self.settings.where, Path):
            self.settings.where.unlink(missing_ok=True)

    def is_full_for(self, peer: str) -> bool:
        """Whether there is no room for one more client from there, even by sending a slow one away."""
        greedy = self._peers[_network(peer)] >= self.settings.max_connections_per_peer and peer != _UNIX
        if greedy or self.closing:
            return True
        return len(self._sessions) >= self.settings.max_connections and not self._make_room()

    def _make_room(self) -> bool:
        """Send away the client that has gone longest without handing a mail over; False if all are quick enough."""
        now = asyncio.get_running_loop().time()
        lazy = min(self._sessions, key=lambda session: session.since + (_DATA_PATIENCE if session.busy else 0))
        # Slow clients that hold all places would keep everybody else out.
        if now - lazy.since < (_DATA_PATIENCE if lazy.busy else _PATIENCE):
            return False
        lazy.hang_up(_BUSY)
        self.leave(lazy)
        return True

    def enter(self, session: _Session) -> None:
        self._sessions.add(session)
        self._peers[_network(session.peer)] += 1

    def leave(self, session: _Session) -> None:
        """Idempotent, because aiosmtpd reports a lost connection twice when TLS fails."""
        if session in self._sessions:
            self._sessions.remove(session)
            self._peers.subtract([_network(session.peer)])
            # Drops the zeros, or every network that ever came would be kept.
            self._peers += Counter()

    async def commit(self, mail: Arriving, reply: asyncio.Future[str]) -> str:
        """The reply to the mail, also if `reply` was set because it is too late; `accept` then goes on anyway."""
        safe = asyncio.ensure_future(self._accept(mail))
        self._commits.add(safe)
        safe.add_done_callback(partial(self._committed, reply))
        return await reply

    def _committed(self, reply: asyncio.Future[str], safe: asyncio.Future[None]) -> None:
        """Settle `reply`; after any error the client is to try again."""
        self._commits.discard(safe)
        error = asyncio.CancelledError() if safe.cancelled() else safe.exception()
        words = _OK if error is None else _TROUBLE
        if isinstance(error, NotNow):
            words = str(error)
        elif isinstance(error, DatabaseTrouble):
            log.warning("mail not accepted: %s", error)
        elif error is not None and not safe.cancelled():
            log.error("mail not accepted", exc_info=error)
        # The commit took too long, and the client was told to try again: the mail is stored all the same, once.
        if not reply.done():
            reply.set_result(words)


class _Door(asyncio.Protocol):
    """Sends a client away before anything is built for it, or hands its connection to a session."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        connection = cast("asyncio.Transport", transport)
        address = connection.get_extra_info("peername")
        peer = str(address[0]) if address else _UNIX
        # aiosmtpd has no cap, and held 900 idle connections.
        if self._listener.is_full_for(peer):
            _count_refusal(_BUSY)
            connection.write(_BUSY)
            connection.close()
            return
        session = (_LmtpSession if self._listener.settings.lmtp else _Session)(self._listener, peer)
        connection.set_protocol(session)
        session.connection_made(connection)


def _count_refusal(answer: bytes) -> None:
    """Count a reply by its code: b"550 5.1.1 No such address here" counts for "550"."""
    REFUSED.labels(answer[:3].decode("ascii", "replace")).inc()


class _Session(SMTP):
    """One client's connection: what it does differently from aiosmtpd, whose handler it is as well."""

    line_length_limit = 2**16  # also limits how far we read of what a client sends early, to twice this
    protocol_name = "ESMTP"
    _reader: asyncio.StreamReader  # aiosmtpd's, which has no other way to read a text differently

    def __init__(self, listener: Listener, peer: str) -> None:
        settings = listener.settings
        super().__init__(
            self,
            data_size_limit=settings.max_size,
            enable_SMTPUTF8=True,
            hostname=settings.domain,
            ident=self.protocol_name,
            tls_context=listener.tls,
            timeout=_NEVER_SECONDS,
            loop=asyncio.get_running_loop(),
        )
        self.command_size_limits = defaultdict(lambda: SMTP.command_size_limit)  # aiosmtpd's is shared by all clients
        self.peer = peer
        self.busy = False  # from DATA to its reply
        self._listener = listener
        self.since = self.loop.time()  # of the connection, or of the last accepted mail
        self._replies = 0  # since then
        self._most_replies = settings.max_recipients + _SPARE_REPLIES
        self._reply: asyncio.Future[str] | None = None
        """The reply to the last mail."""
        self._deadline = self.since + settings.session_seconds
        self._timer = self.loop.call_at(self._deadline, self._give_up)
        self.ended: asyncio.Future[None] = self.loop.create_future()

    @property
    def _is_secure(self) -> bool:
        return self.session is not None and self.session.ssl is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The second call is inside TLS.
        if self.transport is None:
            self._listener.enter(self)
            self._wait(self._listener.settings.idle_seconds)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Called twice by aiosmtpd when TLS fails."""
        super().connection_lost(error)
        self._timer.cancel()
        self._listener.leave(self)
        if not self.ended.done():
            self.ended.set_result(None)

    def eof_received(self) -> bool:
        """Let a client that has finished sending get its replies; aiosmtpd would drop them, and the mail."""
        asyncio.StreamReaderProtocol.eof_received(self)
        return not self._is_secure

    def hang_up(self, farewell: bytes) -> None:
        """Say farewell and close; a client that does not read its replies cannot delay that."""
        transport = cast("asyncio.Transport", self.transport)
        if transport.is_closing():
            return
        if farewell:
            _count_refusal(farewell)
        transport.write(farewell)
        (transport.abort if transport.get_write_buffer_size() else transport.close)()

    def abort(self) -> None:
        """Cut the connection."""
        # Python 3.11.2 raises this when the end of TLS was asked for twice.
        with suppress(AttributeError):
            cast("asyncio.Transport", self.transport).abort()

    async def push(self, status: AnyStr) -> None:
        text = status if isinstance(status, str) else status.decode()
        # aiosmtpd repeats what it does not understand, control characters and all.
        answer = (text if text.isprintable() else _BAD_SYNTAX).encode()
        if answer >= b"4":
            _count_refusal(answer)
        self._replies += 1
        # Commands without a mail could go on for ever.
        if self._replies > self._most_replies:
            self.hang_up(_NO_MAILS)
            await asyncio.sleep(0)  # the end of the connection cancels this task here
            return
        self._wait(self._listener.settings.idle_seconds)
        with suppress(ConnectionResetError):  # the end of the connection cancels this task
            await super().push(answer)

    async def handle_exception(self, error: Exception) -> str:
        if isinstance(error, asyncio.IncompleteReadError):
            self.hang_up(b"")
        # A TLS failure is the client's, and aiosmtpd closes then.
        elif not isinstance(error, TLSSetupException):
            log.error("SMTP session failed", exc_info=error)
        return _TROUBLE

    async def handle_EHLO(  # noqa: N802
        self, _server: SMTP, session: Session, _envelope: Envelope, hostname: str, replies: list[str]
    ) -> list[str]:
        """Hide AUTH, which aiosmtpd offers inside TLS; offer PIPELINING, which it supports without saying so."""
        session.host_name = hostname
        return [replies[0], "250-PIPELINING", *(reply for reply in replies[1:] if not reply.startswith("250-AUTH"))]

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        listener, others = self._listener, envelope.rcpt_tos
        # aiosmtpd takes 20,000. RFC 5321, 4.5.3.1.10: 452, so that the rest comes in another transaction.
        # So does an answer to a second board: the same move is another mail there, with a fate of its own.
        if len(others) >= listener.settings.max_recipients or listener.is_apart(address, others):
            return "452 4.5.3 Too many recipients"
        if not listener.is_ours(address):
            return "550 5.1.1 No such address here"
        others.append(address)
        return "250 2.1.5 OK"

    async def _refuse_http(self, _arg: str | None) -> None:
        """Hang up: a web page can make a browser send SMTP commands in the body of an HTTP request."""
        self.hang_up(_NO_SMTP)
        await asyncio.sleep(0)  # the end of the connection cancels this task here

    smtp_GET = smtp_POST = smtp_PUT = smtp_HEAD = smtp_CONNECT = smtp_OPTIONS = _refuse_http  # noqa: N815

    @syntax("AUTH")
    async def smtp_AUTH(self, _arg: str) -> None:  # noqa: N802
        await self.push("502 5.5.1 AUTH is not offered")

    @syntax("STARTTLS", when="tls_context")
    async def smtp_STARTTLS(self, arg: str) -> None:  # noqa: N802
        """Refuse a second STARTTLS; aiosmtpd would begin TLS within TLS."""
        if self._is_secure:
            await self.push("503 5.5.1 TLS is in use already")
        else:
            await super().smtp_STARTTLS(arg)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        if arg:
            await self.push("501 5.5.4 Syntax: DATA")
        elif self.envelope is None or not self.envelope.rcpt_tos:
            await self.push("503 5.5.1 Name a recipient first")
        elif reply := await self._forecast(self.envelope):
            await self.push(reply)
        else:
            self.busy = True
            await self.push("354 End with a line that has only a dot")
            self._wait(self._listener.settings.data_seconds)
            text, envelope = await self._read_text(), self.envelope
            reply = _TOO_LARGE if text is None else await self._commit(envelope, text)
            self.envelope = Envelope()
            await self._push_verdict(envelope, reply)
            self.busy = False
            if self._listener.closing:
                self.hang_up(_CLOSING)

    async def _read_text(self) -> bytes | None:
        """The text as it came, up to its lone dot; None if it is longer than we take, after reading to its end."""
        text, too_large = bytearray(), False
        while text != b".\r\n" and not text.endswith(b"\r\n.\r\n"):
            try:
                text += await self._reader.readuntil(b".\r\n")
            # A long stretch without an end of line: it is taken as it is, so that only the whole mail is limited.
            except asyncio.LimitOverrunError as overrun:
                text += await self._reader.readexactly(overrun.consumed)
            # Read to its end all the same, because a client that still sends does not listen for a reply.
            if len(text) > self._listener.settings.max_size + len(b".\r\n"):
                too_large = True
                del text[: -len(b"\r\n.\r\n")]
        return None if too_large else bytes(text)

    async def _forecast(self, envelope: Envelope) -> str:
        """The reply to a mail that its client says is large (RFC 1870) and that would be refused; empty for others."""
        sizes = [int(option[5:]) for option in envelope.mail_options if option.startswith("SIZE=")]
        return await self._listener.forecast(self._handed_over(envelope)) if max(sizes, default=0) >= _LARGE else ""

    def _handed_over(self, envelope: Envelope, text: bytes = b"") -> Arriving:
        sender = (envelope.mail_from or "").removeprefix("<>")
        return Arriving(sender, tuple(dict.fromkeys(envelope.rcpt_tos)), mended(text), peer=self.peer)

    async def _commit(self, envelope: Envelope, text: bytes) -> str:
        mail = self._handed_over(envelope, text)
        self._reply = self.loop.create_future()
        self._ring_in(self._listener.settings.commit_seconds)
        reply = await self._listener.commit(mail, self._reply)
        if reply != _OK:
            return reply
        self._replies = 0
        self.since = self.loop.time()
        self._deadline = self.since + self._listener.settings.session_seconds
        return _OK

    async def _push_verdict(self, _envelope: Envelope, reply: str) -> None:
        await self.push(reply)

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """The address and the parameters after it; None twice if it is no address or would cause trouble later:
        aiosmtpd's parser is slow, fails on odd quotes and accepts octets that no database stores.
        """
        path = _PATH.fullmatch(arg)
        # Surrogates (octets that are not UTF-8) are not printable.
        if path is None or not arg.isprintable():
            return None, None
        return path[1] or path[2] or "<>", path[3] or ""

    def _wait(self, seconds: float) -> None:
        """Give up after so long, or at the deadline of the connection."""
        self._ring_in(min(seconds, self._deadline - self.loop.time()))

    def _ring_in(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        # Only the client is waited for; a mail that is being stored gets its reply below, and is not interrupted.
        if self._reply is None or self._reply.done():
            self.hang_up(_TIMED_OUT)
            return
        self._reply.set_result(_TROUBLE)
        self._ring_in(self._listener.settings.idle_seconds)


class _LmtpSession(LMTP, _Session):
    """RFC 2033: LHLO as the greeting, and after DATA one reply for each recipient named."""

    protocol_name = "LMTP"

    async def _push_verdict(self, envelope: Envelope, reply: str) -> None:
        for _ in envelope.rcpt_tos:
            await self.push(reply)


def mended(text: bytes) -> bytes:
    """The mail in what DATA carried up to its lone dot: without that dot, dots unstuffed, line ends mended.

    CR CR LF, which programs produce that convert twice, is one line end.
    """
    body = (b"\r\n" + text).removesuffix(b".\r\n").replace(b"\r\n.", b"\r\n")[2:]
    return re.sub(rb"\r{0,2}\n", b"\n", body).replace(b"\r", b" ").replace(b"\n", b"\r\n")


def _network(peer: str) -> str:
    """The network that counts as one peer: an IPv4 address, or an IPv6 /64."""
    return str(ipaddress.ip_network((peer, 64), strict=False)) if ":" in peer else peer


def _tls_context(settings: ListenSettings) -> ssl.SSLContext | None:
    if settings.tls_certificate is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    return context


async def _settle(tasks: set[Any], seconds: float) -> None:
    """Wait for the tasks, but not longer than this."""
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
