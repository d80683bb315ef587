"""Runs in which real processes are killed and the world around them fails, and what must hold after each.

In a run a real `pbm serve` serves one database and delivers to a smarthost of ours. Clients hand mails in again and
again until they get 250, like mail servers; every process that dies is started again. When all is quiet, every mail
that got 250 was handled exactly once, every mail owed was sent at least once under its one Message-ID, every board is
what its record says, and the database is sound.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import signal
import smtplib
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from games import GAMES
from pbm.cli.output import replayed
from pbm.domain.match import State
from pbm.domain.tokens import PlayerToken, SeatToken, Signer
from pbm.mailin import Robot
from pbm.server import Arriving, Service, Settings
from pbm.server.operator import Administration
from pbm.server.organizer import Organizer
from pbm.store import Store
from pbm.store.engine import utc_now
from tests.mailbox import Imap, imap
from tests.ports import reserved_port

ROOT = Path(__file__).parent.parent.parent
ROBOT = Robot("pbm", "example.org")
VOUCHER = "mx.example.org"
"""The mail server that vouches for all clients: a token alone acts on its own board only."""
PLAYERS = ("alice", "bob", "carol")
BOARDS, PLIES, OTHERS, OVERDUE, ROBOTS = 4, 4, 3, 4, 2
"""In a run: boards that are played on, plies on each, challenges, and also letters by SMTP and in the mailbox; boards
out of time at the start; boards against a robot.
"""
STARTED = BOARDS + OVERDUE + ROBOTS + 1
"""Boards at the start, with the one of the tournament."""
FILLER_OCTETS = 300_000
PATIENCE = 300.0
_TWO_HOURS = 7_200_000_000
_INSTANTS = ("started_at", "moved_at", "ticking_since", "deadline_at", "due_at")
_MESSAGE_ID = re.compile(rb"^Message-ID: <([^>@]+)@", re.MULTILINE | re.IGNORECASE)


class Nursery:
    """Forks real `pbm` processes; see nursery.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.nursery"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def fork(self, arguments: Sequence[str], out: Path, **how: object) -> int:
        """Start a process; returns its id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"arguments": list(arguments), "out": str(out), **how}) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Smarthost:
    """Takes our mail and counts it by Message-ID; the first mails meet with the given faults, one each.

    Faults: "hang" (no reply to the end of the mail), "drop" (gone during DATA), "deaf" (takes the mail, but is gone
    before it replies), "4xx", "5xx" (refused after DATA), "refuse" (refused at MAIL), "die" (says 250 and is gone).
    """

    def __init__(self, faults: Sequence[str] = ()) -> None:
        self.taken: Counter[str] = Counter()
        self.refused: set[str] = set()
        self._faults = list(faults)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(PATIENCE)

    async def _run(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await self._closing.wait()
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._talk(reader, writer)
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 sink\r\n")
        while line := await reader.readline():
            word = line[:4].upper()
            if word == b"DATA":
                writer.write(b"354 go on\r\n")
                if not await self._take(reader, writer):
                    return
            elif word == b"QUIT":
                return
            elif word == b"MAIL" and self._meets("refuse"):
                writer.write(b"451 not now\r\n")
            else:
                writer.write(b"250 ok\r\n")

    def _meets(self, *faults: str) -> str:
        return self._faults.pop(0) if self._faults and self._faults[0] in faults else ""

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Take a mail or meet a fault. Returns whether the connection goes on."""
        fault = self._meets("hang", "drop", "deaf", "4xx", "5xx", "die")
        if fault == "drop":
            await reader.read(100)
            return False
        mail = await reader.readuntil(b"\r\n.\r\n")
        found = _MESSAGE_ID.search(mail)
        assert found is not None
        key = found[1].decode()
        if fault in ("4xx", "5xx"):
            self.refused |= {key} if fault == "5xx" else set()
            writer.write(b"451 not now\r\n" if fault == "4xx" else b"554 not this\r\n")
            return True
        if fault == "hang":
            await asyncio.sleep(PATIENCE)
            return False
        self.taken[key] += 1
        if fault != "deaf":
            writer.write(b"250 ok\r\n")
        return not fault


