"""Mail out of an IMAP mailbox, for those who have just a mailbox: the mails of a folder are taken and put aside.

The folder is the queue: whatever lies in it is to be taken, read or unread. Invariants: a mail is put aside only after
`accept` has returned; a crash in between finds it there again, under the same source, which `accept` takes once only.
A mail is fetched no further than its largest size: what a person wrote comes before what they attached.
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
from dataclasses import dataclass

import structlog
from imap_tools import (
    BaseMailBox,
    ImapToolsError,
    MailBox,
    MailboxFetchError,
    MailboxFolderSelectError,
    MailboxLoginError,
    MailBoxStartTls,
    MailBoxUnencrypted,
)

from pbm.core.counts import LOOKED
from pbm.domain.configuration import FetchSettings

log = structlog.get_logger()

_BATCH = 20
"""Mails stored in one transaction, and held in memory at once."""

_TICK_SECONDS = 1.0
"""How often a waiting thread looks whether it should stop."""

_NAMESPACE = re.compile(rb'\(\("((?:[^"\\]|\\.)*)" "(.)"')
"""RFC 2342: the prefix of one's own folders and what parts their names, such as (("INBOX." "."))."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A mail of the mailbox. source names it for good: the account, the folder, its UIDVALIDITY and UID (RFC 3501)."""

    source: str
    data: bytes


