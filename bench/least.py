"""The least that a server of moves can do: a plain loop with the same durable work and the same mails as ours.

It takes mails by SMTP, plays the first line of each on a board that it keeps in memory, commits the mail, the ply, the
match and what is owed to both players in one SQLite transaction, says 250 after that, makes both mails of what is owed
as our server does, and sends them by SMTP, marked as sent in a later transaction. It knows no people, no errors and no
clocks, and signs nothing: the price of all these is what our server takes beyond this.

Run as its own process: `python -m bench.least FOLDER URL PORT`: the database of the boards, which is only read, and the
port of the next mail server.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from bench.servers import Servers, started
from bench.worlds import ROBOT, World
from games import GAMES
from pbm.compose.notices import Notice, Reader
from pbm.compose.tell import mail_bytes
from pbm.domain.events import MovePlayed
from pbm.domain.mail import Mail
from pbm.domain.match import Match, Ply, State, replay
from pbm.domain.tokens import PlayerToken, SeatToken
from pbm.server import Service, Settings
from pbm.store import Store

_SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
CREATE TABLE inbox (id INTEGER PRIMARY KEY, raw BLOB);
CREATE TABLE plies (board INTEGER, ply INTEGER, move TEXT, PRIMARY KEY (board, ply)) WITHOUT ROWID;
CREATE TABLE matches (board INTEGER PRIMARY KEY, revision INTEGER);
CREATE TABLE boards (id INTEGER PRIMARY KEY, value BLOB);
CREATE TABLE outbox (id INTEGER PRIMARY KEY, board_id INTEGER, recipient TEXT, value BLOB, is_sent INTEGER);
"""
_ANSWERS = {b"EHLO": b"250-least\r\n250 8BITMIME\r\n", b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n"}


class _Way(asyncio.Protocol):
    """The connection to the next mail server: a mail's commands go out together, and its text after them."""

    def __init__(self, sent: deque[int]) -> None:
        self._sent = sent
        self._waiting: deque[tuple[int, bytes, bytes]] = deque()
        self._under_way: tuple[int, bytes, bytes] | None = None
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(b"EHLO least\r\n")

    def send(self, outbox_id: int, recipient: bytes, raw: bytes) -> None:
        self._waiting.append((outbox_id, recipient, raw))
        if self._under_way is None:
            self._next(b"")

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while (end := self._heard.find(b"\r\n")) >= 0:
            line, self._heard = self._heard[:end], self._heard[end + 2 :]
            if line.startswith(b"354") and self._under_way:
                self._transport.write(self._under_way[2] + b"\r\n.\r\n")
            elif line == b"250 taken" and self._under_way:
                self._sent.append(self._under_way[0])
                self._under_way = None
                self._next(b"")

    def _next(self, text: bytes) -> None:
        if self._waiting:
            self._under_way = self._waiting.popleft()
            words = b"MAIL FROM:<bounce@pbm.example>\r\nRCPT TO:<%b>\r\nDATA\r\n" % self._under_way[1]
            self._transport.write(text + words)


class _Intake(asyncio.Protocol):
    """One connection of a mail program."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._heard = bytearray()
        self._recipient, self._in_text = "", False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(b"220 least\r\n")

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while (end := self._heard.find(b"\r\n.\r\n" if self._in_text else b"\r\n")) >= 0:
            said = bytes(self._heard[:end])
            del self._heard[: end + (5 if self._in_text else 2)]
            if self._in_text:
                self._in_text = False
                self._loop.take(self, self._recipient, said)
                continue
            verb = said[:4].upper()
            self._in_text = verb == b"DATA"
            if verb == b"RCPT":
                self._recipient = said[said.index(b"<") + 1 : said.index(b">")].decode()
            self.transport.write(_ANSWERS.get(verb, b"250 ok\r\n"))


class Loop:
    """boards: those that were played on, each as it stands."""

    def __init__(self, folder: Path, url: str) -> None:
        self._service = Service(Store(url), Settings(ROBOT))
        with self._service.store.read() as tx:
            self._service.tools.composer.signer.use(*tx.secrets.keys(self._service.store.clock()))
        self._boards: dict[int, tuple[Match, State]] = {}
        self._database = sqlite3.connect(folder / "least.db", isolation_level=None)
        self._database.executescript(_SCHEMA)
        self._rows = itertools.count(1)
        self._taken: list[tuple[_Intake, str, bytes]] = []
        self._sent: deque[int] = deque()
        self._ways: list[_Way] = []

    async def serve(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(4):
            self._ways.append((await loop.create_connection(lambda: _Way(self._sent), "127.0.0.1", port))[1])
        server = await loop.create_server(lambda: _Intake(self), "127.0.0.1", 0, backlog=1000)
        print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

    def take(self, intake: _Intake, recipient: str, raw: bytes) -> None:
        """A mail has come; the mails of one turn of the event loop are handled together."""
        if not self._taken:
            asyncio.get_running_loop().call_soon(self._handle)
        self._taken.append((intake, recipient, raw))

    def _handle(self) -> None:
        taken, self._taken = self._taken, []
        owed: list[tuple[int, Mail]] = []
        played: list[Match] = []
        for _, recipient, raw in taken:
            match, mails = self._move(recipient, raw)
            played.append(match)
            owed += ((next(self._rows), mail) for mail in mails)
        self._commit((raw for _, _, raw in taken), played, owed)
        for intake, _, _ in taken:
            intake.transport.write(b"250 taken\r\n")
        for outbox_id, mail in owed:
            self._ways[outbox_id % len(self._ways)].send(outbox_id, mail.address.encode(), mail_bytes(mail))

    def _move(self, recipient: str, raw: bytes) -> tuple[Match, list[Mail]]:
        """Play the move of a mail; returns the match as it then stands, and what is owed. Raises: GameError."""
        composer, now = self._service.tools.composer, datetime.now(UTC)
        token = composer.signer.open(recipient.partition("+")[2].partition("@")[0])
        assert isinstance(token, SeatToken)
        match, state = self._board(token.board)
        text = raw.partition(b"\r\n\r\n")[2].partition(b"\r\n")[0].decode().strip()
        state, notation = state.play(text)
        ply = Ply(notation, token.seat, now)
        match = match._replace(record=match.record.appended(ply), revision=match.revision + 1)
        self._boards[token.board] = match, state
        events = (MovePlayed(match.board, token.seat, notation),)
        notices = []
        for player, seat in zip(match.players, (1, 2), strict=True):
            reader = Reader((f"{player.userid}@players.example",), player, seat, token=PlayerToken(player.id, 0, 0))
            page = "receipt.txt" if seat == token.seat else "board.txt"
            notices.append((Notice(page=page, match=match, state=state, reader=reader, events=events), None))
        return match, composer.notices(notices, now)

    def _board(self, number: int) -> tuple[Match, State]:
        if number not in self._boards:
            with self._service.store.read() as tx:
                match = tx.matches.load(number)
            assert match is not None
            state = replay(GAMES[match.game], match.options, match.body, match.record.notations, judged=False)
            self._boards[number] = match, state
        return self._boards[number]

    def _commit(self, raws: Iterable[bytes], played: list[Match], owed: list[tuple[int, Mail]]) -> None:
        run = self._database
        run.execute("BEGIN IMMEDIATE")
        run.executemany("UPDATE outbox SET is_sent = 1 WHERE id = ?", [(each,) for each in self._sent])
        self._sent.clear()
        run.executemany("INSERT INTO inbox (raw) VALUES (?)", [(raw,) for raw in raws])
        plies = [(match.board, len(match.record), match.record[-1].notation) for match in played]
        run.executemany("INSERT INTO plies VALUES (?, ?, ?)", plies)
        revisions = [(match.board, match.revision) for match in played]
        run.executemany(
            "INSERT INTO matches VALUES (?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision", revisions
        )
        shared = {mail.shared: outbox_id for outbox_id, mail in owed}
        run.executemany("INSERT INTO boards VALUES (?, ?)", [(key, value) for value, key in shared.items()])
        mails = [(outbox_id, shared[mail.shared], mail.address, mail.owed, 0) for outbox_id, mail in owed]
        run.executemany("INSERT INTO outbox VALUES (?, ?, ?, ?, ?)", mails)
        run.execute("COMMIT")


@asynccontextmanager
async def least(folder: Path, world: World, sink_port: int) -> AsyncIterator[Servers]:
    """The loop as a process, in place of our server."""
    command = (sys.executable, "-m", "bench.least", str(folder), world.url, str(sink_port))
    async with started(folder, [command]) as servers:
        yield servers


if __name__ == "__main__":
    asyncio.run(Loop(Path(sys.argv[1]), sys.argv[2]).serve(int(sys.argv[3])))