@dataclass(frozen=True, slots=True)
class Posting:
    """A mail to be handed in. answers: the number of mails it causes."""

    key: str
    sender: str
    to: str
    subject: str
    body: str
    answers: int

    @property
    def raw(self) -> bytes:
        vouched = f"Authentication-Results: {VOUCHER}; dkim=pass header.d=x.org\r\n"
        head = f"From: {self.sender}\r\nTo: {self.to}\r\nSubject: {self.subject}\r\nMessage-ID: <{self.key}@x.org>\r\n"
        return f"{vouched}{head}\r\n{self.body}\r\n".encode()


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in a run. threads: mails that are handed in one after another; all threads run at the same time.

    mailbox: mails that are in the mailbox from the beginning. records: what the boards must hold at the end, moves of
    robots as "?". overdue: boards that must be void or, as a player's third, lost. unasked: who must be told of a board
    by mails that answer none; by None, of the tournament's end. boards: the number of boards at the end.
    """

    threads: tuple[tuple[Posting, ...], ...]
    mailbox: tuple[Posting, ...]
    records: dict[int, tuple[str, ...]]
    overdue: tuple[int, ...]
    unasked: dict[int | None, tuple[str, ...]]
    boards: int

    @property
    def postings(self) -> list[Posting]:
        return [posting for thread in (*self.threads, self.mailbox) for posting in thread]


def make_template(folder: Path) -> Path:
    """A database with players and fresh boards, copied for each run; carol follows the first of them.

    The last board is alice's and bob's only game in a tournament, and before it are alice's boards against a robot.
    """
    path = folder / "template.db"
    service = Service(Store(f"sqlite:///{path}"), Settings(ROBOT))
    administration = Administration(service)
    for userid in PLAYERS:
        administration.add_player(userid, [f"{userid}@x.org"], f"{userid}pass")
    for _ in range(BOARDS):
        Organizer(service).start_match("cross", ("alice", "bob"), ("-size=4", "--clock=none"))
    for _ in range(OVERDUE):
        Organizer(service).start_match("cross", ("alice", "bob"), ("-size=4", "--clock=1h"))
    for number, command in enumerate(_commands()):
        userid = next(each for each in PLAYERS if f" {each} {each}pass" in command)
        mail = Posting(f"start{number}", f"{userid}@x.org", ROBOT.address, command, "", 0)
        service.accept([Arriving(mail.sender, (mail.to,), mail.raw)])
        service.handle()
    service.agenda.run()  # begins the tournament
    service.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM inbox")
        connection.execute("DELETE FROM outbox_texts")
        connection.execute("DELETE FROM outbox")
        connection.execute("DELETE FROM owed_boards")
        for name in _INSTANTS:
            connection.execute(f"UPDATE matches SET {name} = {name} - {_TWO_HOURS}")  # noqa: S608  a name of this file
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def _commands() -> Iterator[str]:
    yield "follow carol carolpass 101"
    for _ in range(ROBOTS):
        yield "cross challenge alice robot1 -size=4 --clock=none alice alicepass"
    yield "tournament create cup knockout cross alice alicepass -players=2 -size=4"
    for userid in ("alice", "bob"):
        yield f"tournament join cup {userid} {userid}pass"


def make_plan(database: Path, chance: random.Random, fillers: int = 0) -> Plan:
    """Moves by reply on each board, and challenges and letters, which would show if they were handled twice.

    Robots answer on their boards; the game of the tournament ends, and with it the tournament.

    fillers: the number of large mails besides.
    """
    store = Store(f"sqlite:///{database}")
    with store.read() as tx:
        signer = Signer(*tx.secrets.keys(utc_now()))
        boards = list(tx.matches.boards())
        alice = tx.players.find("alice")
    store.close()
    assert alice is not None
    threads, records = [], {}
    overdue, robots, cup = boards[BOARDS : BOARDS + OVERDUE], boards[-1 - ROBOTS : -1], boards[-1]
    for board in (*boards[:BOARDS], cup):
        records[board] = _record(chance)
        threads.append(tuple(_moves(board, records[board], signer, 3 if board == boards[0] else 2)))
    threads[-1] += (replace(next(_moves(cup, ["resign!"], signer, 2, PLIES)), key="end"),)
    for board in robots:
        records[board] = (*_record(chance)[:1], "?")
        threads.append(tuple(_moves(board, records[board][:1], signer, 1)))
    letter_box = f"pbm+{signer.seal(PlayerToken(alice.id, 0, 10**6))}@example.org"
    challenges = [
        Posting(f"challenge{n}", "alice@x.org", letter_box, "cross challenge alice carol -size=3", "", 2)
        for n in range(OTHERS)
    ]
    letters = [
        Posting(f"letter{n}", "alice@x.org", letter_box, "message carol", f"Hello {n}", 2) for n in range(2 * OTHERS)
    ]
    mailbox = tuple(letters.pop() for _ in range(OTHERS))
    threads.append((*challenges, *letters))
    ballast = "\n".join(["x" * 70] * (FILLER_OCTETS // 71))
    threads.append(tuple(Posting(f"filler{n}", "alice@x.org", letter_box, "games", ballast, 1) for n in range(fillers)))
    both, one = ("alice@x.org", "bob@x.org"), ("alice@x.org",)
    unasked: dict[int | None, tuple[str, ...]] = dict.fromkeys(boards[:BOARDS], ())
    unasked |= dict.fromkeys((*overdue, cup, None), both) | dict.fromkeys(robots, one)
    return Plan(tuple(threads), mailbox, records, tuple(overdue), unasked, len(boards) + OTHERS)


def _record(chance: random.Random) -> tuple[str, ...]:
    state, record = State.start(GAMES["cross"], ("-size=4",)), []
    for _ in range(PLIES):
        moves = list(islice(state.game.moves(state.position), 100))
        state, notation = state.play(state.game.notate(state.position, chance.choice(moves)))
        record.append(notation)
    return tuple(record)


def _moves(board: int, record: Sequence[str], signer: Signer, answers: int, first: int = 0) -> Iterator[Posting]:
    """answers: to each move. first: the number of plies before."""
    for ply, notation in enumerate(record, first):
        seat = ply % 2 + 1
        to = f"pbm+{signer.seal(SeatToken(board, seat, ply, 0))}@example.org"
        subject = f"Re: Cross Board {board} alice-bob"
        yield Posting(f"board{board}ply{ply}", f"{PLAYERS[seat - 1]}@x.org", to, subject, notation, answers)


@dataclass
class Site:
    """A database being served, in its own folder. out: the output of the processes."""

    nursery: Nursery
    folder: Path
    smarthost: Smarthost
    mailbox: Imap
    out: Path
    at_start: Callable[[Site], None]
    port: int
    starts: int = 0
    process: int = 0

    @property
    def database(self) -> Path:
        return self.folder / "pbm.db"

    @property
    def clock(self) -> Path:
        return self.folder / "clock.txt"

    def set_clock(self, offset: float) -> None:
        """Let the clock of all servers that start from now on be wrong by so many seconds, and of those started so."""
        draft = self.clock.with_suffix(".new")
        draft.write_text(str(offset))
        draft.replace(self.clock)

    def serve(self, point: str | None = None, pass_: int = 1) -> int:
        """Start a server that dies at a point, or lives if there is none; returns its process."""
        self.at_start(self)
        configuration = self.out.with_name("pbm.toml")
        configuration.write_text(
            f'database = "sqlite:///{self.database}"\n'
            f'[server]\nlisten = "127.0.0.1:{self.port}"\ndomain = "example.org"\nauthserv_id = "{VOUCHER}"\n'
            f'[delivery]\nkind = "smarthost"\nfirst_retry_seconds = 0.05\nlongest_retry_seconds = 0.2\n'
            f'[smarthost]\nhost = "127.0.0.1"\nport = {self.smarthost.port}\ntimeout_seconds = 0.5\n'
            f'[imap]\nhost = "127.0.0.1"\nport = {self.mailbox.server_address[1]}\ntls = "none"\nusername = "pbm"\n'
            f'password = "right"\nfirst_retry_seconds = 0.05\nlongest_retry_seconds = 0.2\n'
            "[house]\nleast_free_megabytes = 0\n"  # disks fill up here to their last octet
        )
        self.starts += 1
        clock = str(self.clock) if self.clock.exists() else None
        arguments = ["--config", str(configuration), "serve"]
        self.process = self.nursery.fork(arguments, self.out, point=point, clock=clock, **{"pass": pass_})
        return self.process

    def count(self, query: str) -> int:
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as connection:
            return int(connection.execute(query).fetchone()[0])


class Clients:
    """Hand in the mails of a plan, from now on, each until it gets 250; `is_done` when all have."""

    def __init__(self, port: int, plan: Plan) -> None:
        self._port = port
        self._end = time.monotonic() + PATIENCE
        self.accepted: list[str] = []
        self.refusals: Counter[int] = Counter()
        self._threads = [threading.Thread(target=self._hand_in, args=(thread,), daemon=True) for thread in plan.threads]
        for thread in self._threads:
            thread.start()

    @property
    def is_done(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def _hand_in(self, postings: Sequence[Posting]) -> None:
        for posting in postings:
            while not self._try(posting) and time.monotonic() < self._end:
                time.sleep(0.01)

    def _try(self, posting: Posting) -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", self._port, timeout=10) as client:
                client.sendmail(posting.sender, [posting.to], posting.raw)
                self.accepted.append(posting.key)
        except smtplib.SMTPResponseException as refusal:
            self.refusals[refusal.smtp_code] += 1
        except (smtplib.SMTPException, OSError):
            pass
        return posting.key in self.accepted


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run. problems: whatever is wrong; empty if all is well. kills: how many processes died.

    refusals: the SMTP codes of refused mails.
    """

    problems: tuple[str, ...]
    kills: int
    refusals: frozenset[int] = frozenset()


