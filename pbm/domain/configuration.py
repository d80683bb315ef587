"""The settings of the server: mail in, mail out, limits for one person, and the types of their values.

A setting is declared once: its type, default, meaning and bounds.
`pbm/cli/settings.py` gathers the tables into the configuration.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator

from pbm.domain.clock import read_control
from pbm.domain.errors import BadArguments


def place(text: str) -> tuple[str, int] | Path:
    """A host and a port, or the path of a Unix socket. Raises: ValueError."""
    if text.startswith("unix:/"):
        return Path(text.removeprefix("unix:"))
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%a-z]+)\]|([^\s:\[\]/]+)):(\d{1,5})", text)
    if match is None or int(match[3]) > 65535:
        raise ValueError("write HOST:PORT, [IPv6]:PORT or unix:/path, such as 127.0.0.1:8025")
    return match[1] or match[2], int(match[3])


def fitting(pattern: str, example: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"write something like {example}")
        return text

    return AfterValidator(check)


def readable(read: Callable[[str], object]) -> AfterValidator:
    """A text that the function reads. read: raises ValueError or BadArguments for others."""

    def check(text: str) -> str:
        try:
            read(text)
        except BadArguments as error:
            raise ValueError(str(error)) from None
        return text

    return AfterValidator(check)


LOCAL_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?"
DOMAIN = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
Place = Annotated[str, readable(place)]
LocalPart = Annotated[str, fitting(LOCAL_PART, "pbm")]
Domain = Annotated[str, fitting(DOMAIN, "example.org")]
Address = Annotated[str, fitting(rf"|[^\s@<>]+@{DOMAIN}", "operator@example.org")]
Host = Annotated[
    str, fitting(r"|[^\s:/@]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", "mail.example.org, and its port apart")
]
Seconds = Annotated[float, Field(gt=0, le=10**9)]
Hours = Annotated[float, Field(gt=0, le=10**6)]
Days = Annotated[int, Field(ge=1, le=36_500)]
# Bounded so that no date exceeds the last one a calendar can hold.
Count = Annotated[int, Field(ge=1, le=10**9)]
CountOrNone = Annotated[int, Field(ge=0, le=10**9)]
Octets = Annotated[int, Field(ge=1024, le=10**9)]


def setting(default: Any, meaning: str) -> Any:
    """A key of a table, with its default and its meaning."""
    return Field(default=default, description=meaning)


class SettingsTable(BaseModel):
    """A table of settings, which refuses unknown keys, and true or false in place of a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_switch(cls, value: Any, info: ValidationInfo) -> Any:
        # Pydantic would take true for 1.
        if isinstance(value, bool) and cls.model_fields[info.field_name or ""].annotation in (int, float):
            raise ValueError("write a number")
        return value


DEFAULT_CLOCK = "21d"
"""The time control if a challenge does not give one."""


class Limits(SettingsTable):
    """How much anybody may cause; all of it comes back evenly with time. A day has 24 hours."""

    scale: Annotated[float, Field(ge=0.01, le=1000)] = setting(
        1.0, "A factor on all limits, those of this table and those that no setting changes: 10 for a private club."
    )
    answers_per_hour: Count = setting(
        120,
        "Answers an hour to one player who has proved who they are, lest two robots talk forever. What they ask for is "
        "done all the same, and no email about a move is left out.",
    )
    unproven_answers_per_hour: Count = setting(
        20,
        "The same for emails that only say whose they are, as anybody can who knows the address: without a password, "
        "and in answer to nothing of ours.",
    )
    unproven_in_all_per_hour: Count = setting(2500, "The same for everybody together.")
    newcomer_answers_per_day: CountOrNone = setting(
        30,
        "Answers a day to an address without an account that has answered us, or that server.authserv_id vouches for.",
    )
    stranger_answers_per_day: CountOrNone = setting(1, "Answers a day to any other address without an account.")
    questions_per_day: CountOrNone = setting(
        3,
        "Questions of one kind a day to one mailbox, whatever its +tags and dots, if others may have caused them: "
        'whether an address is theirs, "was that you?", a new password, whether to be erased. An address that never '
        "answers whether it is somebody's is asked nine times.",
    )
    unasked_per_domain_per_day: Count = setting(
        200, "Answers a day to strangers at one domain, and as many questions there. Large providers are not counted."
    )
    unasked_per_network_per_day: Count = setting(
        50, "The same because of emails from one network (IPv4 /24, IPv6 /64), to anybody."
    )
    challenges_per_day: Count = setting(30, "Games a player may start or propose a day.")
    invitations_per_day: CountOrNone = setting(
        5, "Emails a day by which a player may invite people who have no account."
    )
    messages_per_day: CountOrNone = setting(50, "Messages a player may write to others a day.")
    wrong_passwords: Count = setting(
        5,
        "Wrong passwords for one userid within six hours; then none is looked at for half of that. Answers to our "
        "emails still work.",
    )
    computing_seconds_per_hour: Seconds = setting(
        120, "Computing within an hour for one player: a few positions, if players aim at them, take long."
    )
    thinking_seconds_per_hour: Seconds = setting(
        900, "How long robots may think within an hour for one player; then their boards wait until half of it is back."
    )


