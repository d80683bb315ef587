"""Mail from a mailbox, on the server of tests/mailbox.py; tests/real uses a true one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from pbm.domain.configuration import FetchSettings
from pbm.domain.mail import Arrival
from pbm.edges import fetch
from pbm.edges.fetch import Fetcher
from pbm.server import Arriving
from pbm.store import Store
from pbm.store.queues import NewMail
from tests.mailbox import Imap, imap
from tests.patience import wait_until

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetching looks fifty times as often as usual whether it must stop."""
    monkeypatch.setattr(fetch, "_TICK_SECONDS", 0.02)


@contextmanager
def fetching(server: Imap, accept: Callable[[list[Arriving]], None], **changed: object) -> Iterator[None]:
    values: dict[str, object] = {
        "host": "127.0.0.1", "port": server.server_address[1], "username": "pbm", "password": "right", "tls": "none",
        "first_retry_seconds": 0.01, "longest_retry_seconds": 0.02, "timeout_seconds": 60,
    }  # fmt: skip
    fetcher = Fetcher(FetchSettings(**(values | changed)), accept)  # type: ignore[arg-type]
    fetcher.start()
    try:
        yield
    finally:
        fetcher.stop()
        assert not fetcher._thread.is_alive()


def test_mails_are_taken_oldest_first_and_put_aside_under_their_source():
    taken: list[Arriving] = []
    with imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        server.put(b"Subject: two\r\n\r\n" + b"x" * 2000)
        with fetching(server, taken.extend, max_size=1024):
            wait_until(lambda: len(server.folders.get("INBOX.pbm-handled", {})) == 2)
    assert [mail.source for mail in taken] == ["imap:pbm@127.0.0.1/INBOX:77:1", "imap:pbm@127.0.0.1/INBOX:77:2"]
    assert taken[0].raw == b"Subject: one\r\n\r\n"
    assert len(taken[1].raw) == 1024
    assert not server.folders["INBOX"]


@pytest.mark.parametrize(
    ("capabilities", "namespace", "folder", "named"),
    [
        ("MOVE NAMESPACE", '(("" "/"))', "robots/done", "robots/done"),
        ("MOVE NAMESPACE", '(("INBOX." "."))', "robots/done", "INBOX.robots.done"),
        ("MOVE NAMESPACE", '(("INBOX." "."))', "INBOX.done", "INBOX.done"),
        ("MOVE", "", "robots/done", "robots.done"),
    ],
)
def test_folders_by_the_names_the_server_gives_them(capabilities, namespace, folder, named):
    taken: list[Arriving] = []
    with imap(capabilities, namespace) as server:
        server.put(b"Subject: one\r\n\r\n")
        with fetching(server, taken.extend, handled_folder=folder):
            wait_until(lambda: server.folders.get(named))
    assert len(taken) == 1


def test_nothing_is_taken_from_a_folder_to_which_it_would_be_moved_back():
    taken: list[Arriving] = []
    with imap("MOVE NAMESPACE", '(("INBOX." "."))') as server, capture_logs() as logs:
        server.folders["INBOX.games"] = {1: b"Subject: one\r\n\r\n"}
        with fetching(server, taken.extend, folder="games", handled_folder="INBOX.games"):
            wait_until(lambda: logs)
    assert "imap.handled_folder is imap.folder" in logs[0]["trouble"]
    assert taken == []


def test_a_folder_of_hundreds_of_thousands_of_mails_is_begun_with():
    taken: list[Arriving] = []
    with imap() as server:
        server.folders["INBOX"] = dict.fromkeys(range(4_000_000_000, 4_000_300_000), b"Subject: one\r\n\r\n")
        with fetching(server, taken.extend):
            wait_until(lambda: server.folders.get("INBOX.pbm-handled"))
    assert taken[0].source == "imap:pbm@127.0.0.1/INBOX:77:4000000000"


def test_a_folder_of_more_mails_than_are_looked_at_in_one_go_is_worked_off(monkeypatch):
    monkeypatch.setattr("pbm.edges.fetch._LOOK", 3)
    taken: list[Arriving] = []
    with imap() as server:
        for number in range(8):
            server.put(b"Subject: %d\r\n\r\n" % number)
        with fetching(server, taken.extend, poll_seconds=0.05):
            wait_until(lambda: not server.folders["INBOX"])
    assert [int(mail.raw[9:10]) for mail in taken] == list(range(8))


@pytest.mark.parametrize("capabilities", ["MOVE IDLE", "MOVE"])
def test_a_mail_that_comes_later_is_taken_whether_announced_or_not(capabilities):
    taken: list[Arriving] = []
    with (
        imap(capabilities) as server,
        fetching(server, taken.extend, poll_seconds=60 if "IDLE" in capabilities else 0.05),
    ):
        wait_until(lambda: "IDLE" in server.said if "IDLE" in capabilities else len(server.said) > 12)
        server.put(b"Subject: later\r\n\r\n")
        wait_until(lambda: taken)
        wait_until(lambda: not server.folders["INBOX"])
    assert ("IDLE" in server.said) == ("IDLE" in capabilities)
    assert server.logins == 1


