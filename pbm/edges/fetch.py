"""Mail from an IMAP mailbox, for operators who only have a mailbox: a folder's mails are taken and put aside.

The folder is the queue: everything in it is taken, read or unread. Invariants: a mail is put aside only after `accept`
has returned; after a crash in between it is found again, under the same source, which `accept` takes only once. A mail
is fetched only up to the largest size we take: what a person wrote comes before the attachments. However much a broken
server answers, little of it is read.
"""

from __future__ import annotations

import imaplib
import random
import re
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import structlog
from imap_tools import (
    BaseMailBox,
    ImapToolsError,
    MailboxFetchError,
    MailboxFolderSelectError,
    MailboxLoginError,
    MailboxStarttlsError,
)
from imap_tools.utils import check_command_status

from pbm.core.counts import LOOKED
from pbm.domain.configuration import FetchSettings
from pbm.server.admission import Arriving
from pbm.store.matches import batched

log = structlog.get_logger()

_BATCH = 20
"""How many mails are stored in one transaction, and held in memory at once."""

_LONGEST_ANSWER = 2**21
"""The most octets of the server's answer to one command, besides a mail; enough for the UIDs of _LOOK mails."""

_LOOK = 100_000
"""How many mails of a folder, its oldest, are looked at in one go; a UID has at most ten digits."""

_TICK_SECONDS = 1.0
"""How often a waiting thread checks whether it should stop."""

_GRACE_SECONDS = 5.0

_NAMESPACE = re.compile(rb'\(\("((?:[^"\\]|\\.)*)" "(.)"')
"""RFC 2342: the prefix of our own folders and their delimiter, as in (("INBOX." "."))."""


class Fetcher:
    """Takes mails from start() to stop(), in its own thread. `accept` stores mails durably or raises.

    The source of a mail is a unique name: account, folder, UIDVALIDITY and UID (RFC 3501).
    """

    def __init__(self, settings: FetchSettings, accept: Callable[[Sequence[Arriving]], None]) -> None:
        self._settings = settings
        self._accept = accept
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="imap", daemon=True)
        self._broken: dict[str, bool] = {}
        """UIDs of mails that the server could not give, or broke off at; the one tried last comes last."""
        self._tls = None if settings.tls == "none" else ssl.create_default_context(cafile=settings.ca_file)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop without waiting long for a server that does not answer: its mails will be there next time."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_GRACE_SECONDS)

    def _run(self) -> None:
        """Returns after stop(). After any trouble the mailbox is opened again, after a longer pause each time."""
        failures = 0
        while not self._stopping.is_set():
            try:
                with _Folder(self._settings, self._tls) as folder:
                    while not self._stopping.is_set():
                        self._take_all(folder)
                        failures = 0
                        LOOKED.note()
                        folder.wait(self._stopping)
            except MailboxLoginError as error:
                # Wait longest: providers lock accounts that keep trying.
                failures = 60
                log.error("imap_login_refused", host=self._settings.host, trouble=str(error))
            except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
                failures += 1
                log.warning("imap_trouble", host=self._settings.host, trouble=str(error) or type(error).__name__)
            except Exception as error:
                failures += 1
                log.error("mail_not_fetched", host=self._settings.host, exc_info=error)
            self._stopping.wait(self._pause(failures))

    def _take_all(self, folder: _Folder) -> None:
        """Take the folder's mails, oldest first. A mail that the server cannot give or move does not hold up others."""
        uids, refusal = dict.fromkeys(folder.uids()), None
        self._broken = {uid: is_known for uid, is_known in self._broken.items() if uid in uids}
        usual = [uid for uid in uids if uid not in self._broken]
        # Mails that have failed come one by one after all others: they may break the connection again.
        for batch in (*batched(usual, _BATCH), *batched([*self._broken], 1)):
            if self._stopping.is_set():
                return
            mails = self._fetched(folder, batch)
            if arrived := [mail for mail in mails.values() if mail is not None]:
                self._accept(arrived)
            try:
                folder.put_aside(list(mails))
            # They are taken, and recognized next time; the other batches must not wait for a folder that is full.
            except ImapToolsError as error:
                refusal = error
        if refusal is not None:
            raise refusal

    def _fetched(self, folder: _Folder, uids: Sequence[str]) -> dict[str, Arriving | None]:
        """The mails that the server gives, by UID; one at which the connection breaks is asked for last next time."""
        mails: dict[str, Arriving | None] = {}
        for uid in uids:
            is_known = self._broken.pop(uid, False)
            self._broken[uid] = True
            try:
                mails[uid] = folder.fetch(uid)
            except MailboxFetchError as error:
                # Told once, as it is tried again with each look.
                if not is_known:
                    log.error("mail_not_given", host=self._settings.host, uid=uid, trouble=str(error))
            else:
                del self._broken[uid]
        return mails

    def _pause(self, failures: int) -> float:
        """Seconds to wait after this many failures in a row, randomized by a fifth."""
        settings = self._settings
        longest = min(settings.longest_retry_seconds, settings.first_retry_seconds * 2.0 ** min(failures - 1, 40))
        return longest * random.uniform(0.8, 1.2) if failures else 0  # noqa: S311  spreads load, guards nothing


