"""The running server over real SMTP: 250 is durable, trouble is 451, and accepted mail survives a kill."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import smtplib
import socket
import subprocess
import sys
import threading
import time
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from pbm.domain.configuration import DeliverySettings, ListenSettings
from pbm.domain.mail import Arrival, Settlement
from pbm.edges.deliver import Deliverer
from pbm.edges.server import Server
from pbm.edges.transports import Maildir
from pbm.edges.watch import lack
from pbm.mailin import Robot
from pbm.server import Service, Settings
from pbm.server.operator import Administration
from pbm.store import DatabaseTrouble, Store
from pbm.store.neighbours import Full, ReadOnly
from pbm.store.queues import NewMail
from tests.patience import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).parent.parent.parent


def mail(number: int, subject: str = "cross games") -> bytes:
    return f"From: alice@x.org\r\nSubject: {subject}\r\nMessage-ID: <{number}@x.org>\r\n\r\n".encode()


@pytest.fixture
def database(databases):
    url = databases.ready()
    yield url
    databases.release(url)


@pytest.fixture
def service(database):
    service = Service(Store(database), Settings(Robot("pbm", "example.org")))
    administration = Administration(service)
    administration.add_player("alice", ["alice@x.org"], "alicepass")
    administration.add_player("bob", ["bob@x.org"], "bobpass")
    yield service
    service.close()


def serving(service: Service, folder: Path, work) -> None:
    """Run the server while `work(port)`, which blocks, runs in a thread."""

    async def run() -> None:
        server = Server(
            service, ListenSettings(listen="127.0.0.1:0"), Maildir(folder), DeliverySettings(poll_seconds=0.05)
        )
        await server.start()
        try:
            await asyncio.to_thread(work, server.port)
        finally:
            await server.stop()

    asyncio.run(run())


def letters(folder: Path, address: str) -> list[Path]:
    return sorted((folder / address).glob("new/*"))


def test_a_command_is_answered_into_the_mailbox(service, tmp_path):
    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            client.sendmail("alice@x.org", ["pbm@example.org"], mail(1, "cross challenge alice bob alice alicepass"))
        wait_until(lambda: letters(tmp_path, "alice@x.org") and letters(tmp_path, "bob@x.org"))

    serving(service, tmp_path, work)
    assert "Cross Board 101" in letters(tmp_path, "bob@x.org")[0].read_text()


def test_a_file_that_is_mostly_unused_shrinks_beside_the_work(service, tmp_path, monkeypatch):
    store = service.store
    monkeypatch.setattr("pbm.edges.server._AGENDA_SECONDS", 0.05)
    if store.free_octets() is None or store.locks_rows:
        pytest.skip("PostgreSQL looks after its files by itself")

    def is_wasted() -> bool:
        with store.read() as tx:
            return bool(tx.overview.room().is_wasted)

    with store.write() as tx:
        (large,) = tx.inbox.add([NewMail("a@x.org", ("pbm@example.org",), b"x" * 4 * 2**20)], store.clock())
        tx.inbox.settle([Settlement(large, Arrival.IGNORED, "", None, b"")], store.clock())
    assert is_wasted()
    serving(service, tmp_path, lambda port: wait_until(lambda: not is_wasted()))


def test_other_peoples_recipients_are_refused_at_once(service, tmp_path):
    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
                client.sendmail("alice@x.org", ["someone@elsewhere.org"], mail(1))
            assert refused.value.recipients["someone@elsewhere.org"][0] == 550

    serving(service, tmp_path, work)


def test_one_mail_to_the_reply_addresses_of_two_boards_is_two_mails(service, tmp_path):
    boards = range(101, 103)

    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            for board in boards:
                start = mail(board, "cross challenge bob alice bob bobpass").replace(b"alice@", b"bob@", 1)
                client.sendmail("bob@x.org", ["pbm@example.org"], start)
            wait_until(lambda: len(letters(tmp_path, "bob@x.org")) >= 2)
            told = [message_from_bytes(path.read_bytes(), policy=default) for path in letters(tmp_path, "bob@x.org")]
            addresses = [each["Reply-To"] for each in told]
            move = mail(3, "E4").replace(b"alice@", b"bob@", 1)
            later = client.sendmail("bob@x.org", addresses, move)
            # Where a mail server tries again with those that are left, as all do.
            assert [(address, code) for address, (code, _) in later.items()] == [(addresses[1], 452)]
            client.sendmail("bob@x.org", [*later], move)
        wait_until(lambda: len(letters(tmp_path, "alice@x.org")) >= 4)

    serving(service, tmp_path, work)
    with service.store.read() as tx:
        assert [tx.matches.load(board).record.notations for board in boards] == [("E4",), ("E4",)]


def test_trouble_with_the_inbox_is_a_temporary_answer_that_tells_nothing(service, tmp_path, monkeypatch, caplog):
    """The log has one sentence about it, too, without a traceback."""

    def accept(_mails):
        raise DatabaseTrouble("disk full at /secret/path")

    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            with pytest.raises(smtplib.SMTPDataError) as refused:
                client.sendmail("alice@x.org", ["pbm@example.org"], mail(1))
            assert refused.value.smtp_code == 451
            assert b"secret" not in refused.value.smtp_error
            monkeypatch.undo()
            client.sendmail("alice@x.org", ["pbm@example.org"], mail(1))
        wait_until(lambda: letters(tmp_path, "alice@x.org"))

    monkeypatch.setattr(service, "accept", accept)
    serving(service, tmp_path, work)
    (told,) = [record for record in caplog.records if "not accepted" in record.message]
    assert told.message == "mail not accepted: disk full at /secret/path"
    assert told.exc_info is None


def test_trouble_while_handling_is_waited_out(service, tmp_path, monkeypatch):
    real, troubles = service.handle, [DatabaseTrouble("locked")] * 2

    def handle(limit, committed):
        if troubles:
            raise troubles.pop()
        return real(limit)

    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            client.sendmail("alice@x.org", ["pbm@example.org"], mail(1))
        wait_until(lambda: letters(tmp_path, "alice@x.org"))

    monkeypatch.setattr(service, "handle", handle)
    serving(service, tmp_path, work)
    assert not troubles


def serve_process(database: str, folder: Path, stderr: int = subprocess.DEVNULL) -> tuple[subprocess.Popen[str], int]:
    command = [sys.executable, "-m", "pbm", "serve", "--listen", "127.0.0.1:0", "--domain", "example.org"]
    command += ["--database", database, "--maildir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PBM_LIMITS__UNPROVEN_ANSWERS_PER_HOUR": "1000"}
    child = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
    assert child.stdout is not None
    return child, int(child.stdout.readline().rsplit(":", 1)[1])


@pytest.mark.servers
def test_what_got_250_is_handled_once_though_the_server_is_killed_again_and_again(service, database, tmp_path):
    """Each accepted mail has one answer, whatever the server was doing when it was killed."""
    accepted, number = [], 0
    for round_ in range(4):
        child, port = serve_process(database, tmp_path)
        with contextlib.suppress(smtplib.SMTPException, OSError), smtplib.SMTP("127.0.0.1", port) as client:
            for _ in range(15 + 7 * round_):
                number += 1
                client.sendmail("alice@x.org", ["pbm@example.org"], mail(number))
                accepted.append(number)
            child.send_signal(signal.SIGKILL)
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    child, _ = serve_process(database, tmp_path)
    wait_until(lambda: nothing_waits(service.store))
    child.terminate()
    assert child.wait(PATIENCE_SECONDS) == 0
    assert child.stdout is not None
    child.stdout.close()
    answered = [path.read_text() for path in letters(tmp_path, "alice@x.org")]
    for each in accepted:
        assert sum(f"In-Reply-To: <{each}@x.org>" in text for text in answered) == 1, each


def nothing_waits(store: Store) -> bool:
    with store.read() as tx:
        return not tx.inbox.latest(Arrival.NEW, 1) and tx.outbox.next_at() is None


@pytest.mark.skipif("PBM_TEST_DATABASE" in os.environ, reason="a server's files are its own business")
def test_a_database_that_is_deleted_while_it_is_written_loses_no_mail(service, database, tmp_path, monkeypatch):
    """Mail that comes meanwhile gets 451, the operator is told past the outbox, and all goes on with the file back.

    They are told once, though readers find no fault with a file that is still open.
    """
    monkeypatch.setattr("pbm.edges.server._LOOK_SECONDS", 0.01)
    monkeypatch.setattr("pbm.edges.server._AGENDA_SECONDS", 0.01)
    service.tools.operator = "root@example.org"
    file = Path(database.removeprefix("sqlite:///"))

    def work(port: int) -> None:
        with smtplib.SMTP("127.0.0.1", port) as client:
            client.sendmail("alice@x.org", ["pbm@example.org"], mail(1))
            wait_until(lambda: letters(tmp_path, "alice@x.org"))
            file.rename(file.with_suffix(".aside"))
            for number in range(2, 8):
                with pytest.raises(smtplib.SMTPDataError) as refused:
                    client.sendmail("alice@x.org", ["pbm@example.org"], mail(number))
                assert refused.value.smtp_code == 451
                time.sleep(0.1)
            wait_until(lambda: letters(tmp_path, "root@example.org"))
            assert not file.exists(), "no empty database is made in its place"
            file.with_suffix(".aside").rename(file)
            client.sendmail("alice@x.org", ["pbm@example.org"], mail(2))
            wait_until(lambda: len(letters(tmp_path, "alice@x.org")) == 2)

    serving(service, tmp_path, work)
    assert len(letters(tmp_path, "root@example.org")) == 1


@pytest.mark.servers
def test_a_process_that_may_open_no_more_files_ends_and_says_so(database, tmp_path):
    child, port = serve_process(database, tmp_path, stderr=subprocess.PIPE)
    resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (3, 3))  # however many are open at the moment
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(PATIENCE_SECONDS)
        client.recv(1000)
    _, errors = child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == 1
    assert "No more files can be opened" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert len(errors) < 5000


def test_a_process_that_may_start_no_more_threads_says_so(monkeypatch):
    def start(_thread):
        raise RuntimeError("can't start new thread")

    assert lack() == ""
    monkeypatch.setattr(threading.Thread, "start", start)
    assert "No more threads can be started" in lack()


async def given_up(service: Service, folder: Path) -> str:
    """Why a server that handles and delivers gave up."""
    server = Server(service, None, Maildir(folder), DeliverySettings())
    await server.start()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await server.health.gave_up.wait()
    await server.stop()
    return server.health.reason


def test_a_task_that_ends_by_a_fault_ends_the_server(service, tmp_path, monkeypatch):
    async def run(_self) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Deliverer, "run", run)
    assert "A fault of ours has stopped the work" in asyncio.run(given_up(service, tmp_path))


def test_a_game_that_ends_the_thread_it_is_played_in_ends_the_server(service, tmp_path, monkeypatch):
    """Otherwise a process that seems to be well would take mail in and never handle it."""

    def exit_(_limit: int, _committed: object) -> int:
        raise SystemExit("bye")

    monkeypatch.setattr(service, "handle", exit_)
    assert "A fault of ours has stopped the work" in asyncio.run(given_up(service, tmp_path))


def told_of(service: Service, folder: Path, trouble: DatabaseTrouble) -> str:
    """The letter to the operator about a trouble that three threads meet at the same time."""
    service.tools.operator = "root@example.org"

    def work(_port: int) -> None:
        threads = [threading.Thread(target=service.store.when_unwritable, args=(trouble,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: letters(folder, "root@example.org"))

    serving(service, folder, work)
    (letter,) = letters(folder, "root@example.org")
    body = message_from_bytes(letter.read_bytes(), policy=default).get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


@pytest.mark.postgresql  # what SQLite needs is a new process, see tests/crash
def test_the_operator_hears_of_a_server_of_postgresql_that_can_only_be_read(service, tmp_path):
    told = told_of(service, tmp_path, ReadOnly("cannot execute INSERT in a read-only transaction"))
    assert "cannot be written: cannot execute INSERT in a read-only transaction." in told
    assert "Let pbm reach a server of PostgreSQL that can be written" in told
    assert "Put the file back" not in told


def test_the_operator_hears_once_of_a_full_disk_and_what_to_do(service, tmp_path, monkeypatch):
    """However many threads notice it at the same time."""

    def look_at_the_clock() -> float:
        time.sleep(0.05)
        return time.monotonic()

    monkeypatch.setattr("pbm.edges.server.monotonic", look_at_the_clock)
    told = told_of(service, tmp_path, Full("database or disk is full"))
    assert "cannot be written: database or disk is full." in told
    assert "Make room on its disk, and the server goes on by itself." in told
    assert "pbm doctor" in told
    assert "Put the file back" not in told
