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
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import aiosmtplib
import click

from pbm.cli.frame import Invocation, log_warnings
from pbm.domain.configuration import DeliverySettings, ListenSettings, SmarthostSettings
from pbm.edges.receive import Accepted, Listener
from pbm.edges.server import Server
from pbm.edges.transports import Smarthost
from pbm.mailin import Robot
from pbm.server import Service, Settings
from pbm.store import Store

SERVER_DOMAIN = "pbm.example"
PLAYERS_DOMAIN = "players.example"
_PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail that a player got."""

    message: EmailMessage

    @property
    def text(self) -> str:
        plain = self.message.get_body(("plain",))
        return str(plain.get_content()).replace("\r\n", "\n") if plain is not None else ""

    @property
    def answer_to(self) -> str:
        """The address that an answer goes to."""
        return str(self.message["Reply-To"] or self.message["From"])


class MailProgram:
    """One player's mail program: it sends, keeps what arrives, and answers the latest mail as real programs do."""

    def __init__(self, office: PostOffice, name: str) -> None:
        self.name = name
        self.address = f"{name}@{PLAYERS_DOMAIN}"
        self.received: list[Letter] = []
        self._office = office
        self._arrived = asyncio.Condition()

    async def write(self, subject: str, text: str = "") -> EmailMessage:
        """Send a mail to the server's plain address."""
        return await self.send(self._mail(self._office.robot.address, subject, text))

    async def answer(self, text: str, letter: Letter | None = None) -> EmailMessage:
        """Answer a mail, by default the latest, with the text above the quoted original."""
        letter = letter or self.received[-1]
        subject = str(letter.message["Subject"])
        quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
        body = f"{text}\n\n{letter.message['From']} wrote:\n{quoted}\n"
        mail = self._mail(letter.answer_to, subject if subject.startswith("Re:") else f"Re: {subject}", body)
        mail["In-Reply-To"] = letter.message["Message-ID"]
        return await self.send(mail)

    async def wait_for(self, count: int) -> list[Letter]:
        """All mails after the first `count`, once there is at least one. Raises: TimeoutError."""
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

    async def deliver(self, mail: Accepted) -> None:
        for recipient in mail.recipients:
            await self.program(recipient.partition("@")[0]).take(mail.data)


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


Show = Callable[[str], None]

FIRST_STONE = "H11"
"""Alice's, which Bob then takes over by the swap."""
BOB_AS_O = ["A3", "I4", "B4", "I5", "C4", "H5", "D5", "H6", "E5", "G6", "F7", "G8", "G9", "H10", "F6"]
ALICE_AS_X = ["C7", "C8", "D1", "D2", "D6", "D7", "E3", "E4", "E6", "F5", "G7", "H7", "I8", "J8", "K9"]
"""Together they make the left board on the game's own help page: O connects three sides, no two adjacent."""

_WIDTH = 78


@dataclass(slots=True)
class Screen:
    """Shows every mail when it is sent and when it arrives."""

    show: Show

    async def says(self, who: MailProgram, subject: str, text: str = "") -> None:
        """Send a mail to the server, and wait for the answers to its sender."""
        seen = len(who.received)
        self.sent(who, await who.write(subject, text), subject)
        self.arrived(who, await who.wait_for(seen))

    async def answers(
        self, who: MailProgram, text: str, *others: MailProgram, letter: Letter | None = None
    ) -> EmailMessage:
        """Answer the latest mail, or `letter`; wait until the sender and the others have got mail."""
        seen = {reader.name: len(reader.received) for reader in (who, *others)}
        mail = await who.answer(text, letter)
        self.sent(who, mail, text)
        for reader in (who, *others):
            self.arrived(reader, await reader.wait_for(seen[reader.name]))
        return mail

    def sent(self, who: MailProgram, mail: EmailMessage, text: str) -> None:
        self.show(_rule(f"{who.name} writes to {mail['To']}"))
        self.show(text)
        self.show("")

    def arrived(self, who: MailProgram, letters: list[Letter]) -> None:
        for letter in letters:
            self.show(_rule(f"mail for {who.name}: {letter.message['Subject']}"))
            self.show(letter.text)

    def says_aside(self, text: str) -> None:
        self.show(_rule(text, "="))


def _rule(text: str, line: str = "-") -> str:
    return f"{line * 2} {text} ".ljust(_WIDTH, line)


async def play_demo(office: PostOffice, show: Show) -> None:
    """Play the game. Raises: RuntimeError if it does not end as it must."""
    stage, alice, bob = Screen(show), office.program("alice"), office.program("bob")
    for who in (alice, bob):
        await stage.says(who, f"signup {who.name} open-sesame-{who.name}")
        await stage.answers(who, "Yes, that was me.")
    seen = len(bob.received)
    await stage.says(alice, f"cross challenge alice bob {alice.name} open-sesame-{alice.name}", "Shall we?")
    stage.arrived(bob, await bob.wait_for(seen))
    await stage.answers(alice, FIRST_STONE, bob)
    old = bob.received[-1]
    stage.says_aside("Bob takes over O and the stone")
    await stage.answers(bob, "swap", alice)
    await _troubles(stage, alice, bob, old)
    for x, o in zip(ALICE_AS_X[1:], BOB_AS_O[1:], strict=True):
        await stage.answers(alice, x, bob)
        await stage.answers(bob, o, alice)
    if "bob (O) won by connecting three non-adjacent sides" not in alice.received[-1].text:
        raise RuntimeError("the game did not end as it should")
    stage.says_aside("Bob has won: O connects three sides of which no two are neighbours")


async def _troubles(stage: Screen, alice: MailProgram, bob: MailProgram, old: Letter) -> None:
    """Accidents of real life, which change nothing."""
    stage.says_aside("An illegal move: the cell is taken")
    await stage.answers(alice, FIRST_STONE)
    stage.says_aside("A good move, whose email is delivered twice: it is played once")
    await alice.send(await stage.answers(alice, ALICE_AS_X[0], bob))
    stage.says_aside("A stale answer: Bob answers a board email that is two plies old")
    await stage.answers(bob, "A1", letter=old)
    await stage.answers(bob, BOB_AS_O[0], alice)


async def _play(show: Show) -> None:
    log_warnings()
    with tempfile.TemporaryDirectory(prefix="pbm-") as folder:
        async with post_office(Path(folder) / "pbm.db") as office:
            await play_demo(office, show)


def demo(_: Invocation) -> None:
    asyncio.run(_play(click.echo))
