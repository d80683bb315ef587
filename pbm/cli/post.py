"""A small post office for one machine: a live server, and the mail programs of a few players, all over real SMTP.

The server's own mail goes to a second SMTP listener that stands for the players' mail provider. Nothing leaves the
loopback interface.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import email.utils
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import aiosmtplib

from pbm.domain.configuration import DeliverySettings, ListenSettings, SmarthostSettings
from pbm.edges.receive import Accepted, Listener
from pbm.edges.server import Server
from pbm.edges.transports import Smarthost
from pbm.mailin import Robot
from pbm.server import Service, Settings
from pbm.store import Store

SERVER_DOMAIN = "pbm.example"
PLAYERS_DOMAIN = "players.example"
_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail a player got."""

    message: EmailMessage

    @property
    def text(self) -> str:
        plain = self.message.get_body(("plain",))
        return str(plain.get_content()) if plain is not None else ""

    @property
    def answer_to(self) -> str:
        """The address an answer goes to."""
        return str(self.message["Reply-To"] or self.message["From"])


class MailProgram:
    """One player's mail program: it sends, keeps what comes, and answers the latest mail as real programs do."""

    def __init__(self, office: PostOffice, name: str) -> None:
        self.name = name
        self.address = f"{name}@{PLAYERS_DOMAIN}"
        self.received: list[Letter] = []
        self._office = office
        self._arrived = asyncio.Condition()

    async def write(self, subject: str, text: str = "") -> EmailMessage:
        """Send a mail to the server's plain address."""
        return await self._send(self._mail(self._office.robot.address, subject, text))

    async def answer(self, text: str, letter: Letter | None = None) -> EmailMessage:
        """Answer a mail, by default the latest, with the text above the quoted original."""
        letter = letter or self.received[-1]
        subject = str(letter.message["Subject"])
        quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
        body = f"{text}\n\n{letter.message['From']} wrote:\n{quoted}\n"
        mail = self._mail(letter.answer_to, subject if subject.startswith("Re:") else f"Re: {subject}", body)
        mail["In-Reply-To"] = letter.message["Message-ID"]
        return await self._send(mail)

    async def send_again(self, mail: EmailMessage) -> None:
        """Deliver the same mail once more, as mail servers do when they missed the acknowledgement."""
        await self._send(mail)

    async def wait_for(self, count: int) -> list[Letter]:
        """The mails from number `count` on, once there is at least one. Raises: TimeoutError."""
        async with asyncio.timeout(_PATIENCE_SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: len(self.received) > count)
        return self.received[count:]

    async def take(self, data: bytes) -> None:
        """A mail arrives."""
        message = email.message_from_bytes(data, policy=email.policy.default)
        async with self._arrived:
            self.received.append(Letter(message))
            self._arrived.notify_all()

    def _mail(self, to: str, subject: str, text: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"] = f"{self.name.capitalize()} <{self.address}>"
        mail["To"] = to
        mail["Subject"] = subject
        mail["Date"] = email.utils.localtime()
        mail["Message-ID"] = f"<{uuid.uuid4()}@{PLAYERS_DOMAIN}>"
        mail.set_content(text)
        return mail

    async def _send(self, mail: EmailMessage) -> EmailMessage:
        recipient = email.utils.parseaddr(str(mail["To"]))[1]
        await aiosmtplib.send(
            mail, sender=self.address, recipients=[recipient], hostname="127.0.0.1", port=self._office.port
        )
        return mail


class PostOffice:
    """The live server and the players' mail provider, on free ports."""

    def __init__(self, database: Path) -> None:
        self.robot = Robot("pbm", SERVER_DOMAIN)
        self._programs: dict[str, MailProgram] = {}
        self._provider = Listener(
            ListenSettings(listen="127.0.0.1:0", domain=PLAYERS_DOMAIN),
            self._deliver,
            lambda address: address.endswith(f"@{PLAYERS_DOMAIN}"),
        )
        self._service = Service(Store(f"sqlite:///{database}"), Settings(self.robot))
        self._server: Server | None = None

    @property
    def port(self) -> int:
        """Where the server listens."""
        assert self._server is not None  # noqa: S101  it runs as long as the office is open
        return self._server.port

    def program(self, name: str) -> MailProgram:
        """The mail program of a player, made when first asked for."""
        if name not in self._programs:
            self._programs[name] = MailProgram(self, name)
        return self._programs[name]

    def programs(self) -> list[MailProgram]:
        return list(self._programs.values())

    async def open(self) -> None:
        await self._provider.start()
        smarthost = Smarthost(SmarthostSettings(host="127.0.0.1", port=self._provider.port, tls="none"))
        listen = ListenSettings(listen="127.0.0.1:0", domain=SERVER_DOMAIN)
        self._server = Server(self._service, listen, smarthost, DeliverySettings(), thinks=True)
        await self._server.start()

    async def close(self) -> None:
        if self._server is not None:
            await self._server.stop()
        await self._provider.stop()
        self._service.close()

    async def _deliver(self, mail: Accepted) -> None:
        for recipient in mail.recipients:
            await self.program(recipient.partition("@")[0]).take(mail.data)


@asynccontextmanager
async def post_office(database: Path) -> AsyncIterator[PostOffice]:
    office = PostOffice(database)
    await office.open()
    try:
        yield office
    finally:
        await office.close()