class Fetcher:
    """Takes mails from run() to stop(), which other threads may call. `accept` stores mails durably or raises."""

    def __init__(self, settings: FetchSettings, accept: Callable[[Sequence[Fetched]], None]) -> None:
        self._settings = settings
        self._accept = accept
        self._stopping = threading.Event()
        self._broken: dict[str, bool] = {}
        """UIDs of mails that the server could not give, or ended at; the one tried last at the end."""
        self._tls = None if settings.tls == "none" else ssl.create_default_context(cafile=settings.ca_file)

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        """Returns after stop(). Whatever goes wrong, the mailbox is opened again, after a longer while each time."""
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
                failures = 60  # waits longest: providers lock an account that keeps trying
                log.error("imap_login_refused", host=self._settings.host, trouble=str(error))
            except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
                failures += 1
                log.warning("imap_trouble", host=self._settings.host, trouble=str(error) or type(error).__name__)
            except Exception as error:
                failures += 1
                log.error("mail_not_fetched", host=self._settings.host, exc_info=error)
            self._stopping.wait(self._pause(failures))

    def _take_all(self, folder: _Folder) -> None:
        """Take what lies in the folder, oldest first. None waits for a mail that the server cannot give or move."""
        uids, refusal = folder.uids(), None
        usual = [uid for uid in uids if uid not in self._broken]
        batches = [usual[start : start + _BATCH] for start in range(0, len(usual), _BATCH)]
        for batch in batches + [[uid] for uid in self._broken if uid in uids]:
            if self._stopping.is_set():
                return
            mails = self._fetched(folder, batch)
            if found := [mail for mail in mails.values() if mail is not None]:
                self._accept(found)
            try:
                folder.put_aside(list(mails))
            except ImapToolsError as error:
                refusal = error
        if refusal is not None:
            raise refusal

    def _fetched(self, folder: _Folder, uids: Sequence[str]) -> dict[str, Fetched | None]:
        """Those that the server gives, by UID; one at which the connection ends is asked for last from then on."""
        mails: dict[str, Fetched | None] = {}
        for uid in uids:
            is_known = self._broken.pop(uid, False)
            self._broken[uid] = True
            try:
                mails[uid] = folder.fetch(uid)
            except MailboxFetchError as error:
                if not is_known:
                    log.error("mail_not_given", host=self._settings.host, uid=uid, trouble=str(error))
            else:
                del self._broken[uid]
        return mails

    def _pause(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row, spread by a fifth."""
        settings = self._settings
        longest = min(settings.longest_retry_seconds, settings.first_retry_seconds * 2.0 ** min(failures - 1, 40))
        return longest * random.uniform(0.8, 1.2) if failures else 0  # noqa: S311  spreads load, guards nothing


class _Folder:
    """One connection with the folder selected. Raises, from everything: OSError, IMAP4.error, ImapToolsError."""

    def __init__(self, settings: FetchSettings, tls: ssl.SSLContext | None) -> None:
        self._settings = settings
        self._box = connect(settings, tls)
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
            self._client.shutdown()  # logout leaves a connection that broke open

    def uids(self) -> list[str]:
        self._client.noop()  # a server may keep news for itself until it is asked
        return sorted(self._box.uids("UNDELETED", charset=None), key=int)

    def fetch(self, uid: str) -> Fetched | None:
        """The mail, still unread and at most as long as we take; None if it is there no more."""
        code, data = self._client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{self._settings.max_size}>)")
        if code != "OK":
            raise MailboxFetchError((code, data), "OK")
        texts = [part[1] for part in data if isinstance(part, tuple)]
        return Fetched(f"{self._source}:{uid}", texts[0]) if texts else None

    def put_aside(self, uids: Sequence[str]) -> None:
        if not uids:
            return
        self._client.uid("STORE", ",".join(uids), "+FLAGS.SILENT", r"(\Seen)")
        if self._handled:
            self._box.move(uids, self._handled)
        else:
            self._box.delete(uids)

    def wait(self, stopping: threading.Event) -> None:
        """Until the server announces something, it is time to look, or we are to stop."""
        if "IDLE" not in self._client.capabilities:
            stopping.wait(self._settings.poll_seconds)
            return
        deadline = time.monotonic() + self._settings.poll_seconds
        with self._box.idle as idle:
            while not stopping.is_set() and (begun := time.monotonic()) < deadline:
                announced = idle.poll(min(_TICK_SECONDS, deadline - begun))
                ended = time.monotonic() < min(
                    begun + _TICK_SECONDS / 2, deadline
                )  # nothing, and at once: no more server
                if announced or ended:
                    break

    def _open(self) -> None:
        settings = self._settings
        password = settings.password.get_secret_value() if settings.password else ""
        login = self._box.login if (settings.username + password).isascii() else self._box.login_utf8
        login(settings.username, password, initial_folder=None)
        _, known = self._client.capability()  # imaplib remembers those from before the login, which are fewer
        self._client.capabilities = tuple(known[0].decode().upper().split())
        self._prefix, self._delimiter = self._namespace()
        folder = self._named(settings.folder)
        self._box.folder.set(folder)
        _, validity = self._client.response("UIDVALIDITY")
        if not validity or validity[0] is None:
            raise MailboxFolderSelectError(("NO", [b"the server gives no UIDVALIDITY"]), "OK")
        self._source = f"imap:{settings.username}@{settings.host}/{folder}:{validity[0].decode()}"
        self._handled = self._named(settings.handled_folder) if settings.handled_folder else ""
        if self._handled and not self._box.folder.exists(self._handled):
            self._box.folder.create(self._handled)

    def _namespace(self) -> tuple[str, str]:
        """The beginning of our folders' names, such as "INBOX.", and what parts them."""
        if "NAMESPACE" in self._client.capabilities:
            _, data = self._client.namespace()
            found = _NAMESPACE.match(data[0] or b"")
            if found:
                return found[1].decode(), found[2].decode()
        return "", next((folder.delim for folder in self._box.folder.list("", "")), "/")

    def _named(self, folder: str) -> str:
        """A folder by the server's name for it."""
        name = folder.replace("/", self._delimiter)
        if name.upper() == "INBOX" or name.startswith(self._prefix):
            return name
        return self._prefix + name


def connect(settings: FetchSettings, tls: ssl.SSLContext | None) -> BaseMailBox:
    """A connection on which nobody has logged in. Raises: OSError, IMAP4.error, ImapToolsError."""
    host, port, timeout = settings.host, settings.port, settings.timeout_seconds
    if settings.tls == "implicit":
        return MailBox(host, port, timeout=timeout, ssl_context=tls)
    if settings.tls == "starttls":
        return MailBoxStartTls(host, port, timeout=timeout, ssl_context=tls)
    return MailBoxUnencrypted(host, port, timeout=timeout)
