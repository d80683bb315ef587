"""Ways out for one mail to one recipient: a smarthost, Maildirs, a sendmail command. Knows nothing of the outbox.

Invariants: send() returns only when the next system, or the disk, has taken the mail; otherwise it raises
RecipientRefused if the address is to blame, or TemporaryFailure. When in doubt a failure is temporary: the caller sends
the same bytes again, with the same Message-ID, so a mail may come twice but does not vanish.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import ssl
import tempfile
from collections import deque
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import aiosmtplib
from aiosmtplib import SMTPResponseException, SMTPStatus

from pbm.domain.addresses import MAILBOX
from pbm.domain.configuration import SmarthostSettings
from pbm.store.backup import sync_folder
from pbm.values import frozen


@frozen
class Outgoing:
    """One mail for one recipient. envelope_from may be empty, the null return path. data is complete, with CRLF line
    ends. outbox_id, unique in one database, and data are the same at every attempt.
    """

    envelope_from: str
    recipient: str
    data: bytes
    outbox_id: int


class NotSent(Exception):
    """A mail not sent. reason: one printable line; code: the SMTP reply's or the command's exit code, or None."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        self.reason = "".join(c for c in " ".join(reason.split()) if c.isprintable())[:300]
        self.code = code
        super().__init__(self.reason)


class RecipientRefused(NotSent):
    """There is no such recipient: any mail to the address fails."""


class TemporaryFailure(NotSent):
    """Not now, or it is not known whether."""


class MailRefused(TemporaryFailure):
    """This text, or every mail, is refused for good, which says nothing about the address.

    Temporary, because it ends when somebody mends the filter, the login or the next server.
    """


class Unreachable(TemporaryFailure):
    """No mail at all can be handed over now: the fault lies with the way, not with this mail."""


class MaybeTaken(TemporaryFailure):
    """The text was sent and nothing came back: it may have been taken, so each further try may send it once more."""


class _Unsent(TemporaryFailure):
    """The connection ended before any of the mail's text was sent: trying another at once cannot send it twice."""


class Transport(Protocol):
    """A way out. Any number of send() may run at once."""

    async def send(self, mail: Outgoing) -> None:
        """Raises: RecipientRefused, TemporaryFailure."""

    async def close(self) -> None:
        """Close what is kept open; send() is not called afterwards."""


class Stage(StrEnum):
    """The point in the dialogue at which the server refuses, by its command."""

    SENDER = "MAIL"
    RECIPIENT = "RCPT"
    TEXT = "DATA"


_ENVELOPE = re.compile(f"(?:{MAILBOX})?")
_GOODBYE_SECONDS = 2
_TEXT_PATIENCE = 10
"""How many times as long the answer to a text may take: giving up sooner sends it twice (RFC 5321 4.5.3.2.6)."""


class Connection(aiosmtplib.SMTP):
    """A connection over which mails go one after another."""

    was_used = False
    """Whether a mail was handed over on it, or refused."""