def run(
    nursery: Nursery,
    template: Path,
    folder: Path,
    *,
    seed: int = 0,
    kills: Sequence[tuple[str, int]] = (),
    faults: Sequence[str] = (),
    fillers: int = 0,
    out: Path | None = None,
    meanwhile: Callable[[Site, Clients], None] = lambda *_: None,
    at_start: Callable[[Site], None] = lambda _: None,
) -> Outcome:
    """A run in an empty folder. kills: for each process in turn, the point where it dies, and at which pass.

    fillers: the number of large mails besides. out: the servers' log, if not in the folder. meanwhile: what else
    happens, in its own thread. at_start: what happens before each start of a server.
    """
    shutil.copyfile(template, folder / "pbm.db")
    smarthost = Smarthost(faults)
    try:
        with reserved_port() as port, imap() as mailbox:
            site = Site(nursery, folder, smarthost, mailbox, out or folder / "out.txt", at_start, port)
            plan = make_plan(site.database, random.Random(seed), fillers)
            for posting in plan.mailbox:
                mailbox.put(posting.raw)
            clients = Clients(port, plan)
            happening = threading.Thread(target=meanwhile, args=(site, clients))
            happening.start()
            died = _keep_alive(site, clients, kills)
            happening.join(PATIENCE)
        found = [*problems(site, plan), *([] if died or faults else _sent_again(smarthost))]
        return Outcome(tuple(found), died, frozenset(clients.refusals))
    finally:
        smarthost.close()


