"""Mails on their way and what people write about boards, as values; and how passwords are kept out of both.

The password argument of a command, and what verifies as the sender's password, is never repeated in a mail. Nothing
else that a person wrote is touched, ever: a word is not blacked out because it might be a password.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

from games import GAMES
from pbm.domain.match import Player
from pbm.domain.verbs import SHORTEST_SECRET, VERBS


class Arrival(StrEnum):
    """What became of a mail that came in."""

    NEW = "new"
    HANDLED = "handled"
    IGNORED = "ignored"
    PARKED = "parked"
    FORGOTTEN = "forgotten"


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

    identity: what tells a second delivery of the same mail; None where nothing does. kept: its bytes without the
    passwords they held; None where they held none.
    """

    mail_id: int
    state: Arrival
    reason: str = ""
    identity: str | None = None
    kept: bytes | None = None


@dataclass(frozen=True, slots=True)
class Mail:
    """A finished mail to one address. key: random; it is in the Message-ID and in the return path.

    reply: it only answers its reader's own mail, so it may be left out where they ask too much.
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

    @property
    def lane(self) -> tuple[int, str]:
        """Mails of one lane go out in their order: those about a board to one address. Others have a lane each."""
        return self.mail.board or -self.id, self.mail.address


HIDDEN = "*****"
_MAX_LINES = 60
_MARKS = '.,;:!?"()'


@cache
def _names() -> tuple[str, ...]:
    return tuple(name for verb in VERBS for name in (verb.name, *verb.aliases))


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset({*GAMES, *_names()})


def redact_quoted(sentence: str, secrets: Collection[str]) -> str:
    """A sentence of ours with secret words replaced in what it quotes, up to the last quotation mark."""
    return re.sub(r'"(?s:.*)"', lambda quoted: redact(quoted[0], secrets), sentence)


def redact(text: str, secrets: Collection[str]) -> str:
    """The text with every secret word replaced, wherever it stands."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text)
    return text


def passwords_behind(lines: Sequence[str], userid: str) -> list[str]:
    """Words of the lines that may be a player's password: those after the userid, in lower case, or "password".

    "login bob geheim" -> geheim; "my password is geheim" -> geheim; "Take your time, bob." -> none
    """
    found = []
    for line in lines[:_MAX_LINES]:
        words = [word.strip(_MARKS) for word in line.split()]
        for place, word in enumerate(words):
            folded = word.casefold()
            near = 1 if folded == userid else 2 if folded in ("password", "passwort", "pass") else 0
            found += [
                each for each in words[place + 1 : place + 1 + near] if _is_long(each) and each.casefold() != userid
            ]
    return list(dict.fromkeys(found))


def _is_long(word: str) -> bool:
    """The word is long enough for a password and none of the server's own."""
    return len(word) >= SHORTEST_SECRET and word.casefold() not in _vocabulary()


class RemarkKind(StrEnum):
    """comment: to all who get the board's mails. kibitz: among followers, sealed until the end. note: to oneself."""

    COMMENT = "comment"
    KIBITZ = "kibitz"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Remark:
    """ply: how many were played when it was written."""

    board: int
    author: Player
    ply: int
    text: str
    written_at: datetime
