"""The keys of the configuration: what each may be, what it is without being said, and what it means."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from pbm.domain.clock import read_control
from pbm.domain.errors import BadArguments

PREFIX = "PBM_"
_DRIVERS = ("sqlite", "postgresql", "sqlite+pysqlite", "postgresql+psycopg")
DATA_FOLDER = platformdirs.user_data_path("pbm", appauthor=False)


def place(text: str) -> tuple[str, int] | Path:
    """A host and a port, or the path of a Unix socket. Raises: ValueError."""
    if text.startswith("unix:/"):
        return Path(text.removeprefix("unix:"))
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%a-z]+)\]|([^\s:\[\]/]+)):(\d{1,5})", text)
    if match is None or int(match[3]) > 65535:
        raise ValueError("write HOST:PORT, [IPv6]:PORT or unix:/path, such as 127.0.0.1:8025")
    return match[1] or match[2], int(match[3])


def _fitting(pattern: str, example: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"write something like {example}")
        return text

    return AfterValidator(check)


def _check_listen(text: str) -> str:
    place(text)
    return text


def _check_metrics(text: str) -> str:
    if text and isinstance(place(text), Path):
        raise ValueError("write HOST:PORT or [IPv6]:PORT, such as 127.0.0.1:9090")
    return text


def _check_command(text: str) -> str:
    if not shlex.split(text):
        raise ValueError("write a program and its options, such as /usr/sbin/sendmail -i")
    return text


def _check_database(url: str) -> str:
    if re.match(r"sqlite://[^/]", url):
        raise ValueError("write three slashes and the path, such as sqlite:////var/lib/pbm/pbm.db")
    if url.partition(":")[0] not in _DRIVERS:
        raise ValueError(f"there is no such driver: take {' or '.join(_DRIVERS[:2])}")
    return url


def _check_clock(text: str) -> str:
    try:
        read_control(text)
    except BadArguments as error:
        raise ValueError(str(error)) from None
    return text


_LOCAL_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?"
_DOMAIN = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
LocalPart = Annotated[str, _fitting(_LOCAL_PART, "pbm")]
Domain = Annotated[str, _fitting(_DOMAIN, "example.org")]
Address = Annotated[str, _fitting(rf"|[^\s@<>]+@{_DOMAIN}", "operator@example.org")]
DatabaseUrl = Annotated[
    str, _fitting(r"[a-z0-9+]+://\S*", "sqlite:////var/lib/pbm/pbm.db"), AfterValidator(_check_database)
]
Host = Annotated[
    str, _fitting(r"|[^\s:/@]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", "mail.example.org, and its port apart")
]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Server(_Table):
    """Where mail comes in, for which addresses, and how much one client may ask for."""

    listen: Annotated[str, AfterValidator(_check_listen)] = Field(
        default="127.0.0.1:8025",
        description="Where to listen: HOST:PORT, [IPv6]:PORT or unix:/path of a socket. Port 0 takes a free one.",
    )
    lmtp: bool = Field(default=False, description="Speak LMTP in place of SMTP, for a mail server on this machine.")
    domain: Domain = Field(default="localhost", description="What stands behind the @ of our own addresses.")
    local_part: LocalPart = Field(default="pbm", description="What stands in front of it: players write to pbm@domain.")
    bounce_part: LocalPart = Field(default="bounce", description="Return paths of our mails are bounce+TOKEN@domain.")
    authserv_id: str = Field(
        default="",
        description="Name of the mail server whose Authentication-Results are believed. Empty: none is.",
    )
    unsubscribe_url: Annotated[str, _fitting(r"|https://[!-;=?-~]{4,200}", "https://example.org/unsubscribe")] = Field(
        default="",
        description="A web page of yours that mails its parameter command to its parameter address when it is sent a "
        "POST (RFC 8058). Empty: one leaves by mail only.",
    )
    max_size: Annotated[int, Field(ge=1024)] = Field(default=2**20, description="The largest mail taken, in octets.")
    max_connections: Count = Field(default=200, description="Clients connected at once.")
    max_connections_per_peer: Count = Field(
        default=20, description="Clients at once from one IPv4 address or IPv6 /64."
    )
    max_recipients: Count = Field(default=100, description="Recipients of one mail.")
    idle_seconds: Seconds = Field(default=120, description="How long to wait for a client's next command.")
    data_seconds: Seconds = Field(default=300, description="How long a client may take to send one mail.")
    session_seconds: Seconds = Field(default=900, description="How long a client may stay without a mail accepted.")
    commit_seconds: Seconds = Field(
        default=120, description="How long the database may take before a client is told to retry."
    )
    stop_seconds: Seconds = Field(
        default=60,
        description="How long a server that is told to stop may take to finish what it does; the rest waits in the "
        "database. A second signal ends it at once.",
    )
    unix_mode: Annotated[str, _fitting("[0-7]{3}", "660")] = Field(
        default="660", description="Permissions of a Unix socket, in octal."
    )
    tls_certificate: Path | None = Field(
        default=None, description="PEM file of our certificate; with it STARTTLS is offered."
    )
    tls_key: Path | None = Field(default=None, description="PEM file of its key, if that is not in the same file.")


class Delivery(_Table):
    """How mail goes out."""

    kind: Literal["maildir", "smarthost", "sendmail"] = Field(
        default="maildir",
        description="The way out: maildir, smarthost or sendmail. The table of that name has its details.",
    )
    concurrency: Count = Field(default=10, description="Mails under way at once.")
    first_retry_seconds: Seconds = Field(
        default=60, description="Wait before the first retry; each next one is twice as long."
    )
    longest_retry_seconds: Seconds = Field(default=6 * 3600, description="But never longer than this.")
    give_up_hours: Seconds = Field(default=120, description="Age of a mail at which a temporary failure becomes final.")
    poll_seconds: Seconds = Field(
        default=5, description="How long nothing may be heard of before the outbox is looked at all the same."
    )


class Maildir(_Table):
    """Mail into a Maildir for each address, for delivery.kind = "maildir"."""

    folder: Path = Field(
        default=DATA_FOLDER / "mail", description="Where the Maildirs are made, one folder for each address."
    )


class Imap(_Table):
    """Mail from a mailbox, besides what comes to server.listen. Addresses of ours are then all plus addresses of
    server.local_part@server.domain, which must be the mailbox's own address.
    """

    host: Host = Field(default="", description="Name of the IMAP server. Empty: no mailbox is looked into.")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=993, description="Its port; mostly 993 or 143.")
    tls: Literal["none", "starttls", "implicit"] = Field(
        default="implicit",
        description="implicit (port 993); starttls (port 143); none. The certificate is always checked.",
    )
    ca_file: Path | None = Field(
        default=None, description="PEM file of authorities to believe in place of the system's."
    )
    username: str = Field(default="", description="Name to log in with; at most providers the whole address.")
    password: SecretStr | None = Field(
        default=None, description="Password to log in with; where there are passwords for programs, one of those."
    )
    folder: Annotated[str, Field(min_length=1)] = Field(
        default="INBOX", description="The folder whose mails are taken, all of them: give pbm a mailbox of its own."
    )
    handled_folder: str = Field(
        default="pbm-handled", description="The folder they are moved to afterwards. Empty: they are deleted."
    )
    poll_seconds: Seconds = Field(
        default=60, description="How often to look, also where the server announces mail by itself (IDLE)."
    )
    timeout_seconds: Seconds = Field(default=60, description="How long to wait for each answer of the server.")
    first_retry_seconds: Seconds = Field(
        default=1, description="Wait after the first failure; after each next one it is twice as long."
    )
    longest_retry_seconds: Seconds = Field(default=300, description="But never longer than this.")


class Dkim(_Table):
    """Signatures of our mails. `pbm dkim` makes the key."""

    key: Path | None = Field(
        default=None, description="PEM file of the key. Not set: mails are not signed, or by the mail server behind us."
    )
    selector: Domain = Field(
        default="pbm", description="Where the public key is in the DNS: selector._domainkey.domain."
    )
    domain: Annotated[str, _fitting(f"|{_DOMAIN}", "example.org")] = Field(
        default="", description="The domain that signs. Empty: server.domain."
    )


class Smarthost(_Table):
    """Mail to a mail server that takes all of ours, for delivery.kind = "smarthost"."""

    host: Host = Field(default="", description="Its name.")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=25, description="Its port; mostly 25, 587 or 465.")
    tls: Literal["none", "starttls", "implicit"] = Field(
        default="none", description="none; starttls (port 587); implicit (port 465). The certificate is always checked."
    )
    ca_file: Path | None = Field(
        default=None, description="PEM file of authorities to believe in place of the system's."
    )
    username: str | None = Field(default=None, description="Name to log in with, where the server asks for it.")
    password: SecretStr | None = Field(default=None, description="Password to log in with.")
    connections: Count = Field(default=4, description="Connections kept open.")
    timeout_seconds: Seconds = Field(default=60, description="How long to wait for each answer of the server.")


class Sendmail(_Table):
    """Mail through a program, for delivery.kind = "sendmail"."""

    command: Annotated[str, AfterValidator(_check_command)] = Field(
        default="/usr/sbin/sendmail -i", description="The program and its options; sender and recipient are added."
    )
    timeout_seconds: Seconds = Field(default=60, description="How long it may take for one mail.")


class Limits(_Table):
    """How much one person may ask for."""

    stranger_replies_per_day: Annotated[int, Field(ge=0)] = Field(
        default=1, description="Answers a day to an address that belongs to no player."
    )
    answers_per_hour: Count = Field(
        default=120,
        description="Answers an hour to one address, lest two robots talk for ever. What it asks for is done all the "
        "same, and no mail about a move is left out.",
    )
    unproven_answers_per_hour: Count = Field(
        default=20,
        description="The same for mails that only say whose they are, as anybody can who knows the address: without a "
        "password, and in answer to nothing of ours.",
    )
    answers_per_board_per_hour: Count = Field(default=200, description="The same for all who write about one board.")
    answers_per_hour_in_all: Count = Field(
        default=5000,
        description="The same for everybody together. Mails that only say whose they are draw at most half, and "
        "those from one machine a tenth.",
    )
    hard_bounces_to_suspend: Count = Field(
        default=3, description="Mails that come back for good until an address gets no more, or its player writes."
    )
    confirmation_days: Count = Field(default=7, description="How long the mail that confirms an address is good.")
    held_asks_per_day: Annotated[int, Field(ge=0)] = Field(
        default=3, description='How often a day one address is asked "was that you?" for lack of a password.'
    )
    answer_token_days: Count = Field(default=14, description="How long answering a mail of ours shows who you are.")
    wrong_logins: Count = Field(
        default=5,
        description="Wrong passwords for one userid until passwords for it are refused for a minute; with each further "
        "one that doubles. Answers to mails of ours are not concerned.",
    )
    wrong_logins_per_source: Count = Field(
        default=20,
        description="The same for one sender and for one machine, whatever the userids; so many wrong reply addresses, "
        "too.",
    )
    stranger_passwords_per_hour: Count = Field(
        default=600, description="Passwords an hour that are looked at or set for senders who are no players."
    )
    longest_lock_hours: Seconds = Field(default=24, description="The longest such refusal.")
    computing_seconds_per_hour: Seconds = Field(
        default=120,
        description="Computing within an hour for one player: a few positions, if players aim at them, take long.",
    )
    active_games: Count = Field(default=100, description="Games of one player under way at once.")
    challenges_per_day: Count = Field(default=30, description="Games a player may start a day by challenging.")
    stranger_challenges_per_day: Annotated[int, Field(ge=0)] = Field(
        default=5, description="Games a day that somebody who is no player may start between players."
    )
    challenges_to_one_per_day: Count = Field(
        default=50, description="Games a day that all others together may start with one player by challenging him."
    )
    invitations_per_day: Annotated[int, Field(ge=0)] = Field(
        default=5, description="Mails a day by which a player may invite people who have no account."
    )
    invitation_days: Count = Field(default=30, description="How long such an invitation is good.")
    open_seek_games: Count = Field(default=20, description="Games that one seek may look for.")
    open_events: Annotated[int, Field(ge=0)] = Field(
        default=3, description="Events that one player has made and that are not over."
    )
    confirmations_per_day: Count = Field(
        default=3,
        description="Mails a day that ask one mailbox, whatever its +tags and dots, whether it belongs to an account.",
    )
    unasked_per_domain_per_day: Count = Field(
        default=200,
        description="Mails a day to one domain that its people may not have asked for: confirmations, invitations, "
        "answers to strangers. Mails that server.authserv_id vouches for ask for themselves.",
    )
    unasked_per_network_per_day: Count = Field(
        default=50, description="The same because of mails from one network (IPv4 /24, IPv6 /64), to whomever."
    )
    resets_per_day: Count = Field(default=3, description="Mails a day by which one player may set a new password.")
    exports_per_day: Count = Field(default=2, description="Mails a day with all games of one player.")
    erasure_days: Count = Field(default=7, description="Days in which a player may still keep what he asked to erase.")
    messages_per_day: Annotated[int, Field(ge=0)] = Field(
        default=50, description="Messages a player may write to others a day."
    )
    message_characters: Count = Field(default=5000, description="The longest message or broadcast.")
    broadcast_moderation: Literal["off", "on", "closed"] = Field(
        default="off",
        description="off: broadcasts go out at once; on: they wait for `pbm broadcast approve`; closed: none.",
    )
    default_clock: Annotated[str, AfterValidator(_check_clock)] = Field(
        default="21d", description="Time of a game whose challenge does not say --clock; none for as long as one likes."
    )
    claim_days: Count = Field(
        default=7, description="How long the opponent of somebody whose time is up may choose what comes of it."
    )
    pause_days: Count = Field(default=60, description="How long two players may pause a game.")
    vacation_days_per_year: Annotated[int, Field(ge=0, le=366)] = Field(
        default=30, description="Days a calendar year that a player's clocks may stand still for a vacation."
    )
    unreachable_days: Annotated[int, Field(ge=0)] = Field(
        default=30, description="Days a year that a player's clocks stand still at most because mail to him comes back."
    )


class Log(_Table):
    """What `pbm serve` says on standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="debug, info, warning or error."
    )
    format: Literal["text", "json"] = Field(default="text", description="text for people, json for programs.")


