"""Mails on their way, as values: what came in and waits to be handled, what goes out and waits to be delivered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Arrival(StrEnum):
    """What became of a mail that came in."""

    NEW = "new"
    HANDLED = "handled"
    IGNORED = "ignored"
    PARKED = "parked"


class Delivery(StrEnum):
    """What became of a mail that goes out."""

    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Received:
    """A mail in the inbox. mail_from: "" for the null path, None where it is not known. reason: why it was ignored or
    parked, for the operator. peer: the address of the machine that handed it over, or empty. lane: mails of one lane
    are handled in the order they came; empty for none.
    """

    id: int
    received_at: datetime
    mail_from: str | None
    recipients: tuple[str, ...]
    raw: bytes
    state: Arrival = Arrival.NEW
    reason: str = ""
    peer: str = ""
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a mail that came in, which is mail_id in the inbox, and why.

    identity: what tells a second delivery of the same mail; None where nothing does.
    """

    mail_id: int
    state: Arrival
    reason: str = ""
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Mail:
    """A finished mail to one address. key: random; it is in the Message-ID and in the return path.

    reply: it only answers its reader's own mail, so it may be left out where he asks too much.
    """

    key: str
    address: str
    envelope_from: str
    subject: str
    raw: bytes
    board: int | None = None
    player_id: int | None = None
    reply: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What is known of a mail that was written. board: that it is about. player_id: of its reader."""

    board: int | None
    player_id: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Queued:
    """A mail in the outbox. due_at: when to try next. trouble: what the last try met. inbox_id: the mail it answers."""

    id: int
    mail: Mail
    created_at: datetime
    due_at: datetime
    state: Delivery = Delivery.QUEUED
    attempts: int = 0
    trouble: str = ""
    inbox_id: int | None = None
