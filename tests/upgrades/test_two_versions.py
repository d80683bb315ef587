"""Two versions of the program over one database, which is upgraded while the older one serves and mails come in."""

from __future__ import annotations

import os
import shutil
import smtplib
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbm.cli.output import replayed
from pbm.server import Arriving, Service
from pbm.server.arbiter import Arbiter
from pbm.server.operator import Administration
from pbm.server.organizer import Organizer
from pbm.store import Store
from pbm.store.tables import REVISION
from tests.databases import Databases
from tests.edges.test_workers import ROOT, SETTINGS, Company, answers, plan
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.ports import reserved_port

NEWER = f"{int(REVISION) + 1:04}"
BEFORE = 3
"""Plies on each board before the upgrade."""
MARKED = ("inbox", "plies", "outbox")
"""Tables in whose rows the newer program writes what the older does not know of."""
MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{NEWER}", "{REVISION}"

def upgrade():
    for name in {MARKED}:
        op.add_column(name, sa.Column("weight", sa.Integer, nullable=False, server_default="0"))
        op.execute(sa.update(sa.table(name, sa.column("weight"))).values(weight=7))
"""
SCHEMA = """
for _marked in (inbox, plies, outbox):
    _marked.append_column(Column("weight", Integer, nullable=False, server_default="0", default=7))
"""


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The tree of a version to come, which keeps one more number in some rows."""
    tree = tmp_path / "newer"
    for name in ("pbm", "migrations"):
        shutil.copytree(ROOT / name, tree / name)
    for name in ("games", "templates"):
        (tree / name).symlink_to(ROOT / name)
    (tree / "migrations" / "versions" / f"{NEWER}_weights.py").write_text(MIGRATION)
    with (tree / "pbm" / "store" / "tables.py").open("a") as tables:
        tables.write(SCHEMA)
    return tree


@pytest.fixture
def database(databases: Databases) -> str:
    return databases.empty()


def said(tree: Path, database: str, *words: str, given: bytes = b"") -> tuple[int, str]:
    """The exit code of a command of the tree's program, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "pbm", *words, "--database", database],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, input=given, capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).decode()


def handed_in(port: int, mail: Arriving) -> None:
    """Hand a mail in again and again until it gets 250, as mail servers do."""

    def is_taken() -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE_SECONDS) as client:
                client.sendmail(mail.mail_from or "", list(mail.recipients), mail.raw)
        except (OSError, smtplib.SMTPException):
            return False
        return True

    wait_until(is_taken)


def questions(until: threading.Event) -> Iterator[Arriving]:
    """Mails that ask for help, ten a second at most, until nobody asks any more."""
    number = 0
    while not until.wait(0.1):
        number += 1
        raw = f"From: bob@x.org\r\nSubject: help\r\nMessage-ID: <help-{number}@x.org>\r\n\r\n".encode()
        yield Arriving("bob@x.org", ("pbm@example.org",), raw)


class Clients:
    """Threads that hand mails in, one after another; `taken` are the Message-IDs that got 250."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._threads: list[threading.Thread] = []
        self.taken: list[str] = []

    def hand_in(self, mails: Sequence[Arriving] | Iterator[Arriving]) -> None:
        def run() -> None:
            for mail in mails:
                handed_in(self._port, mail)
                self.taken.append(message_from_bytes(mail.raw)["Message-ID"])

        self._threads.append(threading.Thread(target=run))
        self._threads[-1].start()

    def wait(self) -> None:
        for thread in self._threads:
            thread.join()


def count(store: Store, what: str) -> int:
    with store.read() as tx:
        return int(tx._connection.execute(sa.text(f"SELECT count(*) FROM {what}")).scalar_one())  # noqa: S608


@pytest.mark.servers
def test_an_upgrade_under_a_server_loses_nothing_does_nothing_twice_and_parks_nothing(
    database: str, newer: Path, tmp_path: Path
) -> None:
    service = Service(Store(database), SETTINGS)
    administration = Administration(service)
    for userid in ("alice", "bob"):
        administration.add_player(userid, [f"{userid}@x.org"], f"{userid}pass")
    boards = [Organizer(service).start_match("cross", ("alice", "bob"), ["-size=6"]).board for _ in range(2)]
    mails = {board: answers(service, board, plan(board)) for board in boards}
    older_ones, newer_ones = Company(database, tmp_path), Company(database, tmp_path, newer)
    stop_asking = threading.Event()
    with reserved_port() as port:
        clients = Clients(port)
        serve = ("serve", "--listen", f"127.0.0.1:{port}")
        try:
            older_ones.hire(*serve)
            older_ones.hire("work")
            clients.hand_in(questions(stop_asking))
            for board in boards:
                clients.hand_in(mails[board][:BEFORE])
            wait_until(lambda: count(service.store, "plies") == BEFORE * len(boards))

            code, text = said(newer, database, "serve", "--listen", "127.0.0.1:0")
            assert (code, "Run: pbm db upgrade" in text) == (1, True), text
            raw = mails[boards[0]][BEFORE].raw
            code, text = said(newer, database, "receive", mails[boards[0]][BEFORE].recipients[0], given=raw)
            assert (code, "Run: pbm db upgrade" in text) == (os.EX_TEMPFAIL, True), text

            for board in boards:
                clients.hand_in(mails[board][BEFORE:])
            code, text = said(newer, database, "db", "upgrade")
            assert (code, f"The database is now at revision {NEWER}" in text) == (0, True), text
            assert [child.wait(PATIENCE_SECONDS) for child in older_ones.running] == [1, 1]
            assert "Start it again" in (tmp_path / "log").read_text()

            code, text = said(ROOT, database, "serve", "--listen", "127.0.0.1:0")
            assert (code, "of a newer version of the program" in text) == (1, True), text

            newer_ones.hire(*serve)
            stop_asking.set()
            clients.wait()
            wait_until(lambda: not count(service.store, "inbox WHERE state = 'new'"))
            wait_until(lambda: not count(service.store, "outbox WHERE state = 'queued'"))
            assert newer_ones.dismiss() == [0]
        finally:
            stop_asking.set()
            for child in (*older_ones.running, *newer_ones.running):
                child.kill()
                child.communicate()
            print((tmp_path / "log").read_text())
    for board in boards:
        assert [ply.notation for ply in Arbiter(service).board(board).record] == plan(board)
    assert not [verdict for verdict in replayed(service.store) if verdict.problem]
    with service.store.read() as tx:
        settled = Counter(
            message_from_bytes(raw)["Message-ID"]
            for (raw,) in tx._connection.execute(sa.text("SELECT raw FROM inbox WHERE identity IS NOT NULL"))
        )
        owed = {queued.mail.key for queued in tx.outbox.latest(None, 10_000)}
    assert settled == Counter(clients.taken)
    assert not count(service.store, "inbox WHERE state = 'parked'")
    for table in MARKED:  # the older program has written nothing since the upgrade
        assert not count(service.store, f"{table} WHERE weight <> 7")
    sent = {
        message_from_bytes(letter)["Message-ID"].strip("<>").partition("@")[0]
        for userid in ("alice", "bob")
        for letter in newer_ones.letters(f"{userid}@x.org")
    }
    assert sent == owed
    service.close()