class Metrics(_Table):
    """Numbers for Prometheus: http://HOST:PORT/metrics."""

    listen: Annotated[str, AfterValidator(_check_metrics)] = Field(
        default="", description="Where to answer, such as 127.0.0.1:9090; whoever gets there may read. Empty: nowhere."
    )


class Configuration(BaseSettings):
    """All keys. Made by load() only, which knows where each comes from."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    database: DatabaseUrl = Field(
        default=f"sqlite:///{DATA_FOLDER / 'pbm.db'}",
        description="The database: sqlite:/// and the path of a file, or postgresql://USER:PASSWORD@HOST/NAME.",
    )
    operator: Address = Field(
        default="", description="Address of the operator, who is told of faults of the server. Empty: nobody."
    )
    server: Server = Field(default_factory=Server)
    delivery: Delivery = Field(default_factory=Delivery)
    maildir: Maildir = Field(default_factory=Maildir)
    smarthost: Smarthost = Field(default_factory=Smarthost)
    imap: Imap = Field(default_factory=Imap)
    dkim: Dkim = Field(default_factory=Dkim)
    sendmail: Sendmail = Field(default_factory=Sendmail)
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

    def _is_ourselves(self) -> bool:
        listen, ours = place(self.server.listen), {self.server.domain, "localhost", "127.0.0.1", "::1"}
        return isinstance(listen, tuple) and self.smarthost.port == listen[1] and self.smarthost.host in ours

    @model_validator(mode="after")
    def _agree(self) -> Configuration:
        if self.delivery.kind == "smarthost" and not self.smarthost.host:
            raise ValueError('smarthost.host: delivery.kind is "smarthost", so this key must name the server.')
        if (self.smarthost.username is None) != (self.smarthost.password is None):
            raise ValueError("smarthost.username, smarthost.password: give both or neither.")
        if self.imap.host and (not self.imap.username or self.imap.password is None):
            raise ValueError("imap.username, imap.password: imap.host is given, so these keys must be as well.")
        if self.server.bounce_part == self.server.local_part:
            raise ValueError("server.bounce_part: must differ from server.local_part, or bounces would be commands.")
        if self.delivery.longest_retry_seconds < self.delivery.first_retry_seconds:
            raise ValueError("delivery.longest_retry_seconds: is less than delivery.first_retry_seconds.")
        if self.delivery.kind == "smarthost" and self._is_ourselves():
            raise ValueError("smarthost.host, smarthost.port: this is where we listen ourselves.")
        if self.server.tls_key is not None and self.server.tls_certificate is None:
            raise ValueError("server.tls_certificate: server.tls_key is given, so this key must be as well.")
        return self