class _Folder:
    """One connection with the folder selected. All methods raise: OSError, IMAP4.error, ImapToolsError."""

    def __init__(self, settings: FetchSettings, tls: ssl.SSLContext | None) -> None:
        self._settings = settings
        self._box = OpenMailbox(settings, tls)
        self._client = self._box.client

    def __enter__(self) -> _Folder:
        try:
            self._open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
            self._client.logout()
        with suppress(OSError):
            # logout leaves a broken connection open.
            self._client.shutdown()

    def uids(self) -> list[str]:
        """The oldest mails of the folder; the next look finds more if these were put aside."""
        if not (number := self._select()):
            return []
        return sorted(self._box.uids(f"1:{min(number, _LOOK)} UNDELETED", charset=None), key=int)

    def fetch(self, uid: str) -> Arriving | None:
        """The mail, still unread and cut to the size we take; None if it is gone."""
        # PEEK leaves it unread (RFC 3501, 6.4.5), so that a person who looks into the folder sees what is new.
        code, data = self._client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{self._settings.max_size}>)")
        if code != "OK":
            raise MailboxFetchError((code, data), "OK")
        texts = [part[1] for part in data if isinstance(part, tuple)]
        return Arriving(None, (), texts[0], f"{self._source}:{uid}") if texts else None

    def put_aside(self, uids: Sequence[str]) -> None:
        if not uids:
            return
        self._client.uid("STORE", ",".join(uids), "+FLAGS.SILENT", r"(\Seen)")
        if self._handled:
            self._box.move(uids, self._handled)
        else:
            self._box.delete(uids)

    def wait(self, stopping: threading.Event) -> None:
        """Wait until the server announces something, it is time to look, or we must stop."""
        if "IDLE" not in self._client.capabilities:
            stopping.wait(self._settings.poll_seconds)
            return
        deadline = time.monotonic() + self._settings.poll_seconds
        with self._box.idle as idle:
            while not stopping.is_set() and (begun := time.monotonic()) < deadline:
                announced = idle.poll(min(_TICK_SECONDS, deadline - begun))
                ended = time.monotonic() < min(
                    begun + _TICK_SECONDS / 2, deadline
                )  # at once and without news: the server is gone
                if announced or ended:
                    break

    def _open(self) -> None:
        settings = self._settings
        password = settings.password.get_secret_value() if settings.password else ""
        login = self._box.login if (settings.username + password).isascii() else self._box.login_utf8
        login(settings.username, password, initial_folder=None)
        _, capabilities = self._client.capability()  # imaplib remembers those from before the login, which are fewer
        self._client.capabilities = tuple(capabilities[0].decode().upper().split())
        self._prefix, self._delimiter = self._namespace()
        self._folder = self._named(settings.folder)
        self._handled = self._named(settings.handled_folder) if settings.handled_folder else ""
        if self._handled == self._folder:  # by different words; each move would give the mails new UIDs
            raise MailboxFolderSelectError(("NO", [b"imap.handled_folder is imap.folder"]), "OK")
        if self._handled and not self._box.folder.exists(self._handled):
            self._box.folder.create(self._handled)

    def _select(self) -> int:
        """Select the folder, which also brings news that a server may hold back; returns how many mails are in it."""
        _, number = self._box.folder.set(self._folder)
        _, validity = self._client.response("UIDVALIDITY")
        if not validity or validity[0] is None:
            raise MailboxFolderSelectError(("NO", [b"the server gives no UIDVALIDITY"]), "OK")
        settings = self._settings
        self._source = f"imap:{settings.username}@{settings.host}/{self._folder}:{validity[0].decode()}"
        return int(number[-1] or 0)

    def _namespace(self) -> tuple[str, str]:
        """The prefix of our folders' names, such as "INBOX.", and their delimiter."""
        # Courier and others put all folders below INBOX (RFC 2342).
        if "NAMESPACE" in self._client.capabilities:
            _, data = self._client.namespace()
            match = _NAMESPACE.match(data[0] or b"")
            if match:
                return match[1].decode(), match[2].decode()
        return "", next((folder.delim for folder in self._box.folder.list("", "")), "/")

    def _named(self, folder: str) -> str:
        """The server's name for a folder."""
        name = folder.replace("/", self._delimiter)
        # RFC 3501, 5.1: INBOX is the same in any case, and stands below no prefix.
        if name.upper() == "INBOX" or name.startswith(self._prefix):
            return name
        return self._prefix + name


