"""Mails in the inbox and the outbox, and remarks on boards, as values."""

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
    """A mail in the inbox. mail_from: "" for the null path, None if it is not known."""

    id: int
    received_at: datetime
    mail_from: str | None
    recipients: tuple[str, ...]
    raw: bytes
    state: Arrival = Arrival.NEW
    reason: str = ""
    """Why it was ignored or parked, for the operator."""
    peer: str = ""
    """The network address of the machine that delivered it, or empty."""
    lane: str = ""
    """Mails of one lane are handled in the order of arrival; empty for none."""
    begun: int = 0
    """How often work on it was noted to begin; see pbm/server/left_over.py."""


def answers_board(lane: str) -> bool:
    """Whether mails of a lane answer a board's mail. A mail that only names a board, as anybody can, does not count."""
    return lane.startswith("board ") and " from " not in lane


class Settlement(NamedTuple):
    """How an incoming mail was settled. mail_id: its row in the inbox. reason: for the operator."""

    mail_id: int
    state: Arrival
    reason: str = ""
    identity: str | None = None
    """What a second delivery of the same mail has in common with it; None if nothing identifies it."""
    kept: bytes | None = None
    """Its bytes without the passwords they held; None if they held none."""


FINISHED = 0


class Mail(NamedTuple):
    """A mail that is owed to one address; its bytes are made when it is sent."""

    key: str
    """Random; part of the Message-ID and the return path."""
    address: str
    envelope_from: str
    subject: str
    owed: bytes
    """What it says, as plain data: see pbm/compose/owed.py."""
    board: int | None = None
    player_id: int | None = None
    reply: bool = False
    """It only answers its reader's own mail, so it may be dropped if they ask too much."""
    token: str = ""
    """What the address for answers to it holds; empty for our bare address."""
    shared: bytes = b""
    """The part of it that mails to other readers have, too; stored once."""
    version: int = FINISHED
    """Of the form of its data; FINISHED for a mail as bytes, as they were stored formerly."""


class Sent(NamedTuple):
    """What is known of a mail that was sent."""

    board: int | None
    """The board it is about."""
    player_id: int | None
    """Its reader."""
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
    """Why the last attempt failed."""
    inbox_id: int | None = None
    """The mail it answers."""

    @property
    def lane(self) -> tuple[int, str]:
        """Mails of one lane go out in order: those about one board to one address. Any other mail has its own lane."""
        return self.mail.board or -self.id, self.mail.address


class RemarkKind(StrEnum):
    """comment: to all who get the board's mails. kibitz: among followers, sealed until the end. note: private.

    hint: given by a robot to the author.
    """

    COMMENT = "comment"
    KIBITZ = "kibitz"
    NOTE = "note"
    HINT = "hint"


class Remark(NamedTuple):
    """ply: how many plies had been played when it was written."""

    board: int
    author: Player
    ply: int
    text: str
    written_at: datetime