class HouseRules(SettingsTable):
    """The rules of the house: how long things last, and how much there may be of them at once."""

    hard_bounces_to_suspend: Count = setting(
        3, "Emails that come back for good until an address gets no more, or its player writes."
    )
    confirmation_days: Days = setting(7, "How long the email that confirms an address is good.")
    answer_token_days: Days = setting(14, "How long answering one of our emails shows who you are.")
    active_games: Count = setting(100, "Games of one player under way at once.")
    invitation_days: Days = setting(30, "How long such an invitation is good.")
    open_seek_games: Count = setting(20, "Games that one seek may look for.")
    open_tournaments: CountOrNone = setting(3, "Tournaments that one player has made and that are not over.")
    erasure_days: Days = setting(7, "Days in which a player who asked to be erased may change their mind.")
    kept_mail_days: Days = setting(30, "How long handled or delivered emails are kept. Their passwords are not.")
    parked_mail_days: Days = setting(90, "How long emails wait for the operator until they, too, are forgotten.")
    parked_mails: Count = setting(
        500,
        "The most emails that wait for the operator, of those that anybody can cause: unreadable ones, and "
        "letters to postmaster. Any more are ignored, so they are kept as long as other emails.",
    )
    least_free_megabytes: CountOrNone = setting(
        200,
        "Room that stays free on the disk of an SQLite database. With less, emails of strangers are put off; with "
        "half of it, all but answers to boards; with a quarter, all.",
    )
    message_characters: Count = setting(5000, "The longest message or broadcast.")
    broadcast_moderation: Literal["off", "on", "closed"] = setting(
        "off", "off: broadcasts go out at once; on: they wait for `pbm player broadcast approve`; closed: none."
    )
    default_clock: Annotated[str, readable(read_control)] = setting(
        DEFAULT_CLOCK, "Time of a game whose challenge does not say --clock; none for unlimited time."
    )
    claim_days: Days = setting(7, "How long a player may decide what to do about an opponent whose time is up.")
    pause_days: Days = setting(60, "How long two players may pause a game.")
    vacation_days_per_year: Annotated[int, Field(ge=0, le=366)] = setting(
        30, "Days a calendar year that a player's clocks may stand still for a vacation."
    )
    unreachable_days: Annotated[int, Field(ge=0, le=366)] = setting(
        30, "Days a year that a player's clocks may stand still because mail to them comes back."
    )


class ListenSettings(SettingsTable):
    """Where to listen, as whom, and how much one client may ask for.

    Once max_connections is reached, a new client replaces the one that has been connected longest without a mail
    accepted. max_connections_per_peer does not apply to a Unix socket. Without a certificate there is no STARTTLS.
    """

    listen: Place = setting(
        "127.0.0.1:8025", "Where to listen: HOST:PORT, [IPv6]:PORT or unix:/path of a socket. Port 0 takes a free one."
    )
    lmtp: bool = setting(False, "Speak LMTP in place of SMTP, for a mail server on this machine.")
    domain: Domain = setting("localhost", "The part after the @ of our own addresses.")
    max_size: Octets = setting(2**20, "The largest mail taken, in octets.")
    max_connections: Count = setting(200, "Clients connected at once.")
    max_connections_per_peer: Count = setting(20, "Clients at once from one IPv4 address or IPv6 /64.")
    max_recipients: Count = setting(100, "Recipients of one email.")
    idle_seconds: Seconds = setting(120, "How long to wait for a client's next command.")
    data_seconds: Seconds = setting(300, "How long a client may take to send one email.")
    session_seconds: Seconds = setting(900, "How long a client may stay without an email accepted.")
    commit_seconds: Seconds = setting(120, "How long the database may take before a client is told to retry.")
    unix_mode: Annotated[str, fitting("[0-7]{3}", "660")] = setting("660", "Permissions of a Unix socket, in octal.")
    tls_certificate: Path | None = setting(None, "PEM file of our certificate; with it STARTTLS is offered.")
    tls_key: Path | None = setting(None, "PEM file of its key, if that is not in the same file.")

    @property
    def where(self) -> tuple[str, int] | Path:
        """Host and port, or the path of a Unix socket."""
        return place(self.listen)


