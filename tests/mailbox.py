"""An IMAP server with one mailbox, which breaks when told to."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count


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
    disable_nagle_algorithm = True  # the second line of an answer would wait 40 ms for the receipt of the first
    server: Imap
    _told: Sequence[int] = ()

    def handle(self) -> None:
        with suppress(ConnectionError):
            self._talk()

    def _talk(self) -> None:
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
