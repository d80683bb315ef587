"""What the operator has done at the command line, and whom they keep out."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from pbm.store.tables import acts, bans


@dataclass(frozen=True, slots=True)
class LogLine:
    """who: the operator, as their system knows them. words: the command, passwords masked."""

    at: datetime
    who: str
    words: str


class Acts:
    """Nothing takes a line away; a player who is erased is named by another name."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, act: LogLine) -> None:
        self._connection.execute(insert(acts).values(at=act.at, who=act.who, words=act.words))

    def latest(self, limit: int, about: str = "") -> list[LogLine]:
        """The newest last. about: what their words must hold, in any case."""
        found = select(acts).order_by(acts.c.id.desc()).limit(limit)
        if about:
            found = found.where(func.lower(acts.c.words).contains(about.lower(), autoescape=True))
        return [LogLine(row.at, row.who, row.words) for row in self._connection.execute(found)][::-1]

    def rename(self, names: Collection[str], name: str) -> None:
        """Call a player so wherever one of their names stood."""
        word = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-])", re.IGNORECASE)
        named = or_(*(func.lower(acts.c.words).contains(each.lower(), autoescape=True) for each in names))
        for row in self._connection.execute(select(acts.c.id, acts.c.words).where(named)).all():
            renamed = word.sub(name, row.words)
            self._connection.execute(update(acts).where(acts.c.id == row.id).values(words=renamed))


@dataclass(frozen=True, slots=True)
class Ban:
    """subject: a userid, an address, or a domain with @ in front, in lower case. until: None for good."""

    subject: str
    since: datetime
    until: datetime | None
    reason: str


class Bans:
    """One for each subject. What is over is kept until it is lifted, so that the operator sees it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._none = False

    def put(self, ban: Ban) -> None:
        """In place of the one before."""
        self._none = False
        self.lift(ban.subject)
        values = {"subject": ban.subject, "since": ban.since, "until": ban.until, "reason": ban.reason}
        self._connection.execute(insert(bans).values(values))

    def lift(self, subject: str) -> bool:
        """Whether there was one."""
        return self._connection.execute(delete(bans).where(bans.c.subject == subject)).rowcount > 0

    def all(self) -> list[Ban]:
        """The oldest first."""
        rows = self._connection.execute(select(bans).order_by(bans.c.since, bans.c.subject))
        return [Ban(row.subject, row.since, row.until, row.reason) for row in rows]

    def of(self, subjects: Collection[str], now: datetime) -> list[Ban]:
        """Those on any of the subjects that hold now. Where there are none at all, that is asked once a transaction."""
        any_at_all = select(bans.c.subject).limit(1)
        self._none = self._none or self._connection.execute(any_at_all).first() is None
        if self._none:
            return []
        holds = or_(bans.c.until.is_(None), bans.c.until > now)
        rows = self._connection.execute(select(bans).where(bans.c.subject.in_(subjects), holds))
        return [Ban(row.subject, row.since, row.until, row.reason) for row in rows]
