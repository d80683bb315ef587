"""Databases to be measured: any number of boards of Cross, copied in SQL from a few with different records.

So hardly any two mails in a row show the same position, and each drawing has to be made.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection, Table, create_engine, text
from sqlalchemy.engine import make_url

from games import GAMES
from pbm.core import decisions
from pbm.core.board import OpenBoard
from pbm.domain.match import State
from pbm.domain.tokens import SeatToken, Signer
from pbm.mailin import Robot
from pbm.server import Service, Settings
from pbm.server.operator import Administration
from pbm.server.organizer import Organizer
from pbm.store import Store
from pbm.store.tables import FIRST_BOARD, addresses, matches, players, plies

ROBOT = Robot("pbm", "pbm.example")
BOARDS_OF_A_PLAYER = 100
LINES = 53
"""How many different records there are; a prime, so that boards at even distances have different ones."""
_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)"


@dataclass(slots=True)
class Game:
    """One board as the load generator knows it. cells: the moves to come, next one last. sent_at: of the last move.

    addresses: of the player to move, and of the other one.
    """

    board: int
    cells: list[str]
    recipient: str
    addresses: tuple[str, str]
    sent_at: float = 0.0

    def copy(self) -> Game:
        return Game(self.board, list(self.cells), self.recipient, self.addresses)

    def passes_turn(self) -> None:
        self.addresses = self.addresses[1], self.addresses[0]


@dataclass(frozen=True, slots=True)
class World:
    """A database and those of its boards that are played on."""

    url: str
    boards: int
    plies: int
    games: list[Game]
    signer: Signer


def sequences(plies: int, number: int, size: int | None = None) -> tuple[str, list[list[str]]]:
    """Options, and `number` different lines of moves, each of which lasts for `plies` plies and some more.

    size: of the board; None for the smallest usual one that suffices.
    """
    words = f"-size={size or (6 if plies < 30 else 10)}"
    game = GAMES["cross"]
    cells = [game.notate(start.position, move) for start in [State.start(game, [words])]
             for move in game.moves(start.position)]  # fmt: skip
    shuffled = (random.Random(seed).sample(cells, len(cells)) for seed in range(1000))
    lines = [*islice((moves for moves in shuffled if _lasts(State.start(game, [words]), moves[: plies + 10])), number)]
    if len(lines) < number:
        raise ValueError(f"few games of Cross last {plies} plies")
    return words, lines


def _lasts(state: State, moves: list[str]) -> bool:
    """Whether the game goes on after the moves, or ends with the last of them."""
    for move in moves:
        if state.outcome is not None:
            return False
        state, _ = state.play(move)
    return True


def make(url: str, boards: int, plies: int, played_on: int, size: int | None = None) -> World:
    """A new database with boards that have `plies` plies each. played_on: how many of them the load plays on.

    size: see `sequences`.
    """
    service = Service(Store(url), Settings(ROBOT))
    administration = Administration(service)
    for userid in ("p0", "p1"):
        administration.add_player(userid, [f"{userid}@players.example"], "bench-secret")
    words, lines = sequences(plies, min(LINES, boards), size)
    templates = [Organizer(service).start_match("cross", ("p0", "p1"), (words,)).board for _ in lines]
    with service.store.write() as tx:
        for template, moves in zip(templates, lines, strict=True):
            board = OpenBoard.load(tx, service.tools.states, template)
            for move in moves[:plies]:
                decisions.play_ply(board, board.state.to_move, move)
    with service.store.read() as tx:
        signer = Signer(*tx.secrets.keys(service.store.clock()))
    service.close()
    people = _copy(url, templates, boards)
    step, first = max(1, boards // played_on), templates[-1] + 1
    chosen = range(first, first + boards, step)[:played_on]
    games = []
    for number in chosen:
        moves = lines[line_of(number, len(lines))]
        rest = random.Random(number).sample(moves[plies:], len(moves) - plies)
        seats = [f"q{1 + (number - first + 1 + place) % people}@players.example" for place in (0, 1)]
        game = Game(number, rest, recipient(signer, number, plies), (seats[0], seats[1]))
        if plies % 2:
            game.passes_turn()
        games.append(game)
    return World(url, boards, plies, games, signer)


def recipient(signer: Signer, board: int, plies: int) -> str:
    """The address that a move is sent to after this many plies, none of which was a swap."""
    token = signer.seal(SeatToken(board, 1 + plies % 2, plies, 0))
    return f"{ROBOT.local_part}+{token}@{ROBOT.domain}"


def line_of(board: int, lines: int) -> int:
    """Which of the records the board has; templates are numbered from the first board on."""
    return (board - FIRST_BOARD) % lines


def _copy(url: str, templates: list[int], boards: int) -> int:
    """Copy boards `boards` times. Their players are q1, q2 and so on, with copied settings; returns how many.

    A board's two players have consecutive numbers.
    """
    people = max(20, 2 * boards // BOARDS_OF_A_PLAYER)
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg") if "postgres" in url else url)
    with engine.begin() as connection:
        name = "'q' || CAST(n.i AS TEXT)"
        _copied(
            connection, players, people, {"id": "t.id + n.i", "userid": name, "userid_key": name}, "t.userid = 'p1'"
        )
        mailbox = f"{name} || '@players.example'"
        own = {"id": "t.id + n.i", "player_id": "t.player_id + n.i", "address": mailbox, "address_key": mailbox}
        _copied(connection, addresses, people, own, "t.address = 'p1@players.example'")
        seats = {"seat1_id": f"t.seat2_id + 1 + n.i % {people}", "seat2_id": f"t.seat2_id + 1 + (n.i + 1) % {people}"}
        _copied(connection, matches, boards, {"board": "t.board + n.i", **seats}, f"t.board = {templates[-1]}")
        columns = ", ".join(column.name for column in plies.columns if column.name != "board")
        shown = ", ".join(f"p.{column.name}" for column in plies.columns if column.name != "board")
        connection.execute(
            text(
                f"INSERT INTO plies (board, {columns}) SELECT m.board, {shown} FROM matches m"  # noqa: S608
                f" JOIN plies p ON p.board = {templates[0]} + (m.board - {templates[0]}) % {len(templates)}"
                f" WHERE m.board > {templates[-1]} ORDER BY m.board, p.ply"
            )
        )
        connection.execute(text("UPDATE outbox SET state = 'sent'"))
    if engine.dialect.name != "sqlite":  # PostgreSQL analyzes by itself, SQLite only when asked to
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("ANALYZE"))
    engine.dispose()
    return people


def _copied(connection: Connection, table: Table, count: int, changed: dict[str, str], template: str) -> None:
    """Copies of one row, numbered n.i from 1. changed: what differs, as SQL. template: which row t it is."""
    names = [column.name for column in table.columns]
    values = ", ".join(changed.get(name, f"t.{name}") for name in names)
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) {_NUMBERS} SELECT {values} FROM n, {table.name} t"  # noqa: S608
    connection.execute(text(f"{statement} WHERE {template}"), {"count": count})


def reply(game: Game, move: str, now: datetime, answers: str) -> bytes:
    """What a mail program sends when its user answers a board mail with one line. answers: that mail's Message-ID."""
    return (
        f"From: Player <{game.addresses[0]}>\r\nTo: {game.recipient}\r\nSubject: Re: Cross Board {game.board}\r\n"
        f"Date: {now:%a, %d %b %Y %H:%M:%S} +0000\r\nMessage-ID: <{game.board}.{len(game.cells)}@players.example>\r\n"
        f"In-Reply-To: {answers}\r\nReferences: <board-{game.board}@{ROBOT.domain}> {answers}\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{move}\r\n\r\n"
        f"On {now:%d %b %Y}, pbm wrote:\r\n> It is your turn.\r\n>\r\n> ##- Write your answer above this line -##\r\n"
    ).encode()
