"""A post office on this machine, and a whole game of Cross between two mail programs over it, for `pbm demo`.

The post office is a live server and its players' mail programs, all over real SMTP. The server's own mail goes to a
second SMTP listener, which stands for the players' mail provider. Nothing leaves the loopback interface.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import email.utils
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from email.message import EmailMessage
from pathlib import Path

import aiosmtplib
import click

from pbm.cli.frame import Invocation, log_warnings
from pbm.domain.configuration import DeliverySettings, ListenSettings, SmarthostSettings
from pbm.edges.receive import Listener
from pbm.edges.server import Server
from pbm.edges.transports import Smarthost
from pbm.mailin import Robot
from pbm.server import Arriving, Service, Settings
from pbm.store import Store

SERVER_DOMAIN = "pbm.example"
PLAYERS_DOMAIN = "players.example"
_PATIENCE_SECONDS = 120.0


def text_of(mail: EmailMessage) -> str:
    plain = mail.get_body(("plain",))
    return str(plain.get_content()).replace("\r\n", "\n") if plain is not None else ""


class MailProgram:
    """One player's mail program: it sends, keeps what arrives, and answers the latest mail as real programs do."""

    def __init__(self, office: PostOffice, name: str) -> None:
        self.name = name
        self.address = f"{name}@{PLAYERS_DOMAIN}"
        self.received: list[EmailMessage] = []
        self._office = office
        self._arrived = asyncio.Condition()

    async def write(self, subject: str, text: str = "") -> EmailMessage:
        """Send a mail to the server's plain address."""
        return await self.send(self._mail(self._office.robot.address, subject, text))

    async def answer(self, text: str, to: EmailMessage | None = None) -> EmailMessage:
        """Answer a mail, by default the latest, with the text above the quoted original."""
        to = to or self.received[-1]
        subject = str(to["Subject"])
        quoted = "\n".join(f"> {line}" for line in text_of(to).splitlines())
        body = f"{text}\n\n{to['From']} wrote:\n{quoted}\n"
        address = str(to["Reply-To"] or to["From"])
        mail = self._mail(address, subject if subject.startswith("Re:") else f"Re: {subject}", body)
        mail["In-Reply-To"] = to["Message-ID"]
        return await self.send(mail)

    async def wait_for(self, count: int) -> list[EmailMessage]:
        """All mails after the first `count`, once there is at least one. Raises: TimeoutError."""
        async with asyncio.timeout(_PATIENCE_SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: len(self.received) > count)
        return self.received[count:]

    async def take(self, data: bytes) -> None:
        """A mail arrives."""
        message = email.message_from_bytes(data, policy=email.policy.default)
        async with self._arrived:
            self.received.append(message)
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

    async def send(self, mail: EmailMessage) -> EmailMessage:
        """Deliver a mail, perhaps once more, as mail servers do when they missed the acknowledgement."""
        recipient = email.utils.parseaddr(str(mail["To"]))[1]
        await aiosmtplib.send(
            mail, sender=self.address, recipients=[recipient], hostname="127.0.0.1", port=self._office.port
        )
        return mail


class PostOffice:
    """The players' mail programs, and the address of the server that they write to."""

    robot = Robot("pbm", SERVER_DOMAIN)
    port = 0
    """The port on which the server listens."""

    def __init__(self) -> None:
        self.programs: dict[str, MailProgram] = {}

    def program(self, name: str) -> MailProgram:
        """The mail program of a player, created when first asked for."""
        if name not in self.programs:
            self.programs[name] = MailProgram(self, name)
        return self.programs[name]

    async def deliver(self, mail: Arriving) -> None:
        for recipient in mail.recipients:
            await self.program(recipient.partition("@")[0]).take(mail.raw)


