"""Mail from a mailbox, on a server written here that breaks when told to; tests/real uses a true one."""

from __future__ import annotations

import re
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count

import pytest
from structlog.testing import capture_logs

from pbm.domain.configuration import FetchSettings
from pbm.edges.fetch import Fetched, Fetcher
from pbm.store import Store
from tests.patience import PATIENCE_SECONDS, wait_until

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Imap(socketserver.ThreadingTCPServer):
    """One mailbox. folders: by name, their mails by UID. breaks: commands at which it hangs up, once.

    refuses: commands that it answers with NO. ends_at: commands at which it hangs up each time. floods: the command,
    if any, that it answers with the second text without end; flooded: the most octets of it that were taken at once.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, capabilities: str, namespace: str) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.capabilities = capabilities
        self.namespace = namespace
        self.folders: dict[str, dict[int, bytes]] = {"INBOX": {}}
        self.breaks: list[str] = []
        self.refuses: list[str] = []
        self.ends_at: list[str] = []
        self.floods: tuple[str, bytes] | None = None
        self.flooded = 0
        self.said: list[str] = []
        self.logins = 0
        self._next = 1

    def put(self, mail: bytes) -> None:
        self.folders["INBOX"][self._next] = mail
        self._next += 1


class _Session(socketserver.StreamRequestHandler):
    server: Imap
    _told: Sequence[int] = ()

    def handle(self) -> None:
        self._say("* OK here")
        while line := self.rfile.readline():
            tag, _, rest = line.decode().strip().partition(" ")
            self.server.said.append(rest)
            if any(rest.startswith(command) for command in self.server.breaks):
                self.server.breaks.clear()
                return
            if any(rest.startswith(command) for command in self.server.ends_at):
                return
            if self.server.floods and rest.startswith(self.server.floods[0]):
                if rest == "IDLE":
                    self._say("+ idling")
                self._flood(self.server.floods[1])
                return
            if any(rest.startswith(command) for command in self.server.refuses):
                self._say(f"{tag} NO [SERVERBUG] internal error")
            else:
                self._obey(tag, rest)

    def _flood(self, text: bytes) -> None:
        with suppress(OSError):
            for times in count(1):
                self.wfile.write(text)
                self.server.flooded = max(self.server.flooded, times * len(text))

    def _obey(self, tag: str, rest: str) -> None:
        name = rest.lower().removeprefix("uid ").split()[0]
        ending = getattr(self, f"_{name}", lambda _: None)(rest)
        self._say(f"{tag} {ending or 'OK done'}")

    def _capability(self, _: str) -> None:
        self._say(f"* CAPABILITY IMAP4rev1 {self.server.capabilities}")

    def _login(self, rest: str) -> str:
        self.server.logins += 1
        return "NO no" if '"wrong"' in rest else ""

    def _namespace(self, _: str) -> None:
        self._say(f"* NAMESPACE {self.server.namespace} NIL NIL")

    def _list(self, rest: str) -> None:
        asked = rest.split()[-1].strip('"')
        if asked in self.server.folders or not asked:
            self._say(f'* LIST () "." "{asked}"')

    def _create(self, rest: str) -> None:
        self.server.folders[rest.split()[1].strip('"')] = {}

    def _select(self, _: str) -> None:
        self._say(f"* {len(self._inbox)} EXISTS\r\n* OK [UIDVALIDITY 77] fine")

    def _search(self, rest: str) -> None:
        self._told = list(self._inbox)
        first, last = map(int, rest.split()[2].split(":"))
        assert first <= last <= len(self._told)
        self._say("* SEARCH " + " ".join(map(str, self._told[first - 1 : last])))

    def _fetch(self, rest: str) -> None:
        found = re.fullmatch(r"UID FETCH (\d+) \(BODY.PEEK\[\]<0.(\d+)>\)", rest)
        assert found
        uid, most = int(found[1]), int(found[2])
        if uid in self._inbox:
            text = self._inbox[uid][:most]
            self.wfile.write(b"* 1 FETCH (UID %d BODY[]<0> {%d}\r\n%s)\r\n" % (uid, len(text), text))

    def _move(self, rest: str) -> None:
        _, _, uids, folder = rest.split()
        for uid in map(int, uids.split(",")):
            self.server.folders[folder.strip('"')][uid] = self._inbox.pop(uid)

    @property
    def _inbox(self) -> dict[int, bytes]:
        return self.server.folders["INBOX"]

    def _idle(self, _: str) -> None:
        """Like real servers, it tells at once what has come since the last search."""
        self._say("+ idling")
        known = set(self._told)
        self.connection.settimeout(0.05)
        while True:
            try:
                self.connection.recv(100)
            except TimeoutError:
                if {*list(self._inbox)} - known:
                    known = {*list(self._inbox)}
                    self._say(f"* {len(known)} EXISTS")
                continue
            break
        self.connection.settimeout(None)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def imap(capabilities: str = "MOVE IDLE NAMESPACE", namespace: str = '(("INBOX." "."))') -> Iterator[Imap]:
    with Imap(capabilities, namespace) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def fetching(server: Imap, accept: Callable[[list[Fetched]], None], **changed: object) -> Iterator[None]:
    values: dict[str, object] = {
        "host": "127.0.0.1", "port": server.server_address[1], "username": "pbm", "password": "right", "tls": "none",
        "first_retry_seconds": 0.01, "longest_retry_seconds": 0.02, "timeout_seconds": 60,
    }  # fmt: skip
    fetcher = Fetcher(FetchSettings(**(values | changed)), accept)  # type: ignore[arg-type]
    thread = threading.Thread(target=fetcher.run)
    thread.start()
    try:
        yield
    finally:
        fetcher.stop()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def test_mails_are_taken_oldest_first_and_put_aside_under_their_source():
    taken: list[Fetched] = []
    with imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        server.put(b"Subject: two\r\n\r\n" + b"x" * 2000)
        with fetching(server, taken.extend, max_size=1024):
            wait_until(lambda: len(server.folders.get("INBOX.pbm-handled", {})) == 2)
    assert [mail.source for mail in taken] == ["imap:pbm@127.0.0.1/INBOX:77:1", "imap:pbm@127.0.0.1/INBOX:77:2"]
    assert taken[0].data == b"Subject: one\r\n\r\n"
    assert len(taken[1].data) == 1024
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
    taken: list[Fetched] = []
    with imap(capabilities, namespace) as server:
        server.put(b"Subject: one\r\n\r\n")
        with fetching(server, taken.extend, handled_folder=folder):
            wait_until(lambda: server.folders.get(named))
    assert len(taken) == 1


def test_nothing_is_taken_from_a_folder_to_which_it_would_be_moved_back():
    taken: list[Fetched] = []
    with imap("MOVE NAMESPACE", '(("INBOX." "."))') as server, capture_logs() as logs:
        server.folders["INBOX.games"] = {1: b"Subject: one\r\n\r\n"}
        with fetching(server, taken.extend, folder="games", handled_folder="INBOX.games"):
            wait_until(lambda: logs)
    assert "imap.handled_folder is imap.folder" in logs[0]["trouble"]
    assert taken == []


def test_a_folder_of_hundreds_of_thousands_of_mails_is_begun_with():
    taken: list[Fetched] = []
    with imap() as server:
        server.folders["INBOX"] = dict.fromkeys(range(4_000_000_000, 4_000_300_000), b"Subject: one\r\n\r\n")
        with fetching(server, taken.extend):
            wait_until(lambda: server.folders.get("INBOX.pbm-handled"))
    assert taken[0].source == "imap:pbm@127.0.0.1/INBOX:77:4000000000"


def test_a_folder_of_more_mails_than_are_looked_at_in_one_go_is_worked_off(monkeypatch):
    monkeypatch.setattr("pbm.edges.fetch._LOOK", 3)
    taken: list[Fetched] = []
    with imap() as server:
        for number in range(8):
            server.put(b"Subject: %d\r\n\r\n" % number)
        with fetching(server, taken.extend, poll_seconds=0.05):
            wait_until(lambda: not server.folders["INBOX"])
    assert [int(mail.data[9:10]) for mail in taken] == list(range(8))


@pytest.mark.parametrize("capabilities", ["MOVE IDLE", "MOVE"])
def test_a_mail_that_comes_later_is_taken_whether_announced_or_not(capabilities):
    taken: list[Fetched] = []
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
    tried: list[Fetched] = []

    def accept(mails: list[Fetched]) -> None:
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

    def accept(mails: list[Fetched]) -> None:
        with store.write() as tx:
            tx.inbox.add([(None, (), mail.data, mail.source, "", "") for mail in mails], NOW)

    with imap() as server:
        server.put(b"Subject: one\r\n\r\n")
        server.breaks = [command]
        with fetching(server, accept):
            wait_until(lambda: not server.folders["INBOX"] and not server.breaks)
            server.put(b"Subject: two\r\n\r\n")
            wait_until(lambda: not server.folders["INBOX"])
    with store.read() as tx:
        assert [mail.raw[:12] for mail in tx.inbox.waiting(10)] == [b"Subject: one", b"Subject: two"]
        assert tx.inbox.waiting(1)[0].mail_from is None
    store.close()


def test_no_mail_waits_for_one_that_the_server_cannot_give():
    taken: list[Fetched] = []
    with imap() as server:
        for number in range(1, 4):
            server.put(b"Subject: %d\r\n\r\n" % number)
        server.refuses, server.ends_at = ["UID FETCH 1 "], ["UID FETCH 2 "]
        with fetching(server, taken.extend, poll_seconds=0.05):
            wait_until(lambda: list(server.folders["INBOX"]) == [1, 2])
            assert [mail.data for mail in taken] == [b"Subject: 3\r\n\r\n"]
            server.ends_at = []
            wait_until(lambda: list(server.folders["INBOX"]) == [1])
            server.refuses = []  # the next look asks again for what was refused
            wait_until(lambda: not server.folders["INBOX"])
    assert [mail.data[9:10] for mail in taken] == [b"3", b"2", b"1"]


def test_no_mail_waits_for_those_that_cannot_be_put_aside():
    sources: set[str] = set()
    with imap() as server:
        for number in range(1, 31):
            server.put(b"Subject: %d\r\n\r\n" % number)
        server.refuses = ["UID MOVE"]
        with fetching(server, lambda mails: sources.update(mail.source for mail in mails)):
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


@pytest.mark.parametrize("command", ["CAPABILITY", "SELECT", "UID SEARCH", "UID FETCH", "UID STORE", "IDLE"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"* 1 EXISTS and so on\r\n" * 4096, "the server's answer to one command is longer than"),
        (b"* 1 FETCH (BODY[] {99999999999}\r\n" * 4096, "the server's answer to one command is longer than"),
        (b"* SEARCH" + b" 1" * 40_000, "got more than"),
    ],
    ids=["lines", "literal", "line"],
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