def _keep_alive(site: Site, clients: Clients, kills: Sequence[tuple[str, int]]) -> int:
    """Start the server again and again until all is done. Returns how often it died."""
    planned, died, end = list(kills), 0, time.monotonic() + PATIENCE
    process = site.serve(*(planned.pop(0) if planned else (None, 1)))
    while not (clients.is_done and is_quiet(site)):
        if not is_alive(process):
            died += 1
            process = site.serve(*(planned.pop(0) if planned else (None, 1)))
        if time.monotonic() > end:
            break
        time.sleep(0.05)  # six questions to the database each time
    stop(process)
    return died


def stop(process: int) -> None:
    """Ask a process to end, and wait; kill it if it takes too long."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


_SOON = ("think", "taken", "tournament", "tournament told")
"""Kinds of agenda items that are soon done, even if the clock was ahead when they were planned."""


def is_quiet(site: Site) -> bool:
    with contextlib.suppress(sqlite3.OperationalError):
        waiting = site.count("SELECT count(*) FROM inbox WHERE state = 'new'")
        waiting += site.count("SELECT count(*) FROM matches WHERE due_at < 1000000 * unixepoch()")
        waiting += site.count("SELECT count(*) FROM agenda WHERE due_at < 1000000 * unixepoch()")
        waiting += site.count(f"SELECT count(*) FROM agenda WHERE kind IN {_SOON}")  # noqa: S608  constant
        waiting += site.count("SELECT count(*) FROM matches JOIN players ON id = seat2_id WHERE bot AND plies = 1")
        waiting += len(site.mailbox.folders["INBOX"])
        return not waiting and not site.count("SELECT count(*) FROM outbox WHERE state NOT IN ('sent', 'failed')")
    return False


def problems(site: Site, plan: Plan) -> Iterator[str]:
    """Whatever is wrong, in sentences."""
    with contextlib.closing(sqlite3.connect(site.database)) as connection:
        yield from _badly_handled(connection, plan)
        yield from _badly_ended(connection, plan)
        yield from _badly_sent(connection, site.smarthost)
    if (number := len(site.mailbox.folders["INBOX.pbm-handled"])) != len(plan.mailbox):
        yield f"{number} mails of the mailbox were put aside instead of {len(plan.mailbox)}"
    service = Service(Store(f"sqlite:///{site.database}"), Settings(ROBOT))
    try:
        yield from service.store.check()
        for verdict in replayed(service.store):
            if verdict.problem:
                yield f"board {verdict.board}: {verdict.problem}"
        with service.store.read() as tx:
            boards = list(tx.matches.boards())
            if len(boards) != plan.boards:
                yield f"there are {len(boards)} boards instead of {plan.boards}"
            for board, record in plan.records.items():
                match = tx.matches.load(board)
                robots = {seat for seat in (1, 2) if match and match.player(seat).userid.startswith("robot")}
                played = tuple("?" if ply.seat in robots else ply.notation for ply in match.record) if match else ()
                if played != record:
                    yield f"board {board} holds {played} instead of {record}"
    finally:
        service.close()


def _badly_handled(connection: sqlite3.Connection, plan: Plan) -> Iterator[str]:
    rows: dict[str, list[tuple[int, str, str]]] = {}
    for number, state, reason, raw in connection.execute("SELECT id, state, reason, raw FROM inbox"):
        found = _MESSAGE_ID.search(raw)
        rows.setdefault(found[1].decode() if found else "", []).append((number, state, reason))
    for posting in plan.postings:
        own = rows.pop(posting.key, [])
        handled = [number for number, state, _ in own if state == "handled"]
        again = [reason for _, state, reason in own if state == "ignored" and "handled before" in reason]
        if len(handled) != 1 or len(again) + 1 != len(own) or (again and posting in plan.mailbox):
            yield f"{posting.key} is in the inbox as {own}"
            continue
        addresses = [row[0] for row in connection.execute("SELECT address FROM outbox WHERE inbox_id = ?", handled)]
        if len(addresses) != posting.answers or len(set(addresses)) != min(posting.answers, len(PLAYERS)):
            yield f"{posting.key} was answered to {addresses}"
    if rows:
        yield f"nobody sent {sorted(rows)}"


def _badly_ended(connection: sqlite3.Connection, plan: Plan) -> Iterator[str]:
    for board in plan.overdue:
        ending = connection.execute("SELECT ending FROM matches WHERE board = ?", (board,)).fetchone()[0]
        if ending not in ("void", "forfeit"):
            yield f"board {board}, whose time was over, has ended as {ending}"
    for about, people in plan.unasked.items():
        query = "SELECT address FROM outbox WHERE board IS ? AND inbox_id IS NULL ORDER BY address"
        told = tuple(row[0] for row in connection.execute(query, (about,)))
        if told != people:
            yield f"board {about} was told to {told} unasked, instead of {people}"


def _badly_sent(connection: sqlite3.Connection, smarthost: Smarthost) -> Iterator[str]:
    owed = dict(connection.execute("SELECT key, state FROM outbox").fetchall())
    for key, state in owed.items():
        if state == "failed" and key in smarthost.refused:
            continue
        if state != "sent":
            yield f"the mail {key} is {state}"
        elif not smarthost.taken[key]:
            yield f"the mail {key} is marked as sent, and was not"
    if unknown := smarthost.taken.keys() - owed.keys():
        yield f"mails were sent that nobody owes: {sorted(unknown)}"


def _sent_again(smarthost: Smarthost) -> Iterator[str]:
    """Mails that were sent more than once, which may be only after a kill or a fault, when SMTP leaves it in doubt."""
    yield from (f"the mail {key} was sent {times} times" for key, times in smarthost.taken.items() if times > 1)
