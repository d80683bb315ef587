"""Several processes on one database: they share the work, keep the order of each board, and survive each other."""

from __future__ import annotations

import os
import random
import signal
import smtplib
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from pathlib import Path

import pytest

from games import GAMES
from pbm.cli.output import replayed
from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival, Delivery
from pbm.domain.match import replay
from pbm.domain.tokens import SeatToken, Signer
from pbm.mailin import Robot
from pbm.server import Arriving, Service, Settings
from pbm.server.arbiter import Arbiter
from pbm.server.operator import Administration
from pbm.server.organizer import Organizer
from pbm.store import Conflict, Store, neighbours
from tests.databases import Databases
from tests.patience import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).parent.parent.parent
BOARDS, PLIES = 8, 9

SETTINGS = Settings(Robot("pbm", "example.org"), Limits(unproven_answers_per_hour=100))


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    url = databases.ready()
    yield url
    databases.release(url)


@pytest.fixture
def service(database: str) -> Iterator[Service]:
    service = Service(Store(database), SETTINGS)
    administration = Administration(service)
    for userid in ("alice", "bob"):
        administration.add_player(userid, [f"{userid}@x.org"], f"{userid}pass")
    yield service
    service.close()


class Company:
    """Processes of pbm on one database, which deliver into one folder."""

    def __init__(self, database: str, folder: Path, tree: Path = ROOT) -> None:
        """tree: whose program it is."""
        self._database = database
        self._tree = tree
        self._folder = folder
        self.running: list[subprocess.Popen[str]] = []

    def hire(self, *words: str) -> str:
        """Start a process; returns what it says when it is ready."""
        command = [sys.executable, "-m", "pbm", *words, "--database", self._database, "--domain", "example.org"]
        with (self._folder / "log").open("a") as log:
            child = subprocess.Popen(
                [*command, "--maildir", str(self._folder)], cwd=self._folder, text=True,
                env={**os.environ, "PYTHONPATH": str(self._tree)}, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        self.running.append(child)
        assert child.stdout is not None
        said = child.stdout.readline()
        assert said, (self._folder / "log").read_text()
        return said

    def kill_one(self) -> None:
        child = self.running.pop(0)
        child.send_signal(signal.SIGKILL)
        child.communicate()

    def dismiss(self) -> list[int]:
        """Stop all processes; returns their exit codes."""
        for child in self.running:
            child.terminate()
        for child in self.running:
            child.communicate(timeout=PATIENCE_SECONDS)
        return [child.returncode for child in self.running]

    def letters(self, address: str) -> list[bytes]:
        return [path.read_bytes() for path in sorted((self._folder / address).glob("new/*"))]


@pytest.fixture
def company(database: str, tmp_path: Path) -> Iterator[Company]:
    company = Company(database, tmp_path)
    (tmp_path / "log").touch()
    yield company
    for child in company.running:
        child.kill()
        child.communicate()
    print((tmp_path / "log").read_text())


def nothing_waits(store: Store) -> bool:
    with store.read() as tx:
        return not tx.inbox.latest(Arrival.NEW, 1) and tx.outbox.next_at() is None


def plan(seed: int) -> list[str]:
    """The moves of a game that go on without ending it."""
    chance, state = random.Random(seed), replay(GAMES["cross"], ("-size=6",), "", [])
    moves: list[str] = []
    for _ in range(PLIES):
        legal = list(state.game.moves(state.position))
        state, notation = state.play(state.game.notate(state.position, chance.choice(legal)))
        moves.append(notation)
    return moves


def answers(service: Service, board: int, moves: list[str]) -> list[Arriving]:
    """A mail for each ply, which answers the board with all earlier plies on it."""
    with service.store.read() as tx:
        signer = Signer(*tx.secrets.keys(service.store.clock()))
    mails = []
    for revision, move in enumerate(moves):
        userid, token = ("alice", "bob")[revision % 2], signer.seal(SeatToken(board, revision % 2 + 1, revision, 0))
        sender, recipient = f"{userid}@x.org", f"pbm+{token}@example.org"
        mail = f"From: {sender}\r\nSubject: {move}\r\nMessage-ID: <{board}-{revision}@x.org>\r\n\r\n"
        mails.append(Arriving(sender, (recipient,), mail.encode()))
    return mails


@pytest.mark.servers
def test_workers_that_are_killed_again_and_again_play_every_game_as_it_was_sent(
    service: Service, company: Company
) -> None:
    """Every mail is handled once, those of a board in order; every answer is sent, under one Message-ID."""
    boards = [Organizer(service).start_match("cross", ("alice", "bob"), ["-size=6"]).board for _ in range(BOARDS)]
    plans = {board: plan(board) for board in boards}
    for _ in range(3):
        company.hire("work")
    rounds = zip(*(answers(service, board, plans[board]) for board in boards), strict=True)
    for number, mails in enumerate(rounds):
        service.accept(mails)
        if number % 3 == 2:
            company.kill_one()
            company.hire("work")
    wait_until(lambda: nothing_waits(service.store))
    assert company.dismiss() == [0, 0, 0]
    for board in boards:
        match = Arbiter(service).board(board)
        assert [ply.notation for ply in match.record] == plans[board]
    assert not [verdict for verdict in replayed(service.store) if verdict.problem]
    with service.store.read() as tx:
        assert [mail.state for mail in tx.inbox.latest(None, 10_000)] == [Arrival.HANDLED] * (BOARDS * PLIES)
        owed = {queued.mail.key for queued in tx.outbox.latest(None, 10_000)}
    sent = [
        message_from_bytes(letter)["Message-ID"].strip("<>").partition("@")[0]
        for userid in ("alice", "bob")
        for letter in company.letters(f"{userid}@x.org")
    ]
    assert len(owed) == 2 * BOARDS * (PLIES + 1)
    assert set(sent) == owed


@pytest.mark.servers
def test_one_process_listens_one_handles_and_one_delivers(service: Service, company: Company) -> None:
    assert company.hire("work", "--do", "handle") == "pbm: at work for pbm@example.org: handle\n"
    assert company.hire("work", "--do", "deliver") == "pbm: at work for pbm@example.org: deliver\n"
    port = int(company.hire("serve", "--do", "listen", "--listen", "127.0.0.1:0").rsplit(":", 1)[1])
    mail = "From: alice@x.org\r\nSubject: cross challenge alice bob\r\nMessage-ID: <1@x.org>\r\n\r\n"
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail("alice@x.org", ["pbm@example.org"], mail)
        wait_until(lambda: bool(company.letters("alice@x.org")))  # it asks whether she wrote that
        asked = message_from_bytes(company.letters("alice@x.org")[0])["Reply-To"]
        yes = "From: alice@x.org\r\nSubject: yes\r\nMessage-ID: <2@x.org>\r\n\r\nyes\r\n"
        client.sendmail("alice@x.org", [asked], yes)
        wait_until(lambda: len(company.letters("alice@x.org")) > 1 and bool(company.letters("bob@x.org")))
    assert company.dismiss() == [0, 0, 0]


@pytest.mark.servers
def test_what_nobody_is_there_to_do_waits(service: Service, company: Company) -> None:
    service.accept([Arriving("alice@x.org", ("pbm@example.org",), b"From: alice@x.org\r\nSubject: help\r\n\r\n")])
    company.hire("work", "--do", "handle")
    wait_until(lambda: not waiting(service.store))
    company.dismiss()
    with service.store.read() as tx:
        owed = [(mail.mail.address, mail.state) for mail in tx.outbox.latest(None, 10)]
        assert owed == [("alice@x.org", Delivery.QUEUED)]


def waiting(store: Store) -> bool:
    with store.read() as tx:
        return bool(tx.inbox.latest(Arrival.NEW, 1))


@pytest.mark.servers
def test_answers_of_several_handlers_are_not_lost_nor_doubled(database: str, service: Service) -> None:
    """Handlers in threads, each with its own connections, while mails come in."""
    others = [Service(Store(database), SETTINGS) for _ in range(2)]
    stop = threading.Event()

    def handle(number: int) -> None:
        while not stop.is_set():
            with suppress(Conflict):  # the next try makes up for it
                others[number].handle(3)

    threads = [threading.Thread(target=handle, args=(number,)) for number in range(len(others))]
    for thread in threads:
        thread.start()
    for number in range(30):
        head = f"From: alice@x.org\r\nSubject: cross games\r\nMessage-ID: <{number}@x.org>\r\n"
        service.accept([Arriving(f"a{number}@x.org", ("pbm@example.org",), f"{head}\r\n".encode())])
    wait_until(lambda: not waiting(service.store))
    stop.set()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    with service.store.read() as tx:
        assert [mail.state for mail in tx.inbox.latest(None, 100)] == [Arrival.HANDLED] * 30


def test_a_bell_rings_when_another_process_adds_to_a_queue(
    service: Service, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 3600.0)
    rings: list[bool] = []
    listener = Store(database)
    heard = listener.bell(rings.append)
    heard.start()
    wait_until(lambda: bool(rings))  # the first ring stands for all that came before
    for number in range(3):
        rings.clear()
        mail = b"From: alice@x.org\r\nSubject: help\r\nMessage-ID: <%d@x.org>\r\n\r\n" % number
        service.accept([Arriving("alice@x.org", ("pbm@example.org",), mail)])
        wait_until(lambda: bool(rings))
        assert rings == [False]
    rings.clear()
    service.handle()
    wait_until(lambda: True in rings)  # there are answers to be sent
    heard.stop()
    listener.close()
