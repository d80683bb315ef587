"""The state of things for an operator: what waits, for how long, how fast it goes, and what room it takes.

However many mails are over, nothing here takes longer for them: those that wait are counted from an index, and instants
are found by bisection, because ids grow with time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, Table, func, or_, select, text

from pbm.domain.mail import Arrival, Delivery
from pbm.store.matches import SEATS
from pbm.store.queues import POSTPONED
from pbm.store.statements import Queries
from pbm.store.tables import addresses, broadcasts, inbox, matches, outbox, players

SPANS: Mapping[str, timedelta] = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_INSTANTS = ((inbox.c.received_at, inbox.c.id), (outbox.c.created_at, outbox.c.id))
_LATEST = 200
_LONGEST_TROUBLE = 200
_INCREMENTAL = 2
"""What auto_vacuum says of a file that gives unused room back: one that was made so, or rewritten once."""
_SPARE = 2**20
"""Unused octets that always stay, for what comes next."""
_SPARE_SHARE = 10
"""Unused octets stay as well up to one in so many."""
_SIZE = text("SELECT pg_database_size(current_database())")


class Waiting(NamedTuple):
    """Mails in one state, or boards."""

    number: int
    oldest_at: datetime | None
    """Since when the oldest waits; None if there are none."""


class Flow(NamedTuple):
    """The arrivals in a queue: ever, and within each of the last spans."""

    ever: int
    within: Mapping[str, int]
    seconds: tuple[float, ...]
    """How long each of the latest took."""

    def quantile(self, share: float) -> float | None:
        """The seconds that this share of them does not exceed; None if there are none."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class Queue(NamedTuple):
    """The inbox or the outbox."""

    waiting: Mapping[str, Waiting]
    """By state."""
    flow: Flow


class Suspensions(NamedTuple):
    """Addresses that get no mail."""

    number: int
    latest: list[tuple[str, str, datetime]]
    """Each with its player, and since when."""


class Deadline(NamedTuple):
    """A board on which something falls due."""

    board: int
    game: str
    due_at: datetime


class Deadlines(NamedTuple):
    """overdue: the number of boards on which something should have happened by now."""

    overdue: int
    next: list[Deadline]


