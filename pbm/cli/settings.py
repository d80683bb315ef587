"""The keys of the configuration: what each may be, its default, and its meaning.

Each way out for mail is a class: its settings, what it makes of them, its checks, and what `doctor` says. A new way out
is one more class, a value of `delivery.kind`, which chooses one, and a table of the configuration.
"""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pbm.cli.places import DATA_FOLDER, DEFAULT_DATABASE
from pbm.domain.configuration import (
    DOMAIN,
    Address,
    DeliverySettings,
    Domain,
    FetchSettings,
    HouseRules,
    Limits,
    ListenSettings,
    LocalPart,
    Seconds,
    SettingsTable,
    SmarthostSettings,
    fitting,
    place,
    setting,
)

if TYPE_CHECKING:  # keeps commands fast that only read the configuration
    from pbm.edges.records import Finding
    from pbm.edges.transports import Transport

_DRIVERS = ("sqlite", "postgresql", "sqlite+pysqlite", "postgresql+psycopg")


def _check_metrics(text: str) -> str:
    if text and isinstance(place(text), Path):
        raise ValueError("write HOST:PORT or [IPv6]:PORT, such as 127.0.0.1:9090")
    return text


def _check_aliases(text: str) -> str:
    for word in text.split():
        if not re.fullmatch(rf"[A-Za-z0-9._-]+@{DOMAIN}", word):
            raise ValueError(f'"{word}" is no address such as pbm@example.org')
    return " ".join(text.split())


def _check_database(url: str) -> str:
    if re.match(r"sqlite://[^/]", url):
        raise ValueError("write three slashes and the path, such as sqlite:////var/lib/pbm/pbm.db")
    if url.partition(":")[0] not in _DRIVERS:
        raise ValueError(f"there is no such driver: take {' or '.join(_DRIVERS[:2])}")
    return url


DatabaseUrl = Annotated[
    str, fitting(r"[a-z0-9+]+://\S*", "sqlite:////var/lib/pbm/pbm.db"), AfterValidator(_check_database)
]


class DeliveryKind(SettingsTable):
    """The questions that each way out answers. Each sentence begins with the key that has to be changed."""

    def transport(self, domain: str) -> Transport:
        """The way out, ready to send. domain: ours. Raises: OSError, ValueError."""
        raise NotImplementedError

    def mistakes(self, listen: str, domain: str) -> Iterator[str]:
        """Settings that contradict each other, or name an address where we listen ourselves."""
        yield from ()

    def lacks(self) -> Iterator[str]:
        """Things that are named but missing or useless."""
        yield from ()

    def places(self) -> dict[str, Path]:
        """Folders that are written to, by the key that names them."""
        return {}

    def findings(self) -> Iterator[Finding]:
        """The result of trying the way out."""
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
    """Whether a host is this machine by name, so that nothing leaves it."""
    return host.casefold() in _LOOPBACK or host.startswith("127.")


def _is_ours(host: str, listens: str, domain: str) -> bool:
    """Whether a host is this one, as far as can be told without asking the DNS. listens: the host we listen on."""
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
    timeout_seconds: Seconds = setting(60, "How long it may take for one email.")

    def transport(self, domain: str) -> Transport:
        from pbm.edges.transports import SendmailCommand

        return SendmailCommand(tuple(shlex.split(self.command)), self.timeout_seconds)

    def lacks(self) -> Iterator[str]:
        program = shlex.split(self.command)[0]
        if not shutil.which(program):
            yield f'sendmail.command: there is no program "{program}".'


def unusable_authorities(table: str, path: Path) -> Iterator[str]:
    """Why a table's file of authorities cannot be used, if it cannot."""
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:
        yield f"{table}.ca_file: {path} cannot be used: {error.strerror or error}."


class Server(ListenSettings):
    """Where mail comes in, for which addresses, and how much one client may ask for."""

    local_part: LocalPart = setting("pbm", "The part before the @: players write to pbm@domain.")
    bounce_part: LocalPart = setting("bounce", "Return paths of our emails are bounce+TOKEN@domain.")
    aliases: Annotated[str, AfterValidator(_check_aliases)] = setting(
        "",
        "Addresses with blanks between them that reach this server as well: answers to them count. Those it had "
        "before, by `pbm identity set`, need not be named.",
    )
    authserv_id: str = setting("", "Name of the mail server whose Authentication-Results are believed. Empty: none is.")
    authserv_strips: bool = setting(
        False,
        "Whether that server removes results in its name that an email brought along, as `pbm doctor` finds out: then "
        "they also count below its own Received, where Gmail and the filters of Postfix write them.",
    )
    unsubscribe_url: Annotated[str, fitting(r"|https://[!-;=?-~]{4,200}", "https://example.org/unsubscribe")] = setting(
        "",
        "A web page of yours that mails its parameter command to its parameter address when it gets a POST (RFC "
        "8058). Empty: one leaves by mail only.",
    )
    stop_seconds: Seconds = setting(
        60,
        "How long a server that is told to stop may take to finish what it does; the rest waits in the database. A "
        "second signal ends it at once.",
    )


