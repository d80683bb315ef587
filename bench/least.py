"""The least that a server of moves can do: a plain loop with the same durable work and the same bytes as ours.

It takes mails by SMTP, plays the first line of each on a board of Cross 6 that it keeps in memory, commits the mail,
the ply, the match and two outgoing mails in one SQLite transaction, says 250 after that, and sends both mails by SMTP,
marked as sent in a later transaction. The two mails are ours, cut into fragments once. It knows one game, no people, no
errors and no clocks: the price of all these is what our server takes beyond this.

Run as its own process: `python -m bench.least FOLDER PORT`, where PORT is that of the next mail server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from bench.servers import Servers, started
from bench.worlds import LINES, ROBOT, World, line_of, sequences
from games import GAMES
from pbm.compose import Notice, Reader
from pbm.compose.tell import mail_bytes
from pbm.domain.events import MovePlayed
from pbm.domain.match import replay
from pbm.domain.settings import Settings as Choices
from pbm.domain.tokens import PlayerToken
from pbm.server import Service, Settings
from pbm.store import Store

_MARK = b"plainloop"
"""Stands for the token in a mail that is cut into fragments."""
_SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
CREATE TABLE inbox (id INTEGER PRIMARY KEY, sender TEXT, raw BLOB);
CREATE TABLE plies (board INTEGER, ply INTEGER, move TEXT, PRIMARY KEY (board, ply)) WITHOUT ROWID;
CREATE TABLE matches (board INTEGER PRIMARY KEY, revision INTEGER);
CREATE TABLE outbox (id INTEGER PRIMARY KEY, inbox_id INTEGER, recipient TEXT, raw BLOB, is_sent INTEGER);
"""
_Mail = tuple[int, str, bytes]
_Ply = tuple[int, int, str]
_Owed = tuple[int, int, bytes, bytes, int]
"""Rows of the tables."""
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
    """boards: moves made, by board. tokens: the board and ply that an address answers. mails: the two of a move, the
    opponent's first, each as the fragments between its tokens.
    """

    def __init__(self, folder: Path) -> None:
        made = json.loads((folder / "least.json").read_text())
        self._tokens: dict[str, tuple[int, int]] = {word: (board, ply) for word, board, ply in made["tokens"]}
        self._boards = {board: set(moves) for board, moves in made["moves"]}
        self._cells = frozenset(made["cells"])
        self._mails = [tuple(piece.encode() for piece in mail) for mail in made["mails"]]
        self._database = sqlite3.connect(folder / "least.db", isolation_level=None)
        self._database.executescript(_SCHEMA)
        self._database.executemany("INSERT INTO matches VALUES (?, 0)", [(board,) for board in self._boards])
        self._numbers, self._rows = itertools.count(1), itertools.count(1)
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
        inbox, plies, owed = list[_Mail](), list[_Ply](), list[_Owed]()
        for _, recipient, raw in taken:
            number = next(self._numbers)
            board, ply = self._tokens.pop(recipient)
            move = raw.partition(b"\r\n\r\n")[2].partition(b"\r\n")[0].strip().decode().upper()
            if move not in self._cells or move in self._boards[board]:
                raise ValueError(f"{move} cannot be played on board {board}")
            self._boards[board].add(move)
            inbox.append((number, "q1@players.example", raw))
            plies.append((board, ply, move))
            token = f"t{board}p{ply}"
            self._tokens[f"{ROBOT.local_part}+{token}@{ROBOT.domain}"] = board, ply + 1
            for pieces in self._mails:
                data = token.encode().join(pieces).replace(b"Cross Board 0 ", b"Cross Board %d " % board, 1)
                owed.append((next(self._rows), number, b"q1@players.example", data, 0))
        self._commit(inbox, plies, owed)
        for intake, _, _ in taken:
            intake.transport.write(b"250 taken\r\n")
        for outbox_id, _, recipient_of, data, _ in owed:
            self._ways[outbox_id % len(self._ways)].send(outbox_id, recipient_of, data)

    def _commit(self, inbox: list[_Mail], plies: list[_Ply], owed: list[_Owed]) -> None:
        run = self._database
        run.execute("BEGIN IMMEDIATE")
        run.executemany("UPDATE outbox SET is_sent = 1 WHERE id = ?", [(each,) for each in self._sent])
        self._sent.clear()
        run.executemany("INSERT INTO inbox VALUES (?, ?, ?)", inbox)
        run.executemany("INSERT INTO plies VALUES (?, ?, ?)", plies)
        run.executemany("UPDATE matches SET revision = revision + 1 WHERE board = ?", [(each[0],) for each in plies])
        run.executemany("INSERT INTO outbox VALUES (?, ?, ?, ?, ?)", owed)
        run.execute("COMMIT")


def prepare(folder: Path, world: World) -> None:
    """Write what the loop reads at its start: the boards of a world, and a move's two mails as we write them."""
    _, lines = sequences(world.plies, min(LINES, world.boards))
    made = {
        "tokens": [(each.recipient, each.board, world.plies + 1) for each in world.games],
        "moves": [(each.board, lines[line_of(each.board, len(lines))][: world.plies]) for each in world.games],
        "cells": lines[0],
        "mails": [mail.decode().split(_MARK.decode()) for mail in _mails(world)],
    }
    (folder / "least.json").write_text(json.dumps(made))


def _mails(world: World) -> list[bytes]:
    """What both players get for the latest ply of a board, with marks where boards differ."""
    service, mails = Service(Store(world.url), Settings(ROBOT)), []
    with service.store.read() as tx:
        match = tx.matches.load(world.games[0].board)
    assert match is not None
    state = replay(GAMES["cross"], match.options, "", match.record.notations)
    events = (MovePlayed(match.board, match.record[-1].seat, match.record[-1].notation),)
    for seat in (state.to_move, 3 - state.to_move):
        player = match.players[seat - 1]
        token = PlayerToken(player.id, 0, 0)
        reader = Reader((f"{player.userid}@players.example",), player, seat, Choices(), token)
        (owed,) = service.tools.composer.notice(Notice(match, state, reader, events), service.store.clock())
        raw = mail_bytes(owed)
        reply_to = raw.partition(b"Reply-To: pbm+")[2].partition(b"@")[0]
        own_id = raw.partition(b"Message-ID: <")[2].partition(b"@")[0]
        raw = raw.replace(reply_to, _MARK).replace(own_id, b"%d.%b" % (seat, _MARK))
        mails.append(raw.replace(b"Cross Board %d " % match.board, b"Cross Board 0 ", 1))
    service.close()
    return mails


@asynccontextmanager
async def least(folder: Path, world: World, sink_port: int) -> AsyncIterator[Servers]:
    """The loop as a process, in place of our server."""
    prepare(folder, world)
    async with started(folder, [(sys.executable, "-m", "bench.least", str(folder), str(sink_port))]) as servers:
        yield servers


if __name__ == "__main__":
    asyncio.run(Loop(Path(sys.argv[1])).serve(int(sys.argv[2])))