class FetchSettings(SettingsTable):
    """A mailbox to fetch mail from, besides server.listen. Its address must be server.local_part@server.domain."""

    host: Host = setting("", "Name of the IMAP server. Empty: no mailbox is looked into.")
    port: Annotated[int, Field(ge=1, le=65535)] = setting(993, "Its port; mostly 993 or 143.")
    tls: Literal["none", "starttls", "implicit"] = setting(
        "implicit", "implicit (port 993); starttls (port 143); none. The certificate is always checked."
    )
    ca_file: Path | None = setting(None, "PEM file of authorities to believe in place of the system's.")
    username: str = setting("", "Name to log in with; at most providers the whole address.")
    password: SecretStr | None = setting(
        None, "Password to log in with; where there are passwords for programs, one of those."
    )
    folder: Annotated[str, Field(min_length=1)] = setting(
        "INBOX", "The folder from which all emails are taken: give pbm a mailbox of its own."
    )
    handled_folder: str = setting("pbm-handled", "The folder they are moved to afterwards. Empty: they are deleted.")
    max_size: Octets = setting(2**20, "The largest mail taken, in octets.")
    poll_seconds: Seconds = setting(60, "How often to look, even if the server announces mail by itself (IDLE).")
    timeout_seconds: Seconds = setting(60, "How long to wait for each answer of the server.")
    first_retry_seconds: Seconds = setting(1, "Wait after the first failure; after each next one it is twice as long.")
    longest_retry_seconds: Seconds = setting(300, "But never longer than this.")


class DeliverySettings(SettingsTable):
    """How hard to try. A retry waits twice as long as the one before, give or take a fifth, up to the longest."""

    concurrency: Count = setting(10, "Emails under way at once.")
    first_retry_seconds: Seconds = setting(60, "Wait before the first retry; each next one is twice as long.")
    longest_retry_seconds: Seconds = setting(6 * 3600, "But never longer than this.")
    give_up_hours: Hours = setting(120, "Age of an email at which a temporary failure becomes final.")
    poll_seconds: Seconds = setting(5, "How often the outbox is checked even if nothing announces an email.")

    def retry_at(self, now: datetime, attempts: int) -> datetime:
        """When to try again. attempts: the failures so far, including the last one."""
        wait = min(self.longest_retry_seconds, self.first_retry_seconds * 2 ** min(attempts - 1, 40))
        return now + timedelta(seconds=wait * random.uniform(0.8, 1.2))  # noqa: S311  spreads load, guards nothing


class SmarthostSettings(SettingsTable):
    """The mail server that accepts all our mail, for delivery.kind = "smarthost"."""

    host: Host = setting("", "Its name.")
    port: Annotated[int, Field(ge=1, le=65535)] = setting(25, "Its port; mostly 25, 587 or 465.")
    tls: Literal["none", "starttls", "implicit"] = setting(
        "none", "none; starttls (port 587); implicit (port 465). The certificate is always checked."
    )
    ca_file: Path | None = setting(None, "PEM file of authorities to believe in place of the system's.")
    username: str | None = setting(None, "Name to log in with, where the server asks for it.")
    password: SecretStr | None = setting(None, "Password to log in with.")
    connections: Count = setting(4, "Connections kept open.")
    timeout_seconds: Seconds = setting(
        60, "How long to wait for each answer of the server, and ten times as long for that to an email's text."
    )
