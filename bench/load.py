"""The other side of a server under load: mail programs that send moves, and the mail server its answers go to.

Both speak just enough SMTP, and read in a mail only whether the other player is to move now.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

from bench.worlds import Game, World, reply

_TOKEN = re.compile(rb"^Reply-To: (pbm\+[a-z0-9]+@\S+)", re.MULTILINE)
_BOARD = re.compile(rb"^Subject: Cross Board (\d+) ", re.MULTILINE)
_ID = re.compile(rb"^Message-ID: (<\S+>)", re.MULTILINE)
_YOURS = b"\r\nIt is your turn"
_FIRST_ID = "<first@pbm.example>"
_HEAD = 4000
"""How many octets of a mail tell whose turn it is."""


@dataclass(frozen=True, slots=True)
class Envelope:
    recipient: str
    raw: bytes
    sender: str = "q1@players.example"


class Sink(asyncio.Protocol):
    """Takes every mail."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._heard = bytearray()
        self._in_text = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        self._heard += data
        answers: list[bytes] = []
        while (end := self._heard.find(b"\r\n.\r\n" if self._in_text else b"\r\n")) >= 0:
            if self._in_text:
                self._take(bytes(self._heard[:end]))
                answers.append(b"250 taken\r\n")
                self._in_text = False
            else:
                answers.append(self._answer(bytes(self._heard[:4]).upper()))
            del self._heard[: end + (5 if answers[-1] == b"250 taken\r\n" else 2)]
        self._transport.write(b"".join(answers))

    def _answer(self, verb: bytes) -> bytes:
        if verb == b"DATA":
            self._in_text = True
            return b"354 go on\r\n"
        if verb == b"EHLO":
            return b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
        return b"221 bye\r\n" if verb == b"QUIT" else b"250 ok\r\n"


class Sender(asyncio.Protocol):
    """One connection of a mail program, which waits for each answer. free: called when it has nothing to do."""

    def __init__(self, free: Callable[[Sender], None]) -> None:
        self._free = free
        self._words: deque[bytes] = deque([b"EHLO bench\r\n"])
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def start(self, mail: Envelope) -> None:
        text = b"%b\r\n.\r\n" % mail.raw.removesuffix(b"\r\n")
        words = (
            b"MAIL FROM:<%b>\r\n" % mail.sender.encode(),
            b"RCPT TO:<%b>\r\n" % mail.recipient.encode(),
            b"DATA\r\n",
            text,
        )
        self._words.extend(words[1:])
        self._transport.write(words[0])

    def data_received(self, data: bytes) -> None:
        self._heard += data
        last = self._heard[:-1].rpartition(b"\n")[2]
        if not self._heard.endswith(b"\n") or last[3:4] == b"-":
            return
        if last.startswith(b"421"):
            return  # the server is stopping
        if last[:1] not in b"23":
            raise RuntimeError(f"the server says {last!r}")
        self._heard = b""
        if self._words:
            self._transport.write(self._words.popleft())
        else:
            self._free(self)


@dataclass(slots=True)
class Load:
    """Plays on the boards of a world: the player to move answers their board mail, once a move is due.

    waiting: boards on which a move can be sent. eager: every move is due at once. latencies: seconds from when a move
    was due until the opponent's mail came.
    """

    games: dict[int, Game]
    waiting: deque[tuple[Game, str]]
    eager: bool = True
    latencies: list[float] = field(default_factory=list)
    mails: int = 0
    octets: int = 0
    """Of the server's mails."""
    _free: deque[Sender] = field(default_factory=deque)
    _due: deque[Envelope] = field(default_factory=deque)
    _came: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def on(cls, world: World, *, eager: bool = True) -> Load:
        games = {game.board: game for game in world.games}
        return cls(games, deque((game, _FIRST_ID) for game in world.games), eager)

    def take(self, raw: bytes) -> None:
        """Take a mail from the server."""
        self.mails += 1
        self.octets += len(raw)
        self._came.set()
        head = raw[:_HEAD]
        board, token, message_id = _BOARD.search(head), _TOKEN.search(head), _ID.search(head)
        if board is None or token is None or message_id is None or _YOURS not in head:
            return
        game = self.games[int(board[1])]
        if game.sent_at:
            self.latencies.append(time.perf_counter() - game.sent_at)
        game.recipient = token[1].decode()
        if game.cells:
            self.waiting.append((game, message_id[1].decode()))
            if self.eager:
                self.release(1)

    def release(self, count: int) -> int:
        """Make up to `count` moves due now; returns how many there were to send."""
        due = min(count, len(self.waiting))
        for _ in range(due):
            game, answers = self.waiting.popleft()
            raw = reply(game, game.cells.pop(), datetime.now(UTC), answers)
            game.sent_at = time.perf_counter()
            self._due.append(Envelope(game.recipient, raw, game.addresses[0]))
            game.passes_turn()
        while self._due and self._free:
            self._free.popleft().start(self._due.popleft())
        return due

    def free(self, sender: Sender) -> None:
        """Give a connection that has nothing to do the next mail."""
        if self._due:
            sender.start(self._due.popleft())
        else:
            self._free.append(sender)

    @property
    def unsent(self) -> int:
        """Moves that are due and wait for a connection."""
        return len(self._due)

    async def mails_came(self, count: int) -> None:
        """Returns once the server has sent this many mails."""
        while self.mails < count:
            self._came.clear()
            await self._came.wait()


@asynccontextmanager
async def sinking(load: Load) -> AsyncIterator[int]:
    """The port of a mail server that hands its mails to the load."""
    server = await asyncio.get_running_loop().create_server(lambda: Sink(load.take), "127.0.0.1", 0, backlog=1000)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def connect(port: int, connections: int, free: Callable[[Sender], None]) -> list[asyncio.BaseTransport]:
    """Connections to a server. free: called whenever one has nothing to do, first after the greeting."""
    loop = asyncio.get_running_loop()
    return [(await loop.create_connection(lambda: Sender(free), "127.0.0.1", port))[0] for _ in range(connections)]
