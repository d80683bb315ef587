"""The keys of the configuration: what each may be, what it is without being said, and what it means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from pbm.cli.delivery_kinds import DATA_FOLDER, DeliveryKind, MaildirTable, SendmailTable, SmarthostTable
from pbm.domain.configuration import (
    DOMAIN,
    Address,
    DeliverySettings,
    Domain,
    FetchSettings,
    Limits,
    ListenSettings,
    LocalPart,
    Seconds,
    SettingsTable,
    fitting,
    place,
    setting,
)

PREFIX = "PBM_"
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


class Server(ListenSettings):
    """Where mail comes in, for which addresses, and how much one client may ask for."""

    local_part: LocalPart = setting("pbm", "What stands in front of it: players write to pbm@domain.")
    bounce_part: LocalPart = setting("bounce", "Return paths of our mails are bounce+TOKEN@domain.")
    aliases: Annotated[str, AfterValidator(_check_aliases)] = setting(
        "",
        "Addresses with blanks between them that reach this server as well: answers to them count. Those it had "
        "before, by `pbm identity set`, need not be named.",
    )
    authserv_id: str = setting("", "Name of the mail server whose Authentication-Results are believed. Empty: none is.")
    unsubscribe_url: Annotated[str, fitting(r"|https://[!-;=?-~]{4,200}", "https://example.org/unsubscribe")] = setting(
        "",
        "A web page of yours that mails its parameter command to its parameter address when it is sent a POST (RFC "
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
    """Signatures of our mails. `pbm dkim create` makes the key."""

    key: Path | None = setting(
        None, "PEM file of the key. Not set: mails are not signed, or by the mail server behind us."
    )
    selector: Domain = setting("pbm", "Where the public key is in the DNS: selector._domainkey.domain.")
    domain: Annotated[str, fitting(f"|{DOMAIN}", "example.org")] = setting(
        "", "The domain that signs. Empty: server.domain."
    )


class Crypt(SettingsTable):
    """Encrypted mail (OpenPGP, Autocrypt); needs pip install 'pbm[crypt]'. `pbm crypt` makes the key."""

    key: Path | None = setting(None, "File of the secret key. Not set: nothing is encrypted.")


class Log(SettingsTable):
    """The log that `pbm serve` writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = setting("info", "debug, info, warning or error.")
    format: Literal["text", "json"] = setting("text", "text for people, json for programs.")


class Metrics(SettingsTable):
    """Numbers for Prometheus: http://HOST:PORT/metrics."""

    listen: Annotated[str, AfterValidator(_check_metrics)] = setting(
        "", "Where to answer, such as 127.0.0.1:9090; whoever gets there may read. Empty: nowhere."
    )


class Configuration(BaseSettings):
    """All keys. Made by load() only, which knows where each comes from."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    database: DatabaseUrl = setting(
        f"sqlite:///{DATA_FOLDER / 'pbm.db'}",
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
    log: Log = Field(default_factory=Log)
    metrics: Metrics = Field(default_factory=Metrics)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  the signature is the base class's
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)

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
        if self.server.bounce_part.casefold() == self.server.local_part.casefold():
            raise ValueError("server.bounce_part: must differ from server.local_part, or bounces would be commands.")
        for name, table in (("delivery", self.delivery), ("imap", self.imap)):
            if table.longest_retry_seconds < table.first_retry_seconds:
                raise ValueError(f"{name}.longest_retry_seconds: is less than {name}.first_retry_seconds.")
        if self.server.tls_key is not None and self.server.tls_certificate is None:
            raise ValueError("server.tls_certificate: server.tls_key is given, so this key must be as well.")
        return self
