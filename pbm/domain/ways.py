"""The ways of mail in and out, as settings: listening, the mailbox to look into, delivery, the smarthost."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from pbm.domain.values import Count, Domain, Host, Place, Seconds, SettingsTable, fitting, place


class ListenSettings(SettingsTable):
    """Where to listen, as whom, and how much one client may ask for.

    When max_connections are there, a newcomer takes the place of the client that has been there longest without a mail
    accepted. max_connections_per_peer leaves the Unix socket alone. Without a certificate there is no STARTTLS.
    """

    listen: Place = Field(
        default="127.0.0.1:8025",
        description="Where to listen: HOST:PORT, [IPv6]:PORT or unix:/path of a socket. Port 0 takes a free one.",
    )
    lmtp: bool = Field(default=False, description="Speak LMTP in place of SMTP, for a mail server on this machine.")
    domain: Domain = Field(default="localhost", description="What stands after the @ of our own addresses.")
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
    unix_mode: Annotated[str, fitting("[0-7]{3}", "660")] = Field(
        default="660", description="Permissions of a Unix socket, in octal."
    )
    tls_certificate: Path | None = Field(
        default=None, description="PEM file of our certificate; with it STARTTLS is offered."
    )
    tls_key: Path | None = Field(default=None, description="PEM file of its key, if that is not in the same file.")

    @property
    def where(self) -> tuple[str, int] | Path:
        """Host and port, or the path of a Unix socket."""
        return place(self.listen)


class FetchSettings(SettingsTable):
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
    max_size: Annotated[int, Field(ge=1024)] = Field(default=2**20, description="The largest mail taken, in octets.")
    poll_seconds: Seconds = Field(
        default=60, description="How often to look, also where the server announces mail by itself (IDLE)."
    )
    timeout_seconds: Seconds = Field(default=60, description="How long to wait for each answer of the server.")
    first_retry_seconds: Seconds = Field(
        default=1, description="Wait after the first failure; after each next one it is twice as long."
    )
    longest_retry_seconds: Seconds = Field(default=300, description="But never longer than this.")


class DeliverySettings(SettingsTable):
    """How hard to try. A retry waits twice as long as the one before, give or take a fifth, up to the longest."""

    concurrency: Count = Field(default=10, description="Mails under way at once.")
    first_retry_seconds: Seconds = Field(
        default=60, description="Wait before the first retry; each next one is twice as long."
    )
    longest_retry_seconds: Seconds = Field(default=6 * 3600, description="But never longer than this.")
    give_up_hours: Seconds = Field(default=120, description="Age of a mail at which a temporary failure becomes final.")
    poll_seconds: Seconds = Field(
        default=5, description="How long nothing may be heard of before the outbox is looked at all the same."
    )

    def retry_at(self, now: datetime, attempts: int) -> datetime:
        """When to try again after so many failures, the last one included."""
        wait = min(self.longest_retry_seconds, self.first_retry_seconds * 2 ** min(attempts - 1, 40))
        return now + timedelta(seconds=wait * random.uniform(0.8, 1.2))  # noqa: S311  spreads load, guards nothing


class SmarthostSettings(SettingsTable):
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