class OpenMailbox(BaseMailBox):
    """A connection that is not logged in yet."""

    def __init__(self, settings: FetchSettings, tls: ssl.SSLContext | None) -> None:
        """Raises: OSError, IMAP4.error, ImapToolsError."""
        self._settings, self._tls = settings, tls
        super().__init__()

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        host, port, timeout = self._settings.host, self._settings.port, self._settings.timeout_seconds
        if self._settings.tls == "implicit":
            client: _Bounded = _BoundedTls(host, port, ssl_context=self._tls, timeout=timeout)
        else:
            client = _Bounded(host, port, timeout)
        if self._settings.tls == "starttls":
            check_command_status(client.starttls(self._tls), MailboxStarttlsError)
        client.longest = self._settings.max_size + _LONGEST_ANSWER
        return client


class _Bounded(imaplib.IMAP4):
    """Reads no answer without end, and keeps none when the next command is sent. longest: in octets."""

    longest = _LONGEST_ANSWER
    _read = 0

    def send(self, data: Any) -> None:
        self._take(0)
        self._read = 0
        self.untagged_responses.clear()
        super().send(data)

    def read(self, size: int) -> bytes:
        self._take(size)
        return super().read(size)

    def readline(self) -> bytes:
        # The bound of imaplib is one for all programs in the process, and imap_tools sets it.
        line = cast("bytes", self.file.readline(_LONGEST_ANSWER + 1))
        if len(line) > _LONGEST_ANSWER:
            raise self.abort(f"got more than {_LONGEST_ANSWER} octets in a line")
        self._take(len(line))
        return line

    def _take(self, octets: int) -> None:
        """Count what is read. Raises: IMAP4.abort, from the first octet too many on."""
        self._read += octets
        if self._read > self.longest:
            self.untagged_responses.clear()
            raise self.abort(f"the server's answer to one command is longer than {self.longest} octets")


class _BoundedTls(_Bounded, imaplib.IMAP4_SSL):
    pass