@asynccontextmanager
async def post_office(database: Path, office: PostOffice | None = None) -> AsyncIterator[PostOffice]:
    """Run a live server and the players' mail provider, on free ports, until the block ends."""
    office, here = office or PostOffice(), "127.0.0.1"
    of_players = ListenSettings(listen=f"{here}:0", domain=PLAYERS_DOMAIN)
    provider = Listener(of_players, office.deliver, lambda address: address.endswith(f"@{PLAYERS_DOMAIN}"))
    await provider.start()
    smarthost = Smarthost(SmarthostSettings(host=here, port=provider.port, tls="none"))
    service = Service(Store(f"sqlite:///{database}"), Settings(office.robot))
    listen = ListenSettings(listen=f"{here}:0", domain=SERVER_DOMAIN)
    server = Server(service, listen, smarthost, DeliverySettings(), thinks=True)
    await server.start()
    office.port = server.port
    try:
        yield office
    finally:
        await server.stop()
        await provider.stop()
        service.close()


FIRST_STONE = "H11"
"""Alice's, which Bob then takes over by the swap."""
BOB_AS_O = ["A3", "I4", "B4", "I5", "C4", "H5", "D5", "H6", "E5", "G6", "F7", "G8", "G9", "H10", "F6"]
ALICE_AS_X = ["C7", "C8", "D1", "D2", "D6", "D7", "E3", "E4", "E6", "F5", "G7", "H7", "I8", "J8", "K9"]
"""Together they make the left board on the game's own help page: O connects three sides, no two adjacent."""


def _show_heading(text: str, line: str = "-") -> None:
    click.echo(f"{line * 2} {text} ".ljust(78, line))


async def _show(writes: Awaitable[EmailMessage], *readers: MailProgram) -> EmailMessage:
    """Send a mail, and show it and what then comes for each of the readers, of whom the first has written it."""
    before = {reader.name: len(reader.received) for reader in readers}
    mail = await writes
    _show_heading(f"{readers[0].name} writes to {mail['To']}")
    subject = str(mail["Subject"]) if mail["In-Reply-To"] is None else ""
    click.echo("\n".join([*filter(None, (subject, text_of(mail).split("\n\n")[0].strip())), ""]))
    for reader in readers:
        for letter in await reader.wait_for(before[reader.name]):
            _show_heading(f"mail for {reader.name}: {letter['Subject']}")
            click.echo(text_of(letter))
    return mail


async def play_demo(office: PostOffice) -> None:
    """Play the game. Raises: RuntimeError if it does not end as it must."""
    alice, bob = office.program("alice"), office.program("bob")
    for who in (alice, bob):
        await _show(who.write(f"signup {who.name} open-sesame-{who.name}"), who)
        await _show(who.answer("Yes, that was me."), who)
    await _show(alice.write("cross challenge alice bob alice open-sesame-alice", "Shall we?"), alice, bob)
    await _show(alice.answer(FIRST_STONE), alice, bob)
    old = bob.received[-1]
    _show_heading("Bob takes over O and the stone", "=")
    await _show(bob.answer("swap"), bob, alice)
    _show_heading("An illegal move: the cell is taken", "=")
    await _show(alice.answer(FIRST_STONE), alice)
    _show_heading("A good move, whose email is delivered twice: it is played once", "=")
    await alice.send(await _show(alice.answer(ALICE_AS_X[0]), alice, bob))
    _show_heading("A stale answer: Bob answers a board email that is two plies old", "=")
    await _show(bob.answer("A1", old), bob)
    await _show(bob.answer(BOB_AS_O[0]), bob, alice)
    for x, o in zip(ALICE_AS_X[1:], BOB_AS_O[1:], strict=True):
        await _show(alice.answer(x), alice, bob)
        await _show(bob.answer(o), bob, alice)
    if "bob (O) won by connecting three non-adjacent sides" not in text_of(alice.received[-1]):
        raise RuntimeError("the game did not end as it should")
    _show_heading("Bob has won: O connects three sides of which no two are neighbours", "=")


def demo(_: Invocation) -> None:
    async def play() -> None:
        async with post_office(Path(folder) / "pbm.db") as office:
            await play_demo(office)

    log_warnings()
    with tempfile.TemporaryDirectory(prefix="pbm-") as folder:
        asyncio.run(play())