class Footprint(NamedTuple):
    """The room that a database takes."""

    octets: int
    unused: int | None = None
    """Octets of them that hold nothing; None if that is not known, as on PostgreSQL."""
    shrinks: bool = True
    """Whether it gives back by itself what it no longer uses."""

    @property
    def unused_share(self) -> float:
        """From 0 to 1; 0 if it is not known."""
        return (self.unused or 0) / max(1, self.octets)

    @property
    def is_wasted(self) -> bool:
        """Whether so much is unused that some should be given back."""
        return (self.unused or 0) > max(_SPARE, self.octets // _SPARE_SHARE)


class Overview(Queries):
    """Counts and ages. Mails ever and within a span are counted by their ids, of which a few may be missing."""

    def mails(self, state: Arrival | Delivery) -> Waiting:
        """Mails in this state."""
        if isinstance(state, Arrival):
            return self._waiting(inbox, inbox.c.received_at, inbox.c.state == state.value)
        return self._waiting(outbox, outbox.c.created_at, outbox.c.state == state.value)

    def inbox(self, now: datetime) -> Queue:
        """seconds: from taking a mail in to having handled it."""
        waiting = {state.value: self.mails(state) for state in (Arrival.NEW, Arrival.PARKED)}
        return Queue(waiting, self._flow(inbox, Arrival.HANDLED, inbox.c.received_at, inbox.c.handled_at, now))

    def outbox(self, now: datetime) -> Queue:
        """postponed: queued mails that could not be delivered so far. seconds: from writing a mail to sending it."""
        queued, failed = self.mails(Delivery.QUEUED), self.mails(Delivery.FAILED)
        postponed = self._waiting(outbox, outbox.c.created_at, POSTPONED)
        flow = self._flow(outbox, Delivery.SENT, outbox.c.created_at, outbox.c.done_at, now)
        return Queue({"queued": queued, "postponed": postponed, "failed": failed}, flow)

    def troubles(self, limit: int) -> list[tuple[str, int]]:
        """What queued mails failed of at their last try, and how many of them, most frequent first."""
        words = func.substr(outbox.c.trouble, 1, _LONGEST_TROUBLE).label("words")
        query = (
            select(words, func.count().label("mails"))
            .where(POSTPONED)
            .group_by(words)
            .order_by(func.count().desc(), words)
            .limit(limit)
        )
        return self._all(query, tuple)

    def moves_ignored(self) -> int:
        """Mails laid aside as a machine's in which a player's move stands."""
        return self._count(inbox, inbox.c.reason.startswith("move: "))

    def latest(self) -> datetime | None:
        """When the latest mail came or was written; None if there is none."""
        queries = (select(since).order_by(key.desc()).limit(1) for since, key in _INSTANTS)
        return max(filter(None, map(self._only, queries)), default=None)

    def players(self) -> int:
        return self._count(players, players.c.removed_at.is_(None))

    def boards(self) -> int:
        """How many boards are under way."""
        return self._count(matches, matches.c.ended_at.is_(None))

    def to_move(self, player_ids: Collection[int]) -> Waiting:
        """The boards under way on which one of the players is to move."""
        their_turn = or_(*((matches.c.seat_to_move == seat) & who.in_(player_ids) for seat, who in enumerate(SEATS, 1)))
        return self._waiting(matches, matches.c.moved_at, matches.c.ended_at.is_(None) & their_turn)

    def broadcasts(self) -> int:
        """How many broadcasts wait for the operator."""
        return self._count(broadcasts, broadcasts.c.sent_at.is_(None))

    def suspended(self, limit: int) -> Suspensions:
        is_suspended = addresses.c.suspended_at.is_not(None)
        query = (
            select(addresses.c.address, players.c.userid, addresses.c.suspended_at)
            .join(players)
            .where(is_suspended)
            .order_by(addresses.c.suspended_at.desc())
            .limit(limit)
        )
        return Suspensions(self._count(addresses, is_suspended), self._all(query, tuple))

    def deadlines(self, now: datetime, limit: int) -> Deadlines:
        overdue = self._count(matches, matches.c.due_at <= now)
        query = select(matches.c.board, matches.c.game, matches.c.due_at).where(matches.c.due_at.is_not(None))
        return Deadlines(overdue, self._all(query.order_by(matches.c.due_at).limit(limit), Deadline._make))

    def room(self) -> Footprint:
        if self._connection.dialect.name != "sqlite":
            return Footprint(self._connection.execute(_SIZE).scalar_one())
        names = ("page_size", "page_count", "freelist_count", "auto_vacuum")
        size, pages, unused, mode = (self._connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names)
        return Footprint(size * pages, size * unused, mode == _INCREMENTAL)

    def _waiting(self, table: Table, since: ColumnElement[datetime], condition: ColumnElement[bool]) -> Waiting:
        query = select(func.count(), func.min(since)).select_from(table).where(condition)
        return Waiting(*self._connection.execute(query).one())

    def _flow(
        self, table: Table, state: StrEnum, since: ColumnElement[datetime], done: ColumnElement[datetime], now: datetime
    ) -> Flow:
        first, last = self._connection.execute(select(func.min(table.c.id), func.max(table.c.id))).one()
        if last is None:
            return Flow(0, dict.fromkeys(SPANS, 0), ())
        within = {
            name: last + 1 - self._first_since(table, since, now - span, (first, last)) for name, span in SPANS.items()
        }
        over = select(since, done).where(table.c.state == state.value, done.is_not(None)).order_by(table.c.id.desc())
        return Flow(last, within, tuple(self._all(over.limit(_LATEST), lambda row: (row[1] - row[0]).total_seconds())))

    def _first_since(
        self, table: Table, since: ColumnElement[datetime], instant: datetime, ids: tuple[int, int]
    ) -> int:
        """The lowest id of a row that came after the instant; one more than the last if there is none."""
        low, high = ids[0], ids[1] + 1
        # Ids follow the times, so that halving takes some twenty look-ups.
        while low < high:
            middle = (low + high) // 2
            query = select(table.c.id, since).where(table.c.id >= middle).order_by(table.c.id).limit(1)
            row = self._connection.execute(query).one()
            if row[1] > instant:
                high = middle
            else:
                low = row[0] + 1
        return low