def test_a_mail_is_put_aside_only_when_it_is_safe():
    tried: list[Arriving] = []

    def accept(mails: list[Arriving]) -> None:
        tried.extend(mails)
        if len(tried) < 3:
            raise OSError("the disk is full")

    with imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        with fetching(server, accept):
            wait_until(lambda: not server.folders["INBOX"])
        moves = [line for line in server.said if line.startswith(("UID MOVE", "UID STORE"))]
    assert len(tried) == 3
    assert len(moves) == 2, "nothing was marked before"


@pytest.mark.parametrize("command", ["UID MOVE", "UID STORE", "UID FETCH", "UID SEARCH", "SELECT", "IDLE", "LOGIN"])
def test_a_connection_that_breaks_is_made_again_and_no_mail_is_stored_twice(tmp_path, command):
    store = Store(f"sqlite:///{tmp_path / 'pbm.db'}")
    store.prepare(NOW)

    def accept(mails: list[Arriving]) -> None:
        with store.write() as tx:
            tx.inbox.add([NewMail(None, (), mail.raw, mail.source) for mail in mails], NOW)

    with imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        server.breaks = [command]
        with fetching(server, accept):
            wait_until(lambda: not server.folders["INBOX"] and not server.breaks)
            server.put(b"Subject: two\r\n\r\n")
            wait_until(lambda: not server.folders["INBOX"])
    with store.read() as tx:
        assert [mail.raw[:12] for mail in tx.inbox.latest(Arrival.NEW, 10)[::-1]] == [b"Subject: one", b"Subject: two"]
        assert tx.inbox.latest(Arrival.NEW, 1)[-1].mail_from is None
    store.close()


def test_no_mail_waits_for_one_that_the_server_cannot_give():
    taken: list[Arriving] = []
    with imap() as server:
        for number in range(1, 4):
            server.put(b"Subject: %d\r\n\r\n" % number)
        server.refuses, server.ends_at = ["UID FETCH 1 "], ["UID FETCH 2 "]
        with fetching(server, taken.extend, poll_seconds=0.05):
            wait_until(lambda: list(server.folders["INBOX"]) == [1, 2])
            assert [mail.raw for mail in taken] == [b"Subject: 3\r\n\r\n"]
            server.ends_at = []
            wait_until(lambda: list(server.folders["INBOX"]) == [1])
            server.refuses = []  # the next look asks again for what was refused
            wait_until(lambda: not server.folders["INBOX"])
    assert [mail.raw[9:10] for mail in taken] == [b"3", b"2", b"1"]


def test_no_mail_waits_for_those_that_cannot_be_put_aside():
    sources: set[str] = set()
    with imap() as server:
        for number in range(1, 31):
            server.put(b"Subject: %d\r\n\r\n" % number)
        server.refuses = ["UID MOVE"]
        with fetching(server, lambda mails: sources.update(str(mail.source) for mail in mails)):
            wait_until(lambda: len(sources) == 30)
            server.refuses = []
            wait_until(lambda: not server.folders["INBOX"])


def test_a_refused_login_waits_longest():
    with (
        imap() as server,
        fetching(server, lambda _: None, password="wrong", first_retry_seconds=0.001, longest_retry_seconds=60),
    ):
        wait_until(lambda: server.logins)
        time.sleep(0.2)
        assert server.logins == 1


ENDLESS, LONG = "the server's answer to one command is longer than", "got more than"


@pytest.mark.parametrize(
    ("command", "text", "words"),
    [
        *((command, b"* SEARCH" + b" 1" * 40_000, LONG) for command in ("CAPABILITY", "UID SEARCH", "UID STORE")),
        ("SELECT", b"* 1 FETCH (BODY[] {99999999999}\r\n" * 4096, ENDLESS),
        *((command, b"* 1 EXISTS and so on\r\n" * 4096, ENDLESS) for command in ("UID FETCH", "IDLE")),
    ],
)
def test_of_an_answer_without_end_little_is_read_and_the_next_look_takes_the_mail(command, text, words):
    with capture_logs() as logs, imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        server.floods = command, text
        with fetching(server, lambda _: None, max_size=1024):
            wait_until(lambda: any(line["event"] == "imap_trouble" for line in logs))
            server.floods = None
            wait_until(lambda: not server.folders["INBOX"])
    assert server.flooded < 40 * 2**20
    assert words in next(line["trouble"] for line in logs if line["event"] == "imap_trouble")
