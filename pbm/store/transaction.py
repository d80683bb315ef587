"""One transaction: the way to all queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection, insert, select

from pbm.store.agenda import Agenda
from pbm.store.blocks import Blocks
from pbm.store.bounces import Bounces
from pbm.store.broadcasts import Broadcasts
from pbm.store.choices import Choices
from pbm.store.follows import Follows
from pbm.store.intents import Intents
from pbm.store.matches import Matches
from pbm.store.players import Players
from pbm.store.queues import Inbox, Outbox
from pbm.store.ratings import Ratings
from pbm.store.seeks import Invitations, Seeks
from pbm.store.tables import meta
from pbm.store.tickets import Tickets
from pbm.store.trouble import translated


class Transaction:
    """Queries by what they are about. Valid until the block that gave it ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.players = Players(connection)
        self.matches = Matches(connection)
        self.agenda = Agenda(connection)
        self.choices = Choices(connection)
        self.blocks = Blocks(connection)
        self.bounces = Bounces(connection)
        self.broadcasts = Broadcasts(connection)
        self.seeks = Seeks(connection)
        self.invitations = Invitations(connection)
        self.ratings = Ratings(connection)
        self.intents = Intents(connection)
        self.follows = Follows(connection)
        self.inbox = Inbox(connection)
        self.outbox = Outbox(connection)
        self.tickets = Tickets(connection)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """An exception out of the block undoes what the block wrote, and nothing else. Raises: DatabaseTrouble."""
        with translated(), self._connection.begin_nested():
            yield

    def secret(self) -> bytes:
        """The server's own secret, made when the database was."""
        value = self._connection.execute(select(meta.c.value).where(meta.c.key == "secret")).scalar_one()
        return bytes.fromhex(value)

    def ensure_secret(self, fresh: str, now: datetime) -> None:
        """Keep the secret the database has; fresh (hexadecimal) becomes it where there is none."""
        if self._connection.execute(select(meta.c.value).where(meta.c.key == "secret")).scalar() is None:
            rows = [{"key": "secret", "value": fresh}, {"key": "created_at", "value": now.isoformat()}]
            self._connection.execute(insert(meta), rows)
