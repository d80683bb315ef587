"""What was said and what was told: all that the referee of a simulated club knows beside the database."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

_MARK = re.compile(r"\bm\d+@[\w.]+|\bkey\d+|\bboard \d+", re.IGNORECASE)
_BEFALLS = re.compile(r" (?:server \d|the power|the way out|the operator|the mailbox) ")


@dataclass
class Said:
    """A mail that somebody wrote to the server."""

    author: str
    """Who wrote it, whatever its From says."""
    sender: str
    """The address in its From."""
    key: str
    """Its Message-ID, without brackets."""
    written_at: datetime
    line: str
    """Its first line, or its subject if it is a new mail."""
    board: int | None = None
    """The board whose mail it answers."""
    is_proven: bool = False
    """Whether they prove who they are: by a token of theirs, or as the mail server in front says."""
    is_torn: bool = False
    """Whether its bytes were changed on the way, perhaps also its Message-ID."""
    safe_at: datetime | None = None
    """When somebody was told that it is safe; None if nobody was."""


@dataclass(frozen=True)
class Told:
    """A mail of the server's that reached a mailbox."""

    address: str
    key: str
    subject: str
    text: str
    answers_to: str
    """Where an answer goes."""
    board: int | None
    told_at: datetime


@dataclass
class Story:
    """Everything that people said and were told, in order, and what happened to the server meanwhile."""

    said: list[Said] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    returned: list[Told] = field(default_factory=list)
    """What never reached a mailbox, and came back."""
    addresses: dict[str, str] = field(default_factory=dict)
    """The address of each player, by userid."""
    babblers: set[str] = field(default_factory=set)
    """Who says anything, so that what happens to them and their boards may have been asked for."""
    ids: dict[int, str] = field(default_factory=dict)
    """The userid with which each player began, by the number of their account."""
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The userids that the operator has given players since, by the first."""
    merged: dict[str, str] = field(default_factory=dict)
    """Second accounts, by userid, and the userid of the account that each has become a part of."""
    voided: set[int] = field(default_factory=set)
    """Boards that the operator made void."""
    kept_out: list[tuple[str, datetime, datetime]] = field(default_factory=list)
    """Who was banned, from when to when."""
    erased: dict[str, datetime] = field(default_factory=dict)
    """Who was erased, and when."""
    gifts: list[tuple[datetime, timedelta]] = field(default_factory=list)
    """When the operator gave everybody more time, and how much."""
    leaps: list[tuple[datetime, datetime]] = field(default_factory=list)
    """Between which instants what happened may be dated wrongly, because the clock was ahead."""
    restored: list[tuple[datetime, datetime]] = field(default_factory=list)
    """What happened between which instants is lost, because a backup was restored."""
    ahead: timedelta = timedelta()
    """How far the clock has been ahead at most, so much too late what was done then may be dated."""
    seen: list[str] = field(default_factory=list)
    """Promises that were seen to be broken meanwhile."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Words that only one player may read, and their userid."""
    refused: set[str] = field(default_factory=set)
    """Addresses whose mail servers refused a mail for good."""
    quiet_from: datetime | None = None
    """From when on nothing fails any more."""
    lines: list[str] = field(default_factory=list)
    """The trace: what happened, one line each."""

    def note(self, at: datetime, what: str) -> None:
        self.lines.append(f"{at:%Y-%m-%d %H:%M:%S.%f} {what}")

    def person(self, userid: str) -> str:
        """The userid that somebody began with, whichever of their accounts is named."""
        return self.merged.get(userid, userid)

    def is_kept_out(self, userid: str, at: datetime) -> bool:
        """Whether somebody was banned at an instant."""
        return any(name == userid and begins < at < ends for name, begins, ends in self.kept_out)

    def mailboxes(self, userid: str) -> set[str]:
        """The addresses of somebody."""
        return {address for name, address in self.addresses.items() if self.person(name) == userid}

    def about(self, problem: str) -> list[str]:
        """The lines about the mails, boards and people that a sentence names, and those about what befell servers."""
        marks = {mark.casefold() for mark in _MARK.findall(problem)}
        marks |= {self.addresses[name] for name in self.addresses if re.search(rf"\b{name}\b", problem)}
        return [line for line in self.lines if any(mark in line.casefold() for mark in marks) or _BEFALLS.search(line)]

    @property
    def mark(self) -> str:
        """A mark of the whole trace: equal only if everything happened in the same way."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:16]
