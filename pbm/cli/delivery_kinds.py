"""Ways out for mail, one class each: its settings, what it makes of them, what is checked, and what `doctor` says.

`delivery.kind` chooses one. A new way is a class here, a word of that setting and a table of the configuration.
"""

from __future__ import annotations

import shlex
import shutil
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from pydantic import AfterValidator

from pbm.domain.configuration import Seconds, SettingsTable, SmarthostSettings, place, setting

if TYPE_CHECKING:  # a command that only reads the configuration is quick
    from pbm.edges.records import Finding
    from pbm.edges.transports import Transport

DATA_FOLDER = platformdirs.user_data_path("pbm", appauthor=False)


class DeliveryKind(SettingsTable):
    """The questions that any way out answers. In each sentence the key comes first that has to be changed."""

    def transport(self, domain: str) -> Transport:
        """The way, open. domain: ours. Raises: OSError, ValueError."""
        raise NotImplementedError

    def mistakes(self, listen: str, domain: str) -> Iterator[str]:
        """Settings that contradict each other, or name an address where we listen ourselves."""
        yield from ()

    def lacks(self) -> Iterator[str]:
        """Things that are named and missing, or of no use."""
        yield from ()

    def places(self) -> dict[str, Path]:
        """Folders that are written to, by the key that names them."""
        return {}

    def findings(self) -> Iterator[Finding]:
        """The outcome of a try."""
        yield from ()


class MaildirTable(DeliveryKind):
    """Mail into a Maildir for each address, for delivery.kind = "maildir"."""

    folder: Path = setting(DATA_FOLDER / "mail", "Where the Maildirs are made, one folder for each address.")

    def transport(self, domain: str) -> Transport:
        from pbm.edges.transports import Maildir

        return Maildir(self.folder)

    def lacks(self) -> Iterator[str]:
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
        except OSError as error:
            yield f"maildir.folder: {self.folder} cannot be made: {error.strerror}."

    def places(self) -> dict[str, Path]:
        return {"maildir.folder": self.folder.absolute()}


class SmarthostTable(SmarthostSettings, DeliveryKind):
    """Mail to a mail server that takes all of ours, for delivery.kind = "smarthost"."""

    def transport(self, domain: str) -> Transport:
        from pbm.edges.transports import Smarthost

        return Smarthost(self, domain)

    def mistakes(self, listen: str, domain: str) -> Iterator[str]:
        if not self.host:
            yield 'smarthost.host: delivery.kind is "smarthost", so this key must name the server.'
        where = place(listen)
        if isinstance(where, tuple) and self.port == where[1] and _is_ours(self.host.casefold(), where[0], domain):
            yield "smarthost.host, smarthost.port: this is where we listen ourselves."

    def lacks(self) -> Iterator[str]:
        if self.ca_file is not None:
            yield from unusable_authorities("smarthost", self.ca_file)

    def findings(self) -> Iterator[Finding]:
        from pbm.edges import probes

        yield probes.bounded("smarthost", lambda: probes.smarthost(self))


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name, so that nothing leaves it."""
    return host.casefold() in _LOOPBACK or host.startswith("127.")


def _is_ours(host: str, listens: str, domain: str) -> bool:
    """Whether a host is this one, as far as can be told without asking the DNS. listens: where we do."""
    if is_loopback(host):
        return listens in (host, "0.0.0.0", "::") or (host in _LOOPBACK and listens in _LOOPBACK)  # noqa: S104
    return host in (listens, domain.casefold(), socket.gethostname().casefold())


def _check_command(text: str) -> str:
    if not shlex.split(text):
        raise ValueError("write a program and its options, such as /usr/sbin/sendmail -i")
    return text


class SendmailTable(DeliveryKind):
    """Mail through a program, for delivery.kind = "sendmail"."""

    command: Annotated[str, AfterValidator(_check_command)] = setting(
        "/usr/sbin/sendmail -i", "The program and its options; sender and recipient are added."
    )
    timeout_seconds: Seconds = setting(60, "How long it may take for one mail.")

    def transport(self, domain: str) -> Transport:
        from pbm.edges.transports import SendmailCommand

        return SendmailCommand(tuple(shlex.split(self.command)), self.timeout_seconds)

    def lacks(self) -> Iterator[str]:
        program = shlex.split(self.command)[0]
        if not shutil.which(program):
            yield f'sendmail.command: there is no program "{program}".'


def unusable_authorities(table: str, path: Path) -> Iterator[str]:
    """Why the file of authorities of a table cannot be used, if so."""
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:
        yield f"{table}.ca_file: {path} cannot be used: {error.strerror or error}."