class Smarthost:
    """Delivery over SMTP connections that are kept open.

    A connection that was used may have died unnoticed, or its server may take no more mails on it. If it fails before
    DATA, the mail is tried on another. After DATA it is not known whether the server took the mail: MaybeTaken.

    A server may accept fewer connections than we would open: then the mail waits for an open one to be free, or for one
    to be closed.
    """

    def __init__(self, settings: SmarthostSettings, domain: str = "localhost") -> None:
        """domain: the name by which we greet the server."""
        self._settings = settings
        self._domain = domain
        self._tls = None if settings.tls == "none" else ssl.create_default_context(cafile=settings.ca_file)
        self._kept: list[Connection] = []
        self._under_way = 0
        """How many mails have a connection, or are opening one."""
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()

    async def send(self, mail: Outgoing) -> None:
        # The next server might misread an odd address.
        both = mail.recipient, mail.envelope_from
        if not (mail.recipient and all(_ENVELOPE.fullmatch(address) and address.isprintable() for address in both)):
            raise RecipientRefused(f"{mail.envelope_from!r} or {mail.recipient!r} is no email address")
        while True:
            connection = await self._free()
            is_new = not connection.was_used
            try:
                return await self._hand_over(connection, mail)
            except _Unsent:
                # One that was kept open may have died unnoticed; if a fresh one fails, the server is in trouble.
                if is_new:
                    raise

    async def close(self) -> None:
        while self._kept:
            connection = self._kept.pop()
            with suppress(aiosmtplib.SMTPException):
                await connection.quit(timeout=_GOODBYE_SECONDS)
            connection.close()

    async def _free(self) -> Connection:
        """A connection that is or becomes free; the mail counts as under way then. Raises: Unreachable."""
        if self._under_way >= self._settings.connections:
            return await self._passed_on() or await self._connection()
        self._under_way += 1
        return self._kept.pop() if self._kept else await self._connection()

    async def _connection(self) -> Connection:
        """A new connection; if the server accepts no more, one that another mail is done with. Raises: Unreachable.

        The mail is under way before, and no longer is if this raises.
        """
        while True:
            try:
                return await self._connect()
            except Unreachable as refusal:
                self._under_way -= 1
                # The server accepts none though none is open: nothing will be passed on to those who wait.
                if not self._under_way:
                    while (waiting := self._next_waiting()) is not None:
                        waiting.set_exception(Unreachable(refusal.reason, refusal.code))
                    raise
            except BaseException:
                self._leave(None)
                raise
            if (connection := await self._passed_on()) is not None:
                return connection

    async def _passed_on(self) -> Connection | None:
        """What the next finished mail leaves: its connection, or None for only its place. The mail is under way again.

        Raises: Unreachable when nothing is left to wait for.
        """
        waiting: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            # The connection was passed to us at the moment we gave up: it would be lost to all.
            if not waiting.cancelled() and waiting.exception() is None:
                self._leave(waiting.result())
            raise

    def _leave(self, connection: Connection | None) -> None:
        """A mail is done with its connection, or has none: hand its place to a mail that waits."""
        if (waiting := self._next_waiting()) is not None:
            waiting.set_result(connection)
            return
        self._under_way -= 1
        if connection is not None:
            self._kept.append(connection)

    def _next_waiting(self) -> asyncio.Future[Connection | None] | None:
        while self._waiting:
            if not (waiting := self._waiting.popleft()).done():
                return waiting
        return None

    async def _connect(self) -> Connection:
        settings = self._settings
        client = Connection(
            hostname=settings.host,
            port=settings.port,
            local_hostname=self._domain,
            username=settings.username,
            password=settings.password.get_secret_value() if settings.password else None,
            timeout=settings.timeout_seconds,
            use_tls=settings.tls == "implicit",
            start_tls=settings.tls == "starttls",
            tls_context=self._tls,
        )
        try:
            await _introduce(client)
        except SMTPResponseException as refusal:
            raise Unreachable(f"{refusal.code} {refusal.message}", refusal.code) from refusal
        except (aiosmtplib.SMTPException, OSError) as error:
            raise Unreachable(_reason(error)) from error
        return client

    async def _hand_over(self, connection: Connection, mail: Outgoing) -> None:
        """Hand the mail over; the connection is kept if the next mail can begin anew on it."""
        parameters = f" SIZE={len(mail.data)}" if connection.supports_extension("size") else ""
        # RFC 6531, 3.4: only with this parameter may addresses hold other letters.
        if not (mail.envelope_from + mail.recipient).isascii():
            if not connection.supports_extension("smtputf8"):
                self._leave(connection)
                raise RecipientRefused("the mail server takes no addresses beyond ASCII")
            parameters += " SMTPUTF8 BODY=8BITMIME"
        sender, recipient = f"FROM:<{mail.envelope_from}>{parameters}", f"TO:<{mail.recipient}>"
        stage, is_clean, connection.was_used = Stage.SENDER, False, True
        try:
            for stage, words in ((Stage.SENDER, sender), (Stage.RECIPIENT, recipient)):
                reply = await connection.execute_command(stage.encode(), words.encode())
                if reply.code // 100 != 2:
                    raise SMTPResponseException(reply.code, reply.message)
            stage = Stage.TEXT
            await connection.data(mail.data, timeout=_TEXT_PATIENCE * self._settings.timeout_seconds)
            is_clean = True
        except (aiosmtplib.SMTPException, OSError) as error:
            # Nobody knows whether a text was taken; what was only announced cannot have been.
            if not isinstance(error, SMTPResponseException) or error.code == SMTPStatus.invalid_response:
                raise (MaybeTaken if stage is Stage.TEXT else _Unsent)(_reason(error)) from error
            with suppress(aiosmtplib.SMTPException):
                await connection.rset()
                is_clean = True
            raise _refused(stage, error) from error
        finally:
            # Otherwise a late reply would be taken for one to the next mail.
            if not is_clean:
                connection.close()
            self._leave(connection if connection.is_connected else None)


