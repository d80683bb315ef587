"""One transaction: all queries, by subject, and what they share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from functools import cached_property
from typing import TypeVar

import sqlalchemy as sa

from pbm.store.backup import Contents
from pbm.store.belongings import Belongings
from pbm.store.erasure import Erasure
from pbm.store.follows import Choices, Follows
from pbm.store.house import Absences, Acts, Agenda, Identity, Peers, Secrets
from pbm.store.leaps import Leaps
from pbm.store.lists import Archive, Lists
from pbm.store.matches import Intents, Remarks
from pbm.store.neighbours import OWED, TAKEN_IN, translated
from pbm.store.overview import Overview
from pbm.store.players import Bans, Blocks, Bounces, Players
from pbm.store.puzzles import Puzzles
from pbm.store.queues import Inbox, Outbox
from pbm.store.ratings import Paces, Ratings
from pbm.store.tickets import Broadcasts, Guesses, Invitations, Seeks, Tickets
from pbm.store.tournaments import Tournaments

HOUSE = "house"
"""The name locked by every transaction that changes more than it has locked by other names."""

_numbers = (
    sa.func.unnest(sa.bindparam("numbers", type_=sa.ARRAY(sa.BigInteger))).table_valued("number").render_derived()
)
LOCK = sa.select(sa.cast(sa.func.pg_advisory_xact_lock(_numbers.c.number), sa.Text).label("locked"))
"""For PostgreSQL only."""

Q = TypeVar("Q")


def _queries(kind: Callable[[sa.Connection], Q]) -> cached_property[Q]:
    """Queries that are created when first used: a mail needs few of them."""
    return cached_property(lambda tx: kind(tx._connection))  # noqa: SLF001  of the class it is made for


class Transaction:
    """All queries, by subject. Valid until the block that gave it ends."""

    players = _queries(Players)
    matches = _queries(Lists)
    absences = _queries(Absences)
    bans = _queries(Bans)
    agenda = _queries(Agenda)
    archive = _queries(Archive)
    choices = _queries(Choices)
    belongings = _queries(Belongings)
    erasure = _queries(Erasure)
    blocks = _queries(Blocks)
    bounces = _queries(Bounces)
    broadcasts = _queries(Broadcasts)
    seeks = _queries(Seeks)
    invitations = _queries(Invitations)
    ratings = _queries(Ratings)
    paces = _queries(Paces)
    puzzles = _queries(Puzzles)
    remarks = _queries(Remarks)
    intents = _queries(Intents)
    follows = _queries(Follows)
    inbox = _queries(Inbox)
    outbox = _queries(Outbox)
    tickets = _queries(Tickets)
    contents = _queries(Contents)
    tournaments = _queries(Tournaments)
    guesses = _queries(Guesses)
    leaps = _queries(Leaps)
    overview = _queries(Overview)
    identity = _queries(Identity)
    secrets = _queries(Secrets)
    peers = _queries(Peers)
    acts = _queries(Acts)

    def __init__(self, connection: sa.Connection, now: datetime) -> None:
        self._connection = connection
        self.now = now
        """The instant at which everything in it happens."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """An exception that leaves the block undoes what the block wrote, and nothing else. Raises: DatabaseTrouble."""
        connection = self._connection
        # PostgreSQL, even to read, answers nothing more after a statement that failed, unless it is undone.
        is_needed = connection.dialect.name != "sqlite" or connection.get_execution_options()["pbm_writes"]
        with translated(), connection.begin_nested() if is_needed else nullcontext():
            yield

    def lock(self, names: Iterable[str]) -> None:
        """Wait until nobody else has locked any of the names; then they are ours until the transaction ends."""
        if self._connection.dialect.name == "sqlite":
            return  # a writer has locked everything anyway
        # In a fixed order, so that two calls cannot deadlock.
        numbers = sorted({_number(name) for name in names})
        if numbers:
            self._connection.execute(LOCK, {"numbers": numbers})

    @property
    def grew(self) -> str:
        """The queue it has added to, as a word for bells; empty for none."""
        return OWED if self.outbox.grew else TAKEN_IN if self.inbox.grew else ""

    def skip_boards(self, least: int) -> None:
        """Skip as many board numbers as were given so far, but at least `least`."""
        if self._connection.dialect.name == "sqlite":
            skipped = "UPDATE sqlite_sequence SET seq = seq + max(:least, seq) WHERE name = 'matches'"
        else:
            skipped = (
                "SELECT setval('matches_board_seq', last_value + greatest(:least, last_value)) FROM matches_board_seq"
            )
        self._connection.execute(sa.text(skipped), {"least": least})


def _number(name: str) -> int:
    """The signed 64-bit number that stands for a name, because PostgreSQL's advisory locks have numbers."""
    return int.from_bytes(hashlib.blake2b(f"pbm {name}".encode(), digest_size=8).digest(), signed=True)
