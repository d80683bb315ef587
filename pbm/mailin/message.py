"""A mail once it is read: the values that pass from here to the service, and nothing of bytes or MIME."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

Unlock = Callable[[bytes, bytes], tuple[bytes, bool] | None]
"""From an OpenPGP message, and a key or nothing, to what was encrypted, and whether it was signed by that key; None
where it cannot be decrypted.
"""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The sender and the recipients of a mail by SMTP; addresses without angle brackets.

    mail_from is "" for the null return path and None where the envelope is not known, as in a fetched mailbox: then the
    Return-Path header that the mail server wrote stands for it.
    """

    mail_from: str | None = None
    recipients: tuple[str, ...] = ()


class Action(StrEnum):
    """The action that a mail asks of us: REPLY and HELP come from persons, the others are never answered."""

    REPLY = "reply"
    HELP = "help"
    IGNORE = "ignore"
    BOUNCE = "bounce"
    COMPLAINT = "complaint"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class PeerKey:
    """The OpenPGP key that a mail brings of its sender (Autocrypt)."""

    key: bytes
    mutual: bool
    """They want to get encrypted mail."""
    chats: bool
    """Their program is a chat app."""
    dated_at: datetime | None
    """The instant at which the mail says it was written."""


class Cover(StrEnum):
    """How a mail came: to be read by all, ENCRYPTED and read, or LOCKED, so that nobody can read it here."""

    NONE = "none"
    ENCRYPTED = "encrypted"
    LOCKED = "locked"


@dataclass(frozen=True, slots=True)
class Message:
    """A person's mail."""

    action: Action
    """HELP for a forwarded mail, which carries no command of its own; otherwise REPLY."""
    message_id: str | None
    """With its angle brackets, as all ids."""
    sender: str
    """The one address of From with its domain in lower case; "" where From does not name exactly one."""
    subject: str
    """Decoded, reply prefixes still there; "" of a chat program, for it writes its subjects itself (Chat-Version)."""
    text: str
    """The person's words, without quotes and signature."""
    token: str | None
    """Of the address it came to, in lower case."""
    in_reply_to: str | None
    references: tuple[str, ...]
    authenticated: bool
    """Whether the trusted mail server vouches for the sender."""
    direct: bool
    """Whether the mail came by SMTP from the address in From, and the trusted mail server says nothing against that."""
    answers_us: bool
    """Whether one of our mails stood quoted with the text."""
    peer: str = ""
    """The machine that handed it to the trusted mail server, as that says; empty where it does not."""
    automatic: bool = False
    """Whether a program says that it wrote the mail."""
    group: str = ""
    """The chat it was written in, as a chat program calls that."""
    cover: Cover = Cover.NONE
    key: PeerKey | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A recipient a mail did not reach; status is RFC 3463's "5.1.1" or "" where none was given."""

    address: str
    permanent: bool
    status: str = ""


@dataclass(frozen=True, slots=True)
class Discard:
    """A mail that is recorded and never answered, and why.

    For a bounce: the token of our per-recipient return path, the recipients it names (maybe none: then only the token
    knows), whether trying again is useless, and the id of our mail where it was returned; that also for a complaint.
    """

    action: Action
    reason: str
    message_id: str | None = None
    sender: str = ""
    bounce_token: str | None = None
    failures: tuple[Failure, ...] = ()
    permanent: bool = False
    original_id: str | None = None
    program: Message | None = None
    """What the mail says if only its mark speaks against it, by which a program says that it is one (RFC 3834)."""