async def _introduce(client: aiosmtplib.SMTP) -> None:
    """Connect, log in and greet. If that fails nothing is left open."""
    try:
        await client.connect()
        if client.is_ehlo_or_helo_needed:
            with suppress(aiosmtplib.SMTPHeloError):
                await client.ehlo()
        if client.is_ehlo_or_helo_needed:
            await client.helo()
    except BaseException:
        client.close()
        raise


_FULL = re.compile(r"5\.(?:2\.[23]|3\.4)\b")
"""A full mailbox, too large a mail (RFC 3463): the address itself is good."""
_NOBODY = re.compile(
    r"5\.(?:1\.(?:[12346]|10)|2\.1)\b"
    r"|(?:no such|unknown) (?:user|recipient|mailbox)\b|(?:user|recipient|mailbox) (?:unknown|not found)\b"
    r"|(?:sorry, )?no mailbox here\b|unrouteable address\b",
    re.IGNORECASE,
)
"""How a refusal begins that speaks of the recipient alone: a status for which RFC 3463 or 7505 says so, or the words of
servers that give none. Further on it may quote what another server said of our address.
"""


def _refused(stage: Stage, reply: SMTPResponseException) -> NotSent:
    """What a refusal means for the mail.

    Only one that surely is of the address is final, also after DATA, where some servers check it. The rest is for
    people to mend: our return path, our right to relay, filters and lists, of all of which servers speak at RCPT with
    the same 550. 552 at RCPT is a full mailbox or too many recipients (RFC 5321 4.5.3.1.10), which passes. 421 means
    that the server closes the connection.
    """
    reason = f"{reply.code} {reply.message}"
    if stage is Stage.RECIPIENT and (reply.code == 552 or _FULL.match(reply.message)):
        return TemporaryFailure(reason, reply.code)
    if reply.code >= 500:
        is_nobody = stage is not Stage.SENDER and _NOBODY.match(reply.message)
        return (RecipientRefused if is_nobody else MailRefused)(reason, reply.code)
    if reply.code == 421 and stage in (Stage.SENDER, Stage.RECIPIENT):
        return _Unsent(reason, reply.code)
    return TemporaryFailure(reason, reply.code)


_PRIVATE = 0o700
"""Only the owner may read others' mail."""


