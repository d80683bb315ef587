"""A mail that has been read: the values that go to the service, without bytes or MIME."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from pbm.values import frozen

Unlock = Callable[[bytes, bytes], tuple[bytes, bool] | None]
"""Takes an OpenPGP message, and a key or b"". Returns what was encrypted, and whether that key signed it; None if it
cannot be decrypted.
"""

SENTINEL = "##- Write your answer above this line -##"
"""Stands in every mail of ours; it has only 41 columns, so that repeated quoting hardly wraps it."""


@frozen
class Envelope:
    """The SMTP sender and recipients of a mail; addresses without angle brackets.

    mail_from is "" for the null return path. It is None if the envelope is not known, as in a fetched mailbox; then the
    Return-Path field that the mail server wrote is used.
    """

    mail_from: str | None = None
    recipients: tuple[str, ...] = ()


class Action(StrEnum):
    """What a mail asks of us. REPLY and HELP come from people; the others are never answered."""

    REPLY = "reply"
    HELP = "help"
    IGNORE = "ignore"
    BOUNCE = "bounce"
    COMPLAINT = "complaint"
    REJECT = "reject"


class Mark(StrEnum):
    """What marks a mail as a machine's, if anything."""

    NONE = "none"
    RELAY = "relay"
    """A list, a relay, a company's rule or a filter on the way: a person may have written it."""
    PROGRAM = "program"
    """Only the statement by which programs identify themselves (RFC 3834)."""
    RESPONDER = "responder"
    """An autoresponder, a bounce, or another machine."""


@frozen
class PeerKey:
    """The sender's OpenPGP key from a mail (Autocrypt)."""

    key: bytes
    mutual: bool
    """The sender prefers encrypted mail."""
    chats: bool
    """The sender's program is a chat app."""


class Cover(StrEnum):
    """Whether a mail was encrypted. ENCRYPTED: and could be decrypted. LOCKED: and could not."""

    NONE = "none"
    ENCRYPTED = "encrypted"
    LOCKED = "locked"


class Judgement(StrEnum):
    """What our own mail server says of the address in From. NONE: nothing, or neither."""

    PASSED = "passed"
    NONE = "none"
    FAILED = "failed"


@frozen
class Message:
    """A person's mail."""

    action: Action
    """HELP for a forwarded mail, which carries no command of its own; otherwise REPLY."""
    message_id: str | None
    """With its angle brackets, like all ids."""
    sender: str
    """The address of From, its domain in lower case; "" if From does not name exactly one."""
    subject: str
    """Decoded, with reply prefixes; "" for a chat program, which makes up its subjects (Chat-Version)."""
    text: str
    """The person's words, without quotes and signature."""
    token: str | None
    """The reply token of the address it came to, in lower case."""
    in_reply_to: str | None
    references: tuple[str, ...]
    judgement: Judgement
    direct: bool
    """Whether the address in From is also that in MAIL FROM, and no check by the trusted mail server failed."""
    answers_us: bool
    """Whether one of our mails is quoted in the text."""
    peer: str = ""
    """The IP address that handed it to the trusted mail server, by its record; empty if not known."""
    mark: Mark = Mark.NONE
    group: str = ""
    """The id of the group chat it was written in, as given by a chat program."""
    file: str = ""
    """The text of the first attached file; empty if none is attached."""
    note: str = ""
    """The first attached file that is a text; empty if there is none."""
    quote: str = ""
    """The lines marked as quoted, without their marks; empty if one of our mails is quoted."""
    cover: Cover = Cover.NONE
    key: PeerKey | None = None
    told_at: datetime | None = None
    """When our mail was written whose id alone shows the token that this answer has lost; None if it has lost none."""

    @property
    def authenticated(self) -> bool:
        """Whether the trusted mail server vouches for the sender."""
        return self.judgement is Judgement.PASSED


@frozen
class Failure:
    """A recipient that a mail did not reach. status: as in RFC 3463, such as "5.1.1", or ""."""

    address: str
    permanent: bool
    status: str = ""


@frozen
class Discard:
    """A mail that is recorded and never answered, and why.

    A bounce has the token of our per-recipient return path, the recipients it names (if none, only the token tells),
    and whether trying again is useless.
    """

    action: Action
    reason: str
    bounce_token: str | None = None
    failures: tuple[Failure, ...] = ()
    permanent: bool = False
    mark: Mark = Mark.RESPONDER
    letter: Message | None = None
    """What stands in the mail, if it may be a player's move in spite of its mark."""
    may_be_move: bool = False
    """Whether its first line is a move of a player of the board, who has not proved to be that."""