class Delivery(DeliverySettings):
    """How mail goes out."""

    kind: Literal["maildir", "smarthost", "sendmail"] = setting(
        "maildir", "The way out: maildir, smarthost or sendmail. The table of that name has its details."
    )


class Dkim(SettingsTable):
    """Signatures of our mails. `pbm keys dkim create` makes the keys."""

    key: Path | None = setting(
        None, "PEM file of the keys. Not set: emails are not signed, or by the mail server behind us."
    )
    selector: Domain = setting(
        "pbm", "Where the DNS shows the RSA key: selector._domainkey.domain. An Ed25519 key adds -ed25519 to it."
    )
    domain: Annotated[str, fitting(f"|{DOMAIN}", "example.org")] = setting(
        "", "The domain that signs. Empty: server.domain."
    )


class Crypt(SettingsTable):
    """Encrypted mail (OpenPGP, Autocrypt); needs pip install 'pbm-server[crypt]'. `pbm keys crypt` makes the key."""

    key: Path | None = setting(None, "File of the secret key. Not set: nothing is encrypted.")


class Log(SettingsTable):
    """The log that `pbm serve` writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = setting("info", "debug, info, warning or error.")
    format: Literal["text", "json"] = setting("text", "text for people, json for programs.")


class Metrics(SettingsTable):
    """Numbers for Prometheus: http://HOST:PORT/metrics."""

    listen: Annotated[str, AfterValidator(_check_metrics)] = setting(
        "", "Where to answer, such as 127.0.0.1:9090; anybody who can connect may read. Empty: nowhere."
    )


class Configuration(BaseModel):
    """All keys. Created only by load(), which knows where each comes from."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    database: DatabaseUrl = setting(
        DEFAULT_DATABASE,
        "The database: sqlite:/// and the path of a file, or postgresql://USER:PASSWORD@HOST/NAME.",
    )
    operator: Address = setting("", "Address of the operator, who is told of faults of the server. Empty: nobody.")
    server: Server = Field(default_factory=Server)
    delivery: Delivery = Field(default_factory=Delivery)
    maildir: MaildirTable = Field(default_factory=MaildirTable)
    smarthost: SmarthostTable = Field(default_factory=SmarthostTable)
    imap: FetchSettings = Field(default_factory=FetchSettings)
    dkim: Dkim = Field(default_factory=Dkim)
    crypt: Crypt = Field(default_factory=Crypt)
    sendmail: SendmailTable = Field(default_factory=SendmailTable)
    limits: Limits = Field(default_factory=Limits)
    house: HouseRules = Field(default_factory=HouseRules)
    log: Log = Field(default_factory=Log)
    metrics: Metrics = Field(default_factory=Metrics)

    @property
    def way(self) -> DeliveryKind:
        """The way out that delivery.kind chooses."""
        chosen: DeliveryKind = getattr(self, self.delivery.kind)
        return chosen

    @model_validator(mode="after")
    def _agree(self) -> Configuration:
        if mistake := next(self.way.mistakes(self.server.listen, self.server.domain), None):
            raise ValueError(mistake)
        if (self.smarthost.username is None) != (self.smarthost.password is None):
            raise ValueError("smarthost.username, smarthost.password: give both or neither.")
        if self.imap.host and (not self.imap.username or self.imap.password is None):
            raise ValueError("imap.username, imap.password: imap.host is given, so these keys must be as well.")
        if self.imap.handled_folder.casefold() == self.imap.folder.casefold():
            raise ValueError("imap.handled_folder: must differ from imap.folder, or no email would ever leave it.")
        if self.server.bounce_part.casefold() == self.server.local_part.casefold():
            raise ValueError("server.bounce_part: must differ from server.local_part, or bounces would be commands.")
        for name, table in (("delivery", self.delivery), ("imap", self.imap)):
            if table.longest_retry_seconds < table.first_retry_seconds:
                raise ValueError(f"{name}.longest_retry_seconds: is less than {name}.first_retry_seconds.")
        if self.server.tls_key is not None and self.server.tls_certificate is None:
            raise ValueError("server.tls_certificate: server.tls_key is given, so this key must be as well.")
        return self