class Maildir:
    """Delivery into a Maildir for each address, root/<address>/, created with its first mail.

    The name of a mail's file follows from its outbox_id and data, so a repeated delivery finds the first, whether it is
    still in new or a reader has moved it to cur. The data counts because a new database gives the same ids again.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def send(self, mail: Outgoing) -> None:
        try:
            await asyncio.to_thread(self._store, mail)
        except OSError as error:
            raise TemporaryFailure(_reason(error)) from error

    async def close(self) -> None:
        """Nothing is kept open."""

    def _store(self, mail: Outgoing) -> None:
        box = self._box(mail.recipient)
        text = mail.data.replace(b"\r\n", b"\n")
        name = f"{mail.outbox_id:010}.{hashlib.sha256(text).hexdigest()[:16]}.pbm"
        # A mail program moves what it has read to cur, and adds flags behind a colon.
        if any(read.name.partition(":")[0] == name for read in (box / "cur").iterdir()):
            return
        draft = box / "tmp" / f"{name}.{os.getpid()}"
        with draft.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(box / "new" / name)
        sync_folder(box / "new")

    def _box(self, address: str) -> Path:
        box = self._root / folder_name(address)
        if not (box / "cur").is_dir():
            for folder in (self._root, box, *(box / name for name in ("tmp", "new", "cur"))):
                folder.mkdir(_PRIVATE, parents=True, exist_ok=True)
            sync_folder(box)
            sync_folder(self._root)
        return box


def folder_name(address: str) -> str:
    """One safe path component, never "", "." or "..", for any text; a simple lower-case address stays as it is.

    ASCII letters become lower case, because file systems differ about case; other characters are percent-encoded, so
    that no two coincide; a name that is too long is cut and gets a digest.
    """
    name = quote(address, safe="@+=", errors="surrogatepass").lower()
    # "." and ".." are folders already, and readers of Maildirs take ".name" for a subfolder.
    if name.startswith("."):
        name = "%2e" + name[1:]
    if len(name) > 200:
        name = f"{name[:150]}%%{hashlib.sha256(name.encode()).hexdigest()[:32]}"
    return name or "%"


_EXITS = {os.EX_DATAERR: MailRefused, os.EX_NOUSER: RecipientRefused, os.EX_NOHOST: RecipientRefused}


class SendmailCommand:
    """Delivery by a program with sendmail's interface: the mail on standard input with LF line ends, sender and
    recipient as arguments, the outcome as an exit code of sysexits.h.

    argv is the command with its options, like ("/usr/sbin/sendmail", "-i"). Exit codes other than "no such user" and
    "no such host" mean trouble with the text, of the program or of the operator, and are temporary.
    """

    def __init__(self, argv: tuple[str, ...], timeout_seconds: float = 60) -> None:
        self._argv = argv
        self._timeout_seconds = timeout_seconds

    async def send(self, mail: Outgoing) -> None:
        try:
            code, complaint = await self._run(mail)
        except TimeoutError as error:
            raise MaybeTaken(f"{self._argv[0]} took more than {self._timeout_seconds:g} s") from error
        except OSError as error:
            raise TemporaryFailure(_reason(error)) from error
        # An address that cannot be an argument, such as one with a zero octet.
        except ValueError as error:
            raise RecipientRefused(_reason(error)) from error
        if code:
            kind = _EXITS.get(code, TemporaryFailure)
            raise kind(complaint or f"{self._argv[0]} ended with exit code {code}", code)

    async def close(self) -> None:
        """Nothing is kept open."""

    async def _run(self, mail: Outgoing) -> tuple[int, str]:
        """The exit code, and what it wrote to standard error.

        Files are used both ways: a background child may keep a pipe open, and some programs end before reading all.
        """
        # "--", because an address may begin with a dash.
        arguments = ("-f", mail.envelope_from or "<>", "--", mail.recipient)
        with tempfile.TemporaryFile() as text, tempfile.TemporaryFile() as errors:
            text.write(mail.data.replace(b"\r\n", b"\n"))
            text.seek(0)
            process = await asyncio.create_subprocess_exec(
                *self._argv,
                *arguments,
                stdin=text,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    await process.wait()
            finally:
                await _kill(process)
            errors.seek(0)
            return process.returncode or 0, errors.read(1000).decode(errors="replace")


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process that still runs, and its children."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _reason(error: Exception) -> str:
    # Errors of aiosmtplib hold more than their words.
    return str(getattr(error, "message", error)) or type(error).__name__
