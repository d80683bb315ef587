"""Mails on their way, and what people write about boards, as values."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pbm.domain.match import Player


class Arrival(StrEnum):
    """The state of a mail that came in."""

    NEW = "new"
    HANDLED = "handled"
    IGNORED = "ignored"
    PARKED = "parked"
    FORGOTTEN = "forgotten"


class Delivery(StrEnum):
    """The state of a mail that goes out."""

    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"


class Received(NamedTuple):
    """A mail in the inbox. mail_from: "" for the null path, None where it is not known."""

    id: int
    received_at: datetime
    mail_from: str | None
    recipients: tuple[str, ...]
    raw: bytes
    state: Arrival = Arrival.NEW
    reason: str = ""
    """Why it was ignored or parked, for the operator."""
    peer: str = ""
    """The address of the machine that handed it over, or empty."""
    lane: str = ""
    """Mails of one lane are handled in the order they came; empty for none."""

    @property
    def answers_board(self) -> bool:
        """Whether it answers a board's mail. Anybody can name a board, so mails that only do are not among them."""
        return self.lane.startswith("board ") and " from " not in self.lane


class Settlement(NamedTuple):
    """The end of a mail that came in, which is mail_id in the inbox, and its reason."""

    mail_id: int
    state: Arrival
    reason: str = ""
    identity: str | None = None
    """What tells a second delivery of the same mail; None where nothing does."""
    kept: bytes | None = None
    """Its bytes without the passwords they held; None where they held none."""


class Mail(NamedTuple):
    """A finished mail to one address."""

    key: str
    """Random; it is in the Message-ID and in the return path."""
    address: str
    envelope_from: str
    subject: str
    raw: bytes
    board: int | None = None
    player_id: int | None = None
    reply: bool = False
    """It only answers its reader's own mail, so it may be left out where they ask too much."""


class Sent(NamedTuple):
    """A mail that was written, as far as it is known."""

    board: int | None
    """That it is about."""
    player_id: int | None
    """Of its reader."""
    created_at: datetime


class Queued(NamedTuple):
    """A mail in the outbox."""

    id: int
    mail: Mail
    created_at: datetime
    due_at: datetime
    """When to try next."""
    state: Delivery = Delivery.QUEUED
    attempts: int = 0
    trouble: str = ""
    """What the last try met."""
    inbox_id: int | None = None
    """The mail it answers."""

    @property
    def lane(self) -> tuple[int, str]:
        """Mails of one lane go out in their order: those about a board to one address. Others have a lane each."""
        return self.mail.board or -self.id, self.mail.address


class RemarkKind(StrEnum):
    """comment: to all who get the board's mails. kibitz: among followers, sealed until the end. note: to oneself.

    hint: a robot's, that its author was given.
    """

    COMMENT = "comment"
    KIBITZ = "kibitz"
    NOTE = "note"
    HINT = "hint"


class Remark(NamedTuple):
    """ply: how many were played when it was written."""

    board: int
    author: Player
    ply: int
    text: str
    written_at: datetime
